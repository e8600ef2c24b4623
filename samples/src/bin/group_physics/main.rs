//! A physics solver with one workgroup per island: is an island's state worth keeping in shared memory, and what do the
//! kernel's registers cost? An island is a cloth, a rope or a heap of spheres, of up to 1024 particles. Its constraints
//! are projected one colour after another, without time integration. No two of a colour share a particle.
//!
//! ```text
//! time →             a dispatch per colour, and all particles go through memory in each
//! global_multi_pass  ▕ begin ▏▔ colour 0 ▔╲╱▔ colour 1 ▔╲ … ╱▔ colour 7 ▔╲╱▔ colour 0 ▔╲ … ╱ finish ▏
//!                    a workgroup per island: load, solve with a barrier() after each colour, store
//! group_1024_lean    ▕ load ▏0▏1▏…▏7▏0▏1▏…▏7▏… store ▏      two workgroups per compute unit at ≤ 32 VGPRs
//! group_1024_fat     ▕ load ▏ 0 ▏ 1 ▏…▏ 7 ▏ 0 ▏ 1 ▏… store ▏      one: nothing fills its waits
//! ```
//!
//! A solver in shared memory, workgroups of 1024 and 512, the ways to save registers and `list_open_ballot` follow the
//! article; `reload`, `_prefetch`, `group_256`, `_kept`, `group_cells`, `global_*` and `list_open_sums` are ours. Begin
//! with `shaders/group_physics/solve.comp`, then `tricks.rs`.
//!
//! `lean` against `fat`: RADV of Mesa 22.3.6 on POLARIS10 and VEGA10 gives them 20 against 36 VGPRs, and NVIDIA's driver
//! tells no counts. They also differ in buffer type, unpacking, flag tests and a reload. `_prefetch` loads the next
//! colour's constraints before the barrier, for 4 to 8 VGPRs more. `--matrix` adds one way at a time to
//! `group_1024_fat_prefetch`, and takes it from `group_1024_lean_prefetch`, where registers are scarcest.
//!
//! `group_512` and `group_256` are `group_1024_lean_prefetch` with fewer threads. Their 16,428 bytes of shared memory
//! let a compute unit hold three, not the five groups of 512 that the article counts by waves.
//!
//! In `_kept` a thread keeps its constraints in registers, and the particles alone are in shared memory. In `group_cells`
//! a thread projects the constraints of 2x2 particles of a cloth in registers, six in two of the four colours of such
//! cells and two in the others: so particles are loaded 3969 times per iteration instead of 7812. `global_cells` does the
//! same with a dispatch per colour of cells.
//!
//! `list_open_*` list what a solve leaves open by a prefix sum, for which the article counts bits of a ballot. The scan
//! in shared memory has 22 barriers per 1024 constraints where the ballot has 2, and still wins on an H200 (185 against
//! 201 µs).
//!
//! Expect the workgroups to win because their state goes through memory once, and not 128 times, in 16 iterations of 8
//! colours. They gain nothing for a single pass, and an island has to fit into shared memory. Fewer registers help only
//! where they make room for another workgroup: the article's kernel gained 50 % on one platform with 32 VGPRs instead
//! of 48. On GCN there is room (`samples/tests/gcn` checks that two `lean` ones fit a compute unit, and one `fat`).
//!
//! On an H200 a workgroup of 1024 per island is 5.1 times as fast as a dispatch per colour (1048 against 5305 µs), one of
//! 512 that keeps its constraints 8.0 times (667), and one with cells 10.1 times (525). There shared memory decides how
//! many workgroups run: its driver seems to give Vulkan 48 KiB of it per multiprocessor, so that 16,384 bytes fit three
//! times and 16,428 twice.
//!
//! Every result is the CPU reference's bit for bit (`arithmetic.rs` says how). A mistake in both, such as a wrong mass,
//! would show in the momentum of the reference's projections (`momentum.rs`).
//!
//! Look for, in RGP: two workgroups on each compute unit for `lean` and one for `fat`, and in `global_multi_pass` the
//! gap before each dispatch.
//!
//! Source: Sebastian Aaltonen, Optimizing GPU occupancy and resource usage with large thread groups,
//! GPUOpen 2017: "Multi-pass in LDS" (a physics solver per workgroup) and "Optimizing VGPR usage".
//! Specification: Vulkan 1.3, appendix A (precision of operations).

