//! A chain of passes that each need the one before: what a barrier between them costs, and whether
//! splitting every pass into bands and ordering them by events costs less.
//!
//! ```text
//! time →             a barrier drains the GPU before the next pass fills it again
//! full_barrier       ▕▔▔ pass 0 ▔▔▔╲ ╱▔▔▔ pass 1 ▔▔▔╲ ╱▔▔▔ pass 2 ▔▔▔╲
//!                    an event releases band 0 of the next pass while band 1 of this one still runs
//! events, 2 bands    ▕▔ 0.a ▔▏▔ 0.b ▔▏▔ 1.a ▔▏▔ 1.b ▔▏▔ 2.a ▔▏▔ 2.b ▔╲      if the driver lets it
//! ```
//!
//! How the bands are cut. A pass reads `radius` texels beyond what it writes, so the line between
//! two bands moves from pass to pass by that reach, rounded up to `--align`, towards the band that
//! is recorded first:
//!
//! ```text
//! rows     pass 0   pass 1   pass 2
//!  0       a        a        a          band a of pass p+1 ends above where band a of pass p
//!  ...     a        a        b          ended, by at least the reach: it reads only band a of
//!  ...     a        b        b          pass p. Band b reads both, and the event behind b stands
//!  ...     b        b        b          for both: a set's first scope takes in all earlier
//!  last    b        b        b          commands. So band n waits for event n of the pass before.
//! ```
//!
//! The same shift covers ping-pong's write-after-read: band n of pass p+1 writes rows of the image
//! that pass p-1 wrote and pass p read, and the readers of those rows lie in bands ≤ n of pass p.
//!
//! Expect the talk's 1.31 for the barrier and 1.03 for the events only where `vkCmdWaitEvents2` does
//! not drain. It does on current RADV and on NVIDIA 580, where each set costs more than a barrier;
//! and it cannot help where one pass is long enough to hide drain and fill (from about 2048² on).
//!
//! Look for, in RGP or Nsight: whether the first waves of a pass start before the last waves of the
//! pass before end, and the gap in front of each pass of `full_barrier`.
//!
//! Source: Timothy Lottes, Engine Optimization Hot Lap, GDC 2018, "Pipelining with Events".
//! Specification: Vulkan 1.3, chapter 7.4 (Events) and appendix B (Memory Model).

use std::ops::Range;
use std::process::ExitCode;

use anyhow::{Result, bail};
use clap::value_parser;
use common::{Access, Cmd, Extent, Format, Images, Kernel, Lab, Rep, Scope, Stage, Workgroup, run, sample};
use rayon::prelude::*;

const STORES: Scope = (Stage::COMPUTE_SHADER, Access::SHADER_STORAGE_WRITE);
const LOADS: Scope = (Stage::COMPUTE_SHADER, Access::SHADER_STORAGE_READ);
/// Nothing made available, nothing made visible: an execution dependency.
const NO_ACCESS: Scope = (Stage::COMPUTE_SHADER, Access::NONE);

/// Weight of what was read before when the next texel is mixed in; odd, so that nothing is lost.
const MULTIPLIER: u32 = 0x0100_0193;
/// The generation of a texel lies above the bits of its mixed value.
const MIX_BITS: u32 = 24;
/// Split numbers that the talk's drawing suggests.
const BANDS: [u32; 2] = [2, 4];

#[derive(clap::Args, Clone, Debug)]
struct Args {
    /// Image size [default: 1152x1152 as on the slide, on a CPU device 384x384]
    #[arg(long, value_name = "WxH")]
    size: Option<Extent>,
    /// Passes of the chain, each reading what the one before wrote
    #[arg(long, default_value_t = 3, value_parser = value_parser!(u32).range(1..=200))]
    passes: u32,
    /// Length of the arms of the cross that a pass reads, in texels
    #[arg(long, default_value_t = 2, value_parser = value_parser!(u32).range(1..=64))]
    radius: u32,
    /// Numbers of bands that a pass is split into (comma-separated) [default: 2,4]
    #[arg(long, value_delimiter = ',', value_parser = value_parser!(u32).range(2..=16))]
    bands: Vec<u32>,
    /// Workgroup, and how many rows an invocation loops over
    #[arg(long, value_name = "WxH[xROWS]", default_value = "8x8")]
    workgroup: Workgroup,
    /// Lines between bands start on multiples of this many rows; the talk advises 64, because no
    /// API tells how far a cache line reaches
    #[arg(long, value_name = "ROWS", default_value_t = 64, value_parser = value_parser!(u32).range(1..=4096))]
    align: u32,
    /// Two images in turn instead of one per pass: a line read two passes ago may then be stale
    #[arg(long)]
    ping_pong: bool,
}

