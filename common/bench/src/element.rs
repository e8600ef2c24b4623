//! The unit in which results are compared: a texel of an image or a word of a buffer.

use rayon::prelude::*;

/// The element type of a result, and the tolerance of the comparison.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Element {
    /// Bytes of an element: 1, 2, 4, 8 or 16.
    pub bytes: u32,
    /// How far a word may be off.
    pub tolerance: Tolerance,
}

/// How far a word of a result may be off.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Tolerance {
    /// Bits are compared.
    Exact,
    /// A float of 32 bits, in units in the last place.
    Ulps(u32),
    /// Two floats of 16 bits, in units in the last place.
    HalfUlps(u32),
    /// A float of 32 bits, by this difference.
    Absolute(f32),
}

impl Element {
    /// Elements that must be equal bit for bit.
    #[must_use]
    pub fn exact(bytes: u32) -> Self {
        Self { bytes, tolerance: Tolerance::Exact }
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
        let [kind, most] = self.tolerance.push();
        [elements, slot, self.bytes, kind, most]
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
        const BLOCK: usize = 1 << 18;
        let words = expected.len().min(actual.len());
        let blocks = expected[..words].par_chunks(BLOCK).zip(actual[..words].par_chunks(BLOCK));
        if blocks.all(|(expected, actual)| expected == actual) {
            return 0;
        }
        let differs = |&at: &usize| self.differs(expected, actual, at);
        (0..elements as usize).into_par_iter().filter(differs).count() as u64
    }

    fn near(self, a: u32, b: u32) -> bool {
        let apart = |a, b| order32(a).abs_diff(order32(b));
        a == b
            || match self.tolerance {
                Tolerance::Exact => false,
                Tolerance::Ulps(most) => apart(a, b) <= most.into(),
                Tolerance::HalfUlps(most) => [0, 16].iter().all(|&shift| {
                    let lane = |word: u32| order16(word >> shift & 0xffff);
                    lane(a).abs_diff(lane(b)) <= most
                }),
                Tolerance::Absolute(most) => (f32::from_bits(a) - f32::from_bits(b)).abs() <= most,
            }
    }
}

impl Tolerance {
    /// As the shaders take it, see `lab/tolerance.glsl`.
    #[must_use]
    pub fn push(self) -> [u32; 2] {
        match self {
            Self::Exact => [0, 0],
            Self::Ulps(most) => [1, most],
            Self::HalfUlps(most) => [2, most],
            Self::Absolute(most) => [3, most.to_bits()],
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
        let near = [(4, Tolerance::Ulps(1)), (8, Tolerance::HalfUlps(1)), (4, Tolerance::Absolute(1e-30))];
        let near = near.map(|(bytes, tolerance)| Element { bytes, tolerance });
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
        let one = Element { bytes: 4, tolerance: Tolerance::Ulps(1) };
        let next = f32::from_bits(1.5_f32.to_bits() + 1);
        assert!(!one.differs(&[1.5_f32.to_bits()], &[next.to_bits()], 0));
        assert!(one.differs(&[1.5_f32.to_bits()], &[next.to_bits() + 1], 0));
        assert!(!one.differs(&[0.0_f32.to_bits()], &[(-0.0_f32).to_bits()], 0));
        assert!(one.differs(&[f32::MIN_POSITIVE.to_bits()], &[(-f32::MIN_POSITIVE).to_bits()], 0));
        let half = Element { bytes: 8, tolerance: Tolerance::HalfUlps(1) };
        assert!(!half.differs(&[0x3c00_3c00, 0], &[0x3c01_3bff, 0], 0));
        assert!(half.differs(&[0x3c00_3c00, 0], &[0x3c02_3c00, 0], 0));
    }
    #[test]
    fn an_absolute_tolerance_is_a_difference_and_takes_no_nan() {
        let quarter = Element { bytes: 4, tolerance: Tolerance::Absolute(0.25) };
        let differs = |a: f32, b: f32| quarter.differs(&[a.to_bits()], &[b.to_bits()], 0);
        assert!(!differs(1.0, 1.25) && !differs(-0.125, 0.125) && differs(1.0, 1.5));
        assert!(differs(1.0, f32::NAN) && differs(f32::INFINITY, f32::NEG_INFINITY));
    }
}
