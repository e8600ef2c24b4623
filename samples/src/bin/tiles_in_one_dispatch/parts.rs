//! What a dependency between tiles is made of: `tags` and `flags` with one part of it left out after the other. The difference
//! between two of them is what the part costs. What is left in the end is the computation.

use anyhow::Result;
use common::{BufferSet, Buffers, Lab};
use samples::waits::lacking;
use samples::{LOADS, STORES, in_rows};

use crate::grid::Tiling;
use crate::kernels::{Chain, Form};

/// What is left out, each with all before it, as bits of the kernels' LEFT_OUT: polls, tickets and their two barriers, acquire
/// and release of the workgroup with the signal (`flags` alone has them), loads, stores.
const PARTS: [(&str, u32); 5] = [("wait", 1), ("claim", 3), ("order", 7), ("load", 15), ("store", 31)];

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
    let impossible = tiling.impossible().or(lacking(lab.device(), false));
    let tickets = lab.output("tickets of parts", BufferSet::new(1, tiling.ticket_words(), 0))?;
    for (form, texels) in [(Form::Tags, tagged), (Form::Flags, flagged)] {
        let has = |part| part != "order" || form == Form::Flags;
        for (part, left_out) in PARTS.into_iter().filter(|&(part, _)| has(part)) {
            let kernel = form.kernel(lab, chain, tiling).constant("LEFT_OUT", left_out).build();
            lab.variant(format!("{}_no_{part}", form.name()), move |cmd, rep| {
                if rep.index > 0 {
                    cmd.pipeline_barrier2(STORES, LOADS);
                }
                let buffers =
                    [texels.whole(rep.index), tickets.get(rep.index, 0), timeouts.get(rep.index, 0)];
                cmd.dispatch(kernel, &buffers, &(), in_rows(tiling.workgroups()));
            })
            .races_in_a_dispatch("every dependency between tiles")
            .on_request()
            .skip(impossible.clone());
        }
    }
    Ok(())
}
