//! Finds and runs NVIDIA's disassembler.

use std::fs::File;
use std::io::{Read, Seek, Write};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail, ensure};
use tempfile::{NamedTempFile, tempfile};

use crate::child::Running;

/// Time limit of a program. Both take some milliseconds.
pub(super) const PATIENCE: Duration = Duration::from_secs(30);

/// NVIDIA's disassembler, for one GPU.
pub(super) struct Disassembler {
    program: PathBuf,
    /// The GPU's architecture, as `SM90`.
    pub architecture: String,
    patience: Duration,
}

impl Disassembler {
    /// The disassembler in the first of these folders that has it, for the GPU with this UUID.
    ///
    /// # Errors
    /// It is not installed, or nvidia-smi does not tell the GPU's compute capability. (Vulkan does not tell it.)
    pub fn find(folders: &[PathBuf], uuid: &str, patience: Duration) -> Result<Self> {
        let find = |name: &str| {
            let name = format!("{name}{}", std::env::consts::EXE_SUFFIX);
            folders.iter().map(|folder| folder.join(&name)).find(|path| path.is_file())
        };
        let program = find("nvdisasm")
            .context("install the CUDA toolkit's nvdisasm, or set PATH or CUDA_HOME so that it is found")?;
        let smi = find("nvidia-smi").context(
            "install nvidia-smi, or set PATH so that it is found: it tells the GPU's compute capability",
        )?;
        let listed = output(&smi, &["--query-gpu=uuid,compute_cap", "--format=csv,noheader"], patience)?;
        let own = listed.lines().filter_map(|line| line.trim().strip_prefix("GPU-")?.split_once(','));
        let own = own.map(|(of, capability)| (of.to_lowercase(), capability.trim().replace('.', "")));
        let found = own.into_iter().find(|(of, _)| of == uuid).map(|(_, number)| number);
        let number = found.filter(|number| number.parse::<u16>().is_ok());
        let number =
            number.with_context(|| format!("nvidia-smi tells no compute capability of GPU-{uuid}"))?;
        Ok(Self { program, architecture: format!("SM{number}"), patience })
    }

    /// The text of machine code.
    ///
    /// # Errors
    /// The disassembler fails or takes too long.
    pub fn listing(&self, code: &[u8]) -> Result<String> {
        let mut file = NamedTempFile::new().context("making a file for machine code")?;
        file.write_all(code).context("writing machine code to a file")?;
        let path = file.path().to_str().context("a temporary folder that is not in Unicode")?;
        output(&self.program, &["-b", &self.architecture, path], self.patience)
    }
}

/// The folders of PATH, and those where CUDA is installed.
pub(super) fn folders() -> Vec<PathBuf> {
    let path = std::env::var_os("PATH").unwrap_or_default();
    let homes = ["CUDA_HOME", "CUDA_PATH"].into_iter().filter_map(std::env::var_os).map(PathBuf::from);
    let homes = homes.chain(["/usr/local/cuda", "/opt/cuda"].map(PathBuf::from));
    std::env::split_paths(&path).chain(homes.map(|home| home.join("bin"))).collect()
}

/// What a program writes to its standard output. Files take it, not pipes: a pipe would stay open in a child of it.
fn output(program: &Path, arguments: &[&str], patience: Duration) -> Result<String> {
    let name = program.file_stem().unwrap_or_default().display();
    let file = || tempfile().context("making a temporary file");
    let (out, err) = (file()?, file()?);
    let mut call = Command::new(program);
    call.args(arguments).stdin(Stdio::null()).stdout(out.try_clone()?).stderr(err.try_clone()?);
    let mut child = Running(call.spawn().with_context(|| format!("starting {name}"))?);
    let began = Instant::now();
    let status = loop {
        if let Some(status) = child.0.try_wait()? {
            break status;
        }
        ensure!(began.elapsed() < patience, "{name} was not done after {} s", patience.as_secs_f64());
        thread::sleep(Duration::from_millis(2));
    };
    if !status.success() {
        // nvidia-smi says on its standard output what is wrong.
        let said = read(err)? + &read(out)?;
        bail!("{name} failed ({status}): {}", said.lines().next().unwrap_or("it said nothing"));
    }
    read(out)
}

fn read(mut file: File) -> Result<String> {
    let mut bytes = Vec::new();
    file.rewind()?;
    file.read_to_end(&mut bytes)?;
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}
