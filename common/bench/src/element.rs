//! The unit in which results are compared: a texel of an image or a word of a buffer.

use rayon::prelude::*;

/// The element type of a result, and the tolerance of the comparison.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Element {
    /// Bytes of an element: 1, 2, 4, 8 or 16.
    pub bytes: u32,
    /// Tolerance of floats in units in the last place; 0 compares bits.
    pub ulps: u32,
    /// Whether the floats have 16 bits instead of 32.
    pub half: bool,
}

impl Element {
    /// Elements that must be equal bit for bit.
    #[must_use]
    pub fn exact(bytes: u32) -> Self {
        Self { bytes, ulps: 0, half: false }
    }

    /// Size of this many elements in words, rounded up.
    #[must_use]
    pub fn words(self, elements: u32) -> u64 {
        (u64::from(elements) * u64::from(self.bytes)).div_ceil(4)
    }

    /// Blocks of four words that this many elements take. An invocation of `lab/compare.comp` compares one block.
    #[must_use]
    pub fn quads(self, elements: u32) -> u32 {
        elements.div_ceil(16 / self.bytes)
    }

    /// The push constants of `lab/compare.comp` for this many elements; differences are counted in `slot`.
    #[must_use]
    pub fn push(self, elements: u32, slot: u32) -> [u32; 5] {
        [elements, slot, self.bytes, self.ulps, u32::from(self.half)]
    }

    /// Whether element `at` differs from the expected one. Same algorithm as `lab/compare.comp`, on the CPU.
    #[must_use]
    pub fn differs(self, expected: &[u32], actual: &[u32], at: usize) -> bool {
        let bytes = self.bytes as usize;
        if bytes < 4 {
            let (word, shift) = (at * bytes / 4, 8 * (at * bytes % 4));
            let mask = (1 << (8 * bytes)) - 1;
            return (expected[word] ^ actual[word]) >> shift & mask != 0;
        }
        let words = bytes / 4;
        (at * words..(at + 1) * words).any(|word| !self.near(expected[word], actual[word]))
    }

    /// Number of the first `elements` elements that differ.
    #[must_use]
    pub fn count(self, expected: &[u32], actual: &[u32], elements: u32) -> u64 {
        // Bytes after the last element may hold anything, so equality here is only a shortcut.
        let words = expected.len().min(actual.len());
        if expected[..words] == actual[..words] {
            return 0;
        }
        let differs = |&at: &usize| self.differs(expected, actual, at);
        (0..elements as usize).into_par_iter().filter(differs).count() as u64
    }

    fn near(self, a: u32, b: u32) -> bool {
        match (a == b, self.half) {
            (true, _) => true,
            _ if self.ulps == 0 => false,
            (false, false) => order32(a).abs_diff(order32(b)) <= self.ulps.into(),
            (false, true) => [0, 16].iter().all(|&shift| {
                let lane = |word: u32| order16(word >> shift & 0xffff);
                lane(a).abs_diff(lane(b)) <= self.ulps
            }),
        }
    }
}

/// Maps floats to integers in the same order: adjacent floats differ by one, both zeros are equal.
fn order32(bits: u32) -> i64 {
    let magnitude = i64::from(bits & 0x7fff_ffff);
    if bits >> 31 == 1 { -magnitude } else { magnitude }
}

fn order16(bits: u32) -> i32 {
    let magnitude = (bits & 0x7fff).cast_signed();
    if bits >> 15 == 1 { -magnitude } else { magnitude }
}

#[cfg(test)]
mod tests {
    use vulkan::handles::Binding;

    use super::*;
    use crate::lab::{Lab, LabOptions};

    /// Changes one word after the other, in results with and without an incomplete last block; the words after the
    /// last element all differ.
    #[test]
    fn the_device_counts_as_the_cpu_does() {
        const WORDS: u32 = 24;
        let mut lab = Lab::for_test(false, &LabOptions::default());
        let compare = lab.kernel("lab/compare.comp").build();
        let expected: Vec<u32> = (0..WORDS).map(|word| word * 0x0101_0101).collect();
        let expected_there = lab.gpu.upload("expected", &expected).unwrap();
        let exact = [1, 2, 4, 8, 16].map(Element::exact);
        let near = [Element { bytes: 4, ulps: 1, half: false }, Element { bytes: 8, ulps: 1, half: true }];
        let (mut cases, mut counts) = (Vec::new(), Vec::new());
        for element in exact.into_iter().chain(near) {
            let most = 4 * WORDS / element.bytes;
            for (elements, bits) in [(most, 0x0100), (most, 3), (most - 1, 1), (most - 3, 2)] {
                let last = usize::try_from(element.words(elements)).unwrap();
                for changed in 0..last {
                    let mut actual = expected.clone();
                    actual[changed] ^= bits;
                    actual[last..].fill(0xDEAD_BEEF);
                    let differing =
                        (0..elements).filter(|&at| element.differs(&expected, &actual, at as usize));
                    let differing: Vec<u32> = differing.collect();
                    let first = differing.first().map_or(0, |first| !first);
                    counts.extend([u32::try_from(differing.len()).unwrap(), first]);
                    cases.push((element, elements, lab.gpu.upload("actual", &actual).unwrap()));
                }
            }
        }
        let counted = lab.tally("counters", u32::try_from(counts.len()).unwrap(), |cmd, counters| {
            for (slot, &(element, elements, actual)) in (0..).zip(&cases) {
                let buffers = [expected_there, actual, counters].map(Binding::Buffer);
                cmd.dispatch(compare, &buffers, &element.push(elements, slot), [1, 1, 1]);
            }
        });
        assert_eq!(counted.unwrap(), counts);
        assert!(counts.contains(&0) && counts.contains(&1));
    }

    #[test]
    fn bytes_are_compared_one_by_one() {
        let element = Element::exact(1);
        let differing: Vec<bool> =
            (0..6).map(|at| element.differs(&[0x0403_0201, 0x55], &[0x0403_0701, 0x54], at)).collect();
        assert_eq!(differing, [false, true, false, false, true, false]);
        assert_eq!(element.words(6), 2);
        assert_eq!(element.count(&[0x0403_0201, 0x55], &[0x0403_0701, 0x54], 6), 2);
        assert_eq!(element.count(&[0x0403_0201, 0x55], &[0x0403_0201, 0xff55], 5), 0);
    }

    #[test]
    fn an_element_of_several_words_differs_once() {
        let element = Element::exact(8);
        assert!(element.differs(&[1, 2, 3, 4], &[1, 2, 3, 5], 1));
        assert!(!element.differs(&[1, 2, 3, 4], &[1, 2, 3, 5], 0));
    }

    #[test]
    fn a_tolerance_counts_neighbouring_floats() {
        let one = Element { bytes: 4, ulps: 1, half: false };
        let next = f32::from_bits(1.5_f32.to_bits() + 1);
        assert!(!one.differs(&[1.5_f32.to_bits()], &[next.to_bits()], 0));
        assert!(one.differs(&[1.5_f32.to_bits()], &[next.to_bits() + 1], 0));
        assert!(!one.differs(&[0.0_f32.to_bits()], &[(-0.0_f32).to_bits()], 0));
        assert!(one.differs(&[f32::MIN_POSITIVE.to_bits()], &[(-f32::MIN_POSITIVE).to_bits()], 0));
        let half = Element { bytes: 8, ulps: 1, half: true };
        assert!(!half.differs(&[0x3c00_3c00, 0], &[0x3c01_3bff, 0], 0));
        assert!(half.differs(&[0x3c00_3c00, 0], &[0x3c02_3c00, 0], 0));
    }
}
