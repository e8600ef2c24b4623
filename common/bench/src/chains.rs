//! Constants of the arithmetic chains that `lab/fma.comp` and `lab/chains.comp` run, and their expected results.

/// Chains per invocation: enough to hide the latency of an operation. The second half of the chains alternate
/// between two values.
pub(crate) const CHAINS: u32 = 16;
/// Invocations per workgroup.
pub(crate) const LANES: u32 = 128;
/// Factor of the first half of the chains, factor of the second half, and the summand of each step.
pub(crate) const FACTORS: [f32; 3] = [1.0, -1.0, 1.0];

/// The expected output after this many steps, from the formula: the first half of the chains count the steps, the
/// others hold `x` after an even number of steps and `1 - x` after an odd number.
pub(crate) fn sums(groups: u32, steps: u32) -> Vec<u32> {
    let of_lane = |lane: u32| {
        let counted: u32 = (0..CHAINS / 2).map(|chain| lane + chain + steps).sum();
        let turned: u32 = (CHAINS / 2..CHAINS).map(|chain| lane + chain).sum();
        let [counted, turned] = [counted, turned].map(f64::from);
        let turned = if steps.is_multiple_of(2) { turned } else { f64::from(CHAINS / 2) - turned };
        #[expect(clippy::cast_possible_truncation, reason = "whole numbers below 2^24")]
        let sum = (counted + turned) as f32;
        sum.to_bits()
    };
    let lanes: Vec<u32> = (0..LANES).map(of_lane).collect();
    lanes.repeat(groups as usize)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sums_follow_the_chains_step_by_step() {
        let [up, down, summand] = FACTORS;
        let chain = |lane: u32, chain: u32, steps: u32| {
            let factor = if chain < CHAINS / 2 { up } else { down };
            (0..steps).fold((lane + chain) as f32, |value, _| value * factor + summand)
        };
        for steps in [0, 1, 3, 50, 51, 3000, 65_535] {
            let sums = sums(2, steps);
            assert_eq!(sums.len(), 256);
            for lane in [0, 1, 127] {
                let sum: f32 = (0..CHAINS).map(|c| chain(lane, c, steps)).sum();
                assert_eq!(f32::from_bits(sums[128 + lane as usize]), sum, "lane {lane}, {steps} steps");
                assert!(sum < 16_777_216.0, "every sum below 2^24 is exact");
            }
        }
    }
}
