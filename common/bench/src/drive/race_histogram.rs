//! Race histograms: how often pixels differed over all samples of a run, counted on the device in bins.

use anyhow::Result;
use record::RaceMap;
use vulkan::cmd::CommandBuffer;
use vulkan::handles::{Buffer, Kernel};
use vulkan::memory::Place;

use crate::element::Element;
use crate::lab::{Check, Lab};

/// Maximum number of bins per side; a picture shows no more detail.
const MOST_BINS: u32 = 128;

/// The race maps of all checked variants.
pub(super) struct RaceHistograms {
    pub(super) kernel: Kernel,
    of: Vec<Option<Counting>>,
}

/// Width and height of a checked image with one-word texels; `None` for other results, which have no map.
fn plane(check: &Check) -> Option<[u32; 2]> {
    let [width, height, _] = check.shape.filter(|shape| !shape.volume)?.sides;
    (check.element == Element::exact(4)).then_some([width, height])
}

struct Counting {
    size: [u32; 2],
    bins: [u32; 2],
    buffer: Buffer,
    /// Made with the map, so that sampling allocates no memory.
    readback: Buffer,
    trials: u64,
}

impl RaceHistograms {
    /// One map per variant, of the result that [`Session::pictured`](super::session::Session::pictured) selects.
    pub fn new(lab: &Lab, checks: &[Option<&Check>]) -> Result<Self> {
        let counting = |check: &Option<&Check>| {
            let Some(size) = check.and_then(plane) else { return Ok(None) };
            let bins = size.map(|side| side.min(MOST_BINS));
            let bytes = 4 * u64::from(bins[0]) * u64::from(bins[1]);
            let buffer = lab.gpu.buffer("map of races", bytes, Place::Device)?;
            let readback = lab.gpu.buffer("map of races (CPU)", bytes, Place::Readback)?;
            Ok(Some(Counting { size, bins, buffer, readback, trials: 0 }))
        };
        let kernel = lab.kernel("lab/map.comp").draft()?;
        let mut maps = Self { kernel, of: checks.iter().map(counting).collect::<Result<_>>()? };
        maps.clear(lab)?;
        Ok(maps)
    }

    /// Resets the counts.
    pub fn clear(&mut self, lab: &Lab) -> Result<()> {
        for map in self.of.iter_mut().flatten() {
            lab.gpu.run_once("clearing a map", |cmd| {
                cmd.full_barrier();
                cmd.fill_buffer(map.buffer, 0);
            })?;
            map.trials = 0;
        }
        Ok(())
    }

    /// Adds the texels of `actual` that differ from `expected`.
    pub fn record(&self, cmd: &CommandBuffer<'_>, variant: usize, expected: Buffer, actual: Buffer) {
        let Some(map) = &self.of[variant] else { return };
        let groups = (map.size[0] * map.size[1]).div_ceil(128).min(4096);
        let push = [map.size[0], map.size[1], map.bins[0], map.bins[1]];
        cmd.dispatch(self.kernel, &[expected, actual, map.buffer], &push, [groups, 1, 1]);
    }

    /// Counts the repetitions of a sample.
    pub fn count(&mut self, variant: usize, repetitions: u32) {
        if let Some(map) = &mut self.of[variant] {
            map.trials += u64::from(repetitions);
        }
    }

    /// Reads the maps of the variants that have samples.
    pub fn read(&self, lab: &Lab) -> Result<Vec<RaceMap>> {
        let mut maps = Vec::new();
        for (counting, variant) in self.of.iter().zip(&lab.variants) {
            let Some(map) = counting.as_ref().filter(|map| map.trials > 0) else { continue };
            let bytes = 4 * u64::from(map.bins[0]) * u64::from(map.bins[1]);
            lab.gpu.run_once("reading a map", |cmd| {
                cmd.full_barrier();
                cmd.copy_buffer(map.buffer, map.readback, bytes);
                cmd.host_barrier();
            })?;
            let counts = lab.gpu.read(map.readback)?;
            let Counting { size, bins, trials, .. } = *map;
            maps.push(RaceMap { variant: variant.name.clone(), size, bins, counts, trials });
        }
        Ok(maps)
    }
}
