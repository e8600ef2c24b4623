//! Which samples there are: part of the build scripts of `samples` and `suite`.

/// The folders in `folder`, in alphabetical order.
pub fn names(folder: &str) -> Vec<String> {
    let Ok(folder) = std::fs::read_dir(folder) else { return Vec::new() };
    let mut names: Vec<String> =
        folder.filter_map(|entry| entry.ok()?.file_name().into_string().ok()).collect();
    names.sort();
    names
}
