//! `--code-diff`: compares the machine code of two variants or of two files.

use std::collections::{BTreeMap, BTreeSet};
use std::fs::File;
use std::io::Read;
use std::path::Path;

use anyhow::{Context, Result, bail, ensure};
use bench::drive::code::{Dispatched, dispatched, sass};
use bench::host;
use bench::lab::Lab;
use console::Term;
use isa::diff::{Comparison, Compiler, DIFF_SCHEMA, DiffReport, KernelFigures, Listing, listings};
use isa::{self, KernelCode, Line, Source, VariantCode};
use record::error::{Halt, one_line};
use report::Charset;
use report::terminal::width_of;
use vulkan::source::Library;

use super::{Run, command};

/// Chip to compile for if `--code` names none: of the hardware generation that the talk is about.
const CHIP: &str = "amd:vega10";
/// Largest accepted file; a listing of 100,000 instructions has less than half of it.
const MOST_BYTES: u64 = 32 << 20;

/// A compiled kernel: its name, its figures and its instructions.
type Compiled = (String, Option<KernelFigures>, Listing);

impl Run {
    /// Compares two files without opening a device; returns `None` if the names are not files.
    pub(super) fn code_diff_of_files(&self) -> Result<Option<u8>> {
        let Some([a, b]) = self.code_diff_sides() else { return Ok(None) };
        let is_file = |name: &str| Path::new(name).exists();
        let wrong = match [is_file(a), is_file(b)] {
            [true, true] => None,
            [true, false] => Some(format!("'{a}' is a file and '{b}' is none")),
            [false, true] => Some(format!("'{b}' is a file and '{a}' is none")),
            [false, false] => {
                let Some(absent) = [a, b].into_iter().find(|name| is_path(name)) else { return Ok(None) };
                Some(format!("there is no file '{absent}'"))
            }
        };
        if let Some(wrong) = wrong {
            bail!("--code-diff takes two variants or two files: {wrong}");
        }
        self.destinations()?;
        let kernels = [read(a)?, read(b)?];
        let dialects = kernels.each_ref().map(|all| all.first().and_then(|(.., listing)| listing.dialect()));
        ensure!(
            dialects[0] == dialects[1],
            "--code-diff compares like with like: of {a} and {b}, one is AMD's machine code and one NVIDIA's"
        );
        let comparison = Comparison::of(None, kernels);
        self.show_diff(&Library::find(), vec![comparison], BTreeMap::new()).map(Some)
    }

    /// The two names to compare.
    pub(super) fn code_diff_sides(&self) -> Option<[&str; 2]> {
        let [a, b] = self.common.mode.code_diff.as_deref()? else { return None };
        Some([a, b])
    }

    /// Compares two variants, compiled for the chips of `--code`, or else by NVIDIA's driver if that is in use.
    pub(super) fn code_diff_of_variants(&self, lab: &Lab, names: [&str; 2]) -> Result<u8> {
        self.destinations()?;
        let target = self.common.mode.code.clone().flatten();
        let found = dispatched(lab)?;
        let sides = [kernels(&found.variants, names[0])?, kernels(&found.variants, names[1])?];
        let wanted: BTreeSet<usize> = sides.iter().flatten().copied().collect();
        if target.is_none() && isa::keeps_machine_code(lab.device()) {
            let comparison = compared_here(lab, &sides, &wanted, &found)?;
            return self.show_diff(&lab.shaders, vec![comparison], BTreeMap::new());
        }
        let target = target.map_or_else(|| CHIP.parse(), Ok)?;
        let sources: Vec<Source> = wanted.iter().map(|&kernel| found.sources[kernel].clone()).collect();
        let (mut comparisons, mut failed) = (Vec::new(), BTreeMap::new());
        for (chip, answer) in isa::compile(&target, &sources, self.common.place.timeout)? {
            let compared = answer.and_then(|(device, driver, lines)| {
                let lines: BTreeMap<usize, Line> = wanted.iter().copied().zip(lines).collect();
                let compiler = Compiler { chip: chip.clone(), device, driver };
                compared(compiler, &sides, &found.kernels, &lines)
            });
            match compared {
                Ok(comparison) => comparisons.push(comparison),
                Err(error) => {
                    self.complain(&error);
                    failed.insert(chip, one_line(&error));
                }
            }
        }
        self.show_diff(&lab.shaders, comparisons, failed)
    }

    /// Shows the text and writes the data, each to its own output.
    fn show_diff(
        &self,
        shaders: &Library,
        comparisons: Vec<Comparison>,
        failed: BTreeMap<String, String>,
    ) -> Result<u8> {
        let report = DiffReport {
            schema: DIFF_SCHEMA,
            tool: host::tool(&self.sample, shaders),
            sample: self.sample.name.to_owned(),
            command: command(),
            sides: self.code_diff_sides().unwrap_or_default().map(str::to_owned),
            comparisons,
            failed,
        };
        let text = |terminal: &Term| report::code_diff(Charset::of_terminal(), width_of(terminal), &report);
        self.show_code((!report.comparisons.is_empty()).then_some(text), &report, &report.failed)
    }
}

