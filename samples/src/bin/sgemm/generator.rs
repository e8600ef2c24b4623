//! Generates the GLSL of straight-line kernels: loops over results and over the k of a step are written out, so that every
//! value has a name, and the order of the multiply-adds is the order of the lines. `shaders/sgemm/loops.comp` is the same
//! algorithm with loops, to read.
//!
//! ```text
//! a step   fetch     the next step's part of A and B     global memory → registers
//!          read      a column of A's part, a row of B's  shared memory → registers, one k ahead
//!          multiply  every pair of the two               for each k
//!          put       what was fetched                    registers → the other buffer, then a barrier
//! ```

use crate::plan::{Oddity, Plan};
use crate::{split, store};

/// Components of a vector.
const COMPONENTS: [&str; 4] = ["x", "y", "z", "w"];

/// The pack that holds the SPIR-V of all these kernels.
pub const PACK: &str = "sgemm/generated";

/// Name of a kernel, and of its source.
pub fn name(plan: &Plan) -> String {
    format!("{PACK} {plan}")
}

/// The GLSL of a kernel.
pub fn glsl(plan: &Plan) -> String {
    let mut text = Text { plan, lines: Vec::new(), depth: 0 };
    text.interface();
    text.add("void main() {");
    text.places();
    if plan.splits {
        split::tiles(&mut text);
    } else {
        text.add(format!("const uint tile = {GROUP}, begin = 0u, end = steps;"));
        text.tile();
        store::results(&mut text);
    }
    text.add("}");
    text.lines.join("\n") + "\n"
}

/// Number of the workgroup.
pub const GROUP: &str = "gl_WorkGroupID.y * gl_NumWorkGroups.x + gl_WorkGroupID.x";

/// The lines of a kernel.
pub struct Text<'p> {
    /// What is generated.
    pub plan: &'p Plan,
    lines: Vec<String>,
    depth: usize,
}

