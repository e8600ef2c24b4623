//! Chooses the number of digits of a printed number.

/// Four significant digits; from a thousand on, whole numbers.
#[must_use]
pub fn significant(value: f64) -> String {
    let decimals = decimals(value, 4);
    if value == 0.0 { "0".into() } else { format!("{value:.decimals$}") }
}

/// The number of decimals that shows `digits` significant digits of `value`; 0 if the integer part already has as
/// many.
#[must_use]
pub fn decimals(value: f64, digits: usize) -> usize {
    let scientific = format!("{value:.*e}", digits - 1);
    // The exponent is taken after rounding, so that 9.9999 becomes 10.00 and not 10.000.
    let exponent = scientific.split_once('e').and_then(|(_, e)| e.parse::<isize>().ok()).unwrap_or(0);
    (digits - 1).saturating_add_signed(-exponent)
}
