//! Islands that no workgroup can hold, and numbers that are none.

use anyhow::{Result, ensure};
use libtest_mimic::Trial;
use record::error::{EXIT_FAILED, EXIT_RIGHT};
use record::{Status, read_json};

use crate::support::{Call, trial};
use crate::told;

const PHYSICS: &str = "group_physics";

const REFUSED: [(&str, &[&str]); 11] = [
    ("--particles 1025", &["--particles", "2 to 1024 particles"]),
    ("--particles 1", &["--particles", "2 to 1024 particles"]),
    ("--particles -5", &["--particles"]),
    ("--stiffness nan", &["--stiffness", "from 0.001 to 1"]),
    ("--stiffness inf", &["--stiffness", "from 0.001 to 1"]),
    ("--stiffness -1", &["--stiffness", "from 0.001 to 1"]),
    ("--stiffness 0", &["--stiffness", "from 0.001 to 1"]),
    ("--islands 0", &["--islands"]),
    ("--islands 4096 --iterations 1000", &["4096 islands", "1000 iterations", "for minutes"]),
    ("--islands 65535 --iterations 1", &["no room for", "a smaller size"]),
    ("--shape cube", &["--shape", "cloth"]),
];

pub fn trials() -> Vec<Trial> {
    let refused = |(arguments, says): (&'static str, &'static [&str])| {
        trial(format!("group_physics::{arguments}"), move || {
            let ended = told(Call::new(PHYSICS)?.words(arguments).run()?, EXIT_FAILED, says)?;
            ensure!(ended.stderr.lines().count() == 1, "more than a line: {ended}");
            Ok(())
        })
    };
    let mut trials: Vec<Trial> = REFUSED.into_iter().map(refused).collect();
    trials.push(trial("group_physics::as_small_as_can_be", as_small_as_can_be));
    trials
}

/// One pair of particles in one island is right in all variants.
fn as_small_as_can_be() -> Result<()> {
    // Two spheres do not touch: nothing is to be solved, and that is right.
    for shape in ["cloth", "chain", "blob", "blob --gravity"] {
        let call = Call::new(PHYSICS)?.words("--islands 1 --particles 2 --iterations 1 --all --samples 1");
        let call = call.words(&format!("--shape {shape} --json -"));
        let record = read_json(&call.run()?.with_code(EXIT_RIGHT.into())?.stdout)?;
        ensure!(record.rows.iter().all(|row| row.status == Status::Ok), "not all are right: {record:?}");
    }
    Ok(())
}
