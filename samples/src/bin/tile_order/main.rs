//! Does the order of tiles decide what a second pass finds in the cache?
//!
//! ```text
//! first pass   1 2 3 4 ▶     second pass   1 2 3 4 ▶     the cache holds the last tiles of the first pass,
//! row by row   5 6 7 8 ▶     row by row    5 6 7 8 ▶     the second pass begins with the first ones
//!
//!                            backwards     8 7 6 5       … or with the last ones, which are still there
//!                                        ◀ 4 3 2 1
//! ```
//!
//! An image is blurred by rows and then by columns, in two dispatches with a barrier between. A workgroup takes a tile of 8x8 texels of
//! 16 bytes.
//!
//! - `square_rows_rows` is the usual way: workgroups of 8x8, and both passes take tiles in the order of the workgroups.
//! - The second and the third word are the order of the first and of the second pass: by rows, by columns, or by rows from the end.
//! - `remap_*` do the same with workgroups of 64x1, whose invocations form quads in the tile. In the talk, that alone changes what is
//!   found in the cache.
//!
//! A GPU starts workgroups row by row: `wave_order` shows it. So the order of tiles is that of the work. Expect differences where the
//! cache does not hold the image. On an H200 (64 MiB, a cache of 50 MB) they are small: tiles by columns take 1.015x as long, and
//! starting from the end gains next to nothing. Quads cost 1.18x: eight texels of a row are one line of the cache, and four of two rows are
//! not.
//!
//! Look for, in RGP or Nsight: hits in the L2 of the second pass.
//!
//! Source: Timothy Lottes, Engine Optimization Hot Lap, GDC 2018, "Not Leaving Data Locality and Launch Regularity up to Chance".

mod reference;
mod verdict;

use std::process::ExitCode;

use anyhow::{Context, Result};
use common::{Buffer, BufferSet, Buffers, Declared, Extent, Format, Lab, run, sample};
use samples::{LOADS, STORES, items, size};

use reference::{across, down, texels};
use verdict::{headline, verdict};

/// Does the order of tiles decide what a second pass finds in the cache?
#[derive(clap::Args, Clone, Debug)]
#[command(after_help = "--size 512..4096*2 # from what size on?\n--cold # with caches that hold other data")]
struct Args {
    /// Image size in texels of 16 bytes [default: 2048x2048, on a CPU 128x128]
    #[arg(long, value_name = "WxH", allow_hyphen_values = true)]
    size: Option<Extent>,
}

fn main() -> ExitCode {
    run(sample!(), tile_order)
}

/// Fills the outputs before each run.
const UNWRITTEN: u32 = 0xFFFF_DEAD;
/// Orders of tiles, by the shader's numbers.
const ORDERS: [&str; 3] = ["rows", "columns", "back"];
const BY_COLUMN: u32 = 1;
/// Orders of the first and of the second pass.
const BOTH: [[u32; 2]; 5] = [[0, 0], [0, 1], [1, 0], [1, 1], [0, 2]];
/// Bytes of a texel.
const TEXEL: u64 = 16;

/// What all variants share.
#[derive(Clone, Copy)]
struct Blur {
    size: Extent,
    image: Buffer,
    /// Behind the first and behind the second pass.
    blurred: Buffers,
}

fn tile_order(lab: &mut Lab, args: &Args) -> Result<()> {
    lab.describe(include_str!("variants.toml"))?;
    let size = size(lab, args.size, [2048; 2], [128; 2]);
    let words = items(size)?.checked_mul(4).context("a buffer of 2^32 words is too large")?;
    let sides = size.sides();
    let image = lab.input_buffer("image", move || texels(words));
    let blurred = lab.output("blurred", BufferSet::new(2, words, UNWRITTEN))?;
    lab.expect(blurred, 0, move || across(&texels(words), sides));
    lab.expect(blurred, 1, move || down(&across(&texels(words), sides), sides));
    lab.report.show(blurred, 1, sides, "the blurred noise, its contrast raised", picture);
    let blur = Blur { size, image, blurred };
    for (shape, workgroup) in [("square", [8, 8, 1]), ("remap", [64, 1, 1])] {
        for orders in BOTH {
            blur.declare(lab, shape, workgroup, orders);
        }
    }
    // As many bytes, in texels of four.
    lab.limits([2 * size.width, 2 * size.height], Format::R32_UINT)?;
    lab.report.headline(headline);
    lab.report.verdict(verdict);
    Ok(())
}

impl Blur {
    fn declare(self, lab: &mut Lab, shape: &str, workgroup: [u32; 3], orders: [u32; 2]) {
        let Self { size, image, blurred } = self;
        let [wide, high] = size.sides().map(|side| side.div_ceil(8));
        let groups = orders.map(|order| if order == BY_COLUMN { [high, wide, 1] } else { [wide, high, 1] });
        let kernel = |axis: u32| {
            let order = ("ORDER", orders[axis as usize]);
            let kernel = lab.kernel("tile_order/blur.comp").workgroup(workgroup);
            kernel.constants([("AXIS", axis), order, ("IS_REMAPPED", u32::from(workgroup[1] == 1))]).build()
        };
        let [rows, columns] = [0, 1].map(kernel);
        let [first, second] = orders.map(|order| ORDERS[order as usize]);
        let push = size.sides();
        lab.variant(format!("{shape}_{first}_{second}"), move |cmd, rep| {
            let [half, whole] = [0, 1].map(|pass| blurred.get(rep.index, pass));
            cmd.dispatch(rows, &[image, half], &push, groups[0]);
            cmd.pipeline_barrier2(STORES, LOADS);
            cmd.dispatch(columns, &[half, whole], &push, groups[1]);
        })
        // Each pass reads an image and writes one.
        .declares(Declared::default().bytes(4 * TEXEL * u64::from(size.width) * u64::from(size.height)));
    }
}

/// The first channel of each sum of 81.
fn picture(words: &[u32]) -> Vec<[u8; 3]> {
    let middle = 81 * (1 << 15);
    let contrast = |word: &u32| (word.saturating_sub(middle / 2) / (middle / 256)).min(255);
    words.iter().step_by(4).map(|word| [u8::try_from(contrast(word)).unwrap_or(u8::MAX); 3]).collect()
}
