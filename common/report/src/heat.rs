//! Heat maps of trials: how often each cell of the cross tables was wrong, in words and colours that pages and the
//! window share.

use record::{Cell, Promise, Racy, Row, Status};

use super::cross::none_seen;
use super::names::distinct;
use super::scene::Rgb;

/// What the two colours stand for: that of a variant that is to be correct, and that of one that is wrong on purpose.
pub const LEGEND: [&str; 2] = [
    "% of the trials in which a pixel was wrong",
    "(in parentheses) the same of a variant that is wrong on purpose",
];

/// One cell.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct HeatCell {
    /// From 0 to 1; `None` where there is no figure.
    pub share: Option<f64>,
    /// Whether it is of a variant that is wrong on purpose.
    pub on_purpose: bool,
}

impl HeatCell {
    /// The cell of a row.
    #[must_use]
    pub fn of(row: &Row) -> Self {
        let counted = row.racy.filter(|racy| row.status == Status::Ok && racy.samples > 0);
        Self { share: counted.map(wrong_share), on_purpose: is_wrong_on_purpose(&row.promise) }
    }

    /// In per cent. Only none and all are 0 and 100.
    #[must_use]
    pub fn figure(&self) -> String {
        let figure = match self.share {
            None => "–".to_owned(),
            Some(share) if share > 0.0 && share < 0.01 => "<1".to_owned(),
            Some(share) if share > 0.99 && share < 1.0 => ">99".to_owned(),
            Some(share) => format!("{:.0}", share * 100.0),
        };
        if self.on_purpose { format!("({figure})") } else { figure }
    }

    /// How much of the paper the colour covers, from 0 to 1: nothing where no trial was wrong.
    #[must_use]
    pub fn cover(&self) -> f64 {
        self.share.filter(|share| *share > 0.0).map_or(0.0, |share| 0.15 + 0.55 * share.min(1.0))
    }
}

/// The colour of cells on light or dark paper, from the palette of Okabe and Ito; grey if they are wrong on purpose.
#[must_use]
pub fn colour(on_purpose: bool, is_dark: bool) -> Rgb {
    match (on_purpose, is_dark) {
        (false, false) => [213, 94, 0],
        (false, true) => [240, 120, 42],
        (true, false) => [119; 3],
        (true, true) => [154; 3],
    }
}

/// Whether a variant leaves something out or has a seeded bug.
#[must_use]
pub fn is_wrong_on_purpose(promise: &Promise) -> bool {
    matches!(promise, Promise::Nothing { .. } | Promise::Fault { .. })
}

/// The share of the trials in which a pixel was wrong.
#[must_use]
#[expect(clippy::cast_precision_loss, reason = "counts of trials fit 52 bits")]
pub fn wrong_share(racy: Racy) -> f64 {
    racy.racy_samples as f64 / racy.samples.max(1) as f64
}

/// `wrong in 12 of 40 trials`; where none was wrong, with the share that may still be.
#[must_use]
pub fn trials(Racy { samples, racy_samples, .. }: Racy) -> String {
    match racy_samples {
        0 => none_seen(samples).replace('\n', " "),
        _ => format!("wrong in {racy_samples} of {samples} trials"),
    }
}

/// One of several cross tables with the same columns.
#[derive(Clone, Debug)]
pub struct CrossTable<'c, T> {
    /// The line above it.
    pub title: &'c str,
    /// Its rows: a head, and an item per column.
    pub rows: Vec<(&'c str, Vec<Option<T>>)>,
}

/// The heads of the columns, and the tables that hold the items at the positions that their cells name.
pub fn cross_tables<'c, T: Copy>(items: &[(&'c Cell, T)]) -> (Vec<&'c str>, Vec<CrossTable<'c, T>>) {
    let columns = distinct(items.iter().map(|(cell, _)| cell.column.as_str()));
    let table = |title: &'c str| {
        let within: Vec<_> = items.iter().filter(|(cell, _)| cell.table == title).collect();
        let at = |head: &str, column: &str| {
            let found = within.iter().find(|(cell, _)| cell.row == head && cell.column == column);
            found.map(|(_, item)| *item)
        };
        let heads = distinct(within.iter().map(|(cell, _)| cell.row.as_str()));
        let row = |head: &'c str| (head, columns.iter().map(|column| at(head, column)).collect());
        CrossTable { title, rows: heads.into_iter().map(row).collect() }
    };
    let titles = distinct(items.iter().map(|(cell, _)| cell.table.as_str()));
    let tables = titles.into_iter().map(table).collect();
    (columns, tables)
}

#[cfg(test)]
mod tests {
    use record::fixture;

    use super::*;

    #[test]
    fn a_figure_is_0_or_100_only_where_none_or_all_were_wrong() {
        let of = |share| HeatCell { share: Some(share), on_purpose: false }.figure();
        assert_eq!([0.0, 0.001, 0.5, 0.995, 1.0].map(of), ["0", "<1", "50", ">99", "100"]);
        assert_eq!(HeatCell { share: Some(1.0), on_purpose: true }.figure(), "(100)");
    }

    #[test]
    fn each_row_of_a_record_is_in_its_table() {
        let record = fixture::races();
        let cells: Vec<_> =
            record.rows.iter().map(|row| (row.cell.as_ref().unwrap(), HeatCell::of(row))).collect();
        let (columns, tables) = cross_tables(&cells);
        assert_eq!(columns, ["no_barrier", "coherent_stores", "full_barrier", "seeded_fault"]);
        let titles: Vec<_> = tables.iter().map(|table| table.title).collect();
        assert_eq!(titles, ["Two images in turn", "One image per pass"]);
        let figures = |table: usize, row: usize| {
            let (head, cells) = &tables[table].rows[row];
            (*head, cells.iter().map(|cell| cell.unwrap().figure()).collect::<Vec<_>>().join(" "))
        };
        assert_eq!(figures(0, 1), ("512x512", "(100) 100 0 (100)".into()));
        assert_eq!(figures(1, 2), ("4096x4096", "(0) 0 0 (100)".into()));
        // Without the first cell its column is the last that occurs.
        let (columns, tables) = cross_tables(&cells[1..]);
        assert_eq!((columns[3], tables[0].rows[0].1[3]), ("no_barrier", None));
    }

    #[test]
    fn none_seen_is_no_proof() {
        let racy = |samples, racy_samples| {
            let racy = fixture::races().rows[0].racy.unwrap();
            trials(Racy { samples, racy_samples, ..racy })
        };
        assert_eq!(racy(40, 12), "wrong in 12 of 40 trials");
        assert_eq!(racy(200, 0), "none seen in 200 trials (<\u{a0}1.5\u{a0}%)");
        assert_eq!(racy(1, 0), "none seen in 1 trial (<\u{a0}95\u{a0}%)");
    }
}
