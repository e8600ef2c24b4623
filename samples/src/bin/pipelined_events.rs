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
//! Expect the talk's 1.31 for the barrier and 1.03 for the events only where events neither drain the
//! GPU nor cost as much as what they save. Current RADV drains in the wait; on NVIDIA 580 a set and
//! its wait take 3 to 4 µs, more than a barrier. And where one pass is long enough to hide drain and
//! fill (from about 2048² on an H200), there is little to save.
//!
//! Look for, in RGP or Nsight: whether the first waves of a pass start before the last waves of the
//! pass before end, and the gap in front of each pass of `full_barrier`.
//!
//! Source: Timothy Lottes, Engine Optimization Hot Lap, GDC 2018, "Pipelining with Events".
//! Specification: Vulkan 1.3, chapter 7 (Events) and appendix B (Memory Model).

use std::collections::BTreeSet;
use std::ops::Range;
use std::process::ExitCode;

use anyhow::{Result, bail};
use clap::value_parser;
use common::{
    Access, Cmd, EventState, Extent, Format, Images, Kernel, Lab, Rep, Scope, Stage, Workgroup, run, sample,
};
use rayon::prelude::*;

const STORES: Scope = (Stage::COMPUTE_SHADER, Access::SHADER_STORAGE_WRITE);
const LOADS: Scope = (Stage::COMPUTE_SHADER, Access::SHADER_STORAGE_READ);
/// Nothing made available, nothing made visible: an execution dependency.
const NO_ACCESS: Scope = (Stage::COMPUTE_SHADER, Access::NONE);

/// Weight of what was read before when the next texel is mixed in; odd, so that nothing is lost.
const MULTIPLIER: u32 = 0x0100_0193;
/// The generation of a texel lies above the bits of its mixed value.
const MIX_BITS: u32 = 24;

#[derive(clap::Args, Clone, Debug)]
struct Args {
    /// Image size [default: 1152x1152 as on the slide, on a CPU device 384x384]
    #[arg(long, value_name = "WxH", allow_hyphen_values = true)]
    size: Option<Extent>,
    /// Passes of the chain, each reading what the one before wrote, so at least two
    #[arg(long, default_value_t = 3, value_parser = value_parser!(u32).range(2..=200))]
    passes: u32,
    /// Length of the arms of the cross that a pass reads, in texels
    #[arg(long, default_value_t = 2, value_parser = value_parser!(u32).range(1..=64))]
    radius: u32,
    /// Numbers of bands that a pass is split into, comma-separated [default: 2,4]
    #[arg(long, value_delimiter = ',', value_parser = value_parser!(u32).range(2..=16))]
    bands: Vec<u32>,
    /// Workgroup, and how many rows an invocation loops over
    #[arg(long, value_name = "WxH[xROWS]", default_value = "8x8", allow_hyphen_values = true)]
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

    lab.variant("no_barrier", move |cmd, rep| {
        chain.passes(cmd, |pass| chain.step(cmd, chain.plain, rep, pass, 0..chain.size.height));
    })
    .races("every dependency between passes")
    .published("lottes2018", "ladder/no_barrier");

    lab.variant("full_barrier", move |cmd, rep| {
        chain.passes(cmd, |pass| {
            if chain.before(rep, pass).is_some() {
                cmd.pipeline_barrier2(STORES, LOADS);
            }
            chain.step(cmd, chain.plain, rep, pass, 0..chain.size.height);
        });
    })
    .published("lottes2018", "ladder/barrier");

    // The same wait for all earlier waves, but no cache is written back or invalidated for it.
    lab.variant("execution_only", move |cmd, rep| {
        chain.passes(cmd, |pass| {
            if chain.before(rep, pass).is_some() {
                cmd.pipeline_barrier2(NO_ACCESS, NO_ACCESS);
            }
            chain.step(cmd, chain.coherent, rep, pass, 0..chain.size.height);
        });
    })
    .relies_on(CACHED_LOADS)
    .alarm(READ_AFTER_WRITE, chain.passes - 1, NO_VISIBILITY);

    let counts =
        if args.bands.is_empty() { BTreeSet::from([2, 4]) } else { args.bands.iter().copied().collect() };
    for count in counts {
        let bands = Bands::of(&chain, count);
        if let (Some(reason), false) = (bands.impossible(), args.bands.is_empty()) {
            bail!("{reason}");
        }
        split(lab, chain, bands)?;
    }

    lab.bound("no_barrier");
    lab.baseline("full_barrier");
    chain.expect(lab)
}

