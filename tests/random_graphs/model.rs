//! A graph as the generator builds it and the interpreter reads it, and its text. It shares nothing with the compiler.

use std::collections::BTreeMap;
use std::fmt::Write as _;

/// Type of an element.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Elem {
    F32,
    I32,
    U32,
    Vec2,
}

impl Elem {
    pub const ALL: [Elem; 4] = [Elem::F32, Elem::I32, Elem::U32, Elem::Vec2];

    pub fn name(self) -> &'static str {
        ["f32", "i32", "u32", "vec2f"][self as usize]
    }

    pub fn components(self) -> usize {
        if self == Elem::Vec2 { 2 } else { 1 }
    }

    /// The bits of a number in memory.
    pub fn word(self, value: f64) -> u32 {
        match self {
            Elem::F32 | Elem::Vec2 => (value as f32).to_bits(),
            Elem::I32 => value as i32 as u32,
            Elem::U32 => value as u32,
        }
    }
}

/// What lies beyond the borders.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Edge {
    Wrap,
    Clamp,
    Zero,
    Mirror,
}

impl Edge {
    pub const ALL: [Edge; 4] = [Edge::Wrap, Edge::Clamp, Edge::Zero, Edge::Mirror];

    pub fn name(self) -> &'static str {
        ["wrap", "clamp", "zero", "mirror"][self as usize]
    }

    /// The place along an axis of `n` cells that is seen at a place; `None`: zero.
    pub fn place(self, at: i64, n: i64) -> Option<i64> {
        match self {
            Edge::Wrap => Some(at.rem_euclid(n)),
            Edge::Clamp => Some(at.clamp(0, n - 1)),
            Edge::Zero => (0..n).contains(&at).then_some(at),
            Edge::Mirror => {
                let round = at.rem_euclid(2 * n);
                Some(round.min(2 * n - 1 - round))
            }
        }
    }
}

/// Type of a wire.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Ty {
    pub grid: bool,
    pub elem: Elem,
}

impl Ty {
    pub fn name(self) -> String {
        if self.grid { format!("Grid<{}>", self.elem.name()) } else { self.elem.name().to_string() }
    }
}

/// An expression of whole numbers.
#[derive(Clone, Debug)]
pub enum Expr {
    Const(i32),
    Frame,
    Name(String),
    Add(Box<Expr>, Box<Expr>),
    Times(Box<Expr>, i32),
    Min(Box<Expr>, i32),
}

impl Expr {
    pub fn text(&self) -> String {
        match self {
            Expr::Const(value) => value.to_string(),
            Expr::Frame => "frame".into(),
            Expr::Name(name) => name.clone(),
            Expr::Add(a, b) => format!("({} + {})", a.text(), b.text()),
            Expr::Times(a, n) => format!("{} * {n}", a.text()),
            Expr::Min(a, n) => format!("min({}, {n})", a.text()),
        }
    }

    fn ron(&self) -> String {
        if let Expr::Const(value) = self { value.to_string() } else { format!("\"{}\"", self.text()) }
    }
}

/// Cells of a block along each axis, blocks from one row to the next as `Spot` counts them, and how many it can name.
pub const BLOCK: i64 = 8;
pub const STRIDE: i64 = 4;
pub const SPOTS: i64 = 12;

/// What a stage computes; each is one text for every type of element.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Op {
    /// Two numbers to one.
    Mix,
    /// A number and a little more.
    Grow,
    /// Two grids and a number, at the own cell.
    Blend,
    /// Two grids, one of them at a neighbour.
    Look,
    /// A grid that continues from itself, at the own cell.
    Fade,
    /// A grid that continues from itself and its neighbours.
    Smear,
    /// A grid with the counters of repeats.
    Count,
    /// A grid at cells that the text does not tell, held to a radius that the header tells.
    Wide,
    /// As above, with the radius in a parameter.
    Reach,
    /// A grid at a neighbour, by an edge rule of its own.
    Rim,
    /// A grid that continues from itself at cells that the text does not tell.
    Stir,
    /// A grid that continues from itself, the cells of one colour after the others.
    Check,
    /// A number everywhere.
    Spread,
    /// A grid that adds itself to other cells.
    Throw,
    /// A grid that raises other cells.
    Raise,
    /// A grid that lowers other cells.
    Sink,
    /// The sum of all cells before.
    Scan,
    /// The largest of a grid.
    Peak,
    /// The smallest of a grid that is read at cells that the text does not tell.
    Low,
    /// The sum of a grid that is read at cells that the text does not tell.
    Total,
    /// A number in one block of cells, which its parameter names, and zero elsewhere.
    Spot,
}

