//! Shaders with an error.

use std::fs;

use anyhow::{Context, Result};
use libtest_mimic::Trial;
use record::error::EXIT_FAILED;

use crate::SAMPLE;
use crate::support::{Checkout, told_on_one_line, trial};

const STEP: &str = "chain/step.comp";

/// Name, shader, what to replace in it by what, and what the refusal must say; `LINE` is the line that was broken.
const SHADERS: [(&str, [&str; 3], &[&str]); 4] = [
    (
        "shader_error",
        [STEP, "return next_generation(reads);", "return next_generation(raeds);"],
        &["chain/step.comp:LINE: error: 'raeds' : undeclared identifier"],
    ),
    (
        "include_error",
        [
            "chain/texel.glsl",
            "reads.mixed = reads.mixed * multiplier + texel;",
            "reads.mixed = reads.mixed * factor + texel;",
        ],
        &["chain/texel.glsl:LINE: error: 'factor' : undeclared identifier"],
    ),
    (
        "include_missing",
        [STEP, "\"chain/texel.glsl\"", "\"chain/gone.glsl\""],
        &["shaders/chain/gone.glsl", "included by chain/step.comp"],
    ),
    (
        "constant_missing",
        [STEP, "layout(constant_id = 3) const int RADIUS = 2;", "const int RADIUS = 2;"],
        &["chain/step.comp has no specialisation constant RADIUS"],
    ),
];

pub fn trials() -> Vec<Trial> {
    let broken = SHADERS.map(|(name, edit, says)| trial(name, move || broken(edit, says)));
    broken.into_iter().chain([trial("shader_missing", shader_missing)]).collect()
}

fn broken([shader, old, new]: [&str; 3], says: &[&str]) -> Result<()> {
    let checkout = Checkout::copy()?;
    checkout.replace(shader, old, new)?;
    let text = fs::read_to_string(checkout.path().join("shaders").join(shader))?;
    let line = 1 + text.lines().position(|line| line.contains(new)).context("it was just written")?;
    let says: Vec<String> = says.iter().map(|text| text.replace("LINE", &line.to_string())).collect();
    let says: Vec<&str> = says.iter().map(String::as_str).collect();
    told_on_one_line(checkout.call(SAMPLE)?.run()?, EXIT_FAILED, &says)
}

fn shader_missing() -> Result<()> {
    let checkout = Checkout::copy()?;
    fs::remove_file(checkout.path().join("shaders").join(STEP))?;
    told_on_one_line(checkout.call(SAMPLE)?.run()?, EXIT_FAILED, &[STEP])
}