mod arithmetic;
mod camera;
mod cells;
mod device;
mod drag_state;
mod frame;
mod island;
mod lattice;
mod momentum;
mod motion;
mod packing;
mod passes;
mod picture;
mod reference;
mod scene;
mod shapes;
mod tricks;
mod verdict;

use std::process::ExitCode;
use std::rc::Rc;

use anyhow::Result;
use common::{Declared, Format, Lab, run, sample};
use device::{OnDevice, Outputs};
use passes::{Passes, threads, wide};
use samples::{LOADS_AND_STORES, STORES, name_of};
use scene::{Args, Scene};
use tricks::{FAT, LEAN, PREFETCH, Switch, TRICKS, with};

fn main() -> ExitCode {
    run(sample!(), group_physics)
}

fn group_physics(lab: &mut Lab, args: &Args) -> Result<()> {
    lab.describe(include_str!("variants.toml"))?;
    let scene = set_up(lab, args)?;
    global_multi_pass(lab, scene);
    if scene.is_cloth {
        global_cells(lab, scene);
    }
    let [fat_prefetch, lean_prefetch] = [&FAT[..], &LEAN].map(|switches| with(switches, PREFETCH));
    group(lab, scene, "group_1024_fat", 1024, &FAT);
    group(lab, scene, "group_1024_lean", 1024, &LEAN);
    group(lab, scene, "group_1024_fat_prefetch", 1024, &fat_prefetch);
    group(lab, scene, "group_1024_lean_prefetch", 1024, &lean_prefetch);
    group(lab, scene, "group_512", 512, &lean_prefetch);
    group(lab, scene, "group_256", 256, &lean_prefetch);
    for threads in [512, 256] {
        group_kept(lab, scene, threads);
    }
    if scene.is_cloth {
        group_cells(lab, scene);
    }
    for (trick, switch) in TRICKS {
        if !FAT.contains(&switch) {
            group(lab, scene, &format!("fat_{trick}"), 1024, &with(&fat_prefetch, switch));
        }
        if LEAN.contains(&switch) {
            group(lab, scene, &format!("lean_without_{trick}"), 1024, &with(&lean_prefetch, (switch.0, 0)));
        }
    }
    list_open(lab, scene);
    lab.report.headline(verdict::headline);
    lab.report.verdict(verdict::verdict);
    Ok(())
}

fn set_up(lab: &mut Lab, args: &Args) -> Result<OnDevice> {
    let is_cpu = lab.device().is_cpu();
    // Allocated first: a scene that does not fit into the device's memory is not solved on the CPU.
    let outputs = Outputs::new(lab, args.islands(is_cpu), args.particles)?;
    let scene = Rc::new(Scene::new(args, is_cpu)?);
    let on_device = OnDevice::new(lab, &scene, outputs);
    lab.report.setting("shape", name_of(&args.shape));
    let OnDevice { islands, particles, colours, solver, .. } = on_device;
    lab.report.setting("colours", colours);
    for (name, value) in [("islands", islands), ("particles", particles), ("iterations", solver.iterations)] {
        lab.report.setting(name, value);
    }
    lab.report.setting("stiffness", args.stiffness);
    lab.report.setting("gravity", args.gravity);
    lab.report.note(&scene.about_residuals());
    lab.limits([4 * particles, islands.min(4096)], Format::R32_SFLOAT)?;
    Ok(on_device)
}

/// One dispatch per colour, with the particles of all islands in memory.
fn global_multi_pass(lab: &mut Lab, scene: OnDevice) {
    let OnDevice { islands, colours, inputs, .. } = scene;
    let passes = Passes::new(lab, scene);
    let colour = wide(lab, &scene, "group_physics/colour.comp").constant("SEED", arithmetic::SEED).build();
    let widest = [scene.widest.div_ceil(threads(lab)), islands, 1];
    lab.variant("global_multi_pass", move |cmd, rep| {
        passes.record(cmd, rep, |state| {
            for number in 0..colours {
                cmd.pipeline_barrier2(STORES, LOADS_AND_STORES);
                let bindings = [inputs.constraints, inputs.bounds, state];
                cmd.dispatch(colour, &bindings, &[number, colours], widest);
            }
        });
    })
    // A projection reads its constraint, and reads and writes two particles of 16 bytes.
    .declares(
        Declared::default()
            .bytes(scene.bytes() + scene.projections() * (8 + 2 * 32))
            .work(scene.projections(), "constraints"),
    );
}

