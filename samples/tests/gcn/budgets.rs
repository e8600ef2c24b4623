//! What the samples promise of their kernels on GCN and RDNA.

use anyhow::{Context, Result, ensure};
use common::isa::{CodeReport, Compiled, Counts, Unit};
use libtest_mimic::Trial;

use crate::support::trial;
use crate::{CHIPS, report};

pub fn trials() -> Vec<Trial> {
    vec![
        trial("pipelined_events::cross", cross),
        trial("semi_persistent_waves::operations_a_tile", operations_a_tile),
        trial("semi_persistent_waves::other_radii", other_radii),
        trial("group_physics::two_groups_a_unit", two_groups_a_unit),
    ]
}

/// The one kernel of a variant, and its instructions.
fn only<'r>(report: &'r CodeReport, chip: &str, variant: &str) -> Result<(&'r Compiled, Counts)> {
    let outcomes = report.of(chip, variant);
    ensure!(outcomes.len() == 1, "{variant} has {} kernels on {chip}", outcomes.len());
    let compiled = outcomes[0].compiled().with_context(|| format!("{:?}", outcomes[0]))?;
    Ok((compiled, compiled.counts.context("no code")?))
}

/// Of a cross, the centre and each texel of four arms is loaded once, and one texel stored: the
/// specialisation constant for the radius has reached the compiler, and unrolled the loop.
fn cross() -> Result<()> {
    for radius in [1, 2, 5] {
        let report =
            report("pipelined_events", &format!("--radius {radius} --variant no_barrier,execution_only"))?;
        for (chip, variant) in
            CHIPS.iter().flat_map(|chip| ["no_barrier", "execution_only"].map(|v| (chip, v)))
        {
            let (compiled, counts) = only(&report, chip, variant)?;
            let found = (counts.vmem_loads, counts.vmem_stores, counts.lds, counts.barriers);
            ensure!(found == (4 * radius + 1, 1, 0, 0), "{variant}, radius {radius} on {chip}: {counts:?}");
            ensure!((1..=64).contains(&compiled.vgprs) && compiled.code_bytes > 100, "{compiled:?}");
        }
        let kernels = |variant: &str| {
            report.variants.iter().find(|known| known.variant == variant).map(|known| known.kernels.clone())
        };
        ensure!(kernels("no_barrier") != kernels("execution_only"), "two kernels are taken for one");
    }
    Ok(())
}

/// The talk's figures for a blur of radius 4 (Lottes 2018): loads and stores of a wave over its tiles.
fn operations_a_tile() -> Result<()> {
    let report = blur(4)?;
    for (variant, tiles, published) in
        [("linear_8x8", 1, 10.0), ("unroll_2", 2, 9.5), ("unroll_4", 4, 9.25), ("unroll_8", 8, 9.125)]
    {
        for chip in CHIPS {
            let operations = f64::from(u32::try_from(operations(&report, chip, variant)?)?);
            ensure!(
                operations / f64::from(tiles) == published,
                "{variant} on {chip}: {operations} in {tiles} tiles instead of {published} a tile"
            );
        }
    }
    Ok(())
}

/// A tile after the first costs as many loads as texels come into reach, and a store.
fn other_radii() -> Result<()> {
    for radius in [1, 2, 9] {
        let report = blur(radius)?;
        let (first, further) = (2 * radius + 1, (2 * radius + 1).min(8));
        for (variant, tiles) in
            [("linear_8x8", 1), ("unroll_2", 2), ("unroll_8", 8), ("unroll_8_vertical", 8)]
        {
            let expected = first + (tiles - 1) * further + tiles;
            for chip in CHIPS {
                let operations = operations(&report, chip, variant)?;
                ensure!(
                    operations == expected,
                    "{variant}, radius {radius} on {chip}: {operations}, not {expected}"
                );
            }
        }
    }
    Ok(())
}

/// The blur with tiles for GCN's waves.
fn blur(radius: u64) -> Result<CodeReport> {
    report("semi_persistent_waves", &format!("--tile-lanes 64 --radius {radius}"))
}

/// Loads and stores that the one kernel of a variant makes.
fn operations(report: &CodeReport, chip: &str, variant: &str) -> Result<u64> {
    let (_, counts) = only(report, chip, variant)?;
    // In a loop they would run more often than they stand in the code.
    ensure!(counts.backward_branches == 0, "{variant} has a loop on {chip}");
    Ok(counts.vmem_loads + counts.vmem_stores)
}

/// The article's claim (Aaltonen 2017): of groups of 1024, two fit a compute unit at 32 registers and
/// 32 KiB, and one at what the same work takes without care. RDNA's processors have two units each.
fn two_groups_a_unit() -> Result<()> {
    let report = report("group_physics", "--variant group_1024_lean,group_1024_fat")?;
    for chip in CHIPS {
        let (lean, _) = only(&report, chip, "group_1024_lean")?;
        ensure!(lean.vgprs <= 32 && lean.lds_bytes <= 32 * 1024, "lean on {chip}: {lean:?}");
        ensure!(groups_a_unit(lean)? == 2, "lean on {chip}: {lean:?}");
        let (fat, _) = only(&report, chip, "group_1024_fat")?;
        ensure!(fat.vgprs > 32 && groups_a_unit(fat)? == 1, "fat on {chip}: {fat:?}");
    }
    Ok(())
}

fn groups_a_unit(compiled: &Compiled) -> Result<u32> {
    let occupancy = compiled.occupancy.as_ref().context("no occupancy")?;
    let units = if occupancy.unit == Unit::Wgp { 2 } else { 1 };
    Ok(occupancy.groups / units)
}
