//! How often does a multiprocessor return a load?
//!
//! ```text
//! wave 0   load load load load …          the loads of one workgroup, which all hit the L1;
//! wave 1   load load load load …          none needs what another one loads
//! …
//!
//! {2x2} ┌───┬───┬───┬───┐  {4x1} ┌───────┬───────┐   four invocations load texels of a square,
//!       │   │   │   │   │        ├───────┼───────┤   or of a row
//!       ├───┼───┼───┼───┤        ├───────┼───────┤
//! ```
//!
//! - `sampled_*` and `image_*` load texels of a sampled image and of a storage image, in five formats.
//! - `buffer_*` load 32, 64 or 128 bits per invocation of a storage buffer.
//! - The number at the end is that of the waves. A wave has as many invocations as a subgroup of the device.
//! - `*_2x2`, `*_4x1`, `*_row` and `*_column` differ in the texels that the invocations of a wave load together. They have the most
//!   waves. `*_2x2` is the shape of all others.
//!
//! There is one workgroup, so that one multiprocessor works (on RDNA it may be a pair of compute units). It first loads each of 512
//! texels or elements, at most 8 KiB, which are then in the L1. Between two readings of the device's time each invocation does 4096
//! loads, eight at once, and adds up what it loads. Times are per 64 loads, since 64 invocations are a wave of GCN. On NVIDIA that
//! is two loads of a wave of 32.
//!
//! Expect 16 clocks per 64 loads of an image on GCN, as in the talk, which is four texels per clock. An H200 takes 8 to 9, and 16 for
//! texels of 16 bytes. There, four invocations that load a row of wide texels take up to twice as long as if they load a square. Loads
//! of a buffer take 2.2, 4.0 and 8.1 clocks on an H200, which are up to 127 bytes per clock.
//!
//! Look for, in RGP or Nsight: the share of time in which the texture unit is busy.
//!
//! Source: Timothy Lottes, Engine Optimization Hot Lap, GDC 2018, "Understanding GCN Vector Memory Access" and, of the shapes,
//! "Workgroup Optimization".

mod shapes;
mod texels;
mod verdict;

use std::process::ExitCode;

use anyhow::Result;
use clap::value_parser;
use common::{Binding, BufferSet, Buffers, Declared, Kernel, KernelBuilder, Lab, run, sample};

use shapes::{Shape, TILE, sums};
use texels::{ELEMENTS, Elements, FORMATS, Texels};
use verdict::{headline, verdict};

/// How often does a multiprocessor return a load?
#[derive(clap::Args, Clone, Debug)]
#[command(
    after_help = "--variants '*_2x2,*_4x1' # squares and rows of texels\n--variants 'buffer_*' # loads of a buffer alone"
)]
struct Args {
    /// Loads of each invocation, rounded up to a multiple of 8 [default: 4096, on a CPU 64]
    ///
    /// More of them where the device's time has coarse steps.
    #[arg(long, value_name = "N", value_parser = value_parser!(u32).range(8..=65536))]
    loads: Option<u32>,
}

fn main() -> ExitCode {
    run(sample!(), load_rate)
}

/// Fills the outputs before each run.
const UNWRITTEN: u32 = 0xFFFF_DEAD;
/// Loads of each invocation in a turn of the loop.
const AT_ONCE: u32 = 8;
/// Formats that are loaded in each shape.
const SHAPED: [&str; 3] = ["rgba8", "rgba16f", "rgba32f"];
/// The output whose shape is the picture.
const SHOWN: &str = "rgba8_4x1";
/// Pixels of the picture along a side of a texel.
const ENLARGED: u32 = 16;
const COLOURS: [[u8; 3]; 4] = [[214, 96, 77], [244, 165, 130], [67, 147, 195], [146, 197, 222]];
/// Times are per so many loads, which are a wave of GCN.
const LOADS: u64 = 64;

/// What all variants share.
#[derive(Clone, Copy)]
struct Rates {
    turns: u32,
    /// Invocations of a wave.
    wave: u32,
    /// Ticks of the device's time that the loads took.
    took: Buffers,
    /// Whether the time is that of these loads: on a CPU device it is that of all.
    has_times: bool,
}

fn load_rate(lab: &mut Lab, args: &Args) -> Result<()> {
    lab.describe(include_str!("variants.toml"))?;
    lab.alone();
    let device = lab.device();
    let is_small = device.is_cpu() && !lab.runs_nothing;
    // Code is also compiled for AMD's GPUs.
    let wave = if device.is_cpu() && lab.runs_nothing { 64 } else { device.subgroup_size };
    let most = device.max_workgroup_invocations.min(device.max_workgroup_size[0]);
    let counts = if is_small { &[1, 8][..] } else { &[1, 4, 8, 16, 32] };
    let waves: Vec<u32> = counts.iter().copied().filter(|waves| waves * wave <= most).collect();
    let took = lab.output("what the loads took", BufferSet::new(1, 1, 0))?;
    let turns = args.loads.unwrap_or(if is_small { 64 } else { 4096 }).div_ceil(AT_ONCE);
    let rates = Rates { turns, wave, took, has_times: !lab.device().is_cpu() };
    lab.report.setting("invocations per wave", wave);
    lab.report.setting("loads", turns * AT_ONCE);
    for texels in FORMATS {
        images(lab, rates, texels, &waves)?;
    }
    for elements in ELEMENTS {
        buffers(lab, rates, elements, &waves)?;
    }
    lab.report.show_matrix();
    let most = waves.last().copied().unwrap_or_default();
    lab.report.headline(move |figures| headline(figures, most));
    lab.report.verdict(move |figures| verdict(figures, most));
    Ok(())
}

