//! The talk's table of wave limits beside the times here: the half that is not pipelined. The rows themselves show the
//! pipelined half.

use common::record::published;
use common::{Figures, Time};

/// Forms and limits of the table, waves per SIMD.
const FORMS: [&str; 4] = ["linear_8x8", "unroll_2", "unroll_4", "unroll_8"];
const WAVES: [u32; 4] = [3, 4, 5, 6];

/// A line per form with its times relative to the first limit measured both here and in the talk; empty without limits.
pub fn alone(figures: &Figures<'_>) -> String {
    let both = |form: &str, waves: u32| {
        let name = format!("{form}_w{waves}");
        let clocks = published::find("lottes2018", &format!("wave_limit/{name}/isolated")).ok()?.value;
        Some([figures.us(Time::Isolated, &name)?, clocks])
    };
    let mut times = FORMS.iter().flat_map(|form| WAVES.map(|waves| (form, waves)));
    let Some((first, waves, divisors)) =
        times.find_map(|(form, waves)| Some((form, waves, both(form, waves)?)))
    else {
        return String::new();
    };
    let lines = FORMS.iter().filter_map(|form| {
        let ratios = WAVES.into_iter().filter_map(|waves| {
            let [here, talk] = both(form, waves)?;
            Some(format!("w{waves} {:.2} ({:.2})", here / divisors[0], talk / divisors[1]))
        });
        let ratios: Vec<_> = ratios.collect();
        (!ratios.is_empty()).then(|| format!("\n{form}: {}.", ratios.join(", ")))
    });
    format!(
        "\nAlone, with the subgroups limited, over {first}_w{waves}; in brackets the talk's on an RX 580:{}",
        lines.collect::<String>()
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use common::record::Row;
    use common::record::stats::Summary;

    #[test]
    fn times_are_set_beside_the_talks() {
        let row = |variant: &str, us| Row {
            variant: variant.into(),
            isolated_us: Summary::of(&[us]),
            ..Row::default()
        };
        assert_eq!(alone(&Figures::new(&[row("linear_8x8", 2.0)])), "");
        // Of unroll_8 the talk has no figure for six waves.
        let rows = [row("linear_8x8_w4", 50.0), row("linear_8x8_w6", 40.0), row("unroll_8_w6", 30.0)];
        let told = alone(&Figures::new(&rows));
        assert!(told.ends_with("\nlinear_8x8: w4 1.00 (1.00), w6 0.80 (0.98)."), "{told}");
    }
}
