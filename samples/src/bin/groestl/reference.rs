//! CPU reference: the digests by RustCrypto's `groestl`, and Groestl-512 of one block with any S-box table.
//!
//! Praveen Gauravaram and others, Grøstl, a SHA-3 candidate, 2011.

use groestl::{Digest, Groestl512};
use rayon::prelude::*;

/// A state: row r of a column is byte r of its word, the lowest first.
pub type State = [u64; 16];
/// Rounds of a permutation.
const ROUNDS: u64 = 14;
/// Words of a digest.
pub const DIGEST_WORDS: u32 = 16;
/// The header without its nonce. With the first nonce it is a message whose digest is published.
const HEADER: &[u8; 76] = b"1234567890123456789012345678901234567890123456789012345678901234567890123456";
/// The nonce of the first hash.
pub const FIRST_NONCE: u32 = u32::from_le_bytes(*b"7890");
/// The chaining value before the first block, in column 15.
pub const INITIAL: u64 = 0x0002_0000_0000_0000;

/// One of the two permutations.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Permutation {
    P,
    Q,
}

impl Permutation {
    /// How many columns further a row comes from.
    pub const fn shift(self, row: usize) -> usize {
        match self {
            Self::P => [0, 1, 2, 3, 4, 5, 6, 11][row],
            Self::Q => [1, 3, 5, 11, 0, 2, 4, 6][row],
        }
    }

    /// Runs a round in which only bytes whose row and column are `wanted` add to the next state, `entry` each.
    pub fn round(
        self,
        mut x: State,
        round: u64,
        entry: impl Fn(u8) -> u64,
        wanted: impl Fn(usize, usize) -> bool,
    ) -> State {
        for (column, j) in x.iter_mut().zip(0..) {
            let constant = (j << 4) ^ round;
            *column = match self {
                Self::P => *column ^ constant,
                Self::Q => !*column ^ (constant << 56),
            };
        }
        std::array::from_fn(|j| {
            let bytes = (0..8).map(|row| (row, (j + self.shift(row)) % 16));
            bytes.filter(|&(row, column)| wanted(row, column)).fold(0, |sum, (row, column)| {
                let turned = entry(x[column].to_le_bytes()[row]).to_le_bytes();
                sum ^ u64::from_le_bytes(std::array::from_fn(|i| turned[(i + 8 - row) % 8]))
            })
        })
    }

    fn all_rounds(self, x: State, entry: impl Fn(u8) -> u64) -> State {
        (0..ROUNDS).fold(x, |x, round| self.round(x, round, &entry, |_, _| true))
    }
}

/// The header with the nonce of this hash.
fn header(hash: u32) -> [u8; 80] {
    let mut header = [0; 80];
    header[..76].copy_from_slice(HEADER);
    header[76..].copy_from_slice(&FIRST_NONCE.wrapping_add(hash).to_le_bytes());
    header
}

/// The header of this hash, padded to a block: a one bit, and the number of blocks.
pub fn block(hash: u32) -> State {
    let mut bytes = [0; 128];
    bytes[..80].copy_from_slice(&header(hash));
    bytes[80] = 0x80;
    bytes[127] = 1;
    std::array::from_fn(|j| u64::from_le_bytes(std::array::from_fn(|row| bytes[8 * j + row])))
}

/// The digests of the first `hashes` nonces, as words in little-endian order.
pub fn digests(hashes: u32) -> Vec<u32> {
    let digest = |hash| Groestl512::digest(header(hash));
    let words = (0..hashes).into_par_iter().map(digest).flat_map_iter(|digest| {
        let bytes: [u8; 64] = digest.into();
        bytes.as_chunks().0.iter().map(|&word| u32::from_le_bytes(word)).collect::<Vec<_>>()
    });
    words.collect()
}

/// The same with another table in the S-box's place.
pub fn digests_with(hashes: u32, entry: impl Fn(u8) -> u64 + Sync) -> Vec<u32> {
    let words = (0..hashes).into_par_iter().flat_map_iter(|hash| {
        let mut m = block(hash);
        let q = Permutation::Q.all_rounds(m, &entry);
        m[15] ^= INITIAL;
        let p = Permutation::P.all_rounds(m, &entry);
        let mut h: State = std::array::from_fn(|j| p[j] ^ q[j]);
        h[15] ^= INITIAL;
        let last = Permutation::P.all_rounds(h, &entry);
        (8..16).flat_map(move |j| words_of(last[j] ^ h[j]))
    });
    words.collect()
}

/// The stand-in for an entry in the hash that reads no table.
pub fn no_entry(byte: u8) -> u64 {
    let byte = u64::from(byte);
    byte << 32 | (byte * 0x9e37_79b1) & 0xffff_ffff
}

/// For each byte what it adds to a column from row 0: its S-box value times 2, 7, 5, 3, 5, 4, 3, 2, one product per row.
pub fn table() -> [u64; 256] {
    let factors = [2, 7, 5, 3, 5, 4, 3, 2];
    std::array::from_fn(|byte| {
        let value = substituted(u8::try_from(byte).unwrap_or(0));
        u64::from_le_bytes(factors.map(|factor| product(factor, value)))
    })
}

/// The S-box of AES: an affine map of the inverse in GF(2^8).
fn substituted(byte: u8) -> u8 {
    let inverse = (1..=255).find(|&other| product(byte, other) == 1).unwrap_or(0);
    (0..5).fold(0x63, |sum, turn| sum ^ inverse.rotate_left(turn))
}

/// A product in GF(2^8) with the polynomial x^8 + x^4 + x^3 + x + 1.
fn product(a: u8, b: u8) -> u8 {
    let mut power = a;
    (0..8).fold(0, |sum, bit| {
        let term = if b >> bit & 1 == 1 { power } else { 0 };
        power = (power << 1) ^ if power >> 7 == 1 { 0x1b } else { 0 };
        sum ^ term
    })
}

/// Both halves of a column, the lower first.
pub fn words_of(column: u64) -> [u32; 2] {
    [(column & 0xffff_ffff) as u32, (column >> 32) as u32]
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Known answers: of the empty message, of "a", and of 80 digits, which is our first header.
    #[test]
    fn the_reference_knows_the_published_digests() {
        let hex = |message: &[u8]| {
            Groestl512::digest(message).iter().map(|byte| format!("{byte:02x}")).collect::<String>()
        };
        assert_eq!(
            hex(b""),
            "6d3ad29d279110eef3adbd66de2a0345a77baede1557f5d099fce0c03d6dc2ba\
             8e6d4a6633dfbd66053c20faa87d1a11f39a7fbe4a6c2f009801370308fc4ad8"
        );
        assert_eq!(
            hex(b"a"),
            "9ef345a835ee35d6d0d462ce45f722d84b5ca41fde9c81a98a22cfb4f7425720\
             511b03a258cdc055bf8e9179dc9bdb5d88bed906c71125d4cf0cd39d3d7bebc7"
        );
        assert_eq!(
            header(0),
            *b"12345678901234567890123456789012345678901234567890123456789012345678901234567890"
        );
        assert_eq!(
            hex(&header(0)),
            "862849fd911852cd54beefa88759db4cead0ef8e36aaf15398303c5c4cbc016d\
             9b4c42b32081cbdcba710d2693e7663d244fae116ec29ffb40168baf44f944e7"
        );
    }

    #[test]
    fn our_permutations_are_the_specifications() {
        let table = table();
        assert_eq!(digests_with(3, |byte| table[usize::from(byte)]), digests(3));
        assert_ne!(digests_with(3, no_entry), digests(3));
    }
}
