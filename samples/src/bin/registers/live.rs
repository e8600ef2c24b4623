//! Kernels that wait while they hold words in registers. They differ in how many, and in how many invocations get and free
//! their registers together.

use anyhow::Result;
use common::{BufferSet, Lab};

use crate::input::{self, LANES};
use crate::{Size, UNWRITTEN, reference};

/// What kernels compute that have the same results.
pub struct Sum {
    /// Words that are added up, at the end.
    pub live: u32,
    /// Of these, words that each turn of the loop computes with.
    pub mixed: u32,
    /// Turns of the loop. Each waits for a load.
    pub turns: u32,
    /// Whether each [`LANES`] invocations have their own number of turns, from 1 to twice `turns`.
    pub irregular: bool,
    kernels: &'static [Kernel],
}

/// The variant, the invocations of its workgroups, and the words that it holds in registers over the loop. A compiler needs
/// some more registers: RADV 8 to 12 on GCN where all words are held.
type Kernel = (&'static str, u32, u32);

/// Only waiting counts: few words to compute with.
const fn waiting(live: u32, kernels: &'static [Kernel]) -> Sum {
    Sum { live, mixed: 4, turns: 64, irregular: false, kernels }
}

static SUMS: [Sum; 10] = [
    waiting(112, &[("live_112", 128, 112)]),
    waiting(116, &[("live_116", 128, 116)]),
    waiting(120, &[("live_120", 128, 120)]),
    waiting(124, &[("live_124", 128, 124)]),
    waiting(128, &[("live_128", 128, 128)]),
    waiting(132, &[("live_132", 128, 132)]),
    waiting(136, &[("live_136", 128, 136)]),
    waiting(28, &[("idle_40", 1024, 28), ("idle_32", 1024, 16)]),
    Sum { mixed: 80, turns: 16, ..waiting(80, &[("spill_1024", 1024, 80), ("spill_512", 512, 80)]) },
    // With fewer mixed words, NVIDIA's compiler takes fewer registers in workgroups of 64 than in others.
    Sum {
        mixed: 12,
        irregular: true,
        ..waiting(48, &[("release_1024", 1024, 48), ("release_512", 512, 48), ("release_64", 64, 48)])
    },
];

/// Declares them all.
pub fn declare(lab: &mut Lab, size: Size) -> Result<()> {
    // Half as many as of the tricks: few fit at once, and they run long.
    let invocations = (size.invocations / 2).next_multiple_of(1024);
    let count = if size.is_small { 256 } else { 16_384 };
    let rows = lab.input_buffer("rows", move || input::rows(count));
    for sum in &SUMS {
        let name = format!("sums of {} words", sum.live);
        let results = lab.output(&name, BufferSet::new(1, invocations, UNWRITTEN))?;
        lab.expect(results, 0, move || reference::live(&input::rows(count), sum, invocations));
        for (name, workgroup, held) in sum.kernels {
            let kernel = lab.kernel("registers/live.comp").workgroup([*workgroup, 1, 1]);
            let kernel = if sum.irregular { kernel.define("IRREGULAR") } else { kernel };
            let kernel = kernel.constants([("LIVE", sum.live), ("HELD", *held), ("MIXED", sum.mixed)]);
            let kernel = kernel.constants([("TURNS", sum.turns), ("ROWS", count), ("LANES", LANES)]).build();
            let groups = [invocations / workgroup, 1, 1];
            lab.variant(*name, move |cmd, rep| {
                cmd.dispatch(kernel, &[rows, results.get(rep.index, 0)], &(), groups);
            });
        }
    }
    Ok(())
}
