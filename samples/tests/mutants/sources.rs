//! Samples whose source is changed: copies in a package of their own, which uses the samples' library
//! and the same target folder, so that nothing but the copies is compiled after the first time.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, ensure};

/// Texts to replace, each of which must occur exactly once.
type Edits = &'static [(&'static str, &'static str)];

/// A changed sample, or one that uses a changed module of the samples' library.
pub struct Source {
    pub name: &'static str,
    sample: &'static str,
    edits: Edits,
    module: Option<(&'static str, Edits)>,
}

const fn sample(name: &'static str, sample: &'static str, edits: Edits) -> Source {
    Source { name, sample, edits, module: None }
}

/// `edits` make the sample use the changed `module`, which is written beside the library.
const fn module(name: &'static str, edits: Edits, module: &'static str, changes: Edits) -> Source {
    Source { name, sample: EVENTS, edits, module: Some((module, changes)) }
}

const EVENTS: &str = "pipelined_events";
const OWN_BANDS: &str = "use samples::bands::Bands;";

pub const SHIFTED_BACK: Source = module(
    "shifted_back",
    &[(OWN_BANDS, "#[path = \"../shifted_back.rs\"]\nmod bands;\nuse bands::Bands;")],
    "bands",
    &[("- pass * shift", "- (self.passes - 1 - pass) * shift")],
);

pub const REACH_SHORT: Source = module(
    "reach_short",
    &[(OWN_BANDS, "#[path = \"../reach_short.rs\"]\nmod bands;\nuse bands::Bands;")],
    "bands",
    &[("shift: radius.next_multiple_of(align)", "shift: (radius - 1).next_multiple_of(align)")],
);

pub const WRONG_TWIN: Source = module(
    "wrong_twin",
    &[("use samples::chain;", "#[path = \"../wrong_twin.rs\"]\nmod chain;")],
    "chain",
    &[("mixed.wrapping_mul(MULTIPLIER).wrapping_add(near)", "mixed ^ near")],
);

pub const TWO_IMAGES: Source = sample(
    "two_images",
    EVENTS,
    &[("if self.ping_pong { generation % 2 } else { generation }", "generation % 2")],
);

pub const BARRIER_LATE: Source = sample(
    "barrier_late",
    EVENTS,
    &[(
        "            if chain.before(rep, pass).is_some() {
                cmd.pipeline_barrier2(STORES, LOADS);
            }
            chain.step(cmd, chain.plain, rep, pass, 0..chain.size.height);",
        "            chain.step(cmd, chain.plain, rep, pass, 0..chain.size.height);
            if pass + 1 == chain.passes {
                cmd.pipeline_barrier2(STORES, LOADS);
            }",
    )],
);

pub const SECOND_REPETITION_CUT: Source = sample(
    "second_repetition_cut",
    EVENTS,
    &[(
        "chain.step(cmd, chain.coherent, rep, pass, 0..chain.size.height);",
        "chain.step(cmd, chain.coherent, rep, pass, 0..chain.size.height - 8 * rep.index);",
    )],
);

pub const PLAIN_STORES: Source = sample("plain_stores", EVENTS, &[(".define(\"COHERENT_STORES\")", "")]);

pub const FAULT_MISCOUNTED: Source = sample(
    "fault_miscounted",
    "data_race",
    &[("has_fault(tester.faulty_texels())", "has_fault(tester.faulty_texels() + 1)")],
);

const ALL: [&Source; 8] = [
    &SECOND_REPETITION_CUT,
    &SHIFTED_BACK,
    &REACH_SHORT,
    &TWO_IMAGES,
    &BARRIER_LATE,
    &PLAIN_STORES,
    &WRONG_TWIN,
    &FAULT_MISCOUNTED,
];

/// Builds all of them and returns the folder of the binaries.
pub fn build() -> Result<PathBuf> {
    let samples = Path::new(env!("CARGO_MANIFEST_DIR"));
    let package = Path::new(env!("CARGO_TARGET_TMPDIR")).join("mutants");
    let target = package.join("../..");
    write(&package.join("Cargo.toml"), &manifest(samples)?)?;
    write(&package.join("Cargo.lock"), &read(&samples.join("../Cargo.lock"))?)?;
    for source in ALL {
        let path = |folder: &str, name: &str| samples.join(folder).join(name).with_extension("rs");
        let text = edited(&read(&path("src/bin", source.sample))?, source.edits).context(source.name)?;
        write(&package.join("src/bin").join(source.name).with_extension("rs"), &text)?;
        if let Some((module, edits)) = source.module {
            let text = edited(&read(&path("src", module))?, edits).context(source.name)?;
            let text = format!("#![allow(dead_code)]\n{text}");
            write(&package.join("src").join(source.name).with_extension("rs"), &text)?;
        }
    }
    let mut cargo = Command::new(env!("CARGO"));
    // Nobody looks at them, and without a window they are built in less time.
    cargo.args(["build", "--offline", "--quiet", "--bins", "--no-default-features"]);
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
        .filter(|name| {
            !own.contains(&format!("\n{name}.")) && !name.starts_with('#') && *name != "tracy-client"
        })
        .map(|name| format!("{name}.workspace = true"))
        .collect();
    let libraries = format!("{}\n{}\n{}", path("common"), path("samples"), shared.join("\n"));
    let own = edited(
        own,
        &[
            ("common = { path = \"../common\", default-features = false }", &libraries),
            ("name = \"samples\"", "name = \"mutants\"\nautotests = false\nautolib = false\nbuild = false"),
        ],
    )?;
    let here = format!("path = \"{}/common/", samples.join("..").display());
    let shared = root[from..].replace("path = \"common/", &here);
    Ok(format!("[workspace]\nresolver = \"3\"\n\n{shared}\n{own}"))
}

fn edited(text: &str, edits: &[(&str, &str)]) -> Result<String> {
    let mut text = text.to_owned();
    for (old, new) in edits {
        let found = text.matches(old).count();
        ensure!(found == 1, "the text holds '{old}' {found} times instead of once: adapt the test");
        text = text.replace(old, new);
    }
    Ok(text)
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
