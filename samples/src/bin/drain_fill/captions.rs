//! Captions for the families of variants of `drain_fill`.

use crate::sizes::waves_of;

/// Captions of passes over a share of the area, without barriers and with them.
pub fn passes(share: u32, clears: bool) -> [String; 2] {
    let area = if share == 1 { "the whole area".into() } else { format!("1/{share} of the area") };
    match clears {
        false => [
            format!(
                "No barrier between passes over {area}: a race, from which the barriers' cost is counted."
            ),
            format!("A barrier between passes over {area}: the GPU drains and fills again at each."),
        ],
        true => [
            format!("A clear before each pass over {area}, and no barrier: a race, and the bound."),
            format!("A clear before each pass over {area}, barriers between all: twice as many drains."),
        ],
    }
}

/// Caption of short passes with long or short code, with one kernel for all or another one for each.
pub fn code(long: bool, another_each: bool) -> String {
    match (long, another_each) {
        (true, false) => {
            "Short passes of one kernel with much code: only the first of them may have to fetch it."
        }
        (true, true) => {
            "Each short pass changes to another kernel with much code: instructions have to be fetched."
        }
        (false, false) => "Short passes of one kernel with little code: the control for the ones with much.",
        (false, true) => {
            "Each short pass changes to another kernel with little code: what the change itself costs."
        }
    }
    .into()
}

/// Caption of short passes with one table of constants for all or one for each, after one of two kinds of
/// barriers.
pub fn constants(flushed: bool, another_each: bool) -> String {
    let passes = match another_each {
        false => "Short passes follow one table of constants",
        true => "Each short pass follows a table of constants of its own",
    };
    let barriers = if flushed { "that may empty the caches" } else { "that only order" };
    format!("{passes}, behind barriers {barriers}.")
}

/// Caption of waves that loop over `tiles` tiles (a row name of the table) and load constants once or per tile.
pub fn tiles(tiles: &str, keeps: bool) -> String {
    let waves = match tiles.split_once(": ") {
        Some((_, waves)) => format!("Long loops over all tiles, {waves}"),
        None if tiles == "1" => "A wave for each tile, a loop of one".into(),
        None => format!("A wave loops over {tiles} tiles"),
    };
    let constants = if keeps { "once, before the loop" } else { "for each tile, inside the loop" };
    format!("{waves}: constants are loaded {constants}.")
}

/// Caption of `regular` or `irregular` loops in workgroups of `waves` waves.
pub fn loops(kind: &str, waves: u32) -> String {
    let waves = waves_of(waves);
    match kind {
        "regular" => format!("Loops of one length, {waves} a workgroup: the control for irregular ones."),
        _ => format!("Loops of many lengths, {waves} a workgroup, whose room is free when the longest ends."),
    }
}