impl Op {
    pub const ALL: [Op; 21] = [
        Op::Mix,
        Op::Grow,
        Op::Blend,
        Op::Look,
        Op::Fade,
        Op::Smear,
        Op::Count,
        Op::Wide,
        Op::Reach,
        Op::Rim,
        Op::Stir,
        Op::Check,
        Op::Spread,
        Op::Throw,
        Op::Raise,
        Op::Sink,
        Op::Scan,
        Op::Peak,
        Op::Low,
        Op::Total,
        Op::Spot,
    ];

    /// Inputs: name, and whether it is a grid. Numbers may be left unwired.
    pub fn inputs(self) -> &'static [(&'static str, bool)] {
        match self {
            Op::Mix => &[("a", false), ("b", false)],
            Op::Grow => &[("x", false), ("b", false)],
            Op::Blend => &[("a", true), ("b", true), ("s", false)],
            Op::Look | Op::Wide | Op::Reach | Op::Rim => &[("a", true), ("b", true)],
            Op::Fade | Op::Stir => &[("x", true), ("s", false)],
            Op::Smear | Op::Count | Op::Check => &[("x", true)],
            Op::Spread | Op::Spot => &[("s", false)],
            Op::Throw | Op::Raise | Op::Sink | Op::Scan | Op::Peak | Op::Low | Op::Total => &[("x", true)],
        }
    }

    pub fn output(self) -> (&'static str, bool) {
        match self {
            Op::Grow => ("y", false),
            Op::Fade | Op::Smear | Op::Stir | Op::Check => ("x", true),
            Op::Mix | Op::Peak | Op::Low | Op::Total => ("r", false),
            _ => ("r", true),
        }
    }

    /// Whether it may be repeated.
    pub fn repeats(self) -> bool {
        matches!(self, Op::Fade | Op::Smear | Op::Stir | Op::Check)
    }

    pub fn fits(self, elem: Elem, edge: Edge) -> bool {
        match self {
            Op::Scan => elem == Elem::U32,
            Op::Raise | Op::Sink | Op::Peak | Op::Low | Op::Total => elem != Elem::Vec2,
            // Around a periodic axis with an odd number of cells, neighbours have the same colour.
            Op::Check => edge != Edge::Wrap,
            _ => true,
        }
    }

    /// Whether a grid may confine it. What nothing reaches is the largest or the smallest number of a type, with which nobody can count on.
    pub fn can_be_confined(self) -> bool {
        let runs_over_cells = self.output().1 || self.reduces().is_some();
        runs_over_cells && !matches!(self, Op::Raise | Op::Sink | Op::Peak | Op::Low | Op::Scan)
    }

    /// How its numbers are combined to one.
    pub fn reduces(self) -> Option<&'static str> {
        match self {
            Op::Peak => Some("max"),
            Op::Low => Some("min"),
            Op::Total => Some("sum"),
            _ => None,
        }
    }

    /// The radius that its header tells of an input, and the text does not.
    pub fn radius(self) -> Option<i64> {
        match self {
            Op::Wide | Op::Stir | Op::Low | Op::Total => Some(2),
            Op::Reach => Some(1),
            _ => None,
        }
    }

    /// What the header says of an input.
    fn options(self, name: &str) -> String {
        let first = matches!(name, "a" | "x");
        match (self, self.radius()) {
            (Op::Smear, _) => ", radius 1".into(),
            (Op::Rim, _) if first => ", edge zero".into(),
            (Op::Reach, _) if first => ", radius size".into(),
            (_, Some(cells)) if first => format!(", radius {cells}"),
            _ => String::new(),
        }
    }

    /// How it writes to other cells.
    fn scatters(self) -> Option<&'static str> {
        match self {
            Op::Throw => Some(""),
            Op::Raise => Some(" max"),
            Op::Sink => Some(" min"),
            _ => None,
        }
    }

    fn source(self, elem: Elem) -> String {
        let (t, whole) = (elem.name(), matches!(elem, Elem::I32 | Elem::U32));
        let grid = |grid: bool| if grid { format!("Grid<{t}>") } else { t.to_string() };
        let (output, made) = self.output();
        let mut text = format!("//! {self:?}\n");
        if !made && self.reduces().is_none() {
            text += "//! @over once\n";
        }
        if self == Op::Check {
            text += "//! @sweep checkerboard\n";
        }
        for (name, is_grid) in self.inputs() {
            let default = if *is_grid { "" } else { " = 0" };
            let options = if *is_grid { self.options(name) } else { String::new() };
            let direction = if *name == output { "inout" } else { "in" };
            let _ = writeln!(text, "//! @{direction} {name}: {}{default}{options}", grid(*is_grid));
        }
        if self.inputs().iter().all(|(name, _)| *name != output) {
            let options = match (self.reduces(), self.scatters()) {
                (Some(kind), _) => format!(", reduce {kind}"),
                (_, Some(kind)) => format!(", scatter{kind}"),
                _ if self == Op::Scan => ", scan".into(),
                _ => String::new(),
            };
            let _ = writeln!(text, "//! @out {output}: {}{options}", grid(made));
        }
        if self == Op::Reach {
            text += "//! @param size: i32 = 1, 0..3\n";
        }
        let _ = writeln!(text, "//! @param c: {} = 1", if whole { "i32" } else { "f32" });
        let sum = match self {
            Op::Mix => "lift(3) * a() + lift(5) * b()".to_string(),
            Op::Grow => "lift(3) * x() + b()".into(),
            Op::Blend => "lift(3) * a(cell) + lift(5) * b(cell) + s()".into(),
            Op::Look | Op::Rim => "lift(3) * a(cell + vec2i(1, 0)) + lift(5) * b(cell)".into(),
            Op::Wide | Op::Reach => "lift(3) * a(cell + away(1)) + a(cell - away(3)) + lift(5) * b(cell)".into(),
            Op::Stir => "lift(3) * x(cell + away(1)) + x(cell - away(3)) + s()".into(),
            Op::Fade => "lift(3) * x(cell) + s()".into(),
            Op::Smear => "lift(3) * x(cell) + x(neighbor(cell, 0)) + x(neighbor(cell, 3))".into(),
            Op::Check => "x(cell) + x(neighbor(cell, 0)) + x(neighbor(cell, 3))".into(),
            Op::Count => "lift(3) * x(cell) + lift(iteration + 2 * substep)".into(),
            Op::Spread | Op::Spot => "s() + lift(cell.x + 3 * cell.y)".into(),
            Op::Low | Op::Total => "x(cell + away(1)) + x(cell - away(3))".into(),
            Op::Peak | Op::Throw | Op::Raise | Op::Sink | Op::Scan => "x(cell)".into(),
        };
        let wrapped = match elem {
            Elem::I32 => "(sum & 1023i)".to_string(),
            Elem::U32 => "(sum & 1023u)".into(),
            // Whole numbers below 2^24: exact however they are put together.
            _ => "(sum - floor(sum / 1024.0) * 1024.0)".into(),
        };
        let (returns, end) = match self.scatters() {
            Some("") => (String::new(), format!("add_r(cell + away(1), {wrapped});")),
            Some(" max") => {
                (String::new(), format!("max_r(cell, {wrapped}); max_r(cell + away(1), lift(2) * {wrapped});"))
            }
            Some(_) => (String::new(), format!("min_r(cell, {wrapped}); min_r(cell + away(1), x(cell + away(0)));")),
            None if self == Op::Spot => {
                let here = format!("cell.x / {BLOCK} + {STRIDE} * (cell.y / {BLOCK}) == i32(params.c) % {SPOTS}");
                (format!(" -> {t}"), format!("if {here} {{ return {wrapped}; }}\n    return {t}();"))
            }
            None => (format!(" -> {t}"), format!("return {wrapped};")),
        };
        let argument = if made || self.reduces().is_some() { "cell: Cell" } else { "" };
        let number = if elem == Elem::Vec2 { "vec2f(f32(v))".to_string() } else { format!("{t}(v)") };
        let _ = writeln!(
            text,
            "\nfn lift(v: i32) -> {t} {{ return {number}; }}\nfn away(n: i32) -> vec2i {{ return vec2i(n, -n); }}\n\
             fn stage({argument}){returns} {{\n    let sum = {sum} + {t}(params.c);\n    {end}\n}}"
        );
        text
    }
}

