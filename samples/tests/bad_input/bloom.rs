//! Blooms that are too large for a count, a dispatch or the memory, and arguments that are none.

use anyhow::{Result, ensure};
use libtest_mimic::Trial;
use record::error::{EXIT_FAILED, EXIT_SKIPPED};

use crate::support::{Call, trial};
use crate::told;

const REFUSED: [(&str, &[&str]); 8] = [
    ("--radius 9", &["--radius", "1..=8"]),
    ("--radius 0", &["--radius", "1..=8"]),
    ("--size 0x7", &["--size", "WIDTHxHEIGHT"]),
    ("--order nix", &["--order", "recorded, urgent"]),
    ("--tile 8x0", &["--tile"]),
    ("--size 2097152", &["2097152x2097152", "more texels than 32 bits count", "use a smaller --size"]),
    ("--size 46341", &["46341x46341", "more texels than 32 bits count"]),
    ("--size 1x600000 --variant barriers", &["variant", "workgroups are not possible", "use larger ones"]),
];

pub fn trials() -> Vec<Trial> {
    let refused = REFUSED.iter().map(|&(words, says)| {
        trial(format!("bloom::refused::{words}"), move || {
            told(Call::new("bloom")?.words(words).run()?, EXIT_FAILED, says).map(|_| ())
        })
    });
    let beyond = || {
        let call = Call::new("bloom")?
            .words("--size 64x64 --variant tile_flags --without *barrier* --tile 4096x4096");
        says(
            &call.run()?.with_code(EXIT_SKIPPED.into())?.stdout,
            "a workgroup of 4096x4096x1 is not possible",
        )
    };
    let slots = || {
        let folder = tempfile::tempdir()?;
        let call = Call::new("bloom")?.env("HOTLAP_TRACE_SLOTS", "many").words("--size 32x32 --samples 1");
        let call =
            call.words("--variant tile_flags --no-self-test --trace").args([folder.path().join("t.svg")]);
        says(
            &call.run()?.with_code(EXIT_FAILED.into())?.stderr,
            "HOTLAP_TRACE_SLOTS is a whole number, not 'many'",
        )
    };
    let others = [
        trial("bloom::a tile that no device takes", beyond),
        trial("bloom::slots of a trace that are no number", slots),
    ];
    refused.chain(others).collect()
}

fn says(heard: &str, text: &str) -> Result<()> {
    ensure!(heard.contains(text), "no word of '{text}':\n{heard}");
    Ok(())
}
