//! Does a subgroup that blurs several tiles, one after another, beat one workgroup a tile? The talk's
//! 9-tap box blur: neighbouring tiles share taps, and a wave that stays is not launched again.
//!
//! ```text
//!                along the filter's reach: what two tiles share is fetched once
//! linear_8x8     ▕tile▏ ▕tile▏ ▕tile▏ ▕tile▏     four workgroups, 10 loads and stores a tile
//! unroll_4       ▕tile│tile│tile│tile▏           one wave, 9.25 a tile at radius 4
//! across_4       the same across the reach       nothing is shared: 10 a tile, the control
//! slide_4        ▕a lane's texels are neighbours▏ 4 a tile: each texel after the first costs one load
//! ```
//!
//! `_x8` puts eight subgroups into a workgroup: a multiprocessor of NVIDIA holds 32 workgroups and 64
//! subgroups, so workgroups of one subgroup leave half of it empty. `rows_32x8x4` is the shape that a
//! chain of passes liked best there. How each form deals its texels out is drawn in
//! `samples/src/tiles.rs`. The horizontal and the vertical blur have the same result here.
//!
//! `--waves-per-simd 3,4,5,6` or `--occupancy 0.25,0.5` limits how many subgroups a multiprocessor holds,
//! by shared memory that is held and not used, and says how many were counted.
//!
//! Expect the talk's 1.22 between `linear_8x8` and `unroll_8` on GCN, pipelined, where fetches are the
//! bottleneck; the winner of single runs is often another. Where the caches feed all fetches anyway, or
//! where too few workgroups are left to fill the device, long waves gain nothing: try small sizes.
//!
//! Look for, in RGP or Nsight: the gap between a wave's end and the next one's first load, and the cache's
//! hit rate.
//!
//! Source: Timothy Lottes, Engine Optimization Hot Lap, GDC 2018, "Semi-Persistent Waves".

use std::collections::BTreeMap;
use std::process::ExitCode;

use anyhow::Result;
use clap::{ValueEnum, value_parser};
use common::kernel::KernelBuilder;
use common::record::Row;
use common::{
    Binding, Cmd, Extent, Figures, Image, Images, Kernel, Lab, Rep, Shows, Variant, published, run, sample,
};
use samples::box_blur::{Axis, Texels, data};
use samples::residency::{self, Held, Limit, Limits, Search, Unit, padded};
use samples::tiles::{Form, forms, tile_lanes};

/// All that no pass writes: means are above 0.
const UNWRITTEN: [u32; 4] = [0; 4];
const HALF_ROUNDING: &str = "a store to 16-bit floats may round to either neighbour";
const OPERATIONS: &str = "VMEM ops a tile";

#[derive(clap::Args, Clone, Debug)]
struct Args {
    /// Image size [default: 3840x2160, on a CPU device 256x256]
    #[arg(long, value_name = "WxH", allow_hyphen_values = true)]
    size: Option<Extent>,
    /// How far the filter reaches to each side, in texels
    #[arg(long, default_value_t = 4, value_parser = value_parser!(u32).range(1..=16))]
    radius: u32,
    /// Format of the images
    #[arg(long, value_enum, default_value_t = Texels::Rgba8)]
    format: Texels,
    /// How texels are read: as a texture, or from a storage image
    #[arg(long, value_enum, default_value_t = Loads::Sampled)]
    loads: Loads,
    /// Lanes that blur a tile at a time: 4, 8, 16, 32, 64, 128 [default: the device's subgroup size]
    #[arg(long, value_name = "LANES", value_parser = tile_lanes)]
    tile_lanes: Option<u32>,
    #[command(flatten)]
    limits: Limits,
}

/// The path that loads take.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Loads {
    Sampled,
    Storage,
}

fn main() -> ExitCode {
    run(sample!(), semi_persistent_waves)
}

