//! Shortens lists of variants: a text that applies to several is written once, and whole rows or columns of cross
//! tables are named by their heading.

use record::{Cell, Record, Row, Status};

/// Values grouped by key, in the order in which the keys first occur.
pub fn grouped<K: PartialEq, V>(pairs: impl IntoIterator<Item = (K, V)>) -> Vec<(K, Vec<V>)> {
    let mut groups: Vec<(K, Vec<V>)> = Vec::new();
    for (key, value) in pairs {
        match groups.iter_mut().find(|(known, _)| *known == key) {
            Some((_, values)) => values.push(value),
            None => groups.push((key, vec![value])),
        }
    }
    groups
}

/// The distinct values, in the order of their first occurrence.
pub fn distinct<T: PartialEq>(names: impl IntoIterator<Item = T>) -> Vec<T> {
    grouped(names.into_iter().map(|name| (name, ()))).into_iter().map(|(name, _)| name).collect()
}

/// The labels of `variants`, which are ids of rows of `record`. If the record is shown as cross tables, a column or row
/// whose variants are all listed is named by its heading.
pub(super) fn of(record: &Record, variants: &[String]) -> String {
    let mut left: Vec<&Row> = record.rows.iter().filter(|row| variants.contains(&row.variant)).collect();
    let mut names = Vec::new();
    if record.matrix.is_none() {
        return left.iter().map(|row| row.label()).collect::<Vec<_>>().join("; ");
    }
    let heads: [fn(&Cell) -> &str; 2] = [|cell| &cell.column, |cell| &cell.row];
    for head in heads {
        take_whole(record, &mut left, &mut names, |cell| head(cell).to_owned());
    }
    for head in heads {
        take_whole(record, &mut left, &mut names, |cell| format!("{} ({})", head(cell), cell.table));
    }
    names.extend(left.iter().map(|row| row.label().to_owned()));
    names.join("; ")
}

/// Moves every group (variants with the same `key`) that is complete in `left` to `names`.
fn take_whole(record: &Record, left: &mut Vec<&Row>, names: &mut Vec<String>, key: impl Fn(&Cell) -> String) {
    let key_of = |row: &Row| row.cell.as_ref().map(&key);
    let mut keys: Vec<String> = left.iter().filter_map(|row| key_of(row)).collect();
    keys.dedup();
    for key in keys {
        let in_group = |row: &&Row| key_of(row).as_deref() == Some(&key);
        // What did not run may be named elsewhere: its reason is another.
        let ran = |row: &&Row| !matches!(row.status, Status::Skipped { .. } | Status::Unsupported { .. });
        let counts =
            |row: &&Row| in_group(row) && (ran(row) || left.iter().any(|l| l.variant == row.variant));
        let all = record.rows.iter().filter(counts).count();
        // A group of one variant keeps the variant's name.
        if all > 1 && left.iter().copied().filter(|row| in_group(row)).count() == all {
            left.retain(|row| !in_group(row));
            names.push(key);
        }
    }
}

#[cfg(test)]
mod tests {
    use record::fixture;

    use super::*;

    #[test]
    fn whole_columns_and_rows_stand_for_their_variants() {
        let record = fixture::races();
        let of_column = |column: &str| -> Vec<String> {
            let rows = record.rows.iter().filter(|row| row.cell.as_ref().is_some_and(|c| c.column == column));
            rows.map(|row| row.variant.clone()).collect()
        };
        let whole = of_column("no_barrier");
        assert!(whole.len() > 3);
        assert_eq!(of(&record, &whole), "no_barrier");
        assert_eq!(
            of(&record, &whole[..1]),
            record.rows.iter().find(|row| row.variant == whole[0]).unwrap().label()
        );
        // Variants that did not run have another reason.
        let mut skipped = record.clone();
        let reason = String::new();
        let at = skipped.rows.iter().position(|row| row.variant == whole[0]).unwrap();
        skipped.rows[at].status = Status::Skipped { reason };
        assert_eq!(of(&skipped, &whole[1..]), "no_barrier");
        assert_eq!(of(&skipped, &whole[..1]), skipped.rows[at].label());
        assert_eq!(of(&fixture::record(), &["events".into(), "no_barrier".into()]), "events; no barrier");
    }
}
