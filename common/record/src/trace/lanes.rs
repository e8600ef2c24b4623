//! Assigns lanes to waves of devices that do not report where they run.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use super::{Dispatch, Lanes, Wave};

/// Assigns each wave the lowest lane that is free when it begins.
pub fn pack(dispatches: &mut [Dispatch]) -> Lanes {
    let mut waves: Vec<&mut Wave> = dispatches.iter_mut().flat_map(|d| &mut d.waves).collect();
    waves.sort_by(|a, b| a.begin_us.total_cmp(&b.begin_us));
    let mut free = BinaryHeap::new();
    let mut busy: BinaryHeap<Reverse<(u64, u32)>> = BinaryHeap::new();
    // Times are not negative, so their bits are ordered like the numbers.
    let key = |us: f64| us.max(0.0).to_bits();
    let mut lanes = 0;
    for wave in waves {
        while let Some(&Reverse((end, lane))) = busy.peek()
            && end <= key(wave.begin_us)
        {
            free.push(Reverse(lane));
            busy.pop();
        }
        wave.lane = free.pop().map_or(lanes, |Reverse(lane)| lane);
        lanes = lanes.max(wave.lane + 1);
        busy.push(Reverse((key(wave.end_us), wave.lane)));
    }
    Lanes::Packed(lanes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_lane_is_taken_again_once_it_is_free() {
        let wave = |begin_us: f64, end_us: f64| Wave { begin_us, end_us, lane: 0 };
        let waves = vec![wave(0.0, 4.0), wave(1.0, 2.0), wave(2.0, 3.0), wave(2.5, 5.0), wave(4.0, 5.0)];
        let dispatch = Dispatch {
            kernel: "k".into(),
            groups: [5, 1, 1],
            one_in: 1,
            weight: 1.0,
            waves,
            ends_us: Vec::new(),
            part: None,
        };
        let mut dispatches = [dispatch];
        assert_eq!(pack(&mut dispatches), Lanes::Packed(3));
        let lanes: Vec<u32> = dispatches[0].waves.iter().map(|wave| wave.lane).collect();
        assert_eq!(lanes, [0, 1, 1, 2, 0]);
    }
}
