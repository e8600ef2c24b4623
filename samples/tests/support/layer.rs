//! The layer that lets calls of Vulkan fail: common/fault_layer.

use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, ensure};
use tempfile::TempDir;

use super::Call;

/// Reads the plan.
const VARIABLE: &str = "HOTLAP_LAYER";

/// The layer, built, and the folder of the manifest by which the loader finds it.
#[derive(Debug)]
pub struct FaultLayer(TempDir);

impl FaultLayer {
    /// Builds it as the test itself was built: beside the samples' binaries.
    pub fn build() -> Result<Self> {
        let folder = tempfile::tempdir()?;
        let manifest = serde_json::json!({
            "file_format_version": "1.1.2",
            "layer": {
                "name": "VK_LAYER_HOTLAP_fault",
                "type": "GLOBAL",
                "library_path": library()?,
                "api_version": "1.3.0",
                "implementation_version": "1",
                "description": "lets any single call fail",
                "device_extensions": [{ "name": "VK_KHR_maintenance9", "spec_version": "1" }]
            }
        });
        std::fs::write(folder.path().join("fault.json"), manifest.to_string())?;
        Ok(Self(folder))
    }

    /// A call whose calls of Vulkan go as planned.
    pub fn on(&self, call: Call, plan: &str) -> Call {
        // Mesa's own layer, which chooses devices, takes no heed of failed calls: one of
        // vkEnumerateDeviceExtensionProperties leaves it with a null pointer, and the process with SIGSEGV.
        let call = call.env("NODEVICE_SELECT", "1");
        let call =
            call.env("VK_ADD_LAYER_PATH", self.0.path()).env("VK_INSTANCE_LAYERS", "VK_LAYER_HOTLAP_fault");
        call.env(VARIABLE, plan)
    }

    /// The functions that a call of a sample calls, in order.
    pub fn list(&self, call: Call) -> Result<Vec<String>> {
        let folder = tempfile::tempdir()?;
        let file = folder.path().join("calls");
        self.on(call, &format!("list:{}", file.display())).within(folder.path()).run()?.with_code(0)?;
        let text = std::fs::read_to_string(&file).context("the layer was not loaded")?;
        Ok(text.lines().map(str::to_owned).collect())
    }
}

fn library() -> Result<PathBuf> {
    let test = std::env::current_exe().context("finding the test's own binary")?;
    let folder = test.ancestors().nth(3).context("a test lies three folders deep in the target folder")?;
    let mut cargo = Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    cargo.args(["build", "--quiet", "--locked", "--package", "fault_layer", "--target-dir"]).arg(folder);
    let built = cargo.current_dir(root).output().context("starting cargo")?;
    ensure!(built.status.success(), "the layer: {}", String::from_utf8_lossy(&built.stderr));
    let name = format!("{}fault_layer{}", std::env::consts::DLL_PREFIX, std::env::consts::DLL_SUFFIX);
    let path = folder.join("debug").join(name);
    ensure!(path.exists(), "cargo left no {}", path.display());
    Ok(path)
}
