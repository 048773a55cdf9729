//! Parses the `//!` header of a stage file. The grammar is in `docs/stage_language.md`.

mod param;
mod radius;

use serde::Serialize;

use super::language;
use super::types::{self, AttributeList, EdgeRule, Element, PortType, ValueType};
pub use param::{Param, ParamType};
pub use radius::Radius;

/// One thing wrong with a stage's text, at a line (from 1) of it.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[error("line {line}: {message}")]
pub struct HeaderError {
    pub line: usize,
    pub message: String,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub enum Direction {
    In,
    Out,
    InOut,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub enum Reduction {
    Max,
    Min,
    Sum,
}

/// How a stage writes into a grid from anywhere.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub enum Scatter {
    /// Sums in fixed point with so many fraction bits.
    Sum(u32),
    Min,
    Max,
}

/// What a stage does to a set of particles beyond changing attributes.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub enum Change {
    /// Each particle's own attributes.
    #[default]
    Own,
    /// Adds as many as a number input says.
    Emit(String),
    /// Removes those for which the function returns false.
    Filter,
    /// The function returns the index from which the particle at each index comes.
    Gather,
    /// The function returns the index to which each particle moves: a permutation of the living.
    Scatter,
    /// Attributes are set at any index.
    Put,
}

impl Change {
    /// Whether the particles of the set are the same, in another order.
    pub fn reorders(&self) -> bool {
        matches!(self, Change::Gather | Change::Scatter)
    }
}

/// A declared `@in`, `@out` or `@inout`.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Port {
    pub name: String,
    pub direction: Direction,
    pub ty: PortType,
    /// Value when unwired: one component (given to all) or one for each.
    pub default: Option<Vec<f64>>,
    pub radius: Option<Radius>,
    pub edge: Option<EdgeRule>,
    pub like: Option<String>,
    /// `half NAME`: on the domain like NAME, with cells twice as wide.
    pub half: bool,
    /// `slices N`: on the stage's domain with each cell cut into so many along x.
    pub slices: Option<u32>,
    pub scatter: Option<Scatter>,
    pub reduce: Option<Reduction>,
    /// Replaced by the sum over all cells before.
    pub scan: bool,
    /// The range that a number is expected to stay in.
    pub expect: Option<Range>,
    /// Read at positions of two dimensions, though the stage looks into three.
    pub flat: bool,
    /// Attributes of a particle port that the stage reads, and that it writes.
    pub attributes: AttributeList,
    pub written: AttributeList,
    pub change: Change,
    pub doc: String,
    pub unit: String,
    pub line: usize,
}

impl Port {
    pub fn reads(&self) -> bool {
        self.direction != Direction::Out
    }

    pub fn writes(&self) -> bool {
        self.direction != Direction::In
    }

    /// Types of the values that the function returns for the port, each with its name.
    pub fn returned(&self) -> Vec<(&str, Element)> {
        if !self.writes() || self.scatter.is_some() {
            return Vec::new();
        }
        let fixed = |value| vec![(self.name.as_str(), Element::Fixed(value))];
        match (self.ty, &self.change) {
            (PortType::Particles, Change::Filter | Change::Gather | Change::Scatter) => fixed(ValueType::U32),
            (PortType::Particles, Change::Put) => Vec::new(),
            (PortType::Particles, _) => self.written.iter().map(|(n, v)| (n.as_str(), Element::Fixed(*v))).collect(),
            (PortType::NeighborGrid, _) => fixed(ValueType::U32),
            (ty, _) => ty.element().map(|e| (self.name.as_str(), e)).into_iter().collect(),
        }
    }
}

/// Lower and upper bound, either may be open.
pub type Range = (Option<f64>, Option<f64>);

/// The header of a stage file.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Header {
    pub title: String,
    pub doc: Vec<String>,
    pub source: Vec<String>,
    pub ports: Vec<Port>,
    pub params: Vec<Param>,
    /// `@over once`
    pub once: bool,
    /// `@over NAME`
    pub over: Option<String>,
    /// `@sweep checkerboard`
    pub checkerboard: bool,
}

