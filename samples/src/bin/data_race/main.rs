//! Do dispatches without a barrier race on this device? The talk's tester: a few dispatches, each
//! reading what the one before wrote, and a count of the texels that came out wrong.
//!
//! ```text
//! time →          nothing keeps dispatch 1 from reading what dispatch 0 has not written yet
//! no_barrier      ▕▔▔ dispatch 0 ▔▔╲
//!                          ╱▔▔ dispatch 1 ▔▔╲         a small dispatch starts in the drain of the
//!                                   ╱▔▔ dispatch 2 ▔▔  last; a large one starts when it is over
//! ```
//!
//! Expect races where a dispatch is small: its waves start before the last of the one before are
//! done. The talk saw them on an RX 580 up to 128x128 and none from 256x256 on. That none is seen
//! proves nothing: it bounds how likely a race is in the next trial, and the table prints the bound.
//!
//! Two images in turn, or one per pass: the talk trades the cache flush of a barrier for `coherent`
//! stores, and its rule is that each cache line is written once before any read. With two images the
//! third dispatch reads lines that the first has read, and may find them stale in its own cache
//! though the order is right. With one image per pass it cannot.
//!
//! `seeded_fault` is the proof of power: one workgroup reads a generation too old, and every trial
//! must find just its texels, on every device. `--image FILE.png` shows where the races fall.
//!
//! Where it does not help: a CPU device runs dispatches one by one, so that no race can show, and
//! says so; `--check` then runs them in other orders, in which a missing barrier is seen.
//!
//! Look for, in RGP or Nsight: the overlap of neighbouring dispatches, largest for the small ones.
//!
//! Source: Timothy Lottes, Engine Optimization Hot Lap, GDC 2018, "Simple Data Race Tester".
//! Specification: Vulkan 1.3, 7.1 (execution and memory dependencies) and appendix B (Memory Model).

use std::process::ExitCode;

use anyhow::Result;
use clap::value_parser;
use common::record::error::BeyondLimits;
use common::{
    Cmd, Extent, Figures, Format, Image, ImageSet, Images, Kernel, Lab, Pass, Promise, Reliance, Rep, run,
    sample,
};
use samples::{LOADS, NO_ACCESS, STORES, chain};

/// Where none of so many trials races, at most 1.5 % do, with 95 % confidence.
const GPU_TRIALS: usize = 200;
/// A device that overlaps nothing shows no more in more.
const CPU_TRIALS: usize = 20;
/// Small workgroups, as the talk's: the smaller, the sooner the next dispatch's can start.
const WORKGROUP: [u32; 3] = [8, 8, 1];

/// Do dispatches without a barrier race on this device?
#[derive(clap::Args, Clone, Debug)]
struct Args {
    /// Image sizes, comma-separated [default: powers of two from 32 to 4096, on a CPU device to 256]
    #[arg(long, value_name = "WxH", value_delimiter = ',', allow_hyphen_values = true)]
    size: Vec<Extent>,
    /// Dispatches, each reading what the one before wrote
    #[arg(long, default_value_t = 3, value_parser = value_parser!(u32).range(2..=64))]
    passes: u32,
    /// Length of the arms of the cross that a dispatch reads, in texels
    #[arg(long, default_value_t = 2, value_parser = value_parser!(u32).range(1..=64))]
    radius: u32,
}

fn main() -> ExitCode {
    run(sample!(), data_race)
}

fn data_race(lab: &mut Lab, args: &Args) -> Result<()> {
    lab.describe(include_str!("variants.toml"))?;
    lab.report.trials(if lab.device().is_cpu() { CPU_TRIALS } else { GPU_TRIALS });
    lab.report.show_matrix();
    let kernels = kernels(lab, args.radius);
    lab.report.setting("passes", args.passes);
    lab.report.setting("radius", args.radius);
    let mut sizes = args.size.clone();
    sizes.sort_by_key(|size| (size.height, size.width));
    sizes.dedup();
    if sizes.is_empty() {
        let largest = if lab.device().is_cpu() { 256 } else { 4096 };
        sizes = (5..).map(|n| Extent::square(1 << n)).take_while(|size| size.width <= largest).collect();
    }
    lab.report.setting("size", sizes.iter().map(Extent::to_string).collect::<Vec<_>>().join(","));
    for ping_pong in [true, false] {
        for &size in &sizes {
            match Tester::new(lab, args, kernels, size, ping_pong) {
                Ok(tester) => variants(lab, tester),
                // Of the sizes that nobody asked for, those are taken that have room.
                Err(error) if args.size.is_empty() && error.is::<BeyondLimits>() => {}
                Err(error) => return Err(error),
            }
        }
    }
    lab.report.verdict(move |figures| verdict(figures, &sizes));
    Ok(())
}

