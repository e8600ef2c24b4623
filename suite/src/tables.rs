//! Tables and lists of text.

use std::collections::BTreeMap;

use comfy_table::{CellAlignment, ContentArrangement, LineStyle, Table, TableStyle};
use report::Charset;

/// A table with a rule above, below and behind its heads, a line each. Its first two columns are aligned to the left,
/// the others to the right; `gap` spaces lie between them.
pub fn drawn(
    charset: Charset,
    gap: u16,
    heads: &[String],
    rows: impl Iterator<Item = Vec<String>>,
) -> String {
    let rule = charset.fit("─").chars().next().unwrap_or('-');
    let rule = LineStyle::none().fill(rule).junction(rule);
    let fitted =
        |cells: &[String]| cells.iter().map(|cell| charset.fit(cell).into_owned()).collect::<Vec<_>>();
    let mut table = Table::new();
    table
        .load_style(TableStyle::new().top_border(rule).header_separator(rule).bottom_border(rule))
        .set_content_arrangement(ContentArrangement::Disabled)
        .set_header(fitted(heads));
    for row in rows {
        table.add_row(fitted(&row));
    }
    for at in 0..heads.len() {
        if let Some(column) = table.column_mut(at) {
            column.set_padding((0, if at + 1 == heads.len() { 0 } else { gap }));
            column.set_cell_alignment(if at < 2 { CellAlignment::Left } else { CellAlignment::Right });
        }
    }
    table.lines().map(|line| line.trim_end().to_owned() + "\n").collect()
}

/// `passes 8, size 64x64`: the arguments of a sample as they were used.
pub fn listed(configuration: &BTreeMap<String, String>) -> String {
    configuration.iter().map(|(name, value)| format!("{name} {value}")).collect::<Vec<_>>().join(", ")
}
