//! Shader sources. Inside a checkout they are read from `shaders/`, so that an edited shader takes effect without a
//! build; otherwise they come from the binary, so that a copied binary still runs.

use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};
use include_dir::{Dir, include_dir};

/// How names of shaders end: compute, fragment and vertex shaders.
const STAGES: [&str; 3] = [".comp", ".frag", ".vert"];

static EMBEDDED: Dir<'_> = include_dir!("$CARGO_MANIFEST_DIR/../../shaders");

/// A shader with all of its includes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Source {
    /// Path under `shaders/`.
    pub name: String,
    /// Its text.
    pub text: String,
    /// Path under `shaders/` and text of each direct or indirect include, in the order of first use.
    pub includes: Vec<(String, String)>,
}

impl Source {
    /// Path of the file under `shaders/`, without the suffix that `name` has for a wrapped shader.
    #[must_use]
    pub fn file(&self) -> &str {
        self.name.split(' ').next().unwrap_or_default()
    }

    /// Whether it is a fragment shader.
    #[must_use]
    pub fn is_fragment(&self) -> bool {
        self.file().ends_with(STAGES[1])
    }

    /// Whether it is a vertex shader.
    #[must_use]
    pub fn is_vertex(&self) -> bool {
        self.file().ends_with(STAGES[2])
    }
}

/// The place that sources are read from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Library {
    /// The sources embedded in the binary.
    Embedded,
    /// The `shaders` folder of a checkout.
    Checkout(PathBuf),
}

impl Library {
    /// The checkout that contains the working directory or the executable, else the embedded sources.
    #[must_use]
    pub fn find() -> Self {
        let starts = [std::env::current_dir().ok(), std::env::current_exe().ok()];
        starts
            .iter()
            .flatten()
            .flat_map(|start| start.ancestors())
            .find(|dir| is_checkout(dir))
            .map_or(Self::Embedded, |dir| Self::Checkout(dir.join("shaders")))
    }

    /// Reads a shader and its includes.
    ///
    /// # Errors
    /// A file that does not exist or cannot be read.
    pub fn load(&self, name: &str) -> Result<Source> {
        self.with_includes(name, self.read(name)?)
    }

    /// A shader of this text, with its includes.
    ///
    /// # Errors
    /// An include that does not exist or cannot be read.
    pub fn with_includes(&self, name: &str, text: String) -> Result<Source> {
        let mut includes = Vec::new();
        self.gather(&text, name, &mut includes)?;
        Ok(Source { name: name.to_owned(), text, includes })
    }

    /// The embedded pack of a shader.
    pub fn packed(shader: &str) -> Option<&'static [u8]> {
        EMBEDDED.get_file(format!("{shader}.pack")).map(include_dir::File::contents)
    }

    /// Names of all shaders under `shaders/`.
    ///
    /// # Errors
    /// A folder cannot be read.
    pub fn shaders(&self) -> Result<Vec<String>> {
        let mut names = Vec::new();
        match self {
            Self::Embedded => embedded_files(&EMBEDDED, &mut names),
            Self::Checkout(root) => files_below(root, root, &mut names)?,
        }
        names.retain(|name| STAGES.iter().any(|stage| name.ends_with(stage)));
        names.sort();
        Ok(names)
    }

    fn gather(&self, text: &str, parent: &str, includes: &mut Vec<(String, String)>) -> Result<()> {
        for name in text.lines().filter_map(included) {
            if includes.iter().any(|(known, _)| known == name) {
                continue;
            }
            let file = self.read(name).with_context(|| format!("included by {parent}"))?;
            includes.push((name.to_owned(), file.clone()));
            self.gather(&file, name, includes)?;
        }
        Ok(())
    }

    fn read(&self, name: &str) -> Result<String> {
        match self {
            Self::Embedded => match EMBEDDED.get_file(name).and_then(|f| f.contents_utf8()) {
                Some(text) => Ok(text.to_owned()),
                None => bail!("shader {name} is not in this binary"),
            },
            Self::Checkout(root) => {
                let path = root.join(name);
                std::fs::read_to_string(&path).with_context(|| format!("reading {}", path.display()))
            }
        }
    }
}

/// Whether the folder is a checkout of Hot Lap, not another project with a `shaders` folder.
fn is_checkout(dir: &Path) -> bool {
    dir.join("shaders/lab/compare.comp").is_file() && dir.join("common/vulkan/src/source.rs").is_file()
}

/// The path under `shaders/` of an `#include "…"` line.
fn included(line: &str) -> Option<&str> {
    line.trim_start().strip_prefix("#include")?.trim().strip_prefix('"')?.split('"').next()
}

fn embedded_files(dir: &Dir<'_>, names: &mut Vec<String>) {
    names.extend(dir.files().map(|f| f.path().to_string_lossy().replace('\\', "/")));
    for sub in dir.dirs() {
        embedded_files(sub, names);
    }
}

fn files_below(dir: &Path, root: &Path, names: &mut Vec<String>) -> Result<()> {
    for entry in std::fs::read_dir(dir).with_context(|| format!("reading {}", dir.display()))? {
        let path = entry?.path();
        if path.is_dir() {
            files_below(&path, root, names)?;
        } else if let Ok(below) = path.strip_prefix(root) {
            names.push(below.to_string_lossy().replace('\\', "/"));
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_binary_holds_what_the_checkout_holds() {
        let checkout = Library::Checkout(Path::new(env!("CARGO_MANIFEST_DIR")).join("../../shaders"));
        let names = checkout.shaders().unwrap();
        assert_eq!(names, Library::Embedded.shaders().unwrap());
        assert!(names.contains(&"chain/step.comp".to_owned()), "{names:?}");
        for name in &names {
            assert_eq!(checkout.load(name).unwrap(), Library::Embedded.load(name).unwrap());
        }
    }

    #[test]
    fn includes_are_found_once_and_missing_ones_named() {
        let dir = tempfile::tempdir().unwrap();
        let write = |name: &str, text: &str| {
            let path = dir.path().join(name);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(path, text).unwrap();
        };
        write("a/k.comp", "#include \"a/x.glsl\"\n  #include \"include/y.glsl\"\n");
        write("a/x.glsl", "#include \"include/y.glsl\"\n");
        write("include/y.glsl", "#include \"a/x.glsl\"\n");
        write("a/bad.comp", "#include \"a/gone.glsl\"\n");
        let library = Library::Checkout(dir.path().to_owned());
        let source = library.load("a/k.comp").unwrap();
        let names: Vec<&str> = source.includes.iter().map(|(n, _)| n.as_str()).collect();
        assert_eq!(names, ["a/x.glsl", "include/y.glsl"]);
        let error = format!("{:#}", library.load("a/bad.comp").unwrap_err());
        assert!(error.contains("included by a/bad.comp") && error.contains("a/gone.glsl"), "{error}");
    }
}
