//! Tests: programs that were damaged by hand are refused with the right reason.

use super::*;
use crate::ir::{InstanceId, OWN, Op, OpId, Part, Read, Task, ValueId, Write};
use crate::tests::Optimised;
use crate::tuning::Tuning;

impl Optimised {
    /// The verifier's message after the frame was damaged.
    #[track_caller]
    fn refused(&self, complaint: &str, breaks: impl Fn(&mut Program)) {
        let mut program = self.frame.clone();
        breaks(&mut program);
        let message = verify_scheduled(&self.graph, &program).expect_err(complaint);
        println!("{message}");
        assert!(message.contains(complaint), "{message}, not {complaint}");
    }

    /// The first value that a node's stage writes.
    fn made(&self, node: &str) -> ValueId {
        self.frame.ops[self.stage(node)].writes[0].value
    }
}

fn plain() -> Optimised {
    Optimised::new(&Tuning::default())
}

fn fused() -> Optimised {
    Optimised::new(&Tuning::gpu())
}

fn read(value: ValueId) -> Read {
    Read { stage: OWN, port: 0, part: Part::Whole, value }
}

fn swap(program: &mut Program, one: OpId, other: OpId) {
    let before = program.ops[one].clone();
    program.ops[one] = std::mem::replace(&mut program.ops[other], before);
}

fn last(program: &Program, is: impl Fn(&Op) -> bool) -> OpId {
    program.ops.entries().rfind(|(_, op)| is(op)).unwrap().0
}

#[test]
fn programs_after_all_passes_are_in_order() {
    for good in [plain(), fused()] {
        println!("{}", crate::ir::text(&good.graph, &good.frame));
        assert_eq!(verify_scheduled(&good.graph, &good.frame), Ok(()));
        assert_eq!(verify_scheduled(&good.graph, &good.reset), Ok(()));
    }
}

#[test]
fn an_operation_names_only_what_there_is() {
    let good = plain();
    let (half, ramp) = (good.stage("half"), good.graph.node("ramp").unwrap());
    let (nothing, far) = (ValueId::new(999), InstanceId::new(9));
    good.refused("its first stage is not its own", |program| program.ops[half].stages[OWN].node = ramp);
    good.refused("%999 is no value", |program| program.ops[half].reads[0].value = nothing);
    good.refused("%999 is no value", |program| program.ops[half].writes[0].value = nothing);
    good.refused("%999 is no value", |program| program.ops[half].writes[0].consumes = Some(nothing));
    good.refused("%999 is no value", |program| program.ops[half].gate = Some(nothing));
    good.refused("it makes no sweep", |program| program.ops[half].sweeps = 0);
    good.refused("it makes 2 sweeps, and has no tile", |program| program.ops[half].sweeps = 2);
    good.refused("stage 9 of it, which reads %0, is none", |program| program.ops[half].reads[0].stage = far);
    good.refused("stage 9 of it, which writes %4, is none", |program| program.ops[half].writes[0].stage = far);
    good.refused("`half` has no input 7, which reads %0", |program| program.ops[half].reads[0].port = 7);
    good.refused("`half` has no output 7, which writes %4", |program| program.ops[half].writes[0].port = 7);
    let add = good.stage("solve/add");
    good.refused("begins with a constant, and updates a version too", |program| {
        let Task::Test { below, .. } = &program.ops[good.find("solve", |_| true)].task else { panic!("no test") };
        program.ops[add].writes[0].start = Some(below.clone());
    });
}

#[test]
fn stages_of_an_operation_are_called() {
    let good = fused();
    let (less, half) = (good.stage("less"), InstanceId::new(1));
    good.refused("stage 1 of it is called by none of its stages", |program| {
        program.ops[less].stages[half].callers = vec![(InstanceId::new(9), 0)];
    });
    good.refused("stage 1 of it is called by none of its stages", |program| {
        program.ops[less].stages[half].callers = vec![(half, 0)];
    });
    good.refused("stage 1 of it is called by nothing", |program| program.ops[less].stages[half].before = false);
    let other = good.made("ramp");
    good.refused("is forwarded, and none of its stages makes it", |program| {
        program.ops[less].forwarded[0].value = other;
    });
}

