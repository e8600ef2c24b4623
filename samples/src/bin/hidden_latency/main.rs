//! How many L1 hits hide an L2 hit, or a miss?
//!
//! ```text
//! a turn   load ────────────────────────▶  says where the next turn begins: an L1 hit, an L2 hit or a miss
//!          hit ───▶                        texels of an image that are in the L1
//!            hit ───▶                      …
//!              hit ───▶
//!
//! clocks                      ╱            few hits: a turn takes as long as its load;
//!  |  L2 hit ────────────────╱             many: as long as they take to return.
//!  |                     ╱                 Where the lines meet, the L2 hit costs nothing.
//!  |  L1 hit ──────────╱
//!  +──────────────────────────▶ hits
//! ```
//!
//! - `l1_*` load from 4 KiB of lines, which are in the L1. The others are compared with it.
//! - `l2_*` load from 1 MiB of lines that the workgroup has read before. Most L1 are smaller, and most L2 larger.
//! - `memory_*` load from 8 MiB of lines. All caches are emptied before each sample.
//! - The first number is that of the waves of the workgroup, the second that of the hits per turn of each wave.
//!
//! The hits of a turn do not need its load. The next turn needs it. So a wave has one long load in flight, and whatever it costs
//! beyond an L1 hit has to be covered by its own hits, or by those of other waves.
//!
//! The talk divides the clocks that a load takes longer than an L1 hit by those after which the next hit returns: on GCN an L2 hit costs
//! 76 / 16 = 4.75 hits, and a miss 236 / 16 = 14.75. The sample computes the same of its own figures. On an H200 these are 62 and 156
//! hits of a wave.
//!
//! Expect that many waves hide a load as soon as all their hits of a turn take as long as the load: on an H200 5 hits in each of 16
//! waves hide an L2 hit, and 3 in each of 32. A miss is never quite hidden. With few waves the compiler decides, since it may put the
//! load behind the hits, where they hide nothing.
//!
//! Look for, in RGP or Nsight: a wave that waits for the memory, with the texture unit idle.
//!
//! Source: Timothy Lottes, Engine Optimization Hot Lap, GDC 2018, "Understanding GCN Vector Memory Access".

mod reference;
mod verdict;

use std::process::ExitCode;

use anyhow::Result;
use clap::value_parser;
use common::{Binding, Buffer, BufferSet, Buffers, Declared, Format, Image, Lab, run, sample};
use samples::lines::{Chain, WORDS};
use samples::{in_rows, shades};

use reference::{SIDES, Turns, texels};
use verdict::{headline, verdict};

/// How many L1 hits hide an L2 hit, or a miss?
#[derive(clap::Args, Clone, Debug)]
#[command(after_help = "--variants '*_1_*' # one wave alone\n--variants 'l1_*,l2_*' # no misses")]
struct Args {
    /// Turns of each wave [default: 1024, on a CPU 16]
    ///
    /// More of them where the device's time has coarse steps.
    #[arg(long, value_name = "N", value_parser = value_parser!(u32).range(1..=MOST_TURNS))]
    turns: Option<u32>,
}

fn main() -> ExitCode {
    run(sample!(), hidden_latency)
}

/// Fills the outputs before each run.
const UNWRITTEN: u32 = 0xFFFF_DEAD;
/// Waves of the workgroup.
const WAVES: [u32; 4] = [1, 4, 16, 32];
/// Hits in a turn.
const HITS: [u32; 13] = [0, 1, 2, 3, 4, 5, 6, 8, 10, 15, 24, 32, 64];
/// Most hits in a turn of all waves together, which keeps a run short.
const MOST_HITS: u32 = 1024;
/// Most turns: with more, a wave would load lines of memory that another wave has already loaded.
const MOST_TURNS: i64 = (1 << 16) / 32;
/// The variant whose results are the picture.
const SHOWN: &str = "l1_16_10";
/// Invocations that link the lines.
const LINKERS: u32 = 128;

/// Memory that a turn's load is from.
struct Level {
    name: &'static str,
    lines: u32,
    /// Whether the workgroup reads all of it before.
    is_cached: bool,
}

const LEVELS: [Level; 3] = [
    Level { name: "l1", lines: 1 << 5, is_cached: true },
    Level { name: "l2", lines: 1 << 13, is_cached: true },
    Level { name: "memory", lines: 1 << 16, is_cached: false },
];

/// What all variants share.
#[derive(Clone, Copy)]
struct Shared {
    image: Image,
    /// Ticks of the device's time that the turns took.
    took: Buffers,
}