/// The kernels of the variant with this name.
fn kernels(variants: &[VariantCode], name: &str) -> Result<Vec<usize>> {
    let variant = variants.iter().find(|variant| variant.variant == name);
    let variant = variant.with_context(|| format!("'{name}' is a pattern: --code-diff takes two names"))?;
    match &variant.left_out {
        Some(reason) => Err(Halt::Skip(format!("{name} is left out here: {reason}")).into()),
        None => Ok(variant.kernels.clone()),
    }
}

/// Compares what NVIDIA's driver makes of the kernels of both sides.
fn compared_here(
    lab: &Lab,
    sides: &[Vec<usize>; 2],
    wanted: &BTreeSet<usize>,
    found: &Dispatched,
) -> Result<Comparison> {
    let handles: Vec<_> = wanted.iter().map(|&kernel| found.handles[kernel]).collect();
    let code = sass(lab, &handles)?;
    let code_of: BTreeMap<usize, (KernelFigures, Listing)> =
        wanted.iter().copied().zip(code.kernels).collect();
    let named = |kernel: &usize| {
        let (name, (figures, listing)) = (&found.kernels[*kernel].name, &code_of[kernel]);
        (name.clone(), Some(*figures), Listing { name: name.clone(), ..listing.clone() })
    };
    let (device, driver) = (lab.device().name.clone(), lab.device().driver());
    let compiler = Compiler { chip: code.architecture, device, driver };
    Ok(Comparison::of(Some(compiler), sides.each_ref().map(|side| side.iter().map(named).collect())))
}

/// Compiles the kernels of both sides for one chip and compares them.
fn compared(
    compiler: Compiler,
    sides: &[Vec<usize>; 2],
    kernels: &[KernelCode],
    lines: &BTreeMap<usize, Line>,
) -> Result<Comparison> {
    let code = |of_side: &[usize]| -> Result<Vec<Compiled>> {
        let of = |kernel: &usize| compiled(&compiler.chip, &kernels[*kernel].name, &lines[kernel]);
        of_side.iter().map(of).collect()
    };
    let code = [code(&sides[0])?, code(&sides[1])?];
    Ok(Comparison::of(Some(compiler), code))
}

/// Whether the name can only be a path: no variant's name has these characters.
fn is_path(name: &str) -> bool {
    name.contains(['/', '\\', '.'])
}

/// Reads the kernels from a file.
fn read(name: &str) -> Result<Vec<Compiled>> {
    let path = Path::new(name);
    ensure!(!path.is_dir(), "cannot read {name}: it is a folder; name a file in it");
    let mut bytes = Vec::new();
    let file = File::open(path).with_context(|| format!("cannot read {name}"))?;
    file.take(MOST_BYTES + 1).read_to_end(&mut bytes).with_context(|| format!("cannot read {name}"))?;
    ensure!(
        !bytes.contains(&0),
        "{name} is no text: `llvm-objdump -d {name}` writes the text of AMD's code object, `nvdisasm {name}` of a cubin"
    );
    ensure!(
        bytes.len() as u64 <= MOST_BYTES,
        "{name} has more than {} MiB: no listing of a few kernels is so long; cut out the kernel in question",
        MOST_BYTES >> 20
    );
    let found = listings(&String::from_utf8_lossy(&bytes));
    ensure!(
        !found.is_empty(),
        "{name} holds no instruction of AMD's or NVIDIA's: it takes what --save-temps, llvm-objdump -d, nvdisasm or \
         cuobjdump -sass write"
    );
    Ok(found.into_iter().map(|listing| (listing.name.clone(), None, listing)).collect())
}

fn compiled(chip: &str, kernel: &str, line: &Line) -> Result<Compiled> {
    let form = match line {
        Line::Kernel(form) => form,
        Line::Refused(reason) => bail!("{chip} cannot have {kernel}: {reason}"),
        other => bail!("{other:?} is no answer"),
    };
    let listing = form.assembly.as_deref().map(listings).and_then(|found| found.into_iter().next());
    let mut listing = listing.with_context(|| {
        format!("RADV here shows no machine code for {chip}; it does for others, such as --code {CHIP}")
    })?;
    kernel.clone_into(&mut listing.name);
    let figure = |name| form.figure(name, kernel);
    let (vgprs, sgprs) = (figure("VGPRs")?, figure("SGPRs")?);
    let figures = KernelFigures { vgprs, sgprs: Some(sgprs), code_bytes: figure("Code size")? };
    Ok((kernel.to_owned(), Some(figures), listing))
}
