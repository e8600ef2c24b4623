//! What samples are made of beside their recordings: formulas and geometry, each with its own
//! proof. A sample itself is one file in `src/bin`.

use std::path::Path;

use anyhow::Result;
use common::Lab;
use common::record::{Record, read_record};

pub mod bands;
pub mod bloom;
pub mod box_blur;
pub mod chain;
pub mod drain_fill;
pub mod hall;
pub mod island;
pub mod mersenne;
pub mod neighbourhood;
pub mod pipelined;
pub mod remap;
pub mod residency;
pub mod ssao;
pub mod tile_flags;
pub mod tiles;

/// A record that the suite has published of an NVIDIA H200, by its folder: what verdicts are tested on.
///
/// # Errors
/// A record that cannot be read.
pub fn recorded(folder: &str) -> Result<Record> {
    let results = Path::new(env!("CARGO_MANIFEST_DIR")).join("../results/2026-11-21-nvidia-h200");
    let path = results.join(folder).join("record.json");
    read_record(&path)
}

/// Has these variants run where nobody asks for any, and no others.
pub fn by_default(lab: &mut Lab, runs: impl Fn(&str) -> bool) {
    for variant in &mut lab.variants {
        variant.on_request = !runs(&variant.name);
    }
}

/// A test that a sample's `verdict` says of its [`recorded`] figures what the record has it say.
#[macro_export]
macro_rules! test_verdict {
    ($folder:literal) => {
        #[cfg(test)]
        #[test]
        fn a_record_leads_to_its_own_verdict() {
            let record = $crate::recorded($folder).unwrap();
            assert!(record.verdict.is_some());
            assert_eq!(record.verdict, verdict(&Figures::new(&record.rows)));
        }
    };
}
