//! How long does a load take, by what holds the data?
//!
//! ```text
//! line 5 ──▶ line 2 ──▶ line 7 ──▶ …    one invocation; what it loads says where the next line is,
//!                                       so that no load begins before the one before it ends
//!
//! clocks
//!  |                          ┌──────   memory
//!  |            ┌─────────────┘         L2
//!  |────────────┘                       L1
//!  +─────────────────────────────────▶  size that the walk goes round in
//! ```
//!
//! - `storage_*` walk through lines of 128 bytes of a storage buffer in random order. The sizes at which a load begins to take
//!   longer are those of the caches, which the sample finds for itself.
//! - `uniform_*`, `sampled_*` and `image_*` walk through a uniform buffer, a sampled image and a storage image.
//! - `spread_*` read 1 MiB of lines, which most L2 hold, spread over more and more memory. What that adds is probably the
//!   translation of addresses (TLB).
//! - `page_*` stays within a page of 2 MiB of each buffer, which has left the caches.
//! - `marked_*` also writes down which line it read when, to show that it reads each once. It is the picture.
//!
//! Before a walk, its workgroup reads the lines that a round reads last, at most 256 MiB, so that caches hold what a round leaves
//! in them. The walk begins with 4100 loads that are not timed, and reads the device's time in the shader before and after 4096
//! others. So neither the launch nor a cold cache is part of the time.
//!
//! Expect 3 to 5 levels. In the talk an L1 hit takes 114 clocks of GCN, an L2 hit 190 and a miss 350. On an H200 it is 47, 297 and
//! 683, of which about 14 are the address.
//!
//! Look for, in RGP or Nsight: one wave, which waits.
//!
//! Source: Timothy Lottes, Engine Optimization Hot Lap, GDC 2018, "Understanding GCN Vector Memory Access". The method is that of
//! gpu-latency in RRZE-HPC's gpu-benches, whose clocks stand beside.

mod images;
mod storage;
mod verdict;

use std::process::ExitCode;

use anyhow::Result;
use clap::value_parser;
use common::{BufferSet, Buffers, Declared, Lab, Variant, run, sample};

use verdict::{headline, verdict};

/// How long does a load take?
#[derive(clap::Args, Clone, Debug)]
#[command(
    after_help = "--variants 'storage_*' # the sizes of the caches\n--variants 'spread_*' # what translating addresses adds"
)]
struct Args {
    /// Largest size to walk through, rounded down to a power of two [default: 8192, on a CPU 4]
    ///
    /// At most a quarter of the memory.
    #[arg(long, value_name = "MIB", value_parser = value_parser!(u64).range(1..=8192))]
    largest: Option<u64>,
}

fn main() -> ExitCode {
    run(sample!(), memory_latency)
}

/// Invocations that read lines before one of them begins to walk: as many as every device allows.
const WORKGROUP: u32 = 128;

/// Fills the outputs before each run. No walk ends here.
const UNWRITTEN: u32 = 0xFFFF_DEAD;

/// What all walks share.
#[derive(Clone, Copy)]
struct Walks {
    /// Loads that are timed, a power of two.
    loads: u32,
    /// Ticks of the device's time that they took.
    took: Buffers,
    /// Whether the time is that of the timed loads: on a CPU device it is that of all.
    has_times: bool,
}

fn memory_latency(lab: &mut Lab, args: &Args) -> Result<()> {
    lab.describe(include_str!("variants.toml"))?;
    lab.alone();
    let is_small = lab.device().is_cpu() && !lab.runs_nothing;
    let loads = if is_small { 64 } else { 4096 };
    let took = lab.output("what a walk took", BufferSet::new(1, 1, 0))?;
    let walks = Walks { loads, took, has_times: !lab.device().is_cpu() };
    let largest = args.largest.unwrap_or(if is_small { 4 } else { 8192 }).min(storage::most_mib(lab));
    let largest = 1 << largest.ilog2();
    lab.report.setting("largest", format!("{largest} MiB"));
    lab.report.setting("loads", loads);
    let plan = storage::declare(lab, walks, largest << 10)?;
    images::uniform(lab, walks)?;
    images::images(lab, walks, if is_small { 512 } else { 128 << 10 })?;
    lab.report.show_matrix();
    let stated = plan.clone();
    lab.report.headline(move |figures| headline(figures, &stated));
    lab.report.verdict(move |figures| verdict(figures, &plan));
    Ok(())
}

impl Walks {
    /// Loads of a walk, with those before the timed ones: no multiple of the lines, so that no walk ends where it began.
    const fn all(&self) -> u32 {
        2 * self.loads + 4
    }

    /// An output for the place where a walk ends.
    fn end(&self, lab: &mut Lab, name: &str, place: [u32; 2]) -> Result<Buffers> {
        let end = lab.output(&format!("end of {name}"), BufferSet::new(1, 2, UNWRITTEN))?;
        lab.expect(end, 0, move || place.to_vec());
        Ok(end)
    }

    /// Declares what is true of all walks.
    fn complete(&self, variant: &mut Variant) {
        variant.times_itself(self.took.get(0, 0));
        if self.has_times {
            variant.declares(Declared::default().work(self.loads.into(), "loads"));
        }
    }
}

/// `4 KiB`, `20 MiB` or `8 GiB`.
fn size(kib: u64) -> String {
    match kib {
        0..1024 => format!("{kib} KiB"),
        1024..0x10_0000 => format!("{} MiB", kib >> 10),
        _ => format!("{} GiB", kib >> 20),
    }
}

/// The size as a variant has it in its name: `4_kib`.
fn named(kib: u64) -> String {
    size(kib).replace(' ', "_").to_lowercase()
}
