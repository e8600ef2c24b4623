//! Solvers that skip, repeat or mix up something: each wrong variant is called wrong, and no other.

use anyhow::{Result, ensure};
use libtest_mimic::Trial;
use record::error::{EXIT_FAILED, EXIT_RIGHT};
use record::{Row, Status, read_json};

use crate::support::{Checkout, trial};

const SAMPLE: &str = "group_physics";
const ISLAND: &str = "group_physics/island.comp";
const COLOUR: &str = "group_physics/colour.comp";
const HELD: &str = "include/held.glsl";
const CONSTRAINT: &str = "include/constraint.glsl";

const CLOTH: &str = "--shape cloth";
/// Contacts, more colours, and islands that differ in how many.
const BLOB: &str = "--shape blob";
const GRAVITY: &str = "--shape blob --gravity";

/// What is replaced by what.
type Edits = &'static [(&'static str, &'static str)];

struct Mutant {
    name: &'static str,
    shader: &'static str,
    edits: Edits,
    arguments: &'static str,
    /// Whether a variant must be wrong.
    hits: fn(&str) -> bool,
}

const fn mutant(
    name: &'static str,
    shader: &'static str,
    edits: Edits,
    arguments: &'static str,
    hits: fn(&str) -> bool,
) -> Mutant {
    Mutant { name, shader, edits, arguments, hits }
}

fn all(variant: &str) -> bool {
    in_memory(variant) || in_groups(variant)
}

fn in_memory(variant: &str) -> bool {
    variant == "global_multi_pass"
}

fn in_groups(variant: &str) -> bool {
    fat(variant) || lean(variant)
}

fn fat(variant: &str) -> bool {
    variant == "group_1024_fat"
}

fn lean(variant: &str) -> bool {
    ["group_1024_lean", "group_512", "group_256"].contains(&variant)
}

fn parked(variant: &str) -> bool {
    variant == "group_1024_parked"
}

/// Too few threads for a colour.
fn in_rounds(variant: &str) -> bool {
    variant == "group_256"
}

/// `global_multi_pass` ends with the lean kernel's report.
fn lean_at_the_end(variant: &str) -> bool {
    in_memory(variant) || lean(variant)
}

