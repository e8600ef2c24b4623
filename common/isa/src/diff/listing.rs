//! Reads disassembly from RADV, `llvm-objdump -d`, `--save-temps`, `nvdisasm` or `cuobjdump -sass`.

use serde::{Deserialize, Serialize};

use super::instruction::Instruction;
use super::{Dialect, sass};

/// The instructions of a kernel.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Listing {
    /// Its name, if the text has one.
    pub name: String,
    /// In the order of the text.
    pub instructions: Vec<Instruction>,
    /// Labels with the index of the instruction that follows.
    pub labels: Vec<(String, usize)>,
}

impl Listing {
    /// Whose machine code it is; `None` if there is none.
    #[must_use]
    pub fn dialect(&self) -> Option<Dialect> {
        self.instructions.first().map(Instruction::dialect)
    }

    /// Position to which a branch jumps, if it names a label or NVIDIA's address.
    pub(crate) fn target(&self, at: usize) -> Option<usize> {
        let to = self.instructions[at].operands.last()?;
        let label = self.labels.iter().find(|(label, _)| label == to);
        label.map(|&(_, before)| before).or_else(|| sass::target(&self.instructions[at]))
    }

    /// Removes the padding after the last instruction.
    fn end(&mut self) {
        let is_padding = |at: usize| match self.instructions[at].name() {
            "s_nop" | "NOP" => true,
            // A branch to itself follows the end of NVIDIA's kernels.
            "BRA" => self.instructions[at].guard.is_none() && self.target(at) == Some(at),
            _ => false,
        };
        let kept = (0..self.instructions.len()).rev().find(|&at| !is_padding(at));
        let ends = |last: &usize| {
            let last = &self.instructions[*last];
            last.dialect() == Dialect::Sass || last.mnemonic == "s_endpgm"
        };
        if let Some(last) = kept.filter(ends) {
            self.instructions.truncate(last + 1);
        }
    }
}

/// The kernels of a text that have instructions, in order.
#[must_use]
pub fn listings(text: &str) -> Vec<Listing> {
    let mut found = vec![Listing::default()];
    for (number, line) in (1..).zip(text.lines()) {
        let current = found.len() - 1;
        if let Some((_, mut instruction)) = sass::parse(line, number) {
            // Whether a register's value is kept for the next instruction is not what the kernel computes.
            instruction.operands.iter_mut().for_each(|operand| *operand = operand.replace(".reuse", ""));
            found[current].instructions.push(instruction);
            continue;
        }
        let line = without_address(without_comment(line));
        if let Some(label) = label(line) {
            if is_function(label) && !found[current].instructions.is_empty() {
                found.push(Listing { name: label.to_owned(), ..Listing::default() });
            } else if is_function(label) {
                // Labels of data before it are none of the kernel's.
                found[current] = Listing { name: label.to_owned(), ..Listing::default() };
            } else {
                let before = found[current].instructions.len();
                found[current].labels.push((label.to_owned(), before));
            }
        } else if let Some(instruction) = Instruction::parse(line, number)
            // Fills the rest of a cache line.
            && instruction.mnemonic != "s_code_end"
        {
            found[current].instructions.push(instruction);
        }
    }
    found.iter_mut().for_each(Listing::end);
    found.retain(|listing| !listing.instructions.is_empty());
    found
}

fn without_comment(line: &str) -> &str {
    let end = [line.find(';'), line.find("//")].into_iter().flatten().min();
    line[..end.unwrap_or(line.len())].trim()
}

/// Removes an address as in `1100: v_mov_b32 …`, which some disassemblers write.
fn without_address(line: &str) -> &str {
    match line.split_once(':') {
        Some((address, rest)) if !rest.is_empty() && is_hex(address) => rest.trim(),
        _ => line,
    }
}

fn is_hex(text: &str) -> bool {
    !text.is_empty() && text.chars().all(|c| c.is_ascii_hexdigit())
}

/// The name in `name:`, `0000000000001100 <name>:` or `Function : name`. Demangled names may contain blanks: `second(int*, float)`.
fn label(line: &str) -> Option<&str> {
    if let Some(name) = line.strip_prefix("Function : ") {
        return Some(name);
    }
    let name = line.strip_suffix(':')?.trim();
    let bracketed = name.split_once(" <").filter(|(address, _)| is_hex(address));
    match bracketed.and_then(|(_, name)| name.strip_suffix('>')) {
        Some(name) => (!name.is_empty()).then_some(name),
        None => (!name.is_empty() && !name.contains(char::is_whitespace)).then_some(name),
    }
}

