//! Writes graph files: sorted, one node a line, reproducible to the byte.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::fmt::Write;

use super::file::FileFields;
use super::{
    Bake, Bookmark, Document, Domain, Edge, Expect, ExportPreset, Extra, FileSource, Frame, Group, Link, Node,
    NodeKind, Nodes, Output, ParamValue, Substeps, Until, Variant, WHERE,
};
use crate::curve::{Color, Key, Keyframes, Tangent, hex_from_color};
use crate::input::InputTrack;

pub(super) fn document(document: &Document) -> String {
    let plain = document.variant.as_ref().and_then(|_| document.with_variant(None).ok());
    let chosen = document.variant.as_deref();
    let document = plain.as_ref().unwrap_or(document);
    let mut out = String::from("(\n");
    let mut field = |name: &str, value: String| {
        let _ = writeln!(out, "    {}: {value},", identifier(name));
    };
    field("version", document.version.to_string());
    field("name", quoted(&document.name));
    if !document.about.is_empty() {
        field("about", quoted(&document.about));
    }
    field("fps", number(document.fps));
    if document.substeps != Substeps::default() {
        field("substeps", document.substeps.to_string());
    }
    if document.seed != 0 {
        field("seed", document.seed.to_string());
    }
    if let Some(input) = &document.input {
        field("input", track(input));
    }
    for (key, raw) in &document.extra {
        field(key, raw.clone());
    }
    if !document.frames.is_empty() {
        field("frames", frames(&document.frames, 1));
    }
    if !document.bookmarks.is_empty() {
        field("bookmarks", bookmarks(&document.bookmarks));
    }
    if !document.bakes.is_empty() {
        field("bakes", bakes(&document.bakes));
    }
    if !document.expect.is_empty() {
        field("expect", expectations(&document.expect));
    }
    if !document.exports.is_empty() {
        field("exports", exports(&document.exports));
    }
    if let Some(name) = chosen {
        field("variant", quoted(name));
    }
    if !document.variants.is_empty() {
        field("variants", variants(&document.variants));
    }
    if !document.shared.is_empty() {
        field("shared", shared(&document.shared));
    }
    let _ = writeln!(out, "    nodes: {},\n)", nodes(&document.nodes, 1));
    out
}

/// One key a line, since a track is a table.
fn track(input: &InputTrack) -> String {
    let mut out = format!("(\n        repeat: {},\n", input.repeat);
    if !input.pointer.is_empty() {
        out.push_str("        pointer: [\n");
        for key in &input.pointer {
            let _ = write!(out, "            (t: {}, x: {}, y: {}", key.t, key.x, key.y);
            if key.buttons != 0 {
                let _ = write!(out, ", buttons: {}", key.buttons);
            }
            out.push_str("),\n");
        }
        out.push_str("        ],\n");
    }
    if !input.keys.is_empty() {
        out.push_str("        keys: [\n");
        for span in &input.keys {
            let _ = writeln!(out, "            (from: {}, to: {}, keys: {}),", span.from, span.to, span.keys);
        }
        out.push_str("        ],\n");
    }
    out.push_str("    )");
    out
}

/// One shared text after the other.
fn shared(texts: &BTreeMap<String, String>) -> String {
    let line = |(name, text): (&String, &String)| format!("        {}: {},\n", quoted(name), raw_string(text));
    format!("{{\n{}    }}", texts.iter().map(line).collect::<String>())
}

fn nodes(nodes: &Nodes, depth: usize) -> String {
    let indent = "    ".repeat(depth);
    let mut out = String::from("{\n");
    for (name, value) in nodes {
        let _ = writeln!(out, "{indent}    {}: {},", quoted(name), node(value, depth + 1));
    }
    let _ = write!(out, "{indent}}}");
    out
}

/// One frame a line, in their order, which is that of drawing.
fn frames(frames: &[Frame], depth: usize) -> String {
    let indent = "    ".repeat(depth);
    let lines: String = frames.iter().map(|value| format!("{indent}    {},\n", frame(value))).collect();
    format!("[\n{lines}{indent}]")
}

fn frame(frame: &Frame) -> String {
    let mut fields = Fields::default();
    fields.extra(&frame.extra);
    if !frame.title.is_empty() {
        fields.add("title", quoted(&frame.title));
    }
    if !frame.text.is_empty() {
        fields.add("text", quoted(&frame.text));
    }
    fields.add("at", pair(frame.at));
    fields.add("size", pair(frame.size));
    if let Some(color) = frame.color {
        fields.add("color", quoted(&color.to_string()));
    }
    fields.one_line()
}

