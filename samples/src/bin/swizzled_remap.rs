//! Does it matter which lane has which pixel? The talk's SSAO pass: the same work for every pixel, in
//! workgroups of other rectangles, their lanes in rows or in 2x2 quads.
//!
//! ```text
//! row_major_8x8  {8,8,1}     0 1 2 3 4 5 6 7    four lanes that fetch together lie in a row
//!                            8 9 …
//! remap_8x8      {64,1,1}    0 2 4 6 8 …        … or in a 2x2 quad
//!                            1 3 5 7 9 …
//! remap_32x16    {512,1,1}   ▕tile 0▏▕tile 2▏▕tile 4▏▕tile 6▏    eight such tiles share one cache
//!                            ▕tile 1▏▕tile 3▏▕tile 5▏▕tile 7▏
//! _columns_16    workgroups go down the image in columns of 16, so that those at work at the same
//!                time lie in a block, not in a stripe: for the cache that all multiprocessors share
//! ```
//!
//! Expect gains where neighbours fetch the same texels and a multiprocessor's cache is the limit: the
//! talk's step from 8x8 to 32x16 took 43 % off on GCN, which hands each workgroup to another compute unit.
//! An H200 starts about 1.7 workgroups a nanosecond, so that small ones cost by that alone where the kernel
//! is short. It does not help a pass that reads each texel once, and large workgroups are harder to place
//! beside other work: all their waves must fit at once. 2x2 quads serve texture units that take four lanes
//! at a time, as GCN's do. `--radius` and `--taps` move the pass between its fetches and its arithmetic.
//!
//! Look for, in RGP or Nsight: L1 and L2 hit rates, and how much of the time waves wait for texels.
//!
//! Source: Timothy Lottes, Engine Optimization Hot Lap, GDC 2018, "Workgroup Optimization".

use std::process::ExitCode;

use anyhow::{Result, bail};
use clap::value_parser;
use common::kernel::KernelBuilder;
use common::record::{Published, Row};
use common::{Binding, Extent, Figures, Format, Image, Images, Lab, Shows, published, run, sample};
use samples::hall;
use samples::remap::{Form, Lanes, TALK};
use samples::ssao::Occlusion;

/// No pixel is as open as that: 255 is the most.
const UNWRITTEN: [u32; 4] = [u32::MAX; 4];
/// The talk's monitor.
const TALK_SIZE: Extent = Extent { width: 3440, height: 1440 };
const BASELINE: &str = "remap_8x8";
/// Workgroups a column, and the one of them that is measured unless asked for otherwise.
const COLUMNS: [u32; 3] = [8, 16, 32];
const COLUMNS_BY_DEFAULT: u32 = 16;

#[derive(clap::Args, Clone, Debug)]
struct Args {
    /// Image size [default: 3440x1440, on a CPU device 320x200]
    #[arg(long, value_name = "WxH", allow_hyphen_values = true)]
    size: Option<Extent>,
    /// Depths that are looked at around each pixel
    #[arg(long, default_value_t = 16, value_parser = value_parser!(u32).range(8..=64))]
    taps: u32,
    /// How far around each pixel, in centimetres of the scene, and never more than 64 pixels
    #[arg(long, default_value_t = 40, value_parser = value_parser!(u32).range(8..=400))]
    radius: u32,
    /// Workgroups that a column of them is wide, comma-separated [default: 8,16,32, of which 16 runs]
    #[arg(long, value_name = "N", value_delimiter = ',', value_parser = value_parser!(u32).range(1..=4096))]
    columns: Vec<u32>,
}

fn main() -> ExitCode {
    run(sample!(), swizzled_remap)
}

fn swizzled_remap(lab: &mut Lab, args: &Args) -> Result<()> {
    let pass = Pass::new(lab, args)?;

    // The talk's table, which begins with a quad's 8x8, and what an image is usually cut into.
    for form in TALK {
        variant(lab, &pass, form, true)?.published = Some(normalised(&form)?);
    }
    let row_major = Form::in_rows(8, 8);
    variant(lab, &pass, row_major, true)?;

    // Another order of the workgroups.
    let mut columns = if args.columns.is_empty() { COLUMNS.to_vec() } else { args.columns.clone() };
    columns.sort_unstable();
    columns.dedup();
    for width in columns {
        let by_default = !args.columns.is_empty() || width == COLUMNS_BY_DEFAULT;
        for form in [Form::remapped(32, 16), row_major] {
            variant(lab, &pass, form.walked_in(width), by_default)?;
        }
    }
    lab.limits(pass.size, Format::R32_UINT)?;
    lab.matrix("µs", Shows::Times);
    lab.baseline(BASELINE);
    lab.verdict(verdict);
    Ok(())
}

/// The pass with its lanes and workgroups as `form` has them.
fn variant<'l>(
    lab: &'l mut Lab,
    pass: &Pass,
    form: Form,
    by_default: bool,
) -> Result<&'l mut common::Variant> {
    let (name, grid) = (form.name(), form.grid(pass.size.sides()));
    let (made, reason) = if by_default || lab.asks_for(&name) {
        prove(lab, form)?;
        let (kernel, reason) = pass.kernel(lab, form, grid).build_or_reason()?;
        (Some(kernel), reason)
    } else {
        (None, None)
    };
    let &Pass { size, depths, normals, openness, .. } = pass;
    let variant = lab.variant(name, move |cmd, rep| {
        if let Some(kernel) = made {
            let images = [depths.sampled(), normals.sampled(), openness.get(rep.index, 0).into()];
            cmd.dispatch(kernel, &images, &size.sides(), [grid[0], grid[1], 1]);
        }
    });
    let order = form.columns.map_or("along rows".into(), |width| format!("in columns of {width}"));
    variant.moves(pass.bytes()).skip(reason).cell("Workgroups", &form.stem(), &order);
    if !by_default {
        variant.on_request();
    }
    Ok(variant)
}

