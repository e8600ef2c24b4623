//! The particle that the user drags in the window of `--live`.

use common::Pull;

use crate::picture::Picture;

/// A pointer takes the nearest particle within this distance, in pixels of the picture.
const REACH: f32 = 28.0;

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
    /// The dragged particle, and where in its island it is dragged to: it keeps its distance to the viewer. `at` holds the positions of all
    /// particles, `particles` of them per island.
    pub fn dragged(
        &mut self,
        picture: &Picture,
        at: &[[f32; 3]],
        particles: usize,
        pull: Option<Pull>,
    ) -> Option<(usize, [f32; 3])> {
        let Some(pull) = pull else {
            self.0 = None;
            return None;
        };
        if self.0.is_none_or(|dragged| dragged.from != pull.from) {
            let (island, place) = picture.panel(pull.from)?;
            let camera = picture.camera(island);
            let first = island * particles;
            let distance = |i: usize| {
                let [x, y, _] = camera.place(at[i]);
                (x - place[0]).hypot(y - place[1])
            };
            let nearest = (first..first + particles).min_by(|&a, &b| distance(a).total_cmp(&distance(b)));
            let particle = nearest.filter(|&i| distance(i) <= REACH);
            self.0 = Some(Dragged { from: pull.from, island, particle });
        }
        let dragged = self.0?;
        let (particle, camera) = (dragged.particle?, picture.camera(dragged.island));
        let [_, _, depth] = camera.place(at[particle]);
        let [x, y] = Picture::in_panel(dragged.island, pull.to);
        Some((particle, camera.point([x, y, depth])))
    }
}
