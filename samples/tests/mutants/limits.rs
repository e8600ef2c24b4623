//! The device's own limits, computing something else: every share would be of a wrong figure.

use anyhow::{Result, ensure};
use libtest_mimic::Trial;
use record::error::{EXIT_FAILED, EXIT_RIGHT};
use record::{COPY_LIMIT, COPY_LIMIT_3D, FMA_LIMIT, Status, read_json};

use crate::support::{Checkout, Ended, trial};

const COPY: &str = "lab/copy.comp";
const FMA: &str = "lab/fma.comp";

/// Name, shader, what to replace by what, and the sample whose limit is wrong then.
type Mutant = (&'static str, &'static str, [&'static str; 2], [&'static str; 2]);

const MUTANTS: [Mutant; 7] = [
    (
        "texel_not_copied",
        COPY,
        ["i < COLUMNS * ROWS; ++i) {\n        if", "i < COLUMNS * ROWS - 1u; ++i) {\n        if"],
        PLANES,
    ),
    ("columns_next_to_each_other", COPY, ["LANES * uvec2(i %", "uvec2(i %"], PLANES),
    ("last_row_left_out", COPY, ["lessThan(at[i], size)", "lessThan(at[i], size - 1)"], PLANES),
    ("one_layer_for_all", COPY, ["gl_WorkGroupID.z);", "0);"], VOLUMES),
    ("step_left_out", FMA, ["i < STEPS", "i < STEPS - 1u"], CHAINS),
    ("nothing_multiplied", FMA, ["d * down", "d"], CHAINS),
    ("chain_left_out", FMA, ["a + b + c + d", "a + b + d"], CHAINS),
];

const PLANES: [&str; 2] = ["lds_blur", COPY_LIMIT];
const VOLUMES: [&str; 2] = ["lds_blur", COPY_LIMIT_3D];
const CHAINS: [&str; 2] = ["group_physics", FMA_LIMIT];

pub fn trials() -> Vec<Trial> {
    let broken = MUTANTS.into_iter().map(|(name, shader, [old, new], [sample, limit])| {
        trial(format!("limits::{name}"), move || {
            let checkout = Checkout::copy()?;
            checkout.replace(shader, old, new)?;
            let ended = run(&checkout, sample, limit)?.with_code(EXIT_FAILED.into())?;
            let record = read_json(&ended.stdout)?;
            let wrong = |status: &Status| matches!(status, Status::Wrong { .. });
            let found =
                record.rows.iter().find(|row| row.variant == limit).is_some_and(|row| wrong(&row.status));
            ensure!(found, "{limit} is not called wrong: {ended}");
            Ok(())
        })
    });
    let unbroken = [PLANES, VOLUMES, CHAINS].into_iter().map(|[sample, limit]| {
        trial(format!("limits::{limit}::unbroken"), move || {
            run(&Checkout::copy()?, sample, limit)?.with_code(EXIT_RIGHT.into()).map(|_| ())
        })
    });
    broken.chain(unbroken).collect()
}

fn run(checkout: &Checkout, sample: &str, limit: &str) -> Result<Ended> {
    checkout.call(sample)?.words("--variant").args([limit]).words("--samples 1 --json -").run()
}
