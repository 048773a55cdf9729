//! Removes fills of grids with a constant.

use std::collections::BTreeSet;

use crate::graph::Graph;
use crate::ir::links::Links;
use crate::ir::query::stage_of;
use crate::ir::{OWN, Op, Program, Task, ValueId, Write};
use crate::stage::header::Port;
use crate::stage::types::{EdgeRule, Element, PortType, ValueType};

/// Removes fills of a grid with a constant that only one stage updates: that stage uses the constant.
pub(super) fn begin_from(graph: &Graph, program: &mut Program, links: &mut Links) {
    let pinned: BTreeSet<ValueId> = program.pinned.iter().copied().collect();
    for fill in program.ops.ids() {
        let op = &program.ops[fill];
        let (Task::Fill(Some(setting)), [write]) = (&op.task, op.writes.as_slice()) else { continue };
        let setting = setting.clone();
        let node = op.node;
        let value = write.value;
        let [reader] = *links.readers(value) else { continue };
        let to = &program.ops[reader];
        let whole = to.node == node
            && to.invariant == op.invariant
            && matches!(to.task, Task::Stage)
            && !to.edited
            && !pinned.contains(&value);
        let same = |w: &&mut Write| w.consumes == Some(value);
        if !whole || !takes(graph, to, value) {
            continue;
        }
        links.leave(program, fill);
        links.leave(program, reader);
        if let Some(write) = program.ops[reader].writes.iter_mut().find(same) {
            (write.consumes, write.start) = (None, Some(setting));
            let fill = &mut program.ops[fill];
            (fill.reads, fill.writes) = (Vec::new(), Vec::new());
        }
        links.enter(program, reader);
    }
}

/// Whether an operation updates a value through a port whose edge rule makes a constant the same everywhere.
fn takes(graph: &Graph, op: &Op, value: ValueId) -> bool {
    let Some(stage) = stage_of(graph, op, OWN) else { return false };
    let domain = graph.nodes.get(op.node).and_then(|n| n.domain).and_then(|d| graph.domains.get(d));
    let constant = |port: &Port| {
        let edges = domain.map(|d| port.edges(d.edge));
        let scalar = port.ty.element() == Some(Element::Fixed(ValueType::F32));
        edges.is_some_and(|edges| !edges.has(EdgeRule::Zero) && (scalar || !edges.has(EdgeRule::Wall)))
    };
    let whole = |port: &Port| {
        matches!(port.ty, PortType::Grid(_))
            && !port.ty.is_compound()
            && port.scatter.is_none()
            && stage.radius(port).is_some()
    };
    // A tile is initialised with it, and its reads apply the edge rule.
    let tiles = op.sweeps > 1;
    let begins = |w: &Write| {
        w.stage == OWN && stage.outputs().nth(w.port).is_some_and(|port| (tiles || constant(port)) && whole(port))
    };
    let alone = op.writes.iter().filter(|w| w.consumes == Some(value)).count() == 1;
    // Cells of the other colour are copied from memory.
    let copies = op.color.is_some() && op.sweeps == 1;
    !copies && alone && op.writes.iter().filter(|w| w.consumes == Some(value)).all(begins)
}
