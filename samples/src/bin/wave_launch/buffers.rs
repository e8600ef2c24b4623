//! Buffers and kernels of empty waves, tiles and probes.

use std::cell::LazyCell;
use std::rc::Rc;

use anyhow::Result;
use common::{Binding, Buffer, BufferSet, Buffers, Extent, Kernel, Lab};
use samples::steps::{LANES, UNWRITTEN, begun, multiplied, multipliers};

use crate::reference::{CELLS, REGION, probed, scene};
use crate::rounds::{Lengths, painted};

/// Constants of a tile.
const CONSTANTS: u32 = 8;

/// The buffer in which each of `waves` empty waves proves that it ran.
///
/// # Errors
/// The device's memory is too small.
pub fn started(lab: &mut Lab, waves: u32) -> Result<Buffers> {
    let started = lab.output("waves that started", BufferSet::new(1, waves, UNWRITTEN))?;
    lab.expect(started, 0, move || begun(waves));
    Ok(started)
}

/// All items in tiles of a workgroup's size, and a short kernel that processes them.
#[derive(Clone, Copy, Debug)]
pub struct Tiles {
    inputs: [Binding; 2],
    results: Buffers,
    /// Kernel that loads the constants once.
    pub loads_once: Kernel,
    /// Kernel that loads them again for each tile.
    pub loads_each_tile: Kernel,
    /// Number of tiles.
    pub count: u32,
}

impl Tiles {
    /// Allocates the buffers and declares the expected result.
    ///
    /// # Errors
    /// The device's memory is too small.
    pub fn new(lab: &mut Lab, items: u32) -> Result<Self> {
        let results = lab.output("results of tiles", BufferSet::new(1, items, UNWRITTEN))?;
        lab.expect(results, 0, move || multiplied(items, &multipliers(CONSTANTS)));
        // The index of the first constant, then one vector per constant.
        let words =
            || [1].into_iter().chain(multipliers(CONSTANTS)).flat_map(|word| [word, 0, 0, 0]).collect();
        let constants = lab.input_buffer("constants of tiles", words).uniform();
        let values = lab.input_buffer("items of tiles", move || begun(items)).into();
        let kernel = |loads_each_tile: bool| {
            let kernel = lab.kernel("wave_launch/tiles.comp").workgroup([LANES, 1, 1]);
            kernel
                .constant("CONSTANTS", CONSTANTS)
                .constant("LOADS_EACH_TILE", loads_each_tile.into())
                .build()
        };
        let [loads_once, loads_each_tile] = [false, true].map(kernel);
        let count = items.div_ceil(LANES);
        Ok(Self { inputs: [constants, values], results, loads_once, loads_each_tile, count })
    }

    /// The bindings of a repetition.
    pub fn bindings(&self, repetition: u32) -> [Binding; 3] {
        let [constants, values] = self.inputs;
        [constants, values, self.results.get(repetition, 0).into()]
    }
}

/// Light probes, whose rays are of one length or of many.
#[derive(Clone, Copy, Debug)]
pub struct Probes {
    rounds: Buffer,
    scene: Buffer,
    results: Buffers,
    /// Number of probes.
    pub count: u32,
    sums: u32,
}

impl Probes {
    /// A probe per item of `size`, with `sums` sums and `mean` rounds through them on average.
    ///
    /// # Errors
    /// The device's memory is too small.
    pub fn new(
        lab: &mut Lab,
        name: &str,
        size: Extent,
        sums: u32,
        mean: u32,
        lengths: Lengths,
    ) -> Result<Self> {
        let count = size.width * size.height;
        let drawn = Rc::new(LazyCell::new(move || lengths.drawn(count, mean)));
        let of = Rc::clone(&drawn);
        let right = Rc::new(LazyCell::new(move || probed(&of, sums)));
        let results = lab.output(&format!("results of {name}"), BufferSet::new(1, count, UNWRITTEN))?;
        let expected = Rc::clone(&right);
        lab.expect(results, 0, move || expected.to_vec());
        let of = Rc::clone(&drawn);
        let rounds = lab.input_buffer(&format!("rounds of {name}"), move || of.to_vec());
        let scene = lab.input_buffer(&format!("scene of {name}"), scene);
        if lengths == Lengths::Irregular {
            let caption = "length of each probe's ray: the brighter the longer";
            let paint = move |words: &[u32]| painted(&drawn, &right, words);
            lab.report.show(results, 0, size.sides(), caption, paint);
        }
        Ok(Self { rounds, scene, results, count, sums })
    }

    /// The kernel in workgroups of this many invocations.
    pub fn kernel(&self, lab: &Lab, invocations: u32) -> Kernel {
        let kernel = lab.kernel("wave_launch/probes.comp").workgroup([invocations, 1, 1]);
        kernel.constant("SUMS", self.sums).constant("CELLS", CELLS).constant("REGION", REGION).build()
    }

    /// The bindings of a repetition.
    pub fn bindings(&self, repetition: u32) -> [Buffer; 3] {
        [self.rounds, self.scene, self.results.get(repetition, 0)]
    }
}
