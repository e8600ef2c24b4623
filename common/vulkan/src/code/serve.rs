//! The process that compiles for one chip. [`isa::compile`] starts it with [`isa::ARGUMENT`].

use std::ffi::OsString;
use std::io::{BufWriter, Write};

use anyhow::{Context, Result};
use isa::{ARGUMENT, Line, Source};
use record::error::one_line;
use record::fault;

use super::null::Null;

/// Whether the process was started to compile.
pub fn is_child(arguments: &[OsString]) -> bool {
    matches!(arguments, [only] if only == ARGUMENT)
}

/// The main function of the process: reads kernels, and writes a line per kernel as soon as it is compiled.
///
/// # Errors
/// The parent process has ended. A kernel that does not compile is reported in its line instead.
pub fn serve() -> Result<()> {
    fault::arm()?;
    let sources: Vec<Source> =
        serde_json::from_reader(std::io::stdin().lock()).context("reading kernels from standard input")?;
    let mut out = BufWriter::new(std::io::stdout().lock());
    let mut answer = |line: &Line| -> Result<()> {
        serde_json::to_writer(&mut out, line)?;
        out.write_all(b"\n")?;
        // After a crash of the compiler, the parent finds the culprit by the last line.
        Ok(out.flush()?)
    };
    let null = match Null::open() {
        Ok(null) => null,
        Err(error) => return answer(&Line::Failed(one_line(&error))),
    };
    answer(&Line::Device { name: null.name.clone(), driver: null.driver.clone() })?;
    for source in &sources {
        let line = null.compile(source).unwrap_or_else(|error| Line::Failed(one_line(&error)));
        answer(&line)?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_one_argument_makes_a_child() {
        let is = |arguments: &[&str]| is_child(&arguments.iter().map(OsString::from).collect::<Vec<_>>());
        assert!(is(&[ARGUMENT]));
        assert!(!is(&[]) && !is(&[ARGUMENT, "--json"]) && !is(&["--json", ARGUMENT]));
    }
}
