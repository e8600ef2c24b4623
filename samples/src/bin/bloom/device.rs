//! The images of a bloom on the device.

use std::cell::LazyCell;
use std::rc::Rc;

use anyhow::{Result, ensure};
use common::{Buffer, BufferSet, Buffers, Extent, Lab};

use crate::pyramid::{Input, Pass, passes, steps};
use crate::reference::{planes, scene};

/// Initial word. No pass stores it, because no channel exceeds `reference::BRIGHTEST`.
const UNWRITTEN: u32 = u32::MAX;

/// The scene, the passes, and the output of each pass.
#[derive(Clone, Debug)]
pub struct Bloom {
    /// Size of the scene.
    pub size: Extent,
    /// Radius of a blur.
    pub radius: u32,
    /// The passes in the order of recording.
    pub passes: Rc<[Pass]>,
    /// Number of passes.
    pub count: u32,
    /// The passes in steps without dependencies inside a step.
    pub steps: Rc<[Vec<u32>]>,
    /// The scene, two words per texel.
    pub scene: Buffer,
    /// The output of each pass, two words per texel, as slices of one buffer.
    pub planes: Buffers,
}

impl Bloom {
    /// Uploads the scene and allocates the output of each pass.
    ///
    /// # Errors
    /// The scene has more texels than 32 bits can count.
    pub fn new(lab: &mut Lab, size: Extent, radius: u32) -> Result<Self> {
        let passes = passes(size);
        let words = 2 * u64::from(size.width) * u64::from(size.height);
        ensure!(
            u32::try_from(words).is_ok(),
            "a bloom of {size} has more texels than 32 bits count: use a smaller --size"
        );
        let planes = lab.output("planes", BufferSet::slices(&plane_words(&passes), UNWRITTEN))?;
        let scene = lab.input_buffer("scene", move || scene(size));
        let count = u32::try_from(passes.len())?;
        lab.report.show(
            planes,
            count - 1,
            size.sides(),
            "the scene with its bloom, an eighth of it white",
            |words| {
                let shown = |channel: u32| u8::try_from(channel >> 5).unwrap_or(u8::MAX);
                words.chunks_exact(2).map(|t| [t[0] & 0xFFFF, t[0] >> 16, t[1] & 0xFFFF].map(shown)).collect()
            },
        );
        let steps = steps(&passes).into();
        Ok(Self { size, radius, passes: passes.into(), count, steps, scene, planes })
    }

    /// Declares the expected output of each pass.
    pub fn expect(&self, lab: &mut Lab) {
        let Self { size, radius, .. } = *self;
        let passes = Rc::clone(&self.passes);
        let all = Rc::new(LazyCell::new(move || planes(size, &passes, radius)));
        for at in 0..self.count {
            let all = Rc::clone(&all);
            lab.expect(self.planes, at, move || all[at as usize].clone());
        }
    }

    /// The buffer that holds an input in this repetition.
    pub fn buffer(&self, input: Input, repetition: u32) -> Buffer {
        match input {
            Input::Scene => self.scene,
            Input::Pass(pass) => self.plane(pass, repetition),
        }
    }

    /// The output of a pass in this repetition.
    pub fn plane(&self, pass: u32, repetition: u32) -> Buffer {
        self.planes.get(repetition, pass)
    }
}

/// Number of words that each pass stores.
pub(super) fn plane_words(passes: &[Pass]) -> Vec<u32> {
    passes.iter().map(|pass| 2 * pass.size.width * pass.size.height).collect()
}
