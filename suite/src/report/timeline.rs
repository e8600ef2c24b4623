//! The timeline that lies beside a record of traced waves.

use std::fs;
use std::path::PathBuf;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;

use super::records::Entry;

/// A timeline on disk.
#[derive(Clone, Debug)]
pub struct Timeline {
    /// Where.
    pub path: PathBuf,
    /// As the address of an image, in which nothing can run; or why it is not shown.
    pub address: Result<String, String>,
}

/// Larger files are none that the suite has written, and no page would hold one.
const MOST: u64 = 1 << 20;

/// `waves.svg` in the folder of the run, or the folder's name with `.svg` beside it, where the record has
/// traces.
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
