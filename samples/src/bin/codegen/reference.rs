//! CPU reference of MT19937, the Mersenne twister: the initial state of a generator and its next generation.
//!
//! Makoto Matsumoto and Takuji Nishimura, Mersenne Twister, ACM TOMACS 8 (1), 1998.

use rayon::prelude::*;

/// Words per state.
pub const WORDS: usize = 624;
/// Distance to the third word that a step reads.
const AHEAD: usize = 397;
const UPPER: u32 = 0x8000_0000;
const MATRIX: u32 = 0x9908_B0DF;
/// Multiplier of the initialization.
const FACTOR: u32 = 1_812_433_253;

/// The initial state for a seed, as the published reference computes it.
pub fn seeded(seed: u32) -> Vec<u32> {
    let mut state = vec![seed];
    for i in (1..).take(WORDS - 1) {
        let last = state.last().copied().unwrap_or_default();
        state.push(FACTOR.wrapping_mul(last ^ (last >> 30)).wrapping_add(i));
    }
    state
}

/// Computes the next generation in place.
pub fn twist(state: &mut [u32]) {
    for i in 0..WORDS {
        let y = (state[i] & UPPER) | (state[(i + 1) % WORDS] & !UPPER);
        let odd = if y % 2 == 1 { MATRIX } else { 0 };
        state[i] = state[(i + AHEAD) % WORDS] ^ (y >> 1) ^ odd;
    }
}

/// Generators with consecutive seeds from `seed`, before and after one generation: word 0 of each, then word 1 of
/// each.
pub fn generations(seed: u32, generators: u32) -> [Vec<u32>; 2] {
    let states: Vec<Vec<u32>> =
        (0..generators).into_par_iter().map(|number| seeded(seed.wrapping_add(number))).collect();
    let before = interleaved(&states);
    let twisted = states.into_par_iter().map(|mut state| {
        twist(&mut state);
        state
    });
    [before, interleaved(&twisted.collect::<Vec<_>>())]
}

fn interleaved(states: &[Vec<u32>]) -> Vec<u32> {
    (0..WORDS).into_par_iter().flat_map_iter(|word| states.iter().map(move |state| state[word])).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The output of a generator for a word of its state.
    fn tempered(mut y: u32) -> u32 {
        y ^= y >> 11;
        y ^= (y << 7) & 0x9D2C_5680;
        y ^= (y << 15) & 0xEFC6_0000;
        y ^ (y >> 18)
    }

    /// C++ requires this value for the 10,000th number of `std::mt19937` with the default seed.
    #[test]
    fn the_ten_thousandth_number_is_the_standards() {
        let mut state = seeded(5489);
        for _ in 0..=9_999 / WORDS {
            twist(&mut state);
        }
        assert_eq!(tempered(state[9_999 % WORDS]), 4_123_659_995);
    }
}