/// One bookmark a line.
fn bookmarks(bookmarks: &BTreeMap<String, Bookmark>) -> String {
    let line = |(number, value): (&String, &Bookmark)| format!("        {}: {},\n", quoted(number), bookmark(value));
    format!("{{\n{}    }}", bookmarks.iter().map(line).collect::<String>())
}

fn bookmark(bookmark: &Bookmark) -> String {
    let mut fields = Fields::default();
    fields.extra(&bookmark.extra);
    for (name, text) in [("name", &bookmark.name), ("level", &bookmark.level)] {
        if !text.is_empty() {
            fields.add(name, quoted(text));
        }
    }
    fields.add("center", pair(bookmark.center));
    fields.add("zoom", bookmark.zoom.to_string());
    if !bookmark.select.is_empty() {
        fields.add("select", list(bookmark.select.iter().map(|name| quoted(name))));
    }
    fields.one_line()
}

/// One bake a line.
fn bakes(bakes: &BTreeMap<String, Bake>) -> String {
    let line = |(name, value): (&String, &Bake)| format!("        {}: {},\n", quoted(name), bake(value));
    format!("{{\n{}    }}", bakes.iter().map(line).collect::<String>())
}

impl Bake {
    /// The field of a graph file that holds this bake alone.
    pub fn to_field(&self, name: &str) -> String {
        format!("bakes: {{{}: {}}}", quoted(name), bake(self))
    }
}

fn bake(bake: &Bake) -> String {
    let mut fields = Fields::default();
    fields.extra(&bake.extra);
    if !bake.wires.is_empty() {
        fields.add("wires", list(bake.wires.iter().map(|name| quoted(name))));
    }
    fields.add("frames", format!("({}, {})", bake.frames.0, bake.frames.1));
    if !bake.folder.is_empty() {
        fields.add("folder", quoted(&bake.folder));
    }
    if !bake.play {
        fields.add("play", "false".into());
    }
    fields.one_line()
}

/// One preset of an export a line.
fn exports(presets: &BTreeMap<String, ExportPreset>) -> String {
    let line = |(name, value): (&String, &ExportPreset)| format!("        {}: {},\n", quoted(name), export(value));
    format!("{{\n{}    }}", presets.iter().map(line).collect::<String>())
}

fn export(preset: &ExportPreset) -> String {
    let mut fields = Fields::default();
    fields.extra(&preset.extra);
    fields.add("what", list(preset.what.iter().map(|entry| quoted(entry))));
    fields.add("frames", format!("({}, {})", preset.frames.0, preset.frames.1));
    if let Some((width, height)) = preset.size {
        fields.add("size", format!("({width}, {height})"));
    }
    fields.add("folder", quoted(&preset.folder));
    if !preset.names.is_empty() {
        fields.add("names", quoted(&preset.names));
    }
    if !preset.settings.is_empty() {
        fields.add("settings", map(&preset.settings, param));
    }
    if let Some(every) = preset.checkpoints {
        fields.add("checkpoints", every.to_string());
    }
    fields.one_line()
}

/// Formats the expectation as in a graph file.
impl std::fmt::Display for Expect {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&expect(self))
    }
}

/// One expectation a line, in their order.
fn expectations(list: &[Expect]) -> String {
    let lines: String = list.iter().map(|value| format!("        {},\n", expect(value))).collect();
    format!("[\n{lines}    ]")
}

/// One variant after the other, with one entry a line.
fn variants(variants: &BTreeMap<String, Variant>) -> String {
    let lines = variants.iter().map(|(name, value)| format!("        {}: {},\n", quoted(name), variant(value)));
    format!("{{\n{}    }}", lines.collect::<String>())
}

