//! What of each variant is checked, for the rows of a record while a session is at work.

use record::Status;

use super::session::Session;
use crate::lab::{Check, Lab};

/// What a session has found out of the lab's variants, in their order.
pub struct Checked<'l> {
    lab: &'l Lab,
    left_out: Vec<Option<Status>>,
    checks: Vec<Vec<&'l Check>>,
}

impl<'l> Session<'l> {
    /// What is checked, once all variants were dry-run.
    pub fn checked(&self) -> Checked<'l> {
        let all = || 0..self.lab.variants.len();
        Checked {
            lab: self.lab,
            left_out: all().map(|v| self.left_out(v)).collect(),
            checks: all().map(|v| self.checks(v).collect()).collect(),
        }
    }
}

impl Checked<'_> {
    /// Why a variant does not run.
    pub fn left_out(&self, variant: usize) -> Option<&Status> {
        self.left_out[variant].as_ref()
    }

    /// Elements that are compared in one repetition of a variant.
    pub fn elements(&self, variant: usize) -> u64 {
        self.checks[variant].iter().map(|check| u64::from(check.elements)).sum()
    }

    /// Where a counted element lies, in words.
    pub fn place(&self, variant: usize, first: u64) -> String {
        let mut index = first;
        for check in &self.checks[variant] {
            let elements = u64::from(check.elements) * u64::from(self.lab.repetitions());
            if index < elements {
                let (repetition, at) = (index / u64::from(check.elements), index % u64::from(check.elements));
                return format!("{} of repetition {repetition}", within(check, at));
            }
            index -= elements;
        }
        format!("element {first}")
    }
}

/// Where an element of a result lies.
fn within(check: &Check, at: u64) -> String {
    if let Some(counted) = &check.counts {
        return format!("the count of {counted}");
    }
    let Some(shape) = check.shape else { return format!("word {at}") };
    let [width, height, _] = shape.sides.map(u64::from);
    let (x, y, z) = (at % width, at / width % height, at / width / height);
    if shape.volume { format!("texel ({x}, {y}, {z})") } else { format!("texel ({x}, {y})") }
}