fn hidden_latency(lab: &mut Lab, args: &Args) -> Result<()> {
    lab.describe(include_str!("variants.toml"))?;
    lab.alone();
    lab.report.empty_caches();
    let device = lab.device();
    let is_small = device.is_cpu() && !lab.runs_nothing;
    // Code is also compiled for AMD's GPUs.
    let wave = if device.is_cpu() && lab.runs_nothing { 64 } else { device.subgroup_size };
    let most = device.max_workgroup_invocations.min(device.max_workgroup_size[0]);
    let (waves, hits) = if is_small { (&[1, 16][..], &[0, 10, 64][..]) } else { (&WAVES[..], &HITS[..]) };
    let turns = args.turns.unwrap_or(if is_small { 16 } else { 1024 });
    lab.report.setting("invocations per wave", wave);
    lab.report.setting("turns", turns);
    let image = lab.input_image("texels", SIDES, Format::R8_UNORM, texels);
    let took = lab.output("what the turns took", BufferSet::new(1, 1, 0))?;
    let shared = Shared { image, took };
    for level in &LEVELS {
        // On a CPU device nothing is timed, so that fewer lines will do.
        let lines = if is_small { level.lines.min(1 << 10) } else { level.lines };
        let chain = Chain::random(lines);
        let buffer = linked(lab, level.name, chain);
        for waves in waves.iter().copied().filter(|waves| waves * wave <= most) {
            for hits in up_to_most(hits, waves) {
                let name = format!("{}_{waves}_{hits}", level.name);
                let warmed = if level.is_cached { lines } else { 0 };
                shared.declare(lab, name, Turns { chain, warmed, waves, wave, turns, hits }, buffer)?;
            }
        }
    }
    lab.report.show_matrix();
    let most = WAVES.into_iter().filter(|waves| waves * wave <= most).max().unwrap_or(1);
    lab.report.headline(move |figures| headline(figures, most));
    lab.report.verdict(move |figures| verdict(figures, most));
    Ok(())
}

/// Of these hits per wave, those that so many waves have.
fn up_to_most(hits: &[u32], waves: u32) -> impl DoubleEndedIterator<Item = u32> {
    hits.iter().copied().filter(move |hits| hits * waves <= MOST_HITS)
}

/// A buffer in which each line leads to the next.
fn linked(lab: &mut Lab, name: &str, chain: Chain) -> Buffer {
    let kernel = lab.kernel("hidden_latency/link.comp").workgroup([LINKERS, 1, 1]).build();
    lab.made_buffer(&format!("lines of {name}"), u64::from(chain.lines * WORDS), move |cmd, words| {
        cmd.dispatch(kernel, &[words], &chain.push(0, 0, 0), in_rows(chain.lines.div_ceil(LINKERS)));
    })
}

impl Shared {
    fn declare(self, lab: &mut Lab, name: String, turns: Turns, lines: Buffer) -> Result<()> {
        let Self { image, took } = self;
        let Turns { waves, wave, hits, .. } = turns;
        let results = lab.output(&name, BufferSet::new(1, 2 * waves * wave, UNWRITTEN))?;
        lab.expect(results, 0, move || turns.ends());
        if name == SHOWN {
            show(lab, results, [wave, waves]);
        }
        let kernel = lab.kernel("hidden_latency/turns.comp").workgroup([waves * wave, 1, 1]);
        let kernel = kernel.constants([("WAVE", wave), ("HITS", hits)]).build();
        let push = turns.chain.push(0, turns.warmed, turns.turns);
        let has_times = !lab.device().is_cpu();
        let variant = lab.variant(name, move |cmd, rep| {
            let [results, took] = [results, took].map(|set| Binding::from(set.get(rep.index, 0)));
            cmd.dispatch(kernel, &[results, took, lines.into(), image.sampled()], &push, [1, 1, 1]);
        });
        variant.times_itself(took.get(0, 0));
        if has_times {
            variant.declares(Declared::default().work(turns.turns.into(), "turns"));
        }
        Ok(())
    }
}

/// Shows the sums of texels of each invocation.
fn show(lab: &mut Lab, results: Buffers, size: [u32; 2]) {
    let caption = "what the hits of each invocation add up to, a row for each wave";
    lab.report.show(results, 0, size, caption, |words| {
        let sums: Vec<u32> = words.chunks(2).map(|pair| pair[1]).collect();
        shades(&sums)
    });
}
