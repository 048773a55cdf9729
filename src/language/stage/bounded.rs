//! A stage's text with an iteration budget in loops that are not proven finite, and properties of that text.

use std::collections::BTreeMap;

use super::definition::Stage;
use super::header::{Direction, ParamType, Port};
use super::loops::{self, Search};
use super::proven::Bounded;
use super::syntax::{Token, TokenKind, text, tokens};
use super::types::{PortType, ValueType};
use super::{lanes, neighbors, roll, unroll};

impl Stage {
    /// The text with a budget in each loop that is not proven to end, in a space of `dim` dimensions (2 or 3).
    pub fn bounded(&self, dim: u32) -> &Bounded {
        self.found.bounded.get(dim, |dim| self.bound(dim))
    }

    /// The text with a budget in loops, and short loops unrolled.
    pub fn unrolled(&self, dim: u32) -> &str {
        self.found.unrolled.get(dim, |dim| {
            let arrays: Vec<&str> = self.arrays().map(|port| port.name.as_str()).collect();
            let constants = if arrays.is_empty() { BTreeMap::new() } else { constants(&tokens(&self.source)) };
            let constant = |name: &str| dimension_constant(name, dim).or_else(|| constants.get(name).copied());
            unroll::unrolled(&self.bounded(dim).source, &constant, &arrays)
        })
    }

    /// The text with long loops kept from drivers that would unroll them: its kernel is compiled faster, and may run slower. It calls
    /// `_rolled()`, which is to return zero.
    pub fn rolled(&self, dim: u32) -> &str {
        self.found.rolled.get(dim, |dim| {
            // Numbers of a cell stay in registers only where the text names them one by one.
            if self.arrays().next().is_some() {
                return self.unrolled(dim).to_string();
            }
            let fields: Vec<&str> =
                self.inputs().filter(|p| matches!(p.ty, PortType::Field(_))).map(|p| p.name.as_str()).collect();
            let constants = constants(&tokens(&self.source));
            let every = |name: &str| dimension_constant(name, dim).or_else(|| constants.get(name).copied());
            let text = roll::rolled(&self.bounded(dim).source, &every, &fields);
            unroll::unrolled(&text, &|name| dimension_constant(name, dim), &[])
        })
    }

    /// A text of the stage with the loop at its end shared by so many invocations, of which `_share` is the number. None where rounds depend on
    /// one another, or a loop is not proven to end.
    pub fn with_shared_loop(&self, source: &str, dim: u32, lanes: u32) -> Option<String> {
        let constants = constants(&tokens(source));
        let constant = |name: &str| dimension_constant(name, dim).or_else(|| constants.get(name).copied());
        let ports: Vec<&str> = self.outputs().map(|port| port.name.as_str()).collect();
        let adds = |name: &str| {
            let port = ["add_", "min_", "max_"].iter().find_map(|verb| name.strip_prefix(verb));
            port.is_some_and(|port| ports.contains(&port.strip_suffix("_at").unwrap_or(port)))
        };
        let alone = self.repeatable() && !self.names("workgroup") && self.bounded(dim).finite;
        alone.then(|| lanes::shared(source, &constant, &adds, lanes)).flatten()
    }

    /// The text with a budget in loops, and loops over axes alone unrolled.
    pub fn unrolled_axes(&self, dim: u32) -> String {
        unroll::unrolled_axes(&self.bounded(dim).source, &|name| dimension_constant(name, dim))
    }

    fn bound(&self, dim: u32) -> Bounded {
        let constants = |name: &str| dimension_constant(name, dim);
        let params = |name: &str| self.whole_range(name);
        let grids: Vec<String> =
            self.inputs().filter(|p| p.ty == PortType::NeighborGrid).map(|p| format!("{}_next", p.name)).collect();
        let advances = |name: &str| grids.iter().any(|g| g == name);
        let report = loops::bound_loops(&self.source, &constants, &params, &advances, &|name| self.is_pure(name));
        Bounded { source: report.source, finite: report.unproven.is_empty() }
    }

    /// The stage's neighbour search around the particle that it runs for, if it is the only one. `dim`: of the space.
    pub fn search(&self, dim: u32) -> Option<&Search> {
        self.found.search.get(dim, |dim| self.find_search(dim)).as_ref()
    }

    fn find_search(&self, dim: u32) -> Option<Search> {
        let grids: Vec<&str> =
            self.inputs().filter(|p| p.ty == PortType::NeighborGrid).map(|p| p.name.as_str()).collect();
        let set = self.set()?;
        if !grids.iter().any(|grid| self.calls(&format!("{grid}_next"))) {
            return None;
        }
        let tokens = tokens(&self.source);
        let found = loops::search(&tokens, &grids, &set.name, &|name| self.is_pure(name))?;
        let safe = !neighbors::iterators(&tokens, &|name| name == found.grid).is_empty();
        let taken_apart = self.bounded(dim).source.contains(&format!("_look_{}(", found.grid));
        (safe && taken_apart).then_some(found)
    }

