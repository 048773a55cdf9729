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

mod cells;
mod kept;

use super::particles;
use crate::codegen::stage_kernel::context::{Context, Instance};
use crate::codegen::wgsl::{cell_type, float, position_type};
use crate::ir::Part;
use crate::stage::header::Port;
use cells::Cells;
use kept::Kept;

/// How much farther than a cell's width an entry may be and still be marked: distances are as exact as places are.
const REACH: f64 = 1.0 + 1e-4;

/// The accessors of a neighbour grid.
struct Search<'a> {
    /// Port.
    name: &'a str,
    cells: Cells<'a>,
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
pub(super) fn accessor(cx: &Context<'_>, of: Instance<'_>, (index, port): (usize, &Port)) -> Option<String> {
    let search = Search::new(cx, of, (index, port))?;
    let calls = |suffix: &str| of.stage.calls(&format!("{}{suffix}", port.name));
    let mut out = search.iterator();
    if calls("_next") {
        out += &search.next();
    }
    if let Some(kept) = search.follows() {
        out += &kept.following(search.name);
    }
    if search.looks {
        out += &search.visit_entry();
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
    fn new(cx: &'a Context<'_>, of: Instance<'a>, (index, port): (usize, &'a Port)) -> Option<Search<'a>> {
        let domain = cx.domain_of(cx.read_value(of.index, index, &Part::Start)?)?;
        let list = cx.read_value(of.index, index, &Part::Order).map(|value| value.capacity);
        let text = &of.stage.bounded(domain.dim).source;
        let has = |function: &str| text.contains(&format!("{function}_{}(", port.name));
        Some(Search {
            name: &port.name,
            cells: Cells::new(domain, cx.variable(of.index, index, &Part::Start)?),
            items: cx.variable(of.index, index, &Part::Order),
            room: particles::largest(cx, of).into_iter().chain(list).min(),
            kept: Kept::new(cx, of, (index, port)),
            looks: has("_look"),
            marks: has("_take"),
            set: of.stage.set().map_or("", |set| set.name.as_str()),
        })
    }

    fn dim(&self) -> u32 {
        self.cells.dim()
    }

    /// What the search leaves for others.
    fn leaves(&self) -> Option<&Kept<'a>> {
        self.kept.as_ref().filter(|kept| kept.leaves)
    }

    /// What the search follows of another.
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

    /// Members of the iterator, with their types and what they begin with.
    fn members(&self) -> Vec<(&'static str, &'static str, String)> {
        let (cells, position) = (cell_type(self.dim()), position_type(self.dim()));
        let number = |name| (name, "u32", "0u".to_string());
        let mut members = vec![number("index"), ("_cell", cells, self.cells.inside()), ("_row", "i32", "0".into())];
        members.extend(["_entry", "_end"].map(number));
        members.extend((!self.cells.wraps()).then(|| ("_at", position, "_q".into())));
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
            self.cells.cell_of_position(),
            values.join(", ")
        )
    }

    /// The functions that go on to the next row, entry and neighbour.
    fn next(&self) -> String {
        let name = self.name;
        let (rows, _) = self.cells.ranges();
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
        let (rows, range) = self.cells.ranges();
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

    /// The function that looks at an entry of a row, and notes whether it is near where others want to know.
    fn visit_entry(&self) -> String {
        let (name, set) = (self.name, self.set);
        let reach = float((self.cells.domain.cell_size * REACH).powi(2));
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
        let (name, cells) = (self.name, cell_type(self.dim()));
        let Cells { start, slices, .. } = self.cells;
        let (inside, at) = (self.cells.inside(), self.cells.first_slice());
        format!(
            "fn {name}_range(_p: {cells}) -> vec2u {{ let _c = {inside}; let _i = {at}; return vec2u({start}[_i], {start}[_i + {slices}]); }}\n"
        )
    }

    /// `x_item(entry)`
    fn item(&self) -> String {
        format!("fn {}_item(_entry: u32) -> u32 {{ return {}; }}\n", self.name, self.entry("_entry"))
    }
}
