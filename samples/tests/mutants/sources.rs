//! Samples whose source is changed: copies in a package of their own, which uses the samples' library
//! and the same target folder, so that nothing but the copies is compiled after the first time.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, ensure};

use crate::support::replaced;

/// A changed sample.
pub struct Source<'m> {
    /// What it is called.
    pub name: String,
    pub sample: &'m str,
    /// Modules of the samples' library that the copy has as its own, so that they can be edited.
    pub own_modules: &'m [String],
    /// A file of the copy, a text that it holds exactly once, and what replaces it.
    pub edits: &'m [[String; 3]],
}

impl Source<'_> {
    /// The files of the copy, with their text.
    fn files(&self, samples: &Path) -> Result<BTreeMap<String, String>> {
        let folder = samples.join("src/bin").join(self.sample);
        let mut files = BTreeMap::new();
        for file in fs::read_dir(folder)? {
            let file = file?;
            files.insert(file.file_name().to_string_lossy().into_owned(), read(&file.path())?);
        }
        for module in self.own_modules {
            self.take(module, &mut files, &samples.join("src"))?;
        }
        for [file, old, new] in self.edits {
            let text = files.get_mut(file).with_context(|| format!("the copy has no {file}"))?;
            *text = replaced(text, old, new)?;
        }
        Ok(files)
    }

    /// Adds a module of the library. It imports what the copy has as its own from there, and all else from the library.
    fn take(&self, module: &str, files: &mut BTreeMap<String, String>, library: &Path) -> Result<()> {
        let is_own =
            |import: &str| self.own_modules.iter().any(|own| import.starts_with(&format!("{own}::")));
        for pattern in [format!("{module}.rs"), format!("{module}/*.rs")] {
            for path in glob::glob(&library.join(pattern).to_string_lossy())? {
                let path = path?;
                let text = read(&path)?;
                let lines = text.lines().map(|line| match line.strip_prefix("use crate::") {
                    Some(import) if !is_own(import) => format!("use samples::{import}\n"),
                    _ => format!("{line}\n"),
                });
                files.insert(path.strip_prefix(library)?.display().to_string(), lines.collect());
            }
        }
        for text in files.values_mut() {
            *text = text.replace(&format!("use samples::{module}::"), &format!("use crate::{module}::"));
        }
        let main = files.get_mut("main.rs").context("a sample has a main.rs")?;
        *main = replaced(
            main,
            "use std::process::ExitCode;",
            &format!("mod {module};\nuse std::process::ExitCode;"),
        )?;
        Ok(())
    }
}

/// Builds all of them, each under its name, and returns the folder of the binaries.
pub fn build(sources: &[Source<'_>]) -> Result<PathBuf> {
    let samples = Path::new(env!("CARGO_MANIFEST_DIR"));
    let package = Path::new(env!("CARGO_TARGET_TMPDIR")).join("mutants");
    let target = package.join("../..");
    write(&package.join("Cargo.toml"), &manifest(samples)?)?;
    write(&package.join("Cargo.lock"), &read(&samples.join("../Cargo.lock"))?)?;
    let programs = package.join("src/bin");
    // What an earlier list had would be built, too.
    for old in fs::read_dir(&programs).into_iter().flatten() {
        let old = old?;
        if !sources.iter().any(|source| old.file_name() == source.name.as_str()) {
            let remove = if old.file_type()?.is_dir() { fs::remove_dir_all } else { fs::remove_file };
            remove(old.path())?;
        }
    }
    for source in sources {
        let folder = programs.join(&source.name);
        let files = source.files(samples).with_context(|| source.name.clone())?;
        // A module that moved would be there twice.
        for old in glob::glob(&folder.join("**/*.*").to_string_lossy())? {
            let old = old?;
            if !files.keys().any(|file| folder.join(file) == old) {
                fs::remove_file(old)?;
            }
        }
        for (file, text) in &files {
            write(&folder.join(file), text)?;
        }
    }
    let mut cargo = Command::new(env!("CARGO"));
    // Nobody looks at them, and without a window they are built in less time.
    cargo.args(["build", "--offline", "--quiet", "--bins", "--no-default-features", "--features", "hooks"]);
    cargo.env("CARGO_TARGET_DIR", &target);
    // From the checkout, whose settings it takes wherever the target folder lies.
    cargo.arg("--manifest-path").arg(package.join("Cargo.toml"));
    let built = cargo.current_dir(samples).output().context("running cargo")?;
    ensure!(built.status.success(), "the mutants do not build: {}", String::from_utf8_lossy(&built.stderr));
    Ok(target.join("debug"))
}

/// The samples' own manifest and the workspace's, in one: no tests, and the libraries where they are.
fn manifest(samples: &Path) -> Result<String> {
    let root = read(&samples.join("../Cargo.toml"))?;
    let from = root.find("[workspace.package]").context("the workspace has a package section")?;
    let own = read(&samples.join("Cargo.toml"))?;
    let own = own.split("[dev-dependencies]").next().context("the samples have dependencies")?;
    let path = |name: &str| {
        let place = samples.join("..").join(name);
        format!("{name} = {{ path = \"{}\", default-features = false }}", place.display())
    };
    // All libraries of the workspace, so that each has the features that it has in the workspace and is built.
    let (_, shared) =
        root.split_once("[workspace.dependencies]").context("the workspace has dependencies")?;
    let (shared, _) = shared.split_once("\n[").context("something follows them")?;
    let names = shared.lines().filter_map(|line| line.split_once(" = ")).map(|(name, _)| name);
    let shared: Vec<_> = names
        .filter(|name| !own.contains(&format!("\n{name}.")) && !name.starts_with('#'))
        .map(|name| format!("{name}.workspace = true"))
        .collect();
    let libraries = format!("{}\n{}\n{}", path("common"), path("samples"), shared.join("\n"));
    let own = replaced(own, "common = { path = \"../common\", default-features = false }", &libraries)?;
    let package = "name = \"mutants\"\nautotests = false\nautolib = false\nbuild = false";
    let own = replaced(&own, "name = \"samples\"", package)?;
    let here = format!("path = \"{}/common/", samples.join("..").display());
    let shared = root[from..].replace("path = \"common/", &here);
    Ok(format!("[workspace]\nresolver = \"3\"\n\n{shared}\n{own}"))
}

fn read(path: &Path) -> Result<String> {
    fs::read_to_string(path).with_context(|| format!("reading {}", path.display()))
}

/// Only where it is new: cargo builds again what was written.
fn write(path: &Path, text: &str) -> Result<()> {
    if fs::read_to_string(path).is_ok_and(|old| old == text) {
        return Ok(());
    }
    if let Some(folder) = path.parent() {
        fs::create_dir_all(folder)?;
    }
    fs::write(path, text).with_context(|| format!("writing {}", path.display()))
}
