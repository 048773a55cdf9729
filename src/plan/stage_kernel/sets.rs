//! How a stage sees particles and their neighbours.

use super::super::prelude::{cell_literal, cell_type, position_type};
use super::*;
use crate::stage::lex::tokens;
use crate::stage::types::EdgeRule;
use crate::stage::visits;

impl StageKernel<'_> {
    /// WGSL type of the particles of a port.
    fn particle_type(stage: &Stage, port: &Port) -> String {
        match stage.set().is_some_and(|set| set.name == port.name) {
            true => "Particle".into(),
            false => format!("Particle_{}", port.name),
        }
    }

    /// `struct Particle`, `x(index)` and `x_count()`.
    pub(super) fn set_accessor(&self, of: Instance<'_>, index: usize, port: &Port, bound: &[Bound]) -> String {
        let ty = Self::particle_type(of.stage, port);
        let mut members = vec!["index: u32".to_string()];
        let mut loads = vec!["_index".to_string()];
        if matches!(port.change, Change::Emit(_)) {
            members.push("serial: u32".into());
            loads.push("_index".into());
        }
        for (name, _) in &port.attributes {
            let part = Part::Attribute(name.as_str().into());
            if let Some(variable) = self.handed(of.index, index, &part) {
                let read = self.op.handed.iter().find(|r| r.field == of.index && r.port == index && r.part == part);
                let Some(value) = read.and_then(|r| self.program.values.get(r.value)) else { continue };
                members.push(format!("{name}: {}", value.ty.value().wgsl(value.dim)));
                loads.push(variable);
                continue;
            }
            if let Some((ty, load)) = self.packed_load(of, index, (port, name), bound) {
                members.push(format!("{name}: {ty}"));
                loads.push(load);
                continue;
            }
            let value = self.reads(of.index).find(|r| r.port == index && r.part == part);
            let Some(value) = value.map(|r| &self.program.values[r.value]) else { continue };
            let Some(variable) = memory::variable(bound, of.index, index, &part) else { continue };
            members.push(format!("{name}: {}", value.ty.value().wgsl(value.dim)));
            loads.push(value.layout().load(variable, "_index"));
        }
        let name = &port.name;
        let mut out = format!("struct {ty} {{ {} }}\n", members.join(", "));
        let runs = of.index == 0 || self.op.built_in.get(of.index - 1).is_some_and(|b| b.before);
        let own = runs && of.stage.set().is_some_and(|set| set.name == *name);
        if own || of.stage.calls(name) {
            let last = self.set_capacity(of, index).saturating_sub(1);
            let _ = write!(
                out,
                "fn {name}(_asked: u32) -> {ty} {{ let _index = min(_asked, {last}u); return {ty}({}); }}",
                loads.join(", ")
            );
        }
        // The rows that a loop over neighbours goes through end within the set; an entry of a list may be anything.
        let near = format!("_near_{name}");
        if self.text(of).0.contains(&near) {
            let room = self.set_capacity(of, index);
            let listed = self.reads(of.index).any(|r| r.part == Part::Order);
            let within = !listed && self.largest(of).is_some_and(|largest| largest <= room);
            let place = if within { "_asked".into() } else { format!("min(_asked, {}u)", room.saturating_sub(1)) };
            let all = loads.join(", ");
            let _ = write!(out, "\nfn {near}(_asked: u32) -> {ty} {{ let _index = {place}; return {ty}({all}); }}");
        }
        if of.stage.calls(&format!("{name}_count"))
            && let Some(count) = memory::variable(bound, of.index, index, &Part::Count)
        {
            let _ = write!(out, "\nfn {name}_count() -> u32 {{ return {count}[0]; }}");
        }
        out
    }

    /// What becomes of a stage's loops over neighbours.
    pub(super) fn visits<'s>(&self, of: Instance<'s>, text: Cow<'s, str>) -> Cow<'s, str> {
        let port = |name: &str, ty: PortType| of.stage.inputs().any(|p| p.ty == ty && p.name == name);
        let goes = |p: &Port| p.ty == PortType::NeighborGrid && of.stage.calls(&format!("{}_next", p.name));
        if !of.stage.inputs().any(goes) {
            return text;
        }
        let found = tokens(&of.stage.source);
        let iterators = visits::iterators(&found, &|name| port(name, PortType::NeighborGrid));
        Cow::Owned(visits::unheld(&text, &iterators, &|name| port(name, PortType::Particles)))
    }

    /// Room of the largest set of a stage: the one that a neighbour grid finds is among them. None where a set is only counted.
    fn largest(&self, of: Instance<'_>) -> Option<u32> {
        let own = |port: &Port| of.stage.set().is_some_and(|set| set.name == port.name);
        let sets = of.stage.inputs().enumerate().filter(|(_, port)| port.ty == PortType::Particles);
        let rooms: Option<Vec<u32>> = sets.map(|(k, port)| self.known_capacity(of, k, own(port))).collect();
        rooms?.into_iter().max()
    }

    /// The same of one set, if what is read of it says so.
    fn known_capacity(&self, of: Instance<'_>, port: usize, own: bool) -> Option<u32> {
        let whole =
            |r: &&Read| r.field == of.index && r.port == port && matches!(r.part, Part::Attribute(_) | Part::Packed(_));
        let attribute = self.op.reads.iter().chain(&self.op.handed).find(whole);
        let value = attribute.and_then(|r| self.program.values.get(r.value));
        value.map(|v| v.capacity).or_else(|| of.node.set.as_ref().filter(|_| own).map(|s| s.capacity))
    }

    /// Particles that the set of a port has room for.
    fn set_capacity(&self, of: Instance<'_>, port: usize) -> u32 {
        self.known_capacity(of, port, true).unwrap_or(1)
    }

    /// `put_x(index, value)`
    pub(super) fn put_accessor(&self, port: &Port, name: &str, value: &Value) -> String {
        let ty = value.ty.value();
        let variable = memory::written(port, &Part::Attribute(name.into()));
        let store = value.layout().store(&variable, "_index", "_value");
        format!(
            "fn put_{name}(_index: u32, _value: {}) {{ if (_index < {}u) {{ {store} }} }}",
            ty.wgsl(value.dim),
            value.capacity
        )
    }

    /// Statements that store the attributes of the particle `_i` at the place that its stage has returned. `input`: the port of the set.
    pub(super) fn scattered(&self, bound: &[Bound], input: usize, capacity: u32) -> String {
        let mut moves = String::new();
        let mut place = String::new();
        for (port, write, ..) in self.writes().filter(|(port, ..)| port.change == Change::Scatter) {
            let from = memory::variable(bound, 0, input, &write.part);
            if let (Part::Attribute(_), Some(from)) = (&write.part, from) {
                let _ = write!(moves, " {}[_to] = {from}[_i];", memory::written(port, &write.part));
                place = self.result(&port.name);
            }
        }
        if moves.is_empty() { moves } else { format!(" let _to = {place}; if (_to < {capacity}u) {{{moves} }}") }
    }

    /// `x(position)` and `x_next(&near)`: along each row of cells the entries are contiguous, so a row is one range, as long as
    /// the sphere around the position is wide there; around a periodic border they are not, and every cell is a range of its own.
    pub(super) fn neighbor_accessor(&self, of: Instance<'_>, index: usize, port: &Port, bound: &[Bound]) -> String {
        let start = self.reads(of.index).find(|r| r.port == index && r.part == Part::Start);
        let domain = start.and_then(|r| self.program.values[r.value].domain).and_then(|d| self.graph.domains.get(d));
        let variable = |part| memory::variable(bound, of.index, index, &part);
        let (Some(domain), Some(start)) = (domain, variable(Part::Start)) else { return String::new() };
        let item = |entry: &str| match variable(Part::Order) {
            Some(items) => format!("{items}[{entry}]"),
            None => entry.to_string(),
        };
        let (name, dim) = (&port.name, domain.dim);
        let (cells, position) = (cell_type(dim), position_type(dim));
        let slices = i64::from(domain.slices());
        let [x, y, z] = domain.resolution.map(i64::from);
        // Of whole cells.
        let n = [x / slices, y, z];
        let resolution = cell_literal(n, dim);
        let h = prelude::float(domain.cell_size);
        let wraps = domain.edge == EdgeRule::Wrap;
        let at = accessors::index("_c", n.map(|n| n as u32), dim);
        let at = if slices > 1 { format!("{slices} * ({at})") } else { at };
        let inside = match wraps {
            true => format!("((_p % {resolution}) + {resolution}) % {resolution}"),
            false => format!("clamp(_p, {cells}(0), {resolution} - 1)"),
        };
        // Far away a position does not convert to a cell.
        let cell = match wraps {
            true => {
                let size: Vec<String> = n.iter().take(dim as usize).map(|n| format!("{n}.0")).collect();
                let size = format!("{position}({})", size.join(", "));
                format!("let _q = _position / {h}; let _p = {cells}(floor(_q - floor(_q / {size}) * {size}));")
            }
            false => {
                format!(
                    "let _q = clamp(_position / {h}, {position}(0.0), {position}({resolution})); let _p = {cells}(_q);"
                )
            }
        };
        let batches = of.stage.bounded(dim).source.contains(&format!("_batch_{name}("));
        let (marks, none) = if batches { (", _some: u32, _marks: u32", ", 0u, 0u") } else { ("", "") };
        let (place, here) = if wraps { (String::new(), "") } else { (format!(", _at: {position}"), ", _q") };
        let mut out = format!(
            "struct _Near_{name} {{ index: u32, _cell: {cells}, _row: i32, _entry: u32, _end: u32{marks}{place} }}\n\
             fn {name}(_position: {position}) -> _Near_{name} {{ {cell} return _Near_{name}(0u, {inside}, 0, 0u, 0u{none}{here}); }}\n"
        );
        if of.stage.calls(&format!("{name}_next")) {
            let (rows, range) = match wraps {
                true => cells_around(start, n, dim, slices, &at),
                false => rows(start, domain),
            };
            // An entry that is marked is visited twice.
            // Whatever the grid says, a row ends within the set, and within the list.
            let listed = self.reads(of.index).find(|r| r.port == index && r.part == Part::Order);
            let list = listed.and_then(|r| self.program.values.get(r.value)).map(|value| value.capacity);
            let room = self.largest(of).into_iter().chain(list).min();
            let ends = room.map_or(String::new(), |room| format!("_last = min(_last, {room}u); "));
            let visits = if batches { "2u * (_last - _first)" } else { "_last - _first" };
            // The entry that was given last is still before the end where the loop over a row was left early.
            let _ = writeln!(
                out,
                "fn _row_{name}(_near: ptr<function, _Near_{name}>) -> bool {{\n    \
                     if ((*_near)._row >= {rows} || (*_near)._entry < (*_near)._end) {{ return false; }}\n    \
                     let _r = (*_near)._row;\n    \
                     (*_near)._row = _r + 1;\n    \
                     var _first = 0u; var _last = 0u;\n    \
                     {range}\n    \
                     {ends}_first = min(_first, _last);\n    \
                     if (_too_many({visits})) {{ _last = _first; }}\n    \
                     (*_near)._entry = _first - 1u;\n    \
                     (*_near)._end = _last;\n    \
                     return true;\n\
                 }}\n\
                 fn _step_{name}(_near: ptr<function, _Near_{name}>) -> bool {{\n    \
                     (*_near)._entry += 1u;\n    \
                     if ((*_near)._entry >= (*_near)._end) {{ return false; }}\n    \
                     (*_near).index = {};\n    \
                     return true;\n\
                 }}\n\
                 fn {name}_next(_near: ptr<function, _Near_{name}>) -> bool {{\n    \
                     for (var _k = 0; _k <= {rows}; _k++) {{\n        \
                         if (_step_{name}(_near)) {{ return true; }}\n        \
                         if (!_row_{name}(_near)) {{ return false; }}\n    \
                     }}\n    \
                     return _step_{name}(_near);\n\
                 }}",
                item("(*_near)._entry")
            );
        }
        if batches {
            let _ = writeln!(
                out,
                "fn _batch_{name}(_near: ptr<function, _Near_{name}>) -> bool {{\n    \
                     // What is left of the row; the entry before is the last of the batch before.\n    \
                     let _left = (*_near)._end - ((*_near)._entry + 1u);\n    \
                     if (_left == 0u) {{ (*_near)._entry = (*_near)._end; return false; }}\n    \
                     (*_near)._some = min(_left, 32u);\n    \
                     (*_near)._entry += (*_near)._some;\n    \
                     (*_near)._marks = 0u;\n    \
                     return true;\n\
                 }}\n\
                 fn _look_{name}(_near: ptr<function, _Near_{name}>, _k: u32) {{ (*_near).index = {}; }}\n\
                 fn _take_{name}(_near: ptr<function, _Near_{name}>) -> bool {{\n    \
                     if ((*_near)._marks == 0u) {{ return false; }}\n    \
                     let _k = firstTrailingBit((*_near)._marks);\n    \
                     (*_near)._marks &= (*_near)._marks - 1u;\n    \
                     _look_{name}(_near, _k);\n    \
                     return true;\n\
                 }}",
                item("((*_near)._entry + 1u - (*_near)._some + _k)")
            );
        }
        if of.stage.calls(&format!("{name}_range")) {
            let _ = writeln!(
                out,
                "fn {name}_range(_p: {cells}) -> vec2u {{ let _c = {inside}; let _i = {at}; return vec2u({start}[_i], {start}[_i + {slices}]); }}"
            );
        }
        if of.stage.calls(&format!("{name}_item")) {
            let _ = writeln!(out, "fn {name}_item(_entry: u32) -> u32 {{ return {}; }}", item("_entry"));
        }
        out
    }
}

