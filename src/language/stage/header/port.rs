//! Parses `@in`, `@out` and `@inout`, the declarations of ports.

use super::grammar::{constant, declaration, range, unknown_type};
use super::model::{Change, Direction, Port, Radius, Reduction, Scatter};
use crate::stage::types::{self, EdgeRule, Element, PortType, ValueType};

/// `NAME: TYPE [= DEFAULT] [, OPTION]...`
pub(super) fn parse(direction: Direction, rest: &str, line: usize) -> Result<Port, String> {
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
        open_zero: false,
        like: None,
        half: false,
        velocity_of: Vec::new(),
        slices: None,
        scatter: None,
        reduce: None,
        scan: false,
        connect: false,
        balanced: false,
        expect: None,
        nearest: false,
        table: false,
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
    check(&port)?;
    Ok(port)
}

/// Checks the options of a port against its type and direction.
fn check(port: &Port) -> Result<(), String> {
    let ty = port.ty;
    if port.direction == Direction::Out && port.default.is_some() {
        return Err(format!("@out `{}` can't have a default; it is always written", port.name));
    }
    let name = &port.name;
    if !ty.is_number() && (port.reduce.is_some() || port.expect.is_some()) {
        return Err(format!("`reduce` and `expect` need a number; give `{name}` a type such as f32 instead of {ty}"));
    }
    if ty.is_compound() && (port.scatter.is_some() || port.nearest || port.slices.is_some()) {
        let what = if ty.is_array() { "several numbers a cell" } else { "a matrix a cell" };
        return Err(format!("`{name}` has {what}, which can be neither scattered, nor sliced, nor read as `nearest`"));
    }
    if let Some((sum, _)) = port.written.iter().find(|(_, ty)| port.is_summed_set() && ty.is_compound()) {
        return Err(format!("`{sum}` is a matrix, which can't be summed by index; sum its columns as vectors"));
    }
    if port.table && port.radius.is_some() {
        return Err(format!(
            "`radius` of `{name}` counts the stage's cells, and a `table` has cells of its own; remove one of them"
        ));
    }
    let single = [ValueType::F32, ValueType::I32, ValueType::U32].map(|v| PortType::Grid(Element::Fixed(v)));
    match port.scatter {
        Some(Scatter::Sum(_)) if !ty.is_grid() => {
            return Err(format!("`scatter` needs a Grid or a FaceGrid, `{name}` is {ty}"));
        }
        Some(Scatter::Min | Scatter::Max) if !single.contains(&ty) || port.direction != Direction::Out => {
            return Err(format!(
                "`scatter min` and `max` need an @out of Grid<f32>, Grid<i32> or Grid<u32>, not `{name}`"
            ));
        }
        _ => {}
    }
    if port.converted() && ty != PortType::Grid(Element::Fixed(ValueType::U32)) {
        let option = if port.scan { "scan" } else { "connect" };
        return Err(format!("`{option}` needs Grid<u32>, `{name}` is {ty}"));
    }
    if port.balanced && ty != PortType::Grid(Element::Fixed(ValueType::F32)) {
        return Err(format!("`balanced` needs Grid<f32>, `{name}` is {ty}"));
    }
    if port.direction == Direction::InOut && !ty.is_grid() && ty != PortType::Particles {
        return Err(format!(
            "@inout `{name}` must be a grid or particles; read it with @in and write another with @out"
        ));
    }
    if ty == PortType::Particles {
        particle_port(port)?;
    }
    if ty == PortType::NeighborGrid && port.writes() && port.like.is_none() {
        return Err(format!("`{name}` needs `like NAME`: the Grid<u32> of each cell's first entry"));
    }
    Ok(())
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
        (_, Change::Sum(_)) if !writes => Err(format!("`{name}`: `sum` needs attributes after `->`")),
        (_, Change::Emit(_)) if !port.attributes.is_empty() => {
            Err(format!("`{name}`: a new particle has no attributes to read; write `Particles{{}} -> {{..}}`"))
        }
        _ => Ok(()),
    }
}

/// Limit of slices; thinner ones cost more than they save.
const MOST_SLICES: u32 = 16;

fn port_option(port: &mut Port, option: &str) -> Result<(), String> {
    let (word, value) = option.split_once(char::is_whitespace).unwrap_or((option, ""));
    let value = value.trim();
    let reads_grid = port.ty.is_grid() && port.reads();
    let changes = port.ty == PortType::Particles && port.direction == Direction::InOut;
    if changes && port.change != Change::Own && ["scatter", "emit", "filter", "gather", "put", "sum"].contains(&word) {
        return Err(format!(
            "`{}` takes one of scatter, emit, filter, gather, put and sum; remove the others",
            port.name
        ));
    }
    match word {
        "radius" if port.reads() => port.radius = Some(radius(port, value)?),
        "edge" if reads_grid => {
            let rule = EdgeRule::parse(value);
            let rule =
                rule.ok_or_else(|| format!("`edge {value}`: use {}", EdgeRule::ALL.map(EdgeRule::name).join(", ")))?;
            port.edge = Some(rule);
        }
        "open" if reads_grid && value == "zero" => port.open_zero = true,
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
        "velocity" if port.direction == Direction::In && value.starts_with("of ") => {
            port.velocity_of = value.split_whitespace().skip(1).map(str::to_string).collect();
        }
        "nearest" if matches!(port.ty, PortType::Grid(_)) && port.reads() => port.nearest = true,
        "table" if port.direction == Direction::In && matches!(port.ty, PortType::Grid(_)) => port.table = true,
        "scan" if port.direction == Direction::Out => port.scan = true,
        "connect" if port.direction == Direction::Out => port.connect = true,
        "balanced" if port.direction == Direction::In => port.balanced = true,
        "expect" if port.direction == Direction::Out => port.expect = Some(range(value)?),
        "emit" if changes => port.change = Change::Emit(value.to_string()),
        "filter" if changes => port.change = Change::Filter,
        "gather" if changes => port.change = Change::Gather,
        "put" if changes => port.change = Change::Put,
        "sum" if changes => {
            let bits = if value.is_empty() { Some(16) } else { value.parse().ok().filter(|bits| *bits <= 30) };
            let wrong = || format!("`sum {value}`: use the fraction bits, a whole number in 0..30");
            port.change = Change::Sum(bits.ok_or_else(wrong)?);
        }
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

/// Parses `radius N`, or for an input `radius NAME`.
fn radius(port: &Port, value: &str) -> Result<Radius, String> {
    let input = port.direction == Direction::In;
    if input && !matches!(port.ty, PortType::Grid(_)) {
        return Err(format!("`radius` needs a Grid, `{}` is {}", port.name, port.ty));
    }
    let named = value.starts_with(|c: char| c.is_ascii_lowercase());
    match value.parse() {
        Ok(cells) => Ok(Radius::Cells(cells)),
        Err(_) if input && named => Ok(Radius::Param(value.into())),
        Err(_) if input => Err(format!("`radius` needs a whole number or the name of an i32 parameter, not `{value}`")),
        Err(_) => Err(format!("`radius` of an @inout needs a whole number, not `{value}`")),
    }
}
