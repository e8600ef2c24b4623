//! Filters of neighbourhoods: what it saves to load a tile once into shared memory (LDS), instead of
//! every invocation loading its whole neighbourhood itself.
//!
//! ```text
//!   every invocation its own 9 texels          a workgroup its tile once, and a border of one texel
//!   ┌─┬─┬─┐                                    ░░░░░░░░░░   8x8   36 loads for 64 texels: +56 %
//!   │ │ │ │  64 invocations, 576 loads         ░▓▓▓▓▓▓▓▓░   16x16                         +27 %
//!   ├─┼─┼─┤  (caches hold most of them)        ░▓▓▓▓▓▓▓▓░   32x32                         +13 %
//!   └─┴─┴─┘                                    ░░░░░░░░░░   then barrier(), then filter from there
//! ```
//!
//! Expect the article's "up to 30 %" where the texture path is the limit: with a large radius, or where
//! it is narrow. It does not help where the caches already deliver, where tiles are so small that the
//! border eats the gain, or where a workgroup holds one texel an invocation and the GPU launches
//! workgroups more slowly than they run: an H200 starts about 1.7 workgroups a nanosecond, so that 8x8
//! workgroups take the same time there whatever they do. The `sliding` forms cover a column of texels
//! an invocation and keep the rows that the next texel needs again in registers.
//!
//! Look for, in RGP: VMEM instructions and L1 hit rate of `direct_sampled` against LDS instructions of
//! `shared_32x32`, and waves that wait at the barrier. In Nsight: L1TEX throughput.
//!
//! Source: Sebastian Aaltonen, Optimizing GPU occupancy and resource usage with large thread groups,
//! GPUOpen 2017, "Neighborhood processing".

use std::process::ExitCode;

use anyhow::{Result, ensure};
use clap::value_parser;
use common::{Binding, Extent, Figures, Format, Image, Images, Lab, Shape, Shows, run, sample};
use samples::neighbourhood::{self, Filter};

/// A value that no filter gives.
const UNWRITTEN: [u32; 4] = [0xbf80_0000; 4]; // -1.0

#[derive(clap::Args, Clone, Debug)]
struct Args {
    /// Image size [default: 4096x4096, on a CPU device 256x256]
    #[arg(long, value_name = "WxH", allow_hyphen_values = true)]
    size: Option<Extent>,
    /// Side of the volume that the 3x3x3 box filters [default: 256, on a CPU device 32]
    #[arg(long, value_name = "SIDE", value_parser = value_parser!(u32).range(1..=2048))]
    volume: Option<u32>,
    /// What is computed from each neighbourhood
    #[arg(long, value_enum, default_value_t = Filter::Box)]
    filter: Filter,
    /// Reach of the filter in texels; dilate and clamp have 1
    #[arg(long, default_value_t = 1, value_parser = value_parser!(u32).range(1..=8))]
    radius: u32,
}

fn main() -> ExitCode {
    run(sample!(), lds_blur)
}

fn lds_blur(lab: &mut Lab, args: &Args) -> Result<()> {
    let plane = Plane::new(lab, args)?;
    lab.matrix("µs", Shows::Times);

    // Every invocation its own neighbourhood: one texel each, then a column of texels each.
    direct(lab, &plane, "direct_storage", [16, 16], 1)?;
    direct(lab, &plane, "direct_sampled", [16, 16], 1)?;
    direct(lab, &plane, "direct_sampled_32x8", [32, 8], 1)?;
    direct(lab, &plane, "sliding_32x2x16", [32, 2], 16)?;

    // The tile in shared memory, one texel an invocation.
    for side in [8, 16, 32] {
        shared(lab, &plane, &format!("shared_{side}x{side}"), Tile::square(side), "32-bit floats")?;
        shared(lab, &plane, &format!("shared_half_{side}x{side}"), Tile::square(side), HALF)?;
        shared(lab, &plane, &format!("separable_{side}x{side}"), Tile::square(side), SEPARABLE)?;
    }
    // Fewer invocations a tile, each down a column.
    for (width, height, run) in [
        (32, 32, 4),
        (32, 32, 8),
        (32, 32, 16),
        (32, 48, 16),
        (32, 64, 16),
        (64, 32, 16),
        (16, 32, 8),
        (16, 64, 16),
    ] {
        let tile = Tile { width, height, run };
        shared(lab, &plane, &format!("shared_sliding_{width}x{height}x{run}"), tile, "32-bit floats")?;
        shared(lab, &plane, &format!("shared_half_sliding_{width}x{height}x{run}"), tile, HALF)?;
    }
    lab.limits(plane.size, Format::R32_SFLOAT)?;
    volume(lab, args)?;

    lab.baseline("direct_sampled");
    lab.verdict(verdict);
    let to = plane.to;
    let [width, height] = plane.size.sides();
    lab.show(to, 0, [width, height], "the filtered image", |words| words.iter().map(|&w| grey(w)).collect());
    lab.expect(to, 0, plane.twin)
}

