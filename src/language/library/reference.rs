//! Reference pages of stages: `stagewright stages NAME` prints them, and `docs/stages.md` contains them.

use std::fmt::Write;

use super::Library;
use crate::document::{Group, ParamValue};
use crate::stage::header::{Change, Direction, Param, Port, Radius, Range, Scatter};
use crate::stage::types::{AttributeList, PortType};
use crate::stage::{SharedFile, Stage};

/// One stage as Markdown.
pub fn stage(stage: &Stage) -> String {
    let header = &stage.header;
    let mut out = format!("### `{}`: {}\n\n", stage.name, header.title);
    if !header.doc.is_empty() {
        let _ = writeln!(out, "{}\n", header.doc.join("\n"));
    }
    for source in &header.source {
        let _ = writeln!(out, "Source: {source}\n");
    }
    if !header.keywords.is_empty() {
        let _ = writeln!(out, "Keywords: {}\n", header.keywords.join(", "));
    }
    let ports: Vec<&Port> = header.ports.iter().collect();
    if !ports.is_empty() {
        out.push_str("| port | type | |\n|---|---|---|\n");
        out.extend(ports.iter().map(|port| port_row(port) + "\n"));
        out.push('\n');
    }
    if !header.params.is_empty() {
        out.push_str("| parameter | default | range | |\n|---|---|---|---|\n");
        out.extend(header.params.iter().map(|param| param_row(param) + "\n"));
        out.push('\n');
    }
    out
}

fn port_row(port: &Port) -> String {
    let direction = match port.direction {
        Direction::In => "in",
        Direction::Out => "out",
        Direction::InOut => "in, out",
    };
    let mut notes = Vec::new();
    if let Some(default) = &port.default {
        notes.push(format!("{} when unwired", numbers(default)));
    }
    match &port.radius {
        Some(Radius::Param(param)) => notes.push(format!("read within `{param}` cells")),
        Some(radius) => notes.push(format!("radius {radius}")),
        None => {}
    }
    if let Some(edge) = port.edge {
        notes.push(format!("edge {}", edge.name()));
    }
    if port.open_zero {
        notes.push("open zero".into());
    }
    match port.scatter {
        Some(Scatter::Sum(_)) => notes.push("scatter".into()),
        Some(Scatter::Min) => notes.push("scatter min".into()),
        Some(Scatter::Max) => notes.push("scatter max".into()),
        None => {}
    }
    if let Some(slices) = port.slices {
        notes.push(format!("cells in {slices} slices"));
    }
    if port.scan {
        notes.push("scan".into());
    }
    if port.connect {
        notes.push("connect".into());
    }
    if port.nearest {
        notes.push("nearest".into());
    }
    if port.table {
        notes.push("table".into());
    }
    if port.balanced {
        notes.push("balanced".into());
    }
    if let Some(expect) = port.expect {
        notes.push(format!("expect {}", range(expect)));
    }
    match &port.change {
        Change::Own => {}
        Change::Emit(amount) => notes.push(format!("emit {amount}")),
        Change::Filter => notes.push("filter".into()),
        Change::Gather => notes.push("gather".into()),
        Change::Scatter => notes.push("scatter".into()),
        Change::Put => notes.push("put".into()),
        Change::Sum(_) => notes.push("sum".into()),
    }
    if let Some(reduce) = port.reduce {
        notes.push(format!("reduce {reduce:?}").to_lowercase());
    }
    let notes = if notes.is_empty() { String::new() } else { format!(" ({})", notes.join(", ")) };
    format!("| `{}` ({direction}) | `{}` | {}{notes} |", port.name, port_type(port), port.doc)
}

/// The port's type as its stage declares it.
pub fn port_type(port: &Port) -> String {
    if port.ty != PortType::Particles {
        return port.ty.to_string();
    }
    let list = |attributes: &AttributeList| {
        attributes.iter().map(|(name, ty)| format!("{name}: {}", ty.name())).collect::<Vec<_>>().join(", ")
    };
    let writes = if port.written.is_empty() { String::new() } else { format!(" -> {{{}}}", list(&port.written)) };
    format!("Particles{{{}}}{writes}", list(&port.attributes))
}

