//! Blooms that are too large for a count, a dispatch or the memory, and arguments that are none.

use libtest_mimic::Trial;

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
            told(Call::new("bloom")?.words(words).run()?, common::error::EXIT_FAILED, says).map(|_| ())
        })
    });
    refused.collect()
}