/// Whether a label begins a function rather than a block.
fn is_function(label: &str) -> bool {
    let numbered = |start: &str| {
        label.strip_prefix(start).is_some_and(|rest| rest.starts_with(|c: char| c.is_ascii_digit()))
    };
    !(label.starts_with('.') || ["BB", "L", "LBB", "label_", "Ltmp", "Lfunc"].into_iter().any(numbered))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn texts(listing: &Listing) -> Vec<String> {
        listing.instructions.iter().map(ToString::to_string).collect()
    }

    #[test]
    fn as_radv_writes() {
        let text = "\
BB0:
\ts_load_dwordx4 s[0:3], s[2:3], 0x0                          ; c00a0001 00000000
BB1:
\tv_add_u32_e32 v1, vcc, 8, v1                                ; 32020288
\ts_cbranch_scc0 BB1                                          ; bf84006c
\ts_endpgm                                                    ; bf810000
";
        let [listing] = &listings(text)[..] else { panic!("one kernel") };
        let expected = [
            "s_load_dwordx4 s[0:3], s[2:3], 0x0",
            "v_add_u32 v1, vcc, 8, v1",
            "s_cbranch_scc0 BB1",
            "s_endpgm",
        ];
        assert_eq!(texts(listing), expected);
        assert_eq!(listing.labels, [("BB0".to_owned(), 0), ("BB1".to_owned(), 1)]);
        assert_eq!(listing.instructions[1].line, 4);
    }

    #[test]
    fn as_objdump_writes() {
        let text = "\
k.co:   file format elf64-amdgpu

Disassembly of section .text:

0000000000001100 <first>:
\ts_mov_b32 s4, 0x1100000        // 000000001100: BE8400FF 01100000
\ts_endpgm                       // 000000001108: BF810000
\ts_code_end                     // 00000000110C: BF9F0000
\ts_nop 0                         // 000000001110: BF800000

0000000000001200 <second>:
\tv_mov_b32_e32 v1, v2           // 000000001200: 7E020302
0000000000001204 <L1>:
\ts_endpgm                       // 000000001204: BF810000
";
        let [first, second] = &listings(text)[..] else { panic!("two kernels") };
        assert_eq!((first.name.as_str(), second.name.as_str()), ("first", "second"));
        assert_eq!(texts(first), ["s_mov_b32 s4, 0x1100000", "s_endpgm"]);
        assert_eq!(second.labels, [("L1".to_owned(), 1)]);
    }

    #[test]
    fn as_objdump_writes_with_names_demangled() {
        let text = "\
0000000000001100 <void ns::first<int, 4u>(int*)>:
\ts_endpgm                       // 000000001100: BF810000

0000000000001200 <(anonymous namespace)::second(int*, float) [clone .kd]>:
\tv_mov_b32_e32 v1, v2           // 000000001200: 7E020302
0000000000001204 <L1>:
\ts_cbranch_scc0 65534           // 000000001204: BF84FFFE <(anonymous namespace)::second(int*, float)+0x4>
\ts_endpgm                       // 000000001208: BF810000
";
        let [first, second] = &listings(text)[..] else { panic!("two kernels: {:?}", listings(text)) };
        assert_eq!(first.name, "void ns::first<int, 4u>(int*)");
        assert_eq!(second.name, "(anonymous namespace)::second(int*, float) [clone .kd]");
        assert_eq!(texts(first), ["s_endpgm"]);
        assert_eq!((second.instructions.len(), &second.labels[..]), (3, &[("L1".to_owned(), 1)][..]));
    }

    #[test]
    fn as_save_temps_writes() {
        let text = "\
\t.text
\t.amdgcn_target \"amdgcn-amd-amdhsa--gfx942\"
\t.globl\t_Z1kPi
_Z1kPi:                                 ; @_Z1kPi
; %bb.0:
\ts_load_dwordx2 s[0:1], s[4:5], 0x0
.LBB0_1:                                ; =>This Inner Loop Header: Depth=1
\tv_and_b32_e32 v3, 1, v1 ; masked
\ts_endpgm
\t.section\t.rodata
; NumVgprs: 4
";
        let [listing] = &listings(text)[..] else { panic!("one kernel") };
        assert_eq!(listing.name, "_Z1kPi");
        assert_eq!(texts(listing), ["s_load_dwordx2 s[0:1], s[4:5], 0x0", "v_and_b32 v3, 1, v1", "s_endpgm"]);
    }

    #[test]
    fn what_has_no_instruction_has_no_kernel() {
        for text in ["", "hello\nworld\n", ".text\nname:\n", "; v_mov_b32 v1, v2\n", "1100:\n"] {
            assert_eq!(listings(text), [], "{text}");
        }
    }
}