fn variant(variant: &Variant) -> String {
    let mut fields = Fields::default();
    if !variant.about.is_empty() {
        fields.add("about", quoted(&variant.about));
    }
    fields.extra(&variant.extra);
    if let Some(fps) = variant.fps {
        fields.add("fps", number(fps));
    }
    if let Some(substeps) = variant.substeps {
        fields.add("substeps", substeps.to_string());
    }
    if let Some(seed) = variant.seed {
        fields.add("seed", seed.to_string());
    }
    let mut entries = |name: &str, map: String| {
        if !map.is_empty() {
            fields.add(name, map);
        }
    };
    entries("stages", entry_lines(&variant.stages, kind));
    entries("set", entry_lines(&variant.set, |value| value.as_ref().map_or_else(none, param)));
    let link = |link: &Option<Link>| link.as_ref().map_or_else(none, |link| quoted(&link.to_string()));
    entries("inputs", entry_lines(&variant.inputs, link));
    entries("muted", entry_lines(&variant.muted, bool::to_string));
    entries("comments", entry_lines(&variant.comments, |text| quoted(text)));
    fields.lines(2)
}

fn none() -> String {
    "None".into()
}

/// A stage by its name, another kind of node by its field.
fn kind(kind: &NodeKind) -> String {
    match kind {
        NodeKind::Stage(name) => quoted(name),
        other => format!("({}: {})", other.info().field, other.text(4)),
    }
}

/// A map with one entry a line, inside a variant; empty where there are none.
fn entry_lines<V>(map: &BTreeMap<String, V>, value: impl Fn(&V) -> String) -> String {
    let lines: String =
        map.iter().map(|(key, v)| format!("                {}: {},\n", quoted(key), value(v))).collect();
    if lines.is_empty() { lines } else { format!("{{\n{lines}            }}") }
}

/// One expectation: its frames, its subject, and the expected value.
pub(super) fn expect(expect: &Expect) -> String {
    let mut fields = Fields::default();
    fields.extra(&expect.extra);
    match expect.at.as_slice() {
        [] => {}
        [one] => fields.add("at", one.to_string()),
        many => fields.add("at", list(many.iter().map(u64::to_string))),
    }
    let mut set = |name: &str, value: Option<String>| {
        if let Some(value) = value {
            fields.add(name, value);
        }
    };
    let values = |values: &Vec<f64>| param(&ParamValue::from_numbers(values));
    set("every", expect.every.map(|n| n.to_string()));
    set("to", expect.to.map(|n| n.to_string()));
    set("of", Some(quoted(&expect.of)));
    set("statistic", expect.statistic.as_deref().map(quoted));
    set("component", expect.component.map(|n| n.to_string()));
    set("equals", expect.equals.as_ref().map(values));
    set("within", expect.within.map(|(low, high)| format!("({}, {})", number(low), number(high))));
    set("below", expect.below.map(number));
    set("above", expect.above.map(number));
    set("unchanged_since", expect.unchanged_since.map(|n| n.to_string()));
    set("hash", expect.hash.as_deref().map(quoted));
    set("tolerance", expect.tolerance.map(number));
    set("relative", expect.relative.map(number));
    set("adapter", expect.adapter.as_deref().map(quoted));
    set("variant", expect.variant.as_deref().map(quoted));
    set("comment", Some(quoted(&expect.comment)).filter(|_| !expect.comment.is_empty()));
    fields.one_line()
}

fn pair((x, y): (f32, f32)) -> String {
    format!("({x}, {y})")
}

fn node(node: &Node, depth: usize) -> String {
    let mut fields = Fields::default();
    let kind = node.kind.info();
    if !kind.field.is_empty() {
        fields.add(kind.field, node.kind.text(depth));
    }
    fields.extra(&node.extra);
    if let Some(capacity) = &node.capacity {
        fields.add("capacity", param(capacity));
    }
    if let Some(domain) = &node.on {
        fields.add("on", quoted(domain));
    }
    if let Some(link) = node.inputs.get(WHERE) {
        fields.add(WHERE, quoted(&link.to_string()));
    }
    let inputs: BTreeMap<&String, &Link> = node.inputs.iter().filter(|(port, _)| *port != WHERE).collect();
    if !inputs.is_empty() {
        fields.add("inputs", map(&inputs, |link| quoted(&link.to_string())));
    }
    if !node.params.is_empty() {
        fields.add("params", map(&node.params, param));
    }
    if let Some(count) = &node.iterations {
        fields.add("iterations", param(count));
    }
    if let Some(value) = &node.until {
        fields.add("until", until(value));
    }
    if let Some(precision) = &node.precision {
        fields.add("precision", quoted(precision));
    }
    if node.muted {
        fields.add("muted", "true".into());
    }
    if node.at != (0.0, 0.0) {
        fields.add("at", pair(node.at));
    }
    if let Some(color) = node.color {
        fields.add("color", quoted(&color.to_string()));
    }
    if !node.comment.is_empty() {
        fields.add("comment", quoted(&node.comment));
    }
    fields.one_line()
}

