//! Addresses of files relative to a page.

use std::fmt::Write;
use std::path::{Component, Path, PathBuf};

/// The address of `to` in a page in `folder`.
pub fn link(folder: &Path, to: &Path) -> String {
    let whole =
        |path: &Path| path.canonicalize().or_else(|_| std::path::absolute(path)).unwrap_or(path.to_owned());
    let (folder, to) =
        (whole(if folder.as_os_str().is_empty() { Path::new(".") } else { folder }), whole(to));
    let shared = folder.components().zip(to.components()).take_while(|(a, b)| a == b).count();
    let mut relative: PathBuf = folder.components().skip(shared).map(|_| Component::ParentDir).collect();
    relative.extend(to.components().skip(shared));
    // Without `./`, a name with a colon would be read as a scheme.
    let mut address = "./".to_owned();
    for byte in relative.to_string_lossy().bytes() {
        if byte.is_ascii_alphanumeric() || b"-._~/".contains(&byte) {
            address.push(char::from(byte));
        } else {
            // Writing to a string cannot fail.
            let _ = write!(address, "%{byte:02X}");
        }
    }
    address
}

/// Like [`link`]; `None` if `to` is not below `folder`, since an address with the names of other folders would tell of
/// this machine and hold nowhere else.
pub fn below(folder: &Path, to: &Path) -> Option<String> {
    Some(link(folder, to)).filter(|address| !address.starts_with("./../"))
}

/// The file with its folder, for a file without an address.
pub fn shown(path: &Path) -> String {
    let names: Vec<Component<'_>> = path.components().collect();
    names[names.len().saturating_sub(2)..].iter().collect::<PathBuf>().display().to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn from_folder_to_file() {
        let at = |folder: &str, to: &str| link(Path::new(folder), Path::new(to));
        assert_eq!(at("/x-a/b", "/x-a/b/c/d.svg"), "./c/d.svg");
        assert_eq!(at("/x-a/b", "/x-a/c.svg"), "./../c.svg");
        assert_eq!(at("/x-a", "/x-a/javascript:alert(1) \"é"), "./javascript%3Aalert%281%29%20%22%C3%A9");
    }
    #[test]
    fn a_file_elsewhere_has_no_address() {
        let at = |to: &str| below(Path::new("/x-a/b"), Path::new(to));
        assert_eq!([at("/x-a/b/c/d"), at("/x-a/c")], [Some("./c/d".to_owned()), None]);
        assert_eq!(shown(Path::new("/x-a/run/record.json")), "run/record.json");
        assert_eq!(shown(Path::new("record.json")), "record.json");
    }
}
