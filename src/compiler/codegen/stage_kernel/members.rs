//! The uniform block of a kernel: parameters and constants of its stages, and what the compiler itself has to tell it.
//!
//! ```wgsl
//! struct Params { dissipation: f32, _in_gravity: vec2f, _f1_radius: f32, _iteration: i32 }
//! ```

use super::accessors::constant;
use super::alarms::{self, Guards};
use super::checks;
use super::context::{Context, Instance};
use super::names::{self, prefix};
use crate::codegen::uniforms::{Block, Content, Counter};
use crate::data::Alarm;
use crate::stage::types::ValueType;

/// The whole block. `guards`: what can go wrong in the stages.
pub(super) fn block(cx: &Context<'_>, guards: &[Guards<'_>]) -> Block {
    let mut block = Block::default();
    settings(cx, cx.dispatched(), &mut block);
    cx.inlined().for_each(|of| settings(cx, of, &mut block));
    for (of, cause) in guards.iter().flat_map(Guards::causes) {
        let alarm = Alarm { node: of.node.path.clone(), cause };
        block.push(alarms::member(of.index, cause), ValueType::I32, cx.dim, Content::Alarm(alarm));
    }
    for (name, counter) in counters(cx) {
        block.push(name.into(), ValueType::I32, cx.dim, Content::Word(counter));
    }
    checks::members(cx, &mut block);
    block
}

/// A stage's parameters, what its outputs start from, and its unwired inputs.
fn settings(cx: &Context<'_>, of: Instance<'_>, block: &mut Block) {
    let dim = cx.graph.dim(of.node);
    let prefix = prefix(of.index);
    for setting in &of.node.params {
        let content = Content::Setting(of.node.path.clone(), setting.clone());
        block.push(format!("{prefix}{}", setting.name), setting.ty, dim, content);
    }
    let begun = cx.op.writes.iter().filter(|w| w.stage == of.index).filter_map(|w| Some((w.port, w.start.as_ref()?)));
    for (port, setting) in begun {
        let content = Content::Setting(of.node.path.clone(), setting.clone());
        let name = of.stage.outputs().nth(port).map(names::start_member).unwrap_or_default();
        block.push(format!("{prefix}{name}"), setting.ty, dim, content);
    }
    for (port, setting) in constant::constants(of) {
        let content = Content::Setting(of.node.path.clone(), setting.clone());
        block.push(format!("{prefix}_in_{}", port.name), setting.ty, constant::width(cx, of, port), content);
    }
}

/// Counters that the kernel has to know.
fn counters(cx: &Context<'_>) -> impl Iterator<Item = (&'static str, Counter)> {
    let all = [
        ("_iteration", Counter::Iteration, cx.names("iteration")),
        ("_substep", Counter::Substep, cx.names("substep")),
        ("_color", Counter::Color, cx.op.color.is_some() && cx.op.sweeps == 1),
    ];
    all.into_iter().filter(|(.., used)| *used).map(|(name, counter, _)| (name, counter))
}