/// One size with one kind of images: the dispatches with nothing, with an order, with all between them.
fn variants(lab: &mut Lab, tester: Tester) {
    let [plain, coherent_stores, coherent_loads, faulty] = tester.kernels;

    lab.variant(tester.name("no_barrier"), move |cmd, rep| {
        for pass in rep.passes(tester.passes) {
            tester.dispatch(cmd, plain, pass);
        }
    })
    .races("every dependency between the dispatches");

    // The order alone, with the caches left as they are, bypassed by stores, and by loads as well.
    let ordered = [
        ("execution_only", plain, PLAIN),
        ("coherent_stores", coherent_stores, COHERENT_STORES),
        ("coherent_loads", coherent_loads, COHERENT_LOADS),
    ];
    for (name, kernel, reliance) in ordered {
        lab.variant(tester.name(name), move |cmd, rep| {
            for pass in rep.passes(tester.passes) {
                if pass.has_previous() {
                    cmd.pipeline_barrier2(NO_ACCESS, NO_ACCESS);
                }
                tester.dispatch(cmd, kernel, pass);
            }
        })
        .relies_on(reliance);
    }

    lab.variant(tester.name("full_barrier"), move |cmd, rep| {
        for pass in rep.passes(tester.passes) {
            if pass.has_previous() {
                cmd.pipeline_barrier2(STORES, LOADS);
            }
            tester.dispatch(cmd, plain, pass);
        }
    });

    // The same, but one workgroup of the last dispatch reads the generation before the previous one.
    lab.variant(tester.name("seeded_fault"), move |cmd, rep| {
        for pass in rep.passes(tester.passes) {
            if pass.has_previous() {
                cmd.pipeline_barrier2(STORES, LOADS);
            }
            if pass.index + 1 < tester.passes {
                tester.dispatch(cmd, plain, pass);
            } else {
                tester.faulty_dispatch(cmd, faulty, pass);
            }
        }
    })
    .promise(Promise::has_bug(tester.faulty_texels()));
}

const PLAIN: Reliance = Reliance::without_visibility(
    "stores reaching the cache that all multiprocessors share by the end of their dispatch, and on no other cache holding \
     the lines from before, which two images in turn break on purpose",
);
const COHERENT_STORES: Reliance = Reliance::without_visibility(
    "no cache of a multiprocessor holding the lines from before, which two images in turn break on purpose",
);
const COHERENT_LOADS: Reliance = Reliance::without_visibility(
    "loads and stores of different bindings meeting in the cache that all multiprocessors share",
);

/// Where races were seen and where not, in one sentence each.
fn verdict(figures: &Figures<'_>, sizes: &[Extent]) -> Option<String> {
    let seen = |variant: &str, ping_pong| {
        let racy = sizes.iter().filter_map(|&size| {
            let row = figures.row(&name(variant, size, ping_pong))?;
            Some((size, row.racy?))
        });
        let measured: Vec<_> = racy.collect();
        let raced: Vec<String> = measured
            .iter()
            .filter(|(_, racy)| racy.racy_samples > 0)
            .map(|(size, _)| size.to_string())
            .collect();
        let trials = measured.iter().map(|(_, racy)| racy.samples).min();
        match (raced.is_empty(), trials) {
            (_, None) => "not measured".into(),
            (true, Some(trials)) => {
                format!("seen at none of the {} sizes in {trials} trials each", measured.len())
            }
            (false, _) => format!("seen at {}", raced.join(", ")),
        }
    };
    Some(format!(
        "In short: without a barrier, races were {} with two images in turn, and {} with one image per pass. With an \
         execution dependency and coherent stores they were {} with two images in turn, and {} with one per pass.",
        seen("no_barrier", true),
        seen("no_barrier", false),
        seen("coherent_stores", true),
        seen("coherent_stores", false)
    ))
}

