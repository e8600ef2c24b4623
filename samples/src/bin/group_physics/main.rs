//! A solver whose iterations all happen inside one workgroup: thousands of islands of up to 1024
//! particles, each a cloth, a rope or a heap of spheres, whose constraints are projected one colour
//! after the other. Is the state worth keeping in shared memory, and what do its registers cost?
//!
//! ```text
//! time →             a dispatch a colour, and all particles go through memory in each
//! global_multi_pass  ▕ begin ▏▔ colour 0 ▔╲╱▔ colour 1 ▔╲ … ╱▔ colour 7 ▔╲╱▔ colour 0 ▔╲ … ╱ finish ▏
//!                    a workgroup an island: load, solve behind barrier(), store
//! group_1024_lean    ▕ load ▏0▏1▏…▏7▏0▏1▏…▏7▏… store ▏      two groups a compute unit at ≤ 32 VGPRs
//! group_1024_fat     ▕ load ▏ 0 ▏ 1 ▏…▏ 7 ▏ 0 ▏ 1 ▏… store ▏      one group: nobody fills its gaps
//! ```
//!
//! `fat` is the kernel as one writes it first: homogeneous coordinates, 4x4 matrices from typed
//! buffers, constraints loaded ahead of time and taken apart, starts kept in registers. `lean` does
//! the same work with the article's ways to save registers, and its halves solve colours in turn, so
//! that loads have time. `group_512` and `group_256` are lean in smaller groups. `--matrix` tries each
//! way alone, added to `fat` and taken from `lean`. RADV (Mesa 22.3.6, for POLARIS10 and VEGA10) gives
//! `fat` 52 VGPRs and `lean` 24.
//!
//! Expect the groups to win by as much as the state is read and written more often than once: 16
//! iterations of 8 colours are 128 passes over memory. It does not help where one pass is all there
//! is, or where an island does not fit: it then has to be cut, and its parts are solved apart. Fewer
//! registers help only where they make room for another group: smaller groups here have the shared
//! memory of large ones, which on GCN limits them to three, of fewer waves.
//!
//! Every result is bit for bit the CPU reference's: see `samples/src/bin/group_physics/arithmetic.rs` for how. Islands
//! are free, so their momentum may not change, which a test of that reference holds it to.
//!
//! Look for, in RGP: two thread groups on each compute unit for `lean` and one for `fat`, and in
//! `global_multi_pass` the gap before each dispatch.
//!
//! Source: Sebastian Aaltonen, Optimizing GPU occupancy and resource usage with large thread groups,
//! GPUOpen 2017: "Multi-pass in LDS" (a physics solver a group) and "Optimizing VGPR usage".
//! Specification: Vulkan 1.3, appendix A (precision of operations).

mod arithmetic;
mod device;
mod frame;
mod grasp;
mod island;
mod motion;
mod packing;
mod picture;
mod reference;
mod scene;
mod shapes;
mod tricks;

use std::process::ExitCode;
use std::rc::Rc;

use anyhow::Result;
use clap::value_parser;
use common::{Declared, Figures, Format, Lab, Shows, Time, Variant, run, sample};
use device::{OnDevice, Outputs, lacking, lean};
use island::MOST_PARTICLES;
use motion::Motion;
use picture::Picture;
use samples::{LOADS_AND_STORES, STORES, by_default, name_of};
use scene::Scene;
use shapes::Shape;
use tricks::{FAT, PARK, TRICKS, with, without};

/// Title of the cross table.
const TABLE: &str = "One way to save registers at a time";
const ADDED: &str = "added to fat";
const TAKEN: &str = "taken from lean";
const FAT_WITH: &str = "The fat kernel with one way to save registers";
const LEAN_WITHOUT: &str = "The lean kernel without one of its ways to save registers";
const SOURCE: &str = "Sebastian Aaltonen, Optimizing GPU occupancy and resource usage with large thread groups, \
                      GPUOpen 2017, \"Multi-pass in LDS\"";
/// Threads of a group of `global_multi_pass`, where a device allows so many.
const WIDE: u32 = 256;
const BY_DEFAULT: &str = "global_multi_pass group_1024_fat group_1024_lean group_512 group_256";

