//! The table of a driver that reports its own set of figures: one column per figure.

use isa::{CodeReport, Executable, Kind, MachineCode, Reported, Statistic, Value};

use super::columns::rows;
use super::machine_code;
use super::notes::left_out_variants;
use crate::format::trimmed;
use crate::names::grouped;
use crate::paper::Paper;
use crate::table::{Column, Side, Table};

/// Writes the device, its table and the notes.
pub(super) fn write(paper: &mut Paper, report: &CodeReport, reported: &Reported) {
    paper.gap();
    paper.line(&format!("{}, {}", reported.device, reported.driver));
    paper.table(&table(report, reported));
    paper.gap();
    if let Some(MachineCode::Read { by, kernels }) = &reported.machine_code {
        paper.line(&format!("Machine code in the driver's pipeline cache, read with {by}"));
        paper.table(&machine_code::table(kernels));
        paper.gap();
    }
    notes(report, reported).iter().for_each(|line| paper.line(line));
}

/// The names of all figures: known kinds first, in the order of [`Kind`], then the others in the driver's order.
fn names(reported: &Reported) -> Vec<&str> {
    let mut names: Vec<(Option<Kind>, &str)> = Vec::new();
    for statistic in reported.kernels.iter().flatten().flat_map(|form| &form.statistics) {
        if !names.iter().any(|(_, known)| *known == statistic.name) {
            names.push((statistic.kind, &statistic.name));
        }
    }
    names.sort_by_key(|(kind, _)| (kind.is_none(), *kind));
    names.into_iter().map(|(_, name)| name).collect()
}

/// One row per variant, kernel and compiled form.
fn table(report: &CodeReport, reported: &Reported) -> Table {
    let rows: Vec<(&str, Option<(usize, &Executable)>)> = rows(report)
        .flat_map(|(name, kernel)| {
            let forms = kernel.and_then(|kernel| Some((kernel, reported.kernels.get(kernel)?)));
            let forms: Vec<_> = forms
                .into_iter()
                .flat_map(|(kernel, forms)| forms.iter().map(move |form| Some((kernel, form))))
                .collect();
            let forms = if kernel.is_none() { vec![None] } else { forms };
            let own = move |at| if at == 0 { name } else { "" };
            forms.into_iter().enumerate().map(move |(at, form)| (own(at), form))
        })
        .collect();
    let words = rows.iter().map(|(_, form)| form.is_none().then(|| "skipped".to_owned())).collect();
    let mut table =
        Table::new("Variant", rows.iter().map(|(name, _)| (*name).to_owned())).with_words(words).apart(1);
    let column = |side, head: &str, of: &dyn Fn(usize, &Executable) -> Option<String>| {
        let cells: Vec<_> =
            rows.iter().map(|(_, form)| form.and_then(|(kernel, form)| of(kernel, form))).collect();
        Column::new(side, head, cells)
    };
    table.push(column(Side::Right, "Kernel", &|kernel, _| Some((kernel + 1).to_string())));
    if reported.kernels.iter().any(|forms| forms.len() > 1) {
        table.push(column(Side::Left, "Form", &|_, form| Some(form.name.clone())));
    }
    if reported.kernels.iter().flatten().any(|form| form.subgroup_size > 0) {
        table.push(column(Side::Right, "Sub-\ngroup", &|_, form| Some(form.subgroup_size.to_string())));
    }
    for name in names(reported) {
        table.push(column(Side::Right, name, &|_, form| cell(form, name)));
    }
    table
}

fn cell(form: &Executable, name: &str) -> Option<String> {
    let found = form.statistics.iter().find(|statistic| statistic.name == name)?;
    Some(value(found.value))
}

fn value(value: Value) -> String {
    match value {
        Value::Flag(flag) => (if flag { "yes" } else { "no" }).to_owned(),
        Value::Whole(value) => value.to_string(),
        Value::Negative(value) => value.to_string(),
        Value::Real(value) => trimmed(value),
    }
}

