//! What comes before and after the projections of an island whose particles stay in memory.

use common::{Buffer, Cmd, Kernel, KernelBuilder, Lab, Rep};
use samples::{LOADS_AND_STORES, STORES};

use crate::device::OnDevice;
use crate::reference::FLOOR;

/// Threads per workgroup, where a device allows so many.
const WIDE: u32 = 256;

/// The kernels around the projections.
#[derive(Clone, Copy)]
pub struct Passes {
    scene: OnDevice,
    threads: u32,
    begin: Kernel,
    floor: Kernel,
    finish: Kernel,
}

/// Threads per workgroup of kernels with a thread per particle, constraint or cell.
pub fn threads(lab: &Lab) -> u32 {
    WIDE.min(lab.device().max_workgroup_invocations)
}

/// Such a kernel.
pub fn wide<'l>(lab: &'l Lab, scene: &OnDevice, path: &str) -> KernelBuilder<'l> {
    lab.kernel(path).workgroup([threads(lab), 1, 1]).constant("PARTICLES", scene.particles)
}

impl Passes {
    pub fn new(lab: &Lab, scene: OnDevice) -> Self {
        let wide = |path| wide(lab, &scene, path);
        Self {
            scene,
            threads: threads(lab),
            begin: wide("group_physics/begin.comp").constant("FALL", scene.solver.fall().to_bits()).build(),
            floor: wide("group_physics/floor.comp").constant("FLOOR", FLOOR.to_bits()).build(),
            finish: wide("group_physics/finish.comp").build(),
        }
    }

    /// Lists a solve; `iteration` lists the projections of one iteration, each behind its barrier.
    pub fn record(&self, cmd: &Cmd, rep: Rep, iteration: impl Fn(Buffer)) {
        let OnDevice { islands, particles, solver, inputs, outputs, .. } = self.scene;
        let all = [particles.div_ceil(self.threads), islands, 1];
        let [state, results] = [outputs.state, outputs.results].map(|set| set.get(rep.index, 0));
        cmd.dispatch(self.begin, &[inputs.particles, inputs.frames, state], &(), all);
        for _ in 0..solver.iterations {
            iteration(state);
            if solver.gravity {
                cmd.pipeline_barrier2(STORES, LOADS_AND_STORES);
                cmd.dispatch(self.floor, &[state], &(), all);
            }
        }
        cmd.pipeline_barrier2(STORES, LOADS_AND_STORES);
        cmd.dispatch(self.finish, &[inputs.particles, inputs.frames, state, results], &(), all);
    }
}
