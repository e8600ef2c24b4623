//! The kernels of the chain on buffers.

use std::cell::LazyCell;
use std::rc::Rc;

use common::record::DeviceFacts;
use common::record::trace::Parts;
use common::{Extent, KernelBuilder, Lab, Set, Workgroup, sliced};
use samples::chain::{self, MULTIPLIER};
use samples::library::{Task, Words};
use samples::waits::{self, FLAG_STRIDE, with_timeout};

use crate::grid::Tiling;

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

    /// The chain as a task for a program of another API.
    pub fn task(self) -> Task {
        let Self { size: Extent { width, height }, passes, radius } = self;
        let seed: Words = Box::new(move || self.in_vectors(&chain::seed(self.size)));
        Task {
            arguments: [width, height, passes, radius].map(|number| number.to_string()).to_vec(),
            inputs: vec![("seed", seed)],
            words: self.texels(),
        }
    }

    fn in_vectors(self, texels: &[u32]) -> Vec<u32> {
        let (width, padded) = (self.size.width as usize, 4 * self.vectors() as usize);
        let mut vectors = Vec::with_capacity(self.texels() as usize);
        for row in texels.chunks_exact(width) {
            vectors.extend_from_slice(row);
            vectors.resize(vectors.len() + padded - width, row[width - 1]);
        }
        vectors
    }

    /// Puts the first halves of all vectors of a row before the second halves.
    fn in_halves(self, mut vectors: Vec<u32>) -> Vec<u32> {
        let half = 2 * self.vectors() as usize;
        for row in vectors.chunks_exact_mut(2 * half) {
            for (at, vector) in row.to_vec().chunks_exact(4).enumerate() {
                row[2 * at..][..2].copy_from_slice(&vector[..2]);
                row[half + 2 * at..][..2].copy_from_slice(&vector[2..]);
            }
        }
        vectors
    }

    /// Declares what sets of generations hold before and after the passes; `tagged` holds it in halves.
    pub fn expect(self, lab: &mut Lab, sets: [Set; 2], tagged: Set) {
        let Self { size, passes, radius } = self;
        // Computed once for all sets.
        let first = Rc::new(LazyCell::new(move || self.in_vectors(&chain::seed(size))));
        let last = Rc::new(LazyCell::new(move || self.in_vectors(&chain::reference(size, radius, passes))));
        for set in sets {
            let (first, last) = (Rc::clone(&first), Rc::clone(&last));
            lab.seed(set, 0, move || first.to_vec());
            lab.expect(set, passes, move || last.to_vec());
        }
        lab.seed(tagged, 0, move || self.in_halves(first.to_vec()));
        lab.expect(tagged, passes, move || self.in_halves(last.to_vec()));
    }

    /// The kernel of a dispatch per pass, or per several fused passes.
    pub fn pass(self, lab: &Lab, tiling: Tiling) -> KernelBuilder<'_> {
        self.tiled(lab.kernel("tiles_in_one_dispatch/pass.comp"), tiling).shared_bytes(tiling.shared_bytes())
    }

    fn tiled(self, kernel: KernelBuilder<'_>, tiling: Tiling) -> KernelBuilder<'_> {
        let [width, height, _] = tiling.workgroup.invocations();
        let kernel = kernel.constants([
            ("ROWS", tiling.workgroup.rows),
            ("DEPTH", tiling.depth),
            ("RADIUS", self.radius),
            ("VECTORS", self.vectors()),
            ("LAST_TEXELS", self.size.width - 4 * (self.vectors() - 1)),
            ("HEIGHT", self.size.height),
            ("MULTIPLIER", MULTIPLIER),
        ]);
        if tiling.is_fused() {
            kernel
                .define("FUSED")
                .constant("WIDTH", width)
                .workgroup([width * height, 1, 1])
                .whole_subgroups()
        } else {
            kernel.workgroup([width, height, 1])
        }
    }
}

/// Why kernels whose tiles wait or are fused cannot run on a device; `None` if they can.
pub fn lacking_subgroups(facts: &DeviceFacts) -> Option<String> {
    let lacks = !(facts.ballot && facts.shuffle);
    lacks.then(|| format!("{} has no ballots or no shuffles in compute shaders", facts.name))
}

/// Multiprocessors of the device: about half of an H200's where it does not tell.
pub fn multiprocessors(facts: &DeviceFacts) -> u32 {
    facts.multiprocessors.map_or(64, |all| all.count.max(1))
}

/// Texels of an image for each multiprocessor.
pub fn texels_per_multiprocessor(facts: &DeviceFacts, size: Extent) -> u32 {
    size.width * size.height / multiprocessors(facts)
}