/// The chain with each pass in bands: without any order, with lawful events, and as the talk has it.
fn split(lab: &mut Lab, chain: Chain, bands: Bands) -> Result<()> {
    let count = bands.count;
    let events = lab.events(chain.passes * count, EventState::DeviceOnly)?;
    let event = move |(repetition, pass), band| events.get(repetition, pass * count + band);
    // All but the last band of a pass begin while the image that they read is still being written.
    let (steps, ping_pong) = (chain.passes - 1, u32::from(chain.ping_pong));

    // What splitting itself costs: more dispatches, no dependency.
    lab.variant(format!("bands_no_sync_{count}"), move |cmd, rep| {
        chain.bands(cmd, bands, |pass, _, rows| chain.step(cmd, chain.plain, rep, pass, rows));
    })
    .races("every dependency between passes")
    .skip(bands.impossible());

    lab.variant(format!("events_{count}"), move |cmd, rep| {
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
    .alarm(READ_AFTER_WRITE, (count - 1) * steps, ONE_IMAGE)
    .alarm(WRITE_AFTER_READ, (count - 1) * steps * ping_pong, ONE_IMAGE)
    .skip(bands.impossible());

    // The talk's own form: coherent stores instead of a cache flush, the event only orders.
    lab.variant(format!("events_coherent_{count}"), move |cmd, rep| {
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
    .relies_on(CACHED_LOADS)
    .published_if(count == 2, "lottes2018", "ladder/split_by_events")
    .alarm(READ_AFTER_WRITE, count * steps, NO_VISIBILITY)
    .alarm(WRITE_AFTER_READ, (count - 1) * steps * ping_pong, ONE_IMAGE)
    .completed_alarm(READ_AFTER_WRITE, (count - 1) * steps, ONE_IMAGE)
    .completed_alarm(WRITE_AFTER_READ, (count - 1) * steps * ping_pong, ONE_IMAGE)
    .skip(bands.impossible());
    Ok(())
}

const READ_AFTER_WRITE: &str = "SYNC-HAZARD-READ-AFTER-WRITE";
const WRITE_AFTER_READ: &str = "SYNC-HAZARD-WRITE-AFTER-READ";
const NO_VISIBILITY: &str = "visibility is what the variant leaves out";
const CACHED_LOADS: &str = "coherent stores reaching the cache that all multiprocessors share, and on plain loads \
                            finding them there because no other cache held their lines before";
const ONE_IMAGE: &str = "the rows that two bands touch are disjoint or ordered, but the layer sees one image";

/// What all variants share.
#[derive(Clone, Copy)]
struct Chain {
    size: Extent,
    passes: u32,
    radius: u32,
    align: u32,
    workgroup: Workgroup,
    /// Generation 0 and one per pass, or two in turn.
    images: Images,
    ping_pong: bool,
    plain: Kernel,
    coherent: Kernel,
}

impl Chain {
    fn new(lab: &mut Lab, args: &Args) -> Result<Self> {
        let size = args.size.unwrap_or(Extent::square(if lab.on_cpu() { 384 } else { 1152 }));
        let &Args { passes, radius, align, workgroup, ping_pong, .. } = args;
        lab.setting("size", size);
        lab.setting("workgroup", workgroup);
        lab.setting("images", if ping_pong { "two in turn" } else { "one per pass" });
        for (name, value) in [("passes", passes), ("radius", radius), ("align", align)] {
            lab.setting(name, value);
        }
        let kernel = || {
            lab.kernel("pipelined_events/step.comp")
                .workgroup(workgroup.invocations())
                .constant("ROWS", workgroup.rows)
                .constant("RADIUS", radius)
                .constant("MULTIPLIER", MULTIPLIER)
        };
        let (plain, coherent) = (kernel().build()?, kernel().define("COHERENT_STORES").build()?);
        // Passes write generations from 1 on, so 0 is a value that none of them writes.
        let count = if ping_pong { 2 } else { passes + 1 };
        let images = lab.output_images("generation", count, size.sides(), Format::R32_UINT, [0; 4])?;
        Ok(Self { size, passes, radius, align, workgroup, images, ping_pong, plain, coherent })
    }

    /// Index of the image that holds a generation.
    fn image(&self, generation: u32) -> u32 {
        if self.ping_pong { generation % 2 } else { generation }
    }

    fn passes(&self, cmd: &Cmd<'_>, record: impl Fn(u32)) {
        for pass in 0..self.passes {
            cmd.region(format_args!("pass {pass}"), || record(pass));
        }
    }

    fn bands(&self, cmd: &Cmd<'_>, bands: Bands, record: impl Fn(u32, u32, Range<u32>)) {
        self.passes(cmd, |pass| (0..bands.count).for_each(|band| record(pass, band, bands.rows(pass, band))));
    }

    /// The one dispatch of the chain: a pass, or a band of it.
    fn step(&self, cmd: &Cmd<'_>, kernel: Kernel, rep: Rep, pass: u32, rows: Range<u32>) {
        let images = [pass, pass + 1].map(|generation| self.images.get(rep.index, self.image(generation)));
        let [width, height] = self.workgroup.tile();
        let groups = [self.size.width.div_ceil(width), (rows.end - rows.start).div_ceil(height), 1];
        cmd.dispatch(kernel, &images, &[rows.start, rows.end], groups);
    }

    /// Repetition and pass recorded just before, if any: a repetition of the chain follows the one
    /// before it as a pass does.
    fn before(&self, rep: Rep, pass: u32) -> Option<(u32, u32)> {
        match pass.checked_sub(1) {
            Some(before) => Some((rep.index, before)),
            None => Some((rep.index.checked_sub(1)?, self.passes - 1)),
        }
    }

    fn is_followed(&self, rep: Rep, pass: u32) -> bool {
        pass + 1 < self.passes || !rep.is_last()
    }

    fn expect(&self, lab: &mut Lab) -> Result<()> {
        let texels = self.size.width * self.size.height;
        let seed: Vec<u32> = (0..texels).map(|i| i.wrapping_mul(0x9E37_79B1) >> (32 - MIX_BITS)).collect();
        lab.seed(self.images, 0, &seed)?;
        lab.expect(self.images, self.image(self.passes), self.twin(seed))
    }

    /// The formula on the CPU: the smallest generation of the cross plus one, above everything that
    /// was read, mixed in the order centre, then left, right, up, down at growing distance.
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

/// How each pass is cut into bands; the head of this file draws it.
#[derive(Clone, Copy)]
struct Bands {
    count: u32,
    height: u32,
    passes: u32,
    align: u32,
    /// How far the lines between bands move from pass to pass: the reach, rounded up.
    shift: u32,
    width: u32,
}

impl Bands {
    fn of(chain: &Chain, count: u32) -> Self {
        let (Extent { width, height }, passes, align) = (chain.size, chain.passes, chain.align);
        Self { count, height, passes, align, shift: chain.radius.next_multiple_of(align), width }
    }

    fn rows(&self, pass: u32, band: u32) -> Range<u32> {
        self.line(pass, band)..self.line(pass, band + 1)
    }

    /// Where a band begins: near equal parts half-way through the chain, on multiples of the
    /// alignment, and so that no band of any pass is empty.
    fn line(&self, pass: u32, band: u32) -> u32 {
        let Self { count, height, align, shift, .. } = *self;
        if band == 0 || band == count {
            return height * band / count;
        }
        let travel = (self.passes - 1) * shift;
        let even = (band * height / count + travel / 2 + align / 2) / align * align;
        let last = (height - 1) / align * align;
        even.clamp(travel + band * align, last - (count - 1 - band) * align) - pass * shift
    }

    /// Why the image cannot be cut like this, with the smallest size that can.
    fn impossible(&self) -> Option<String> {
        let Self { count, passes, align, shift, width, .. } = *self;
        let needed = (passes - 1) * shift + (count - 1) * align + 1;
        (needed > self.height).then(|| {
            format!(
                "{count} bands need --size {width}x{needed} or larger, because the lines between them lie {align} rows \
                 apart and move by {shift} in each of {passes} passes (or fewer bands, or a smaller --align)"
            )
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// On a device that never overlaps dispatches a wrong line does no harm, so it is proved here.
    #[test]
    fn a_band_reads_only_what_its_event_stands_for() {
        let mut split = 0;
        for (height, count, align, radius, passes) in grid() {
            let shift = radius.next_multiple_of(align);
            let bands = Bands { count, height, passes, align, shift, width: 1 };
            if bands.impossible().is_some() {
                continue;
            }
            split += 1;
            for pass in 0..passes {
                let rows: Vec<_> = (0..count).map(|band| bands.rows(pass, band)).collect();
                assert!(rows.iter().all(|r| r.start < r.end), "{height} {count} {align} {radius}: {rows:?}");
                assert!(rows.windows(2).all(|w| w[0].end == w[1].start && w[1].start % align == 0));
                assert_eq!((rows[0].start, rows[count as usize - 1].end), (0, height));
                for band in (0..count - 1).filter(|_| pass > 0) {
                    let before = bands.rows(pass - 1, band).end;
                    assert!(
                        rows[band as usize].end + radius <= before,
                        "pass {pass} band {band} reads too far"
                    );
                }
            }
        }
        assert!(split > 400, "only {split} of the grid can be split");
    }

    #[test]
    fn the_smallest_size_named_is_the_smallest_that_works() {
        for (height, count, align, radius, passes) in grid() {
            let bands = |height| Bands {
                count,
                height,
                passes,
                align,
                shift: radius.next_multiple_of(align),
                width: 9,
            };
            let Some(reason) = bands(height).impossible() else { continue };
            let smallest: u32 =
                reason.split("--size 9x").nth(1).unwrap().split(' ').next().unwrap().parse().unwrap();
            assert!(bands(smallest).impossible().is_none() && bands(smallest - 1).impossible().is_some());
        }
    }

    fn grid() -> impl Iterator<Item = (u32, u32, u32, u32, u32)> {
        let shapes = [64, 65, 200, 321, 512, 1152].into_iter().flat_map(|h| (2..=5).map(move |c| (h, c)));
        let aligned = shapes.flat_map(|(h, c)| [1, 8, 64].map(move |a| (h, c, a)));
        let reaching = aligned.flat_map(|(h, c, a)| [1, 2, 9].map(move |r| (h, c, a, r)));
        reaching.flat_map(|(h, c, a, r)| [1, 3, 12].map(move |p| (h, c, a, r, p)))
    }
}
