//! Numbers the particles of an island.

/// Points on a grid. Points with even and odd coordinates are numbered separately, and those of a line by x modulo
/// 4, so that the pairs of one colour are adjacent in memory and in the banks of shared memory.
#[derive(Debug)]
pub struct Lattice {
    /// Points per row, and rows per layer.
    pub sides: [u32; 2],
    /// The coordinates by number.
    pub points: Vec<[u32; 3]>,
    /// The numbers, row by row.
    pub numbers: Vec<u16>,
}

impl Lattice {
    pub fn new(particles: u32, [width, height]: [u32; 2]) -> Self {
        let at = |place: u32| [place % width, place / width % height, place / (width * height)];
        let mut places: Vec<u32> = (0..particles).collect();
        places.sort_by_cached_key(|&place| {
            let [x, y, z] = at(place);
            let turn = if height == 1 { x / 2 % 2 } else { 0 };
            (z % 2, y % 2, x % 2, turn, place)
        });
        let mut numbers = vec![0; places.len()];
        for (number, &place) in (0..).zip(&places) {
            numbers[place as usize] = number;
        }
        Self { sides: [width, height], points: places.into_iter().map(at).collect(), numbers }
    }

    /// The point at this offset in the same layer, if there is one.
    pub fn neighbour(&self, number: u16, [right, down]: [i32; 2]) -> Option<u16> {
        let [width, height] = self.sides;
        let [x, y, z] = self.points[usize::from(number)];
        let x = x.checked_add_signed(right).filter(|&x| x < width)?;
        let y = y.checked_add_signed(down).filter(|&y| y < height)?;
        self.numbers.get((x + width * (y + height * z)) as usize).copied()
    }

    /// In a plane: the first point with odd x and even y, with even x and odd y, and with both odd.
    pub fn starts(&self) -> [u32; 3] {
        let before = |is_before: fn(&[u32; 3]) -> bool| {
            u32::try_from(self.points.iter().filter(|at| is_before(at)).count()).unwrap_or(u32::MAX)
        };
        [
            before(|[x, y, _]| x % 2 == 0 && y % 2 == 0),
            before(|[_, y, _]| y % 2 == 0),
            before(|[x, y, _]| y % 2 == 0 || x % 2 == 0),
        ]
    }
}