/// Is a solver's state worth keeping in shared memory, and what do its registers cost?
#[derive(clap::Args, Clone, Debug)]
struct Args {
    /// What the islands are made of
    #[arg(long, value_enum, default_value = "cloth")]
    shape: Shape,
    /// Islands [default: 4096, on a CPU device 8]
    #[arg(long, value_parser = value_parser!(u32).range(1..=65535))]
    islands: Option<u32>,
    /// Particles of an island, which one workgroup must hold
    #[arg(long, default_value_t = MOST_PARTICLES, value_parser = value_parser!(u32).range(2..=MOST_PARTICLES.into()))]
    particles: u32,
    /// Times that every constraint is projected [default: 16, on a CPU device 4]
    #[arg(long, value_parser = value_parser!(u32).range(1..=1000))]
    iterations: Option<u32>,
    /// The part of an error that one projection takes away, above 0 and at most 1
    #[arg(long, default_value = "1", value_parser = stiffness, allow_hyphen_values = true)]
    stiffness: f32,
    /// Particles fall by a step, a floor among them holds up what is below it, and the highest of each
    /// island is held
    #[arg(long)]
    gravity: bool,
}

fn stiffness(text: &str) -> Result<f32, String> {
    match text.parse() {
        Ok(stiffness) if (0.001..=1.0).contains(&stiffness) => Ok(stiffness),
        _ => Err("a stiffness is a number from 0.001 to 1".into()),
    }
}

fn main() -> ExitCode {
    run(sample!(), group_physics)
}

fn group_physics(lab: &mut Lab, args: &Args) -> Result<()> {
    lab.report.source(SOURCE);
    let scene = set_up(lab, args)?;
    global_multi_pass(lab, scene);
    let lean = lean(lab);
    group(lab, scene, "group_1024_fat", 1024, &FAT)
        .caption(
            "A workgroup solves an island in shared memory, its kernel written without care for registers.",
        )
        .cell(TABLE, "none", ADDED);
    group(lab, scene, "group_1024_lean", 1024, &lean)
        .caption("A workgroup solves an island in shared memory, its kernel written to need few registers.")
        .published("aaltonen2017", "groups/vgprs_48_to_32")
        .cell(TABLE, "none", TAKEN);
    group(lab, scene, "group_1024_parked", 1024, &with(&lean, PARK))
        .caption("The lean kernel keeps what it needs last in shared memory, in place of reading it again.");
    for (name, threads) in [("group_512", 512), ("group_256", 256)] {
        group(lab, scene, name, threads, &lean).caption(&format!(
            "The lean kernel with {threads} threads an island: smaller groups with as large a state."
        ));
    }
    for [trick, title, switch] in TRICKS {
        let [added, taken] = [Some(with(&FAT, switch)), without(&lean, switch)];
        let kinds = [("fat", ADDED, added, FAT_WITH), ("lean_without", TAKEN, taken, LEAN_WITHOUT)];
        for (kind, column, switches, says) in kinds {
            let name = format!("{kind}_{trick}");
            if let Some(switches) = switches {
                let variant = group(lab, scene, &name, 1024, &switches).cell(TABLE, title, column);
                variant.caption(&format!("{says}: {title}."));
            }
        }
    }
    by_default(lab, |name| BY_DEFAULT.split(' ').any(|other| other == name));
    lab.report.matrix("÷ group_1024_lean", Shows::Ratios);
    lab.report.bound(["group_1024_lean"]);
    lab.report.baseline(["global_multi_pass"]);
    lab.report.verdict(verdict);
    Ok(())
}

fn set_up(lab: &mut Lab, args: &Args) -> Result<OnDevice> {
    let islands = args.islands.unwrap_or(if lab.device().is_cpu() { 8 } else { 4096 });
    let iterations = args.iterations.unwrap_or(if lab.device().is_cpu() { 4 } else { 16 });
    let &Args { shape, particles, stiffness, gravity, .. } = args;
    let solver = reference::Solver { iterations, gravity, tolerance: shape.tolerance() };
    let outputs = Outputs::new(lab, islands, particles)?;
    let scene = Scene::new(shape, islands, particles, stiffness, solver)?;
    lab.report.setting("shape", name_of(&shape));
    lab.report.setting("colours", scene.packed.colours);
    for (name, value) in [("islands", islands), ("particles", particles), ("iterations", iterations)] {
        lab.report.setting(name, value);
    }
    lab.report.setting("stiffness", stiffness);
    lab.report.setting("gravity", gravity);
    lab.report.note(&scene.about_residuals());
    lab.limits([4 * particles, islands.min(4096)], Format::R32_SFLOAT)?;
    let scene = Rc::new(scene);
    let on_device = OnDevice::new(lab, &scene, islands, particles, outputs);
    let picture = Picture::of(&scene.islands);
    let caption = "the first islands, solved: constraints that are too long red, too short blue";
    lab.report.show(outputs.results, 0, picture.size(), caption, move |words| picture.paint(words));
    let motion = Motion::new(&scene.islands, scene.solver);
    lab.report.animate(on_device.inputs.particles, outputs.results, 0, motion);
    Ok(on_device)
}

