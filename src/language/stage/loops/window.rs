//! The window of cells around its own in which a stage reads an input, derived from its read positions: `x(cell +
//! unit(0) * i)` with `i` the counter of a bounded loop.

use std::collections::HashMap;

use super::counting;
use super::interval::{Interval, LET_PASSES, Scope, statements};
use crate::stage::syntax::{
    Block, Token, blocks, closing, is_member, stage_function, text as word_at, tokens, top_level,
};

const AXES: usize = 3;
/// Larger offsets are not useful; the limit keeps products small.
const MAX_CELLS: i64 = 1 << 16;

/// What is known about the reads of one input.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Window {
    /// Maximum distance in cells on either side, along each axis.
    pub cells: [u32; AXES],
    /// Maximum number of reads in one call of the stage.
    pub taps: u64,
}

/// A vector of cells: relative to the computed cell, or a difference.
#[derive(Clone, Copy)]
struct Vector {
    is_place: bool,
    along: [(i64, i64); AXES],
}

impl Vector {
    const ZERO: Vector = Vector { is_place: false, along: [(0, 0); AXES] };

    /// A unit vector along any of the possible axes.
    fn unit(axis: Interval) -> Vector {
        let sole = axis.low == axis.high;
        let along = [0, 1, 2].map(|a| match (axis.low..=axis.high).contains(&a) {
            true => (i64::from(sole), 1),
            false => (0, 0),
        });
        Vector { is_place: false, along }
    }

    fn add(self, other: Vector, sign: i64) -> Option<Vector> {
        let other = other.times(sign, sign)?;
        let sum = |a: usize| (self.along[a].0 + other.along[a].0, self.along[a].1 + other.along[a].1);
        let places = self.is_place as u8 + other.is_place as u8;
        (places < 2).then_some(Vector { is_place: places == 1, along: [0, 1, 2].map(sum) })?.checked()
    }

    /// All vectors between those of either.
    fn hull(self, other: Vector) -> Option<Vector> {
        let along = [0, 1, 2].map(|a| (self.along[a].0.min(other.along[a].0), self.along[a].1.max(other.along[a].1)));
        (self.is_place == other.is_place).then_some(Vector { along, ..self })
    }

    /// The position of the cell itself is unknown, so a vector that contains it cannot be scaled or subtracted.
    fn times(self, low: i64, high: i64) -> Option<Vector> {
        if self.is_place {
            return (low == 1 && high == 1).then_some(self);
        }
        let scaled = |(a, b): (i64, i64)| {
            let corners = [a * low, a * high, b * low, b * high];
            (corners.into_iter().min().unwrap_or(0), corners.into_iter().max().unwrap_or(0))
        };
        Vector { along: self.along.map(scaled), ..self }.checked()
    }

    fn checked(self) -> Option<Vector> {
        self.along.iter().all(|(low, high)| low.abs().max(high.abs()) <= MAX_CELLS).then_some(self)
    }
}

/// Finds the windows of inputs in a stage's text; `None` for an input that is also read elsewhere.
///
/// `constants` and `params` are those of [`super::bound_loops`].
pub(crate) fn windows<'p>(
    source: &str,
    ports: &[&'p str],
    constants: &dyn Fn(&str) -> Option<i64>,
    params: &dyn Fn(&str) -> Option<(i64, i64)>,
) -> HashMap<&'p str, Window> {
    let tokens = tokens(source);
    let Some(text) = Text::read(&tokens, constants, params) else { return HashMap::new() };
    ports.iter().filter_map(|port| Some((*port, text.window(port)?))).collect()
}

/// A stage's text with the values of its names.
struct Text<'t, 'a> {
    tokens: &'t [Token<'a>],
    scope: Scope<'a>,
    /// Loops, each with its maximum trip count.
    loops: Vec<(Block, u64)>,
    /// Tokens of the body of `fn stage`.
    body: std::ops::Range<usize>,
    cell: &'a str,
    vectors: HashMap<&'a str, Vector>,
}

