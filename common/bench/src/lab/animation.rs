//! Animations in the window of `--live`: the result of a frame becomes the input of the next.

use vulkan::handles::{Buffer, Set};

/// A drag with the pointer, in texels of the picture.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Pull {
    /// Where the button was pressed.
    pub from: [f32; 2],
    /// Where the pointer is.
    pub to: [f32; 2],
}

/// Changes the first words of an input from frame to frame. Measured samples never see a change: the input is
/// restored after each frame.
pub trait Simulation {
    /// The first words of the input, for measured samples and for the first frame.
    fn begin(&self) -> &[u32];
    /// Resets the simulation to its initial state.
    fn restart(&self);
    /// The first words of the expected result for this input, computed by the CPU reference.
    fn reference(&self, input: &[u32]) -> Vec<u32>;
    /// The input of the next frame, from the input and the result of the last frame.
    fn next(&self, input: &[u32], result: &[u32], pull: Option<Pull>) -> Vec<u32>;
    /// Width and height of the picture.
    fn size(&self) -> [u32; 2];
    /// Paints a result: one RGB triple per pixel, row by row.
    fn paint(&self, result: &[u32]) -> Vec<[u8; 3]>;
    /// One sentence that says what the picture shows.
    fn caption(&self) -> String;
}

/// A simulation that the window advances by one step per frame.
pub struct Animation {
    /// The buffer that receives the state of the last frame.
    pub input: Buffer,
    /// The set of buffers that receives the next state.
    pub set: Set,
    /// Index of that buffer in the set.
    pub index: u32,
    /// The simulation.
    pub simulation: Box<dyn Simulation>,
}