fn semi_persistent_waves(lab: &mut Lab, args: &Args) -> Result<()> {
    let limits = args.limits.asked(lab)?;
    let blur = Blur::new(lab, args)?;
    let lanes = args.tile_lanes.unwrap_or_else(|| lab.device().subgroup_size.clamp(4, 128));
    lab.setting("tile_lanes", lanes);
    let [horizontal, vertical] = [Axis::Horizontal, Axis::Vertical].map(|axis| forms(axis, lanes));
    for form in horizontal.iter().chain(&vertical) {
        variant(lab, blur, form.clone())?;
    }
    if !limits.is_empty() {
        let most = lab.device().max_workgroup_invocations;
        let limited = |form: &&Form| BY_DEFAULT.contains(&form.name().as_str()) && form.invocations() <= most;
        limited_variants(lab, blur, horizontal.iter().filter(limited), &limits)?;
        lab.show_matrix();
    }
    lab.matrix("µs", Shows::Times);
    lab.baseline(BASELINE);
    lab.verdict(verdict);
    Ok(())
}

const BASELINE: &str = "linear_8x8";
/// What is measured unless asked for otherwise.
const BY_DEFAULT: [&str; 12] = [
    BASELINE,
    "swizzled_8x8",
    "unroll_2",
    "unroll_4",
    "unroll_8",
    "across_8",
    "unroll_8_x8",
    "slide_4_x8",
    "rows_32x8x4",
    "linear_8x8_vertical",
    "unroll_8_vertical",
    "slide_8_x8_vertical",
];

/// One form, as many workgroups as it takes.
fn variant(lab: &mut Lab, blur: Blur, form: Form) -> Result<()> {
    let (name, [table, row, column]) = (form.name(), form.place());
    let by_default = BY_DEFAULT.contains(&name.as_str());
    // Dozens of kernels are compiled only where they are wanted.
    let wanted = by_default || lab.asks_for(&name);
    let made = wanted.then(|| blur.kernel(lab, &form, 0).build_or_reason()).transpose()?;
    let (kernel, reason) = made.map_or((None, None), |(kernel, reason)| (Some(kernel), reason));
    let operations = form.memory_operations(blur.radius);
    let variant = lab.variant(name.clone(), move |cmd, rep| {
        if let Some(kernel) = kernel {
            blur.dispatch(cmd, kernel, rep, &form);
        }
    });
    variant.cell(&table, &row, &column).moves(blur.bytes()).predicts(OPERATIONS, operations).skip(reason);
    blur.publish(variant, &format!("blur/{name}"));
    if !by_default {
        variant.on_request();
    }
    Ok(())
}

/// Each form under each limit.
fn limited_variants<'f>(
    lab: &mut Lab,
    blur: Blur,
    forms: impl Iterator<Item = &'f Form>,
    limits: &[Limit],
) -> Result<()> {
    let mut memory = None;
    let mut notes: BTreeMap<(Limit, String), Vec<String>> = BTreeMap::new();
    for form in forms {
        let unit = Unit::new(lab.device(), form.invocations());
        let count = |padding| {
            let kernel = blur.kernel(lab, form, padding);
            residency::count(lab, kernel, blur.images(form, 0), blur.push())
                .map(|counted| unit.share(counted))
        };
        let mut search = Search::new(lab.device().max_shared_memory, count);
        let memory = match memory {
            Some(known) => known,
            None => *memory.insert(search.shared_memory(lab.device().vendor_id)?),
        };
        let held = limits.iter().map(|&limit| Held::new(limit, unit, &mut search, memory));
        for held in held.collect::<Result<Vec<_>>>()? {
            let name = form.name() + &held.limit.suffix();
            let kernel = blur.kernel(lab, form, held.reached.padding).build()?;
            let dispatched = form.clone();
            let variant =
                lab.variant(name.clone(), move |cmd, rep| blur.dispatch(cmd, kernel, rep, &dispatched));
            variant.cell("Horizontal blur, subgroups limited", &form.name(), &held.limit.to_string());
            variant.moves(blur.bytes()).predicts(OPERATIONS, form.memory_operations(blur.radius));
            blur.publish(variant, &format!("wave_limit/{name}/pipelined"));
            notes.entry((held.limit, held.to_string())).or_default().push(form.name());
        }
    }
    for ((limit, held), forms) in notes {
        lab.note(&format!("Limit of {limit}, {}: {held}.", forms.join(", ")));
    }
    Ok(())
}

/// The images, and what the kernels of all forms have in common.
#[derive(Clone, Copy)]
struct Blur {
    size: Extent,
    radius: u32,
    texels: Texels,
    loads: Loads,
    /// For the blur along each axis; both have the same result.
    sharp: [Image; 2],
    blurred: Images,
}