const MUTANTS: [Mutant; 25] = [
    mutant(
        "a_constraint_in_the_wrong_colour",
        ISLAND,
        &[(
            "constraints[at < end ? at : 0u]",
            "constraints[at == begins[0] ? begins[colours] - 1u : at == begins[colours] - 1u ? begins[0] : at]",
        )],
        CLOTH,
        lean,
    ),
    mutant("colours_in_another_order", COLOUR, &[("+ colour;", "+ (colour ^ 1u);")], CLOTH, in_memory),
    mutant(
        "last_turns_left_out",
        ISLAND,
        &[("; first < colours;", "; first + TURNS < colours;")],
        CLOTH,
        lean,
    ),
    mutant("out_of_turn", ISLAND, &[("thread() / LANES == turn", "thread() / LANES != turn")], CLOTH, lean),
    mutant("first_round_twice", ISLAND, &[("first + k * LANES", "first")], CLOTH, in_rounds),
    mutant("last_of_a_colour_left_out", COLOUR, &[("at >= bounds", "at + 1u >= bounds")], BLOB, in_memory),
    mutant(
        "no_barrier_between_colours",
        ISLAND,
        &[(" + turn);\n            }\n            barrier();", " + turn);\n            }")],
        CLOTH,
        lean,
    ),
    mutant(
        "no_barrier_between_unrolled_colours",
        ISLAND,
        &[(
            "            }\n            barrier();\n        }\n    }\n}\n#endif",
            "            }\n        }\n    }\n}\n#endif",
        )],
        CLOTH,
        fat,
    ),
    mutant(
        "no_barrier_behind_the_load",
        ISLAND,
        &[("    barrier();\n#ifdef LOOP\n    Ahead", "#ifdef LOOP\n    Ahead")],
        BLOB,
        all,
    ),
    mutant(
        "no_barrier_behind_the_floor",
        ISLAND,
        &[("FLOOR);\n            }\n            barrier();", "FLOOR);\n            }")],
        GRAVITY,
        in_groups,
    ),
    mutant(
        "the_same_half_of_a_pair_twice",
        HELD,
        &[("uvec2(held.words.x & 0xFFFFu, held.words.x >> 16)", "uvec2(held.words.x & 0xFFFFu)")],
        CLOTH,
        lean_at_the_end,
    ),
    mutant(
        "a_flag_beside_its_bit",
        HELD,
        &[("(words.y & 0x8000u) != 0u", "(words.y & 0x4000u) != 0u")],
        BLOB,
        fat,
    ),
    mutant(
        "one_particle_pushed_the_other_way",
        ISLAND,
        &[("b.xyz + d * (pull * b.w)", "b.xyz - d * (pull * b.w)")],
        CLOTH,
        lean,
    ),
    mutant(
        "one_particle_as_heavy_as_the_other",
        ISLAND,
        &[("b + d * (pull * inverse_mass_b)", "b + d * (pull * inverse_mass_a)")],
        CLOTH,
        fat,
    ),
    mutant(
        "one_iteration_short",
        ISLAND,
        &[("iteration < ITERATIONS", "iteration + 1u < ITERATIONS")],
        CLOTH,
        in_groups,
    ),
    mutant("contacts_pull", CONSTRAINT, &[("contact && excess > 0.0 ? 0.0 : excess", "excess")], BLOB, all),
    mutant(
        "one_step_of_newton_short",
        CONSTRAINT,
        &[("    y = y * (1.5 - (half_x * y) * y);\n    return", "    return")],
        CLOTH,
        all,
    ),
    // Correctly rounded once instead of twice: bits, not looks.
    mutant(
        "a_contracted_product",
        CONSTRAINT,
        &[(
            "precise float sum = (d.x * d.x + d.y * d.y) + d.z * d.z;",
            "float sum = fma(d.x, d.x, fma(d.y, d.y, d.z * d.z));",
        )],
        CLOTH,
        all,
    ),
    mutant(
        "another_islands_place",
        ISLAND,
        &[("frames[4u * island() + row]", "frames[row]")],
        CLOTH,
        lean_at_the_end,
    ),
    mutant(
        "another_islands_bounds",
        ISLAND,
        &[("return bounds[at];", "return bounds[colour];")],
        CLOTH,
        lean_at_the_end,
    ),
    mutant(
        "a_start_parked_badly",
        ISLAND,
        &[("parked[2 * PARTICLES + p] = start.z", "parked[2 * PARTICLES + p] = start.y")],
        "--variant group_1024_parked",
        parked,
    ),
    mutant(
        "another_particles_start",
        ISLAND,
        &[("particles[island() * PARTICLES + p].xyz);", "particles[island() * PARTICLES].xyz);")],
        CLOTH,
        lean_at_the_end,
    ),
    mutant(
        "a_place_in_the_list_too_far",
        ISLAND,
        &[("subgroupBallotExclusiveBitCount", "subgroupBallotInclusiveBitCount")],
        CLOTH,
        lean_at_the_end,
    ),
    mutant(
        "a_reach_of_the_sum_left_out",
        ISLAND,
        &[("for (uint reach = 1u;", "for (uint reach = 2u;")],
        CLOTH,
        fat,
    ),
    mutant(
        "a_part_of_the_count_left_out",
        ISLAND,
        &[("for (uint i = 0u; i < SPREAD", "for (uint i = 1u; i < SPREAD")],
        CLOTH,
        all,
    ),
];

pub fn trials() -> Vec<Trial> {
    let mut trials = vec![trial("group_physics::unbroken", unbroken)];
    trials.extend(
        MUTANTS
            .into_iter()
            .map(|mutant| trial(format!("group_physics::{}", mutant.name), move || is_caught(&mutant))),
    );
    trials
}

fn rows(checkout: &Checkout, arguments: &str, code: u8) -> Result<Vec<Row>> {
    let call =
        checkout.call(SAMPLE)?.words("--islands 3 --iterations 3 --samples 2 --repetitions 2 --json -");
    let ended = call.words(arguments).run()?.with_code(code.into())?;
    Ok(read_json(&ended.stdout)?.rows)
}

/// Without it, a copy that cannot run at all would pass for a mutant that was caught.
fn unbroken() -> Result<()> {
    let checkout = Checkout::copy()?;
    // All variants of one shape and of another size; of the others those in which mutants are looked for.
    for arguments in ["--all --shape cloth", BLOB, GRAVITY, "--all --particles 77 --stiffness 0.3"] {
        let rows = rows(&checkout, arguments, EXIT_RIGHT)?;
        ensure!(rows.iter().all(|row| row.status == Status::Ok), "not every variant is right: {rows:?}");
        ensure!(rows.iter().filter(|row| all(&row.variant)).count() == 5, "not all were run: {rows:?}");
    }
    Ok(())
}

/// What is wrong has no time, and what is right is not called wrong.
fn is_caught(mutant: &Mutant) -> Result<()> {
    let checkout = Checkout::copy()?;
    for (old, new) in mutant.edits {
        checkout.replace(mutant.shader, old, new)?;
    }
    for row in rows(&checkout, mutant.arguments, EXIT_FAILED)? {
        if (mutant.hits)(&row.variant) {
            let wrong = matches!(&row.status, Status::Wrong { elements: 1.., .. });
            ensure!(wrong && row.isolated_us.is_none(), "{} not called wrong: {:?}", row.variant, row.status);
        } else {
            ensure!(row.status == Status::Ok, "{} taken for wrong: {:?}", row.variant, row.status);
        }
    }
    Ok(())
}