#[test]
fn a_value_is_written_once_and_before_it_is_read() {
    let good = plain();
    let half = good.stage("half");
    let less = good.stage("less");
    let spread = good.stage("spread");
    let (x, y) = (good.made("half"), good.made("less"));
    good.refused("%4 has two writers", |program| program.ops[less].writes[0].value = x);
    good.refused("%0 has two writers", |program| program.ops[less].writes[0].value = ValueId::new(0));
    good.refused("nothing writes %6, which it needs", |program| program.ops[half].reads[0].value = ValueId::new(6));
    good.refused("%4, which it needs, is not stored", |program| program.ops[half].writes[0].transient = true);
    good.refused("operations wait for each other", |program| program.ops[half].reads[0].value = y);
    good.refused("%4, which it needs, is written later", |program| swap(program, half, less));
    good.refused("it is invariant, and runs with the frame", |program| program.ops[spread].invariant = true);
}

#[test]
fn what_outlives_the_frame_is_written_and_stored() {
    let good = plain();
    let last = good.frame.ops.ids().next_back().unwrap();
    good.refused("nothing writes %6, which has to outlive", |program| program.pinned.push(ValueId::new(6)));
    good.refused("which has to outlive the frame", |program| program.ops.retain(|op, _| op != last));
    good.refused("is not stored, and has to outlive the frame", |program| program.ops[last].writes[0].transient = true);
}

#[test]
fn what_a_group_that_may_stop_writes_is_carried() {
    let good = plain();
    let (add, half) = (good.stage("solve/add"), good.stage("half"));
    let gated = good.frame.ops.position(|op| op.gate.is_some()).unwrap();
    let (x, left) = (good.frame.ops[gated].writes[0].value, good.frame.ops[gated].writes[1].value);
    let ungated = good.made("half");
    good.refused("%4 is no gate for it", |program| program.ops[gated].gate = Some(ungated));
    good.refused("is no gate for it", |program| program.ops[gated].invariant = true);
    let behind = last(&good.frame, |op| op.gate.is_none());
    good.refused("%12, which it needs, may not have been written in this frame", |program| {
        program.ops[behind].reads.push(read(left));
    });
    good.refused("has to outlive the frame, and may not have been written in it", |program| program.pinned.push(left));
    good.refused("may not have been written in", |program| program.together.clear());
    good.refused("of 4 versions that are carried, 3 are written", |program| program.together[0].push(ValueId::new(6)));
    // A later repeat reads what an earlier one wrote, never the reverse.
    let second = good.frame.ops[gated].gate;
    good.refused("which it needs, may not have been written in this frame", |program| {
        program.together.clear();
        program.pinned.retain(|value| *value != x);
        let later = last(program, |op| op.gate.is_some() && op.gate != second);
        let made = program.ops[later].writes[1].value;
        program.ops[gated].reads.push(read(made));
    });
    assert!(add < gated && half < gated);
}

#[test]
fn sums_take_the_place_of_what_they_add_to() {
    let good = plain();
    let (spread, less) = (good.stage("spread"), good.stage("less"));
    let zero = good.frame.ops[spread].writes[0].consumes.unwrap();
    good.refused("%24 has to take the place of %23, which it may not overwrite", |program| {
        program.ops[spread].reads.push(read(zero));
    });
    good.refused("%24 has to take the place of %23, which it may not overwrite", |program| {
        let write = program.ops[spread].writes[0].clone();
        let value = program.values.push(program.values[zero].clone());
        program.ops[spread].writes.push(Write { value, ..write });
    });
    good.refused("%24 has to take the place of %23, which has to outlive the frame", |program| {
        program.pinned.push(zero)
    });
    // A reader of the sum cannot read the version before it.
    good.refused("which operation 12 of spread can only read later", |program| {
        program.ops[OpId::new(spread.index() + 1)].reads.push(read(zero));
    });
    // An unrelated operation could, but does not.
    good.refused("which operation 13 of less reads later", |program| {
        let mut late = program.ops[less].clone();
        late.reads[0].value = zero;
        late.writes[0].value = program.values.push(program.values[zero].clone());
        program.ops.push(late);
    });
}
