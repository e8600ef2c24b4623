//! The shapes of the test scene, and where rays hit them.

/// Right, up, along the hall.
pub type Vector = [f64; 3];

fn dot(a: Vector, b: Vector) -> f64 {
    a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
}

/// A ray from the eye.
pub struct Ray {
    from: Vector,
    /// Direction, scaled to one metre of depth.
    along: Vector,
    /// Reciprocal of each component of `along`, because tests against blocks divide by it often.
    inverse: Vector,
}

impl Ray {
    /// A ray from a point in a direction.
    pub fn new(from: Vector, along: Vector) -> Self {
        Self { from, along, inverse: along.map(f64::recip) }
    }
}

/// A point on a shape.
#[derive(Clone, Copy)]
pub struct Hit {
    /// Distance along the view, in metres.
    pub depth: f64,
    /// Unit vector away from the shape.
    pub normal: Vector,
}

/// For a ray that hits nothing. The hall is closed, so every ray hits something.
pub const FAR: Hit = Hit { depth: 600.0, normal: [0.0, 0.0, -1.0] };

/// An object in the hall. Sizes and positions are in metres: right, up, along the hall.
pub enum Thing {
    /// From the lowest corner to the highest.
    Block(Vector, Vector),
    /// Centre and radius.
    Ball(Vector, f64),
    /// Position (right, along the hall) and radius.
    Column([f64; 2], f64),
    /// A block seen from inside.
    Walls(Vector, Vector),
}

impl Thing {
    /// The first point that a ray hits.
    pub fn hit(&self, ray: &Ray) -> Option<Hit> {
        match self {
            Self::Block(low, high) => {
                let (enters, leaves) = between(ray, low, high);
                (enters.depth > 0.0 && enters.depth < leaves.depth).then_some(enters)
            }
            Self::Walls(low, high) => Some(between(ray, low, high).1),
            Self::Ball(centre, radius) => {
                let from = [0, 1, 2].map(|i| ray.from[i] - centre[i]);
                round(from, ray.along, *radius)
            }
            Self::Column([x, z], radius) => {
                let from = [ray.from[0] - x, 0.0, ray.from[2] - z];
                round(from, [ray.along[0], 0.0, ray.along[2]], *radius)
            }
        }
    }
}

/// Where a ray enters and leaves a block, with outward and inward normals. A ray that misses leaves before it
/// enters.
fn between(ray: &Ray, low: &Vector, high: &Vector) -> (Hit, Hit) {
    let (mut enters, mut leaves) = (Hit { depth: f64::MIN, ..FAR }, Hit { depth: f64::MAX, ..FAR });
    for side in 0..3 {
        let [near, far] = [low, high].map(|plane| (plane[side] - ray.from[side]) * ray.inverse[side]);
        let mut normal = [0.0; 3];
        normal[side] = -ray.along[side].signum();
        if near.min(far) > enters.depth {
            enters = Hit { depth: near.min(far), normal };
        }
        if near.max(far) < leaves.depth {
            leaves = Hit { depth: near.max(far), normal };
        }
    }
    (enters, leaves)
}

/// The first intersection of a ray with a ball around the origin; with a zero in both vectors, with a column.
fn round(from: Vector, along: Vector, radius: f64) -> Option<Hit> {
    let (a, b, c) = (dot(along, along), dot(from, along), dot(from, from) - radius * radius);
    let discriminant = b * b - a * c;
    if discriminant <= 0.0 {
        return None;
    }
    let depth = (-b - discriminant.sqrt()) / a;
    let normal = [0, 1, 2].map(|i| (from[i] + depth * along[i]) / radius);
    (depth > 0.0).then_some(Hit { depth, normal })
}
