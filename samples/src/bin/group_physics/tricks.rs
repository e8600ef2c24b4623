//! The article's ways to save registers, each a macro of `shaders/group_physics/island.comp`.
//!
//! VGPRs that RADV needs (Mesa 22.3.6, POLARIS10 and VEGA10, which grant them by fours): `fat` 52; with raw
//! buffers 40, a loop 44, no W 48, packed constraints 48, flags in any of the three ways 48, starts
//! parked or read again 48, counted bits 52, 16-bit types 52 (VEGA10). `lean` 24, with starts in
//! registers 28.

/// How the flags of a constraint are kept: exactly one of these.
const FLAGS: [&str; 4] = [FLAGS_INT, "FLAGS_BOOL", "FLAGS_BITS", "FLAGS_SIGN"];
/// As numbers, without any trick.
const FLAGS_INT: &str = "FLAGS_INT";
/// Where a particle's start is until it is needed again: in registers, or in one of these ways.
const COLD: [&str; 2] = [PARK, "RELOAD"];

/// The kernel as it is written first.
pub const FAT: [&str; 1] = [FLAGS_INT];
/// The same work in few registers.
pub const LEAN: [&str; 7] = ["RAW", "NO_W", "PACKED", "FLAGS_SIGN", BALLOT, "LOOP", "RELOAD"];
/// Starts parked in shared memory. `LEAN` reads them again instead: NVIDIA's driver 580 gave one and the
/// same kernel 32 registers when it was padded to 18 or to 21 KiB of shared memory, with which two groups
/// of 1024 fit a multiprocessor of an H200, and 46 when it was padded to 25 KiB, with which one fits.
pub const PARK: &str = "PARK";

/// Needs bits of a whole subgroup.
pub const BALLOT: &str = "BALLOT";
/// Needs 16-bit integers and floats.
pub const SMALL: &str = "SMALL";

/// In the order of the article: the name behind `fat_` and `lean_without_` in those of variants, what it does, and the
/// macro that asks for it.
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

/// `switches` without one of them; `None` where it had not been there.
pub fn without(switches: &[&'static str], switch: &'static str) -> Option<Vec<&'static str>> {
    let without: Vec<_> = switches.iter().copied().filter(|other| *other != switch).collect();
    let flags = FLAGS.contains(&switch).then_some(FLAGS_INT);
    (without.len() < switches.len()).then(|| without.into_iter().chain(flags).collect())
}

/// `switches` and one more, in place of any that does the same in another way.
pub fn with(switches: &[&'static str], switch: &'static str) -> Vec<&'static str> {
    let ways: [&[&str]; 2] = [&FLAGS, &COLD];
    let replaced = |other: &str| ways.iter().any(|ways| ways.contains(&switch) && ways.contains(&other));
    switches.iter().copied().filter(|other| !replaced(other)).chain([switch]).collect()
}

/// Bytes of shared memory that a group takes with these switches, for so many particles and colours and
/// so many turns at them, as the shader declares them.
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
        // 64 KiB a compute unit, 32 KiB a group: the article's bounds.
        let island = [1024, 8, 2];
        assert!(shared_bytes(&LEAN, 1024, island) <= 32 * 1024);
        assert_eq!(shared_bytes(&LEAN, 1024, island), 16 * 1024 + 1024 + 44);
        let parked = with(&LEAN, PARK);
        assert!(!parked.contains(&"RELOAD"), "{parked:?}");
        assert_eq!(shared_bytes(&parked, 512, [1024, 8, 1]), 16 * 1024 + 512 + 12 * 1024 + 40);
        assert_eq!(shared_bytes(&FAT, 1024, [1000, 8, 2]), 16_000 + 4096);
    }
}
