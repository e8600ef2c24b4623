//! Builds and starts the receiver.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::OnceLock;

use anyhow::{Context, Result, anyhow, ensure};

use super::support::{Call, Running};

/// Starts a receiver that connects as soon as somebody listens at the port. It leaves after so many
/// GPU zones, or with the program.
pub fn start(port: &str, zones: Option<u32>) -> Result<Running> {
    // It tries for as long as a test may take to start its sample.
    let call = Call::on_any_device(binary()?).args([port, "30"]);
    call.args(zones.map(|n| n.to_string())).start()
}

/// The receiver, built at the first call.
pub fn binary() -> Result<&'static Path> {
    static BUILT: OnceLock<Result<PathBuf, String>> = OnceLock::new();
    let built = BUILT.get_or_init(|| build().map_err(|error| format!("{error:#}")));
    built.as_deref().map_err(|error| anyhow!("{error}"))
}

fn build() -> Result<PathBuf> {
    let headers = client_sources()?;
    let binary = Path::new(env!("CARGO_TARGET_TMPDIR")).join("tracy-receiver");
    let compiler = std::env::var("CXX").unwrap_or_else(|_| "c++".into());
    let output = Command::new(&compiler)
        .args(["-std=c++17", "-Wall", "-Wextra", "-Werror", "-o"])
        .arg(&binary)
        .arg("-I")
        .arg(&headers)
        .arg(Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/tracy/receiver.cpp"))
        .arg(headers.join("common/tracy_lz4.cpp"))
        .output()
        .with_context(|| format!("running the C++ compiler {compiler}"))?;
    ensure!(output.status.success(), "building the receiver: {}", String::from_utf8_lossy(&output.stderr));
    Ok(binary)
}

/// Where cargo keeps the very sources that the sample's client was built from: another version may
/// speak another protocol.
fn client_sources() -> Result<PathBuf> {
    let cargo = |arguments: &[&str]| -> Result<String> {
        let output = Command::new(env!("CARGO")).args(arguments).output().context("running cargo")?;
        ensure!(output.status.success(), "cargo: {}", String::from_utf8_lossy(&output.stderr));
        Ok(String::from_utf8_lossy(&output.stdout).into_owned())
    };
    // Without the filter, cargo would fetch what other systems need.
    let about = cargo(&["-vV"])?;
    let host = about.lines().find_map(|line| line.strip_prefix("host: ")).context("cargo names no host")?;
    let metadata = cargo(&[
        "metadata",
        "--format-version",
        "1",
        "--locked",
        "--all-features",
        "--filter-platform",
        host,
    ])?;
    let metadata: serde_json::Value = serde_json::from_str(&metadata)?;
    let packages = metadata["packages"].as_array().context("cargo lists no packages")?;
    let manifest = packages
        .iter()
        .find(|package| package["name"] == "tracy-client-sys")
        .and_then(|package| package["manifest_path"].as_str())
        .context("cargo knows no tracy-client-sys")?;
    Ok(Path::new(manifest).with_file_name("tracy"))
}
