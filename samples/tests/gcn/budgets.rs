//! What the samples promise of their kernels on GCN and RDNA.

use anyhow::{Context, Result, ensure};
use common::isa::{CodeReport, Compiled, Counts, Limit, Unit};
use libtest_mimic::Trial;

use crate::support::trial;
use crate::{CHIPS, report};

pub fn trials() -> Vec<Trial> {
    vec![
        trial("pipelined_events::cross", cross),
        trial("bloom::loads_of_a_texel", loads_of_a_texel),
        trial("semi_persistent_waves::operations_a_tile", operations_a_tile),
        trial("wave_launch::six_waves_a_simd", six_waves_a_simd),
        trial("group_physics::two_groups_a_unit", two_groups_a_unit),
        trial("group_physics::registers_saved", registers_saved),
        trial("sgemm::two_groups_without_spills", two_groups_without_spills),
        trial("groestl::waves_of_the_source", waves_of_the_source),
        trial("groestl::code_within_the_cache", code_within_the_cache),
        trial("registers::scalar_addresses", scalar_addresses),
        trial("registers::descriptors_in_scalars", descriptors_in_scalars),
        trial("registers::first_bit_has_no_test", first_bit_has_no_test),
        trial("registers::comparison_for_sign", comparison_for_sign),
        trial("registers::two_halves_a_register", two_halves_a_register),
        trial("registers::no_barriers_in_a_wave", no_barriers_in_a_wave),
        trial("registers::a_129th_register", a_129th_register),
        trial("registers::idle_registers", idle_registers),
        trial("registers::spills", spills),
        trial("registers::room_for_workgroups", room_for_workgroups),
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
            report("pipelined_events", &format!("--radius {radius} --variants no_barrier,execution_only"))?;
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

/// Each kind of pass loads a texel of its inputs once for each tap: the kind has reached the compiler, and what its kernel
/// does not do is gone.
fn loads_of_a_texel() -> Result<()> {
    for radius in [1, 6] {
        let report = report("bloom", &format!("--radius {radius} --variants barriers"))?;
        let taps = 2 * radius + 1;
        for chip in CHIPS {
            let loads: Option<Vec<u64>> = report
                .of(chip, "barriers")
                .iter()
                .map(|kernel| Some(kernel.compiled()?.counts?.vmem_loads))
                .collect();
            ensure!(loads == Some(vec![1, 4, taps, taps, 5, 5]), "radius {radius} on {chip}: {loads:?}");
        }
    }
    Ok(())
}

/// A tile after the first costs as many loads as texels come into reach, and a store: at radius 4 the talk's figures
/// (Lottes 2018), loads and stores of a wave over its tiles.
fn operations_a_tile() -> Result<()> {
    let published = [("linear_8x8", 10.0), ("unroll_2", 9.5), ("unroll_8", 9.125)];
    for radius in [1, 4, 9] {
        let report = report("semi_persistent_waves", &format!("--tile-lanes 64 --radius {radius}"))?;
        let (taps, from_tile_to_tile) = (2 * radius + 1, (2 * radius + 1).min(8));
        for (variant, tiles, further) in [
            ("linear_8x8", 1, 0),
            ("unroll_2", 2, from_tile_to_tile),
            ("unroll_8", 8, from_tile_to_tile),
            ("unroll_8_vertical", 8, from_tile_to_tile),
            ("slide_4_x8", 4, 1),
        ] {
            let expected = taps + (tiles - 1) * further + tiles;
            let known = published.iter().find(|(known, _)| *known == variant && radius == 4);
            let a_tile = expected as f64 / tiles as f64;
            ensure!(known.is_none_or(|(_, operations)| *operations == a_tile), "{variant}: {a_tile}");
            for chip in CHIPS {
                let (compiled, counts) = only(&report, chip, variant)?;
                // In a loop they would run more often than they stand in the code.
                let found = (counts.backward_branches, counts.vmem_loads + counts.vmem_stores);
                ensure!(
                    found == (0, expected),
                    "{variant}, radius {radius} on {chip}: {found:?}, not {expected}"
                );
                // Without a limit, nothing of the padding is left.
                ensure!((compiled.lds_bytes, counts.barriers) == (0, 0), "{variant} on {chip}: {compiled:?}");
            }
        }
    }
    Ok(())
}

/// The talk's light probes (Lottes 2018): their registers leave room for six waves on a SIMD of GCN, so that of workgroups
/// of eight waves three fit a compute unit. With few sums nothing but the number of waves limits them.
fn six_waves_a_simd() -> Result<()> {
    let report = report("wave_launch", "--wave-lanes 64 --variants probes_1,probes_8,irregular_8")?;
    for chip in ["POLARIS10", "VEGA10"] {
        for (variant, groups) in [("probes_1", 24), ("probes_8", 3)] {
            let (compiled, counts) = only(&report, chip, variant)?;
            let occupancy = compiled.occupancy.as_ref().context("no occupancy")?;
            let found = (occupancy.waves_per_simd, occupancy.groups, counts.backward_branches);
            ensure!(found == (6, groups, 1), "{variant} on {chip}: {occupancy:?}, {counts:?}");
        }
        let (few, _) = only(&report, chip, "irregular_8")?;
        ensure!(few.vgprs <= 24, "irregular_8 on {chip}: {few:?}");
    }
    Ok(())
}

/// The article's claim (Aaltonen 2017): of workgroups of 1024 threads, two fit a compute unit at 32 registers and 32 KiB,
/// and one at what the same work takes without care. RDNA's processors have two units each. Within each pair the two
/// kernels do the same to shared memory between the barriers.
fn two_groups_a_unit() -> Result<()> {
    let report = report("group_physics", "--variants group_1024_*")?;
    for chip in CHIPS {
        for prefetch in ["", "_prefetch"] {
            let (lean, work) = only(&report, chip, &format!("group_1024_lean{prefetch}"))?;
            ensure!(lean.vgprs <= 32 && lean.lds_bytes <= 32 * 1024, "lean{prefetch} on {chip}: {lean:?}");
            ensure!(groups_a_unit(lean)? == 2, "lean{prefetch} on {chip}: {lean:?}");
            let (fat, same) = only(&report, chip, &format!("group_1024_fat{prefetch}"))?;
            ensure!(fat.vgprs > 32 && groups_a_unit(fat)? == 1, "fat{prefetch} on {chip}: {fat:?}");
            let lds = |counts: Counts| (counts.lds, counts.barriers, counts.backward_branches);
            ensure!(lds(work) == lds(same), "{prefetch} on {chip}: {work:?} and {same:?}");
        }
    }
    Ok(())
}

/// Ways that the sample says save registers on GCN do: added to the fat kernel, or taken from the lean one.
fn registers_saved() -> Result<()> {
    let report = report("group_physics", "--variants *_prefetch,fat_*,lean_without_*")?;
    for chip in ["POLARIS10", "VEGA10"] {
        let vgprs = |variant: &str| Ok::<_, anyhow::Error>(only(&report, chip, variant)?.0.vgprs);
        let [fat, lean] = [vgprs("group_1024_fat_prefetch")?, vgprs("group_1024_lean_prefetch")?];
        for way in ["raw", "packed", "flags_bool", "flags_sign", "park", "reload"] {
            let added = vgprs(&format!("fat_{way}"))?;
            ensure!(added < fat, "fat_{way} on {chip}: {added} VGPRs, without it {fat}");
        }
        for way in ["raw", "no_w", "flags_sign", "reload"] {
            let taken = vgprs(&format!("lean_without_{way}"))?;
            ensure!(taken > lean, "lean_without_{way} on {chip}: {taken} VGPRs, with it {lean}");
        }
    }
    Ok(())
}

/// Hand-scheduled kernels keep all sums in registers, and room for a second workgroup that computes while the first waits.
fn two_groups_without_spills() -> Result<()> {
    let report = report("sgemm", "--size 512 --all")?;
    for chip in CHIPS {
        for (variant, most) in [
            ("tiled", 128),
            ("zigzag", 128),
            ("zigzag_16x8", 216),
            ("loops", 216),
            ("shape_8x16", 216),
            ("shape_deep", 128),
            ("shape_64x64", 128),
        ] {
            let (compiled, counts) = only(&report, chip, variant)?;
            let spilled = (compiled.spilled_vgprs, compiled.spilled_sgprs, compiled.scratch_bytes);
            ensure!(spilled == (0, 0, 0), "{variant} on {chip} spills: {compiled:?}");
            ensure!(
                compiled.vgprs <= most && groups_a_unit(compiled)? >= 2,
                "{variant} on {chip}: {compiled:?}"
            );
            ensure!(counts.backward_branches == 1, "{variant} on {chip} is not straight: {counts:?}");
        }
    }
    Ok(())
}

/// The source's order (realhet 2015): one wave per SIMD with 164 registers, two with 128 or 85, three with 84. What its author
/// thought of for 84 registers works: the state fits but for a few of them. Parking what waits in shared memory does not: it
/// takes more of that than three waves per SIMD have.
fn waves_of_the_source() -> Result<()> {
    let report = report("groestl", "--variants bits,eight_tables,one_table_768,one_table_128_parked")?;
    for chip in ["POLARIS10", "VEGA10"] {
        for (variant, vgprs, waves) in
            [("bits", 129..=256, 1), ("eight_tables", 85..=128, 2), ("one_table_768", 65..=84, 3)]
        {
            let (compiled, _) = only(&report, chip, variant)?;
            let occupancy = compiled.occupancy.as_ref().context("no occupancy")?;
            ensure!(
                vgprs.contains(&compiled.vgprs) && occupancy.waves_per_simd == waves,
                "{variant} on {chip}: {compiled:?}"
            );
            ensure!(compiled.spilled_vgprs <= 8, "{variant} on {chip}: {compiled:?}");
        }
        let (parked, _) = only(&report, chip, "one_table_128_parked")?;
        let occupancy = parked.occupancy.as_ref().context("no occupancy")?;
        ensure!(occupancy.limits == [Limit::Lds] && occupancy.waves_in_groups() < 3.0, "{chip}: {parked:?}");
    }
    Ok(())
}

/// Rounds in a loop fit the instruction cache; unrolled, they have several times its size.
fn code_within_the_cache() -> Result<()> {
    let report = report("groestl", "--variants eight_tables,eight_tables_unroll_14")?;
    for chip in CHIPS {
        let (looped, few) = only(&report, chip, "eight_tables")?;
        let (unrolled, many) = only(&report, chip, "eight_tables_unroll_14")?;
        let cache = 32 * 1024;
        ensure!(
            looped.code_bytes < cache && unrolled.code_bytes > 2 * cache,
            "{chip}: {looped:?}, {unrolled:?}"
        );
        // A round has 128 reads; 2 and 28 rounds stand in the code, beside as many writes of the tables.
        ensure!(many.lds - few.lds == 26 * 128, "{chip}: {few:?}, {many:?}");
    }
    Ok(())
}

/// Addresses from the number of the workgroup (Aaltonen 2017): scalar units compute them and load what they point to, so that
/// no vector register holds it and fewer vector instructions are left.
fn scalar_addresses() -> Result<()> {
    let report = report("registers", "--variants address_*")?;
    for chip in CHIPS {
        let (vector, usual) = only(&report, chip, "address_vector")?;
        let (scalar, trick) = only(&report, chip, "address_scalar")?;
        ensure!(scalar.vgprs + 12 <= vector.vgprs, "on {chip}: {scalar:?} and {vector:?}");
        ensure!(
            trick.valu + 20 <= usual.valu && trick.salu > usual.salu,
            "on {chip}: {trick:?} and {usual:?}"
        );
        ensure!(
            (trick.vmem_loads, usual.scalar_loads < trick.scalar_loads) == (0, true),
            "on {chip}: {trick:?} and {usual:?}"
        );
    }
    Ok(())
}

/// Descriptors take scalar registers (Aaltonen 2017), eight for an image and four for a buffer. Those of 16 images limit the
/// occupancy of GCN. RDNA has enough of them.
fn descriptors_in_scalars() -> Result<()> {
    let report = report("registers", "--variants image*,buffer*")?;
    for chip in ["POLARIS10", "VEGA10"] {
        for (many, one, each) in [("images_16", "image_1", 8), ("buffers_16", "buffer_1", 4)] {
            let [many, one] = [many, one].map(|variant| only(&report, chip, variant));
            let (many, one) = (many?.0, one?.0);
            // Some are loaded again where they are needed.
            ensure!(many.sgprs >= one.sgprs + 8 * each, "on {chip}: {many:?} and {one:?}");
        }
        let (images, _) = only(&report, chip, "images_16")?;
        let limits = &images.occupancy.as_ref().context("no occupancy")?.limits;
        ensure!(limits == &[Limit::Sgprs], "on {chip}: {limits:?}");
    }
    let (images, _) = only(&report, "NAVI21", "images_16")?;
    let limits = &images.occupancy.as_ref().context("no occupancy")?.limits;
    ensure!(!limits.contains(&Limit::Sgprs), "{limits:?}");
    Ok(())
}

/// A search for the next set bit has no test of each bit, so that a branch is gone.
fn first_bit_has_no_test() -> Result<()> {
    let report = report("registers", "--variants search_*")?;
    for chip in CHIPS {
        let (_, each_bit) = only(&report, chip, "search_loop")?;
        let (_, set_bits) = only(&report, chip, "search_first_bit")?;
        ensure!(set_bits.branches < each_bit.branches, "on {chip}: {set_bits:?} and {each_bit:?}");
    }
    Ok(())
}

/// `x < 0` takes fewer instructions than `sign(x)` (Aaltonen 2017), at least one per number.
fn comparison_for_sign() -> Result<()> {
    let report = report("registers", "--variants sign_*")?;
    for chip in CHIPS {
        let (_, function) = only(&report, chip, "sign_function")?;
        let (_, comparison) = only(&report, chip, "sign_test")?;
        ensure!(comparison.valu + 8 <= function.valu, "on {chip}: {comparison:?} and {function:?}");
    }
    Ok(())
}

/// Two 16-bit floats share a register, and an instruction compares both (Aaltonen 2017).
fn two_halves_a_register() -> Result<()> {
    let report = report("registers", "--variants median_*")?;
    for chip in ["VEGA10", "NAVI21"] {
        let (floats, usual) = only(&report, chip, "median_32")?;
        let (halves, trick) = only(&report, chip, "median_16")?;
        ensure!(3 * halves.vgprs <= 2 * floats.vgprs, "on {chip}: {halves:?} and {floats:?}");
        ensure!(3 * trick.valu <= 2 * usual.valu, "on {chip}: {trick:?} and {usual:?}");
    }
    Ok(())
}

/// A workgroup that is one wave has no barrier (Aaltonen 2017); one of several waves has.
fn no_barriers_in_a_wave() -> Result<()> {
    let report = report("registers", "--variants barriers_*")?;
    for chip in CHIPS {
        for (workgroup, has_some) in [(32, false), (64, false), (512, true), (1024, true)] {
            let (_, counts) = only(&report, chip, &format!("barriers_{workgroup}"))?;
            ensure!((counts.barriers > 0) == has_some, "{workgroup} on {chip}: {counts:?}");
        }
    }
    Ok(())
}

/// Where a kernel needs a 129th register, half as many waves fit a SIMD of GCN.
fn a_129th_register() -> Result<()> {
    let report = report("registers", "--variants live_*")?;
    for chip in ["POLARIS10", "VEGA10"] {
        let mut waves = [0; 2];
        for words in (112..=136).step_by(4) {
            let (compiled, _) = only(&report, chip, &format!("live_{words}"))?;
            let occupancy = compiled.occupancy.as_ref().context("no occupancy")?;
            let is_over = compiled.vgprs > 128;
            let expected = if is_over { 1 } else { 2 };
            ensure!(occupancy.waves_per_simd == expected, "{words} words on {chip}: {compiled:?}");
            waves[usize::from(is_over)] += 1;
        }
        ensure!(waves.iter().all(|kernels| *kernels > 0), "no step on {chip}: {waves:?}");
    }
    Ok(())
}

/// Of workgroups of 1024, one fits a unit of GCN at 40 registers, so that 37.5 % of 65,536 are idle (Aaltonen 2017), and two
/// at 32.
fn idle_registers() -> Result<()> {
    let report = report("registers", "--variants idle_*")?;
    for chip in ["POLARIS10", "VEGA10"] {
        let (fat, _) = only(&report, chip, "idle_40")?;
        ensure!(fat.vgprs > 32 && groups_a_unit(fat)? == 1, "on {chip}: {fat:?}");
        let (lean, _) = only(&report, chip, "idle_32")?;
        ensure!(lean.vgprs <= 32 && groups_a_unit(lean)? == 2, "on {chip}: {lean:?}");
    }
    // RADV takes four registers less for VEGA10.
    let (fat, _) = only(&report, "POLARIS10", "idle_40")?;
    let idle = 65_536 - 1024 * fat.vgprs;
    ensure!(idle * 1000 == 65_536 * 375, "{idle} idle: {fat:?}");
    Ok(())
}

/// Workgroups of 1024 have 64 registers on GCN. What needs more keeps words in memory, where workgroups of 512 do not.
fn spills() -> Result<()> {
    let report = report("registers", "--variants spill_*")?;
    for chip in ["POLARIS10", "VEGA10"] {
        let (large, _) = only(&report, chip, "spill_1024")?;
        ensure!(large.vgprs == 64 && large.spilled_vgprs > 16, "on {chip}: {large:?}");
        let (small, _) = only(&report, chip, "spill_512")?;
        ensure!(small.vgprs > 80 && small.spilled_vgprs == 0, "on {chip}: {small:?}");
    }
    Ok(())
}

/// The same waves fit a unit of GCN in workgroups of each size: only how many end together differs.
fn room_for_workgroups() -> Result<()> {
    let report = report("registers", "--variants release_*")?;
    for chip in ["POLARIS10", "VEGA10"] {
        for (workgroup, groups) in [(1024, 1), (512, 2), (64, 16)] {
            let (compiled, _) = only(&report, chip, &format!("release_{workgroup}"))?;
            ensure!(groups_a_unit(compiled)? == groups, "{workgroup} on {chip}: {compiled:?}");
        }
    }
    Ok(())
}

fn groups_a_unit(compiled: &Compiled) -> Result<u32> {
    let occupancy = compiled.occupancy.as_ref().context("no occupancy")?;
    let units = if occupancy.unit == Unit::Wgp { 2 } else { 1 };
    Ok(occupancy.groups / units)
}
