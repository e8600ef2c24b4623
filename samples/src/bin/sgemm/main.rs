//! A product of matrices in 32-bit floats, step by step from the formula to the speed of the vendor's library: how much does
//! each way of overlapping memory, shared memory and arithmetic bring?
//!
//! ```text
//!            N                 a workgroup computes a tile of C, in steps along K:
//!          ┌───┬──┐
//!        K │ B │▓▓│            memory  ░░load░░      ░░load░░      ░░load░░       the step after the next
//!          └───┴──┘            shared     ▒▒put▒▒ ▒▒read▒▒put▒▒ ▒▒read▒▒put▒▒     the next k, the next step
//!    ┌───┐ ┌───┬──┐            FMA              ▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓     never waits, at best
//!  M │ A │ │ C │  │
//!    ├───┤ ├───┼──┤
//!    │▓▓▓│ │   │▓▓│
//!    └───┘ └───┴──┘
//! ```
//!
//! Begin with `shaders/sgemm/loops.comp`, the algorithm to read. The other kernels of tiles are generated (`generator.rs`, and
//! `--variants tuned --print-kernel` shows one), because a compiler that unrolls loops orders their multiply-adds by itself.
//!
//! Each variant has one thing more than the one before: tiles in shared memory, loads of 128 bits, two buffers with one
//! barrier, registers read one k ahead, an order of multiply-adds in which neighbours share an operand, 16x8 results in place
//! of 8x8, the last tiles split along K. `tuned` chooses shape, order and split by running candidates, once per driver.
//! On request, `but_*` change one thing of `zigzag_16x8` (`changes.rs`), and `--library` puts a vendor's library beside them.
//!
//! Results are right to the rounding of sums. Drivers may flush denormals to zero, NVIDIA's does.
//!
//! It does not use matrix units (tensor cores), which have no 32-bit floats.
//!
//! Look for, in Nsight: the FMA pipe and the shared-memory pipe, both busy; in RGP: VALU utilisation.
//!
//! Source: Scott Gray, maxas, sgemm128.sass, "The main loop". <https://github.com/NervanaSystems/maxas/wiki/SGEMM>

mod changes;
mod device;
mod generator;
#[cfg(test)]
mod packed;
mod plan;
mod reference;
mod split;
mod store;
mod tuner;
mod verdict;
mod wall;

use std::cell::RefCell;
use std::path::PathBuf;
use std::process::ExitCode;
use std::rc::Rc;

use anyhow::Result;
use common::record::Kind;
use common::{Format, Kernel, Lab, Variant, run, sample};

use changes::CHANGES;
use device::{Matrices, Size, Tail};
use plan::{LADDER, Oddity, Plan, SIXTEEN_BY_EIGHT};
use samples::library::Library;
use tuner::{Choice, Kernels};
use verdict::{headline, verdict};

/// How near does a compute shader come to the speed of its multiply-add units?
#[derive(clap::Args, Clone, Debug)]
#[command(after_help = "--size 1000x3000x777 # any sizes, padded first\n\
    --size 512..8192*2 # from which size is the device full?")]
struct Args {
    /// Rows of C, columns of C and length of the sums; MxN has K as N [default: 4096, integrated 1024, on a CPU 256]
    #[arg(long, value_name = "MxNxK")]
    size: Option<Size>,
    /// Factor of the product
    #[arg(long, value_name = "X", default_value_t = 1.0, value_parser = factor, allow_hyphen_values = true)]
    alpha: f32,
    /// Factor of what C held before; with 0 it is not read
    #[arg(long, value_name = "X", default_value_t = 0.0, value_parser = factor, allow_hyphen_values = true)]
    beta: f32,
    /// Take the default kernel of the GPU's vendor for `tuned`
    #[arg(long)]
    no_tune: bool,
    /// Measure a vendor's library in the same rounds, by this program
    ///
    /// anchors/cuda/sgemm.cu is one for cuBLAS, and its head says how to build it.
    #[arg(long, value_name = "PROGRAM")]
    library: Option<PathBuf>,
}

fn main() -> ExitCode {
    run(sample!(), sgemm)
}

/// A factor with which no result overflows: an infinite one would be right within any bound.
fn factor(text: &str) -> Result<f32, String> {
    const LARGEST: f32 = 1e6;
    let factor = text.parse().ok().filter(|factor: &f32| factor.abs() <= LARGEST);
    factor.ok_or_else(|| {
        format!("'{text}' is no factor: a number from -{LARGEST} to {LARGEST} is, such as 0.5")
    })
}

fn sgemm(lab: &mut Lab, args: &Args) -> Result<()> {
    lab.describe(include_str!("variants.toml"))?;
    let default = match lab.device().kind {
        Kind::Cpu => 256,
        Kind::Integrated => 1024,
        _ => 4096,
    };
    let size = args.size.unwrap_or(Size { m: default, n: default, k: default });
    let matrices = Matrices::new(lab, size, [args.alpha, args.beta])?;
    naive(lab, matrices);
    for (name, plan) in LADDER {
        let kernel = matrices.generated(lab, &plan).build();
        tiles(lab, matrices, name, &plan, kernel);
    }
    split(lab, matrices)?;
    let choice = tuned(lab, matrices, args.no_tune)?;
    loops(lab, matrices);
    let wall = changes(lab, matrices, args.alpha);
    if let Args { library: Some(program), .. } = args {
        let library = Library::start(lab, program, matrices.task())?;
        let variant = library.variant(lab, "library", "multiply", matrices.c, 0);
        variant.declares(matrices.declared()).label.clone_from(&library.name);
    }
    lab.limits([256, 256], Format::R32_SFLOAT)?;
    lab.report.headline(move |figures| headline(figures, size));
    lab.report.verdict(move |figures| verdict(figures, &choice.borrow(), &wall.borrow()));
    Ok(())
}

