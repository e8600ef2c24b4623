//! The forms of the kernel.

/// A way to compute the hashes.
pub struct Form {
    /// The variant: where entries come from, the size of workgroups where it is not the usual one, and what else differs.
    pub name: &'static str,
    /// The file in `shaders/groestl/`, without its ending.
    pub shader: &'static str,
    /// Invocations per workgroup.
    pub workgroup: u32,
    /// What its shader calls definitions, `NAME` or `NAME=VALUE`, separated by spaces.
    pub defines: &'static str,
}

const fn form(name: &'static str, shader: &'static str, workgroup: u32, defines: &'static str) -> Form {
    Form { name, shader, workgroup, defines }
}

/// Those of the default run, then by what they change.
#[rustfmt::skip]
pub const FORMS: [Form; 36] = [
    form("eight_tables",            "tables",      256, "EIGHT_TABLES"),
    form("eight_tables_unroll_14",  "tables",      256, "EIGHT_TABLES UNROLL=ROUND_14"),
    form("eight_tables_64",         "tables",       64, "EIGHT_TABLES"),
    form("eight_tables_64_unroll_14", "tables",     64, "EIGHT_TABLES UNROLL=ROUND_14"),
    form("one_table",               "tables",      256, "COPIES=1"),
    form("copies",                  "tables",      512, "COPIES=16"),
    form("fewer_reads",             "fewer_reads", 512, "COPIES=16"),
    form("bits",                    "bits",         64, ""),
    form("no_reads",                "tables",      256, "NO_READS"),
    form("no_reads_unroll_14",      "tables",      256, "NO_READS UNROLL=ROUND_14"),
    // Other lookups.
    form("storage_table",           "tables",      256, "STORAGE_TABLE"),
    form("uniform_table",           "tables",      256, "UNIFORM_TABLE"),
    form("rows_from_memory",        "tables",      256, "COPIES=1 ROWS_FROM_MEMORY=2"),
    // Other sizes of code.
    form("copies_together",         "together",    512, "COPIES=16"),
    form("copies_two_p",            "tables",      512, "COPIES=16 TWO_P"),
    form("copies_unroll_7",         "tables",      512, "COPIES=16 UNROLL=ROUND_7"),
    form("copies_unroll_14",        "tables",      512, "COPIES=16 UNROLL=ROUND_14"),
    form("copies_unroll_14_two_p",  "tables",      512, "COPIES=16 UNROLL=ROUND_14 TWO_P"),
    form("bits_unroll_2",           "bits",         64, "UNROLL=ROUND_2"),
    form("bits_unroll_7",           "bits",         64, "UNROLL=ROUND_7"),
    form("bits_unroll_14",          "bits",         64, "UNROLL=ROUND_14"),
    // The same where few waves share what is fetched.
    form("no_reads_64_half_round",  "tables",       64, "NO_READS HALF_ROUND"),
    form("no_reads_64",             "tables",       64, "NO_READS"),
    form("no_reads_64_unroll_2",    "tables",       64, "NO_READS UNROLL=ROUND_2"),
    form("no_reads_64_unroll_7",    "tables",       64, "NO_READS UNROLL=ROUND_7"),
    form("no_reads_64_unroll_14",   "tables",       64, "NO_READS UNROLL=ROUND_14"),
    form("copies_128_unroll_14",    "tables",      128, "COPIES=16 UNROLL=ROUND_14"),
    form("copies_256_unroll_14",    "tables",      256, "COPIES=16 UNROLL=ROUND_14"),
    // Other numbers of registers: by the size of workgroups, and by what waits in shared memory.
    form("copies_128",              "tables",      128, "COPIES=16"),
    form("copies_256",              "tables",      256, "COPIES=16"),
    form("copies_768",              "tables",      768, "COPIES=16"),
    form("copies_1024",             "tables",     1024, "COPIES=16"),
    form("one_table_768",           "tables",      768, "COPIES=1"),
    form("one_table_128",           "tables",      128, "COPIES=1"),
    form("one_table_128_parked",    "tables",      128, "COPIES=1 PARKED"),
    form("bits_parked",             "bits",         64, "PARKED"),
];

impl Form {
    /// Whether this is one of its definitions.
    pub fn has(&self, define: &str) -> bool {
        self.defines.split_whitespace().any(|known| known == define)
    }

    /// Whether it computes Groestl, and not the hash that does without a table.
    pub fn reads_entries(&self) -> bool {
        !self.has("NO_READS")
    }

    /// Whether it is another form's code but for the size of workgroups and the number of copies.
    pub fn repeats_another(&self) -> bool {
        let code = |form: &Self| (form.shader, form.defines.replace("COPIES=16", "COPIES=1"));
        FORMS.iter().take_while(|other| other.name != self.name).any(|other| code(other) == code(self))
    }

    /// Whether it has so much code that lavapipe compiles it for a minute.
    pub fn takes_a_cpu_a_minute(&self) -> bool {
        self.has("UNROLL=ROUND_14") || self.has("UNROLL=ROUND_7") && self.shader == "tables"
    }

    /// Workgroups for this many hashes. Bit by bit, an invocation computes two.
    pub fn workgroups(&self, hashes: u32) -> u32 {
        hashes.div_ceil(self.workgroup * if self.shader == "bits" { 2 } else { 1 })
    }
}