fn notes(report: &CodeReport, reported: &Reported) -> Vec<String> {
    let mut notes = left_out_variants(report);
    let statistics = || reported.kernels.iter().flatten().flat_map(|form| &form.statistics);
    if statistics().next().is_none() {
        notes.push("The driver has the extension and tells nothing through it.".into());
    }
    notes.extend(spills(reported));
    notes.extend(impossible(reported));
    let missing = [Kind::Registers, Kind::Spills, Kind::SharedMemory, Kind::CodeSize, Kind::Instructions];
    let missing = missing.iter().filter(|kind| !statistics().any(|found| found.kind == Some(**kind)));
    let missing: Vec<String> = missing.map(Kind::to_string).collect();
    if !missing.is_empty() {
        notes.push(format!("No figure of this driver is known to be of: {}.", missing.join(", ")));
    }
    if !statistics().any(|found| found.kind == Some(Kind::Occupancy)) {
        let reason = "Vulkan does not tell how many registers a multiprocessor has, nor in what portions it grants them";
        notes.push(format!("Occupancy is not computed: {reason}."));
    }
    notes.extend(reported.machine_code.as_ref().map(|machine_code| match machine_code {
        MachineCode::Read { .. } => machine_code::NOTE.into(),
        MachineCode::Unread(reason) => format!("No figures of the machine code: {reason}."),
    }));
    notes.push(format!(
        "No variant was run. Names and units of the driver's figures are its own, by {}; --json has what it says that they mean.",
        reported.extension
    ));
    notes
}

/// A note on kernels that spill registers, whether or not the table has room for that column.
fn spills(reported: &Reported) -> Option<String> {
    let found = kernels_with(reported, |value| match value {
        Value::Whole(bytes) => (1..MOST_BYTES).contains(&bytes),
        Value::Flag(spills) => spills,
        Value::Negative(_) | Value::Real(_) => true,
    });
    (!found.is_empty()).then(|| format!("Registers kept in memory, or arrays: {}.", found.join(", ")))
}

/// More bytes than a wave can have of any memory.
const MOST_BYTES: u64 = 1 << 32;

/// A note on figures that are impossibly large. (NVIDIA 580.159 reports 68719476736, 1 << 36, as the local memory of
/// every kernel on an H200.)
fn impossible(reported: &Reported) -> Option<String> {
    let found = kernels_with(reported, |value| matches!(value, Value::Whole(bytes) if bytes >= MOST_BYTES));
    (!found.is_empty())
        .then(|| format!("More than a wave can have, so that nothing follows from it: {}.", found.join(", ")))
}

/// Kernels by number, with those of their spill figures whose value satisfies `such`.
fn kernels_with(reported: &Reported, such: impl Fn(Value) -> bool) -> Vec<String> {
    let wanted = |statistic: &&Statistic| statistic.kind == Some(Kind::Spills) && such(statistic.value);
    let said = (1_usize..).zip(&reported.kernels).map(|(number, forms)| {
        let statistics = forms.iter().flat_map(|form| form.statistics.iter().filter(wanted));
        let said: Vec<String> = statistics.map(|s| format!("{} {}", s.name, value(s.value))).collect();
        (said.join(", "), number.to_string())
    });
    let words = |(said, numbers): (String, Vec<String>)| {
        let s = if numbers.len() == 1 { "" } else { "s" };
        format!("kernel{s} {} ({said})", numbers.join(", "))
    };
    grouped(said.filter(|(said, _)| !said.is_empty())).into_iter().map(words).collect()
}

#[cfg(test)]
mod tests {
    use isa::{CodeReport, SassCounts};

    use super::*;
    use crate::charset::{Charset, width};
    use crate::code::{code, tests::report};

    fn form(name: &str, subgroup_size: u32, figures: &[(&str, Value)]) -> Executable {
        let statistics = figures.iter().map(|&(name, value)| Statistic {
            name: name.into(),
            description: String::new(),
            value,
            kind: Kind::of(name),
        });
        let statistics = statistics.collect();
        Executable { name: name.into(), subgroup_size, statistics, assembly: None }
    }

    fn of(device: &str, driver: &str, kernels: [Vec<Executable>; 2]) -> CodeReport {
        let reported = Reported {
            device: device.into(),
            driver: driver.into(),
            extension: "VK_KHR_pipeline_executable_properties".into(),
            kernels: kernels.into(),
            machine_code: None,
        };
        let mut report = report();
        report.chips.clear();
        report.add_reported(reported);
        report
    }

    fn nvidia() -> CodeReport {
        nvidia_with([[40, 3200, 0, 1 << 36, 17_920], [255, 3200, 0, 96, 17_920]])
    }

    fn nvidia_with(kernels: [[u64; 5]; 2]) -> CodeReport {
        let names =
            ["Register Count", "Binary Size", "Stack Size", "Local Memory Size", "Shared Memory Size"];
        let kernel = |figures: [u64; 5]| {
            let figures: Vec<_> = names.into_iter().zip(figures.map(Value::Whole)).collect();
            vec![form("CS", 32, &figures)]
        };
        of("NVIDIA H200", "NVIDIA 580.159", kernels.map(kernel))
    }