/// One dispatch per colour of cells.
fn global_cells(lab: &mut Lab, scene: OnDevice) {
    let passes = Passes::new(lab, scene);
    let threads = threads(lab);
    let cells = [0, 1, 2, 3].map(|colour| {
        scene.of_cells(lab, "group_physics/cells.comp", threads).constant("COLOUR", colour).build()
    });
    let all = [scene.cells.div_ceil(threads), scene.islands, 1];
    lab.variant("global_cells", move |cmd, rep| {
        passes.record(cmd, rep, |state| {
            for kernel in cells {
                cmd.pipeline_barrier2(STORES, LOADS_AND_STORES);
                cmd.dispatch(kernel, &[state, scene.inputs.cells], &(), all);
            }
        });
    })
    .declares(Declared::default().work(scene.projections(), "constraints"));
}

/// A workgroup per island whose threads keep their constraints in registers.
fn group_kept(lab: &mut Lab, scene: OnDevice, threads: u32) {
    let kernel = scene.solve_kept(lab, threads);
    let OnDevice { inputs, outputs, colours, solver, .. } = scene;
    lab.variant(format!("group_{threads}_kept"), move |cmd, rep| {
        let results = outputs.results.get(rep.index, 0);
        let bindings = [inputs.particles, inputs.constraints, inputs.frames, results, inputs.bounds];
        cmd.dispatch(kernel, &bindings, &[solver.iterations, colours], [scene.islands, 1, 1]);
    })
    .declares(declared(scene));
}

/// A workgroup per island with a thread per cell of each colour.
fn group_cells(lab: &mut Lab, scene: OnDevice) {
    let kernel = scene.solve_cells(lab);
    let OnDevice { inputs, outputs, solver, .. } = scene;
    lab.variant("group_cells", move |cmd, rep| {
        let results = outputs.results.get(rep.index, 0);
        let bindings = [inputs.particles, inputs.cells, inputs.frames, results];
        cmd.dispatch(kernel, &bindings, &[solver.iterations], [scene.islands, 1, 1]);
    })
    .declares(declared(scene));
}

/// The work of a solve.
fn declared(scene: OnDevice) -> Declared {
    Declared::default()
        .bytes(scene.bytes())
        .flops(scene.projections() * arithmetic::FLOPS)
        .work(scene.projections(), "constraints")
}

/// A workgroup per island: nothing but the result goes to memory.
fn group(lab: &mut Lab, scene: OnDevice, name: &str, threads: u32, switches: &[Switch]) {
    let kernel = scene.solve(lab, threads, switches);
    let push = [scene.colours, scene.solver.iterations];
    lab.variant(name, move |cmd, rep| {
        cmd.dispatch(kernel, &scene.bindings(rep), &push, [scene.islands, 1, 1]);
    })
    .declares(declared(scene));
}

/// A workgroup per island lists the constraints that a solve has left open.
fn list_open(lab: &mut Lab, scene: OnDevice) {
    let inputs = scene.inputs;
    let facts = lab.device();
    let lacks = format!("{} has no ballots of subgroups in compute shaders", facts.name);
    let lacks = (!facts.ballot).then_some(lacks);
    for (name, reason) in [("list_open_sums", None), ("list_open_ballot", lacks)] {
        let kernel = scene.list_open(lab, &format!("group_physics/{name}.comp"));
        lab.variant(name, move |cmd, rep| {
            let list = scene.outputs.lists.get(rep.index, 0);
            let bindings = [inputs.solved, inputs.constraints, inputs.bounds, list];
            cmd.dispatch(kernel, &bindings, &[scene.colours], [scene.islands, 1, 1]);
        })
        .declares(Declared::default().work(scene.constraints, "constraints"))
        .skip(reason);
    }
}
