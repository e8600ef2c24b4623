//! Animates islands in the window of `--live`. Each frame starts from the last result, and the user can drag a
//! particle, which pulls its island.

use std::cell::RefCell;

use common::{Pull, Simulation};

use crate::drag_state::DragState;
use crate::island::Island;
use crate::picture::{Picture, positions};
use crate::reference::{Solver, results};

/// Fraction of a particle's last movement that it continues by inertia.
const INERTIA: f32 = 0.9;
/// Limit of the coordinates, so that they keep enough fraction bits.
const FARTHEST: f32 = 100.0;
/// Positions are rounded to multiples of this, so that trembling particles come to rest.
const GRAIN: f32 = 1.0 / 4096.0;
/// Number of frames without a movement above [`STILL`] after which the animation restarts.
const PATIENCE: u32 = 60;
const STILL: f32 = 1.0 / 64.0;

/// The animation of a scene's first islands.
#[derive(Debug)]
pub struct Motion {
    islands: Vec<Island>,
    solver: Solver,
    begin: Vec<u32>,
    picture: Picture,
    state: RefCell<State>,
}

#[derive(Debug, Default)]
struct State {
    /// Positions at the end of the last frame.
    last: Vec<[f32; 3]>,
    drag: DragState,
    still: u32,
}

impl Motion {
    /// Animates the islands that the picture shows.
    pub fn new(islands: &[Island], solver: Solver) -> Self {
        let picture = Picture::of(islands);
        let islands = islands[..picture.count()].to_vec();
        let words =
            |island: &Island| island.particles.iter().flatten().map(|x| x.to_bits()).collect::<Vec<_>>();
        let begin = islands.iter().flat_map(words).collect();
        Self { islands, solver, begin, picture, state: RefCell::default() }
    }

    fn particles(&self) -> usize {
        self.islands.first().map_or(1, |island| island.particles.len())
    }
}

impl Simulation for Motion {
    fn begin(&self) -> &[u32] {
        &self.begin
    }

    fn restart(&self) {
        *self.state.borrow_mut() = State::default();
    }

    fn reference(&self, input: &[u32]) -> Vec<u32> {
        let moved = |(island, words): (&Island, &[u32])| Island {
            particles: words.chunks_exact(4).map(|p| [0, 1, 2, 3].map(|k| f32::from_bits(p[k]))).collect(),
            ..island.clone()
        };
        let islands: Vec<Island> =
            self.islands.iter().zip(input.chunks(4 * self.particles())).map(moved).collect();
        results(&self.solver.reference(&islands))
    }

    fn next(&self, _: &[u32], result: &[u32], pull: Option<Pull>) -> Vec<u32> {
        let state = &mut *self.state.borrow_mut();
        let at: Vec<[f32; 3]> = positions(result);
        if state.last.len() != at.len() {
            state.last.clone_from(&at);
        }
        let dragged = state.drag.dragged(&self.picture, &at, self.particles(), pull);
        let displacement = |i: usize, axis: usize| at[i][axis] - state.last[i][axis];
        let moves = |i: &usize| (0..3).any(|axis| displacement(*i, axis).abs() > STILL);
        let is_still = dragged.is_none() && !(0..at.len()).any(|i| moves(&i));
        let still = if is_still { state.still + 1 } else { 0 };
        if still > PATIENCE || at.iter().flatten().any(|side| !side.is_finite()) {
            *state = State::default();
            return self.begin.clone();
        }
        let mut words = self.begin.clone();
        for (i, particle) in words.chunks_exact_mut(4).enumerate() {
            // Particles continue by inertia. A dragged one follows the pointer, and fixed ones are restored below.
            for axis in 0..3 {
                particle[axis] = settled(at[i][axis] + INERTIA * displacement(i, axis)).to_bits();
            }
            if let Some((_, to)) = dragged.filter(|&(dragged, _)| dragged == i) {
                particle[..3].copy_from_slice(&to.map(|side| settled(side).to_bits()));
                particle[3] = 0.0_f32.to_bits();
            }
        }
        for i in (0..at.len()).filter(|i| self.begin[4 * i + 3] == 0) {
            words[4 * i..4 * i + 4].copy_from_slice(&self.begin[4 * i..4 * i + 4]);
        }
        state.still = still;
        state.last = at;
        words
    }