pub(super) fn domain(domain: &Domain) -> String {
    let mut fields = Fields::default();
    let cells: Vec<String> = domain.resolution.iter().map(param).collect();
    // As for vectors, `(x)` would be a number.
    let cells = if cells.len() > 1 { format!("({})", cells.join(", ")) } else { format!("[{}]", cells.join(", ")) };
    fields.add("resolution", cells);
    fields.add("width", param(&domain.width));
    fields.add("edge", edge(&domain.edge));
    fields.extra(&domain.extra);
    fields.one_line()
}

fn edge(edge: &Edge) -> String {
    match edge {
        Edge::All(rule) => quoted(rule),
        Edge::Sides(sides) => {
            let sides: Vec<String> = sides.iter().map(|(side, rule)| format!("{side}: {}", quoted(rule))).collect();
            format!("({})", sides.join(", "))
        }
    }
}

fn until(until: &Until) -> String {
    let mut fields = Fields::default();
    fields.add("number", quoted(&until.number));
    fields.add("below", param(&until.below));
    if until.every != 1 {
        fields.add("every", until.every.to_string());
    }
    fields.extra(&until.extra);
    fields.one_line()
}

pub(super) fn output(output: &Output) -> String {
    let mut fields = Fields::default();
    if let Some((width, height)) = output.size {
        fields.add("size", format!("({width}, {height})"));
    }
    fields.extra(&output.extra);
    fields.one_line()
}

pub(super) fn file(file: &FileSource) -> String {
    let mut fields = Fields::default();
    fields.add("path", quoted(file.path()));
    let FileFields { reading, fit, space, layer, count, seed, column, measure, first, beyond } = file.fields();
    let words = [("as", reading), ("fit", fit), ("space", space), ("layer", layer), ("column", column)];
    for (name, value) in words.into_iter().chain([("measure", measure), ("beyond", beyond)]) {
        value.iter().for_each(|value| fields.add(name, quoted(value)));
    }
    for (name, number) in [("count", count), ("seed", seed), ("first", first)] {
        number.iter().for_each(|number| fields.add(name, number.to_string()));
    }
    fields.extra(&file.extra);
    if fields.0.len() == 1 { quoted(file.path()) } else { fields.one_line() }
}

pub(super) fn group(group: &Group, depth: usize) -> String {
    let link_list = |links: &Vec<Link>| match links.as_slice() {
        [one] => quoted(&one.to_string()),
        many => format!("[{}]", many.iter().map(|l| quoted(&l.to_string())).collect::<Vec<_>>().join(", ")),
    };
    let mut fields = Fields::default();
    if !group.about.is_empty() {
        fields.add("about", quoted(&group.about));
    }
    if !group.inputs.is_empty() {
        fields.add("inputs", map(&group.inputs, |ty| quoted(ty)));
    }
    if !group.outputs.is_empty() {
        fields.add("outputs", map(&group.outputs, |link| quoted(&link.to_string())));
    }
    if !group.params.is_empty() {
        fields.add("params", map(&group.params, link_list));
    }
    if let Some(at) = group.inputs_at {
        fields.add("inputs_at", pair(at));
    }
    if let Some(at) = group.outputs_at {
        fields.add("outputs_at", pair(at));
    }
    fields.extra(&group.extra);
    if !group.frames.is_empty() {
        fields.add("frames", frames(&group.frames, depth + 1));
    }
    fields.add("nodes", nodes(&group.nodes, depth + 1));
    fields.lines(depth)
}

#[derive(Default)]
struct Fields(Vec<(String, String)>);

impl Fields {
    /// Writes a field once: a value that the user has set replaces text that could not be parsed.
    fn add(&mut self, name: &str, value: String) {
        match self.0.iter_mut().find(|(field, _)| field == name) {
            Some((_, kept)) => *kept = value,
            None => self.0.push((name.into(), value)),
        }
    }

    fn extra(&mut self, extra: &Extra) {
        for (name, raw) in extra {
            self.add(name, raw.clone());
        }
    }

    fn one_line(self) -> String {
        let fields: Vec<String> = self.0.iter().map(|(name, value)| format!("{}: {value}", identifier(name))).collect();
        format!("({})", fields.join(", "))
    }

