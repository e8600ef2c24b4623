//! Many variants in few words: once for all that share something, and by the heads of the cross tables where whole
//! rows or columns are meant.

use record::{Cell, Record, Row};

/// What shares a key, in the order in which the keys came up.
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

/// Each once, in the order of their first appearance.
pub fn distinct<T: PartialEq>(names: impl IntoIterator<Item = T>) -> Vec<T> {
    grouped(names.into_iter().map(|name| (name, ()))).into_iter().map(|(name, _)| name).collect()
}

/// The names of `variants`, which are rows of `record`; where cross tables are shown, a column or row
/// of which all are meant stands for them.
pub(super) fn of(record: &Record, variants: &[String]) -> String {
    if record.matrix.is_none() {
        return variants.join(", ");
    }
    let mut left: Vec<&Row> = record.rows.iter().filter(|row| variants.contains(&row.variant)).collect();
    let mut names = Vec::new();
    let heads: [fn(&Cell) -> &str; 2] = [|cell| &cell.column, |cell| &cell.row];
    for head in heads {
        take_whole(record, &mut left, &mut names, |cell| head(cell).to_owned());
    }
    for head in heads {
        take_whole(record, &mut left, &mut names, |cell| format!("{} ({})", head(cell), cell.table));
    }
    names.extend(left.iter().map(|row| row.variant.clone()));
    names.join(", ")
}

/// Moves the variants of each group (by `key`) that is there as a whole from `left` to `names`.
fn take_whole(record: &Record, left: &mut Vec<&Row>, names: &mut Vec<String>, key: impl Fn(&Cell) -> String) {
    let key_of = |row: &Row| row.cell.as_ref().map(&key);
    let mut keys: Vec<String> = left.iter().filter_map(|row| key_of(row)).collect();
    keys.dedup();
    for key in keys {
        let in_group = |row: &&Row| key_of(row).as_deref() == Some(&key);
        let all = record.rows.iter().filter(in_group).count();
        // One variant is named by its own name.
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
        assert_eq!(of(&record, &whole[..1]), whole[0]);
        assert_eq!(of(&fixture::record(), &["a".into(), "b".into()]), "a, b");
    }
}