/// Where a wire comes from: node and port; `in` is the group around.
pub type Wire = (String, String);

#[derive(Clone, Debug)]
pub enum Kind {
    Stage(Op, Elem),
    State(Ty),
    Number(Expr),
    Reroute,
    Group(Group),
}

#[derive(Clone, Debug, Default)]
pub struct Group {
    pub inputs: BTreeMap<String, Ty>,
    pub outputs: BTreeMap<String, (Wire, Ty)>,
    /// Parameters: what they set.
    pub params: BTreeMap<String, (String, String)>,
    pub nodes: BTreeMap<String, Node>,
    /// Output, tolerance, after how many repeats.
    pub until: Option<(String, Expr, u32)>,
}

#[derive(Clone, Debug)]
pub struct Node {
    pub kind: Kind,
    pub inputs: BTreeMap<String, Wire>,
    pub params: BTreeMap<String, Expr>,
    pub iterations: Option<Expr>,
    /// The grid that says where it runs, or where the stages of a group run.
    pub confined: Option<Wire>,
    pub muted: bool,
}

impl Node {
    pub fn new(kind: Kind) -> Node {
        Node { kind, inputs: BTreeMap::new(), params: BTreeMap::new(), iterations: None, confined: None, muted: false }
    }
}

/// A whole graph: its nodes, cells along x and y, and what lies beyond them.
#[derive(Clone, Debug)]
pub struct Model {
    pub nodes: BTreeMap<String, Node>,
    pub cells: [usize; 2],
    pub edge: Edge,
}