const HALF: &str = "packed halves";
const SEPARABLE: &str = "rows, then columns";
/// Shown without being asked for: ten rows and the limits.
const DEFAULT: [&str; 10] = [
    "direct_storage",
    "direct_sampled",
    "sliding_32x2x16",
    "shared_8x8",
    "shared_16x16",
    "shared_32x32",
    "shared_half_32x32",
    "separable_32x32",
    "shared_sliding_32x32x8",
    "shared_sliding_32x48x16",
];

/// Kernels that nobody asks for are not compiled.
fn wanted(lab: &Lab, name: &str) -> bool {
    DEFAULT.contains(&name) || lab.asks_for(name)
}

/// Every invocation loads its whole neighbourhood, for `rows` texels of a column.
fn direct(lab: &mut Lab, plane: &Plane, name: &str, threads: [u32; 2], rows: u32) -> Result<()> {
    if !wanted(lab, name) {
        return Ok(());
    }
    let storage = name == "direct_storage";
    let kernel = plane.kernel(lab, "lds_blur/direct.comp").define_as("RUN", rows);
    let kernel = if storage { kernel.define("STORAGE") } else { kernel };
    let (kernel, reason) = kernel.workgroup([threads[0], threads[1], 1]).build_or_reason()?;
    let groups = plane.groups([threads[0], threads[1] * rows]);
    let (from, bindings) = (plane.from(storage), plane.bindings());
    let variant = lab.variant(name, move |cmd, rep| {
        cmd.dispatch(kernel, &[&[from], &*bindings(rep.index)].concat(), &(), groups);
    });
    let (width, height) = (threads[0], threads[1]);
    variant.moves(plane.bytes).skip(reason).cell(DIRECT, name, &format!("{width}x{height} invocations"));
    if !DEFAULT.contains(&name) {
        variant.on_request();
    }
    Ok(())
}

/// The tile through shared memory.
fn shared(lab: &mut Lab, plane: &Plane, name: &str, tile: Tile, form: &str) -> Result<()> {
    if !wanted(lab, name) {
        return Ok(());
    }
    let kernel = || {
        let sides = [("TILE_WIDTH", tile.width), ("TILE_HEIGHT", tile.height), ("RUN", tile.run)];
        let kernel = plane.kernel(lab, "lds_blur/shared.comp");
        let kernel = sides.iter().fold(kernel, |kernel, (side, n)| kernel.define_as(side, n));
        let kernel = if form == HALF { kernel.define("HALF") } else { kernel };
        let kernel = if form == SEPARABLE { kernel.define("SEPARABLE") } else { kernel };
        kernel.shared_bytes(tile.shared_bytes(plane.radius, form))
    };
    let (built, reason) = kernel().build_or_reason()?;
    if reason.is_none() {
        let counting = kernel().define("COUNT_LOADS").build()?;
        plane.count(lab, counting, tile)?;
    }
    let groups = plane.groups([tile.width, tile.height]);
    let (from, bindings) = (plane.from(false), plane.bindings());
    let variant = lab.variant(name, move |cmd, rep| {
        cmd.dispatch(built, &[&[from], &*bindings(rep.index)].concat(), &(), groups);
    });
    let [extra, _] = neighbourhood::overheads(&[tile.width, tile.height], plane.radius);
    variant.moves(plane.bytes).skip(reason).predicts(BORDER, (100.0 * extra).round());
    let column = format!("{}x{}", tile.width, tile.height);
    let run = if tile.run > 1 { format!("{form}, {} rows an invocation", tile.run) } else { form.to_owned() };
    variant.cell(SHARED, &run, &column);
    if name == "shared_32x32" {
        variant.published("aaltonen2017", "lds/saves");
    }
    if !DEFAULT.contains(&name) {
        variant.on_request();
    }
    Ok(())
}