/// The kernel of a form on a grid, which does not yet know what to compute.
fn placed<'l>(lab: &'l Lab, form: Form, grid: [u32; 2]) -> KernelBuilder<'l> {
    let kernel = lab.kernel("swizzled_remap/ssao.comp").workgroup(form.workgroup());
    let kernel = kernel.constant("AREA_X", form.area[0]).constant("AREA_Y", form.area[1]);
    let kernel = match form.lanes {
        Lanes::Quads => kernel.define("REMAPPED").constant("ROW_BITS", form.tiles_a_column().ilog2()),
        Lanes::Rows => kernel,
    };
    match form.columns {
        Some(width) => kernel
            .define("IN_COLUMNS")
            .constant("COLUMN_GROUPS", width)
            .constant("GRID_X", grid[0])
            .constant("GRID_Y", grid[1]),
        None => kernel,
    }
}

/// Every lane of a few workgroups tells where it stands, which must be where the CPU twin has it: in the
/// image a wrong place does not show as long as some other lane has the pixel.
fn prove(lab: &Lab, form: Form) -> Result<()> {
    // Two columns of workgroups and a third that is narrower.
    let grid = [form.columns.map_or(3, |width| 2 * width + width.div_ceil(2)), 3];
    let (kernel, impossible) = placed(lab, form, grid).define("TELL_PLACES").build_or_reason()?;
    if impossible.is_some() {
        return Ok(());
    }
    let expected = form.places(grid);
    let words = u32::try_from(expected.len())?;
    let told = lab.tally("places", words, |cmd, places| {
        cmd.dispatch(kernel, &[Binding::from(places)], &(), [grid[0], grid[1], 1]);
    })?;
    if let Some(at) = (0..words).find(|&at| told[at as usize] != expected[at as usize]) {
        let [lane, group] = [at % form.invocations(), at / form.invocations()];
        bail!("{}: lane {lane} of workgroup {group} is not where the CPU twin has it", form.name());
    }
    Ok(())
}

/// The talk's time of a form over that of the baseline.
fn normalised(form: &Form) -> Result<Published> {
    let milliseconds = |name: &str| published::find("lottes2018", &format!("ssao/{name}"));
    let (ours, base) = (milliseconds(&form.name())?, milliseconds(BASELINE)?);
    let unit = format!("time over the {} ms of {BASELINE}", base.value);
    Ok(Published { value: ours.value / base.value, unit, ..ours })
}

/// The images, and what the kernels of all forms have in common.
struct Pass {
    size: Extent,
    depths: Image,
    normals: Image,
    openness: Images,
    occlusion: Occlusion,
}

impl Pass {
    fn new(lab: &mut Lab, args: &Args) -> Result<Self> {
        let default = if lab.on_cpu() { Extent { width: 320, height: 200 } } else { TALK_SIZE };
        let size = args.size.unwrap_or(default);
        lab.setting("size", size);
        lab.setting("taps", args.taps);
        lab.setting("radius", args.radius);
        let openness = lab.output_images("openness", 1, size, Format::R32_UINT, UNWRITTEN)?;
        let scene = hall::seen(size);
        let occlusion = Occlusion::new(size, args.taps, args.radius);
        let depths = lab.input_image("depths", size, Format::R32_UINT, &scene.depths)?;
        let normals = lab.input_image("normals", size, Format::R32_UINT, &scene.normals)?;
        lab.expect(openness, 0, occlusion.twin(&scene))?;
        lab.show(openness, 0, size.sides(), "how open each pixel is, from black to white", |words| {
            words.iter().map(|&open| [u8::try_from(open).unwrap_or(u8::MAX); 3]).collect()
        });
        Ok(Self { size, depths, normals, openness, occlusion })
    }

    fn kernel<'l>(&self, lab: &'l Lab, form: Form, grid: [u32; 2]) -> KernelBuilder<'l> {
        let (defines, constants) = (self.occlusion.defines(), self.occlusion.constants());
        let kernel = placed(lab, form, grid);
        let kernel = defines.iter().fold(kernel, |kernel, (name, value)| kernel.define_as(name, value));
        constants.iter().fold(kernel, |kernel, &(name, value)| kernel.constant(name, value))
    }

    /// Depth and normal of each pixel read once, its openness written once, four bytes each.
    fn bytes(&self) -> u64 {
        12 * u64::from(self.size.width) * u64::from(self.size.height)
    }
}

/// The fastest form against the baseline, alone and in a row of others.
fn verdict(figures: &Figures<'_>) -> Option<String> {
    if figures.on_cpu() {
        return None;
    }
    let saved = |pipelined: bool| {
        let time = |row: &Row| Some(if pipelined { row.pipelined_us } else { row.isolated_us }?.median);
        let row = figures.fastest(pipelined, |name| !name.ends_with("_limit"))?;
        let percent = 100.0 * (1.0 - time(row)? / time(figures.row(BASELINE)?)?);
        Some(format!("{} with {percent:.0} % less time than {BASELINE}", row.variant))
    };
    let pipelined = saved(true).map_or_else(String::new, |text| format!("; pipelined, {text}"));
    Some(format!(
        "In short: the fastest is, isolated, {}{pipelined}. The talk took 43 % off, with remap_32x16.",
        saved(false)?
    ))
}