fn range((low, high): Range) -> String {
    let side = |v: Option<f64>| v.map_or_else(String::new, |v| v.to_string());
    match (low, high) {
        (None, None) => String::new(),
        (low, high) => format!("{}..{}", side(low), side(high)),
    }
}

fn param_row(param: &Param) -> String {
    let soft = range(param.soft);
    let soft = if soft.is_empty() { soft } else { format!(" (slider {soft})") };
    let fixed = if param.fixed { ", fixed" } else { "" };
    format!(
        "| `{}: {}` | {} | {}{soft}{fixed} | {} |",
        param.name,
        param.ty.name(),
        default(&param.default),
        range(param.range),
        param.doc
    )
}

/// A default value as written in a header.
fn default(value: &ParamValue) -> String {
    match value {
        ParamValue::Number(one) => numbers(&[*one]),
        ParamValue::Vector(many) => numbers(many),
        drawn @ (ParamValue::Curve(_) | ParamValue::Gradient(_)) => format!("`{drawn}`"),
        other => other.to_string(),
    }
}

fn numbers(values: &[f64]) -> String {
    match values {
        [one] => one.to_string(),
        many => format!("({})", many.iter().map(f64::to_string).collect::<Vec<_>>().join(", ")),
    }
}

/// A library group as Markdown.
pub fn group(name: &str, group: &Group) -> String {
    let mut out = format!("### `{name}`: a group\n\n{}\n\n| port | type |\n|---|---|\n", group.about);
    for (port, ty) in &group.inputs {
        let _ = writeln!(out, "| `{port}` (in) | `{ty}` |");
    }
    for (port, link) in &group.outputs {
        let _ = writeln!(out, "| `{port}` (out) | `{link}` inside |");
    }
    if !group.params.is_empty() {
        out.push_str("\n| parameter | sets |\n|---|---|\n");
        for (param, links) in &group.params {
            let links: Vec<String> = links.iter().map(|l| format!("`{l}`")).collect();
            let _ = writeln!(out, "| `{param}` | {} |", links.join(", "));
        }
    }
    out.push('\n');
    out
}

/// A shared file as Markdown: its documentation and its functions.
pub fn shared(file: &SharedFile) -> String {
    let header = &file.header;
    let mut out = format!("### `{}`: {}\n\n", file.name, header.title);
    if !header.doc.is_empty() {
        let _ = writeln!(out, "{}\n", header.doc.join("\n"));
    }
    for source in &header.source {
        let _ = writeln!(out, "Source: {source}\n");
    }
    let signatures = file.signatures();
    if !signatures.is_empty() {
        let _ = writeln!(out, "```wgsl\n{}\n```\n", signatures.join("\n"));
    }
    out
}

/// The whole reference: `docs/stages.md`.
pub fn page(library: &Library) -> String {
    let mut out = String::from(
        "# Stage reference\n\nGenerated from the stage files by `stagewright stages --markdown`; a test keeps it current. \
         How to write a stage: [stage_language.md](stage_language.md).\n",
    );
    let mut category = None;
    for entry in library.stages() {
        if category != Some(entry.category()) {
            category = Some(entry.category());
            let _ = writeln!(out, "\n## {}\n", entry.category());
        }
        out.push_str(&stage(entry));
    }
    let groups: Vec<_> = library.groups().collect();
    if !groups.is_empty() {
        out.push_str("\n## Library groups\n\n");
        groups.iter().for_each(|(name, body)| out.push_str(&group(name, body)));
    }
    let mut files = library.shared_files().peekable();
    if files.peek().is_some() {
        out.push_str("## Shared functions\n\n");
        out.push_str("What `//! @use NAME` brings into a stage ([how](stage_language.md#shared-functions)).\n\n");
        files.for_each(|file| out.push_str(&shared(file)));
    }
    out.trim_end().to_string() + "\n"
}
