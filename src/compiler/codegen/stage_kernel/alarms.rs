//! What ends loops that are not proven finite, and visits of neighbours, and says at which node. The stages of a dispatch share a
//! budget for each invocation, and every one of them has an alarm of its own.
//!
//! An alarm holds the number of the frame that raised it, plus one. While it holds the present one, all other invocations give up at
//! their next look, so that a loop without end costs a dispatch little more than the first invocations that find it. Nobody looks
//! before 64 rounds, and nothing depends on it where no alarm is raised.
//!
//! ```wgsl
//! @group(0) @binding(4) var<storage, read_write> _alarms: array<atomic<u32>>;
//! fn _too_many(more: u32) -> bool { return _visited(more, params._neighbors); }
//! ```

use std::fmt::Write as _;

use super::context::{Context, Instance};
use super::names::prefix;
use crate::data::{Alarm, Cause};
use crate::graph::Node;
use crate::ir::{InstanceId, OWN, Part};
use crate::stage::syntax::{TokenKind, tokens};

/// Rounds that all loops of an invocation may make together when they are not proven finite, and neighbours that it may
/// visit. Below the 65,535 at which lavapipe would stop loops silently.
pub(super) const LOOP_BUDGET: u32 = 60_000;
/// Rounds before the first look at the alarm.
const FIRST_LOOK: u32 = 64;
/// Rounds between two looks, less one: a power of two less one.
const LOOKS: u32 = 1023;

/// Functions that text of a stage calls without declaring them.
pub(super) const GUARDS: [&str; 2] = ["_loop_spent", "_too_many"];

/// What has to be watched in a stage of a dispatch.
pub(super) struct Guards<'a> {
    pub index: InstanceId,
    pub node: &'a Node,
    /// Some loop is not proven finite.
    pub loops: bool,
    /// Whether the stage searches for neighbours.
    neighbors: bool,
    /// Whether the stage adds particles.
    capacity: bool,
}

impl<'a> Guards<'a> {
    /// `text`: all that was generated for the stage.
    pub(super) fn new(cx: &Context<'_>, of: Instance<'a>, text: &str, finite: bool) -> Guards<'a> {
        let search = cx.reads(of.index).any(|r| r.part == Part::Start);
        let visits = || tokens(text).iter().any(|t| t.kind == TokenKind::Word && t.text.ends_with("_too_many"));
        Guards {
            index: of.index,
            node: of.node,
            loops: !finite,
            neighbors: search || (text.contains("_too_many") && visits()),
            capacity: of.index == OWN && cx.emits().is_some(),
        }
    }

    pub(super) fn causes(&self) -> impl Iterator<Item = (&Guards<'a>, Cause)> {
        let used = [(Cause::Loop, self.loops), (Cause::Neighbors, self.neighbors), (Cause::Capacity, self.capacity)];
        used.into_iter().filter(|(_, used)| *used).map(move |(cause, _)| (self, cause))
    }
}

/// Every alarm that the stages of a kernel can raise, once.
pub(super) fn alarms(guards: &[Guards<'_>]) -> Vec<Alarm> {
    let mut out = Vec::new();
    for (of, cause) in guards.iter().flat_map(Guards::causes) {
        let alarm = Alarm { node: of.node.path.clone(), cause };
        if !out.contains(&alarm) {
            out.push(alarm);
        }
    }
    out
}

/// Member of the uniform block that holds the index of a stage's alarm.
pub(super) fn member(index: InstanceId, cause: Cause) -> String {
    format!("{}{}", prefix(index), cause.member())
}

/// The alarms, behind a kernel's own buffers, and the functions that raise them.
pub(super) fn functions(binding: usize, guards: &[Guards<'_>]) -> String {
    let mut out = format!("@group(0) @binding({binding}) var<storage, read_write> _alarms: array<atomic<u32>>;\n");
    if guards.iter().any(|of| of.loops) {
        out.push_str(&spent());
    }
    if guards.iter().any(|of| of.neighbors) {
        out.push_str(&visited());
    }
    for of in guards {
        let (prefix, raised) = (prefix(of.index), |cause| format!("params.{}", member(of.index, cause)));
        if of.loops {
            let alarm = raised(Cause::Loop);
            let _ = writeln!(out, "fn {prefix}_loop_spent() -> bool {{ return _spent({alarm}); }}");
        }
        if of.neighbors {
            let alarm = raised(Cause::Neighbors);
            let _ = writeln!(out, "fn {prefix}_too_many(more: u32) -> bool {{ return _visited(more, {alarm}); }}");
        }
    }
    out
}

/// Whether an invocation has spent its rounds. Below -1 it has given up: its other loops end too, but only the one that spent the budget
/// is reported.
fn spent() -> String {
    let look = (LOOP_BUDGET - FIRST_LOOK) & LOOKS;
    format!(
        "var<private> _rounds: i32 = {LOOP_BUDGET};\n\
         fn _spent(_alarm: i32) -> bool {{ _rounds -= 1; if (_rounds >= 0 && (_rounds & {LOOKS}) != {look}) {{ return false; }} \
         if (_rounds >= 0 && atomicLoad(&_alarms[_alarm]) != frame.index + 1u) {{ return false; }} \
         if (_rounds == -1) {{ {} }} _rounds = -2; return true; }}\n",
        raise("_alarm")
    )
}

/// Whether an invocation has visited too many neighbours.
fn visited() -> String {
    format!(
        "var<private> _visits: u32 = 0u;\n\
         fn _visited(more: u32, _alarm: i32) -> bool {{ _visits += more; if (_visits <= {LOOP_BUDGET}u) {{ return false; }} {} return true; }}\n",
        raise("_alarm")
    )
}

/// The statement that raises the alarm of this index.
pub(super) fn raise(alarm: &str) -> String {
    format!("atomicStore(&_alarms[{alarm}], frame.index + 1u);")
}
