//! Ambient occlusion with the lanes and workgroups laid over the image in different ways: what locality
//! is worth to a kernel that reads around every texel.
//!
//! ```text
//! lanes in rows      lanes in quads and tiles    a workgroup of {512,1,1} as 32x16
//!  0 1 2 3 4 5 6 7    0 2 4 6 8 …                 ┌──┬──┬──┬──┐
//!  8 9 …              1 3 5 7 9 …                 │0 │2 │4 │6 │   eight tiles of 8x8, a wave each
//! 16 …               16 18 …                      ├──┼──┼──┼──┤   share one first-level cache
//!                    17 19 …                      │1 │3 │5 │7 │
//! ```
//!
//! Expect the talk's 43 % (1.93 to 1.09 ms) where a wave is 64 lanes wide, fetches go by quads of four
//! lanes, and neighbouring workgroups land on different compute units. It does not help where the
//! first-level cache holds a whole neighbourhood anyway, and larger workgroups cost where they start
//! and end raggedly. An H200 starts about 1.7 workgroups a nanosecond, so that small ones are bound by
//! that alone where the kernel is short. `columns_N` walks the workgroups in strips N of them wide, which helps
//! the second-level cache where a row of workgroups does not fit into it.
//!
//! Look for, in RGP: the L1 hit rate, and how ragged the ends of workgroups are in the occupancy view.
//! In Nsight: L1TEX hit rate and sectors per request.
//!
//! Source: Timothy Lottes, Engine Optimization Hot Lap, GDC 2018, "Workgroup Optimization".

use std::process::ExitCode;

use anyhow::{Result, ensure};
use clap::value_parser;
use common::{Binding, Extent, Figures, Format, Kernel, Lab, run, sample};
use samples::remap::{Rectangle, walked};
use samples::ssao::{REACH, Sampling, Scene};

const UNWRITTEN: [u32; 4] = [u32::MAX; 4];
/// The talk's best, and common practice: their workgroups are walked in strips too.
const STRIPS_OF: [Rectangle; 2] = [Rectangle::remapped(32, 16), Rectangle::rows(8, 8)];

#[derive(clap::Args, Clone, Debug)]
struct Args {
    /// Image size [default: 3440x1440 as in the talk, on a CPU device 320x200]
    #[arg(long, value_name = "WxH", allow_hyphen_values = true)]
    size: Option<Extent>,
    /// Depths read around each texel
    #[arg(long, default_value_t = 16, value_parser = value_parser!(u32).range(8..=64))]
    taps: u32,
    /// Radius of the neighbourhood in 256ths of a unit of length; a ball of the scene has one of 166
    #[arg(long, default_value_t = 64, value_parser = value_parser!(u32).range(1..=1024))]
    radius: u32,
    /// Widths of the strips that workgroups are walked in, in workgroups, comma-separated
    #[arg(long, default_value = "8,16,32", value_delimiter = ',', value_parser = value_parser!(u32).range(1..=4096))]
    columns: Vec<u32>,
}

fn main() -> ExitCode {
    run(sample!(), swizzled_remap)
}

fn swizzled_remap(lab: &mut Lab, args: &Args) -> Result<()> {
    let size = args.size.unwrap_or(if lab.on_cpu() {
        Extent { width: 320, height: 200 }
    } else {
        Extent { width: 3440, height: 1440 }
    });
    lab.setting("size", size);
    lab.setting("taps", args.taps);
    lab.setting("radius", args.radius);
    let occlusion = lab.output_images("occlusion", 1, size, Format::R32_UINT, UNWRITTEN)?;
    let scene = Scene::new(size);
    let sampling = Sampling::spiral(args.taps, args.radius.cast_signed());
    let depths = lab.input_image("depths", size, Format::R32_UINT, &scene.depths)?.sampled();
    let normals = lab.input_image("normals", size, Format::R32_UINT, &scene.normals)?.sampled();
    let taps = Binding::from(lab.input_buffer("taps", &sampling.words())?);

    let add = |lab: &mut Lab, rectangle: Rectangle, columns: u32| -> Result<()> {
        let Rectangle { width, height, .. } = rectangle;
        let groups = [size.width.div_ceil(width), size.height.div_ceil(height), 1];
        if rectangle.remapped {
            agree_on_lanes(lab, rectangle)?;
        }
        let (kernel, reason) = kernel(lab, &scene, args, rectangle, columns)?;
        let strips = if columns > 0 { format!("_columns_{columns}") } else { String::new() };
        let variant = lab.variant(rectangle.name() + &strips, move |cmd, rep| {
            cmd.dispatch(kernel, &[depths, normals, taps, occlusion.get(rep.index, 0).into()], &(), groups);
        });
        // Depth, normal and result once each.
        variant.moves(12 * u64::from(size.width) * u64::from(size.height)).skip(reason);
        // One strip width is enough to see whether strips matter.
        if columns > 0 && columns != 16 {
            variant.on_request();
        }
        let published = columns == 0 && rectangle.name() != "row_major_8x8";
        variant.published_if(published, "lottes2018", &format!("ssao/{}", rectangle.name()));
        Ok(())
    };
    for rectangle in Rectangle::ALL {
        add(lab, rectangle, 0)?;
    }
    for rectangle in STRIPS_OF {
        for &columns in &args.columns {
            agree_on_groups(
                lab,
                [size.width.div_ceil(rectangle.width), size.height.div_ceil(rectangle.height)],
                columns,
            )?;
            add(lab, rectangle, columns)?;
        }
    }
    lab.limits(size, Format::R32_UINT)?;
    lab.baseline("remap_8x8");
    lab.verdict(verdict);
    lab.show(occlusion, 0, size.sides(), "ambient occlusion", |words| {
        words.iter().map(|&level| [u8::try_from(level).unwrap_or(u8::MAX); 3]).collect()
    });
    lab.expect(occlusion, 0, scene.occlusion(&sampling))
}

