//! How a stage sees the neighbours of a place: `x(position)` and `x_next(&near)`. Along each row of cells the entries are contiguous, so a
//! row is one range, as long as the sphere around the position is wide there; around a periodic border they are not, and every cell is
//! a range of its own.
//!
//! ```wgsl
//! struct _Near_grid { index: u32, _cell: vec2i, _row: i32, _entry: u32, _end: u32, _at: vec2f }
//! fn grid(_position: vec2f) -> _Near_grid { .. }
//! fn _row_grid(_near: ptr<function, _Near_grid>) -> bool { .. }
//! fn _step_grid(_near: ptr<function, _Near_grid>) -> bool { .. }
//! fn grid_next(_near: ptr<function, _Near_grid>) -> bool { .. }
//! ```

use super::super::context::{Context, Instance};
use super::particles;
use crate::graph::Domain;
use crate::plan::codegen::wgsl::{cell_literal, cell_type, element, float, position_type};
use crate::plan::ir::{Part, Value, Write, packs};
use crate::stage::header::Port;
use crate::stage::types::EdgeRule;

/// How much farther than a cell's width an entry may be and still be marked: distances are as exact as places are.
const REACH: f64 = 1.0 + 1e-4;

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

/// The accessors of a neighbour grid.
struct Search<'a> {
    /// Port.
    name: &'a str,
    domain: &'a Domain,
    /// Whole cells along each axis.
    cells: [i64; 3],
    slices: i64,
    /// The buffer of each cell's first entry.
    start: &'a str,
    /// The buffer of entries, where particles are not sorted.
    items: Option<&'a str>,
    /// Entries that there are at most.
    room: Option<u32>,
    kept: Option<Kept<'a>>,
    /// Whether the text looks at an entry before it visits it.
    looks: bool,
    /// Whether it marks entries in a bitmask, and visits those.
    marks: bool,
    /// The set that the stage runs over.
    set: &'a str,
}

/// All functions of a neighbour grid that a stage calls.
pub fn accessor(cx: &Context<'_>, of: Instance<'_>, (index, port): (usize, &Port)) -> Option<String> {
    let search = Search::of(cx, of, (index, port))?;
    let calls = |suffix: &str| of.stage.calls(&format!("{}{suffix}", port.name));
    let mut out = search.iterator();
    if calls("_next") {
        out += &search.next();
    }
    if let Some(kept) = search.follows() {
        out += &kept.following(search.name);
    }
    if search.looks {
        out += &search.look();
    }
    if search.marks {
        out += &search.batch();
    }
    if calls("_range") {
        out += &search.range();
    }
    if calls("_item") {
        out += &search.item();
    }
    Some(out)
}

