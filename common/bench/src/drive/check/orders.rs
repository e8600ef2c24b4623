//! Runs a variant's dispatches one at a time, as recorded and in other orders; see [`super::super::order`].

use anyhow::Result;
use record::Promise;

use super::findings::Findings;
use super::layer::first_of_each;
use crate::drive::order::Order;
use crate::drive::session::{Session, Work};
use crate::drive::tour::{miscount, must_differ};
use crate::drive::verify::Counted;
use crate::mutate::Mutation;

/// More orders find nothing new and take too long.
const MOST_ORDERS: usize = 64;

/// Runs the dispatches in other allowed orders; see [`super::super::order`]. Returns whether the recording can be
/// submitted at all.
pub(super) fn try_orders(
    session: &mut Session<'_>,
    v: usize,
    mutation: Mutation,
    found: &mut Findings,
) -> Result<bool> {
    let lab = session.lab;
    let promise = &lab.variants[v].promise;
    session.scripts.mutation = mutation;
    let script = session.scripts.script(v, 1)?;
    if let Some(reason) = session.scripts.endless(&script) {
        found.problems.push(reason);
        return Ok(false);
    }
    let expected = must_differ(promise, false);
    for repetitions in [1, 2.min(lab.repetitions())] {
        let script = session.scripts.script(v, repetitions)?;
        let recorded: Vec<usize> = (0..script.work().count()).collect();
        let work = Work { variant: v, repetitions, script: &script, notes: None };
        let counted = session.replay(&work, &recorded)?;
        // Even an unsynchronized variant is correct if its dispatches do not overlap.
        if let Some(problem) = miscount(&session.uses, v, counted, expected.unwrap_or(0), repetitions) {
            found.problems.push(problem);
            return Ok(true);
        }
    }
    let order = Order::of(&script, session.events_reset(v, 1));
    found.possible = order.free();
    let work = Work { variant: v, repetitions: 1, script: &script, notes: None };
    for (early, order) in order.others(MOST_ORDERS) {
        let Counted { wrong, first, .. } = session.replay(&work, &order)?;
        found.orders += 1;
        found.wrong_orders += usize::from(wrong != expected.unwrap_or(0));
        if expected.is_some_and(|n| n != wrong) && found.wrong_orders == 1 {
            let place = |first| format!(", the first at {}", session.uses.place(v, first));
            let all: Vec<_> = script.work().collect();
            found.problems.push(format!(
                "{wrong} pixels differ from the CPU reference when dispatch {} of {} ({}) runs as early as the recorded \
                 dependencies allow{}",
                early + 1,
                all.len(),
                all[early].name(&lab.gpu.arena()),
                first.map_or_else(String::new, place)
            ));
        }
    }
    if matches!(promise, Promise::Nothing { .. }) && found.wrong_orders == 0 {
        found.problems.push("no order of its dispatches gives a wrong result: it leaves out nothing".into());
    }
    found.problems.extend(
        first_of_each(&lab.gpu.take_messages())
            .into_iter()
            .map(|first| format!("in another order, though each dispatch is behind a full barrier: {first}")),
    );
    Ok(true)
}
