//! A folder that samples take for a checkout, whose shaders a test may break.

use std::fs;
use std::path::Path;

use anyhow::{Context, Result, ensure};
use tempfile::TempDir;

use super::Call;

/// A copy of the shaders, and what marks a checkout.
#[derive(Debug)]
pub struct Checkout(TempDir);

impl Checkout {
    /// Copies the shaders.
    pub fn copy() -> Result<Self> {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
        let copy = Self(tempfile::tempdir()?);
        for part in ["shaders", "common/vulkan/src/source.rs"] {
            copy_all(&root.join(part), &copy.path().join(part))?;
        }
        Ok(copy)
    }

    /// Where it lies.
    pub fn path(&self) -> &Path {
        self.0.path()
    }

    /// Replaces a text that a shader holds exactly once.
    pub fn replace(&self, shader: &str, old: &str, new: &str) -> Result<()> {
        let path = self.path().join("shaders").join(shader);
        let text = fs::read_to_string(&path).with_context(|| format!("reading {}", path.display()))?;
        let text = replaced(&text, old, new).with_context(|| shader.to_owned())?;
        // Whoever watches the folder sees one text or the other.
        let draft = path.with_extension("draft");
        fs::write(&draft, text).with_context(|| format!("writing {}", draft.display()))?;
        fs::rename(&draft, &path).with_context(|| format!("renaming to {}", path.display()))
    }

    /// A call of a sample that reads these shaders, and compiles those that were changed.
    pub fn call(&self, sample: &str) -> Result<Call> {
        Ok(Call::new(sample)?.within(self.path()).without("HOTLAP_NO_COMPILER"))
    }
}

/// A text with another one in place of what it holds exactly once.
pub fn replaced(text: &str, old: &str, new: &str) -> Result<String> {
    let found = text.matches(old).count();
    ensure!(found == 1, "'{old}' is there {found} times instead of once: adapt the test");
    Ok(text.replace(old, new))
}

fn copy_all(from: &Path, to: &Path) -> Result<()> {
    if !from.is_dir() {
        if let Some(folder) = to.parent() {
            fs::create_dir_all(folder)?;
        }
        fs::copy(from, to).with_context(|| format!("copying {}", from.display()))?;
        return Ok(());
    }
    for entry in fs::read_dir(from).with_context(|| format!("listing {}", from.display()))? {
        let name = entry?.file_name();
        copy_all(&from.join(&name), &to.join(&name))?;
    }
    Ok(())
}
