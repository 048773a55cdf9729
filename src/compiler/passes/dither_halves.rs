//! Stores in half precision round at random where their error would add up from frame to frame. Rounded to the nearest half, a State that changes
//! by less than half a step never changes at all.
//!
//! What is computed once is rounded to the nearest half: by its operation, or by one that computes the same again in every frame.

use super::hoist_invariant;
use crate::graph::Graph;
use crate::ir::{Program, Task, ValueId};
use crate::stage::types::Precision;

/// Marks the values whose stores are dithered. `hoisted`: whether the program knows what is computed once.
pub(super) fn mark(graph: &Graph, program: &mut Program, hoisted: bool) {
    if program.values.iter().all(|value| value.precision == Precision::F32) {
        return;
    }
    let dithered: Vec<ValueId> = match hoisted {
        true => written(program).collect(),
        false => {
            let mut hoisted_program = program.clone();
            hoist_invariant::mark(graph, &mut hoisted_program);
            written(&hoisted_program).collect()
        }
    };
    for id in dithered {
        if let Some(value) = program.values.get_mut(id) {
            value.dithered = value.precision == Precision::F16;
        }
    }
}

/// Values that are computed in every frame.
fn written(program: &Program) -> impl Iterator<Item = ValueId> + '_ {
    let computes = |task: &Task| matches!(task, Task::Stage | Task::Copy);
    let each = program.ops.iter().filter(move |op| computes(&op.task) && !op.invariant);
    each.flat_map(|op| op.writes.iter().map(|write| write.value))
}
