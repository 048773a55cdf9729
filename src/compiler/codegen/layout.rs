//! WGSL that loads and stores elements as their [`Layout`] has them.
//!
//! ```wgsl
//! vec3f(_read_v[3 * (_i)], _read_v[3 * (_i) + 1], _read_v[3 * (_i) + 2])
//! _write_p[_i] = pack2x16float(_result);
//! ```

use crate::codegen::wgsl::{COMPONENTS, float};
use crate::ir::layout::Layout;
use crate::stage::types::{Precision, ValueType};

/// A number as a half, rounded up or down at random: right on average, and the same whenever the frame is computed.
pub(super) fn half_of(number: &str, element: &str, component: u32) -> String {
    format!("_half({number}, u32({element}), {component}u)")
}

/// The random number of an element in this frame.
fn seed_of(element: &str) -> String {
    format!("let _seed = _pcg(_pcg(frame.index) ^ u32({element})); ")
}

/// WGSL type of a buffer that holds such values: vectors of three as three scalars, since `vec3f` would pad.
pub(super) fn storage_type(value: ValueType, dim: u32) -> String {
    match value.components(dim) {
        1 | 3 => format!("array<{}>", value.scalar().wgsl()),
        9 => "array<f32>".into(),
        16 => "array<mat4x4f>".into(),
        n => format!("array<vec{n}f>"),
    }
}

