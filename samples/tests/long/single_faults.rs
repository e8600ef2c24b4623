//! Every call of Vulkan that a run makes, failing in a run of its own: it must end by itself, with the reason on
//! one line and the right exit code, and what it leaves must be whole. In-process faults (`tests/faults`) meet the
//! calls that the samples know of; the layer meets all.

use std::collections::BTreeMap;

use anyhow::{Context, Result, ensure};
use rand::seq::SliceRandom;
use rand::{RngExt, SeedableRng};
use rand_pcg::Pcg64;
use rayon::prelude::*;
use record::error::{EXIT_FAILED, EXIT_HUNG};
use record::{Ended as End, Record, Row, Traced};

use crate::seed;
use crate::support::{Call, Ended, FaultLayer, read_record};

/// Faults of each workload; a workload with fewer calls has each of them fail.
const FAULTS: usize = 120;

const QUICK: &str = "--repetitions 1 --samples 1 --seed 1";

/// What is run: the sample and its arguments. Small: the calls matter, not their times.
const WORKLOADS: [(&str, &str); 34] = [
    ("pipelined_events", "--size 48 --passes 2 --bands 2 --align 8"),
    ("pipelined_events", "--size 48 --passes 2 --bands 2 --align 8 --check"),
    ("pipelined_events", "--size 48 --passes 2 --bands 2 --align 8 --profile"),
    ("pipelined_events", "--size 48 --passes 2 --bands 2 --align 8 --trace out.json"),
    ("event_matrix", "--size 48 --passes 2 --variants two_queues"),
    ("pipelined_events", "--size 48 --passes 2 --bands 2 --align 8 --live --headless --frames 4"),
    ("data_race", "--size 32"),
    ("group_physics", ""),
    ("lds_blur", "--size 64"),
    ("bloom", "--size 64x48"),
    ("drain_fill", ""),
    ("cold_caches", ""),
    ("wave_launch", ""),
    ("semi_persistent_waves", "--size 64"),
    ("swizzled_remap", "--size 64"),
    ("codegen", ""),
    ("sgemm", "--size 32"),
    ("groestl", "--hashes 64 --variants one_table,bits"),
    ("registers", "--invocations 2048 --variants image_1,live_112"),
    ("memory_latency", "--largest 1 --variants storage_1_mib,image_2_kib"),
    ("load_rate", "--variants sampled_r8_1,buffer_32_1"),
    ("hidden_latency", "--variants l1_1_0,l2_16_10"),
    ("code_size", "--variants loop_1_64,once_1_64"),
    ("wave_order", "--variants start_rows_8,gaps_2"),
    ("tile_order", "--size 64"),
    ("time_stamps", "--variants between_copy,second_unstamped"),
    ("raster_or_compute", "--variants tone_pixels,tone_compute_read_only"),
    ("clears", "--variants pixels_load_op_0,compute_clear_image_0"),
    ("first_pixel", "--variants fetched_1_warm,compute_cold"),
    ("merged_passes", ""),
    ("queues", "--variants at_once_compute_2,hand_over_graphics_event"),
    ("small_dispatches", "--dispatches 2 --variants graphics_2_*"),
    ("async_compute", "--variants passes_async,layers_alone"),
    // Not by polling: how often that asks differs from run to run.
    ("round_trip", "--submits 8 --variants to_gpu_fence_2,to_cpu_timeline_8"),
];

/// Arguments of what takes no samples.
const UNMEASURED: [&str; 3] = ["--check", "--profile", "--live"];

/// `VkResult`s.
const TIMEOUT: i32 = 2;
const NO_HOST_MEMORY: i32 = -1;
const NO_DEVICE_MEMORY: i32 = -2;
const LOST: i32 = -4;

/// Calls whose failure costs a run nothing: names of objects, a list of tools that only informs.
const HARMLESS: [&str; 2] = ["vkSetDebugUtilsObjectNameEXT", "vkGetPhysicalDeviceToolProperties"];

struct Fault {
    workload: usize,
    function: String,
    nth: usize,
    result: i32,
}

/// Draws faults for each workload and lets as many run at once as there are processors.
pub fn every_call_may_fail() -> Result<()> {
    let layer = FaultLayer::build()?;
    let (seed, mut faults) = (seed(), Vec::new());
    let mut random = Pcg64::seed_from_u64(seed);
    for workload in 0..WORKLOADS.len() {
        let mut all = drawn(workload, &layer.list(call(workload)?)?, &mut random);
        all.shuffle(&mut random);
        all.truncate(FAULTS);
        faults.extend(all);
    }
    let run = |fault: &Fault| fault.run(&layer).with_context(|| fault.plan());
    let ended: Vec<Result<bool>> = faults.par_iter().map(run).collect();
    ended.iter().filter_map(|ended| ended.as_ref().err()).for_each(|error| println!("{error:#}\n"));
    let met = ended.iter().filter(|ended| matches!(ended, Ok(true))).count();
    let (all, wrong) = (ended.len(), ended.iter().filter(|ended| ended.is_err()).count());
    println!(
        "{all} faults in {} workloads with seed {seed}: {met} met and right, {wrong} wrong",
        WORKLOADS.len()
    );
    ensure!(met + wrong > all * 9 / 10, "seed {seed}: only {met} of {all} faults were met");
    ensure!(wrong == 0, "seed {seed}: {wrong} of {all} faults did not end as they must");
    Ok(())
}

