//! Numbers that are not MT19937's, and choices that are wrong.

use libtest_mimic::Trial;

use super::results::{self, Mutant};

const TWIST: &str = "codegen/twist.comp";
const SELECT: &str = "codegen/select.comp";

/// Numbers that no workgroup divides.
const SMALL: &str = "--generators 70 --invocations 130";

const MUTANTS: [Mutant; 7] = [
    ("words_from_too_near", TWIST, ["AHEAD = 397u", "AHEAD = 396u"], twists),
    ("another_matrix", TWIST, ["0x9908b0dfu", "0x9908b0deu"], twists),
    ("bits_not_joined", TWIST, ["(next & ~UPPER)", "(word & ~UPPER)"], twists),
    ("last_generator_left_out", TWIST, ["generator >= GENERATORS", "generator + 1u >= GENERATORS"], twists),
    // Only the last of the 624 words can tell.
    (
        "last_step_reads_no_first_word",
        TWIST,
        ["(first + i + 1u) % WORDS", "min(first + i + 1u, WORDS - 1u)"],
        twists,
    ),
    ("the_other_word", SELECT, ["c_[i] != 0u", "c_[i] == 0u"], selects),
    ("one_word_too_few", SELECT, ["chosen[i * INVOCATIONS", "chosen[(i | 1u) * INVOCATIONS"], selects),
];

fn twists(variant: &str) -> bool {
    variant.starts_with("mt_")
}

fn selects(variant: &str) -> bool {
    variant.starts_with("select_")
}

pub fn trials() -> Vec<Trial> {
    results::trials("codegen", SMALL, &MUTANTS)
}