/// The mean of 3x3x3 texels of a volume, directly and through shared memory.
fn volume(lab: &mut Lab, args: &Args) -> Result<()> {
    let side = args.volume.unwrap_or(if lab.on_cpu() { 32 } else { 256 });
    let sides = [side; 3];
    lab.setting("volume", Shape::from(sides));
    let texels = neighbourhood::scene(Extent { width: side, height: side * side });
    let from = lab.input_image("volume", sides, Format::R32_SFLOAT, &neighbourhood::floats(&texels))?;
    let to = lab.output_images("filtered volume", 1, sides, Format::R32_SFLOAT, UNWRITTEN)?;
    for (name, cube) in
        [("volume_direct", None), ("volume_shared_4x4x4", Some(4)), ("volume_shared_8x8x8", Some(8))]
    {
        let kernel = || {
            let kernel = lab.kernel("lds_blur/volume.comp");
            let kernel = kernel.constant("SCALE", neighbourhood::volume_scale().to_bits());
            match cube {
                Some(cube) => kernel.define_as("SIDE", cube).shared_bytes(4 * u64::from(cube + 2).pow(3)),
                None => kernel,
            }
        };
        let (built, reason) = kernel().build_or_reason()?;
        let group = cube.map_or([8, 8, 4], |cube| [cube; 3]);
        if let (Some(cube), None) = (cube, &reason) {
            let counting = kernel().define("COUNT_LOADS").build()?;
            let counted = lab.tally("loads", 1, |cmd, counters| {
                cmd.dispatch(counting, &[from.sampled(), to.get(0, 0).into(), counters.into()], &(), [1; 3]);
            })?;
            agree(counted[0], &[cube; 3], 1)?;
        }
        let groups = group.map(|n| side.div_ceil(n));
        let variant = lab.variant(name, move |cmd, rep| {
            cmd.dispatch(built, &[from.sampled(), to.get(rep.index, 0).into()], &(), groups);
        });
        variant.moves(8 * u64::from(side).pow(3)).against("copy_limit_3d").skip(reason);
        if let Some(cube) = cube {
            let [_, of_all] = neighbourhood::overheads(&[cube; 3], 1);
            variant.predicts(BORDER, (100.0 * of_all).floor());
        }
    }
    lab.note("Border: loads beyond the tile in % of the tile's texels, for volumes in % of all loads, as the article \
              counts them; a counting build of each kernel was run here and agrees with the formula.");
    lab.limits(sides, Format::R32_SFLOAT)?;
    lab.expect(to, 0, neighbourhood::volume(sides, &texels))
}

/// The article's claim on this device.
fn verdict(figures: &Figures<'_>) -> Option<String> {
    if figures.on_cpu() {
        return None;
    }
    let is_shared = |name: &str| name.starts_with("shared") || name.starts_with("separable");
    let answer = |pipelined: bool| {
        let shared = figures.fastest(pipelined, is_shared)?;
        let direct =
            figures.fastest(pipelined, |name| name.starts_with("direct") || name.starts_with("sliding"))?;
        let time = |row: &common::record::Row| {
            Some(if pipelined { row.pipelined_us } else { row.isolated_us }?.median)
        };
        let saved = 100.0 * (1.0 - time(shared)? / time(direct)?);
        Some(format!("{saved:.0} % ({} against {})", shared.variant, direct.variant))
    };
    let pipelined = answer(true).map_or_else(String::new, |text| format!(", pipelined {text}"));
    Some(format!(
        "The article says that shared memory saves up to 30 %. Here it saves {}{pipelined}.",
        answer(false)?
    ))
}

const BORDER: &str = "border %";
const DIRECT: &str = "Without shared memory";
const SHARED: &str = "Through shared memory";

/// What a workgroup covers, and how many texels of a column each invocation.
#[derive(Clone, Copy)]
struct Tile {
    width: u32,
    height: u32,
    run: u32,
}

impl Tile {
    fn square(side: u32) -> Self {
        Self { width: side, height: side, run: 1 }
    }

