//! The article's tricks that save registers, each a macro of `shaders/group_physics/island.comp`.
//!
//! VGPRs with RADV (Mesa 22.3.6) on POLARIS10 and VEGA10, which allocate them in fours. `fat` needs 52. With one
//! trick it needs: raw buffers 40, a loop 44, no W 48, packed constraints 48, flags in any of the three ways 48,
//! starts parked or read again 48, counted bits 52, 16-bit types 52 (VEGA10). `lean` needs 24, or 28 with starts
//! in registers.

/// Ways to keep the flags of a constraint; exactly one is set.
const FLAGS: [&str; 4] = [FLAGS_INT, "FLAGS_BOOL", "FLAGS_BITS", "FLAGS_SIGN"];
/// Flags as numbers, without any trick.
const FLAGS_INT: &str = "FLAGS_INT";
/// Ways to keep a particle's start until it is needed again; with none of them it stays in registers.
const COLD: [&str; 2] = [PARK, "RELOAD"];

/// The straightforward kernel.
pub const FAT: [&str; 1] = [FLAGS_INT];
/// The same work with few registers.
pub const LEAN: [&str; 7] = ["RAW", "NO_W", "PACKED", "FLAGS_SIGN", BALLOT, "LOOP", "RELOAD"];
/// Parks starts in shared memory. `LEAN` reads them again instead. NVIDIA's driver 580 gave the same kernel 32
/// registers when it was padded to 18 or to 21 KiB of shared memory, and 46 when it was padded to 25 KiB. Two
/// groups of 1024 fit on a multiprocessor of an H200 in the first case, one in the second.
pub const PARK: &str = "PARK";

/// Needs ballots of a whole subgroup.
pub const BALLOT: &str = "BALLOT";
/// Needs 16-bit integers and floats.
pub const SMALL: &str = "SMALL";

/// The tricks in the article's order: the suffix after `fat_` and `lean_without_` in variant names, a description,
/// and the macro.
pub const TRICKS: [[&str; 3]; 11] = [
    ["raw", "uniform data through raw buffers", "RAW"],
    ["no_w", "no W, three rows of a matrix", "NO_W"],
    ["packed", "constraints as they are packed", "PACKED"],
    ["flags_bool", "flags as lane masks", "FLAGS_BOOL"],
    ["flags_bits", "flags as bits of one word", "FLAGS_BITS"],
    ["flags_sign", "flags in sign bits", "FLAGS_SIGN"],
    ["ballot", "prefix sums by counting bits", BALLOT],
    ["loop", "a loop over the colours", "LOOP"],
    ["small", "16-bit types", SMALL],
    ["park", "starts parked in shared memory", PARK],
    ["reload", "starts read again at the end", "RELOAD"],
];

/// `switches` without `switch`; `None` if it was not among them.
pub fn without(switches: &[&'static str], switch: &'static str) -> Option<Vec<&'static str>> {
    let without: Vec<_> = switches.iter().copied().filter(|other| *other != switch).collect();
    let flags = FLAGS.contains(&switch).then_some(FLAGS_INT);
    (without.len() < switches.len()).then(|| without.into_iter().chain(flags).collect())
}

/// `switches` with one more, which replaces any other way to do the same.
pub fn with(switches: &[&'static str], switch: &'static str) -> Vec<&'static str> {
    let ways: [&[&str]; 2] = [&FLAGS, &COLD];
    let replaced = |other: &str| ways.iter().any(|ways| ways.contains(&switch) && ways.contains(&other));
    switches.iter().copied().filter(|other| !replaced(other)).chain([switch]).collect()
}

/// Bytes of shared memory per group with these switches, as the shader declares it, for `particles` and `colours`
/// per island and `turns` groups of threads that take turns at the colours.
pub fn shared_bytes(switches: &[&str], group: u32, [particles, colours, turns]: [u32; 3]) -> u64 {
    let has = |switch: &str| switches.contains(&switch);
    let scratch = match (has("NO_W"), has(BALLOT)) {
        (true, true) => (group / 4).max(48),
        (true, false) => group,
        (false, _) => group.max(particles),
    };
    let parked = if has("PARK") { 3 * particles } else { 0 };
    let begins = if has("LOOP") { colours + turns + 1 } else { 0 };
    4 * u64::from(4 * particles + scratch + parked + begins)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lean_is_fat_with_tricks_and_fits_twice() {
        let of_lean = TRICKS.iter().filter(|[.., switch]| without(&LEAN, switch).is_some()).count();
        assert_eq!(of_lean, LEAN.len());
        // The article's limits: 64 KiB per compute unit, 32 KiB per group.
        let island = [1024, 8, 2];
        assert!(shared_bytes(&LEAN, 1024, island) <= 32 * 1024);
        assert_eq!(shared_bytes(&LEAN, 1024, island), 16 * 1024 + 1024 + 44);
        let parked = with(&LEAN, PARK);
        assert!(!parked.contains(&"RELOAD"), "{parked:?}");
        assert_eq!(shared_bytes(&parked, 512, [1024, 8, 1]), 16 * 1024 + 512 + 12 * 1024 + 40);
        assert_eq!(shared_bytes(&FAT, 1024, [1000, 8, 2]), 16_000 + 4096);
    }
}
