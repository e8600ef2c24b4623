//! The part of a generated kernel that splits tiles along K. After whole waves of tiles, fewer are left than the device has
//! room for; here as many workgroups as it has room for share their steps evenly.
//!
//! ```text
//! tile      0         │ 1         │ 2           of 3 tiles, shared by 4 workgroups
//! steps     ────────────────────────────────
//! workgroup 0        1        2        3        each has the end of one tile and the begin of the next
//! ```
//!
//! Osama, Merrill, Cecka, Garland and Owens describe this as Stream-K (PPoPP 2023). Their workgroups wait for each other.
//! Here the workgroup that ends last adds all parts, and no workgroup waits for another.

use crate::generator::{GROUP, Text};
use crate::store;

/// What a split kernel declares besides.
pub fn interface(text: &mut Text<'_>) {
    for line in [
        "layout(constant_id = 5) const uint FIRST_TILE = 0u;",
        "layout(constant_id = 6) const uint WORKERS = 1u;",
        "layout(std430, set = 0, binding = 3) nonprivate buffer Parts { float parts[]; };",
        "layout(std430, set = 0, binding = 4) buffer Arrived { uint arrived[]; };",
        "shared uint arrived_before;",
    ] {
        text.add(line);
    }
}

/// The tiles of a workgroup, each from one of its steps to another.
pub fn tiles(text: &mut Text<'_>) {
    for line in [
        // Units are the steps of all tiles. The first `longer` shares have one more than the others.
        "const uint units = ((M + ROWS - 1u) / ROWS * tiles_across - FIRST_TILE) * steps;",
        "const uint share = units / WORKERS, longer = units % WORKERS;",
        &format!("const uint worker = {GROUP};"),
        "uint unit = worker * share + min(worker, longer);",
        "const uint end_unit = unit + share + (worker < longer ? 1u : 0u);",
        "while (unit < end_unit) {",
        "const uint split = unit / steps, tile = FIRST_TILE + split;",
        "const uint begin = unit % steps, end = min(steps, begin + end_unit - unit);",
        "unit += end - begin;",
    ] {
        text.add(line);
    }
    text.tile();
    add_up(text);
    store::results(text);
    text.add("}");
}

/// Stores the sums of a tile that several workgroups share. The last to arrive adds all parts in the order of K, so that the
/// result does not depend on who is last.
fn add_up(text: &mut Text<'_>) {
    let sums = text.sums();
    let [each, invocations] = [sums.len(), text.plan.invocations() as usize];
    // A worker has two places: for the end of a tile, and for the begin of one.
    let place = |worker: &str| {
        let words = each * invocations;
        format!("(2u * {worker} + ({worker} == from ? 1u : 0u)) * {words}u + invocation")
    };
    let worker_of =
        |unit: &str| format!("{unit} < seam ? {unit} / (share + 1u) : longer + ({unit} - seam) / share");
    let scope = "gl_ScopeQueueFamily, gl_StorageSemanticsBuffer";
    let (release, acquire) =
        ("gl_SemanticsRelease | gl_SemanticsMakeAvailable", "gl_SemanticsAcquire | gl_SemanticsMakeVisible");
    text.add("const uint seam = longer * (share + 1u), first = split * steps, last = first + steps - 1u;");
    text.add(format!("const uint from = {}, to = {};", worker_of("first"), worker_of("last")));
    text.add("if (from != to) {");
    text.add(format!("uint at = {};", place("worker")));
    for (n, sum) in sums.iter().enumerate() {
        text.add(format!("parts[at + {}u] = {sum};", n * invocations));
    }
    text.add(format!("memoryBarrier({scope}, {release});"));
    text.add("barrier();");
    text.add("if (invocation == 0u) {");
    text.add(format!(
        "arrived_before = atomicAdd(arrived[split], 1u, {scope}, \
         gl_SemanticsAcquireRelease | gl_SemanticsMakeAvailable | gl_SemanticsMakeVisible);"
    ));
    text.add("}");
    text.add("barrier();");
    text.add("if (arrived_before != to - from) { continue; }");
    text.add(format!("memoryBarrier({scope}, {acquire});"));
    sums.iter().for_each(|sum| text.add(format!("{sum} = 0.0;")));
    text.add("for (uint of = from; of <= to; ++of) {");
    text.add(format!("at = {};", place("of")));
    for (n, sum) in sums.iter().enumerate() {
        text.add(format!("{sum} += parts[at + {}u];", n * invocations));
    }
    text.add("}");
    text.add("}");
}
