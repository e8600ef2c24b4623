//! How many waves a GPU holds at once, as its driver reports it or as the user says.

use std::fmt;
use std::str::FromStr;

use common::Lab;
use common::record::Multiprocessors;

/// The multiprocessors that run waves.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Machine(pub Multiprocessors);

impl Machine {
    /// The machine that the user asked for, or the one that the driver reports. Also put into the record.
    pub fn of(lab: &mut Lab, asked: Option<Self>) -> Option<Self> {
        let machine = asked.or_else(|| lab.device().multiprocessors.map(Self));
        lab.report
            .setting("machine", machine.map_or_else(|| "not told".into(), |machine| machine.to_string()));
        machine
    }

    /// Number of SIMDs.
    pub fn simds(self) -> u32 {
        self.0.count * self.0.simds
    }

    /// Waves that the device can hold at once.
    pub fn slots(self) -> u32 {
        self.simds() * self.0.subgroups_per_simd
    }
}

impl FromStr for Machine {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let sides: Option<Vec<u32>> = text.split('x').map(|side| side.parse().ok()).collect();
        match sides.as_deref() {
            Some(&[count, simds, subgroups_per_simd])
                if [count, simds, subgroups_per_simd].iter().all(|side| (1..=1024).contains(side)) =>
            {
                Ok(Self(Multiprocessors { count, simds, subgroups_per_simd }))
            }
            _ => Err("a machine is MULTIPROCESSORSxSIMDSxWAVES, such as 64x4x10 for the talk's Vega; each is from 1 to \
                      1024"
                .into()),
        }
    }
}

impl fmt::Display for Machine {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Multiprocessors { count, simds, subgroups_per_simd } = self.0;
        write!(f, "{count}x{simds}x{subgroups_per_simd}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_talks_vega() {
        let vega: Machine = "64x4x10".parse().unwrap();
        assert_eq!((vega.slots(), vega.simds(), vega.to_string()), (2560, 256, "64x4x10".to_owned()));
    }
}
