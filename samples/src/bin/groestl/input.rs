//! What the kernels read, in words.

use crate::reference::{self, INITIAL, Permutation, State, words_of};

/// The table: two words per entry, the lower first.
pub fn table() -> Vec<u32> {
    reference::table().into_iter().flat_map(words_of).collect()
}

/// The block of the first hash.
pub fn block() -> Vec<u32> {
    words(&reference::block(0))
}

/// The same block for the kernel that works bit by bit, on two hashes: word 8 b + r holds bit b of row r of column c at bits
/// 2 c and 2 c + 1. The nonce is left out.
pub fn bits() -> Vec<u32> {
    let block = reference::block(0);
    let bit = |bit: usize, row: usize, column: usize| {
        let nonce = column == 9 && row >= 4;
        let byte = block[column].to_le_bytes()[row];
        if nonce { 0 } else { u32::from(byte >> bit & 1) }
    };
    let word =
        |i: usize| (0..16).fold(0, |word, column| word | (3 * bit(i / 8, i % 8, column)) << (2 * column));
    (0..64).map(word).collect()
}

/// The states behind rounds 0 and 1 of P and Q, as far as they come from what all hashes share.
pub fn known() -> Vec<u32> {
    let table = reference::table();
    let entry = |byte: u8| table[usize::from(byte)];
    let states = [Permutation::P, Permutation::Q].map(|permutation| {
        let mut block = reference::block(0);
        if permutation == Permutation::P {
            block[15] ^= INITIAL;
        }
        let first = permutation.round(block, 0, entry, |row, column| column != 9 || row < 4);
        let changed = |column: usize| (4..8).any(|row| (column + permutation.shift(row)) % 16 == 9);
        let second = permutation.round(first, 1, entry, |_, column| !changed(column));
        [words(&first), words(&second)].concat()
    });
    states.concat()
}

fn words(state: &State) -> Vec<u32> {
    state.iter().copied().flat_map(words_of).collect()
}
