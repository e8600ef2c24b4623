//! Counts the instructions of a kernel's machine code by class.

use serde::{Deserialize, Serialize};

use crate::diff::{Dialect, Listing, class, listings, number};

/// Static counts of instructions: an instruction in a loop counts once.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Counts {
    /// All instructions.
    pub instructions: u64,
    /// Loads of vector memory: images (with and without a sampler), buffers, scratch.
    pub vmem_loads: u64,
    /// Stores to vector memory.
    pub vmem_stores: u64,
    /// Loads marked `glc`: they bypass the caches that not all units share.
    pub vmem_loads_glc: u64,
    /// Stores marked `glc`.
    pub vmem_stores_glc: u64,
    /// Atomics on vector memory.
    pub vmem_atomics: u64,
    /// Scalar loads: descriptors, push constants, data that is the same for the whole wave.
    pub scalar_loads: u64,
    /// Operations of the LDS unit, including permutations of lanes.
    pub lds: u64,
    /// Vector arithmetic.
    pub valu: u64,
    /// Scalar arithmetic.
    pub salu: u64,
    /// Branches.
    pub branches: u64,
    /// Branches to earlier code: loops.
    pub backward_branches: u64,
    /// Barriers of the workgroup.
    pub barriers: u64,
}

/// Counts the instructions in the output of LLVM's disassembler (the encoding follows after a semicolon). `None` if
/// the text is no whole kernel: RADV has a disassembler for some chips only, and otherwise writes a message in its
/// place.
#[must_use]
pub fn count(assembly: &str) -> Option<Counts> {
    let listing = listings(assembly).into_iter().next()?;
    let ends = listing.instructions.iter().any(|instruction| instruction.mnemonic == "s_endpgm");
    ends.then(|| Counts::of(&listing))
}

pub(crate) fn is_branch(mnemonic: &str) -> bool {
    begins(mnemonic, &["s_branch", "s_cbranch", "s_setpc", "s_swappc"])
}

/// Whether the instruction only waits, hints or ends.
pub(crate) fn is_idle(mnemonic: &str) -> bool {
    begins(mnemonic, &IDLE)
}

/// Whether a mnemonic begins with one of `starts`.
pub(crate) fn begins(mnemonic: &str, starts: &[&str]) -> bool {
    starts.iter().any(|start| mnemonic.starts_with(start))
}

/// Scalar instructions that compute nothing.
const IDLE: [&str; 14] = [
    "s_nop",
    "s_wait",
    "s_delay_alu",
    "s_clause",
    "s_sleep",
    "s_endpgm",
    "s_setprio",
    "s_sethalt",
    "s_set_inst_prefetch",
    "s_inst_prefetch",
    "s_icache",
    "s_dcache",
    "s_code_end",
    "s_barrier",
];

impl Counts {
    /// The counts of a listing, which need not be a whole kernel.
    pub(crate) fn of(listing: &Listing) -> Self {
        let mut counts = Self::default();
        for (at, instruction) in listing.instructions.iter().enumerate() {
            counts.instructions += 1;
            if instruction.dialect() == Dialect::Sass {
                counts.backward_branches += u64::from(listing.target(at).is_some_and(|to| to <= at));
                class(instruction, &mut counts).into_iter().for_each(|class| *class += 1);
                continue;
            }
            // On an atomic, `glc` requests the old value instead.
            let glc = instruction.operands.iter().any(|operand| operand.split(' ').any(|word| word == "glc"));
            counts.note(&instruction.mnemonic, glc);
            let is_behind = |(label, before): &(String, usize)| {
                *before <= at && instruction.operands.first() == Some(label)
            };
            // Without labels, the operand of a branch is a signed 16-bit distance in words; negative distances are
            // above 0x7fff.
            let jumps_back = || instruction.operands.iter().any(|to| number(to) > Some(0x7fff));
            let goes_back = listing.labels.iter().any(is_behind) || jumps_back();
            counts.backward_branches += u64::from(is_branch(&instruction.mnemonic) && goes_back);
        }
        counts
    }

    /// Adds an instruction to its class. Instructions that neither move nor compute data have none.
    fn note(&mut self, mnemonic: &str, glc: bool) {
        let Some((family, rest)) = mnemonic.split_once('_') else { return };
        let class = match family {
            "image" | "buffer" | "tbuffer" | "global" | "flat" | "scratch" => {
                if rest.starts_with("atomic") {
                    &mut self.vmem_atomics
                } else if rest.starts_with("store") {
                    self.vmem_stores_glc += u64::from(glc);
                    &mut self.vmem_stores
                } else if begins(rest, &["load", "sample", "gather"]) {
                    self.vmem_loads_glc += u64::from(glc);
                    &mut self.vmem_loads
                } else {
                    // Cache control and image size queries.
                    return;
                }
            }
            "ds" => &mut self.lds,
            "v" => &mut self.valu,
            "s" if begins(rest, &["load_", "buffer_load_"]) => &mut self.scalar_loads,
            "s" if rest.starts_with("barrier") => &mut self.barriers,
            "s" if is_branch(mnemonic) => &mut self.branches,
            "s" if !is_idle(mnemonic) => &mut self.salu,
            _ => return,
        };
        *class += 1;
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
