//! The queues of the two families that the sample compares.

use std::fmt;

use common::{Lab, Queue};
use samples::spin::queues_of;

/// The queues of both families; none of a family that the device lacks.
#[derive(Clone, Debug)]
pub struct Families {
    graphics: Vec<Queue>,
    compute: Vec<Queue>,
}

impl Families {
    pub fn of(lab: &Lab) -> Self {
        Self { graphics: queues_of(lab, true), compute: queues_of(lab, false) }
    }

    /// `count` queues of each family, and of both together, by the names of the families; or why there are not as many.
    pub fn queues(&self, count: usize) -> [(&'static str, Result<Vec<Queue>, String>); 3] {
        let [graphics, compute] = [true, false].map(|with_graphics| self.first(with_graphics, count));
        let each = graphics.clone().and_then(|graphics| Ok([graphics, compute.clone()?].concat()));
        [("graphics", graphics), ("compute", compute), ("each", each)]
    }

    /// Three queues, by the name of a family: its first, its second, and the first of the other family; or why there is none.
    pub fn neighbours(&self) -> [(&'static str, [Result<Queue, String>; 3]); 2] {
        let queue = |with_graphics, at: usize| self.first(with_graphics, at + 1).map(|queues| queues[at]);
        let beside = |with_graphics: bool| {
            [queue(with_graphics, 0), queue(with_graphics, 1), queue(!with_graphics, 0)]
        };
        [("graphics", beside(true)), ("compute", beside(false))]
    }

    fn first(&self, with_graphics: bool, count: usize) -> Result<Vec<Queue>, String> {
        let (all, family) = match with_graphics {
            true => (&self.graphics, "graphics family"),
            false => (&self.compute, "family with compute and without graphics"),
        };
        all.get(..count).map(<[Queue]>::to_vec).ok_or_else(|| match all.len() {
            0 => format!("the device has no {family}"),
            1 => format!("the {family} has 1 queue"),
            most => format!("the {family} has {most} queues"),
        })
    }
}

impl fmt::Display for Families {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} with graphics, {} without", self.graphics.len(), self.compute.len())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_family_has_so_many_queues() {
        let families = Families { graphics: vec![Queue(0)], compute: vec![Queue(1), Queue(2)] };
        let of = |count| families.queues(count).map(|(_, queues)| queues);
        assert_eq!(of(1), [Ok(vec![Queue(0)]), Ok(vec![Queue(1)]), Ok(vec![Queue(0), Queue(1)])]);
        let too_few = Err("the graphics family has 1 queue".into());
        assert_eq!(of(2), [too_few.clone(), Ok(vec![Queue(1), Queue(2)]), too_few]);
        assert_eq!(families.neighbours()[1].1, [Ok(Queue(1)), Ok(Queue(2)), Ok(Queue(0))]);
        let none = Families { compute: Vec::new(), ..families };
        let why = none.queues(1)[1].1.clone().unwrap_err();
        assert_eq!(why, "the device has no family with compute and without graphics");
    }
}