fn main() -> ExitCode {
    run(sample!(), pipelined_events)
}

fn pipelined_events(lab: &mut Lab, args: &Args) -> Result<()> {
    let chain = Chain::new(lab, args)?;
    let has_events = lab.has_events();

    lab.variant("no_barrier", move |cmd, rep| {
        chain.passes(cmd, |pass| chain.step(cmd, chain.plain, rep, pass, chain.rows()));
    })
    .races("every dependency between passes")
    .alarm("SYNC-HAZARD-READ-AFTER-WRITE", "it is one")
    .alarm_if(args.ping_pong, "SYNC-HAZARD-WRITE-AFTER-READ", "it is one")
    .published("lottes2018", "ladder/no_barrier");

    lab.variant("full_barrier", move |cmd, rep| {
        chain.passes(cmd, |pass| {
            if chain.before(rep, pass).is_some() {
                cmd.pipeline_barrier2(STORES, LOADS);
            }
            chain.step(cmd, chain.plain, rep, pass, chain.rows());
        });
    })
    .published("lottes2018", "ladder/barrier");

    // The same wait for all earlier waves, but no cache is flushed or invalidated for it.
    lab.variant("execution_only", move |cmd, rep| {
        chain.passes(cmd, |pass| {
            if chain.before(rep, pass).is_some() {
                cmd.pipeline_barrier2(NO_ACCESS, NO_ACCESS);
            }
            chain.step(cmd, chain.coherent, rep, pass, chain.rows());
        });
    })
    .relies_on(CACHED_LOADS)
    .alarm("SYNC-HAZARD-READ-AFTER-WRITE", "the layer does not know coherent stores");

    let wanted = if args.bands.is_empty() { &BANDS[..] } else { &args.bands };
    let events = lab.events(chain.passes * wanted.iter().copied().max().unwrap_or(0))?;
    for &bands in wanted {
        let impossible = chain.impossible_split(bands);
        if let (Some(reason), false) = (&impossible, args.bands.is_empty()) {
            bail!("{reason}");
        }
        let event = move |(repetition, pass): (u32, u32), band| events.get(repetition, pass * bands + band);

        // What splitting itself costs: twice the dispatches, no dependency.
        lab.variant(format!("bands_no_sync_{bands}"), move |cmd, rep| {
            chain.bands(cmd, bands, |pass, _, rows| chain.step(cmd, chain.plain, rep, pass, rows));
        })
        .races("every dependency between passes")
        .alarm("SYNC-HAZARD-READ-AFTER-WRITE", "it is one")
        .alarm_if(args.ping_pong, "SYNC-HAZARD-WRITE-AFTER-READ", "it is one")
        .alarm_of_some_layers("SYNC-HAZARD-WRITE-AFTER-WRITE", DISJOINT_BANDS)
        .skip(impossible.clone());

        lab.variant(format!("events_{bands}"), move |cmd, rep| {
            chain.bands(cmd, bands, |pass, band, rows| {
                if let Some(before) = chain.before(rep, pass) {
                    cmd.wait_events2(event(before, band), STORES, LOADS);
                }
                chain.step(cmd, chain.plain, rep, pass, rows);
                if chain.is_followed(rep, pass) {
                    cmd.set_event2(event((rep.index, pass), band), STORES, LOADS);
                }
            });
        })
        .needs(has_events, "events")
        .alarm("SYNC-HAZARD-READ-AFTER-WRITE", DISJOINT_BANDS)
        .alarm_if(args.ping_pong, "SYNC-HAZARD-WRITE-AFTER-READ", DISJOINT_BANDS)
        .alarm_of_some_layers("SYNC-HAZARD-WRITE-AFTER-WRITE", DISJOINT_BANDS)
        .skip(impossible.clone());

        // The talk's own form: coherent stores instead of a cache flush, the event only orders.
        lab.variant(format!("events_coherent_{bands}"), move |cmd, rep| {
            chain.bands(cmd, bands, |pass, band, rows| {
                if let Some(before) = chain.before(rep, pass) {
                    cmd.wait_events2(event(before, band), NO_ACCESS, NO_ACCESS);
                }
                chain.step(cmd, chain.coherent, rep, pass, rows);
                if chain.is_followed(rep, pass) {
                    cmd.set_event2(event((rep.index, pass), band), NO_ACCESS, NO_ACCESS);
                }
            });
        })
        .needs(has_events, "events")
        .relies_on(CACHED_LOADS)
        .alarm("SYNC-HAZARD-READ-AFTER-WRITE", "the layer does not know coherent stores")
        .alarm_if(args.ping_pong, "SYNC-HAZARD-WRITE-AFTER-READ", DISJOINT_BANDS)
        .alarm_of_some_layers("SYNC-HAZARD-WRITE-AFTER-WRITE", DISJOINT_BANDS)
        .published("lottes2018", "ladder/split_by_events")
        .skip(impossible);
    }

    lab.bound("no_barrier");
    lab.baseline("full_barrier");
    chain.expect(lab)
}