fn call(workload: usize) -> Result<Call> {
    let (sample, arguments) = WORKLOADS[workload];
    let call = Call::new(sample)?.words(arguments).env("HOTLAP_ONE_QUEUE_AS_SEVERAL", "1");
    Ok(if measures(arguments) { call.words(QUICK) } else { call })
}

fn measures(arguments: &str) -> bool {
    !UNMEASURED.iter().any(|unmeasured| arguments.contains(unmeasured))
}

/// A fault for each call, of a kind that the function can answer.
fn drawn(workload: usize, calls: &[String], random: &mut Pcg64) -> Vec<Fault> {
    let mut met = BTreeMap::<String, usize>::new();
    let mut fault = |function: &String| {
        let nth = met.entry(function.clone()).or_default();
        *nth += 1;
        let results: &[i32] = match &function[..] {
            "vkWaitForFences" | "vkWaitSemaphores" => &[TIMEOUT, LOST],
            "vkQueueSubmit2"
            | "vkGetQueryPoolResults"
            | "vkGetFenceStatus"
            | "vkGetSemaphoreCounterValue" => &[NO_HOST_MEMORY, NO_DEVICE_MEMORY, LOST],
            _ => &[NO_HOST_MEMORY, NO_DEVICE_MEMORY],
        };
        let result = results[random.random_range(..results.len())];
        Fault { workload, function: function.clone(), nth: *nth, result }
    };
    // A check knows an expected message by the name of its image, and fails without.
    let is_check = WORKLOADS[workload].1.contains("--check");
    let tried = |function: &&String| !(is_check && HARMLESS.contains(&function.as_str()));
    calls.iter().filter(tried).map(&mut fault).collect()
}

impl Fault {
    fn plan(&self) -> String {
        format!("{}#{}:{}", self.function, self.nth, self.result)
    }

    /// Whether the run made the call: frames of a window come by time, so their number is another in each run.
    fn run(&self, layer: &FaultLayer) -> Result<bool> {
        let (sample, arguments) = WORKLOADS[self.workload];
        let folder = tempfile::tempdir()?;
        let call = call(self.workload)?.within(folder.path());
        let call = if measures(arguments) { call.words("--out run") } else { call };
        let beside = tempfile::tempdir()?;
        let met = beside.path().join("met");
        let ended = layer.on(call, &format!("{}:{}", self.plan(), met.display())).run()?;
        let record = folder.path().join("run/record.json");
        let record = record.exists().then(|| read_record(&record)).transpose()?;
        let goes_on = match &record {
            Some(record) => has_no_room_for_a_trace(record),
            // A window writes nothing. It shows why there is no trace, and a call after its last frame costs nothing.
            None => arguments.contains("--live") && ended.code == Some(0),
        };
        let code = self.code().filter(|_| met.exists() && !goes_on);
        let reasons = ended.stderr.lines().filter(|line| line.starts_with(&format!("{sample}: "))).count();
        match code {
            None => ensure!(ended.code == Some(0) && reasons == 0, "not met, or harmless, and yet: {ended}"),
            Some(code) => {
                ensure!(ended.code == Some(code.into()), "expected exit code {code} of {ended}");
                ensure!(reasons == 1, "{reasons} lines of reason in place of one: {ended}");
            }
        }
        if let Some(record) = record {
            let complete = record.ended == End::Complete;
            ensure!(complete == code.is_none(), "the record says {:?}: {ended}", record.ended);
        }
        left_whole(&folder, &ended)?;
        Ok(met.exists())
    }

    fn code(&self) -> Option<u8> {
        match self.result {
            _ if HARMLESS.contains(&&self.function[..]) => None,
            TIMEOUT => Some(EXIT_HUNG),
            _ => Some(EXIT_FAILED),
        }
    }
}

/// Whether the run went on without a trace.
fn has_no_room_for_a_trace(record: &Record) -> bool {
    let refused =
        |row: &Row| matches!(&row.trace, Some(Traced::Refused { reason }) if reason.contains("memory while"));
    record.ended == End::Complete && record.rows.iter().any(refused)
}

/// No draft, and no folder without a record.
fn left_whole(folder: &tempfile::TempDir, ended: &Ended) -> Result<()> {
    for entry in std::fs::read_dir(folder).context("listing what is left")? {
        let path = entry?.path();
        let names = std::fs::read_dir(&path).map(Iterator::count);
        ensure!(names.is_ok_and(|names| names > 0) || path.is_file(), "an empty folder is left: {ended}");
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        ensure!(!name.ends_with(".part"), "a draft is left: {ended}");
    }
    Ok(())
}