impl Header {
    /// Names and types of what the function returns. A stage that reorders particles returns one index for each; its neighbour grid follows
    /// from that.
    pub fn returned(&self) -> Vec<(&str, Element)> {
        let reorders = self.ports.iter().any(|p| p.change.reorders());
        let silent = |p: &&Port| reorders && p.ty == PortType::NeighborGrid;
        self.ports.iter().filter(|p| !silent(p)).flat_map(Port::returned).collect()
    }
}

/// Parses the header; every error found is returned, not only the first.
pub fn parse(source: &str) -> Result<Header, Vec<HeaderError>> {
    let (header, errors) = read(source);
    if errors.is_empty() { Ok(header) } else { Err(errors) }
}

/// The declarations of the valid lines, and the errors of the others.
pub fn read(source: &str) -> (Header, Vec<HeaderError>) {
    let mut header = Header::default();
    let mut errors = Vec::new();
    for (index, raw) in source.lines().enumerate() {
        let Some(text) = raw.trim_start().strip_prefix("//!") else {
            if raw.trim().is_empty() {
                continue;
            }
            break;
        };
        if let Err(message) = line(&mut header, text.trim(), index + 1) {
            errors.push(HeaderError { line: index + 1, message });
        }
    }
    if header.title.is_empty() {
        let message = "the header has no title; begin the file with `//! Title of the stage`".into();
        errors.insert(0, HeaderError { line: 1, message });
    }
    check_names(&header, &mut errors);
    (header, errors)
}

fn line(header: &mut Header, text: &str, line: usize) -> Result<(), String> {
    let Some(declaration) = text.strip_prefix('@') else {
        if header.title.is_empty() {
            header.title = text.to_string();
        } else if let Some(source) = text.strip_prefix("Source:") {
            header.source.push(source.trim().to_string());
        } else if !text.is_empty() {
            header.doc.push(text.to_string());
        }
        return Ok(());
    };
    let (word, rest) = declaration.split_once(char::is_whitespace).unwrap_or((declaration, ""));
    let rest = rest.trim();
    match word {
        "in" => header.ports.push(port(Direction::In, rest, line)?),
        "out" => header.ports.push(port(Direction::Out, rest, line)?),
        "inout" => header.ports.push(port(Direction::InOut, rest, line)?),
        "param" => header.params.push(param::parse(rest, line)?),
        "over" => match rest.split_whitespace().next() {
            Some("once") => header.once = true,
            Some(name) => header.over = Some(name.to_string()),
            None => return Err("`@over` needs `once` or the name of a port".into()),
        },
        "sweep" => match rest.split_whitespace().next() {
            Some("checkerboard") => header.checkerboard = true,
            _ => return Err("`@sweep` knows only `checkerboard`".into()),
        },
        _ => return Err(format!("unknown key `@{word}`; use {}", language::directives())),
    }
    Ok(())
}

/// `NAME: TYPE [= DEFAULT] [, OPTION]...  documentation [unit]`, split.
struct Declaration<'a> {
    name: String,
    ty: &'a str,
    default: Option<&'a str>,
    options: Vec<&'a str>,
    doc: String,
    unit: String,
}

fn declaration(rest: &str) -> Result<Declaration<'_>, String> {
    let (spec, doc) = rest.split_once("  ").unwrap_or((rest, ""));
    let (name, spec) = spec
        .split_once(':')
        .ok_or_else(|| format!("`{spec}` needs the form NAME: TYPE, then two spaces before the documentation"))?;
    let name = name.trim();
    if !language::is_snake_case(name) {
        return Err(format!("`{name}` is not a lower_snake_case name"));
    }
    if language::is_reserved_for_ports(name) {
        return Err(format!("`{name}` belongs to the stage language; choose another name"));
    }
    if language::is_reserved(name) || language::is_used_by_generated_text(name) {
        return Err(format!("`{name}` belongs to WGSL; choose another name"));
    }
    let mut parts = split_commas(spec).into_iter();
    let first = parts.next().unwrap_or("").trim();
    let (ty, default) = match first.split_once('=') {
        Some((ty, value)) => (ty.trim(), Some(value.trim())),
        None => (first, None),
    };
    let doc = doc.trim();
    let unit = match (doc.rfind('['), doc.ends_with(']')) {
        (Some(open), true) => doc.get(open + 1..doc.len() - 1).unwrap_or(""),
        _ => "",
    };
    Ok(Declaration {
        name: name.to_string(),
        ty,
        default,
        options: parts.map(str::trim).collect(),
        doc: doc.to_string(),
        unit: unit.to_string(),
    })
}