    /// The range of an integer parameter, where it has one.
    pub(super) fn whole_range(&self, name: &str) -> Option<(i64, i64)> {
        let param = self.param(name)?;
        let (low, high) = param.range;
        matches!(param.ty, ParamType::Value(ValueType::I32 | ValueType::U32)).then_some(())?;
        let low = if param.ty == ParamType::Value(ValueType::U32) { low.unwrap_or(0.0) } else { low? };
        Some((low.ceil() as i64, high?.floor() as i64))
    }

    /// Whether a function has no side effects and reads nothing that the stage writes: accessors of particles and
    /// numbers, and functions of numbers that the text does not redefine.
    fn is_pure(&self, name: &str) -> bool {
        let reads = |p: &Port| {
            p.ty == PortType::Particles || p.direction == Direction::In && (p.ty.is_number() || p.ty.is_grid())
        };
        let is_pure = self.inputs().find(|p| p.name == name).map_or(PURE.contains(&name), reads);
        is_pure && self.repeatable() && !self.defines(name)
    }
}

/// Pure functions of WGSL and of the prelude.
const PURE: [&str; 27] = [
    "displacement",
    "dot",
    "length",
    "distance",
    "abs",
    "min",
    "max",
    "clamp",
    "select",
    "floor",
    "sqrt",
    "cross",
    "any",
    "all",
    "f32",
    "i32",
    "u32",
    "vec2f",
    "vec3f",
    "vec4f",
    "Vec",
    "vec2i",
    "vec3i",
    "Cell",
    "position",
    "bin",
    "unit",
];

/// Whole constants that a text declares, where the name is declared once: `const N = 19;`.
pub(super) fn constants(tokens: &[Token<'_>]) -> BTreeMap<String, i64> {
    let text = |i: usize| text(tokens, i);
    let declares = |i: usize| {
        let before = i.checked_sub(1).map_or("", text);
        matches!(before, "let" | "var" | ">" | "const" | "override" | "fn") || text(i + 1) == ":"
    };
    let mut found = BTreeMap::<String, Option<i64>>::new();
    for (i, token) in tokens.iter().enumerate().filter(|(_, token)| token.kind == TokenKind::Word) {
        if !declares(i) {
            continue;
        }
        let value = match [1, 2, 3, 4, 5].map(|k| text(i + k)) {
            ["=", number, ";", ..] | [":", "i32", "=", number, ";"] => number.parse().ok(),
            _ => None,
        };
        let value = value.filter(|_| i.checked_sub(1).map_or("", text) == "const");
        found.entry(token.text.to_string()).and_modify(|constant| *constant = None).or_insert(value);
    }
    found.into_iter().filter_map(|(name, value)| Some((name, value?))).collect()
}

/// The constants that depend on the number of dimensions.
pub(super) fn dimension_constant(name: &str, dim: u32) -> Option<i64> {
    match name {
        "DIM" => Some(i64::from(dim)),
        "FACES" => Some(2 * i64::from(dim)),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::PURE;
    use crate::stage::language;

    #[test]
    fn stages_that_draw_spheres_share_their_loops() {
        let library = crate::library::Library::builtin();
        let drawn = ["points", "points_2d", "sphere_depth", "sphere_index", "sphere_thickness", "streaks"];
        let shares = drawn.map(|name| {
            let stage = library.stage(&format!("view/{name}")).unwrap();
            stage.with_shared_loop(stage.unrolled(2), 2, 8).is_some()
        });
        assert_eq!(shares, [false, false, true, true, true, true]);
    }

    #[test]
    fn whole_constants_are_known_where_their_name_is_declared_once() {
        let constants_of = |text: &str| super::constants(&super::tokens(text)).into_iter().collect::<Vec<_>>();
        assert_eq!(
            constants_of("const Q = 19; const R: i32 = 7; const S = 1.5; const T = 3 + 4; let u = 5;"),
            [("Q".into(), 19), ("R".into(), 7)]
        );
        assert_eq!(constants_of("const Q = 19; fn f(Q: i32) {} "), []);
        assert_eq!(constants_of("const Q = 19; fn f() { let Q = 4; }"), []);
    }

    #[test]
    fn pure_functions_are_names_of_the_language_or_of_wgsl() {
        let unknown: Vec<_> =
            PURE.iter().filter(|name| !language::is_prelude(name) && !language::is_predeclared(name)).collect();
        assert!(unknown.is_empty(), "{unknown:?}");
    }
}
