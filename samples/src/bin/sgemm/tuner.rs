//! Chooses a kernel by running candidates. Compilers schedule the same multiply-adds in other orders to times that are up to
//! 10 % apart, and no model of them is known that foretells which order is fast.

use std::fmt;
use std::fs;
use std::path::PathBuf;
use std::time::{Duration, Instant};

use anyhow::Result;
use common::vulkan::spirv::cache_folder;
use common::{Cmd, Kernel, Lab, Tile};
use serde::{Deserialize, Serialize};

use crate::device::{Matrices, Tail};
use crate::plan::{EIGHT_BY_EIGHT, ORDERS, Order, Plan, SHAPES, SIXTEEN_BY_EIGHT};

/// No further candidates are timed after this time.
const PATIENCE: Duration = Duration::from_secs(10);

/// A kernel, and how its last tiles are split.
#[derive(Clone, Copy, Debug)]
pub struct Choice {
    /// The kernel.
    pub plan: Plan,
    /// The tiles that are split.
    pub tail: Option<Tail>,
}

/// A choice as it is kept from run to run.
#[derive(Debug, PartialEq, Serialize, Deserialize)]
struct Kept {
    plan: String,
    workers: Option<u32>,
}

/// What is chosen without running anything.
pub fn default_plan(lab: &Lab) -> Plan {
    /// `VK_VENDOR_ID` of NVIDIA, whose invocations have 255 registers.
    const NVIDIA: u32 = 0x10de;
    if lab.device().vendor_id == NVIDIA { SIXTEEN_BY_EIGHT } else { EIGHT_BY_EIGHT }
}

/// How many workgroups the device runs at once, as far as can be known without running any: two of these plans fit in the
/// shared memory that Vulkan gives.
pub fn default_workers(lab: &Lab) -> u32 {
    let multiprocessors = lab.device().multiprocessors.map(|machine| 2 * machine.count.max(1));
    multiprocessors.unwrap_or(if lab.device().is_cpu() { 3 } else { 64 })
}

/// Tails with one, two and four workgroups per multiprocessor.
///
/// # Errors
/// Not enough memory.
pub fn tails(lab: &mut Lab, matrices: &Matrices) -> Result<Vec<Tail>> {
    let workers = default_workers(lab);
    let tails = [workers / 2, workers, 2 * workers].into_iter();
    tails
        .filter_map(|workers| Tail::new(lab, matrices.size, &SIXTEEN_BY_EIGHT, workers).transpose())
        .collect()
}

/// Chooses among all candidates, or takes what an earlier run chose. Also returns both in words.
///
/// # Errors
/// A candidate cannot be compiled or run.
pub fn tuned(lab: &mut Lab, matrices: &Matrices, tails: &[Tail]) -> Result<(Choice, String)> {
    let file = cache_folder()
        .map(|folder| folder.join(format!("sgemm-{}-{}.json", lab.gpu.pipeline_cache_uuid(), matrices.size)));
    if let Some(choice) = file.as_ref().and_then(read).and_then(|kept| choice_of(&kept, tails)) {
        return Ok((choice, format!("{choice}, chosen in an earlier run")));
    }
    let mut search = Search { lab, matrices, began: Instant::now(), timed: Vec::new(), is_cut: false };
    let choice = search.best(tails)?;
    let told = format!("{choice}, {}", search.told());
    let kept = Kept { plan: choice.plan.to_string(), workers: choice.tail.map(|tail| tail.workers) };
    // Without the file the next run chooses again, as it does after a search that was cut short.
    let _ = file.filter(|_| !search.is_cut).map(|file| write(&file, &kept));
    Ok((choice, told))
}

/// All candidates without splits.
fn plans() -> impl Iterator<Item = Plan> {
    SHAPES.into_iter().flat_map(|shape| ORDERS.map(|order| Plan { order, ..shape }))
}

fn choice_of(kept: &Kept, tails: &[Tail]) -> Option<Choice> {
    let plan = plans().find(|plan| plan.to_string() == kept.plan)?;
    let tail = match kept.workers {
        Some(workers) => Some(*tails.iter().find(|tail| tail.workers == workers)?),
        None => None,
    };
    Some(Choice { plan, tail })
}

fn read(file: &PathBuf) -> Option<Kept> {
    serde_json::from_slice(&fs::read(file).ok()?).ok()
}

fn write(file: &PathBuf, kept: &Kept) -> Result<()> {
    file.parent().map_or(Ok(()), fs::create_dir_all)?;
    Ok(fs::write(file, serde_json::to_vec(kept)?)?)
}

/// A search among candidates.
struct Search<'l> {
    lab: &'l mut Lab,
    matrices: &'l Matrices,
    began: Instant,
    /// Candidates and their times in µs.
    timed: Vec<(Choice, f64)>,
    /// Whether there was no time for some.
    is_cut: bool,
}

