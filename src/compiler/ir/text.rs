//! A program as text, one operation a line: what `stagewright plan --after` prints.

use std::fmt::Write as _;

use super::{Lanes, Op, Part, Program, Task, ValueId};
use crate::graph::{Graph, NodeId};

/// A line for each operation: what it writes, whose work it does, what it reads. `%7` is the value with that number;
/// its wire is in brackets where it is written.
pub(crate) fn text(graph: &Graph, program: &Program) -> String {
    program.ops.iter().map(|op| line(graph, program, op) + "\n").collect()
}

fn line(graph: &Graph, program: &Program, op: &Op) -> String {
    let path = |node: NodeId| graph.nodes.get(node).map_or("?", |node| node.path.as_str());
    let label = |value: ValueId| program.values.get(value).map_or("?", |value| value.label.as_str());
    let mut out = String::new();
    let writes: Vec<String> = op
        .writes
        .iter()
        .map(|write| {
            let mut text = format!("%{} [{}]", write.value, label(write.value));
            if program.values.get(write.value).is_some_and(|value| value.dense) {
                text.push_str(" in 3 words");
            }
            if program.values.get(write.value).is_some_and(|value| value.gathered) {
                text.push_str(" in 4 words");
            }
            if let Some(before) = write.consumes {
                let _ = write!(text, " over %{before}");
            }
            if write.transient {
                text.push_str(" (not stored)");
            }
            text
        })
        .collect();
    let _ = write!(out, "{} = {} {}", writes.join(", "), task(&op.task), path(op.node));
    for stage in op.inlined() {
        let how = match (stage.before, stage.recomputes) {
            (true, _) => "after",
            (false, Some(_)) => "recomputing",
            (false, None) => "with field",
        };
        let _ = write!(out, ", {how} {}", path(stage.node));
    }
    let reads: Vec<String> = op
        .reads
        .iter()
        .map(|read| match &read.part {
            Part::Whole => format!("%{}", read.value),
            part => format!("%{} {}", read.value, part_name(part)),
        })
        .collect();
    if !reads.is_empty() {
        let _ = write!(out, " of {}", reads.join(", "));
    }
    let mut notes = Vec::new();
    if op.iteration > 0 {
        notes.push(format!("iteration {}", op.iteration));
    }
    if let Some(color) = op.color {
        notes.push(format!("colour {color}"));
    }
    if op.sweeps > 1 {
        notes.push(format!("{} sweeps", op.sweeps));
    }
    if let Some(shape) = op.shape {
        let [x, y, z] = shape.group;
        notes.push(format!("{x}x{y}x{z} by {} cells, halo {}", shape.cells, shape.halo));
    }
    if op.invariant {
        notes.push("invariant".into());
    }
    match op.lanes {
        Lanes::One => (),
        Lanes::Rows(count) => notes.push(format!("{count} lanes a particle")),
        Lanes::Components(count) => notes.push(format!("{count} lanes a particle, by component")),
    }
    if op.small {
        notes.push("small".into());
    }
    if let Some(gate) = op.gate {
        notes.push(format!("if %{gate}"));
    }
    if !notes.is_empty() {
        let _ = write!(out, " ({})", notes.join("; "));
    }
    out
}

fn part_name(part: &Part) -> String {
    match part {
        Part::Whole => String::new(),
        Part::Attribute(name) => format!(".{name}"),
        Part::Count => "count".into(),
        Part::Start => "cell starts".into(),
        Part::Order => "order".into(),
        Part::Packed(names) => format!("packed {names}"),
        Part::Found => "neighbour cache".into(),
        Part::Bins => "bins".into(),
        Part::Blocks => "blocks".into(),
        Part::Covered(_) => "covered".into(),
        Part::Slots(number) => format!("slots{number}"),
        Part::Zeros(_) => "zeros".into(),
        Part::Outside(_, part) => part_name(part),
    }
}

fn task(task: &Task) -> String {
    match task {
        Task::Stage => "stage".into(),
        Task::Fill(None) => "zero".into(),
        Task::Fill(Some(_)) => "fill".into(),
        Task::FillWord(word) => format!("fill_word {word:#x}"),
        Task::Clear(words) => format!("clear {}", words.len()),
        Task::Copy => "copy".into(),
        Task::ToFixed(bits) => format!("to_fixed {bits}"),
        Task::FromFixed(bits) => format!("from_fixed {bits}"),
        Task::FromOrdered => "from_ordered".into(),
        Task::Reduce(..) => "reduce".into(),
        Task::ScanBlocks => "scan_blocks".into(),
        Task::ScanSums => "scan_sums".into(),
        Task::ScanAdd => "scan_add".into(),
        Task::ScanEnd => "scan_end".into(),
        Task::ConnectTiles => "connect_tiles".into(),
        Task::ConnectBorders => "connect_borders".into(),
        Task::ConnectEnd => "connect_end".into(),
        Task::BinCount(_) => "bin_count".into(),
        Task::BinList(_) => "bin_list".into(),
        Task::FindBlocks => "find_blocks".into(),
        Task::WidenBlocks => "widen_blocks".into(),
        Task::PlaceBlocks(_) => "place_blocks".into(),
        Task::CoverBlocks => "cover_blocks".into(),
        Task::Compact => "compact".into(),
        Task::CompactCount => "compact_count".into(),
        Task::Gather => "gather".into(),
        Task::Scatter => "scatter".into(),
        Task::Pack => "pack".into(),
        Task::Test { every, .. } => format!("test every {every}"),
        Task::Repeats(rest) => format!("repeats and {rest}"),
        Task::Present { width, height } => format!("present {width}x{height}"),
    }
}
