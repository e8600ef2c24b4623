//! Events as the driver is handed them. No driver of the tests has VK_KHR_maintenance9, so the layer pretends it: what is
//! set and waited for keeps to the specification's rules for asymmetric events (VUID-vkCmdSetEvent2-dependencyFlags-10785
//! to 10787, VUID-vkCmdWaitEvents2-pEvents-10788 to 10790).

use std::collections::BTreeMap;

use anyhow::{Context, Result, bail, ensure};
use record::Status;

use crate::LAYER;
use crate::support::Call;

/// `VK_DEPENDENCY_ASYMMETRIC_EVENT_BIT_KHR`.
const ASYMMETRIC: u64 = 0x40;
/// `VK_PIPELINE_STAGE_2_COMPUTE_SHADER_BIT`.
const COMPUTE: u64 = 0x800;

/// The dependency of a set or a wait.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Dependency {
    flags: u64,
    /// Numbers of memory, buffer and image barriers.
    barriers: [u64; 3],
    /// Stages and accesses of the one memory barrier.
    source: [u64; 2],
    target: [u64; 2],
}

/// `set`, an event, and numbers, between tabs.
fn read(line: &str) -> Result<(&str, u64, Dependency)> {
    let (command, numbers) = line.split_once('\t').context("no numbers")?;
    let numbers = numbers.split('\t').map(str::parse).collect::<Result<Vec<u64>, _>>()?;
    let &[event, flags, memory, buffers, images, stage, access, to_stage, to_access] = &*numbers else {
        bail!("{} numbers", numbers.len());
    };
    let (source, target) = ([stage, access], [to_stage, to_access]);
    Ok((command, event, Dependency { flags, barriers: [memory, buffers, images], source, target }))
}

/// A wait after the set of its event.
fn is_valid(set: Dependency, wait: Dependency) -> Result<()> {
    if wait.flags != ASYMMETRIC {
        ensure!(set == wait, "10788: {set:?} and {wait:?} differ");
        return Ok(());
    }
    ensure!(set.flags == ASYMMETRIC, "10789: {set:?} is symmetric");
    ensure!(set.barriers[1..] == [0, 0], "10785: {set:?}");
    ensure!(set.barriers[0] == 1, "10786: {set:?}");
    ensure!(set.source[1] == 0 && set.target == [0, 0], "10787: {set:?}");
    ensure!(wait.source[0] == set.source[0], "10790: {set:?} and {wait:?}");
    Ok(())
}

pub fn asymmetric_events_keep_to_the_rules() -> Result<()> {
    let folder = tempfile::tempdir()?;
    let path = folder.path().join("events");
    let layer = LAYER.get().context("the layer is built first")?.as_ref().map_err(anyhow::Error::msg)?;
    let call = || {
        let words =
            "--size 96 --align 8 --bands 2 --samples 1 --repetitions 2 --variants *asymmetric_2,events_2";
        Ok::<_, anyhow::Error>(Call::new("event_matrix")?.words(words))
    };
    let record = layer.on(call()?, &format!("events:{}", path.display())).record()?;
    let asymmetric = record.rows.iter().filter(|row| row.variant.contains("asymmetric"));
    let statuses: Vec<&Status> = asymmetric.map(|row| &row.status).collect();
    ensure!(statuses == [&Status::Ok; 6], "{statuses:?}");

    let mut set: BTreeMap<u64, Dependency> = BTreeMap::new();
    let mut waits = Vec::new();
    for line in std::fs::read_to_string(&path)?.lines() {
        let (command, event, dependency) = read(line).with_context(|| line.to_owned())?;
        if command == "set" {
            set.insert(event, dependency);
        } else {
            is_valid(*set.get(&event).context("a wait for an event that was not set")?, dependency)?;
            waits.push(dependency);
        }
    }
    let of = |flags, accesses| {
        let wanted = |wait: &&Dependency| wait.flags == flags && (wait.source[1] > 0) == accesses;
        waits.iter().filter(wanted).count()
    };
    ensure!(of(ASYMMETRIC, true) > 0 && of(ASYMMETRIC, false) > 0 && of(0, true) > 0, "{waits:?}");
    ensure!(waits.iter().all(|wait| wait.source[0] == COMPUTE && wait.target[0] == COMPUTE), "{waits:?}");

    // Without the extension, its variants are left out.
    for row in call()?.record()?.rows.iter().filter(|row| row.variant.contains("asymmetric")) {
        let Status::Skipped { reason } = &row.status else { bail!("{} is {:?}", row.variant, row.status) };
        ensure!(reason == "the driver lacks VK_KHR_maintenance9", "{reason}");
    }
    Ok(())
}