/// One dispatch a colour, with the particles of all islands in memory.
fn global_multi_pass(lab: &mut Lab, scene: OnDevice) {
    let OnDevice { islands, particles, colours, solver, inputs, .. } = scene;
    let threads = WIDE.min(lab.device().max_workgroup_invocations);
    let wide = |path| lab.kernel(path).workgroup([threads, 1, 1]).constant("PARTICLES", particles);
    let fall = if solver.gravity { reference::FALL } else { 0.0 };
    let begin = wide("group_physics/begin.comp").constant("FALL", fall.to_bits()).build();
    let colour = wide("group_physics/colour.comp").constant("SEED", arithmetic::SEED).build();
    let floor = wide("group_physics/floor.comp").constant("FLOOR", reference::FLOOR.to_bits()).build();
    let switches = [&lean(lab)[..], &["FROM_MEMORY"]].concat();
    let finish = scene.kernel(lab, threads, &switches).constant("ITERATIONS", 0).build();

    let all = [particles.div_ceil(threads), islands, 1];
    let widest = [scene.widest.div_ceil(threads), islands, 1];
    lab.variant("global_multi_pass", move |cmd, rep| {
        let state = scene.outputs.state.get(rep.index, 0);
        cmd.dispatch(begin, &[inputs.particles, inputs.frames, state], &(), all);
        for _ in 0..solver.iterations {
            for number in 0..colours {
                cmd.pipeline_barrier2(STORES, LOADS_AND_STORES);
                let bindings = [inputs.constraints, inputs.bounds, state];
                cmd.dispatch(colour, &bindings, &[number, colours], widest);
            }
            if solver.gravity {
                cmd.pipeline_barrier2(STORES, LOADS_AND_STORES);
                cmd.dispatch(floor, &[state], &(), all);
            }
        }
        cmd.pipeline_barrier2(STORES, LOADS_AND_STORES);
        let bindings = [&scene.bindings(&switches, rep)[..], &[state.into()]].concat();
        cmd.dispatch(finish, &bindings, &[colours], [islands, 1, 1]);
    })
    .caption("A dispatch and a barrier for each colour: all particles go through memory every time.")
    // A projection reads its constraint, and reads and writes two particles of 16 bytes.
    .declares(
        Declared::default()
            .bytes(scene.bytes() + scene.projections() * (8 + 2 * 32))
            .work(scene.projections(), "constraints"),
    );
}

/// A workgroup an island: nothing but the result goes to memory.
fn group<'l>(
    lab: &'l mut Lab,
    scene: OnDevice,
    name: &str,
    threads: u32,
    switches: &[&'static str],
) -> &'l mut Variant {
    let reason = lacking(lab, switches);
    let kernel = scene.kernel(lab, threads, switches).build();
    let switches = switches.to_vec();
    let variant = lab.variant(name, move |cmd, rep| {
        let bindings = scene.bindings(&switches, rep);
        cmd.dispatch(kernel, &bindings, &[scene.colours], [scene.islands, 1, 1]);
    });
    let declared = Declared::default()
        .bytes(scene.bytes())
        .flops(scene.projections() * arithmetic::FLOPS)
        .work(scene.projections(), "constraints");
    variant.declares(declared).skip(reason)
}

/// What the groups and the registers are worth.
fn verdict(figures: &Figures<'_>) -> Option<String> {
    let times =
        |other, variant| Some(figures.us(Time::Isolated, other)? / figures.us(Time::Isolated, variant)?);
    Some(format!(
        "In short: a group an island is {:.1} times as fast as a dispatch a colour. The lean kernel is {:.2} times as \
         fast as the fat one, where the article saw 1.5 for 32 registers instead of 48.",
        times("global_multi_pass", "group_1024_lean")?,
        times("group_1024_fat", "group_1024_lean")?
    ))
}

samples::test_verdict!("group_physics");