impl Search<'_> {
    fn best(&mut self, tails: &[Tail]) -> Result<Choice> {
        let device = self.lab.device();
        let (invocations, shared) = (device.max_workgroup_invocations, device.max_shared_memory);
        let fits = |plan: &Plan| plan.invocations() <= invocations && 4 * plan.shared_words() <= shared;
        let shapes = SHAPES.into_iter().filter(fits).map(|plan| Choice { plan, tail: None });
        self.time(shapes.collect())?;
        let two: Vec<Plan> = self.sorted().iter().take(2).map(|(choice, _)| choice.plan).collect();
        for shape in two {
            let tails = if shape.tile == SIXTEEN_BY_EIGHT.tile { tails } else { &[] };
            // Orders are compared with split tiles, because the last wave would hide in part what an order gains.
            let usual = tails.get(tails.len() / 2).copied();
            let ordered = |order| Choice { plan: Plan { order, ..shape }, tail: usual };
            self.time(ORDERS.map(ordered).into())?;
            let is_ordered = |of: &Choice| of.is(usual) && Plan { order: shape.order, ..of.plan } == shape;
            let plan = fastest(&self.timed, is_ordered).plan;
            let tails = tails.iter().copied().map(Some).chain([None]);
            self.time(tails.map(|tail| Choice { plan, tail }).collect())?;
        }
        // The fastest of many is also the luckiest: a few are timed again.
        let tried = self.sorted();
        self.timed.clear();
        self.time(tried.iter().take(4).map(|(choice, _)| *choice).collect())?;
        let last = if self.timed.is_empty() { &tried } else { &self.timed };
        let best = fastest(last, |_| true);
        self.timed = tried;
        Ok(best)
    }

    /// All that were timed, the fastest first.
    fn sorted(&self) -> Vec<(Choice, f64)> {
        let mut sorted = self.timed.clone();
        sorted.sort_by(|a, b| a.1.total_cmp(&b.1));
        sorted
    }

    /// Times these choices but for those that have a time.
    fn time(&mut self, mut choices: Vec<Choice>) -> Result<()> {
        choices.retain(|new| self.timed.iter().all(|(old, _)| old.plan != new.plan || !old.is(new.tail)));
        if self.began.elapsed() > PATIENCE {
            self.is_cut |= !choices.is_empty();
            return Ok(());
        }
        let matrices = self.matrices;
        let kernels: Vec<_> =
            choices.iter().map(|choice| Kernels::of(self.lab, self.matrices, choice)).collect();
        let lists: Vec<_> = choices
            .iter()
            .zip(&kernels)
            .map(|(choice, kernels)| move |cmd: &Cmd| choice.multiply(cmd, 0, matrices, kernels))
            .collect();
        let lists: Vec<&dyn Fn(&Cmd)> = lists.iter().map(|list| list as &dyn Fn(&Cmd)).collect();
        let times = self.lab.time("choosing a kernel", &lists)?;
        self.timed.extend(choices.into_iter().zip(times));
        Ok(())
    }

    fn told(&self) -> String {
        let times = self.timed.iter().map(|(_, us)| *us);
        let (least, most) = times.fold((f64::INFINITY, 0.0_f64), |(a, b), us| (a.min(us), b.max(us)));
        format!(
            "the fastest of {} that were tried in {:.1} s{}, {:.0} to {:.0} µs",
            self.timed.len(),
            self.began.elapsed().as_secs_f64(),
            if self.is_cut { " (time budget used up)" } else { "" },
            least,
            most
        )
    }
}

/// The fastest of the wanted choices.
fn fastest(timed: &[(Choice, f64)], wanted: impl Fn(&Choice) -> bool) -> Choice {
    let fastest = timed.iter().filter(|(choice, _)| wanted(choice)).min_by(|a, b| a.1.total_cmp(&b.1));
    fastest.map_or(Choice { plan: SIXTEEN_BY_EIGHT, tail: None }, |(choice, _)| *choice)
}

/// The kernels of a choice.
#[derive(Clone, Copy, Debug)]
pub struct Kernels {
    /// Of whole tiles.
    pub whole: Kernel,
    /// Of split tiles.
    pub split: Option<Kernel>,
}

impl Kernels {
    fn of(lab: &Lab, matrices: &Matrices, choice: &Choice) -> Self {
        let whole = matrices.generated(lab, &choice.plan).build();
        let split = choice.tail.map(|tail| tail.kernel(lab, matrices, &choice.split_plan()).build());
        Self { whole, split }
    }
}

impl fmt::Display for Choice {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let tail =
            self.tail.map_or_else(String::new, |tail| format!(", last tiles split among {}", tail.workers));
        write!(f, "{}{tail}", self.plan)
    }
}

impl Choice {
    /// Whether this is how its tiles are split.
    fn is(&self, tail: Option<Tail>) -> bool {
        self.tail.map(|tail| tail.workers) == tail.map(|tail| tail.workers)
    }

    /// The plan of the split tiles: they are too few for its order to matter.
    pub fn split_plan(&self) -> Plan {
        Plan { order: Order::Zigzag, ..self.plan }
    }

    /// Multiplies by the kernels of this choice.
    pub fn multiply(&self, cmd: &Cmd, repetition: u32, matrices: &Matrices, kernels: &Kernels) {
        let operands = matrices.pad(cmd, repetition);
        let tiles = matrices.size.tiles(self.plan.tile);
        let whole = self.tail.map_or(tiles, |tail| tail.first_tile);
        if whole > 0 {
            matrices.multiply_tiles(cmd, repetition, kernels.whole, operands, whole);
        }
        if let (Some(tail), Some(kernel)) = (&self.tail, kernels.split) {
            matrices.multiply_split(cmd, repetition, kernel, operands, tail);
        }
    }

    /// Which workgroups compute which part of C.
    pub fn parts(&self, matrices: &Matrices) -> Vec<Tile> {
        matrices.parts(&self.plan, self.tail.as_ref())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_kept_choice_is_found_again_and_an_unknown_one_is_not() {
        for plan in plans() {
            let kept = Kept { plan: plan.to_string(), workers: None };
            assert_eq!(choice_of(&kept, &[]).unwrap().plan, plan);
            // A tail that this device does not have: the search runs again.
            assert!(choice_of(&Kept { workers: Some(7), ..kept }, &[]).is_none());
        }
        assert!(choice_of(&Kept { plan: "9x9".into(), workers: None }, &[]).is_none());
    }
}