fn port(direction: Direction, rest: &str, line: usize) -> Result<Port, String> {
    let d = declaration(rest)?;
    if d.ty.starts_with("Particles{") {
        types::particles(d.ty)?;
    }
    let ty = PortType::parse(d.ty).ok_or_else(|| unknown_type(d.ty, "a port"))?;
    let mut port = Port {
        name: d.name,
        direction,
        ty,
        default: d.default.map(constant).transpose()?,
        radius: None,
        edge: None,
        like: None,
        half: false,
        slices: None,
        scatter: None,
        reduce: None,
        scan: false,
        expect: None,
        flat: false,
        attributes: Vec::new(),
        written: Vec::new(),
        change: Change::Own,
        doc: d.doc,
        unit: d.unit,
        line,
    };
    if ty == PortType::Particles {
        (port.attributes, port.written) = types::particles(d.ty)?;
    }
    for option in d.options {
        port_option(&mut port, option)?;
    }
    if direction == Direction::Out && port.default.is_some() {
        return Err(format!("@out `{}` can't have a default; it is always written", port.name));
    }
    let name = &port.name;
    if !ty.is_number() && (port.reduce.is_some() || port.expect.is_some()) {
        return Err(format!("`reduce` and `expect` need a number; give `{name}` a type such as f32 instead of {ty}"));
    }
    let single = [ValueType::F32, ValueType::I32, ValueType::U32].map(|v| PortType::Grid(Element::Fixed(v)));
    match port.scatter {
        Some(Scatter::Sum(_)) if !matches!(ty, PortType::Grid(_)) => {
            return Err(format!("`scatter` needs a Grid, `{name}` is {ty}"));
        }
        Some(Scatter::Min | Scatter::Max) if !single.contains(&ty) || port.direction != Direction::Out => {
            return Err(format!(
                "`scatter min` and `max` need an @out of Grid<f32>, Grid<i32> or Grid<u32>, not `{name}`"
            ));
        }
        _ => {}
    }
    if port.scan && ty != PortType::Grid(Element::Fixed(ValueType::U32)) {
        return Err(format!("`scan` needs Grid<u32>, `{name}` is {ty}"));
    }
    if port.direction == Direction::InOut && !ty.is_grid() && ty != PortType::Particles {
        return Err(format!(
            "@inout `{name}` must be a grid or particles; read it with @in and write another with @out"
        ));
    }
    if ty == PortType::Particles {
        particle_port(&port)?;
    }
    if ty == PortType::NeighborGrid && port.writes() && port.like.is_none() {
        return Err(format!("`{name}` needs `like NAME`: the Grid<u32> of each cell's first entry"));
    }
    Ok(port)
}

fn particle_port(port: &Port) -> Result<(), String> {
    let name = &port.name;
    let writes = !port.written.is_empty();
    match (port.direction, &port.change) {
        (Direction::Out, _) => Err(format!("`{name}`: particles are changed, not created; use @inout")),
        (Direction::In, Change::Own) if writes => Err(format!("@in `{name}` can't write; use @inout")),
        (Direction::InOut, Change::Own) if !writes => {
            Err(format!("@inout `{name}` writes nothing: name what it writes after `->`, or use @in"))
        }
        (_, Change::Filter | Change::Gather | Change::Scatter) if writes => Err(format!(
            "`{name}`: filter, gather and scatter move whole particles; write attributes in a stage before"
        )),
        (_, Change::Put) if !writes => Err(format!("`{name}`: `put` needs attributes after `->`")),
        (_, Change::Emit(_)) if !port.attributes.is_empty() => {
            Err(format!("`{name}`: a new particle has no attributes to read; write `Particles{{}} -> {{..}}`"))
        }
        _ => Ok(()),
    }
}

