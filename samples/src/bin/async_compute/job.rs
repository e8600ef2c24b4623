//! Arithmetic for the compute pipeline, and when its first workgroup begins.

use anyhow::Result;
use common::{BufferSet, Buffers, Cmd, Counter, Kernel, Lab, Rep, Variant};
use samples::noted::{Note, UNWRITTEN, Window, no_clock, started};

/// Invocations of a workgroup.
const LANES: u32 = 256;

/// A dispatch of arithmetic.
#[derive(Clone, Copy)]
pub struct Job {
    kernel: Kernel,
    results: Buffers,
    notes: Buffers,
    workgroups: u32,
    clock: Counter,
    lacks: Option<&'static str>,
}

impl Job {
    /// `workgroups` that do `rounds` each. If they are limited, each takes all the shared memory that a workgroup can have, so that few of
    /// them run at once.
    ///
    /// # Errors
    /// Not enough memory.
    pub fn new(lab: &mut Lab, name: &str, workgroups: u32, rounds: u32, is_limited: bool) -> Result<Self> {
        let device = lab.device();
        let lanes = LANES.min(device.max_workgroup_invocations);
        let (clock, lacks, shared_bytes) = (Counter::of(device), no_clock(device), device.max_shared_memory);
        let results = BufferSet::new(1, workgroups * lanes, UNWRITTEN).for_all_queues();
        let results = lab.output(&format!("results of {name}"), results)?;
        lab.expect(results, 0, move || started(workgroups, lanes, rounds, false));
        let notes = BufferSet::new(1, 4 * workgroups, UNWRITTEN).for_all_queues();
        let notes = lab.output(&format!("notes of {name}"), notes)?;
        let kernel = lab.kernel("async_compute/job.comp").workgroup([lanes, 1, 1]).constant("ROUNDS", rounds);
        let kernel = if is_limited {
            kernel.define("LIMITED").constant("ROOM", shared_bytes / 4).shared_bytes(shared_bytes.into())
        } else {
            kernel
        };
        Ok(Self { kernel: kernel.build(), results, notes, workgroups, clock, lacks })
    }

    pub fn dispatch(&self, cmd: &Cmd, rep: Rep) {
        let bindings = [self.results, self.notes].map(|set| set.get(rep.index, 0));
        cmd.dispatch(self.kernel, &bindings, &(), [self.workgroups, 1, 1]);
    }

    /// Declares when the first workgroup begins, in µs after the begin of the variant.
    pub fn measure(self, variant: &mut Variant) {
        let (notes, words) = (self.notes.get(0, 0), 4 * self.workgroups);
        variant.skip(self.lacks);
        variant.stamped_metric("µs", notes, words, move |words, stamps| {
            let began: Vec<u64> = Note::all(words)?.iter().map(|note| note.began).collect();
            let Some(window) = Window::around(self.clock, stamps, &began)? else { return Ok(None) };
            Ok(began.iter().map(|&ticks| window.us(ticks)).reduce(f64::min))
        });
    }
}