    fn size(&self) -> [u32; 2] {
        self.picture.size()
    }

    fn paint(&self, result: &[u32]) -> Vec<[u8; 3]> {
        self.picture.paint(result)
    }

    fn caption(&self) -> String {
        "the first islands: constraints that are too long red, too short blue; drag a particle".into()
    }
}

/// Rounds and limits a coordinate for the next frame.
fn settled(coordinate: f32) -> f32 {
    ((coordinate / GRAIN).round() * GRAIN).clamp(-FARTHEST, FARTHEST)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::shapes::{self, Shape};

    fn motion(gravity: bool) -> Motion {
        let island = |number| {
            let mut island = shapes::island(Shape::Cloth, number, 64, 1.0);
            if gravity {
                island.hang();
            }
            island
        };
        let islands: Vec<Island> = (0..9).map(island).collect();
        Motion::new(&islands, Solver { iterations: 8, gravity })
    }

    /// Runs `frames` frames, each solved by the CPU reference.
    fn after(motion: &Motion, frames: u32, pull: Option<Pull>) -> Vec<[f32; 3]> {
        let mut input = motion.begin().to_vec();
        let mut result = motion.reference(&input);
        for _ in 0..frames {
            input = motion.next(&input, &result, pull);
            result = motion.reference(&input);
        }
        positions(&result)
    }

    #[test]
    fn islands_come_to_rest_and_begin_anew() {
        let motion = motion(false);
        assert_eq!(motion.begin().len(), 8 * 64 * 4, "eight are drawn");
        let (mut input, mut anew) = (motion.begin().to_vec(), 0);
        for _ in 0..600 {
            input = motion.next(&input, &motion.reference(&input), None);
            anew += u32::from(input == motion.begin());
        }
        assert!((1..60).contains(&anew), "{anew} times anew in 600 frames");
    }

    #[test]
    fn fixed_particles_stay() {
        let motion = motion(true);
        let (begin, now) = (positions(motion.begin()), after(&motion, 40, None));
        let is_fixed = |i: &usize| motion.begin()[4 * i + 3] == 0;
        let (fixed, free): (Vec<usize>, Vec<usize>) = (0..begin.len()).partition(is_fixed);
        assert!(fixed.len() == 8 && fixed.iter().all(|&i| now[i] == begin[i]));
        assert!(free.iter().filter(|&&i| now[i] != begin[i]).count() > begin.len() / 2);
    }

    #[test]
    fn a_pulled_particle_goes_where_the_pointer_is_and_its_neighbours_follow() {
        let motion = motion(false);
        let rest = after(&motion, 30, None);
        let camera = motion.picture.camera(0);
        let [x, y, _] = camera.place(rest[0]);
        let to = [x + 80.0, y + 60.0];
        let now = after(&motion, 40, Some(Pull { from: [x, y], to }));
        let place = camera.place(now[0]);
        assert!((0..2).all(|k| (place[k] - to[k]).abs() < 0.1), "{place:?} {to:?}");
        let moved = (0..3).map(|k| (now[1][k] - rest[1][k]).abs()).fold(0.0, f32::max);
        assert!(moved > 0.5, "{:?} {:?}", now[1], rest[1]);
        assert_eq!(motion.picture.panel([-1.0, 5.0]), None);
        // Dragging beyond the panel keeps hold of the island.
        let [far, farther] = [1e3, 1e6].map(|at| Picture::in_panel(0, [at; 2]));
        assert_eq!(far, farther);
    }
}