/// Thinner slices cost more than they save.
const MOST_SLICES: u32 = 16;

fn port_option(port: &mut Port, option: &str) -> Result<(), String> {
    let (word, value) = option.split_once(char::is_whitespace).unwrap_or((option, ""));
    let value = value.trim();
    let reads_grid = port.ty.is_grid() && port.reads();
    let changes = port.ty == PortType::Particles && port.direction == Direction::InOut;
    match word {
        "radius" if port.reads() => port.radius = Some(radius::parse(port, value)?),
        "edge" if reads_grid => {
            let rule = EdgeRule::parse(value);
            let rule = rule.ok_or_else(|| format!("`edge {value}`: use wall, clamp, zero, wrap or mirror"))?;
            port.edge = Some(rule);
        }
        "like" if port.direction == Direction::Out && (port.ty.is_grid() || port.ty == PortType::NeighborGrid) => {
            port.like = Some(value.to_string());
        }
        "half" if port.direction == Direction::Out && port.ty.is_grid() => {
            (port.like, port.half) = (Some(value.to_string()), true);
        }
        "slices" if port.direction == Direction::Out && matches!(port.ty, PortType::Grid(_)) => {
            let count = value.parse().ok().filter(|count| (2..=MOST_SLICES).contains(count));
            let wrong = || format!("`slices {value}`: use a whole number in 2..{MOST_SLICES}");
            port.slices = Some(count.ok_or_else(wrong)?);
        }
        "scatter" if changes => port.change = Change::Scatter,
        "scatter" if port.writes() => {
            port.scatter = Some(match (value, value.parse()) {
                ("", _) => Scatter::Sum(16),
                ("min", _) => Scatter::Min,
                ("max", _) => Scatter::Max,
                (_, Ok(bits @ 0..=30)) => Scatter::Sum(bits),
                _ => {
                    return Err(format!(
                        "`scatter {value}`: use min, max, or the fraction bits, a whole number in 0..30"
                    ));
                }
            });
        }
        "flat" if reads_grid => port.flat = true,
        "scan" if port.direction == Direction::Out => port.scan = true,
        "expect" if port.direction == Direction::Out => port.expect = Some(range(value)?),
        "emit" if changes => port.change = Change::Emit(value.to_string()),
        "filter" if changes => port.change = Change::Filter,
        "gather" if changes => port.change = Change::Gather,
        "put" if changes => port.change = Change::Put,
        "reduce" if port.direction == Direction::Out => {
            port.reduce = Some(match value {
                "max" => Reduction::Max,
                "min" => Reduction::Min,
                "sum" => Reduction::Sum,
                _ => return Err(format!("`reduce {value}`: use max, min or sum")),
            });
        }
        _ => return Err(format!("option `{option}` does not fit here; docs/stage_language.md lists the options")),
    }
    Ok(())
}

fn unknown_type(text: &str, what: &str) -> String {
    format!(
        "`{text}` is not a type of {what}; use f32, i32, u32, vec2f, vec3f, vec4f, Vec, for parameters also bool, color, curve, gradient, for ports also Grid<..>, FaceGrid, Image, Particles{{..}}, NeighborGrid, Field<..>, Camera"
    )
}

fn range(text: &str) -> Result<Range, String> {
    let message = || format!("`{text}` is not a range; write LO..HI, LO.. or ..HI");
    let (low, high) = text.split_once("..").ok_or_else(message)?;
    let bound = |side: &str| match side.trim() {
        "" => Ok(None),
        number => number.parse::<f64>().ok().filter(|v| v.is_finite()).map(Some).ok_or_else(message),
    };
    match (bound(low)?, bound(high)?) {
        (Some(low), Some(high)) if low > high => Err(format!("the range `{text}` is reversed")),
        range => Ok(range),
    }
}

/// `1`, `true` or `(0, 0.5)`.
fn constant(text: &str) -> Result<Vec<f64>, String> {
    let inner = text.strip_prefix('(').and_then(|t| t.strip_suffix(')')).unwrap_or(text);
    let parts: Option<Vec<f64>> = inner
        .split(',')
        .map(|part| match part.trim() {
            "true" => Some(1.0),
            "false" => Some(0.0),
            number => number.parse::<f64>().ok().filter(|v| v.is_finite()),
        })
        .collect();
    match parts {
        Some(values) if (1..=4).contains(&values.len()) => Ok(values),
        _ => Err(format!("`{text}` is not a constant; write a number or (x, y)")),
    }
}

