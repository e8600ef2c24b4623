//! The particle that the user drags in the window of `--live`.

use common::Pull;

use crate::picture::Picture;

/// A pointer takes the nearest particle within this distance, in units of the island.
const REACH: f32 = 4.0;

/// What the pointer drags from the press of its button to the release.
#[derive(Debug, Default)]
pub struct DragState(Option<Dragged>);

#[derive(Clone, Copy, Debug)]
struct Dragged {
    from: [f32; 2],
    island: usize,
    /// Index among all particles; `None` if none was near enough.
    particle: Option<usize>,
}

impl DragState {
    /// The dragged particle, and the x and y in its island that it is dragged to. `at` holds the positions of all
    /// particles, `particles` of them per island.
    pub fn dragged(
        &mut self,
        picture: &Picture,
        at: &[[f32; 3]],
        particles: usize,
        pull: Option<Pull>,
    ) -> Option<(usize, [f32; 2])> {
        let Some(pull) = pull else {
            self.0 = None;
            return None;
        };
        if self.0.is_none_or(|dragged| dragged.from != pull.from) {
            let (island, place) = picture.place(pull.from)?;
            let first = island * particles;
            let distance = |i: usize| (at[i][0] - place[0]).hypot(at[i][1] - place[1]);
            let nearest = (first..first + particles).min_by(|&a, &b| distance(a).total_cmp(&distance(b)));
            let particle = nearest.filter(|&i| distance(i) <= REACH);
            self.0 = Some(Dragged { from: pull.from, island, particle });
        }
        let dragged = self.0?;
        Some((dragged.particle?, picture.in_island(dragged.island, pull.to)?))
    }
}