fn kernel(
    lab: &Lab,
    scene: &Scene,
    args: &Args,
    rectangle: Rectangle,
    columns: u32,
) -> Result<(Kernel, Option<String>)> {
    let kernel = lab
        .kernel("swizzled_remap/ssao.comp")
        .define_as("WIDTH", rectangle.width)
        .define_as("HEIGHT", rectangle.height)
        .define_as("TAPS", args.taps)
        .define_as("COLUMNS", columns)
        .constant("FOCAL", scene.focal().cast_unsigned())
        .constant("RADIUS", args.radius)
        .constant("REACH", REACH.cast_unsigned())
        .workgroup(rectangle.workgroup());
    if rectangle.remapped {
        kernel.define("REMAPPED").constant("ROW_BITS", rectangle.row_bits()).build_or_reason()
    } else {
        kernel.build_or_reason()
    }
}

/// The kernel's function puts every lane where its twin does, which is proved to be a bijection of quads.
fn agree_on_lanes(lab: &Lab, rectangle: Rectangle) -> Result<()> {
    let lanes = rectangle.width * rectangle.height;
    let places = places(lab, lanes, [rectangle.row_bits(), 0, 0, 0])?;
    for (lane, place) in (0..).zip(places) {
        let [x, y] = rectangle.texel(lane);
        ensure!(
            place == y << 16 | x,
            "{}: the kernel puts lane {lane} elsewhere than ({x}, {y})",
            rectangle.name()
        );
    }
    Ok(())
}

/// The same for workgroups.
fn agree_on_groups(lab: &Lab, groups: [u32; 2], columns: u32) -> Result<()> {
    let places = places(lab, groups[0] * groups[1], [0, groups[0], groups[1], columns])?;
    for (index, place) in (0..).zip(places) {
        let [x, y] = walked(index, groups, columns);
        ensure!(
            place == y << 16 | x,
            "columns_{columns}: the kernel puts workgroup {index} elsewhere than ({x}, {y})"
        );
    }
    Ok(())
}

fn places(lab: &Lab, count: u32, push: [u32; 4]) -> Result<Vec<u32>> {
    let kernel = lab.kernel("swizzled_remap/lanes.comp").build()?;
    lab.tally("places", count, |cmd, places| cmd.dispatch(kernel, &[places], &push, [count, 1, 1]))
}

/// How far the layout matters here, beside the talk's 43 %.
fn verdict(figures: &Figures<'_>) -> Option<String> {
    if figures.on_cpu() {
        return None;
    }
    let answer = |pipelined: bool| {
        let best = figures.fastest(pipelined, |name| !name.ends_with("_limit"))?;
        let base = figures.row("remap_8x8")?;
        let time = |row: &common::record::Row| {
            Some(if pipelined { row.pipelined_us } else { row.isolated_us }?.median)
        };
        let saved = 100.0 * (1.0 - time(best)? / time(base)?);
        Some(format!("{} is the fastest, {saved:.0} % below remap_8x8", best.variant))
    };
    let pipelined = answer(true).map_or_else(String::new, |text| format!("; pipelined, {text}"));
    Some(format!("In the talk remap_32x16 takes 43 % off remap_8x8. Here {}{pipelined}.", answer(false)?))
}