    /// As `shaders/lds_blur/shared.comp` declares it.
    fn shared_bytes(self, radius: u32, form: &str) -> u64 {
        let [width, height] = [self.width, self.height].map(|side| u64::from(side + 2 * radius));
        let tile = 4 * height * if form == HALF { width.div_ceil(2) } else { width };
        tile + if form == SEPARABLE { 8 * height * u64::from(self.width) } else { 0 }
    }
}

/// What all variants of the plane share.
struct Plane {
    size: Extent,
    filter: Filter,
    radius: u32,
    from: Image,
    /// The frame before, for the filter that needs one.
    before: Option<Image>,
    to: Images,
    twin: Vec<u32>,
    /// Each input and output once.
    bytes: u64,
}

impl Plane {
    fn new(lab: &mut Lab, args: &Args) -> Result<Self> {
        let size = args.size.unwrap_or(Extent::square(if lab.on_cpu() { 256 } else { 4096 }));
        let (filter, radius) = (args.filter, args.radius);
        let small = matches!(filter, Filter::Dilate | Filter::Clamp);
        ensure!(!small || radius == 1, "dilate and clamp are 3x3 filters: leave --radius out");
        lab.setting("size", size);
        lab.setting("filter", format!("{filter:?}").to_lowercase());
        lab.setting("radius", radius);
        let to = lab.output_images("filtered", 1, size, Format::R32_SFLOAT, UNWRITTEN)?;
        let texels = neighbourhood::scene(size);
        // Another picture of the same size: the scene upside down.
        let old: Vec<u8> = texels.iter().rev().copied().collect();
        let from = lab.input_image("image", size, Format::R32_SFLOAT, &neighbourhood::floats(&texels))?;
        let before = match filter {
            Filter::Clamp => {
                let words = neighbourhood::floats(&old);
                Some(lab.input_image("frame before", size, Format::R32_SFLOAT, &words)?)
            }
            _ => None,
        };
        let twin = neighbourhood::plane(size, &texels, &old, filter, radius);
        let bytes = 4 * Shape::from(size).texels() * if before.is_some() { 3 } else { 2 };
        Ok(Self { size, filter, radius, from, before, to, twin, bytes })
    }

    fn kernel<'l>(&self, lab: &'l Lab, path: &str) -> common::kernel::KernelBuilder<'l> {
        let weights: Vec<String> =
            self.filter.weights(self.radius).iter().map(|w| format!("{w}.0")).collect();
        lab.kernel(path)
            .define_as("FILTER", self.filter.form())
            .define_as("RADIUS", self.radius)
            .define_as("WEIGHTS", format!("float[]({})", weights.join(", ")))
            .constant("SCALE", self.filter.scale(self.radius).to_bits())
    }

    /// The image as a kernel loads it.
    fn from(&self, storage: bool) -> Binding {
        if storage { self.from.into() } else { self.from.sampled() }
    }

    /// What a kernel writes and reads beside the image.
    fn bindings(&self) -> impl Fn(u32) -> Vec<Binding> + use<> {
        let (to, before) = (self.to, self.before);
        move |repetition| {
            let to = Binding::from(to.get(repetition, 0));
            [to].into_iter().chain(before.map(Image::sampled)).collect()
        }
    }

    fn groups(&self, tile: [u32; 2]) -> [u32; 3] {
        [self.size.width.div_ceil(tile[0]), self.size.height.div_ceil(tile[1]), 1]
    }

    /// Counts what one workgroup loads, which must be what the formula says.
    fn count(&self, lab: &Lab, counting: common::Kernel, tile: Tile) -> Result<()> {
        let bindings = [vec![self.from(false)], self.bindings()(0)].concat();
        let counted = lab.tally("loads", 1, |cmd, counters| {
            cmd.dispatch(counting, &[&*bindings, &[counters.into()]].concat(), &(), [1; 3]);
        })?;
        agree(counted[0], &[tile.width, tile.height], self.radius)
    }
}

fn agree(counted: u32, tile: &[u32], radius: u32) -> Result<()> {
    let formula = neighbourhood::loads(tile, radius);
    ensure!(
        counted == formula,
        "a workgroup of tile {tile:?} loads {counted} texels where the formula says {formula}"
    );
    Ok(())
}

/// The grey of a result.
fn grey(bits: u32) -> [u8; 3] {
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "clamped to a byte")]
    let level = f32::from_bits(bits).round().clamp(0.0, 255.0) as u8;
    [level; 3]
}