const CACHED_LOADS: &str = "stores that are coherent reach the cache that all multiprocessors share, and plain loads \
                            find them there because their lines were in no other cache before";
const DISJOINT_BANDS: &str = "bands write disjoint rows, but the layer sees one image";

/// What all variants share.
#[derive(Clone, Copy)]
struct Chain {
    size: Extent,
    passes: u32,
    radius: u32,
    align: u32,
    workgroup: Workgroup,
    /// One for the seed and one for each pass, or two in turn.
    images: Images,
    ping_pong: bool,
    plain: Kernel,
    coherent: Kernel,
}

impl Chain {
    fn new(lab: &mut Lab, args: &Args) -> Result<Self> {
        let size = args.size.unwrap_or(Extent::square(if lab.on_cpu() { 384 } else { 1152 }));
        let kernel = || {
            lab.kernel("pipelined_events/step.comp")
                .workgroup(args.workgroup.invocations())
                .constant("ROWS", args.workgroup.rows)
                .constant("RADIUS", args.radius)
                .constant("MULTIPLIER", MULTIPLIER)
        };
        let (plain, coherent) = (kernel().build()?, kernel().define("COHERENT_STORES").build()?);
        for (name, value) in [("passes", args.passes), ("radius", args.radius), ("align", args.align)] {
            lab.setting(name, value);
        }
        lab.setting("size", size);
        lab.setting("workgroup", args.workgroup);
        lab.setting("images", if args.ping_pong { "2 in turn (ping-pong)" } else { "one per pass" });
        // A pass writes generations from 1 on, so 0 is what none of them writes.
        let count = if args.ping_pong { 2 } else { args.passes + 1 };
        let images = lab.output_images("generation", count, size.sides(), Format::R32_UINT, [0; 4])?;
        let (passes, radius, align) = (args.passes, args.radius, args.align);
        Ok(Self {
            size,
            passes,
            radius,
            align,
            workgroup: args.workgroup,
            images,
            ping_pong: args.ping_pong,
            plain,
            coherent,
        })
    }

    fn image(&self, generation: u32) -> u32 {
        if self.ping_pong { generation % 2 } else { generation }
    }

    fn rows(&self) -> Range<u32> {
        0..self.size.height
    }

    fn passes(&self, cmd: &Cmd<'_>, record: impl Fn(u32)) {
        for pass in 0..self.passes {
            cmd.region(format_args!("pass {pass}"), || record(pass));
        }
    }

    fn bands(&self, cmd: &Cmd<'_>, bands: u32, record: impl Fn(u32, u32, Range<u32>)) {
        self.passes(cmd, |pass| {
            for band in 0..bands {
                record(pass, band, self.line(bands, pass, band)..self.line(bands, pass, band + 1));
            }
        });
    }