    /// sgemm's pad.comp, which has no loop, and its tile of 16x8 on an H200.
    fn nvidia_with_machine_code() -> CodeReport {
        let pad = SassCounts { instructions: 56, global_loads: [(32, 4)].into(), ..SassCounts::default() };
        let tile = SassCounts {
            loop_bytes: Some(17_920),
            instructions: 1120,
            fmas: 1024,
            reused_factors: 920,
            global_loads: [(128, 4)].into(),
            shared_loads: [(128, 48)].into(),
            barriers: 1,
            spills: 0,
        };
        let mut report = nvidia_with([[16, 896, 0, 1 << 36, 0], [202, 47_872, 0, 1 << 36, 16_640]]);
        report.reported.as_mut().unwrap().machine_code =
            Some(MachineCode::Read { by: "nvdisasm -b SM90".into(), kernels: vec![pad, tile] });
        report
    }

    /// A driver that has one form per subgroup size and figures of every type.
    fn unknown() -> CodeReport {
        let form = |width: u32, cycles| {
            let name = format!("SIMD{width} compute shader");
            let figures = [
                ("Cycle Count", Value::Whole(cycles)),
                ("Instruction Count", Value::Whole(812)),
                ("Spill Count", Value::Whole(0)),
                ("Pressure", Value::Real(0.625)),
                ("Uses Atomics", Value::Flag(true)),
                ("Slack", Value::Negative(-3)),
                ("Scratch Memory Size", Value::Whole(0)),
            ];
            form(&name, width, &figures)
        };
        of("Some GPU", "Some driver 1.0", [vec![form(16, 90_000), form(32, 120_000)], vec![form(16, 7)]])
    }

    fn radv() -> CodeReport {
        let names = [
            "VGPRs",
            "SGPRs",
            "Spilled VGPRs",
            "Spilled SGPRs",
            "Scratch size",
            "LDS size",
            "Code size",
            "Subgroups per SIMD",
        ];
        let figures = names.map(|name| (name, Value::Whole(if name.starts_with("Sub") { 32 } else { 0 })));
        let kernel = || vec![form("Compute Shader", 64, &figures)];
        of("AMD Radeon RX 6800 (RADV NAVI21)", "radv Mesa 24.0", [kernel(), kernel()])
    }

    #[test]
    fn on_nvidia() {
        insta::assert_snapshot!(code(Charset::Utf8, 80, &nvidia()));
    }

    #[test]
    fn on_nvidia_with_machine_code() {
        insta::assert_snapshot!(code(Charset::Utf8, 80, &nvidia_with_machine_code()));
    }

    #[test]
    fn machine_code_that_is_not_read_is_one_line() {
        let text = |report: CodeReport| code(Charset::Utf8, 200, &report);
        let mut report = nvidia();
        let reason = MachineCode::Unread("install the CUDA toolkit's nvdisasm".into());
        report.reported.as_mut().unwrap().machine_code = Some(reason);
        let unread = text(report);
        let line = "No figures of the machine code: install the CUDA toolkit's nvdisasm.\n";
        assert!(unread.contains(line), "{unread}");
        assert_eq!(unread.replace(line, ""), text(nvidia()));
    }

    #[test]
    fn on_an_unknown_driver() {
        insta::assert_snapshot!(code(Charset::Utf8, 140, &unknown()));
    }

    #[test]
    fn on_an_unknown_driver_in_60_columns_of_ascii() {
        insta::assert_snapshot!(code(Charset::Ascii, 60, &unknown()));
    }

    /// Figures reported by RADV are shown in the table of their chip.
    #[test]
    fn on_radv() {
        let report = radv();
        assert!(report.reported.is_none() && report.chips.len() == 1, "{report:?}");
        let text = code(Charset::Utf8, 120, &report);
        assert!(text.contains("Radeon RX 6800") && text.contains("/WGP"), "{text}");
        let [compiled, _] = &report.of("NAVI21", "in_two_kernels")[..] else { panic!("{report:?}") };
        assert_eq!(compiled.compiled().unwrap().waves_per_simd, Some(16));
    }

    #[test]
    fn tables_fit() {
        for report in [nvidia(), nvidia_with_machine_code(), unknown()] {
            for room in 60..200 {
                let text = code(Charset::Utf8, room, &report);
                let widest = text.lines().map(width).max().unwrap_or(0);
                assert!(widest <= usize::from(room), "{widest} at {room}\n{text}");
            }
        }
    }

    #[test]
    fn a_driver_that_tells_nothing_is_told() {
        let report = of("Some GPU", "1.0", [vec![form("CS", 8, &[])], Vec::new()]);
        let text = code(Charset::Utf8, 100, &report);
        assert!(text.contains("tells nothing through it"), "{text}");
    }
}
