//! The kernels of the chain on buffers.

use common::record::DeviceFacts;
use common::record::trace::Parts;
use common::{Extent, KernelBuilder, Lab, Set, Workgroup, sliced};
use samples::chain::{self, MULTIPLIER};
use samples::waits::with_timeout;

use crate::grid::Region;

/// What all kernels compute.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Chain {
    /// Size of the image.
    pub size: Extent,
    /// Number of passes.
    pub passes: u32,
    /// How far a texel's neighbours reach.
    pub radius: u32,
}

impl Chain {
    /// Vectors of four texels in a row.
    pub fn vectors(self) -> u32 {
        self.size.width.div_ceil(4)
    }

    /// Number of texels in memory: the last vector of a row repeats its last texel.
    pub fn texels(self) -> u32 {
        4 * self.vectors() * self.size.height
    }

    fn in_vectors(self, texels: &[u32]) -> Vec<u32> {
        let (width, padded) = (self.size.width as usize, 4 * self.vectors() as usize);
        let rows = texels.chunks_exact(width);
        rows.flat_map(|row| (0..padded).map(move |x| row[x.min(width - 1)])).collect()
    }

    /// Declares what a set of generations holds before and after the passes.
    pub fn expect(self, lab: &mut Lab, generations: impl Into<Set>) {
        let (Self { size, passes, radius }, generations) = (self, generations.into());
        lab.seed(generations, 0, move || self.in_vectors(&chain::seed(size)));
        lab.expect(generations, passes, move || self.in_vectors(&chain::reference(size, radius, passes)));
    }

    /// The kernel of one pass in a dispatch of its own, on buffers or on images.
    pub fn pass(self, lab: &Lab, workgroup: Workgroup, of_images: bool) -> KernelBuilder<'_> {
        let kernel = self.shaped(lab.kernel("tiles_in_one_dispatch/pass.comp"), workgroup);
        if of_images { kernel.define("IMAGES") } else { kernel }
    }

    /// The kernel of several fused passes per dispatch.
    pub fn fused(self, lab: &Lab, region: Region) -> KernelBuilder<'_> {
        self.tiled(lab.kernel("tiles_in_one_dispatch/fused.comp"), region)
    }

    fn shaped(self, kernel: KernelBuilder<'_>, workgroup: Workgroup) -> KernelBuilder<'_> {
        kernel.workgroup(workgroup.invocations()).constants([
            ("ROWS", workgroup.rows),
            ("RADIUS", self.radius),
            ("VECTORS", self.vectors()),
            ("LAST_TEXELS", self.size.width - 4 * (self.vectors() - 1)),
            ("HEIGHT", self.size.height),
            ("MULTIPLIER", MULTIPLIER),
        ])
    }

    fn tiled(self, kernel: KernelBuilder<'_>, region: Region) -> KernelBuilder<'_> {
        self.shaped(kernel, region.workgroup)
            .constants([("DEPTH", region.depth), ("COPIES", region.copies)])
            .shared_bytes(region.shared_bytes())
    }
}

/// Whether a multiprocessor has fewer texels than a few tiles.
pub fn is_small(facts: &DeviceFacts, size: Extent) -> bool {
    // What an H200 has half of, for devices that do not tell.
    let multiprocessors = facts.multiprocessors.map_or(64, |all| all.count.max(1));
    size.width * size.height / multiprocessors < 4096
}

/// A workgroup for a pass in its own dispatch, as was the fastest of 20 on an H200: more rows per invocation where the
/// device has many of them to run.
pub fn workgroup_for(facts: &DeviceFacts, size: Extent) -> Workgroup {
    let multiprocessors = facts.multiprocessors.map_or(64, |all| all.count.max(1));
    let rows = if size.width * size.height / multiprocessors < 16_384 { 1 } else { 2 };
    Workgroup { width: 32, height: 8.min(facts.max_workgroup_invocations / 32), rows }
}

/// How a tile knows that what it loads has been stored.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    /// Texels carry their generation.
    Tags,
    /// The same, and a workgroup that has waited in vain computes what it waits for; so many of a hundred workgroups stop
    /// on purpose.
    TagsFallback(u32),
    /// Each tile has a flag; accesses go past the caches of a multiprocessor.
    Flags,
    /// Each tile has a flag; accesses are cached, and acquire and release carry them.
    FlagsChained,
}

impl Form {
    /// All forms, of which `blocked` of a hundred workgroups of one stop on purpose.
    pub fn all(blocked: u32) -> [Self; 4] {
        [Self::Tags, Self::TagsFallback(blocked), Self::Flags, Self::FlagsChained]
    }

    /// Name of the variant.
    pub fn name(self) -> &'static str {
        match self {
            Self::Tags => "tags",
            Self::TagsFallback(_) => "tags_fallback",
            Self::Flags => "flags",
            Self::FlagsChained => "flags_chained",
        }
    }

    /// The kernel of all passes in one dispatch.
    pub fn kernel<'l>(self, lab: &'l Lab, chain: Chain, region: Region) -> KernelBuilder<'l> {
        let words = lab.device().atomics64.then_some("WORDS_64");
        let (file, module) = match self {
            Self::Tags => ("tags", words),
            Self::TagsFallback(_) => ("tags_fallback", words),
            Self::Flags => ("flags", None),
            Self::FlagsChained => ("flags", Some("CHAINED")),
        };
        let kernel = lab.kernel(&format!("tiles_in_one_dispatch/{file}.comp"));
        let kernel = module.into_iter().fold(kernel, KernelBuilder::define);
        let [columns, lines] = region.grid();
        let generation = sliced(&[chain.texels()]).last().map_or(0, |&words| words / 4);
        let kernel = chain.tiled(with_timeout(kernel, lab), region).shared_bytes(region.shared_bytes() + 16);
        let kernel = kernel.constants([
            ("COLUMNS", columns),
            ("LINES", lines),
            ("TILES", region.tiles()),
            ("GENERATION", u32::try_from(generation).unwrap_or(u32::MAX)),
        ]);
        match self {
            Self::TagsFallback(blocked) => kernel.constant("BLOCKED", blocked),
            _ => kernel.parts(self.parts(chain, region)),
        }
    }

    /// The parts of the kernel for the trace.
    fn parts(self, chain: Chain, region: Region) -> Parts {
        let (stretches, waits): (&[&str], usize) = match self {
            Self::Tags => (&["claim", "wait and load", "compute and store"], 2),
            _ => (&["claim and wait", "load", "compute and store", "release and signal"], 1),
        };
        let count = chain.passes / region.depth;
        Parts { part: "pass", count, in_a_row: true, unit: "tile", units: region.tiles(), stretches, waits }
    }
}