fn name(variant: &str, size: Extent, ping_pong: bool) -> String {
    format!("{variant}_{size}{}", if ping_pong { "_ping_pong" } else { "" })
}

/// The dispatch: as it is, with stores that bypass the multiprocessor's own cache, with such stores and loads, and with a
/// fault.
fn kernels(lab: &Lab, radius: u32) -> [Kernel; 4] {
    let forms: [&[&str]; 4] = [&[], &["COHERENT_STORES"], &["COHERENT_STORES", "COHERENT_LOADS"], &["FAULT"]];
    forms.map(|defines| {
        let kernel = lab.kernel("chain/step.comp").workgroup(WORKGROUP);
        let kernel = kernel.constant("RADIUS", radius).constant("MULTIPLIER", chain::MULTIPLIER);
        defines.iter().fold(kernel, |kernel, define| kernel.define(define)).build()
    })
}

/// The dispatches on images of one size.
#[derive(Clone, Copy)]
struct Tester {
    size: Extent,
    passes: u32,
    images: Images,
    ping_pong: bool,
    kernels: [Kernel; 4],
}

impl Tester {
    fn new(lab: &mut Lab, args: &Args, kernels: [Kernel; 4], size: Extent, ping_pong: bool) -> Result<Self> {
        let &Args { passes, radius, .. } = args;
        let count = if ping_pong { 2 } else { passes + 1 };
        let images =
            lab.output("generation", ImageSet::new(count, size.sides(), Format::R32_UINT, chain::UNWRITTEN))?;
        let tester = Self { size, passes, images, ping_pong, kernels };
        lab.seed(images, 0, move || chain::seed(size));
        lab.expect(images, tester.index(passes), move || chain::reference(size, radius, passes));
        Ok(tester)
    }

    fn name(&self, variant: &str) -> String {
        name(variant, self.size, self.ping_pong)
    }

    fn dispatch(&self, cmd: &Cmd, kernel: Kernel, pass: Pass) {
        let images = [pass.index, pass.index + 1].map(|generation| self.image(pass.rep, generation));
        cmd.dispatch(kernel, &images, &[0, self.size.height], self.groups());
    }

    fn faulty_dispatch(&self, cmd: &Cmd, kernel: Kernel, Pass { index, rep, .. }: Pass) {
        let images = [index, index + 1, index - 1].map(|generation| self.image(rep, generation));
        cmd.dispatch(kernel, &images, &[0, self.size.height], self.groups());
    }

    fn groups(&self) -> [u32; 3] {
        [self.size.width.div_ceil(WORKGROUP[0]), self.size.height.div_ceil(WORKGROUP[1]), 1]
    }

    /// Texels of the workgroup in the middle, as far as they lie in the image.
    fn faulty_texels(&self) -> u64 {
        let [columns, rows, _] = self.groups();
        let inside = |group: u32, side: u32, length: u32| u64::from(length.min(side - group / 2 * length));
        inside(columns, self.size.width, WORKGROUP[0]) * inside(rows, self.size.height, WORKGROUP[1])
    }

    fn image(&self, rep: Rep, generation: u32) -> Image {
        self.images.get(rep.index, self.index(generation))
    }

    /// Index of the image that holds a generation.
    fn index(&self, generation: u32) -> u32 {
        if self.ping_pong { generation % 2 } else { generation }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_verdict_speaks_of_what_was_measured() {
        let record = samples::recorded("data-race").unwrap();
        let sizes: Vec<Extent> = (5..=12).map(|n| Extent::square(1 << n)).collect();
        assert_eq!(record.verdict, verdict(&Figures::new(&record.rows), &sizes));
        let text = verdict(&Figures::new(&record.rows[..1]), &sizes).unwrap();
        assert!(text.contains("coherent stores they were not measured"), "{text}");
    }
}
