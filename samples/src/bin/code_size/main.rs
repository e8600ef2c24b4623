//! How large may a loop be before the instruction cache no longer holds it?
//!
//! ```text
//! 64 additions   4096 times round    ▕█▏           the same additions,
//! 128            2048 times         ▕██▏           in more and more code
//! …
//! 32768          8 times            ▕██████████████████████████████▏
//!
//! clocks                      ╱‾‾‾‾‾‾‾‾  a loop that only a further cache holds
//!  |                         ╱           waits for its instructions
//!  |  ──────────────────────╱
//!  +──────────────────────────▶ instructions in the loop
//! ```
//!
//! - `loop_*` go round a loop of so many additions until each wave has done 2^18 of them.
//! - `once_*` run once through the same code.
//! - The first number is that of the waves of the one workgroup. All run the same code.
//!
//! The additions add constants to four sums in turn, so that none waits for the one before. They are 16 bytes each on NVIDIA since
//! Volta: `--code` prints the size of each kernel. Times are those of the loop, over the additions of one wave. Four schedulers of
//! NVIDIA do one addition of a wave each in a clock.
//!
//! Expect a step where a cache ends. AMD's holds 32 KiB. On an H200 there are two, behind 32 and 128 KiB. One wave, or one of each
//! scheduler, then takes 2.0 and 5.4 times as long, and four of each 1.1 and 1.5 times: they share what is fetched. Code that runs once,
//! and is in no instruction cache, is as slow as the largest loop.
//!
//! Look for, in Nsight: stalls with "no instruction"; in RGP: waits for the fetch of instructions.
//!
//! Source: realhet, Optimizing Groestl hash function in GCN ASM, part 1, 2015, "ver02".

mod verdict;

use std::process::ExitCode;

use anyhow::Result;
use clap::value_parser;
use common::{Binding, BufferSet, Buffers, Declared, Lab, run, sample};
use samples::shades;

use verdict::{Plan, headline, verdict};

/// How large may a loop be before the instruction cache no longer holds it?
#[derive(clap::Args, Clone, Debug)]
#[command(
    after_help = "--variants 'loop_4_*' # one wave per scheduler of NVIDIA\n--code # the size of each kernel"
)]
struct Args {
    /// Additions of each invocation in a loop [default: 2^18, on a CPU 2^10]
    ///
    /// More of them where the device's time has coarse steps. A GPU does at least the default.
    #[arg(long, value_name = "N", value_parser = value_parser!(u32).range(1..=1 << 23))]
    additions: Option<u32>,
}

fn main() -> ExitCode {
    run(sample!(), code_size)
}

/// Fills the outputs before each run.
const UNWRITTEN: u32 = 0xFFFF_DEAD;
/// Waves of the workgroup.
const WAVES: [u32; 3] = [1, 4, 16];
/// Additions in a block of the shader.
const BLOCK: u32 = 64;
/// Blocks in the loop, closer where caches are known to end.
const BLOCKS: [u32; 18] = [1, 2, 4, 8, 16, 24, 28, 32, 40, 48, 64, 96, 128, 160, 192, 256, 384, 512];
/// The fewest blocks that take long enough to be timed once.
const TIMED_ONCE: u32 = 32;
/// The variant whose results are the picture.
const SHOWN: &str = "loop_4_64";

fn code_size(lab: &mut Lab, args: &Args) -> Result<()> {
    lab.describe(include_str!("variants.toml"))?;
    lab.alone();
    let device = lab.device();
    let is_small = device.is_cpu() && !lab.runs_nothing;
    // Code is also compiled for AMD's GPUs.
    let wave = if device.is_cpu() && lab.runs_nothing { 64 } else { device.subgroup_size };
    let most = device.max_workgroup_invocations.min(device.max_workgroup_size[0]);
    let (waves, blocks) = if is_small { (&[1, 4][..], &[1, 2, 7][..]) } else { (&WAVES[..], &BLOCKS[..]) };
    let waves: Vec<u32> = waves.iter().copied().filter(|waves| waves * wave <= most).collect();
    // Those NVIDIA GPUs whose driver has it have instructions of one length.
    let plan = Plan { bytes: lab.has_sm_id().then_some(16), waves: waves.clone() };
    let least = if is_small { 1 } else { 1 << 18 };
    // Whole turns of the loops that are compared.
    let additions = args.additions.unwrap_or(if is_small { 1 << 10 } else { least }).next_multiple_of(least);
    lab.report.setting("invocations per wave", wave);
    lab.report.setting("additions", additions);
    let took = lab.output("what the loop took", BufferSet::new(1, 1, 0))?;
    for waves in waves {
        for blocks in blocks.iter().copied() {
            let turns = additions.div_ceil(blocks * BLOCK);
            let timed = Loop { waves, wave, blocks, turns, took };
            timed.declare(lab, "loop")?;
            if blocks >= TIMED_ONCE || is_small {
                Loop { turns: 1, ..timed }.declare(lab, "once")?;
            }
        }
    }
    lab.report.show_matrix();
    lab.report.headline(headline);
    lab.report.verdict(move |figures| verdict(figures, &plan));
    Ok(())
}

/// A loop of so many blocks.
#[derive(Clone, Copy)]
struct Loop {
    waves: u32,
    /// Invocations of a wave.
    wave: u32,
    blocks: u32,
    turns: u32,
    /// Ticks of the device's time that the loop took.
    took: Buffers,
}

impl Loop {
    fn declare(self, lab: &mut Lab, how: &str) -> Result<()> {
        let Self { waves, wave, blocks, turns, took } = self;
        let name = format!("{how}_{waves}_{}", blocks * BLOCK);
        let invocations = waves * wave;
        let results = lab.output(&name, BufferSet::new(1, invocations, UNWRITTEN))?;
        lab.expect(results, 0, move || {
            (1..=invocations).map(|next| sum(next % invocations, blocks * turns)).collect()
        });
        if name == SHOWN {
            let caption = "what each invocation adds up to, a row for each wave";
            lab.report.show(results, 0, [wave, waves], caption, shades);
        }
        let kernel = lab
            .kernel("code_size/loop.comp")
            .workgroup([invocations, 1, 1])
            .constant("BLOCKS", blocks)
            .build();
        let has_times = !lab.device().is_cpu();
        let variant = lab.variant(name, move |cmd, rep| {
            let [results, took] = [results, took].map(|set| Binding::from(set.get(rep.index, 0)));
            cmd.dispatch(kernel, &[results, took], &[turns], [1, 1, 1]);
        });
        variant.times_itself(took.get(0, 0));
        if has_times {
            variant.declares(Declared::default().work(u64::from(blocks * BLOCK * turns), "additions"));
        }
        Ok(())
    }
}

/// What an invocation adds up in so many blocks, each of its four sums counted as often as its number.
///
/// A block adds 5, 13, …, 61 and 65 to the first sum, subtracts 9, 17, …, 57, and has constants that are 1, 2, 3 higher for
/// the others: 98, and 2, 4, 6 more, since two more are added than are subtracted.
fn sum(invocation: u32, blocks: u32) -> u32 {
    (0..4).map(|number| (number + 1) * (invocation + blocks * (98 + 2 * number))).sum()
}