/// Workgroups for tiles of one pass, in a dispatch of their own and where tiles wait for each other: the fastest of 20 on an
/// H200. More rows per invocation pay off for large radii and large images.
pub fn workgroups_for(facts: &DeviceFacts, chain: Chain) -> [Workgroup; 2] {
    let shapes = match (texels_per_multiprocessor(facts, chain.size), chain.radius) {
        (..4096, ..=4) => [(64, 4, 2), (32, 4, 1)],
        (..4096, _) => [(32, 4, 2); 2],
        (_, 5..) => [(32, 4, 4); 2],
        (..16_384, _) => [(32, 8, 1), (32, 4, 2)],
        _ => [(32, 8, 2), (32, 4, 4)],
    };
    shapes.map(|(width, height, rows)| {
        let height = height.min(facts.max_workgroup_invocations / width).max(1);
        Workgroup { width, height, rows }
    })
}

/// Bytes of shared memory for the claimed ticket, and for the tile that the fallback finds missing.
pub const TICKET_BYTES: u64 = 16;

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
    /// Texels carry their generation, and each tile stays with its workgroup from pass to pass.
    Resident,
}

impl Form {
    /// All forms whose tiles are claimed, of which `blocked` of a hundred workgroups of one stop on purpose.
    pub fn all(blocked: u32) -> impl Iterator<Item = Self> {
        [Self::Tags, Self::TagsFallback(blocked), Self::Flags, Self::FlagsChained].into_iter()
    }

    /// Whether there is a kernel of it: the fallback needs to know which texels of a region are missing.
    pub fn can(self, tiling: Tiling) -> bool {
        tiling.is_fused() || !matches!(self, Self::TagsFallback(_))
    }

    /// Whether texels carry their generation.
    pub fn is_tagged(self) -> bool {
        matches!(self, Self::Tags | Self::TagsFallback(_) | Self::Resident)
    }

    /// Why a device cannot run it; `None` if it can.
    pub fn lacking(self, facts: &DeviceFacts) -> Option<String> {
        waits::lacking(facts, self == Self::FlagsChained).or_else(|| lacking_subgroups(facts))
    }

    /// Name of the variant.
    pub fn name(self) -> &'static str {
        match self {
            Self::Tags => "tags",
            Self::TagsFallback(_) => "tags_fallback",
            Self::Flags => "flags",
            Self::FlagsChained => "flags_chained",
            Self::Resident => "resident",
        }
    }

    /// The kernel of all passes in one dispatch.
    pub fn kernel<'l>(self, lab: &'l Lab, chain: Chain, tiling: Tiling) -> KernelBuilder<'l> {
        let words = lab.device().atomics64.then_some("WORDS_64");
        let (file, module) = match self {
            Self::Tags => ("tags", words),
            Self::TagsFallback(_) => ("tags_fallback", words),
            Self::Flags => ("flags", None),
            Self::FlagsChained => ("flags", Some("CHAINED")),
            Self::Resident => ("resident", words),
        };
        let kernel = lab.kernel(&format!("tiles_in_one_dispatch/{file}.comp"));
        let kernel = module.into_iter().fold(kernel, KernelBuilder::define);
        let [columns, lines] = tiling.grid();
        let generation = sliced(&[chain.texels()]).last().map_or(0, |&words| words / 4);
        let kernel = chain.tiled(with_timeout(kernel, lab), tiling);
        let kernel = kernel.shared_bytes(tiling.shared_bytes() + TICKET_BYTES);
        let kernel = kernel.constants([
            ("COLUMNS", columns),
            ("LINES", lines),
            ("TILES", tiling.tiles()),
            ("GENERATION", u32::try_from(generation).unwrap_or(u32::MAX)),
        ]);
        let parts = self.parts(chain, tiling);
        match self {
            Self::Tags | Self::Resident => kernel.parts(parts),
            Self::TagsFallback(blocked) => kernel.constant("BLOCKED", blocked),
            Self::Flags | Self::FlagsChained => kernel.constant("FLAG_STRIDE", FLAG_STRIDE).parts(parts),
        }
    }

    /// The parts of the kernel for the trace.
    fn parts(self, chain: Chain, tiling: Tiling) -> Parts {
        let (stretches, waits): (&[&str], usize) = match self {
            Self::Tags => (&["claim", "wait and load", "compute and store"], 2),
            Self::Resident => (&["begin", "wait and load", "compute and store"], 2),
            _ => (&["claim and wait", "load", "compute and store", "release and signal"], 1),
        };
        let count = chain.passes / tiling.depth;
        Parts { part: "pass", count, in_a_row: true, unit: "tile", units: tiling.tiles(), stretches, waits }
    }
}