    fn lines(self, depth: usize) -> String {
        let indent = "    ".repeat(depth);
        let line = |(name, value): &(String, String)| format!("{indent}    {}: {value},\n", identifier(name));
        let body: String = self.0.iter().map(line).collect();
        format!("(\n{body}{indent})")
    }
}

/// The name of a field. One that a file may only give as `r#name`, since it has a `-` in it, is written so.
fn identifier(name: &str) -> Cow<'_, str> {
    let plain =
        name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_') && !name.starts_with(|c: char| c.is_ascii_digit());
    if plain { name.into() } else { format!("r#{name}").into() }
}

fn map<K: AsRef<str>, V>(entries: &BTreeMap<K, V>, value: impl Fn(&V) -> String) -> String {
    let body: Vec<String> = entries.iter().map(|(key, v)| format!("{}: {}", quoted(key.as_ref()), value(v))).collect();
    format!("{{{}}}", body.join(", "))
}

pub(super) fn param(value: &ParamValue) -> String {
    match value {
        ParamValue::Number(v) => number(*v),
        ParamValue::Vector(values) => {
            let parts: Vec<String> = values.iter().map(|v| number(*v)).collect();
            // Fewer than two values are written as a list, since `(x)` would be a number.
            if parts.len() > 1 { format!("({})", parts.join(", ")) } else { format!("[{}]", parts.join(", ")) }
        }
        ParamValue::Bool(v) => v.to_string(),
        ParamValue::Expression(text) => quoted(text),
        ParamValue::Curve(curve) => {
            list(curve.points.iter().map(|(t, value)| format!("({}, {})", number(*t), number(*value))))
        }
        ParamValue::Gradient(gradient) => {
            list(gradient.stops.iter().map(|(t, value)| format!("({}, {})", number(*t), color(*value))))
        }
        ParamValue::Keys(Keyframes { keys, expr }) => {
            let mut fields = Fields::default();
            fields.add("keys", list(keys.iter().map(key)));
            expr.iter().for_each(|text| fields.add("expr", quoted(text)));
            fields.one_line()
        }
    }
}

/// `(frame, value)`, and the tangent unless it is automatic.
fn key(key: &Key) -> String {
    let parts = |values: &[f64]| param(&ParamValue::from_numbers(values));
    let tangent = match &key.tangent {
        Tangent::Auto => String::new(),
        Tangent::Linear => ", Linear".into(),
        Tangent::Step => ", Step".into(),
        Tangent::Free(before, after) => format!(", Free({}, {})", parts(before), parts(after)),
    };
    format!("({}, {}{tangent})", number(key.frame), parts(&key.value))
}

fn list(items: impl Iterator<Item = String>) -> String {
    format!("[{}]", items.collect::<Vec<_>>().join(", "))
}

/// A colour in hexadecimal notation, where that is exactly the same colour.
fn color(color: Color) -> String {
    let numbers = || format!("({})", color.map(number).join(", "));
    hex_from_color(color).map_or_else(numbers, |hex| quoted(&hex))
}

/// The shortest text that reads back as the same number.
fn number(value: f64) -> String {
    let size = value.abs();
    // `-0` would be read as an integer, which has no negative zero.
    let negative_zero = size == 0.0 && value.is_sign_negative();
    if !negative_zero && value.is_finite() && (size == 0.0 || (1e-4..1e15).contains(&size)) {
        format!("{value}")
    } else {
        format!("{value:?}")
    }
}

pub(super) fn quoted(text: &str) -> String {
    let mut out = String::from("\"");
    for c in text.chars() {
        match c {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            '\n' => out.push_str("\\n"),
            '\r' => out.push_str("\\r"),
            '\t' => out.push_str("\\t"),
            c if c.is_control() => drop(write!(out, "\\u{{{:x}}}", c as u32)),
            c => out.push(c),
        }
    }
    out.push('"');
    out
}

/// WGSL as it was written. A raw string cannot represent a carriage return unchanged, so such text is quoted.
pub(super) fn raw_string(text: &str) -> String {
    if text.contains('\r') {
        return quoted(text);
    }
    let mut hashes = String::from("#");
    while text.contains(&format!("\"{hashes}")) {
        hashes.push('#');
    }
    format!("r{hashes}\"{text}\"{hashes}")
}

/// Formats the value as in a graph file.
impl std::fmt::Display for ParamValue {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&param(self))
    }
}
