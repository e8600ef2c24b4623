//! Kernels of `drain_fill` that differ in their waves: waves that loop over tiles, regular and irregular loops,
//! and empty waves.

use std::cell::LazyCell;
use std::rc::Rc;

use anyhow::Result;
use common::{Binding, Buffer, BufferSet, Buffers, Kernel, KernelBuilder, Lab};

use super::kernel;
use crate::counts;
use crate::reference::{self, UNWRITTEN};
use crate::sizes::Work;

/// Number of constants per tile.
const TILE_CONSTANTS: u32 = 8;

/// All items in tiles of a workgroup's size, and a short kernel that processes them.
#[derive(Clone, Copy, Debug)]
pub struct Tiles {
    inputs: [Binding; 2],
    results: Buffers,
    /// Kernel that loads the constants once.
    pub keeps: Kernel,
    /// Kernel that loads them again for each tile.
    pub loads_anew: Kernel,
    /// Number of tiles.
    pub count: u32,
    items: u32,
}

impl Tiles {
    /// Allocates the buffers and declares the expected result.
    ///
    /// # Errors
    /// The device's memory is too small.
    pub fn new(lab: &mut Lab, work: Work) -> Result<Self> {
        let items = work.items;
        let multipliers = || reference::multipliers(TILE_CONSTANTS);
        let results = lab.output("results of tiles", BufferSet::new(1, items, UNWRITTEN))?;
        lab.expect(results, 0, move || reference::multiplied(items, &multipliers()));
        // The index of the first constant, then one vector per constant.
        let words = move || [1].into_iter().chain(multipliers()).flat_map(|word| [word, 0, 0, 0]).collect();
        let constants = lab.input_buffer("constants of tiles", words).uniform();
        let values = lab.input_buffer("items of tiles", move || reference::begun(items)).into();
        let kernel = || kernel(lab, work, "tiles").constant("CONSTANTS", TILE_CONSTANTS);
        Ok(Self {
            inputs: [constants, values],
            results,
            keeps: kernel().build(),
            loads_anew: kernel().define("LOADED_ANEW").build(),
            count: work.workgroups(items),
            items,
        })
    }

    /// The bindings of a repetition.
    pub fn bindings(&self, repetition: u32) -> [Binding; 3] {
        let [constants, values] = self.inputs;
        [constants, values, self.results.get(repetition, 0).into()]
    }

    /// Push constants for a dispatch of `workgroups` workgroups.
    pub fn push(&self, workgroups: u32) -> [u32; 4] {
        [self.items, self.count, workgroups, 0]
    }
}

/// Regular and irregular work with the same total number of steps.
#[derive(Clone, Copy, Debug)]
pub struct Loops {
    /// Steps per item: regular, irregular.
    pub counts: [Buffer; 2],
    /// Results of regular and irregular work.
    pub results: [Buffers; 2],
}

impl Loops {
    /// Draws the steps, allocates the buffers and declares the expected results.
    ///
    /// # Errors
    /// The device's memory is too small.
    pub fn new(lab: &mut Lab, work: Work) -> Result<Self> {
        let drawn = Rc::new(LazyCell::new(move || counts::drawn(work.items, work.steps)));
        let mut one = |kind: usize, name: &str| -> Result<(Buffer, Buffers)> {
            let results =
                lab.output(&format!("results of {name} work"), BufferSet::new(1, work.items, UNWRITTEN))?;
            let steps = Rc::clone(&drawn);
            lab.expect(results, 0, move || reference::counted(&steps[kind]));
            let counts = Rc::clone(&drawn);
            Ok((lab.input_buffer(&format!("{name} counts"), move || counts[kind].clone()), results))
        };
        let both = [one(0, "regular")?, one(1, "irregular")?];
        let caption = "steps of an item of irregular work: the brighter the more, from 1 to the most";
        let results = both.map(|(_, results)| results);
        lab.report
            .show(results[1], 0, work.size.sides(), caption, move |words| counts::painted(&drawn[1], words));
        Ok(Self { counts: both.map(|(counts, _)| counts), results })
    }
}

/// The buffer of the launch test: each of `waves` waves writes one word to show that it ran.
///
/// # Errors
/// The device's memory is too small.
pub fn started(lab: &mut Lab, waves: u32) -> Result<Buffers> {
    let started = lab.output("waves that started", BufferSet::new(1, waves, UNWRITTEN))?;
    lab.expect(started, 0, move || reference::begun(waves));
    Ok(started)
}

/// A kernel in workgroups of `waves` waves.
pub fn in_waves<'l>(lab: &'l Lab, work: Work, name: &str, waves: u32) -> KernelBuilder<'l> {
    kernel(lab, work, name).workgroup([waves * work.wave, 1, 1])
}
