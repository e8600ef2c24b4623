//! Finds and reads the timeline that belongs to a record with traces.

use std::fs;
use std::path::PathBuf;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;

use super::records::Entry;

/// A timeline on disk.
#[derive(Clone, Debug)]
pub struct Timeline {
    /// Its path.
    pub path: PathBuf,
    /// The address of the timeline as an image, which cannot run scripts, or why it is not shown.
    pub address: Result<String, String>,
}

/// Largest file in bytes. The suite writes no larger timelines, and a page has no room for them.
const MOST: u64 = 1 << 20;

/// The timeline of a record with traces: `waves.svg` in the folder of the run, or a file next to that folder with
/// its name and `.svg`.
pub fn find(entry: &Entry) -> Option<Timeline> {
    if entry.record().rows.iter().all(|row| row.trace.is_none()) {
        return None;
    }
    let folder = entry.folder();
    let beside = folder.file_name().map(|name| {
        let mut name = name.to_owned();
        name.push(".svg");
        folder.with_file_name(name)
    });
    let path = [Some(folder.join("waves.svg")), beside].into_iter().flatten().find(|path| path.is_file())?;
    let address = read(&path).map(|svg| format!("data:image/svg+xml;base64,{}", STANDARD.encode(svg)));
    Some(Timeline { path, address })
}

fn read(path: &std::path::Path) -> Result<String, String> {
    let size = fs::metadata(path).map_err(|error| error.to_string())?.len();
    if size > MOST {
        return Err(format!("it has {} KiB", size / 1024));
    }
    let text = fs::read_to_string(path).map_err(|error| error.to_string())?;
    if resvg::usvg::roxmltree::Document::parse(&text)
        .is_ok_and(|svg| svg.root_element().has_tag_name(("http://www.w3.org/2000/svg", "svg")))
    {
        Ok(text)
    } else {
        Err("it is no SVG".into())
    }
}
