//! What two samples or more share. A sample is a folder in `src/bin`.

use std::path::Path;

use anyhow::Result;
use common::record::{Record, read_record};
use common::{Extent, Lab};

pub mod chain;
pub mod tile_flags;

/// A record that the suite has published of an NVIDIA H200, by its folder: what verdicts are tested on.
///
/// # Errors
/// A record that cannot be read.
pub fn recorded(folder: &str) -> Result<Record> {
    let results = Path::new(env!("CARGO_MANIFEST_DIR")).join("../results/2026-11-21-nvidia-h200");
    let path = results.join(folder).join("record.json");
    read_record(&path)
}

/// The size that is asked for, else a default; for the record, too.
pub fn size(lab: &mut Lab, asked: Option<Extent>, on_gpu: [u32; 2], on_cpu: [u32; 2]) -> Extent {
    let [width, height] = if lab.device().is_cpu() { on_cpu } else { on_gpu };
    let size = asked.unwrap_or(Extent { width, height });
    lab.report.setting("size", size);
    size
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