fn split_commas(text: &str) -> Vec<&str> {
    let mut depth = 0i32;
    let mut before = ' ';
    text.split(move |c| {
        match c {
            '(' | '<' | '{' | '[' => depth += 1,
            // The arrow of `Particles{..} -> {..}` closes nothing.
            '>' if before == '-' => {}
            ')' | '>' | '}' | ']' => depth -= 1,
            _ => {}
        }
        before = c;
        c == ',' && depth == 0
    })
    .collect()
}

/// Names must be unique, and every name a declaration refers to must be a grid port.
fn check_names(header: &Header, errors: &mut Vec<HeaderError>) {
    let mut push = |line, message| errors.push(HeaderError { line, message });
    let names = header.ports.iter().map(|p| (&p.name, p.line)).chain(header.params.iter().map(|p| (&p.name, p.line)));
    let mut seen = std::collections::BTreeMap::new();
    for (name, line) in names {
        if let Some(first) = seen.insert(name.clone(), line) {
            push(line, format!("`{name}` is declared twice (first on line {first})"));
        }
    }
    // What is read has a function of its name at module scope; what is only written, and a plain value, has none.
    let read = header.ports.iter().filter(|port| port.reads()).map(|port| (&port.name, port.line));
    let tables = header.params.iter().filter(|param| matches!(param.ty, ParamType::Curve | ParamType::Gradient));
    let functions = read.chain(tables.map(|param| (&param.name, param.line)));
    for (name, line) in functions.filter(|(name, _)| language::is_memory_word(name)) {
        push(line, format!("`{name}` belongs to WGSL; choose another name"));
    }
    let reads = |name: &str, fits: &dyn Fn(PortType) -> bool| {
        header.ports.iter().any(|p| p.name == name && p.reads() && fits(p.ty))
    };
    let readable = |name: &str| reads(name, &PortType::is_grid);
    for port in &header.ports {
        if let Some(like) = port.like.as_deref().filter(|like| !readable(like)) {
            let word = if port.half { "half" } else { "like" };
            push(port.line, format!("`{word} {like}`: no readable grid port of that name"));
        }
        if let Some(letter @ Element::Generic(_)) = port.ty.element()
            && port.direction == Direction::Out
            && !header.ports.iter().any(|p| p.reads() && p.ty.element() == Some(letter))
        {
            push(port.line, format!("`{}` is {} but no input says what {letter} is", port.name, port.ty));
        }
        if let Change::Emit(amount) = &port.change
            && !reads(amount, &|ty| ty == PortType::Number(Element::Fixed(ValueType::U32)))
        {
            push(port.line, format!("`emit {amount}`: declare `@in {amount}: u32 = 0`, how many are added"));
        }
    }
    for (line, message) in header.ports.iter().filter_map(|port| radius::fault(header, port)) {
        push(line, message);
    }
    let over = |name: &str| readable(name) || reads(name, &|ty| ty == PortType::Particles);
    if let Some(name) = header.over.as_deref().filter(|name| !over(name)) {
        push(1, format!("`@over {name}`: no readable grid or particle port of that name"));
    }
    if header.checkerboard && !header.ports.iter().any(|p| p.direction == Direction::InOut) {
        push(1, "`@sweep checkerboard` needs an @inout grid to sweep over".into());
    }
    let fields = header.ports.iter().filter(|p| p.writes() && matches!(p.ty, PortType::Field(_))).count();
    if fields > 0 && header.ports.iter().filter(|p| p.writes()).count() > 1 {
        push(1, "a field stage has one @out, the field".into());
    }
    if header.ports.iter().filter(|p| p.writes() && p.ty == PortType::Particles).count() > 1 {
        push(1, "a stage changes one set of particles; split it into two stages".into());
    }
    if !header.ports.iter().any(Port::writes) {
        push(1, "the stage writes nothing; declare an @out or @inout port".into());
    }
}
