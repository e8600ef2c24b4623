//! From the maps of a run to its picture.

use anyhow::Result;
use record::{RaceMap, Record, Row, Shows};

use super::picture::{Panel, picture};

/// The picture of where texels differed, as PNG: sizes side by side where the sample's cross tables
/// have them, else one panel below the other.
///
/// # Errors
/// Nothing to draw.
pub fn picture_of(record: &Record, maps: &[RaceMap]) -> Result<Vec<u8>> {
    let row = |variant: &str| record.rows.iter().find(|row| row.variant == variant);
    let panels: Vec<Panel> = maps.iter().map(|map| panel(record, row(&map.variant), map)).collect();
    let device = &record.device;
    let title = format!("{}: where texels differed from the CPU reference's", record.sample);
    let subtitle = format!("{}, {} {}", device.name, device.driver_name, device.driver_info);
    picture(&title, &subtitle, &panels)
}

fn panel(record: &Record, row: Option<&Row>, map: &RaceMap) -> Panel {
    let size = format!("{}x{}", map.size[0], map.size[1]);
    let races = record.matrix.as_ref().is_some_and(|matrix| matrix.shows == Shows::Races);
    let place = row.and_then(|row| row.cell.as_ref()).filter(|_| races);
    let (row, column) = match place {
        Some(cell) => (format!("{}, {}", cell.column, cell.table.to_lowercase()), cell.row.clone()),
        None => (map.variant.clone(), size),
    };
    Panel { row, column, size: map.size, bins: map.bins, counts: map.counts.clone(), trials: map.trials }
}
