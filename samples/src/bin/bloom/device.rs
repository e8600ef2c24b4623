//! The images of a bloom on the device, and the kernels of its passes with one dispatch each.

use std::cell::LazyCell;
use std::rc::Rc;

use anyhow::{Result, ensure};
use common::{
    Binding, Buffer, BufferSet, Buffers, Cmd, Extent, Format, Kernel, KernelBuilder, Lab, Rep, Workgroup,
};
use samples::load::Load;
use samples::tile_flags::{Access, Form};

use crate::pyramid::{KINDS, Pass, Source, passes, steps};
use crate::reference::{BRIGHTEST, THRESHOLD, planes, scene, weights};

/// Initial word; no pass stores it, because [`BRIGHTEST`] is less.
const UNWRITTEN: u32 = u32::MAX;
/// Format of the sampled views.
const FORMAT: Format = Format::R16G16B16A16_UINT;

/// The scene, the passes, and the output of each pass.
#[derive(Clone, Debug)]
pub struct Bloom {
    /// Size of the scene.
    pub size: Extent,
    /// Radius of a blur.
    pub radius: u32,
    /// The passes in the order of recording.
    pub passes: Rc<[Pass]>,
    /// The passes in steps without dependencies inside a step.
    pub steps: Rc<[Vec<usize>]>,
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
        let last = u32::try_from(passes.len() - 1)?;
        lab.report.show(
            planes,
            last,
            size.sides(),
            "the scene with its bloom, an eighth of it white",
            |words| {
                let shown = |channel: u32| u8::try_from(channel >> 5).unwrap_or(u8::MAX);
                words.chunks_exact(2).map(|t| [t[0] & 0xFFFF, t[0] >> 16, t[1] & 0xFFFF].map(shown)).collect()
            },
        );
        let steps = steps(&passes).into();
        Ok(Self { size, radius, passes: passes.into(), steps, scene, planes })
    }

    /// Declares the expected output of each pass.
    pub fn expect(&self, lab: &mut Lab) {
        let Self { size, radius, .. } = *self;
        let passes = Rc::clone(&self.passes);
        let all = Rc::new(LazyCell::new(move || planes(size, &passes, radius)));
        for (at, _) in (0..).zip(&*self.passes) {
            let all = Rc::clone(&all);
            lab.expect(self.planes, at, move || all[at as usize].clone());
        }
    }

    fn buffer(&self, source: Source, repetition: u32) -> Buffer {
        match source {
            Source::Scene => self.scene,
            Source::Pass(pass) => self.plane(pass, repetition),
        }
    }

    fn plane(&self, pass: usize, repetition: u32) -> Buffer {
        self.planes.get(repetition, u32::try_from(pass).unwrap_or(u32::MAX))
    }
}

/// Number of words that each pass stores.
pub(super) fn plane_words(passes: &[Pass]) -> Vec<u32> {
    passes.iter().map(|pass| 2 * pass.size.width * pass.size.height).collect()
}

/// The kernels of all kinds of passes in one workgroup shape, and their bindings.
#[derive(Clone, Debug)]
pub struct Kernels {
    load: Load,
    workgroup: Workgroup,
    /// The kernels, in the order of [`KINDS`].
    kernels: [Kernel; KINDS.len()],
    /// Sampled views of the scene, then of each pass in each repetition.
    views: Vec<Binding>,
}

impl Kernels {
    /// Kernels for the passes of a bloom.
    pub fn new(lab: &mut Lab, bloom: &Bloom, load: Load, workgroup: Workgroup) -> Self {
        let kernels = KINDS.map(|kind| {
            let kernel = cut(lab.kernel("bloom/pass.comp"), workgroup, bloom.radius);
            let kernel = match load {
                Load::Stored => kernel,
                Load::Sampled => kernel.define("SAMPLED"),
                Load::Staged => kernel.define("STAGED").shared_bytes(staged_bytes(workgroup, bloom.radius)),
            };
            kernel.constant("KIND", kind as u32).build()
        });
        let mut views = Vec::new();
        if load == Load::Sampled {
            views.push(lab.texel_buffer(bloom.scene, FORMAT));
            for repetition in 0..bloom.planes.repetitions() {
                for pass in 0..bloom.passes.len() {
                    views.push(lab.texel_buffer(bloom.plane(pass, repetition), FORMAT));
                }
            }
        }
        Self { load, workgroup, kernels, views }
    }

    /// Records the dispatch of a pass.
    pub fn dispatch(&self, cmd: &Cmd, bloom: &Bloom, rep: Rep, pass: usize) {
        let of = bloom.passes[pass];
        let read = |source: Source| match (self.load, source) {
            (Load::Sampled, Source::Scene) => self.views[0],
            (Load::Sampled, Source::Pass(pass)) => {
                self.views[1 + rep.index as usize * bloom.passes.len() + pass]
            }
            _ => bloom.buffer(source, rep.index).into(),
        };
        // A pass without a second input binds the first one twice, because Vulkan requires a binding.
        let bindings =
            [read(of.from), read(of.beside.unwrap_or(of.from)), bloom.plane(pass, rep.index).into()];
        let [width, height] = self.workgroup.tile();
        let groups = [of.size.width.div_ceil(width), of.size.height.div_ceil(height), 1];
        let sizes = [of.size, of.from_size].map(|size| [size.width, size.height]);
        cmd.dispatch(self.kernels[of.kind as usize], &bindings, &sizes, groups);
    }
}

/// Sets a kernel's tile shape and the constants of the bloom.
pub(super) fn cut(kernel: KernelBuilder<'_>, workgroup: Workgroup, radius: u32) -> KernelBuilder<'_> {
    samples::tile_flags::cut(kernel, workgroup, radius)
        .constant("MIDDLE", weights(radius)[0])
        .constant("THRESHOLD", THRESHOLD.into())
        .constant("BRIGHTEST", BRIGHTEST.into())
}

/// Bytes of shared memory for a tile and its border.
pub(super) fn staged_bytes(workgroup: Workgroup, radius: u32) -> u64 {
    let [width, height] = workgroup.tile().map(u64::from);
    let reach = 2 * u64::from(radius);
    let below = (width.div_ceil(2) + 2) * (height.div_ceil(2) + 2);
    8 * ((width + reach) * height).max(width * (height + reach)).max(below)
}

/// The forms that a bloom has.
pub fn forms() -> impl Iterator<Item = Form> {
    Form::all().filter(|form| matches!(form.access, Access::Coherent | Access::Chained) && !form.staged)
}
