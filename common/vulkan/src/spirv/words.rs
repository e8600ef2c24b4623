//! Words of SPIR-V for a compressor: in functions an id is told by its distance from the last one, so that two modules
//! differ where their code does and not in every id behind that. Halves what is packed.
//!
//! A word is a number of 7 bits a byte, the lowest first: twice the word and 1, or twice its distance, which is folded
//! so that small ones of both signs are small.

use std::io::Read;

use anyhow::{Context, Result};
use spirv::Op;

/// Distances that are told as such.
const NEAR: std::ops::Range<i64> = -64..256;

/// Where in a module one is, and the id that the next ones are near to.
#[derive(Default)]
struct Place {
    /// Words of the header that were seen.
    header: u32,
    /// Operands of the instruction that are still to come, and those that were.
    left: u32,
    seen: u32,
    in_function: bool,
    last: u32,
}

impl Place {
    fn distance(&self, word: u32) -> Option<i64> {
        let distance = i64::from(self.last) - i64::from(word);
        (self.in_function && self.left > 0 && NEAR.contains(&distance)).then_some(distance)
    }

    fn pass(&mut self, word: u32) {
        if self.header < 5 {
            self.header += 1;
        } else if self.left == 0 {
            self.left = (word >> 16).saturating_sub(1);
            self.seen = 0;
            self.in_function |= word & 0xFFFF == Op::Function as u32;
        } else {
            // Of most instructions that is the result, of others a result that they take.
            if self.in_function && self.seen == 1 {
                self.last = word;
            }
            self.left -= 1;
            self.seen += 1;
        }
    }
}

/// The words as bytes.
pub fn encode(words: &[u32]) -> Vec<u8> {
    let mut bytes = Vec::new();
    let mut place = Place::default();
    for &word in words {
        let code = match place.distance(word) {
            Some(distance) if distance < 0 => 2 * (2 * distance.unsigned_abs() - 1),
            Some(distance) => 4 * distance.unsigned_abs(),
            None => 2 * u64::from(word) + 1,
        };
        place.pass(word);
        let mut rest = code;
        while rest >= 0x80 {
            bytes.push(rest.to_le_bytes()[0] | 0x80);
            rest >>= 7;
        }
        bytes.push(rest.to_le_bytes()[0]);
    }
    bytes
}

/// As many words as were encoded.
pub(super) fn decode(bytes: &mut impl Read, count: usize) -> Result<Vec<u32>> {
    let mut place = Place::default();
    let mut words = Vec::with_capacity(count.min(1 << 20));
    for _ in 0..count {
        let code = number(bytes)?;
        let word = match (code & 1, code >> 1) {
            (1, word) => Some(word),
            (_, folded) if folded & 1 == 1 => u64::from(place.last).checked_add(folded / 2 + 1),
            (_, folded) => u64::from(place.last).checked_sub(folded / 2),
        };
        let word = word.and_then(|word| u32::try_from(word).ok()).context("no word of SPIR-V")?;
        place.pass(word);
        words.push(word);
    }
    Ok(words)
}

fn number(bytes: &mut impl Read) -> Result<u64> {
    let mut number = 0;
    for shift in (0..35).step_by(7) {
        let mut byte = [0];
        bytes.read_exact(&mut byte)?;
        number |= u64::from(byte[0] & 0x7F) << shift;
        if byte[0] < 0x80 {
            return Ok(number);
        }
    }
    anyhow::bail!("a number without an end")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_come_back_whatever_they_are() {
        let function = [5 << 16 | Op::Function as u32, 2, 70, 0, 3];
        let add = [5 << 16 | Op::IAdd as u32, 6, 71, 70, 9];
        let odd = [3 << 16 | 999, u32::MAX, 0x8000_0000, 1 << 16, 7];
        let words = [&[0x0723_0203, 0x0001_0600, 0, 99, 0][..], &function, &add, &add, &odd].concat();
        for end in 0..=words.len() {
            let bytes = encode(&words[..end]);
            assert_eq!(decode(&mut &bytes[..], end).unwrap(), words[..end]);
        }
        // In a function ids near the last one take one byte or two, as the instruction's first word takes three.
        let whole = encode(&[&words[..5], &function, &add].concat());
        assert_eq!(whole.len() - encode(&words[..10]).len(), 3 + 2 + 1 + 1 + 2);
    }

    #[test]
    fn bytes_that_are_cut_off_are_an_error() {
        let bytes = encode(&[0x0723_0203, 5]);
        assert!(decode(&mut &bytes[..bytes.len() - 1], 2).is_err());
        assert!(decode(&mut &[0xFF; 9][..], 1).is_err());
    }
}
