//! What a kernel's machine code consists of.

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};

/// Instructions by class, as they stand in the code: one in a loop counts once, however often it runs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Counts {
    /// All of them.
    pub instructions: u64,
    /// Loads of vector memory: images (with and without a sampler), buffers, scratch.
    pub vmem_loads: u64,
    /// Stores to vector memory.
    pub vmem_stores: u64,
    /// Loads that are marked `glc`: they read past the caches that not all units share.
    pub vmem_loads_glc: u64,
    /// Stores that are marked `glc`.
    pub vmem_stores_glc: u64,
    /// Atomics on vector memory.
    pub vmem_atomics: u64,
    /// Scalar loads: descriptors, push constants, data that is the same for the whole wave.
    pub scalar_loads: u64,
    /// Operations of the LDS unit, permutations of lanes among them.
    pub lds: u64,
    /// Vector arithmetic.
    pub valu: u64,
    /// Scalar arithmetic.
    pub salu: u64,
    /// Branches.
    pub branches: u64,
    /// Branches to code that stands before them: loops.
    pub backward_branches: u64,
    /// Barriers of the workgroup.
    pub barriers: u64,
}

/// Counts in the text that LLVM's disassembler writes: a label or an instruction a line, the encoding
/// behind a semicolon. None where that is no code: RADV has a disassembler for some chips only, and puts
/// an excuse in its place.
#[must_use]
pub fn count(assembly: &str) -> Option<Counts> {
    let mut counts = Counts::default();
    let mut labels = BTreeSet::new();
    let mut ends = false;
    for line in assembly.lines() {
        let text = line.split(';').next().unwrap_or_default().trim();
        if let Some(label) = text.strip_suffix(':') {
            labels.insert(label);
            continue;
        }
        let mut words = text.split_whitespace();
        let Some(mnemonic) = words.next() else { continue };
        counts.instructions += 1;
        ends |= mnemonic == "s_endpgm";
        if let Some(class) = counts.class(mnemonic) {
            *class += 1;
        }
        // Behind an atomic the same word asks for the old value.
        if text.split_whitespace().any(|word| word == "glc") {
            counts.mark(mnemonic);
        }
        if is_branch(mnemonic) && words.next().is_some_and(|target| labels.contains(target)) {
            counts.backward_branches += 1;
        }
    }
    ends.then_some(counts)
}

fn is_branch(mnemonic: &str) -> bool {
    ["s_branch", "s_cbranch", "s_setpc", "s_swappc"].iter().any(|start| mnemonic.starts_with(start))
}

/// Scalar instructions that compute nothing: waits, hints, the end.
const NO_WORK: [&str; 9] = [
    "s_waitcnt",
    "s_nop",
    "s_endpgm",
    "s_sleep",
    "s_inst_prefetch",
    "s_clause",
    "s_delay_alu",
    "s_dcache",
    "s_code_end",
];

impl Counts {
    /// The count that an instruction belongs to; none for one that moves and computes nothing.
    fn class(&mut self, mnemonic: &str) -> Option<&mut u64> {
        let (family, rest) = mnemonic.split_once('_')?;
        match family {
            "image" | "buffer" | "tbuffer" | "global" | "flat" | "scratch" => self.vector_memory(rest),
            "ds" => Some(&mut self.lds),
            "v" => Some(&mut self.valu),
            "s" if rest.starts_with("load_") || rest.starts_with("buffer_load_") => {
                Some(&mut self.scalar_loads)
            }
            "s" if rest.starts_with("barrier") => Some(&mut self.barriers),
            "s" if is_branch(mnemonic) => Some(&mut self.branches),
            "s" if NO_WORK.iter().any(|start| mnemonic.starts_with(start)) => None,
            "s" => Some(&mut self.salu),
            _ => None,
        }
    }

    /// Takes note of an instruction with `glc`.
    fn mark(&mut self, mnemonic: &str) {
        let Counts { vmem_loads, vmem_stores, .. } = Counts::of(mnemonic);
        self.vmem_loads_glc += vmem_loads;
        self.vmem_stores_glc += vmem_stores;
    }

    /// Of the one instruction.
    fn of(mnemonic: &str) -> Self {
        let mut counts = Self::default();
        if let Some(class) = counts.class(mnemonic) {
            *class += 1;
        }
        counts
    }

    fn vector_memory(&mut self, rest: &str) -> Option<&mut u64> {
        match () {
            () if rest.starts_with("atomic") => Some(&mut self.vmem_atomics),
            () if rest.starts_with("store") => Some(&mut self.vmem_stores),
            () if ["load", "sample", "gather"].iter().any(|start| rest.starts_with(start)) => {
                Some(&mut self.vmem_loads)
            }
            // Cache control, sizes of images.
            () => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_instruction_has_its_class() {
        let text = "\
BB0:
\ts_load_dwordx8 s[8:15], s[2:3], 0x20                        ; c00e0201 00000020
\ts_buffer_load_dword s0, s[4:7], 0x0                         ; c0220002 00000000
\ts_waitcnt lgkmcnt(0)                                        ; bf8cc07f
\ts_add_u32 s0, s0, 1                                         ; 80008100
BB1:
\timage_load v20, v2, s[24:31] dmask:0x1 unorm                ; f0001100 00061402
\timage_sample_lz v20, v2, s[24:31], s[0:3] dmask:0x1         ; f09c0100 00061402
\timage_gather4_lz v[0:3], v2, s[24:31], s[0:3] dmask:0x1     ; f11c0100 00061402
\tbuffer_load_format_x v1, v0, s[0:3], 0 idxen                ; e0002000 80000100
\tbuffer_store_dword v1, v0, s[0:3], 0 offen                  ; e0701000 80000100
\timage_store v20, v2, s[24:31] dmask:0xf unorm glc           ; f0203f00 00061402
\timage_load v1, v[2:3], s[8:15] dmask:0x1 unorm glc dlc       ; f0003180 00061402
\tbuffer_store_dword v1, v0, s[0:3], 0 offen offset:256 glc   ; e0705100 80000100
\tbuffer_atomic_add v1, v0, s[0:3], 0 offen glc               ; e1085000 80000100
\tbuffer_wbinvl1_vol                                          ; e0fc0000 00000000
\timage_get_resinfo v0, v0, s[0:7] dmask:0x3                  ; f0380300 00000000
\tds_read_b32 v1, v0                                          ; d86c0000 01000000
\tds_write2_b32 v0, v1, v2 offset1:1                          ; d81c0100 00020100
\tv_add_u32_e32 v1, vcc, 8, v1                                ; 32020288
\ts_barrier                                                   ; bf8a0000
\ts_cbranch_scc0 BB3                                          ; bf84006c
\ts_branch BB1                                                ; bf820001
BB3:
\ts_endpgm                                                    ; bf810000
";
        let expected = Counts {
            instructions: 22,
            vmem_loads: 5,
            vmem_stores: 3,
            vmem_loads_glc: 1,
            vmem_stores_glc: 2,
            vmem_atomics: 1,
            scalar_loads: 2,
            lds: 2,
            valu: 1,
            salu: 1,
            branches: 2,
            backward_branches: 1,
            barriers: 1,
        };
        assert_eq!(count(text), Some(expected));
    }

    #[test]
    fn what_is_no_code_has_no_counts() {
        assert_eq!(count(""), None);
        assert_eq!(count("Shader disassembly is not supported in the current configuration.\n"), None);
    }
}