impl<'t, 'a> Text<'t, 'a> {
    fn read(
        tokens: &'t [Token<'a>],
        constants: &'a dyn Fn(&str) -> Option<i64>,
        params: &'a dyn Fn(&str) -> Option<(i64, i64)>,
    ) -> Option<Text<'t, 'a>> {
        let mut scope = Scope::new(tokens, constants, params);
        let function = stage_function(tokens)?;
        let (cell, _) = function.first_argument(tokens);
        let mut counters = HashMap::<&str, (usize, Interval)>::new();
        let mut loops = Vec::new();
        for block in blocks(tokens).into_iter().filter(|b| b.is_loop) {
            let Some((counter, trips, values)) = counting(&block, tokens, &scope) else { continue };
            let entry = counters.entry(counter).or_insert((0, values));
            *entry = (entry.0 + 1, entry.1.hull(values));
            loops.push((block, trips));
        }
        for (counter, (count, values)) in counters {
            scope.read_local(counter, values, count);
        }
        // A second time, for those that depend on counters.
        scope.read_lets(tokens);
        let mut text = Text { tokens, scope, loops, body: function.body, cell, vectors: HashMap::new() };
        let sole = text.scope.is_sole(cell, 1);
        let lets: Vec<_> = statements(tokens, "let").into_iter().filter(|(_, ty, _)| sole && ty.is_none()).collect();
        for _ in 0..LET_PASSES {
            let mut found = HashMap::<&str, (usize, Option<Vector>)>::new();
            for (name, vector) in lets.iter().filter_map(|(name, _, value)| Some((*name, text.vector(value, 0)?))) {
                let entry = found.entry(name).or_insert((0, Some(vector)));
                *entry = (entry.0 + 1, entry.1.and_then(|values| values.hull(vector)));
            }
            let vectors = found.into_iter().filter(|(name, (count, _))| text.scope.is_sole(name, *count));
            let vectors: Vec<_> = vectors.filter_map(|(name, (_, vector))| Some((name, vector?))).collect();
            text.vectors.extend(vectors);
        }
        sole.then_some(text)
    }

    fn window(&self, port: &str) -> Option<Window> {
        let at = |index: usize| word_at(self.tokens, index);
        let others = [format!("{port}_at"), format!("{port}_face")];
        let mut window = Window::default();
        for index in 0..self.tokens.len() {
            let defined = index.checked_sub(1).is_some_and(|before| at(before) == "fn");
            let called = at(index + 1) == "(" && !defined && !is_member(self.tokens, index);
            if called && others.iter().any(|name| name == at(index)) {
                return None;
            }
            if !called || at(index) != port {
                continue;
            }
            // In a loop that never runs, nothing is read.
            let trips = self.trips_around(index);
            if trips == 0 {
                continue;
            }
            let close = closing(self.tokens, index + 1).filter(|_| self.body.contains(&index))?;
            // In a loop's header the counter takes one more value.
            let in_header = |block: &Block| block.open.is_none_or(|open| (block.keyword..open).contains(&index));
            if self.loops.iter().any(|(block, _)| in_header(block)) {
                return None;
            }
            let place = self.vector(self.tokens.get(index + 2..close)?, 0).filter(|v| v.is_place)?;
            for (cells, (low, high)) in window.cells.iter_mut().zip(place.along) {
                *cells = (*cells).max(low.abs().max(high.abs()) as u32);
            }
            window.taps = window.taps.saturating_add(trips);
        }
        Some(window)
    }

    /// Maximum number of times that a token is executed.
    fn trips_around(&self, index: usize) -> u64 {
        let around = |block: &Block| block.open.is_some_and(|open| (open..block.close).contains(&index));
        self.loops.iter().filter(|(block, _)| around(block)).fold(1, |all, (_, trips)| all.saturating_mul(*trips))
    }

    /// A sum of vectors.
    fn vector(&self, tokens: &[Token<'a>], level: usize) -> Option<Vector> {
        let mut sum = Vector::ZERO;
        let (mut from, mut sign) = (0, 1);
        for end in top_level(tokens, &["+", "-"]).into_iter().chain([tokens.len()]) {
            let term = tokens.get(from..end)?;
            // A sign before the first term.
            if !(term.is_empty() && end == 0 && !tokens.is_empty()) {
                sum = sum.add(self.product(term, level)?, sign)?;
            }
            sign = if tokens.get(end).is_some_and(|t| t.text == "-") { -1 } else { 1 };
            from = end + 1;
        }
        Some(sum)
    }

    /// A product of one vector and any integers.
    fn product(&self, tokens: &[Token<'a>], level: usize) -> Option<Vector> {
        let mut vector = None;
        let (mut low, mut high) = (1, 1);
        let mut from = 0;
        for end in top_level(tokens, &["*"]).into_iter().chain([tokens.len()]) {
            let factor = tokens.get(from..end)?;
            match self.scope.value(factor) {
                Some(value) => {
                    let corners = [low * value.low, low * value.high, high * value.low, high * value.high];
                    (low, high) = (*corners.iter().min()?, *corners.iter().max()?);
                    (low.abs().max(high.abs()) <= MAX_CELLS).then_some(())?;
                }
                None if vector.is_none() => vector = Some(self.factor(factor, level + 1)?),
                None => return None,
            }
            from = end + 1;
        }
        vector?.times(low, high)
    }

    fn factor(&self, tokens: &[Token<'a>], level: usize) -> Option<Vector> {
        let free = |name: &str| self.scope.is_free(name);
        match tokens {
            _ if level > 32 => None,
            [name] if name.text == self.cell => Some(Vector { is_place: true, ..Vector::ZERO }),
            [name] => self.vectors.get(name.text).copied(),
            [Token { text: "(", .. }, inner @ .., Token { text: ")", .. }] => self.vector(inner, level),
            [name, Token { text: "(", .. }, inner @ .., Token { text: ")", .. }] if free(name.text) => {
                let mut arguments = inner_parts(inner);
                match (name.text, arguments.as_mut_slice()) {
                    ("unit", [axis]) => Some(Vector::unit(self.scope.value(axis)?)),
                    ("neighbor", [place, _]) => {
                        let across = Vector { is_place: false, along: [(-1, 1); AXES] };
                        self.vector(place, level)?.add(across, 1)
                    }
                    ("vec2i" | "vec3i" | "Cell", parts @ ([_, _] | [_, _, _])) => {
                        let mut along = [(0, 0); AXES];
                        for (along, part) in along.iter_mut().zip(parts) {
                            let value = self.scope.value(part)?;
                            *along = (value.low, value.high);
                        }
                        Vector { is_place: false, along }.checked()
                    }
                    ("Cell", [one]) => {
                        let value = self.scope.value(one)?;
                        Vector { is_place: false, along: [(value.low, value.high); AXES] }.checked()
                    }
                    _ => None,
                }
            }
            _ => None,
        }
    }
}

/// The arguments of a call.
fn inner_parts<'e, 'a>(tokens: &'e [Token<'a>]) -> Vec<&'e [Token<'a>]> {
    let mut from = 0;
    let ends = top_level(tokens, &[","]).into_iter().chain([tokens.len()]);
    ends.filter_map(|end| tokens.get(std::mem::replace(&mut from, end + 1)..end)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn window(body: &str) -> Option<Window> {
        let constants = |name: &str| (name == "DIM").then_some(2);
        let params = |name: &str| match name {
            "radius" => Some((0, 6)),
            "axis" => Some((0, 1)),
            _ => None,
        };
        let source = format!("const N = 3; fn stage(cell: Cell) -> f32 {{ {body} }}");
        windows(&source, &["x"], &constants, &params).get("x").copied()
    }

    fn seen(cells: [u32; 3], taps: u64) -> Option<Window> {
        Some(Window { cells, taps })
    }

    const SQUARE: &str = "for (var j = -params.radius; j <= params.radius; j++) { for (var i = -N; i < N; i++) {";

    #[test]
    fn offsets_by_counters_of_bounded_loops_are_known() {
        for (read, expected) in [
            ("x(cell + unit(0) * i + unit(1) * j)", seen([3, 6, 0], 78)),
            ("x(cell + vec2i(i, -2 * j))", seen([3, 12, 0], 78)),
            ("x(cell + Cell(i + 1, j))", seen([3, 6, 0], 78)),
            ("x((cell - j * unit(1)) + unit(params.axis) * i)", seen([3, 9, 0], 78)),
            ("let to = unit(0) * i; let near = cell - to; x(near) + x(near + unit(1))", seen([3, 1, 0], 156)),
            (
                "let k = clamp(i32(f()), 0, params.radius); x(neighbor(cell + unit(1) * k, 2)) + x(cell)",
                seen([1, 7, 1], 156),
            ),
            (
                "{ let to = unit(0) * i; x(cell + to); } { let to = unit(1) * j; let at = to; x(cell - at); }",
                seen([3, 6, 0], 156),
            ),
            ("x(cell); for (var k = 1; k <= 0; k++) { x(cell + unit(0) * 9 * k); }", seen([0, 0, 0], 78)),
            ("y(cell + unit(0) * 99)", seen([0, 0, 0], 0)),
        ] {
            assert_eq!(window(&format!("{SQUARE} {read}; }} }}")), expected, "{read}");
        }
        let disc = "for (var j = -4; j <= 4; j++) { let half = clamp(i32(sqrt(f(j))), 0, 4); \
                    for (var i = -half; i <= half; i++) { x(cell + unit(0) * i + unit(1) * j); } }";
        assert_eq!(window(disc), seen([4, 4, 0], 81));
    }

    #[test]
    fn all_others_are_not() {
        for read in [
            "x(cell + unit(0) * n)",
            "x(cell + unit(0) * i * i32(f()))",
            "x(cell * 2)",
            "x(2 * unit(0) - cell)",
            "x(cell.yx)",
            "x(cell + unit(0) * (i / 2))",
            "x(cell + unit(0) * i % 2)",
            "x(cell + cell)",
            "x(unit(0) * i)",
            "x(vec2i(i, j))",
            "let i = 9; x(cell + unit(0) * i)",
            "var o = unit(0); x(cell + o)",
            "let DIM = 9; x(cell + unit(0) * DIM)",
            "x(cell + unit(0) * i) + x_at(position(cell))",
            "i += 1; x(cell + unit(0) * i)",
            "x(cell + unit(i))",
            "x(cell + unit(0) * 100000)",
            "{ let to = unit(0) * i; x(cell + to); } { let to = cell; x(to); }",
            "{ let to = unit(0) * i; x(cell + to); } { let to = f(); x(cell + to); }",
            "{ let n = 1; x(cell + unit(0) * n); } { let n = i32(f()); x(cell + unit(0) * n); }",
            "for (var k = 0; k < clamp(i32(x(cell + unit(0) * k)), 0, 3); k++) { }",
        ] {
            let proven_window = window(&format!("{SQUARE} {read}; }} }}"));
            let along = "x(cell + unit(i))";
            assert!(proven_window.is_none() || read == along, "{read}: {proven_window:?}");
        }
        for source in [
            "fn h(c: vec2i) -> f32 { return x(c); } fn stage(cell: Cell) -> f32 { return h(cell); }",
            "fn unit(a: i32) -> vec2i { return vec2i(99); } fn stage(cell: Cell) -> f32 { return x(cell + unit(0)); }",
            "fn stage(cell: Cell) -> f32 { var s = 0.0; { let cell = cell + vec2i(9, 9); s = x(cell); } return s; }",
            "fn stage(cell: Cell) -> f32 { return x(cell + unit(0) * i); } fn g() { for (var i = 0; i < 3; i++) {} for (var i = 0; i < f(); i++) {} }",
        ] {
            assert!(windows(source, &["x"], &|_| None, &|_| None).is_empty(), "{source}");
        }
    }
}