impl<'a> Search<'a> {
    fn of(cx: &'a Context<'_>, of: Instance<'a>, (index, port): (usize, &'a Port)) -> Option<Search<'a>> {
        let read = |part: Part| cx.reads(of.index).find(|r| r.port == index && r.part == part);
        let value = |part: Part| read(part).and_then(|r| cx.value(r.value));
        let domain = cx.domain_of(value(Part::Start)?)?;
        let list = value(Part::Order).map(|value| value.capacity);
        let slices = i64::from(domain.slices());
        let [x, y, z] = domain.resolution.map(i64::from);
        let text = &of.stage.bounded(domain.dim).source;
        let has = |function: &str| text.contains(&format!("{function}_{}(", port.name));
        Some(Search {
            name: &port.name,
            domain,
            cells: [x / slices, y, z],
            slices,
            start: cx.variable(of.index, index, &Part::Start)?,
            items: cx.variable(of.index, index, &Part::Order),
            room: particles::largest(cx, of).into_iter().chain(list).min(),
            kept: Kept::of(cx, of, (index, port)),
            looks: has("_look"),
            marks: has("_take"),
            set: of.stage.set().map_or("", |set| set.name.as_str()),
        })
    }

    fn dim(&self) -> u32 {
        self.domain.dim
    }

    fn wraps(&self) -> bool {
        self.domain.edge == EdgeRule::Wrap
    }

    /// What the search leaves for others.
    fn leaves(&self) -> Option<&Kept<'a>> {
        self.kept.as_ref().filter(|kept| kept.leaves)
    }

    /// What it follows of another.
    fn follows(&self) -> Option<&Kept<'a>> {
        self.kept.as_ref().filter(|kept| !kept.leaves)
    }

    /// The index of the particle of an entry.
    fn entry(&self, entry: &str) -> String {
        match self.items {
            Some(items) => format!("{items}[{entry}]"),
            None => entry.to_string(),
        }
    }

    /// The cell inside the domain that a cell `_p` shows.
    fn inside(&self) -> String {
        let resolution = cell_literal(self.cells, self.dim());
        match self.wraps() {
            true => format!("((_p % {resolution}) + {resolution}) % {resolution}"),
            false => format!("clamp(_p, {}(0), {resolution} - 1)", cell_type(self.dim())),
        }
    }

    /// The place of the first slice of a cell `_c` among all slices.
    fn first_slice(&self) -> String {
        let at = element("_c", self.cells.map(|n| n as u32), self.dim());
        if self.slices > 1 { format!("{} * ({at})", self.slices) } else { at }
    }

    /// `let _q = ..; let _p = ..`: the cell of a position, in cells and whole. Far away a position does not convert to a cell.
    fn cell_of_position(&self) -> String {
        let (cells, position) = (cell_type(self.dim()), position_type(self.dim()));
        let h = float(self.domain.cell_size);
        match self.wraps() {
            true => {
                let size: Vec<String> = self.cells.iter().take(self.dim() as usize).map(|n| format!("{n}.0")).collect();
                let size = format!("{position}({})", size.join(", "));
                format!("let _q = _position / {h}; let _p = {cells}(floor(_q - floor(_q / {size}) * {size}));")
            }
            false => {
                let resolution = cell_literal(self.cells, self.dim());
                format!(
                    "let _q = clamp(_position / {h}, {position}(0.0), {position}({resolution})); let _p = {cells}(_q);"
                )
            }
        }
    }

    /// Members of the iterator, with their types and what they begin with.
    fn members(&self) -> Vec<(&'static str, &'static str, String)> {
        let (cells, position) = (cell_type(self.dim()), position_type(self.dim()));
        let number = |name| (name, "u32", "0u".to_string());
        let mut members = vec![number("index"), ("_cell", cells, self.inside()), ("_row", "i32", "0".into())];
        members.extend(["_entry", "_end"].map(number));
        members.extend((!self.wraps()).then(|| ("_at", position, "_q".into())));
        members.extend(["_from", "_some"].map(number).into_iter().filter(|_| self.looks));
        members.extend(Some(number("_marks")).filter(|_| self.marks));
        members.extend(self.kept.as_ref().map(|_| ("_own", "u32", "_own".into())));
        if self.leaves().is_some() {
            members.push(("_center", position, "_position".into()));
            members.extend(["_first", "_found", "_bit"].map(number));
        }
        members
    }

    /// The iterator, and the functions that begin one.
    fn iterator(&self) -> String {
        let (name, position) = (self.name, position_type(self.dim()));
        let members = self.members();
        let types: Vec<String> = members.iter().map(|(member, ty, _)| format!("{member}: {ty}")).collect();
        let values: Vec<&str> = members.iter().map(|(.., value)| value.as_str()).collect();
        let begin = match &self.kept {
            Some(_) => format!(
                "fn {name}(_position: {position}) -> _Near_{name} {{ return _from_{name}(0u, _position); }}\n\
                 fn _from_{name}(_own: u32, "
            ),
            None => format!("fn {name}("),
        };
        format!(
            "struct _Near_{name} {{ {} }}\n\
             {begin}_position: {position}) -> _Near_{name} {{ {} return _Near_{name}({}); }}\n",
            types.join(", "),
            self.cell_of_position(),
            values.join(", ")
        )
    }

    /// How many ranges there are around a cell, and the statements that begin the one of number `_r`.
    fn ranges(&self) -> (i64, String) {
        if self.wraps() { self.cells_around() } else { self.rows() }
    }

    /// The functions that go on to the next row, entry and neighbour.
    fn next(&self) -> String {
        let name = self.name;
        let (rows, _) = self.ranges();
        format!(
            "{}\
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
             }}\n",
            self.row(),
            self.entry("(*_near)._entry")
        )
    }

    /// The function that begins the next row.
    fn row(&self) -> String {
        let name = self.name;
        let (rows, range) = self.ranges();
        // Whatever the grid says, a row ends within the set, and within the list.
        let ends = self.room.map_or(String::new(), |room| format!("_last = min(_last, {room}u); "));
        // An entry that is marked is visited twice.
        let visits = if self.marks { "2u * (_last - _first)" } else { "_last - _first" };
        let (before, after) = self.leaves().map_or_else(Default::default, Kept::leaving);
        let some = if self.looks { "(*_near)._from = _first; (*_near)._some = _last - _first;\n    " } else { "" };
        // The entry that was given last is still before the end where the loop over a row was left early.
        format!(
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
             }}\n"
        )
    }

    /// How many cells there are around one, and the statements that begin the range of the one of number `_r`.
    fn cells_around(&self) -> (i64, String) {
        let (start, slices, dim) = (self.start, self.slices, self.dim());
        let resolution = cell_literal(self.cells, dim);
        // A cell that is its own neighbour, or its neighbour's on both sides, counts once.
        let width = self.cells.map(|n| n.min(3));
        let first = cell_literal(width.map(|w| i64::from(w == 3)), dim);
        let [x, y, z] = width;
        let (count, offset) = match dim {
            3 => (x * y * z, format!("vec3i(_r % {x}, (_r / {x}) % {y}, _r / {})", x * y)),
            _ => (x * y, format!("vec2i(_r % {x}, _r / {x})")),
        };
        let range = format!(
            "let _c = ((*_near)._cell + {offset} - {first} + {resolution}) % {resolution}; let _i = {}; \
             _first = {start}[_i]; _last = {start}[_i + {slices}];",
            self.first_slice()
        );
        (count, range)
    }

    /// How many rows there are around a cell, and the statements that begin the range of the one of number `_r`: what of it lies no
    /// farther than a cell's width from the position, rounded out to whole slices. Places are in cells; what lies outside counts as on
    /// the border, for that is how it was sorted.
    fn rows(&self) -> (i64, String) {
        let (start, slices) = (self.start, self.slices);
        let [x, y, z] = self.domain.resolution.map(i64::from);
        // Distances are as exact as places are.
        let most = self.domain.resolution.map(f64::from).into_iter().fold(1.0, f64::max);
        let slack = 1e-5 + 4.0 * f64::from(f32::EPSILON) * most;
        let (reach, slack) = (float((1.0 + slack).powi(2)), float(slack));
        let (place, outside, row) = match self.dim() {
            3 => (
                "(*_near)._cell.yz + vec2i(_r % 3, _r / 3) - 1",
                format!("any(_o < vec2i(0)) || any(_o >= vec2i({y}, {z}))"),
                format!("(_o.y * {y} + _o.x) * {x}"),
            ),
            _ => ("(*_near)._cell.y + _r - 1", format!("_o < 0 || _o >= {y}"), format!("_o * {x}")),
        };
        let (across, float, square) = match self.dim() {
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
        (packs::rows(self.dim()).into(), range)
    }

    /// The function that looks at an entry of a row, and notes whether it is near where others want to know.
    fn look(&self) -> String {
        let (name, set) = (self.name, self.set);
        let reach = float((self.domain.cell_size * REACH).powi(2));
        let note = self.leaves().map_or(String::new(), |_| {
            format!(
                " let _d = _near_{set}((*_near).index).position - (*_near)._center; \
                 (*_near)._found |= select((*_near)._bit, 0u, dot(_d, _d) >= {reach}); (*_near)._bit <<= 1u;"
            )
        });
        let entry = self.entry("((*_near)._from + _k)");
        format!("fn _look_{name}(_near: ptr<function, _Near_{name}>, _k: u32) {{ (*_near).index = {entry};{note} }}\n")
    }

    /// The functions that begin a batch of up to 32 entries, and take those of it that were marked.
    fn batch(&self) -> String {
        let (name, entry) = (self.name, self.entry("((*_near)._from + _k)"));
        format!(
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
             }}\n"
        )
    }

    /// `x_range(cell)`
    fn range(&self) -> String {
        let (name, start, slices, cells) = (self.name, self.start, self.slices, cell_type(self.dim()));
        let (inside, at) = (self.inside(), self.first_slice());
        format!(
            "fn {name}_range(_p: {cells}) -> vec2u {{ let _c = {inside}; let _i = {at}; return vec2u({start}[_i], {start}[_i + {slices}]); }}\n"
        )
    }

    /// `x_item(entry)`
    fn item(&self) -> String {
        format!("fn {}_item(_entry: u32) -> u32 {{ return {}; }}\n", self.name, self.entry("_entry"))
    }
}

impl<'a> Kept<'a> {
    fn of(cx: &'a Context<'_>, of: Instance<'_>, (index, port): (usize, &Port)) -> Option<Kept<'a>> {
        let kept = |variable, value: &Value, leaves| Kept {
            variable,
            capacity: value.capacity,
            rows: packs::rows(value.dim),
            leaves,
        };
        let leaves = |w: &&Write| w.stage == of.index && w.part == Part::Found;
        if let Some(write) = cx.op.writes.iter().find(leaves) {
            of.stage.search(cx.graph.dim(of.node)).filter(|search| search.grid == port.name)?;
            let buffer = cx.bound.iter().find(|b| b.writes && b.value == write.value)?;
            return Some(kept(&buffer.variable, cx.value(write.value)?, true));
        }
        let value = cx.read_value(of.index, index, &Part::Found)?;
        Some(kept(cx.variable(of.index, index, &Part::Found)?, value, false))
    }

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
    fn following(&self, name: &str) -> String {
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
