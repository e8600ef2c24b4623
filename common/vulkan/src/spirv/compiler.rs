//! The compilers: shaderc if it is built in, else glslc from the PATH.

use anyhow::Result;

use super::{Defines, sorted};
use crate::source::Source;

/// The compiler that this program uses.
pub(super) const NAME: &str = if cfg!(feature = "shaderc") { "shaderc" } else { "glslc" };

/// Compiles with the available compiler.
///
/// # Errors
/// The compiler's messages with file and line, including warnings; no compiler found.
pub fn compile(source: &Source, defines: &Defines) -> Result<Vec<u32>> {
    let defines = sorted(defines);
    #[cfg(feature = "shaderc")]
    return built_in::compile(source, &defines);
    #[cfg(not(feature = "shaderc"))]
    return glslc::compile(NAME, source, &defines);
}

#[cfg(feature = "shaderc")]
mod built_in {
    use std::cell::RefCell;

    use anyhow::{Context, Result, anyhow, ensure};
    use shaderc::{Limit, ShaderKind};

    use crate::source::Source;
    use crate::spirv::Defines;

    thread_local! {
        /// Kept alive: dropping the last compiler frees glslang's built-in tables, and building them again takes
        /// longer than the rest of a compile.
        static SHADERC: RefCell<Option<shaderc::Compiler>> = const { RefCell::new(None) };
    }

    pub fn compile(source: &Source, defines: &Defines) -> Result<Vec<u32>> {
        SHADERC.with_borrow_mut(|kept| {
            if kept.is_none() {
                *kept = Some(shaderc::Compiler::new().context("starting shaderc")?);
            }
            let shaderc = kept.as_ref().context("starting shaderc")?;
            compile_with(shaderc, source, defines)
        })
    }

    fn compile_with(shaderc: &shaderc::Compiler, source: &Source, defines: &Defines) -> Result<Vec<u32>> {
        let options = options(source, defines)?;
        let kind = match source {
            source if source.is_fragment() => ShaderKind::Fragment,
            source if source.is_vertex() => ShaderKind::Vertex,
            _ => ShaderKind::Compute,
        };
        let compiled = shaderc.compile_into_spirv(&source.text, kind, &source.name, "main", Some(&options));
        let compiled = compiled
            .map_err(|error| anyhow!("shader {} does not compile: {}", source.name, messages(&error)))?;
        ensure!(
            compiled.get_num_warnings() == 0,
            "shader {}: {}",
            source.name,
            compiled.get_warning_messages()
        );
        Ok(compiled.as_binary().to_vec())
    }

    fn options<'o>(source: &Source, defines: &Defines) -> Result<shaderc::CompileOptions<'o>> {
        let mut options = shaderc::CompileOptions::new().context("starting shaderc")?;
        options.set_target_env(shaderc::TargetEnv::Vulkan, shaderc::EnvVersion::Vulkan1_3 as u32);
        // Drivers optimise by themselves, and unoptimised SPIR-V keeps the names that reflection and capture tools
        // show.
        options.set_optimization_level(shaderc::OptimizationLevel::Zero);
        options.set_warnings_as_errors();
        // The limits of the device are checked with the kernel, with clearer messages.
        for side in [
            Limit::MaxComputeWorkGroupSizeX,
            Limit::MaxComputeWorkGroupSizeY,
            Limit::MaxComputeWorkGroupSizeZ,
        ] {
            options.set_limit(side, i32::MAX);
        }
        for (name, value) in defines {
            options.add_macro_definition(name, Some(value));
        }
        let includes = source.includes.clone();
        options.set_include_callback(move |name, _, _, _| {
            let found = includes.iter().find(|(known, _)| known == name);
            let found = found.ok_or_else(|| format!("shaders/{name} does not exist"))?;
            Ok(shaderc::ResolvedInclude { resolved_name: name.to_owned(), content: found.1.clone() })
        });
        Ok(options)
    }

    /// The compiler's messages without the count and the prefix that shaderc adds.
    fn messages(error: &shaderc::Error) -> String {
        match error {
            shaderc::Error::CompilationError(_, text) => text.trim().to_owned(),
            other => other.to_string(),
        }
    }
}

/// Compiled in every build, so that it keeps compiling where shaderc is used.
#[cfg_attr(feature = "shaderc", allow(dead_code, reason = "shaderc comes first"))]
mod glslc {
    use std::fs;
    use std::io::ErrorKind;
    use std::path::Path;
    use std::process::{Child, Command, Stdio};
    use std::time::{Duration, Instant};

    use anyhow::{Context, Result, bail, ensure};

    use crate::source::Source;
    use crate::spirv::{Defines, ensure_module};

    /// Time limit; no shader of the suite takes a second.
    const PATIENCE: Duration = Duration::from_secs(60);
    const POLL: Duration = Duration::from_millis(2);

