//! What a reader sees of a [`Record`](crate::record::Record): the table of the terminal, JSON, raw
//! rows, and the folder of a run that is kept.

mod below;
mod cell;
mod charset;
mod code;
mod code_diff;
mod code_pairs;
mod conditions;
mod cross;
mod csv;
mod destination;
mod figure;
#[cfg(test)]
pub(crate) mod fixture;
mod folder;
mod json;
mod layout;
mod listing;
mod names;
mod painting;
mod panels;
mod parts;
mod picture;
mod ratio;
mod recipe;
mod share;
mod shell;
mod so_far;
mod step;
mod store;
mod sweep;
mod table;
pub(crate) mod timeline;
mod traced;
mod verdict;
pub mod words;

pub use below::wrapped;
pub use charset::Charset;
pub(crate) use code::code;
pub(crate) use code_diff::code_diff;
pub(crate) use code_pairs::code_pairs;
pub use csv::csv;
pub use destination::Destination;
pub(crate) use figure::significant;
pub use folder::Folder;
#[cfg(test)]
pub(crate) use json::read_shape;
pub use json::{json, read_json};
pub use listing::{Listed, Runs, listing};
pub use painting::{Painting, painted};
pub use panels::picture_of;
pub use picture::{Panel, picture};
pub use recipe::recipe;
pub use shell::quote;
pub(crate) use so_far::keep_so_far;
pub use store::{SAMPLES, read_record};
pub use sweep::sweep;
pub use table::{table, table_in};
pub(crate) use timeline::nothing_traced;
pub use timeline::{Lane, Theme, timeline_events, timeline_png, timeline_svg};
pub use traced::traced;
