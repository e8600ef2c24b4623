//! The part of a generated kernel that stores what a workgroup has summed.

use crate::generator::Text;
use crate::plan::Oddity;

/// Stores the sums. They are multiplied first, also where alpha is 1: a compiler then needs not hold them where a store of
/// vectors wants them, which costs 5 % on an H200.
pub fn results(text: &mut Text<'_>) {
    let oddity = text.plan.oddity;
    text.add("// store");
    if oddity != Some(Oddity::NoAlpha) {
        for row in text.sums().chunks(text.plan.each[1] as usize) {
            text.add(row.iter().map(|sum| format!("{sum} *= alpha;")).collect::<Vec<_>>().join(" "));
        }
    }
    if oddity == Some(Oddity::ThroughShared) { through_shared(text) } else { from_registers(text) }
}

/// Every invocation stores its own, four neighbours at a time.
fn from_registers(text: &mut Text<'_>) {
    let ([down, across], [_, columns]) = (text.plan.lanes, text.plan.each);
    for (at, four) in (0..).zip(text.sums().chunks(4)) {
        let [i, j] = [at / (columns / 4), at % (columns / 4)];
        let [row, column] = [i / 4 * down * 4 + i % 4, j * across * 4];
        text.add(format!(
            "store_c(first_row + row + {row}u, first_column + column + {column}u, vec4({}));",
            four.join(", ")
        ));
    }
}

/// Four rows of each invocation at a time are put into shared memory, and stored from there a whole row of the tile per
/// subgroup, as maxas does. For reads of whole vectors.
fn through_shared(text: &mut Text<'_>) {
    let plan = text.plan;
    let ([down, across], [rows, columns]) = (plan.lanes, plan.each);
    let (sums, vectors) = (text.sums(), plan.tile[1] / 4);
    let [high, part] = [down * rows, down * 4];
    let pieces = plan.tile[0] / rows * 4 * vectors / plan.invocations();
    for four in 0..rows / 4 {
        text.add("barrier();");
        for (i, j) in (0..4).flat_map(|i| (0..columns / 4).map(move |j| (i, j))) {
            let first = ((four * 4 + i) * columns + j * 4) as usize;
            let place = i * vectors + j * across;
            text.add(format!(
                "tiles[(row / {high}u * {part}u + row % {high}u) * {vectors}u + column / 4u + {place}u] = vec4({});",
                sums[first..first + 4].join(", ")
            ));
        }
        text.add("barrier();");
        for piece in 0..pieces {
            let at = format!("(invocation + {}u)", piece * plan.invocations());
            text.add(format!(
                "store_c(first_row + {at} / {vectors}u / {part}u * {high}u + {at} / {vectors}u % {part}u + {}u, \
                 first_column + {at} % {vectors}u * 4u, tiles[{at}]);",
                four * part
            ));
        }
    }
}
