//! Ways to save registers, each a specialisation constant of `shaders/group_physics/solve.comp`. `reload` is ours, the
//! others are the article's. Of the article's, 16-bit types, 32 bools per VGPR and dynamic loops have no switch.
//!
//! VGPRs with RADV (Mesa 22.3.6) on POLARIS10 and VEGA10, which allot them in fours, of the kernels that prefetch:
//! - `fat` has 44, with `raw` 32, with any other trick 40.
//! - `lean` has 24, without `raw` 36, without `no_w`, `flags_sign` or `reload` 28, without `packed` 24.

/// A specialisation constant and its value; 0 where a kernel does without the trick.
pub type Switch = (&'static str, u32);

/// The straightforward kernel. Like [`LEAN`] it has no W, which would cost time in each projection: so the two do the
/// same to shared memory in the loop over the colours.
pub const FAT: [Switch; 1] = [("NO_W", 1)];
/// The same work with few registers. It also reads the matrix through another buffer type, unpacks constraints where
/// they are used, tests flags by sign, and loads the initial position a second time.
pub const LEAN: [Switch; 5] =
    [("RAW", 1), ("NO_W", 1), ("PACKED", 1), ("FLAGS", AS_SIGNS), ("START", IN_MEMORY)];
/// Loads the next colour's constraints ahead. It needs more registers, not fewer.
pub const PREFETCH: Switch = ("PREFETCH", 1);
/// Keeps initial positions in shared memory. [`LEAN`] loads them again instead.
const PARKED: Switch = ("START", IN_SHARED_MEMORY);

// Values of FLAGS and START, as the shader has them.
const AS_BOOLS: u32 = 1;
const AS_SIGNS: u32 = 2;
const IN_SHARED_MEMORY: u32 = 1;
const IN_MEMORY: u32 = 2;

/// The tricks, the article's in its order, by the suffix of variant names.
pub const TRICKS: [(&str, Switch); 7] = [
    ("raw", ("RAW", 1)),
    ("no_w", ("NO_W", 1)),
    ("packed", ("PACKED", 1)),
    ("flags_bool", ("FLAGS", AS_BOOLS)),
    ("flags_sign", ("FLAGS", AS_SIGNS)),
    ("park", PARKED),
    ("reload", ("START", IN_MEMORY)),
];

/// `switches` with one more, which replaces any other way to do the same.
pub fn with(switches: &[Switch], switch: Switch) -> Vec<Switch> {
    switches.iter().copied().filter(|(name, _)| *name != switch.0).chain([switch]).collect()
}

/// Bytes of shared memory per workgroup with these switches, as the shader declares it.
pub fn shared_bytes(switches: &[Switch], particles: u32, colours: u32) -> u64 {
    let inverse_masses = if switches.contains(&("NO_W", 1)) { 1 } else { particles };
    let parked = if switches.contains(&PARKED) { 3 * particles } else { 1 };
    4 * u64::from(4 * particles + inverse_masses + parked + colours + 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lean_is_fat_with_tricks_and_fits_twice() {
        let of_lean = TRICKS.iter().filter(|(_, switch)| LEAN.contains(switch)).count();
        assert_eq!(of_lean, LEAN.len());
        assert!(FAT.iter().all(|switch| LEAN.contains(switch)));
        // The article's limits: 64 KiB per compute unit, 32 KiB per workgroup.
        let parked = with(&LEAN, PARKED);
        assert_eq!(parked.len(), LEAN.len());
        assert_eq!(shared_bytes(&LEAN, 1024, 8), 16 * 1024 + 4 * 11);
        assert_eq!(shared_bytes(&parked, 1024, 8), (16 + 12) * 1024 + 4 * 10);
        assert_eq!(shared_bytes(&[], 1000, 8), 16_000 + 4000 + 4 * 10);
    }
}
