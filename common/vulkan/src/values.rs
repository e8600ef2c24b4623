//! Values that samples read from the command line.

use std::fmt;
use std::str::FromStr;

/// Width and height of an image in texels: `1152x1152`, or one number for a square.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Extent {
    /// Number of columns.
    pub width: u32,
    /// Number of rows.
    pub height: u32,
}

impl Extent {
    /// A square.
    #[must_use]
    pub fn square(side: u32) -> Self {
        Self { width: side, height: side }
    }

    /// Width and height, in this order.
    #[must_use]
    pub fn sides(self) -> [u32; 2] {
        [self.width, self.height]
    }
}

impl FromStr for Extent {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let sides = positive_numbers(text, "a size is WIDTHxHEIGHT in texels, such as 1152x1152")?;
        match sides[..] {
            [side] => Ok(Self::square(side)),
            [width, height] => Ok(Self { width, height }),
            _ => Err(format!("'{text}' has {} sides; a size is WIDTHxHEIGHT", sides.len())),
        }
    }
}

impl fmt::Display for Extent {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}x{}", self.width, self.height)
    }
}

/// Sides of an image in texels: a plane of `[width, height]`, or a volume of `[width, height, depth]`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Shape {
    /// Number of columns, rows and layers.
    pub sides: [u32; 3],
    /// Whether this is a 3D image, which may be one layer deep.
    pub volume: bool,
}

impl Shape {
    /// Total number of texels.
    #[must_use]
    pub fn texels(self) -> u64 {
        self.sides.iter().map(|&side| u64::from(side)).product()
    }
}

impl From<[u32; 2]> for Shape {
    fn from([width, height]: [u32; 2]) -> Self {
        Self { sides: [width, height, 1], volume: false }
    }
}

impl From<[u32; 3]> for Shape {
    fn from(sides: [u32; 3]) -> Self {
        Self { sides, volume: true }
    }
}

impl From<Extent> for Shape {
    fn from(extent: Extent) -> Self {
        extent.sides().into()
    }
}

impl fmt::Display for Shape {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let [width, height, depth] = self.sides;
        write!(f, "{width}x{height}")?;
        if self.volume { write!(f, "x{depth}") } else { Ok(()) }
    }
}

/// A 2D workgroup, and the number of rows per invocation: `8x8`, `32x8x4`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Workgroup {
    /// Invocations in x.
    pub width: u32,
    /// Invocations in y.
    pub height: u32,
    /// Rows that an invocation loops over.
    pub rows: u32,
}

impl Workgroup {
    /// Texels that a workgroup covers, with one texel per row and invocation.
    #[must_use]
    pub fn tile(self) -> [u32; 2] {
        [self.width, self.height * self.rows]
    }

    /// Number of invocations in x, y and z.
    #[must_use]
    pub fn invocations(self) -> [u32; 3] {
        [self.width, self.height, 1]
    }
}

impl FromStr for Workgroup {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let shape = "a workgroup is WIDTHxHEIGHT or WIDTHxHEIGHTxROWS, such as 8x8 or 32x8x4";
        let (width, height, rows) = match positive_numbers(text, shape)?[..] {
            [width, height] => (width, height, 1),
            [width, height, rows] => (width, height, rows),
            _ => return Err(shape.into()),
        };
        // Far above every device's limit, but small enough that no product overflows.
        if [width, height, rows].iter().any(|&n| n > 4096) {
            return Err(format!("'{text}' is too large: a workgroup has at most 4096 of each"));
        }
        Ok(Self { width, height, rows })
    }
}

impl fmt::Display for Workgroup {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}x{}", self.width, self.height)?;
        if self.rows > 1 { write!(f, "x{}", self.rows) } else { Ok(()) }
    }
}

/// The numbers of a value such as `AxBxC`, all positive and at most 2^30.
fn positive_numbers(text: &str, shape: &str) -> Result<Vec<u32>, String> {
    text.split(['x', 'X'])
        .map(|part| match part.trim().parse::<u64>() {
            Ok(0) => Err(format!("a side of 0 is not possible; {shape}")),
            Ok(n) if n > 1 << 30 => Err(format!("a side of {n} is beyond every device; {shape}")),
            Ok(n) => u32::try_from(n).map_err(|e| e.to_string()),
            Err(_) => Err(format!("'{part}' is no positive whole number; {shape}")),
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes() {
        assert_eq!("640x480".parse(), Ok(Extent { width: 640, height: 480 }));
        assert_eq!("64".parse(), Ok(Extent::square(64)));
        for bad in ["", "x", "0x5", "5x0", "-3x4", "1.5", "3x4x5", "99999999999x1", "99999999999999999999999"]
        {
            let error = bad.parse::<Extent>().unwrap_err();
            assert!(error.contains("WIDTHxHEIGHT"), "{bad}: {error}");
        }
    }

    #[test]
    fn workgroups() {
        let shape: Workgroup = "32x8x4".parse().unwrap();
        assert_eq!((shape.tile(), shape.invocations()), ([32, 32], [32, 8, 1]));
        assert_eq!(shape.to_string(), "32x8x4");
        assert_eq!("8x8".parse::<Workgroup>().unwrap().to_string(), "8x8");
        for bad in ["8", "8x8x0", "8x8x1x1", "axb", "8x100000"] {
            assert!(bad.parse::<Workgroup>().is_err(), "{bad}");
        }
    }
}
