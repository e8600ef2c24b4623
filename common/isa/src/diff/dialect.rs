//! What differs between AMD's and NVIDIA's machine code as reports show it.

use super::registers::{File, Registers};

/// Whose machine code a text is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Dialect {
    /// AMD's, GCN or RDNA.
    Gcn,
    /// NVIDIA's.
    Sass,
}

impl Dialect {
    /// What precedes a register's number.
    #[must_use]
    pub fn prefix(self, file: File) -> &'static str {
        match (self, file) {
            (Self::Sass, File::Scalar) => "UR",
            (Self::Sass, _) => "R",
            (Self::Gcn, File::Vector) => "v",
            (Self::Gcn, File::Scalar) => "s",
            (Self::Gcn, File::Accumulation) => "a",
        }
    }

    /// The maker's name for the registers of a file.
    #[must_use]
    pub fn registers(self, file: File) -> &'static str {
        match (self, file) {
            (Self::Sass, File::Scalar) => "Uniform registers",
            (Self::Sass, _) => "Registers",
            (Self::Gcn, File::Vector) => "VGPRs",
            (Self::Gcn, File::Scalar) => "SGPRs",
            (Self::Gcn, File::Accumulation) => "AGPRs",
        }
    }

    /// Registers as the assembler names them; NVIDIA's names the first.
    pub(super) fn shown(self, registers: Registers) -> String {
        match self {
            Self::Gcn => registers.to_string(),
            Self::Sass => format!("{}{}", self.prefix(registers.file), registers.first),
        }
    }
}
