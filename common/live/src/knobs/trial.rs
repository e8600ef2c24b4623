//! Finds out by trial which values an argument takes, because clap does not expose a value parser's range.

use clap::{Arg, ArgAction, Command};

use super::Kind;

/// Whole numbers to try in addition to powers of two, so that some fall inside every range that deserves a slider.
/// A range may begin at 3 or end at 100.
const BETWEEN: [u32; 8] = [0, 3, 5, 6, 10, 100, 1000, u32::MAX];

/// Returns the kind of value that `argument` takes. Tries a few hundred values at most.
#[must_use]
pub fn kind_of(argument: &Arg) -> Kind {
    if !argument.get_action().takes_values() {
        return Kind::Flag;
    }
    let choices: Vec<_> = argument.get_possible_values().iter().map(|v| v.get_name().to_owned()).collect();
    if !choices.is_empty() {
        return Kind::Choice(choices);
    }
    let mut trial = Trial::of(argument);
    match ["x", "8", "8x8", "8x8x2"].map(|text| trial.takes(text)) {
        [true, ..] => Kind::Text,
        [_, true, true, false] => Kind::Size,
        [_, false, true, true] => Kind::Workgroup,
        [_, _, false, false] => trial.number(argument).unwrap_or(Kind::Text),
        _ => Kind::Text,
    }
}

/// A command line with this one argument.
struct Trial {
    command: Command,
}

impl Trial {
    /// Keeps only the value parser, so that requirements and conflicts of the argument do not matter.
    fn of(argument: &Arg) -> Self {
        let parser = argument.get_value_parser().clone();
        let only = Arg::new("value").long("value").action(ArgAction::Set).value_parser(parser);
        let command = Command::new("trial").no_binary_name(true).disable_help_flag(true);
        Self { command: command.arg(only.allow_hyphen_values(true)) }
    }

    fn takes(&mut self, text: &str) -> bool {
        self.command.try_get_matches_from_mut([format!("--value={text}")]).is_ok()
    }

    fn takes_whole(&mut self, number: u32) -> bool {
        self.takes(&number.to_string())
    }

    fn number(&mut self, argument: &Arg) -> Option<Kind> {
        let given = argument.get_default_values().iter().filter_map(|value| value.to_str()?.parse().ok());
        let mut taken: Vec<u32> = (0..32).map(|power| 1 << power).chain(BETWEEN).chain(given).collect();
        taken.sort_unstable();
        taken.dedup();
        taken.retain(|probe| self.takes_whole(*probe));
        let (&low, &high) = (taken.first()?, taken.last()?);
        if self.takes(&format!("{}.25", low.saturating_sub(1))) || self.takes(&format!("{low}.25")) {
            return Some(self.fractions(f64::from(low), f64::from(high)));
        }
        if high > low + 1 && !self.takes_whole(low + 1) && !self.takes_whole(high - 1) {
            // There are gaps between accepted values: powers of two, for example.
            return Some(Kind::Choice(taken.iter().map(ToString::to_string).collect()));
        }
        let min = self.edge(low, low / 2);
        let max = self.edge(high, high.saturating_mul(2));
        Some(Kind::Number { min: f64::from(min), max: f64::from(max), whole: true })
    }

    /// Bisects for the last accepted number between `taken`, which is accepted, and `refused`, which may not be.
    fn edge(&mut self, mut taken: u32, mut refused: u32) -> u32 {
        if self.takes_whole(refused) {
            return refused;
        }
        while taken.abs_diff(refused) > 1 {
            let middle = taken.midpoint(refused);
            if self.takes_whole(middle) { taken = middle } else { refused = middle }
        }
        taken
    }

    /// Rounds the ends of a fractional range: below, to powers of ten and half and a quarter of them; above, to
    /// quarter steps of `high`.
    fn fractions(&mut self, low: f64, high: f64) -> Kind {
        let tens = (0..7).map(|power| 10_f64.powi(-power));
        let mut below: Vec<f64> = tens.flat_map(|ten| [ten, 0.5 * ten, 0.25 * ten]).collect();
        below.push(0.0);
        let min =
            below.into_iter().filter(|end| *end < low && self.takes(&end.to_string())).fold(low, f64::min);
        let high = (0..7).map(|step| high * (1.0 + 0.25 * f64::from(step)));
        let max = high.filter(|end| self.takes(&end.to_string())).fold(low, f64::max);
        Kind::Number { min, max, whole: false }
    }
}
