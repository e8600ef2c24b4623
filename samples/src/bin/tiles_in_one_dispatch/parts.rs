//! What a dependency between tiles is made of: `tags` and `flags` with one part of it left out after the other. The difference
//! between two of them is what the part costs. What is left in the end is the computation.

use anyhow::Result;
use common::{BufferSet, Buffers, Lab};
use samples::{LOADS, STORES, in_rows};

use crate::grid::Tiling;
use crate::kernels::{Chain, Form};

/// What is left out, as bits of the kernels' LEFT_OUT. First the acquire alone. Then polls with their acquire, tickets and their
/// two barriers, acquire and release of the workgroup with the signal, loads, stores: each with all before it.
const PARTS: [(&str, u32); 6] =
    [("acquire", 32), ("wait", 1), ("claim", 3), ("order", 7), ("load", 15), ("store", 31)];

/// The parts that are left out of a form.
fn parts(form: Form) -> impl Iterator<Item = (&'static str, u32)> {
    PARTS.into_iter().filter(move |&(part, _)| match form {
        Form::Tags => !["acquire", "order"].contains(&part),
        Form::FlagsChained => part == "acquire",
        _ => true,
    })
}

/// Declares the variants.
///
/// # Errors
/// The device cannot have the buffer of tickets.
pub fn left_out(
    lab: &mut Lab,
    chain: Chain,
    tiling: Tiling,
    [tagged, flagged]: [Buffers; 2],
    timeouts: Buffers,
) -> Result<()> {
    let tickets = lab.output("tickets of parts", BufferSet::new(1, tiling.ticket_words(), 0))?;
    for (form, texels) in [(Form::Tags, tagged), (Form::Flags, flagged), (Form::FlagsChained, flagged)] {
        let impossible = tiling.impossible().or(form.lacking(lab.device()));
        for (part, left_out) in parts(form) {
            let kernel = form.kernel(lab, chain, tiling).constant("LEFT_OUT", left_out).build();
            lab.variant(format!("{}_no_{part}", form.name()), move |cmd, rep| {
                if rep.index > 0 {
                    cmd.pipeline_barrier2(STORES, LOADS);
                }
                let buffers =
                    [texels.whole(rep.index), tickets.get(rep.index, 0), timeouts.get(rep.index, 0)];
                cmd.dispatch(kernel, &buffers, &(), in_rows(tiling.workgroups()));
            })
            .races_in_a_dispatch(if part == "acquire" {
                "the acquire after a wait"
            } else {
                "dependencies between tiles"
            })
            .on_request()
            .skip(impossible.clone());
        }
    }
    Ok(())
}
