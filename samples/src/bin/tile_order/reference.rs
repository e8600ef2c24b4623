//! The image, and both of its blurs. A texel has four words.

/// How far a sum reaches to each side, in texels.
const RADIUS: usize = 4;

/// Words below 2^16, so that sums of 81 fit.
pub fn texels(words: u32) -> Vec<u32> {
    (0..words).map(|i| (i.wrapping_mul(0x9E37_79B1) ^ i >> 7).wrapping_mul(0x85EB_CA6B) >> 16).collect()
}

/// Sums of nine texels of a row. At an edge its texel is repeated.
pub fn across(texels: &[u32], [width, _]: [u32; 2]) -> Vec<u32> {
    texels.chunks(4 * width as usize).flat_map(|row| sums(row, 4)).collect()
}

/// Sums of nine texels of a column.
pub fn down(texels: &[u32], [width, _]: [u32; 2]) -> Vec<u32> {
    sums(texels, 4 * width as usize)
}

/// Sums of nine lines of `length` words: of the one in the same place, and of four on each side. Each is that of its neighbour, less
/// the line that is left behind, and with the one that is reached.
fn sums(lines: &[u32], length: usize) -> Vec<u32> {
    let count = lines.len() / length;
    let line = |at: usize| &lines[at.min(count - 1) * length..][..length];
    let mut sum: Vec<u32> = line(0).iter().map(|word| word * 5).collect();
    (1..=RADIUS).for_each(|at| sum.iter_mut().zip(line(at)).for_each(|(sum, word)| *sum += word));
    let mut all = sum.clone();
    for at in 1..count {
        let (old, new) = (line(at.saturating_sub(RADIUS + 1)), line(at + RADIUS));
        for ((sum, old), new) in sum.iter_mut().zip(old).zip(new) {
            *sum = *sum + new - old;
        }
        all.extend_from_slice(&sum);
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_sum_reaches_four_texels_to_each_side() {
        let mut line = [0; 12];
        line[5] = 3;
        assert_eq!(sums(&line, 1), [0, 3, 3, 3, 3, 3, 3, 3, 3, 3, 0, 0]);
        assert_eq!(sums(&[1, 0, 0], 1), [5, 4, 3], "the edge is repeated");
        assert_eq!(sums(&[1, 7, 1, 7], 2), [9, 63, 9, 63], "lines are apart");
    }
}
