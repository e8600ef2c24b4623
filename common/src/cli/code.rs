//! `--code`: reports how the device's compiler, or those for other chips, compile the kernels.

use std::collections::BTreeMap;
use std::process::ExitCode;

use anyhow::Result;
use bench::drive::code::{Dispatched, dispatched, reported};
use bench::host::{self, Sample};
use bench::lab::Lab;
use console::Term;
use isa::{CodeReport, Target};
use record::error::{EXIT_FAILED, EXIT_RIGHT, exit_code, one_line};
use report::Charset;
use report::terminal::{say, width_of};
use serde::Serialize;
use vulkan::code;

use super::{Run, command, print};

/// The main function of the child process that compiles for one chip.
pub(super) fn serve(sample: &Sample) -> ExitCode {
    let Err(error) = code::serve() else { return ExitCode::SUCCESS };
    say(&format!("{}: {}", sample.name, one_line(&error)));
    exit_code(&error).into()
}

/// Prints the GLSL of the kernels that the selected variants dispatch.
pub(super) fn print_kernels(lab: &Lab) -> Result<u8> {
    for kernel in dispatched(lab)?.handles {
        let (name, text) = lab.gpu.kernel_text(&lab.shaders, kernel)?;
        print(&format!("// {name}\n{text}"))?;
    }
    Ok(EXIT_RIGHT)
}

impl Run {
    pub(super) fn code(&self, lab: &Lab, target: Option<&Target>) -> Result<u8> {
        self.destinations()?;
        let Dispatched { variants, kernels, sources, handles, .. } = dispatched(lab)?;
        let answers = match target {
            Some(target) => isa::compile(target, &sources, self.common.place.timeout)?,
            None => Vec::new(),
        };
        let device = lab.device();
        let mut report = CodeReport {
            schema: isa::SCHEMA,
            tool: host::tool(&self.sample, &lab.shaders),
            sample: self.sample.name.to_owned(),
            command: command(),
            configuration: lab.report.settings.clone(),
            declared_on: device.name.clone(),
            declared_for_subgroups_of: device.subgroup_size,
            kernels,
            variants,
            reported: None,
            chips: Vec::new(),
            failed: BTreeMap::new(),
        };
        if target.is_none() {
            report.add_reported(reported(lab, &handles)?);
        }
        for (chip, answer) in answers {
            if let Err(error) = answer.and_then(|answer| report.add(&chip, answer)) {
                self.complain(&error);
                report.failed.insert(chip, one_line(&error));
            }
        }
        let table = |terminal: &Term| {
            let (charset, room) = (Charset::of_terminal(), width_of(terminal));
            let pairs = report::code_pairs(charset, room, &report, &lab.report.code_pairs);
            report::code(charset, room, &report) + &pairs
        };
        let is_empty = report.chips.is_empty() && report.reported.is_none();
        self.show_code((!is_empty).then_some(table), &report, &report.failed)
    }

    /// Shows what the compilers produced, if any of them succeeded; failures were printed before.
    pub(super) fn show_code(
        &self,
        text: Option<impl FnOnce(&Term) -> String>,
        report: &impl Serialize,
        failed: &BTreeMap<String, String>,
    ) -> Result<u8> {
        match text {
            Some(text) => self.show(text, report)?,
            None => self.write_json(report)?,
        }
        Ok(if failed.is_empty() { EXIT_RIGHT } else { EXIT_FAILED })
    }
}
