//! How many digits of a number are written.

/// Four significant digits; whole numbers from a thousand on.
#[must_use]
pub fn significant(value: f64) -> String {
    let decimals = decimals(value, 4);
    if value == 0.0 { "0".into() } else { format!("{value:.decimals$}") }
}

/// Decimals that show `digits` significant digits of `value`; none where it has as many before the
/// point.
#[must_use]
pub fn decimals(value: f64, digits: usize) -> usize {
    let scientific = format!("{value:.*e}", digits - 1);
    // The exponent is read after rounding, so that 9.9999 becomes 10.00 and not 10.000.
    let exponent = scientific.split_once('e').and_then(|(_, e)| e.parse::<isize>().ok()).unwrap_or(0);
    (digits - 1).saturating_add_signed(-exponent)
}