impl Layout {
    /// WGSL type of an element that was loaded.
    pub(crate) fn wgsl(self) -> &'static str {
        self.value.wgsl(self.dim)
    }

    /// WGSL type of a buffer of them.
    pub(crate) fn buffer(self) -> String {
        match (self.precision, self.components()) {
            _ if self.fixed.is_some() => self.buffer_of_integers(),
            (Precision::F32, _) if self.value.is_array() => "array<f32>".into(),
            (Precision::F16, _) if self.value.is_array() => "array<u32>".into(),
            (Precision::F16, 3 | 4) => "array<vec2u>".into(),
            (Precision::F16, _) => "array<u32>".into(),
            _ if self.wide() || self.is_wide_matrix() => "array<vec4f>".into(),
            _ => storage_type(self.value, self.dim),
        }
    }

    fn buffer_of_integers(self) -> String {
        match self.components() {
            1 | 3 => "array<i32>".into(),
            n => format!("array<vec{n}i>"),
        }
    }

    /// An expression that loads element `index`.
    pub(crate) fn load(self, variable: &str, index: &str) -> String {
        if let Some(bits) = self.fixed {
            let integers = match self.components() {
                3 => format!(
                    "vec3i({variable}[3 * ({index})], {variable}[3 * ({index}) + 1], {variable}[3 * ({index}) + 2])"
                ),
                _ => format!("{variable}[{index}]"),
            };
            return format!("({}({integers}) / {})", self.wgsl(), float(f64::from(1u32 << bits)));
        }
        let half = |word: &str| format!("unpack2x16float({variable}[{index}]{word})");
        if self.value == ValueType::Mat {
            return match self.components() {
                4 => format!("mat2x2f({variable}[{index}].xy, {variable}[{index}].zw)"),
                _ if self.is_wide_matrix() => {
                    let four = |k: u32, part: &str| format!("{variable}[3 * ({index}) + {k}].{part}");
                    let columns = [(0, "xyz"), (0, "w"), (1, "xy"), (1, "zw"), (2, "x")].map(|(k, part)| four(k, part));
                    let [first, second, rest, third, last] = columns;
                    format!("mat3x3f({first}, vec3f({second}, {rest}), vec3f({third}, {last}))")
                }
                n => self.array((0..n).map(|i| format!("{variable}[{n} * ({index}) + {i}]"))),
            };
        }
        match (self.precision, self.components()) {
            // The cell's half of the word is moved to where the lower one is.
            (Precision::F16, 1) => {
                format!("unpack2x16float({variable}[({index}) >> 1u] >> (u32(({index}) & 1) << 4u)).x")
            }
            (Precision::F16, 2) => half(""),
            (Precision::F16, 3) => format!("vec3f({}, {}.x)", half(".x"), half(".y")),
            (Precision::F16, _) => format!("vec4f({}, {})", half(".x"), half(".y")),
            _ if self.wide() => format!("{variable}[{index}].xyz"),
            (Precision::F32, 3) => {
                format!(
                    "vec3f({variable}[3 * ({index})], {variable}[3 * ({index}) + 1], {variable}[3 * ({index}) + 2])"
                )
            }
            _ => format!("{variable}[{index}]"),
        }
    }

    /// An expression that loads one number, which `number` names, of an element of so many that have several.
    pub(crate) fn load_number(self, variable: &str, index: &str, number: &str, elements: u64) -> String {
        match self.precision {
            Precision::F32 => format!("{variable}[{number} * {elements} + {index}]"),
            Precision::F16 => format!(
                "unpack2x16float({variable}[({number} >> 1u) * {elements} + {index}] >> (u32({number} & 1) << 4u)).x"
            ),
        }
    }

    /// An expression that loads all numbers of such an element.
    pub(crate) fn load_numbers(self, variable: &str, index: &str, elements: u64) -> String {
        let load = |number: u32| self.load_number(variable, index, &number.to_string(), elements);
        self.array((0..self.components()).map(load))
    }

    /// Statements that store all numbers of such an element.
    pub(crate) fn store_numbers(
        self,
        variable: &str,
        index: &str,
        source: &str,
        elements: u64,
        dithered: bool,
    ) -> String {
        let store = |plane: u32| {
            let value = match self.precision {
                Precision::F32 => format!("{source}[{plane}]"),
                Precision::F16 => self.word(source, plane, dithered),
            };
            format!("{variable}[{} + {index}] = {value};", u64::from(plane) * elements)
        };
        let seed = if dithered { seed_of(index) } else { String::new() };
        let stores: Vec<String> = (0..self.numbers() / self.adjacent()).map(store).collect();
        format!("{{ {seed}{} }}", stores.join(" "))
    }

    /// The word of two numbers of an array, where dithered by the random number `_seed` of the element.
    fn word(self, source: &str, plane: u32, dithered: bool) -> String {
        let part = |i: u32| if i < self.components() { format!("{source}[{i}]") } else { "0.0".into() };
        let two = format!("vec2f({}, {})", part(2 * plane), part(2 * plane + 1));
        if dithered { format!("_halves({two}, _pcg(_seed + {plane}u))") } else { format!("pack2x16float({two})") }
    }

    /// What is left of an array once it was stored.
    fn unpacked(self, source: &str, dithered: bool) -> String {
        let part =
            |i: u32| format!("unpack2x16float({}).{}", self.word(source, i / 2, dithered), COMPONENTS[i as usize % 2]);
        self.array((0..self.components()).map(part))
    }

    /// Statements that leave of an array, in a variable of the same type, what a dithered store leaves.
    pub(crate) fn dithered_array(self, variable: &str, source: &str, element: &str) -> String {
        format!("{{ {}{variable} = {}; }}", seed_of(element), self.unpacked(source, true))
    }

    fn array(self, parts: impl Iterator<Item = String>) -> String {
        format!("{}({})", self.wgsl(), parts.collect::<Vec<_>>().join(", "))
    }

    /// Statements that store `source` to element `index`; what shares a word with another is stored by [`Layout::store_pair`].
    pub(crate) fn store(self, variable: &str, index: &str, source: &str) -> String {
        if self.value == ValueType::Mat {
            let part = |i: u32| format!("{source}[{}].{}", i / self.dim, COMPONENTS[(i % self.dim) as usize]);
            return match self.components() {
                4 => format!("{variable}[{index}] = vec4f({source}[0], {source}[1]);"),
                _ if self.is_wide_matrix() => {
                    let fours = [("[0]", "[1].x"), ("[1].yz", "[2].xy"), ("[2].z", "")];
                    let four = |(k, (first, last)): (usize, &(&str, &str))| {
                        let last = if last.is_empty() { "0.0, 0.0, 0.0".into() } else { format!("{source}{last}") };
                        format!("{variable}[3 * ({index}) + {k}] = vec4f({source}{first}, {last}); ")
                    };
                    fours.iter().enumerate().map(four).collect()
                }
                n => (0..n).map(|i| format!("{variable}[{n} * ({index}) + {i}] = {}; ", part(i))).collect(),
            };
        }
        match (self.precision, self.components()) {
            (Precision::F16, 1) => self.store_pair(variable, index, source, "0.0"),
            (Precision::F16, _) => format!("{variable}[{index}] = {};", self.packed(source)),
            _ if self.wide() => format!("{variable}[{index}] = vec4f({source}, 0.0);"),
            (Precision::F32, 3) => format!(
                "{variable}[3 * ({index})] = {source}.x; {variable}[3 * ({index}) + 1] = {source}.y; {variable}[3 * ({index}) + 2] = {source}.z;"
            ),
            _ => format!("{variable}[{index}] = {source};"),
        }
    }

    /// Statements that store the numbers of an even element and of the one behind it.
    pub(crate) fn store_pair(self, variable: &str, index: &str, even: &str, odd: &str) -> String {
        format!("{variable}[({index}) >> 1u] = pack2x16float(vec2f({even}, {odd}));")
    }

    fn packed(self, source: &str) -> String {
        match self.components() {
            1 => format!("pack2x16float(vec2f({source}, 0.0))"),
            2 => format!("pack2x16float({source})"),
            3 => format!("vec2u(pack2x16float({source}.xy), pack2x16float(vec2f({source}.z, 0.0)))"),
            _ => format!("vec2u(pack2x16float({source}.xy), pack2x16float({source}.zw))"),
        }
    }

    /// What is left of `source`, the name of a value, once it was stored.
    pub(crate) fn rounded(self, source: &str) -> String {
        let half = |part: &str| format!("unpack2x16float(pack2x16float({source}{part}))");
        match (self.precision, self.components()) {
            (Precision::F32, _) => source.to_string(),
            _ if self.value.is_array() => self.unpacked(source, false),
            (_, 1) => format!("unpack2x16float({}).x", self.packed(source)),
            (_, 2) => half(""),
            (_, 3) => format!("vec3f({}, unpack2x16float(pack2x16float(vec2f({source}.z, 0.0))).x)", half(".xy")),
            _ => format!("vec4f({}, {})", half(".xy"), half(".zw")),
        }
    }

    /// What a dithered store leaves of `source`, the name of a value, in an element.
    pub(crate) fn dithered(self, source: &str, element: &str) -> String {
        let half = |(part, component): (usize, &str)| half_of(&format!("{source}{component}"), element, part as u32);
        match self.components() {
            1 => half((0, "")),
            n => {
                let parts: Vec<String> = COMPONENTS.iter().take(n as usize).map(|c| format!(".{c}")).collect();
                let halves: Vec<String> = parts.iter().map(String::as_str).enumerate().map(half).collect();
                format!("vec{n}f({})", halves.join(", "))
            }
        }
    }

    /// WGSL type of a buffer that is read four numbers at a time.
    pub(crate) fn buffer_of_fours(self) -> &'static str {
        match self.fixed {
            Some(_) => "array<vec4i>",
            None if self.is_half() => "array<vec2u>",
            None => "array<vec4f>",
        }
    }

    /// An expression that loads the numbers from `4 * index` on.
    pub(crate) fn load_four(self, variable: &str, index: &str) -> String {
        match (self.fixed, self.precision) {
            (Some(bits), _) => format!("(vec4f({variable}[{index}]) / {})", float(f64::from(1u32 << bits))),
            (None, Precision::F32) => format!("{variable}[{index}]"),
            (None, Precision::F16) => {
                format!("vec4f(unpack2x16float({variable}[{index}].x), unpack2x16float({variable}[{index}].y))")
            }
        }
    }

    /// Statements that store four numbers there.
    pub(crate) fn store_four(self, variable: &str, index: &str, [a, b, c, d]: [&str; 4]) -> String {
        match self.precision {
            Precision::F32 => format!("{variable}[{index}] = vec4f({a}, {b}, {c}, {d});"),
            Precision::F16 => {
                format!("{variable}[{index}] = vec2u(pack2x16float(vec2f({a}, {b})), pack2x16float(vec2f({c}, {d})));")
            }
        }
    }
}
