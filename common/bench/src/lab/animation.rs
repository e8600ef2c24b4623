//! What moves in the window of `--live`: a result becomes the input of the next frame.

use vulkan::handles::{Buffer, Set};

/// Where a pointer took hold of a picture, and where it is now, in texels of the picture.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Pull {
    /// The place where it was pressed.
    pub from: [f32; 2],
    /// The place where it is.
    pub to: [f32; 2],
}

/// How the beginning of an input moves from frame to frame. The samples of the rounds never see it: their
/// input is put back behind each frame.
pub trait Simulation {
    /// The words that the input begins with, for the samples of the rounds and for the first frame.
    fn begin(&self) -> &[u32];
    /// All begins anew: nothing has moved yet.
    fn restart(&self);
    /// What the result must begin with, by the CPU reference, for an input that begins so.
    fn reference(&self, input: &[u32]) -> Vec<u32>;
    /// The input of the next frame, from that of the last and from what came out of it.
    fn next(&self, input: &[u32], result: &[u32], pull: Option<Pull>) -> Vec<u32>;
    /// Width and height of the picture.
    fn size(&self) -> [u32; 2];
    /// The picture of a result: red, green and blue, row by row.
    fn paint(&self, result: &[u32]) -> Vec<[u8; 3]>;
    /// What the picture shows.
    fn caption(&self) -> String;
}

/// A simulation that the window runs on, frame by frame.
pub struct Animation {
    /// Where the state of the last frame goes.
    pub input: Buffer,
    /// The set of buffers that holds the next state.
    pub set: Set,
    /// Which of the set.
    pub index: u32,
    /// The simulation.
    pub simulation: Box<dyn Simulation>,
}