/// One invocation per result, as the formula stands.
fn naive(lab: &mut Lab, matrices: Matrices) {
    let kernel = matrices.kernel(lab, "sgemm/naive.comp").build();
    lab.variant("naive", move |cmd, rep| matrices.multiply(cmd, rep.index, kernel, [16, 16]))
        .declares(matrices.declared());
}

/// A workgroup per tile of C.
fn tiles<'l>(
    lab: &'l mut Lab,
    matrices: Matrices,
    name: &str,
    plan: &Plan,
    kernel: Kernel,
) -> &'l mut Variant {
    let (tiles, plan) = (matrices.size.tiles(plan.tile), *plan);
    lab.variant(name, move |cmd, rep| {
        let operands = matrices.pad(cmd, rep.index);
        matrices.multiply_tiles(cmd, rep.index, kernel, operands, tiles);
    })
    .declares(matrices.declared())
    .tiles(move || matrices.parts(&plan, None))
}

/// The tiles that are left after whole waves of workgroups are split. No barrier keeps them from beginning while the last
/// wave ends: they write other tiles.
fn split(lab: &mut Lab, matrices: Matrices) -> Result<()> {
    let plan = SIXTEEN_BY_EIGHT;
    let workers = tuner::default_workers(lab);
    let tail = Tail::new(lab, matrices.size, &plan, workers)?;
    let whole = tail.map_or(0, |tail| tail.first_tile);
    let kernels = tail
        .map(|tail| [matrices.generated(lab, &plan), tail.kernel(lab, &matrices, &plan)].map(|k| k.build()));
    let lacks = lacks_scope(lab);
    lab.variant("split", move |cmd, rep| {
        let operands = matrices.pad(cmd, rep.index);
        if let (Some(tail), Some([kernel, split])) = (&tail, kernels) {
            if whole > 0 {
                matrices.multiply_tiles(cmd, rep.index, kernel, operands, whole);
            }
            matrices.multiply_split(cmd, rep.index, split, operands, tail);
        }
    })
    .declares(matrices.declared())
    .tiles(move || matrices.parts(&plan, tail.as_ref()))
    .skip(tail.is_none().then(|| format!("the tiles fill whole waves of {workers} workgroups")))
    .skip(lacks);
    Ok(())
}

/// Why tiles cannot be split on this device.
fn lacks_scope(lab: &Lab) -> Option<String> {
    let device = lab.device();
    (!device.device_scope).then(|| format!("{} lacks the Vulkan memory model with device scope", device.name))
}

/// What runs fastest on this device. Returns what was chosen, once it is.
fn tuned(lab: &mut Lab, matrices: Matrices, no_tune: bool) -> Result<Rc<RefCell<String>>> {
    let no_tune = no_tune || lab.device().is_cpu();
    let splits = lacks_scope(lab).is_none() && !lab.device().is_cpu();
    let tails = if splits { tuner::tails(lab, &matrices)? } else { Vec::new() };
    let plan = tuner::default_plan(lab);
    // Without a tail until it is chosen: a variant that names no kernel of whole tiles would never have it found.
    let default = Choice { plan, tail: if no_tune { tails.get(1).copied() } else { None } };
    let chosen = Rc::new(RefCell::new(default));
    let told = Rc::new(RefCell::new(format!("{default}, the default of its vendor")));
    let whole = {
        let (chosen, told) = (Rc::clone(&chosen), Rc::clone(&told));
        lab.found_kernel(move |lab| {
            if !no_tune {
                (*chosen.borrow_mut(), *told.borrow_mut()) = tuner::tuned(lab, &matrices, &tails)?;
            }
            Ok(matrices.generated(lab, &chosen.borrow().plan).recipe())
        })
    };
    let split = {
        let chosen = Rc::clone(&chosen);
        lab.found_kernel(move |lab| {
            let choice = chosen.borrow();
            let kernel = choice.tail.map(|tail| tail.kernel(lab, &matrices, &choice.split_plan()).recipe());
            Ok(kernel.unwrap_or_default())
        })
    };
    let kernels = Kernels { whole, split: Some(split) };
    let choice = Rc::clone(&chosen);
    lab.variant("tuned", move |cmd, rep| chosen.borrow().multiply(cmd, rep.index, &matrices, &kernels))
        .declares(matrices.declared())
        .tiles(move || choice.borrow().parts(&matrices));
    Ok(told)
}

/// The kernel to read.
fn loops(lab: &mut Lab, matrices: Matrices) {
    let kernel = matrices.kernel_of_tiles(lab, "sgemm/loops.comp").build();
    // Its tiles are as large.
    tiles(lab, matrices, "loops", &SIXTEEN_BY_EIGHT, kernel);
}

/// One thing changed at a time. Returns what is counted of shared memory, once it is.
fn changes(lab: &mut Lab, matrices: Matrices, alpha: f32) -> Rc<RefCell<String>> {
    let mut declares_more = Vec::new();
    for (name, plan) in CHANGES {
        let needs_alpha = plan.oddity == Some(Oddity::NoAlpha) && alpha != 1.0;
        let kernel = matrices.generated(lab, &plan).build();
        tiles(lab, matrices, name, &plan, kernel).skip(needs_alpha.then(|| "alpha is not 1".to_owned()));
        if matches!(plan.oddity, Some(Oddity::Declared(_))) {
            declares_more.push(name);
        }
    }
    let counted = Rc::new(RefCell::new(String::new()));
    let told = Rc::clone(&counted);
    lab.prove(declares_more, move |lab| {
        *told.borrow_mut() = wall::resident(lab)?;
        Ok(())
    });
    counted
}
