//! The queues of the first family that does graphics, and of the first that does not.

use std::fmt;

use common::{Lab, Queue};

/// Queues, or why there are none.
pub type Found<T> = Result<T, String>;

/// The queues of both families; none of a family that the device lacks.
#[derive(Clone, Debug)]
pub struct Families {
    graphics: Vec<Queue>,
    compute: Vec<Queue>,
}

impl Families {
    pub fn of(lab: &Lab) -> Self {
        let all: Vec<_> = (0..).map(Queue).zip(lab.queues()).collect();
        let first = |draws: bool| {
            let family = all.iter().find(|(_, place)| place.draws == draws).map(|(_, place)| place.family);
            let of_family =
                all.iter().filter(|(_, place)| place.draws == draws && Some(place.family) == family);
            of_family.map(|(queue, _)| *queue).collect()
        };
        Self { graphics: first(true), compute: first(false) }
    }

    /// So many queues of each family, and so many of both together, by the names of the families.
    pub fn queues(&self, count: usize) -> [(&'static str, Found<Vec<Queue>>); 3] {
        let [graphics, compute] = [true, false].map(|draws| self.first(draws, count));
        let both = graphics.clone().and_then(|graphics| Ok([graphics, compute.clone()?].concat()));
        [("graphics", graphics), ("compute", compute), ("both", both)]
    }

    /// A queue and what is beside it, by the names of the families: first the queue, then another one of its family, then one of the
    /// other family.
    pub fn neighbours(&self) -> [(&'static str, [Found<Queue>; 3]); 2] {
        let queue = |draws, at| self.first(draws, at + 1).map(|queues| queues[at]);
        [("graphics", true), ("compute", false)]
            .map(|(name, draws)| (name, [queue(draws, 0), queue(draws, 1), queue(!draws, 0)]))
    }

    fn first(&self, draws: bool, count: usize) -> Found<Vec<Queue>> {
        let (all, name) = if draws { (&self.graphics, "graphics") } else { (&self.compute, "compute") };
        let queues = |count| if count == 1 { "queue" } else { "queues" };
        all.get(..count).map(<[Queue]>::to_vec).ok_or_else(|| match all.len() {
            0 => format!("the device has no {name} queue"),
            most => format!("the device has {most} {name} {}", queues(most)),
        })
    }
}

impl fmt::Display for Families {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} of graphics, {} of compute", self.graphics.len(), self.compute.len())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_family_has_so_many_queues() {
        let families = Families { graphics: vec![Queue(0)], compute: vec![Queue(1), Queue(2)] };
        let [(_, graphics), (_, compute), (_, both)] = families.queues(1);
        assert_eq!(graphics, Ok(vec![Queue(0)]));
        assert_eq!(compute, Ok(vec![Queue(1)]));
        assert_eq!(both, Ok(vec![Queue(0), Queue(1)]));
        let [(_, graphics), (_, compute), (_, both)] = families.queues(2);
        assert_eq!(graphics, Err("the device has 1 graphics queue".into()));
        assert_eq!(compute, Ok(vec![Queue(1), Queue(2)]));
        assert_eq!(both, graphics);
        assert_eq!(families.neighbours()[1].1, [Ok(Queue(1)), Ok(Queue(2)), Ok(Queue(0))]);
        let none = Families { compute: Vec::new(), ..families };
        assert_eq!(none.queues(1)[1].1, Err("the device has no compute queue".into()));
    }
}