/// How many cells there are around one, and the statements that begin the range of the one of number `_r`.
fn cells_around(start: &str, n: [i64; 3], dim: u32, slices: i64, at: &str) -> (i64, String) {
    let cells = cell_type(dim);
    let resolution = cell_literal(n, dim);
    // A cell that is its own neighbour, or its neighbour's on both sides, counts once.
    let width = n.map(|n| n.min(3));
    let first: Vec<String> = width.iter().take(dim as usize).map(|w| if *w == 3 { "1" } else { "0" }.into()).collect();
    let [x, y, z] = width;
    let offset = match dim {
        3 => format!("vec3i(_r % {x}, (_r / {x}) % {y}, _r / {})", x * y),
        _ => format!("vec2i(_r % {x}, _r / {x})"),
    };
    let count = if dim == 3 { x * y * z } else { x * y };
    let range = format!(
        "let _c = ((*_near)._cell + {offset} - {cells}({}) + {resolution}) % {resolution}; let _i = {at}; \
         _first = {start}[_i]; _last = {start}[_i + {slices}];",
        first.join(", ")
    );
    (count, range)
}

/// How many rows there are around a cell, and the statements that begin the range of the one of number `_r`: what of it lies no
/// farther than a cell's width from the position, rounded out to whole slices. Places are in cells; what lies outside counts as on
/// the border, for that is how it was sorted.
fn rows(start: &str, domain: &Domain) -> (i64, String) {
    let slices = domain.slices();
    let [x, y, z] = domain.resolution.map(i64::from);
    // Distances are as exact as places are.
    let slack = 1e-5 + 4.0 * f64::from(f32::EPSILON) * domain.resolution.map(f64::from).into_iter().fold(1.0, f64::max);
    let (reach, slack) = (prelude::float((1.0 + slack).powi(2)), prelude::float(slack));
    let (count, place, outside, row) = match domain.dim {
        3 => (
            9,
            "(*_near)._cell.yz + vec2i(_r % 3, _r / 3) - 1",
            format!("any(_o < vec2i(0)) || any(_o >= vec2i({y}, {z}))"),
            format!("(_o.y * {y} + _o.x) * {x}"),
        ),
        _ => (3, "(*_near)._cell.y + _r - 1", format!("_o < 0 || _o >= {y}"), format!("_o * {x}")),
    };
    let (across, float, square) = match domain.dim {
        3 => ("yz", "vec2f", "dot(_d, _d)"),
        _ => ("y", "f32", "_d * _d"),
    };
    let slice = |at: &str| format!("clamp(i32(({at}) * {slices}.0), 0, {x} - 1)");
    let range = format!(
        "let _o = {place}; let _p = (*_near)._at; let _l = {float}(_o) - _p.{across}; \
         let _d = max(max(_l, -_l - 1.0) - {slack}, {float}(0.0)); let _w2 = {reach} - {square}; \
         if (_w2 > 0.0 && !({outside})) {{ let _w = sqrt(_w2) + {slack}; let _i = {row}; \
         _first = {start}[_i + {}]; _last = {start}[_i + {} + 1]; }}",
        slice("_p.x - _w"),
        slice("_p.x + _w")
    );
    (count, range)
}
