//! The images of a bloom on the device.

use std::cell::LazyCell;
use std::rc::Rc;

use anyhow::{Result, ensure};
use common::{Buffer, BufferSet, Buffers, Extent, Lab};

use crate::pyramid::{Input, Pass, passes, steps};
use crate::reference::scene;

/// Initial word. No pass stores it, because no channel exceeds `reference::BRIGHTEST`.
pub const UNWRITTEN: u32 = u32::MAX;

/// What each pass is to store, computed once and only if something is checked.
type Expected = Rc<LazyCell<Vec<Vec<u32>>, Box<dyn FnOnce() -> Vec<Vec<u32>>>>>;

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
    expected: Expected,
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
        let (steps, passes): (_, Rc<[Pass]>) = (steps(&passes).into(), passes.into());
        let of = Rc::clone(&passes);
        let expected =
            Rc::new(LazyCell::new(Box::new(move || crate::reference::planes(size, &of, radius)) as Box<_>));
        let bloom = Self { size, radius, passes, count, steps, scene, planes, expected };
        (0..count).for_each(|pass| bloom.expect(lab, planes, pass, pass));
        Ok(bloom)
    }

    /// Declares that a buffer of a set is to hold what a pass stores.
    pub fn expect(&self, lab: &mut Lab, buffers: Buffers, index: u32, pass: u32) {
        let expected = Rc::clone(&self.expected);
        lab.expect(buffers, index, move || expected[pass as usize].clone());
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
