//! What do cold caches cost a pass? Short passes that find their instructions and constants in the caches, or do not.
//! In the talk the launch, instruction misses, constant misses and dependent fetches are one chain of latencies, which
//! an idle GPU cannot hide.
//!
//! ```text
//! code_warm        | kernel 0 | kernel 0 | kernel 0 |    the first pass alone has to fetch instructions
//! code_cold        | kernel 0 | kernel 1 | kernel 2 |    each pass has to: other code, the same results
//!
//! constants_warm   | table 0 | table 0 | table 0 |       the same with a uniform buffer,
//! constants_cold   | table 0 | table 1 | table 2 |       whose fetches each need the one before
//! ```
//!
//! - `code_cold` runs another kernel in each pass. A change of kernel costs something by itself: `short_code_*` shows
//!   how much, with 16 steps of code in place of 1024. On GCN the long code has 24 KiB (RADV), so that an instruction
//!   cache of 32 KiB does not hold two versions. Its size on an H200 is not recorded. The last-level cache may hold the
//!   versions from an earlier submit, except with `--cold`.
//! - `constants_cold` reads its table by dependent fetches, so that nothing here tells a miss from the wait for the
//!   fetch before it.
//! - No pass reads what another wrote, so barriers only order. Under `constants_*_flushed` they make memory visible,
//!   too: some drivers empty the constant caches for that.
//!
//! On an H200 a pass of new code takes 11.7 µs longer (short code: 0.3 µs), and a pass with new constants 9.3 µs.
//! Behind the same chain (back to back) nothing of it is left: the last-level cache seems to hold all versions. A time
//! does not tell which level of cache a fetch missed. Look for, in RGP or Nsight: instruction fetch stalls in the first
//! waves of a pass.
//!
//! Source: Timothy Lottes, Engine Optimization Hot Lap, GDC 2018, "Filling the GPU".

mod kernels;
mod verdict;

use std::process::ExitCode;

use anyhow::Result;
use clap::value_parser;
use common::{Access, Extent, Lab, Scope, Stage, run, sample};
use samples::{NO_ACCESS, STORES, items, size};

use kernels::{Code, Constants, Work};
use verdict::{headline, verdict};

const LOADS_OF_CONSTANTS: Scope = (Stage::COMPUTE_SHADER, Access::UNIFORM_READ);

/// What do cold caches cost a pass?
#[derive(clap::Args, Clone, Debug)]
#[command(after_help = "--code # how much code the versions of a kernel have\n\
    --size 160x90,320x180,640x360 # how fast does the cost fade with size?")]
struct Args {
    /// Area of a pass [default: 320x180, on a CPU 16x12]
    #[arg(long, value_name = "WxH", allow_hyphen_values = true)]
    size: Option<Extent>,
    /// Passes, each with its own kernel [default: 8, on a CPU 4]
    #[arg(long, value_name = "N", value_parser = value_parser!(u32).range(2..=32))]
    passes: Option<u32>,
}

fn main() -> ExitCode {
    run(sample!(), cold_caches)
}

fn cold_caches(lab: &mut Lab, args: &Args) -> Result<()> {
    lab.describe(include_str!("variants.toml"))?;
    let size = size(lab, args.size, [320, 180], [16, 12]);
    let items = items(size)?;
    let passes = args.passes.unwrap_or(if lab.device().is_cpu() { 4 } else { 8 });
    lab.report.setting("passes", passes);
    // A variant that is sampled alone finds its own code and constants in the caches.
    lab.report.sample_together();

    let work = Work { size, items, passes };
    code(lab, work)?;
    constants(lab, work)?;
    lab.report.show_matrix();
    lab.report.headline(move |figures| headline(figures, passes));
    lab.report.verdict(move |figures| verdict(figures, passes));
    Ok(())
}

/// One kernel for all passes, or another one for each.
fn code(lab: &mut Lab, work: Work) -> Result<()> {
    for (length, is_long) in [("", true), ("short_", false)] {
        let code = Code::new(lab, work, is_long)?;
        for (state, versions) in [("warm", 1), ("cold", work.passes)] {
            let code = code.clone();
            lab.variant(format!("{length}code_{state}"), move |cmd, rep| {
                for pass in rep.passes(work.passes) {
                    if pass.has_previous() {
                        cmd.pipeline_barrier2(NO_ACCESS, NO_ACCESS);
                    }
                    let (kernel, push) = code.version(pass.index % versions);
                    cmd.dispatch(kernel, &[code.result(pass)], &push, work.groups());
                }
            });
        }
    }
    Ok(())
}

/// One table of constants for all passes, or another one for each.
fn constants(lab: &mut Lab, work: Work) -> Result<()> {
    for (suffix, src, dst) in [("", NO_ACCESS, NO_ACCESS), ("_flushed", STORES, LOADS_OF_CONSTANTS)] {
        let constants = Constants::new(lab, work)?;
        for (state, tables) in [("warm", 1), ("cold", work.passes)] {
            let constants = constants.clone();
            lab.variant(format!("constants_{state}{suffix}"), move |cmd, rep| {
                for pass in rep.passes(work.passes) {
                    if pass.has_previous() {
                        cmd.pipeline_barrier2(src, dst);
                    }
                    let bindings = constants.bindings(pass.index % tables, pass);
                    cmd.dispatch(constants.kernel, &bindings, &[work.items], work.groups());
                }
            });
        }
    }
    Ok(())
}
