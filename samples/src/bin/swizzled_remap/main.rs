//! Does it matter which lane has which pixel? An SSAO of our own, at the talk's resolution and in its eight workgroup
//! shapes: the same work for every pixel, in other rectangles, their lanes in rows or in 2x2 quads.
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
//! On an H200 the order of the lanes hardly matters: `remap_8x8` takes 176.0 µs, `row_major_8x8` 176.8, `remap_8x32`
//! 105.1 and `linear_8x32` 103.5. The shape does: workgroups of 512 and more invocations take 94 µs, 46 % less than
//! 8x8, where the talk's step from 8x8 to 32x16 took 43 % off on GCN.
//!
//! The eight shapes and the remap are the talk's, whose slides show no kernel. `row_major_8x8`, `_columns_*` and
//! `_one_texel` are ours; lanes are in rows in `row_major_*` and in `linear_*` alike. Begin with
//! `shaders/swizzled_remap/remap.glsl`, then `remap.rs`, which draws it.
//!
//! Expect gains where neighbours fetch the same texels and a multiprocessor's cache is the limit: with 8 taps it is on an
//! H200, where `remap_8x8_one_texel` takes a third of the time. GCN hands each workgroup to another compute unit, so that
//! only a larger workgroup shares a cache. An H200 starts about 1.6 workgroups per ns, so that small ones cost by that
//! alone where the kernel is short. It does not help a pass that reads each texel once, and large workgroups are harder to
//! place beside other work: all their waves must fit at once. 2x2 quads serve texture units that take four lanes at a
//! time, as GCN's do.
//!
//! The `_one_texel` variants show what locality costs: the same kernels, with all taps of a pixel on that pixel. What
//! remains is the launch, the arithmetic and fetches that hit. `--radius`, `--reach` and `--taps` move the pass between
//! its fetches and its arithmetic.
//!
//! Look for, in RGP or Nsight: L1 and L2 hit rates, and how much of the time waves wait for texels.
//!
//! Source: Timothy Lottes, Engine Optimization Hot Lap, GDC 2018, "Workgroup Optimization".

mod device;
mod reference;
mod remap;
mod shapes;
mod test_scene;
mod verdict;

use std::collections::BTreeSet;
use std::process::ExitCode;

use anyhow::Result;
use clap::value_parser;
use common::record::{Published, published};
use common::{Declared, Extent, Format, Lab, Variant, run, sample};
use device::{Pass, prove};
use reference::MOST_REACH;
use remap::{Form, TALK};
use samples::size;
use verdict::{SMALL, headline, verdict};

/// The talk's monitor.
const TALK_SIZE: [u32; 2] = [3440, 1440];
/// Workgroups a column, and the one of them that is measured unless asked for otherwise.
const COLUMNS: [u32; 3] = [8, 16, 32];
const COLUMNS_BY_DEFAULT: u32 = 16;
/// The forms that also run with all taps on one texel, and the end of those names.
const FLOORS: [Form; 2] = [Form::remapped(8, 8), Form::remapped(32, 16)];
const ONE_TEXEL: &str = "_one_texel";

/// Does it matter which lane has which pixel?
#[derive(clap::Args, Clone, Debug)]
#[command(after_help = "--columns 4,8,16,32,64 # which width is best here?\n\
    --reach 16..256*2 # does the order matter more with a wider reach?")]
struct Args {
    /// Image size [default: 3440x1440, on a CPU 320x200]
    #[arg(long, value_name = "WxH", allow_hyphen_values = true)]
    size: Option<Extent>,
    /// Depths that are looked at around each pixel
    #[arg(long, value_name = "N", default_value_t = 8, value_parser = value_parser!(u32).range(8..=64))]
    taps: u32,
    /// How far around each pixel, in centimetres of the scene
    #[arg(long, value_name = "CM", default_value_t = 40, value_parser = value_parser!(u32).range(8..=400))]
    radius: u32,
    /// How far at the most, in pixels
    #[arg(long, value_name = "N", default_value_t = 64, value_parser = value_parser!(u32).range(2..=MOST_REACH))]
    reach: u32,
    /// Widths of a column in workgroups [default: 8,16,32, of which 16 runs]
    #[arg(long, value_name = "N", value_delimiter = ',', value_parser = value_parser!(u32).range(1..=512))]
    columns: Vec<u32>,
}

fn main() -> ExitCode {
    run(sample!(), swizzled_remap)
}

fn swizzled_remap(lab: &mut Lab, args: &Args) -> Result<()> {
    lab.describe(include_str!("variants.toml"))?;
    let size = size(lab, args.size, TALK_SIZE, [320, 200]);
    let taps = args.taps;
    let [pass, on_one_texel] = Pass::both(lab, size, taps, args.radius, args.reach)?;

    // The talk's table, and the usual 8x8 in rows.
    for form in TALK {
        let published = normalised(&form)?;
        variant(lab, &pass, form, "").published = Some(published);
    }
    let row_major = Form::in_rows(8, 8);
    variant(lab, &pass, row_major, "");

    // The floor: what is left when locality is perfect.
    for form in FLOORS {
        variant(lab, &on_one_texel, form, ONE_TEXEL);
    }

    // Another order of the workgroups.
    let walked = |width| [Form::remapped(32, 16), row_major].map(|form| form.walked_in(width));
    let asked = BTreeSet::from_iter(args.columns.clone());
    let all = if asked.is_empty() { BTreeSet::from(COLUMNS) } else { asked.clone() };
    for width in all {
        for form in walked(width) {
            let variant = variant(lab, &pass, form, "");
            if asked.is_empty() && width != COLUMNS_BY_DEFAULT {
                variant.on_request();
            }
        }
    }
    lab.limits(size, Format::R32_SFLOAT)?;
    lab.report.headline(headline);
    lab.report.verdict(move |figures| verdict(figures, size, taps));
    Ok(())
}

/// The pass with its lanes and workgroups as `form` has them.
fn variant<'l>(lab: &'l mut Lab, pass: &Pass, form: Form, suffix: &str) -> &'l mut Variant {
    let name = form.name() + suffix;
    lab.prove([name.clone()], move |lab| prove(lab, form));
    let (pass, grid @ [x, y]) = (pass.clone(), form.grid(pass.size.sides()));
    let kernel = pass.kernel(lab, form, grid);
    let (size, bytes) = (pass.size.sides(), pass.bytes());
    lab.variant(name, move |cmd, rep| cmd.dispatch(kernel, &pass.bindings(rep.index), &size, [x, y, 1]))
        .declares(Declared::default().bytes(bytes))
}

/// The talk's time of a form over that of 8x8.
fn normalised(form: &Form) -> Result<Published> {
    let milliseconds = |name: &str| published::find("lottes2018", &format!("ssao/{name}"));
    let (ours, base) = (milliseconds(&form.name())?, milliseconds(SMALL)?);
    let unit = format!("time over the {} ms of {SMALL}", base.value);
    Ok(Published { value: ours.value / base.value, unit, ..ours })
}