impl Blur {
    fn new(lab: &mut Lab, args: &Args) -> Result<Self> {
        let &Args { radius, format: texels, loads, .. } = args;
        let default = if lab.on_cpu() { Extent::square(256) } else { Extent { width: 3840, height: 2160 } };
        let size = args.size.unwrap_or(default);
        lab.setting("size", size);
        lab.setting("radius", radius);
        lab.setting("format", texels.name());
        lab.setting("loads", if loads == Loads::Storage { "storage" } else { "sampled" });
        let blurred = lab.output_images("blurred", 1, size, texels.format(), UNWRITTEN)?;
        let data = data(size, texels, radius);
        let [rows, columns] = &data.sharp;
        let sharp = [
            lab.input_image("sharp along rows", size, texels.format(), rows)?,
            lab.input_image("sharp along columns", size, texels.format(), columns)?,
        ];
        match texels {
            Texels::Rgba16f => lab.expect_within(blurred, 0, data.blurred, 1, HALF_ROUNDING)?,
            _ => lab.expect(blurred, 0, data.blurred)?,
        }
        lab.limits(size, texels.format())?;
        lab.show(blurred, 0, size.sides(), "the blurred noise, its contrast raised", move |words| {
            texels.painted(words, size.width as usize * size.height as usize)
        });
        Ok(Self { size, radius, texels, loads, sharp, blurred })
    }

    /// The kernel of a form whose workgroups hold so many bytes of shared memory for nothing.
    fn kernel<'l>(&self, lab: &'l Lab, form: &Form, padding: u32) -> KernelBuilder<'l> {
        let switches = [
            ("ONE_CHANNEL", self.texels.channels() == 1),
            ("UNORM", self.texels.is_fraction()),
            ("STORAGE_LOADS", self.loads == Loads::Storage),
        ];
        let kernel = switches.iter().filter(|(_, on)| *on).fold(
            form.kernel(lab, self.radius)
                .define_as("FORMAT", self.texels.name())
                .constant("SCALE", self.texels.scale(self.radius).to_bits()),
            |kernel, (switch, _)| kernel.define(switch),
        );
        padded(kernel, padding)
    }

    fn dispatch(&self, cmd: &Cmd<'_>, kernel: Kernel, rep: Rep, form: &Form) {
        cmd.dispatch(kernel, &self.images(form, rep.index), &self.push(), form.groups(self.size));
    }

    fn images(&self, form: &Form, repetition: u32) -> [Binding; 2] {
        let sharp = self.sharp[form.axis.index()];
        let sharp = if self.loads == Loads::Storage { sharp.into() } else { sharp.sampled() };
        [sharp, self.blurred.get(repetition, 0).into()]
    }

    /// The last texel, and the 0 that keeps padding alive.
    fn push(&self) -> [u32; 3] {
        [self.size.width - 1, self.size.height - 1, 0]
    }

    /// The talk's figure, where it has one of this variant: all of them are of a 9-tap filter.
    fn publish(&self, variant: &mut Variant, key: &str) {
        let known = self.radius == 4 && published::find("lottes2018", key).is_ok();
        variant.published_if(known, "lottes2018", key);
    }

    /// Every texel is read and written once, at the least.
    fn bytes(&self) -> u64 {
        2 * u64::from(self.size.width) * u64::from(self.size.height) * self.texels.bytes()
    }
}

/// The fastest horizontal blur, alone and in a row of others.
fn verdict(figures: &Figures<'_>) -> Option<String> {
    if figures.on_cpu() {
        return None;
    }
    let fastest = |pipelined| {
        let time = |row: &Row| Some(if pipelined { row.pipelined_us } else { row.isolated_us }?.median);
        let blurs = |name: &str| !name.ends_with("_vertical") && !name.ends_with("_limit");
        let row = figures.fastest(pipelined, blurs)?;
        let times = time(figures.row(BASELINE)?)? / time(row)?;
        Some(format!("{}, {times:.2} times as fast as {BASELINE}", row.variant))
    };
    let pipelined = fastest(true).unwrap_or_else(|| "not measured".into());
    Some(format!(
        "In short: the fastest horizontal blur is, isolated, {}; pipelined, {pipelined}. The talk had 1.22, \
         pipelined, for eight tiles a wave at radius 4 on an RX 580.",
        fastest(false)?
    ))
}