/// Loads of such texels by each number of waves, and in each shape by as many as there are.
fn images(lab: &mut Lab, rates: Rates, texels: Texels, waves: &[u32]) -> Result<()> {
    let image = texels.image(lab);
    let paths = [("sampled", "SAMPLED", image.sampled()), ("image", "IMAGE", image.into())];
    let by_waves = waves.iter().map(|waves| (waves.to_string(), Shape::Quads, *waves));
    let shapes = if SHAPED.contains(&texels.name) { &Shape::ALL[..] } else { &[] };
    let most = waves.last().copied().unwrap_or(1);
    let by_shape = shapes.iter().map(|(name, shape)| ((*name).to_owned(), *shape, most));
    for (suffix, shape, waves) in by_waves.chain(by_shape) {
        let own = format!("{}_{suffix}", texels.name);
        let places = (0..TILE).map(|number| shape.texel(number)).collect();
        let results =
            rates.results(lab, &own, waves, places, move |number| texels.held(shape.texel(number)))?;
        for (path, define, binding) in paths {
            let kernel = rates.kernel(lab, waves).define(define).constant("SHAPE", shape as u32);
            let kernel = if texels.components == 4 { kernel.define("FOUR") } else { kernel };
            let kernel = if path == "image" { kernel.define(&texels.name.to_uppercase()) } else { kernel };
            rates.declare(lab, format!("{path}_{own}"), waves, kernel.build(), results, binding);
        }
        if own == SHOWN {
            show(lab, results);
        }
    }
    Ok(())
}

/// Loads of such elements of a buffer by each number of waves.
fn buffers(lab: &mut Lab, rates: Rates, elements: Elements, waves: &[u32]) -> Result<()> {
    let buffer = elements.buffer(lab);
    for waves in waves.iter().copied() {
        let name = format!("buffer_{}_{waves}", 32 * elements.words);
        let places = (0..TILE).map(|number| [number, 0]).collect();
        let results = rates.results(lab, &name, waves, places, move |number| elements.held(number))?;
        let kernel = rates.kernel(lab, waves).define("BUFFER").define(elements.define).build();
        rates.declare(lab, name, waves, kernel, results, buffer.into());
    }
    Ok(())
}

impl Rates {
    /// An output with two words for each invocation: the sum of its loads, and the place of its first one.
    fn results(
        &self,
        lab: &mut Lab,
        name: &str,
        waves: u32,
        places: Vec<[u32; 2]>,
        held: impl Fn(u32) -> u32 + 'static,
    ) -> Result<Buffers> {
        let (turns, invocations) = (self.turns, waves * self.wave);
        let results = lab.output(name, BufferSet::new(1, 2 * invocations, UNWRITTEN))?;
        lab.expect(results, 0, move || {
            let firsts = places.iter().cycle().map(|[x, y]| x | y << 16);
            sums(&held, turns, invocations)
                .into_iter()
                .zip(firsts)
                .flat_map(|(sum, first)| [sum, first])
                .collect()
        });
        Ok(results)
    }

    fn kernel<'l>(&self, lab: &'l Lab, waves: u32) -> KernelBuilder<'l> {
        lab.kernel("load_rate/load.comp").workgroup([waves * self.wave, 1, 1]).constant("TURNS", self.turns)
    }

    fn declare(
        &self,
        lab: &mut Lab,
        name: String,
        waves: u32,
        kernel: Kernel,
        results: Buffers,
        from: Binding,
    ) {
        let took = self.took;
        let variant = lab.variant(name, move |cmd, rep| {
            let [results, took] = [results, took].map(|set| Binding::from(set.get(rep.index, 0)));
            cmd.dispatch(kernel, &[results, took, from], &(), [1, 1, 1]);
        });
        variant.times_itself(took.get(0, 0));
        if !self.has_times {
            return;
        }
        let loads = u64::from(self.turns * AT_ONCE * waves * self.wave);
        variant.declares(Declared::default().work(loads / LOADS, &format!("{LOADS} loads")));
    }
}

/// Shows which texels are loaded by the same four invocations.
fn show(lab: &mut Lab, results: Buffers) {
    let caption = "a tile of 8x8 texels: those of the same four invocations have one colour";
    lab.report.show(results, 0, [8 * ENLARGED; 2], caption, |words| {
        let mut texels = [[0; 3]; 64];
        for (invocation, result) in words.chunks(2).take(64).enumerate() {
            let at = (result[1] & 0xFFFF) + 8 * (result[1] >> 16);
            if let Some(texel) = texels.get_mut(at as usize) {
                *texel = COLOURS[invocation / 4 % COLOURS.len()];
            }
        }
        let pixels =
            (0..8 * ENLARGED).flat_map(|y| (0..8 * ENLARGED).map(move |x| [x / ENLARGED, y / ENLARGED]));
        pixels.map(|[x, y]| texels[(8 * y + x) as usize]).collect()
    });
}