impl Text<'_> {
    /// Adds a line, as deep as the braces before it are.
    pub fn add(&mut self, line: impl Into<String>) {
        let line = line.into();
        self.depth -= usize::from(line.starts_with('}'));
        self.lines.push("    ".repeat(self.depth) + &line);
        self.depth += usize::from(line.ends_with('{'));
    }

    /// Names of the sums, row by row.
    pub fn sums(&self) -> Vec<String> {
        let [rows, columns] = self.plan.each;
        (0..rows).flat_map(|i| (0..columns).map(move |j| format!("sum{i}_{j}"))).collect()
    }

    fn interface(&mut self) {
        let plan = self.plan;
        self.add("#version 460");
        if plan.splits {
            self.add("#pragma use_vulkan_memory_model");
            self.add("#extension GL_KHR_memory_scope_semantics : require");
        }
        self.add("#extension GL_GOOGLE_include_directive : require");
        for (name, value) in [
            ("ROWS", plan.tile[0]),
            ("COLUMNS", plan.tile[1]),
            ("DEPTH", plan.depth),
            ("LOADS", plan.loads),
            ("READS", plan.reads),
            ("A_WORDS", plan.a_words()),
        ] {
            self.add(format!("#define {name} {value}u"));
        }
        self.add(format!("#define FLOATS {}", vector(plan.loads)));
        self.add("#include \"sgemm/matrices.glsl\"");
        if plan.splits {
            split::interface(self);
        }
        self.add(format!("layout(local_size_x = {}) in;", plan.invocations()));
        let size = plan.shared_words() / plan.reads;
        self.add(format!("shared {} tiles[{size}];", vector(plan.reads)));
    }

    /// Which results of a tile the invocation computes, and what it moves of a step. Words of shared memory are counted in
    /// what a read takes.
    fn places(&mut self) {
        let plan = self.plan;
        let [down, across] = plan.lanes;
        let waves_across = plan.tile[1] / (across * plan.each[1]);
        let [high, wide] = [down * plan.each[0], across * plan.each[1]];
        let four_k = 4 * plan.tile[0] + plan.shift();
        self.add("const uint invocation = gl_LocalInvocationIndex, lane = invocation % 32u, wave = invocation / 32u;");
        self.add(format!("const uint row = wave / {waves_across}u * {high}u + lane / {across}u * 4u;"));
        self.add(format!("const uint column = wave % {waves_across}u * {wide}u + lane % {across}u * 4u;"));
        self.add(
            "const uint a_row = invocation / (DEPTH / LOADS), a_k = invocation % (DEPTH / LOADS) * LOADS;",
        );
        self.add("const uint b_k = invocation / (COLUMNS / LOADS), b_column = invocation % (COLUMNS / LOADS) * LOADS;");
        self.add(format!("const uint put_a = (a_k / 4u * {four_k}u + a_k % 4u * ROWS + a_row) / READS;"));
        self.add("const uint put_b = (A_WORDS + b_k * COLUMNS + b_column) / READS;");
        if plan.reads > 1 {
            self.add("const uint a_part = a_row % READS, b_part = b_column % READS;");
        }
        self.add("const uint steps = K / DEPTH, tiles_across = (N + COLUMNS - 1u) / COLUMNS;");
    }

    /// Computes the sums of a tile, or those of its steps from `begin` to `end`.
    pub fn tile(&mut self) {
        self.add("const uint first_row = tile / tiles_across * ROWS, first_column = tile % tiles_across * COLUMNS;");
        self.add("uint at_a = ((first_row + a_row) * K + begin * DEPTH + a_k) / LOADS;");
        self.add("uint at_b = ((begin * DEPTH + b_k) * STRIDE + first_column + b_column) / LOADS;");
        self.add("uint read_a = row / READS, read_b = (A_WORDS + column) / READS;");
        self.registers();
        if self.plan.prefetches { self.overlapped_steps() } else { self.simple_steps() }
    }

    fn registers(&mut self) {
        let plan = self.plan;
        for row in self.sums().chunks(plan.each[1] as usize) {
            self.add(format!("float {} = 0.0;", row.join(" = 0.0, ")));
        }
        let vectors = |name, set, count| (0..count / 4).map(move |at| format!("{name}{set}_{at}"));
        for set in 0..if plan.ahead { 2 } else { 1 } {
            let [rows, columns] = plan.each;
            let all: Vec<_> = vectors("x", set, rows).chain(vectors("y", set, columns)).collect();
            self.add(format!("vec4 {};", all.join(", ")));
        }
        let pieces = |name, matrix| (0..plan.pieces(matrix)).map(move |at| format!("{name}{at}"));
        let all: Vec<_> = pieces("next_a", 0).chain(pieces("next_b", 1)).collect();
        self.add(format!("{} {};", vector(plan.loads), all.join(", ")));
    }

    /// Steps that wait for their own loads.
    fn simple_steps(&mut self) {
        self.add("for (uint step = begin; step < end; ++step) {");
        self.fetch();
        self.advance();
        self.add("barrier();");
        self.put("0u");
        self.add("barrier();");
        self.multiply_all();
        self.add("}");
    }

    /// Steps that load what the next one needs. The last one has no next one: it loads its own part again, which costs
    /// less than a branch around the loads.
    fn overlapped_steps(&mut self) {
        self.fetch();
        self.put("0u");
        self.add("barrier();");
        self.add(format!("uint free = {}u;", self.plan.buffer_words() / self.plan.reads));
        if self.plan.ahead {
            self.read(0, 0);
        }
        self.add("for (uint step = begin + 1u; step <= end; ++step) {");
        let steps = if let Some(Oddity::Unrolled(steps)) = self.plan.oddity { steps } else { 1 };
        for at in 0..steps {
            if at > 0 {
                self.add("if (++step > end) { break; }");
            }
            self.overlapped_step();
        }
        self.add("}");
    }

    fn overlapped_step(&mut self) {
        self.add("if (step < end) {");
        self.advance();
        self.add("}");
        self.fetch();
        if self.plan.buffers == 1 { self.step_of_one_buffer() } else { self.step_of_two_buffers() }
    }

    fn step_of_one_buffer(&mut self) {
        self.multiply_all();
        self.add("barrier();");
        self.put("0u");
        self.add("barrier();");
        if self.plan.ahead {
            self.read(0, 0);
        }
    }

    /// The other buffer is filled before the last k is multiplied, so that its multiply-adds hide the barrier.
    fn step_of_two_buffers(&mut self) {
        let plan = self.plan;
        for k in 0..plan.depth {
            if !plan.ahead {
                self.read(0, k);
            }
            if k == plan.depth - 1 {
                if plan.oddity == Some(Oddity::SecondBarrier) {
                    self.add("barrier();");
                }
                self.put("free");
                self.add("barrier();");
                self.switch();
            }
            if plan.ahead {
                self.read((k + 1) % 2, (k + 1) % plan.depth);
            }
            self.multiply(if plan.ahead { k % 2 } else { 0 });
        }
    }

    /// Reads from the buffer that was filled, fills the one that was read.
    fn switch(&mut self) {
        let buffer = self.plan.buffer_words() / self.plan.reads;
        self.add("read_a = row / READS + free;");
        self.add("read_b = (A_WORDS + column) / READS + free;");
        self.add(format!("free = {buffer}u - free;"));
    }

    /// All k of a step, from one buffer.
    fn multiply_all(&mut self) {
        let plan = self.plan;
        for k in 0..plan.depth {
            match plan.ahead {
                true if k + 1 < plan.depth => self.read((k + 1) % 2, k + 1),
                true => {}
                false => self.read(0, k),
            }
            self.multiply(if plan.ahead { k % 2 } else { 0 });
        }
    }

    /// Global memory to registers.
    fn fetch(&mut self) {
        let (plan, loads) = (self.plan, self.plan.loads);
        self.add("// fetch");
        for piece in 0..plan.pieces(0) {
            self.add(format!("next_a{piece} = a[at_a + {}u * (K / LOADS)];", plan.a_rows(piece)));
        }
        for piece in 0..plan.pieces(1) {
            let [k, columns] = plan.b_offset(piece);
            let columns = columns / loads;
            self.add(format!("next_b{piece} = b[at_b + {k}u * (STRIDE / LOADS) + {columns}u];"));
        }
    }

    /// To the next step.
    fn advance(&mut self) {
        self.add("at_a += DEPTH / LOADS;");
        self.add("at_b += DEPTH * (STRIDE / LOADS);");
    }

    /// Registers to shared memory: A's part transposed.
    fn put(&mut self, buffer: &str) {
        let (plan, loads, reads) = (self.plan, self.plan.loads as usize, self.plan.reads);
        self.add("// put");
        let part = |name| if reads == 1 { String::new() } else { format!("[{name}_part]") };
        let of = |name: String, parts: &[&str]| {
            if loads == 1 { name } else { format!("{name}.{}", parts.concat()) }
        };
        for piece in 0..plan.pieces(0) {
            for (k, component) in (0..).zip(COMPONENTS.chunks(1).take(loads)) {
                let place = (k * plan.tile[0] + plan.a_rows(piece)) / reads;
                let value = of(format!("next_a{piece}"), component);
                self.add(format!("tiles[{buffer} + put_a + {place}u]{} = {value};", part("a")));
            }
        }
        for piece in 0..plan.pieces(1) {
            let [k, columns] = plan.b_offset(piece);
            let place = (k * plan.tile[1] + columns) / reads;
            if loads == 1 {
                self.add(format!("tiles[{buffer} + put_b + {place}u]{} = next_b{piece};", part("b")));
                continue;
            }
            for (at, parts) in (place..).zip(COMPONENTS.chunks(reads as usize)) {
                self.add(format!(
                    "tiles[{buffer} + put_b + {at}u] = {};",
                    of(format!("next_b{piece}"), parts)
                ));
            }
        }
    }

    /// Shared memory to registers: what the invocation multiplies of one k.
    fn read(&mut self, set: u32, k: u32) {
        let plan = self.plan;
        let [down, across] = plan.lanes;
        self.add(format!("// read k = {k}"));
        for at in 0..plan.each[0] / 4 {
            let word = k * plan.tile[0] + k / 4 * plan.shift() + at * down * 4;
            self.read_vector(&format!("x{set}_{at}"), "read_a", word);
        }
        for at in 0..plan.each[1] / 4 {
            self.read_vector(&format!("y{set}_{at}"), "read_b", k * plan.tile[1] + at * across * 4);
        }
    }

    fn read_vector(&mut self, name: &str, from: &str, word: u32) {
        let reads = self.plan.reads;
        let place = |at| format!("tiles[{from} + {}u]", word / reads + at);
        let places: Vec<String> = (0..4 / reads).map(place).collect();
        let value = if reads == 4 { places.concat() } else { format!("vec4({})", places.join(", ")) };
        self.add(format!("{name} = {value};"));
    }

    /// The multiply-adds of one k.
    fn multiply(&mut self, set: u32) {
        self.add("// multiply");
        for [i, j] in self.plan.order.of(self.plan.each) {
            let [x, y] = [("x", i), ("y", j)]
                .map(|(name, at)| format!("{name}{set}_{}.{}", at / 4, COMPONENTS[at as usize % 4]));
            self.add(format!("sum{i}_{j} = fma({x}, {y}, sum{i}_{j});"));
        }
    }
}

/// A type of this many floats.
fn vector(floats: u32) -> &'static str {
    match floats {
        1 => "float",
        2 => "vec2",
        _ => "vec4",
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::plan::LADDER;

    /// The algorithm as it stands in the text: each result is summed once per k, each buffer is written and read.
    #[test]
    fn lines_are_as_many_as_the_algorithm_has() {
        let count = |text: &str, begin: &str| {
            text.lines().filter(|line| line.trim_start().starts_with(begin)).count()
        };
        for (name, plan) in LADDER {
            let text = glsl(&plan);
            let [rows, columns] = plan.each;
            let sums = (rows * columns * plan.depth) as usize;
            assert_eq!(text.matches("= fma(").count(), sums, "{name}");
            let barriers = if plan.buffers == 2 || !plan.prefetches { 2 } else { 3 };
            assert_eq!(count(&text, "barrier();"), barriers, "{name}");
        }
    }
}