    pub fn compile(program: &str, source: &Source, defines: &Defines) -> Result<Vec<u32>> {
        let folder = tempfile::tempdir().context("creating a folder for glslc")?;
        write(folder.path(), source).context("writing a shader for glslc")?;
        let mut call = Command::new(program);
        call.current_dir(folder.path()).args(["--target-env=vulkan1.3", "-O0", "-Werror", "-I", "."]);
        for side in ["X", "Y", "Z"] {
            call.arg(format!("-flimit=MaxComputeWorkGroupSize{side} {}", i32::MAX));
        }
        call.args(defines.iter().map(|(name, value)| format!("-D{name}={value}")));
        call.args(["-o", "out.spv", source.file()]);
        call.stdin(Stdio::null()).stdout(Stdio::null());
        call.stderr(fs::File::create(folder.path().join("messages")).context("creating a file for glslc")?);
        let child = match call.spawn() {
            Ok(child) => child,
            Err(error) if error.kind() == ErrorKind::NotFound => bail!(
                "shader {} is not as it was when this program was built, and no compiler is here: build again if \
                 the checkout was updated; if you edit it, install glslc (in Debian's package of that name and in \
                 the Vulkan SDK), or build with --features samples/shaderc",
                source.name
            ),
            Err(error) => return Err(error).context("starting glslc"),
        };
        let well = ended(child).with_context(|| format!("compiling {}", source.name))?;
        let messages = fs::read_to_string(folder.path().join("messages")).unwrap_or_default();
        ensure!(well, "shader {} does not compile: {}", source.name, messages.trim());
        let code = fs::read(folder.path().join("out.spv")).context("reading what glslc wrote")?;
        ensure!(
            code.len().is_multiple_of(4),
            "glslc wrote {} bytes for {}: no SPIR-V",
            code.len(),
            source.name
        );
        let words: Vec<u32> = bytemuck::allocation::pod_collect_to_vec(&code);
        ensure_module(&words).with_context(|| format!("what glslc wrote for {}", source.name))?;
        Ok(words)
    }

    fn write(folder: &Path, source: &Source) -> std::io::Result<()> {
        let write = |name: &str, text: &str| {
            let path = folder.join(name);
            fs::create_dir_all(path.parent().unwrap_or(folder))?;
            fs::write(path, text)
        };
        write(source.file(), &source.text)?;
        source.includes.iter().try_for_each(|(name, text)| write(name, text))
    }

    fn ended(mut child: Child) -> Result<bool> {
        let began = Instant::now();
        while began.elapsed() < PATIENCE {
            if let Some(status) = child.try_wait().context("waiting for glslc")? {
                return Ok(status.success());
            }
            std::thread::sleep(POLL);
        }
        let _ = child.kill();
        let _ = child.wait();
        bail!("glslc did not end within {} s and was stopped", PATIENCE.as_secs())
    }

    #[cfg(test)]
    mod tests {
        use super::*;

        fn compiled_by(program: &str, text: &str) -> Result<Vec<u32>> {
            let source = Source {
                name: "a/test.comp (traced)".into(),
                text: text.into(),
                includes: vec![("x.glsl".into(), "const int ONE = 1;\n".into())],
            };
            compile(program, &source, &vec![("TWO".into(), "2".into())])
        }

        /// Compiles if glslc is installed; `None` otherwise.
        fn compiled(text: &str) -> Option<Result<Vec<u32>>> {
            let outcome = compiled_by("glslc", text);
            let missing = |error: &anyhow::Error| error.to_string().contains("no compiler is here");
            if outcome.as_ref().is_err_and(missing) { None } else { Some(outcome) }
        }

        const HEAD: &str = "#version 460\n#extension GL_GOOGLE_include_directive : require\n#include \"x.glsl\"\n\
            layout(local_size_x = 1) in;\nlayout(binding = 0) buffer B { int b; };\n";

        #[test]
        fn glslc_finds_includes_and_defines_and_names_the_line_of_an_error() {
            let Some(well) = compiled(&format!("{HEAD}void main() {{ b = ONE + TWO; }}\n")) else { return };
            assert!(!well.unwrap().is_empty());
            let error =
                compiled(&format!("{HEAD}void main() {{ b = THREE; }}\n")).unwrap().unwrap_err().to_string();
            assert!(error.contains("a/test.comp:6: error: 'THREE'"), "{error}");
        }

        #[test]
        fn without_a_compiler_the_error_says_what_to_do() {
            let error = compiled_by("no-such-compiler", HEAD).unwrap_err().to_string();
            assert!(error.contains("build again") && error.contains("install glslc"), "{error}");
        }

        #[cfg(unix)]
        #[test]
        fn what_a_compiler_writes_is_looked_at() {
            use std::os::unix::fs::PermissionsExt;
            let folder = tempfile::tempdir().unwrap();
            let program = folder.path().join("glslc");
            for (writes, says) in
                [("printf abc", "3 bytes"), ("printf 12345678", "no SPIR-V"), ("false", "does not compile")]
            {
                fs::write(&program, format!("#!/bin/sh\n{writes} > out.spv\n")).unwrap();
                fs::set_permissions(&program, fs::Permissions::from_mode(0o755)).unwrap();
                let error = format!("{:#}", compiled_by(program.to_str().unwrap(), HEAD).unwrap_err());
                assert!(error.contains(says) && error.contains("a/test.comp"), "{error}");
            }
        }
    }
}

#[cfg(all(test, feature = "shaderc"))]
mod tests {
    use super::*;

    #[test]
    fn an_error_names_file_line_and_message() {
        let text = "#version 460\nlayout(local_size_x = 1) in;\nvoid main() { int x = y; }\n";
        let broken = Source { name: "test.comp".into(), text: text.into(), includes: Vec::new() };
        let error = compile(&broken, &vec![]).unwrap_err().to_string();
        assert!(error.contains("test.comp:3: error: 'y' : undeclared identifier"), "{error}");
    }
}