impl Model {
    /// The wires that stages outside of groups compute.
    pub fn wires(&self) -> Vec<String> {
        let of = |(name, node): (&String, &Node)| match &node.kind {
            Kind::Stage(op, _) if !node.muted => Some(format!("{name}.{}", op.output().0)),
            _ => None,
        };
        self.nodes.iter().filter_map(of).collect()
    }

    pub fn ron(&self) -> String {
        let mut text = "(version: 1, name: \"random\", fps: 60, seed: 7, nodes: {\n".to_string();
        let [x, y] = self.cells;
        let _ = writeln!(
            text,
            "\"domain\": (domain: (resolution: ({x}, {y}), width: {x}, edge: \"{}\")),",
            self.edge.name()
        );
        nodes(&self.nodes, &mut text);
        text + "})\n"
    }
}

fn map<'a>(entries: impl Iterator<Item = (&'a String, String)>) -> String {
    let entries: Vec<String> = entries.map(|(name, value)| format!("\"{name}\": {value}")).collect();
    entries.join(", ")
}

fn wire((node, port): &Wire) -> String {
    format!("\"{node}.{port}\"")
}

fn nodes(all: &BTreeMap<String, Node>, text: &mut String) {
    for (name, node) in all {
        let _ = write!(text, "\"{name}\": (");
        match &node.kind {
            Kind::Stage(op, elem) => {
                let _ = write!(text, "custom: r#\"{}\"#, ", op.source(*elem));
            }
            Kind::State(ty) => {
                let _ = write!(text, "state: \"{}\", ", ty.name());
            }
            Kind::Number(value) => {
                let _ = write!(text, "number: {}, ", value.ron());
            }
            Kind::Reroute => text.push_str("reroute: (), "),
            Kind::Group(group) => {
                let inputs = map(group.inputs.iter().map(|(n, ty)| (n, format!("\"{}\"", ty.name()))));
                let outputs = map(group.outputs.iter().map(|(n, (w, _))| (n, wire(w))));
                let params = map(group.params.iter().map(|(n, (node, p))| (n, format!("\"{node}.{p}\""))));
                let _ = writeln!(
                    text,
                    "group: (inputs: {{{inputs}}}, outputs: {{{outputs}}}, params: {{{params}}}, nodes: {{"
                );
                nodes(&group.nodes, text);
                text.push_str("}), ");
                if let Some((number, below, every)) = &group.until {
                    let _ = write!(text, "until: (number: \"{number}\", below: {}, every: {every}), ", below.ron());
                }
            }
        }
        let _ = write!(text, "inputs: {{{}}}, ", map(node.inputs.iter().map(|(n, w)| (n, wire(w)))));
        let _ = write!(text, "params: {{{}}}, ", map(node.params.iter().map(|(n, e)| (n, e.ron()))));
        if let Some(grid) = &node.confined {
            let _ = write!(text, "where: {}, ", wire(grid));
        }
        if let Some(iterations) = &node.iterations {
            let _ = write!(text, "iterations: {}, ", iterations.ron());
        }
        let _ = writeln!(text, "muted: {}),", node.muted);
    }
}
