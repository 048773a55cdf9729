//! Whether an adapter can run a plan.

use super::device::Gpu;
use crate::plan::{Plan, mebibytes};
use crate::problem::{Problem, Problems};

/// Compares a plan with the limits of the adapter.
pub(super) fn check_limits(gpu: &Gpu, plan: &Plan) -> Result<(), Problems> {
    let limits = gpu.limits();
    let mut problems = Problems::default();
    let mut lacks = |node: &str, what: String, needed: String, offered: String, remedy: &str| {
        let cause = format!("{what} needs {needed}, the adapter {} offers {offered}", gpu.name());
        problems.push(Problem::new(node, "", cause, remedy));
    };
    let binding = limits.max_storage_buffer_binding_size.min(limits.max_buffer_size);
    for buffer in plan.buffers.iter().filter(|b| b.bytes > binding) {
        let what = format!("the wire `{}`", buffer.label);
        let remedy =
            "lower the resolution of its domain, store it in half precision (f16), or split the wire into components";
        let (needed, offered) = (mebibytes(buffer.bytes), mebibytes(binding));
        // Most drivers offer one byte less than 2 GiB.
        let under = if needed == offered { "just under " } else { "" };
        lacks("", what, needed, format!("{under}{offered} a buffer"), remedy);
    }
    for kernel in &plan.kernels {
        let count = kernel.bindings.len() + usize::from(kernel.warns);
        let offered = limits.max_storage_buffers_per_shader_stage;
        if count > offered as usize {
            let what = format!("the stage `{}`", kernel.name);
            lacks(
                &kernel.node,
                what,
                format!("{count} storage buffers"),
                offered.to_string(),
                "split it into two stages",
            );
        }
        let offered = limits.max_uniform_buffer_binding_size;
        if u64::from(kernel.uniform_bytes) > offered {
            let what = format!("the parameters of the stage `{}` and of its fields", kernel.name);
            let needed = format!("{} bytes", kernel.uniform_bytes);
            lacks(&kernel.node, what, needed, offered.to_string(), "use fewer curves and gradients in one stage");
        }
        let size: u32 = kernel.workgroup.iter().product();
        if size > limits.max_compute_invocations_per_workgroup {
            let what = format!("the stage `{}`", kernel.name);
            let offered = limits.max_compute_invocations_per_workgroup;
            lacks(
                &kernel.node,
                what,
                format!("{size} invocations a workgroup"),
                offered.to_string(),
                "use another adapter",
            );
        }
    }
    let groups =
        [&plan.frame, &plan.invariant, &plan.reset].into_iter().flatten().flat_map(|d| d.groups.map(|g| (g, &d.node)));
    if let Some((count, node)) = groups.max().filter(|(g, _)| *g > limits.max_compute_workgroups_per_dimension) {
        let offered = limits.max_compute_workgroups_per_dimension;
        lacks(
            node,
            "the dispatch".into(),
            format!("{count} workgroups along an axis"),
            offered.to_string(),
            "lower the resolution",
        );
    }
    if problems.is_empty() { Ok(()) } else { Err(problems) }
}
