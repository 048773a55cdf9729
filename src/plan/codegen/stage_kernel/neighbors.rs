//! How a stage sees the neighbours of a place.

use super::*;
use crate::plan::codegen::accessors;
use crate::plan::codegen::prelude::{cell_literal, cell_type, position_type};
use crate::plan::ir::packs;
use crate::stage::neighbors;
use crate::stage::syntax::tokens;
use crate::stage::types::EdgeRule;

/// A search that keeps what it finds, or goes by what another has found.
struct Kept<'a> {
    /// The variable that it is in.
    variable: &'a str,
    /// Particles that there is room for.
    capacity: u32,
    /// Rows of cells around one.
    rows: u32,
    leaves: bool,
}

impl StageKernel<'_> {
    /// What becomes of a stage's loops over neighbours.
    pub(super) fn visits<'s>(&self, of: Instance<'s>, text: Cow<'s, str>) -> Cow<'s, str> {
        let port = |name: &str, ty: PortType| of.stage.inputs().any(|p| p.ty == ty && p.name == name);
        let goes = |p: &Port| p.ty == PortType::NeighborGrid && of.stage.calls(&format!("{}_next", p.name));
        if !of.stage.inputs().any(goes) {
            return text;
        }
        let found = tokens(&of.stage.source);
        let iterators = neighbors::iterators(&found, &|name| port(name, PortType::NeighborGrid));
        let text = neighbors::without_clamp(&text, &iterators, &|name| port(name, PortType::Particles));
        let leaves = self.op.writes.iter().any(|w| w.stage == of.index && w.part == Part::Found);
        let goes_by = self.reads(of.index).any(|r| r.part == Part::Found);
        let search = if leaves || goes_by { of.stage.search(self.graph.dim(of.node)) } else { None };
        Cow::Owned(match search {
            Some(search) if goes_by => neighbors::from_cache(&neighbors::from_own(&text, &search.grid), &search.grid),
            Some(search) => neighbors::from_own(&text, &search.grid),
            None => text,
        })
    }

    fn kept_search<'b>(&self, of: Instance<'_>, index: usize, port: &Port, bound: &'b [Bound]) -> Option<Kept<'b>> {
        let room = |value: ValueId| self.program.values.get(value).map(|v| (v.capacity, packs::rows(v.dim)));
        let leaves = |w: &&Write| w.stage == of.index && w.part == Part::Found;
        if let Some(write) = self.op.writes.iter().find(leaves) {
            let search = of.stage.search(self.graph.dim(of.node)).filter(|search| search.grid == port.name);
            let variable = bound.iter().find(|b| b.writes && b.value == write.value)?;
            let (capacity, rows) = room(write.value)?;
            return search.map(|_| Kept { variable: &variable.variable, capacity, rows, leaves: true });
        }
        let read = self.reads(of.index).find(|r| r.port == index && r.part == Part::Found)?;
        let variable = memory::variable(bound, of.index, index, &Part::Found)?;
        let (capacity, rows) = room(read.value)?;
        Some(Kept { variable, capacity, rows, leaves: false })
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
        let kept = self.kept_search(of, index, port, bound);
        let (leaves, goes_by) = (kept.as_ref().filter(|k| k.leaves), kept.as_ref().filter(|k| !k.leaves));
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
        let text = &of.stage.bounded(dim).source;
        let has = |function: &str| text.contains(&format!("{function}_{name}("));
        let (looks, marks) = (has("_look"), has("_take"));
        let mut members = vec![("index", "u32", "0u"), ("_cell", cells, inside.as_str()), ("_row", "i32", "0")];
        members.extend([("_entry", "u32", "0u"), ("_end", "u32", "0u")]);
        members.extend(if wraps { None } else { Some(("_at", position, "_q")) });
        members.extend([("_from", "u32", "0u"), ("_some", "u32", "0u")].into_iter().filter(|_| looks));
        members.extend(Some(("_marks", "u32", "0u")).filter(|_| marks));
        members.extend(Some(("_own", "u32", "_own")).filter(|_| kept.is_some()));
        let leaving = [("_center", position, "_position")];
        let marking = ["_first", "_found", "_bit"].map(|member| (member, "u32", "0u"));
        members.extend(leaving.into_iter().chain(marking).filter(|_| leaves.is_some()));
        let types: Vec<String> = members.iter().map(|(member, ty, _)| format!("{member}: {ty}")).collect();
        let values: Vec<&str> = members.iter().map(|(.., value)| *value).collect();
        let (types, values) = (types.join(", "), values.join(", "));
        let begin = match &kept {
            Some(_) => format!(
                "fn {name}(_position: {position}) -> _Near_{name} {{ return _from_{name}(0u, _position); }}\n\
                 fn _from_{name}(_own: u32, "
            ),
            None => format!("fn {name}("),
        };
        let mut out = format!(
            "struct _Near_{name} {{ {types} }}\n\
             {begin}_position: {position}) -> _Near_{name} {{ {cell} return _Near_{name}({values}); }}\n"
        );
        if of.stage.calls(&format!("{name}_next")) {
            let (rows, range) = match wraps {
                true => cells_around(start, n, dim, slices, &at),
                false => rows(start, domain),
            };
            // Whatever the grid says, a row ends within the set, and within the list.
            let listed = self.reads(of.index).find(|r| r.port == index && r.part == Part::Order);
            let list = listed.and_then(|r| self.program.values.get(r.value)).map(|value| value.capacity);
            let room = self.largest(of).into_iter().chain(list).min();
            let ends = room.map_or(String::new(), |room| format!("_last = min(_last, {room}u); "));
            // An entry that is marked is visited twice.
            let visits = if marks { "2u * (_last - _first)" } else { "_last - _first" };
            let (before, after) = leaves.map_or_else(Default::default, Kept::leaving);
            let some = if looks { "(*_near)._from = _first; (*_near)._some = _last - _first;\n    " } else { "" };
            // The entry that was given last is still before the end where the loop over a row was left early.
            let _ = writeln!(
                out,
                "fn _row_{name}(_near: ptr<function, _Near_{name}>) -> bool {{\n    \
                     {before}if ((*_near)._row >= {rows} || (*_near)._entry < (*_near)._end) {{ return false; }}\n    \
                     let _r = (*_near)._row;\n    \
                     (*_near)._row = _r + 1;\n    \
                     var _first = 0u; var _last = 0u;\n    \
                     {range}\n    \
                     {ends}_first = min(_first, _last);\n    \
                     if (_too_many({visits})) {{ _last = _first; }}\n    \
                     (*_near)._entry = _first - 1u;\n    \
                     (*_near)._end = _last;\n    \
                     {some}{after}return true;\n\
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
        out += &goes_by.map_or(String::new(), |kept| kept.going_by(name));
        let entry = item("((*_near)._from + _k)");
        if looks {
            let set = of.stage.set().map_or("", |set| set.name.as_str());
            let reach = prelude::float((domain.cell_size * REACH).powi(2));
            let mark = leaves.map_or(String::new(), |_| {
                format!(
                    " let _d = _near_{set}((*_near).index).position - (*_near)._center; \
                     (*_near)._found |= select((*_near)._bit, 0u, dot(_d, _d) >= {reach}); (*_near)._bit <<= 1u;"
                )
            });
            let _ = writeln!(
                out,
                "fn _look_{name}(_near: ptr<function, _Near_{name}>, _k: u32) {{ (*_near).index = {entry};{mark} }}"
            );
        }
        if marks {
            let _ = writeln!(
                out,
                "fn _batch_{name}(_near: ptr<function, _Near_{name}>) -> bool {{\n    \
                     // What is left of the row; the entry before is the last of the batch before.\n    \
                     let _left = (*_near)._end - ((*_near)._entry + 1u);\n    \
                     if (_left == 0u) {{ (*_near)._entry = (*_near)._end; return false; }}\n    \
                     (*_near)._from = (*_near)._entry + 1u;\n    \
                     (*_near)._some = min(_left, 32u);\n    \
                     (*_near)._entry += (*_near)._some;\n    \
                     (*_near)._marks = 0u;\n    \
                     return true;\n\
                 }}\n\
                 fn _take_{name}(_near: ptr<function, _Near_{name}>) -> bool {{\n    \
                     if ((*_near)._marks == 0u) {{ return false; }}\n    \
                     let _k = firstTrailingBit((*_near)._marks);\n    \
                     (*_near)._marks &= (*_near)._marks - 1u;\n    \
                     (*_near).index = {entry};\n    \
                     return true;\n\
                 }}"
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

/// How much farther than a cell's width an entry may be and still be marked: distances are as exact as places are.
const REACH: f64 = 1.0 + 1e-4;

impl Kept<'_> {
    /// What a row has left: its marks, or its first entry.
    fn marks(&self, row: &str) -> String {
        format!("{}[({row}) * {}u + (*_near)._own]", self.variable, self.capacity)
    }

    fn first(&self, row: &str) -> String {
        self.marks(&format!("{}u + {row}", self.rows))
    }

    /// What a row begins and ends with, where the row before is left for others. A row of more entries than can be marked is left by
    /// its end, which the topmost bit of the first entry tells.
    fn leaving(&self) -> (String, &'static str) {
        let row = "u32((*_near)._row - 1)";
        let (marks, first) = (self.marks(row), self.first(row));
        let before =
            format!("if ((*_near)._row > 0) {{ {marks} = (*_near)._found; {first} = (*_near)._first; }}\n    ");
        let after = "(*_near)._first = _first; (*_near)._found = 0u; (*_near)._bit = 1u;\n    \
             if (_last - _first > 32u) { (*_near)._first |= 0x80000000u; (*_near)._found = _last; (*_near)._bit = 0u; }\n    ";
        (before, after)
    }

    /// The function that begins a row of what another search has left; false where it has to be searched.
    fn going_by(&self, name: &str) -> String {
        format!(
            "const _ROWS_{name} = {}u;\n\
             fn _kept_{name}(_near: ptr<function, _Near_{name}>, _r: u32) -> bool {{\n    \
                 let _first = {}; (*_near)._from = _first; (*_near)._marks = {};\n    \
                 if (_first < 0x80000000u) {{ return true; }}\n    \
                 let _last = (*_near)._marks; (*_near)._marks = 0u;\n    \
                 (*_near)._entry = (_first & 0x7fffffffu) - 1u; (*_near)._end = _last;\n    \
                 if (_too_many(2u * (_last - (*_near)._entry - 1u))) {{ (*_near)._end = (*_near)._entry + 1u; }}\n    \
                 return false;\n\
             }}\n",
            self.rows,
            self.first("_r"),
            self.marks("_r"),
        )
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
    let (place, outside, row) = match domain.dim {
        3 => (
            "(*_near)._cell.yz + vec2i(_r % 3, _r / 3) - 1",
            format!("any(_o < vec2i(0)) || any(_o >= vec2i({y}, {z}))"),
            format!("(_o.y * {y} + _o.x) * {x}"),
        ),
        _ => ("(*_near)._cell.y + _r - 1", format!("_o < 0 || _o >= {y}"), format!("_o * {x}")),
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
    (packs::rows(domain.dim).into(), range)
}