    /// The one command of the chain: a pass, or a band of it.
    fn step(&self, cmd: &Cmd<'_>, kernel: Kernel, rep: Rep, pass: u32, rows: Range<u32>) {
        let image = |generation| self.images.get(rep.index, self.image(generation));
        let [width, height] = self.workgroup.tile();
        let groups = [self.size.width.div_ceil(width), (rows.end - rows.start).div_ceil(height), 1];
        cmd.dispatch(kernel, &[image(pass), image(pass + 1)], &[rows.start, rows.end], groups);
    }

    /// Repetition and pass that were recorded just before, where there is one. The next repetition
    /// of a chain waits for the one before as a pass does.
    fn before(&self, rep: Rep, pass: u32) -> Option<(u32, u32)> {
        match pass.checked_sub(1) {
            Some(before) => Some((rep.index, before)),
            None => Some((rep.index.checked_sub(1)?, self.passes - 1)),
        }
    }

    fn is_followed(&self, rep: Rep, pass: u32) -> bool {
        pass + 1 < self.passes || !rep.is_last()
    }

    /// How far lines move from pass to pass.
    fn shift(&self) -> u32 {
        self.radius.next_multiple_of(self.align)
    }

    /// First row of a band: near equal parts half-way through the chain, on multiples of the
    /// alignment, and such that no band of any pass is empty.
    fn line(&self, bands: u32, pass: u32, band: u32) -> u32 {
        if band == 0 || band == bands {
            return self.size.height * band / bands;
        }
        let (align, travel) = (self.align, (self.passes - 1) * self.shift());
        let even = (band * self.size.height / bands + travel / 2 + align / 2) / align * align;
        let last = (self.size.height - 1) / align * align;
        even.clamp(travel + band * align, last - (bands - 1 - band) * align) - pass * self.shift()
    }

    /// Why the image cannot be split like this, with the smallest size that can.
    fn impossible_split(&self, bands: u32) -> Option<String> {
        let needed = (self.passes - 1) * self.shift() + (bands - 1) * self.align + 1;
        (needed > self.size.height).then(|| {
            format!(
                "{bands} bands over {} passes need {needed} rows, because lines lie {} rows apart and move by {} a \
                 pass: the smallest size that works is --size {}x{needed} (or fewer bands, or a smaller --align)",
                self.passes, self.align, self.shift(), self.size.width
            )
        })
    }

    fn expect(&self, lab: &mut Lab) -> Result<()> {
        let texels = self.size.width * self.size.height;
        let seed: Vec<u32> = (0..texels).map(|i| i.wrapping_mul(0x9E37_79B1) >> (32 - MIX_BITS)).collect();
        lab.seed(self.images, 0, &seed)?;
        lab.expect(self.images, self.image(self.passes), self.twin(seed))
    }

    /// The formula on the CPU: smallest generation of the cross plus one, above everything that was
    /// read, mixed in the order centre, then left, right, up, down at growing distance.
    fn twin(&self, mut texels: Vec<u32>) -> Vec<u32> {
        let (width, height) = (self.size.width as usize, self.size.height as usize);
        for _ in 0..self.passes {
            let read = |x: usize, y: usize| texels[y.min(height - 1) * width + x.min(width - 1)];
            let next = |(at, texel): (usize, &mut u32)| {
                let (x, y) = (at % width, at / width);
                let (mut generation, mut mixed) = (read(x, y) >> MIX_BITS, read(x, y));
                for d in 1..=self.radius as usize {
                    let (left, up) = (x.saturating_sub(d), y.saturating_sub(d));
                    for near in [read(left, y), read(x + d, y), read(x, up), read(x, y + d)] {
                        generation = generation.min(near >> MIX_BITS);
                        mixed = mixed.wrapping_mul(MULTIPLIER).wrapping_add(near);
                    }
                }
                *texel = (generation + 1) << MIX_BITS | mixed & ((1 << MIX_BITS) - 1);
            };
            let mut written = vec![0; texels.len()];
            written.par_iter_mut().enumerate().with_min_len(width).for_each(next);
            texels = written;
        }
        texels
    }
}
