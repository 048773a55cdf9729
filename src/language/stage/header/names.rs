//! Checks the declarations of a header against each other: names are unique and references exist.

use std::collections::BTreeMap;

use super::handle;
use super::model::{Change, Direction, Header, HeaderError, Param, ParamType, Port, Radius};
use crate::stage::types::{Element, PortType, ValueType};
use crate::stage::{accessors, language};

/// A line number and its problem.
type Fault = (usize, String);

/// All problems between declarations that are valid on their own.
pub(super) fn check(header: &Header) -> Vec<HeaderError> {
    let mut faults = repeated(header);
    faults.extend(hiding(header));
    faults.extend(header.ports.iter().flat_map(|port| references(header, port)));
    faults.extend(header.ports.iter().filter_map(|port| radius(header, port)));
    faults.extend(header.params.iter().filter_map(|param| steady(header, param)));
    faults.extend(iteration(header));
    faults.extend(outputs(header));
    faults.extend(handle::references(header));
    faults.into_iter().map(|(line, message)| HeaderError { line, message }).collect()
}

/// Problems of names that are declared twice.
fn repeated(header: &Header) -> Vec<Fault> {
    let ports = header.ports.iter().map(|p| (&p.name, p.line));
    let mut seen = BTreeMap::new();
    let again = |(name, line): (&String, usize)| {
        let first = seen.insert(name.clone(), line)?;
        Some((line, format!("`{name}` is declared twice (first on line {first})")))
    };
    ports.chain(header.params.iter().map(|p| (&p.name, p.line))).filter_map(again).collect()
}

/// A port that is read has a function of its name at module scope, which must not shadow a word of generated text.
/// Ports that are only written, and plain values, have none.
fn hiding(header: &Header) -> impl Iterator<Item = Fault> {
    let read = header.ports.iter().filter(|port| port.reads()).map(|port| (&port.name, port.line));
    let tables = header.params.iter().filter(|param| param.ty.returns().is_some());
    let functions = read.chain(tables.map(|param| (&param.name, param.line)));
    let hides = functions.filter(|(name, _)| language::is_memory_word(name));
    let hides = hides.map(|(name, line)| (line, format!("`{name}` belongs to WGSL; choose another name")));
    let clashes = header.ports.iter().filter_map(|port| {
        let (name, function) = (&port.name, accessors::clash(port)?);
        let cause = format!("`{name}` would be read by `{function}`, which belongs to the stage language");
        Some((port.line, format!("{cause}; choose another name")))
    });
    hides.chain(clashes)
}

/// Whether a port of this name and of a suitable type is read.
fn reads(header: &Header, name: &str, fits: impl Fn(PortType) -> bool) -> bool {
    header.ports.iter().any(|p| p.name == name && p.reads() && fits(p.ty))
}

/// Checks what a port's `like`, `velocity of`, generic letter and `emit` refer to.
fn references(header: &Header, port: &Port) -> Vec<Fault> {
    let mut faults = Vec::new();
    if let Some(like) = port.like.as_deref().filter(|like| !reads(header, like, PortType::is_grid)) {
        let word = if port.half { "half" } else { "like" };
        faults.push((port.line, format!("`{word} {like}`: no readable grid port of that name")));
    }
    for body in port.velocity_of.iter().filter(|body| !reads(header, body, |_| true)) {
        faults.push((port.line, format!("`velocity of {body}`: no readable port of that name")));
    }
    if let Some(letter @ Element::Generic(_)) = port.ty.element()
        && port.direction == Direction::Out
        && !header.ports.iter().any(|p| p.reads() && p.ty.element() == Some(letter))
    {
        faults.push((port.line, format!("`{}` is {} but no input says what {letter} is", port.name, port.ty)));
    }
    if let Change::Emit(amount) = &port.change
        && !reads(header, amount, |ty| ty == PortType::Number(Element::Fixed(ValueType::U32)))
    {
        faults.push((port.line, format!("`emit {amount}`: declare `@in {amount}: u32 = 0`, how many are added")));
    }
    faults
}

/// The problem with the parameter that a port's radius refers to, if any.
fn radius(header: &Header, port: &Port) -> Option<Fault> {
    let Some(Radius::Param(name)) = &port.radius else { return None };
    let message = match header.params.iter().find(|p| p.name == *name) {
        None => format!("`radius {name}`: there is no such parameter; add `@param {name}: i32 = 2, 0..8`"),
        Some(param) if param.ty != ParamType::Value(ValueType::I32) => {
            format!("`radius {name}` needs an i32 parameter, `{name}` is {}", param.ty.name())
        }
        Some(param) if param.range.0.is_none_or(|low| low < 0.0) => {
            format!("`radius {name}`: give the parameter a range that begins at 0 or above, such as `0..16`")
        }
        Some(_) => return None,
    };
    Some((port.line, message))
}

/// The problem with the port that a parameter's `steady` refers to, if any.
fn steady(header: &Header, param: &Param) -> Option<Fault> {
    let port = param.steady.as_deref().filter(|port| !port.is_empty())?;
    let message = format!("`steady {port}`: no number input of that name; add `@in {port}: f32 = 0`");
    (!reads(header, port, PortType::is_number)).then_some((param.line, message))
}

/// Checks the requirements of `@over` and `@sweep`.
fn iteration(header: &Header) -> Vec<Fault> {
    let over = |ty: PortType| ty.is_grid() || ty == PortType::Particles;
    let mut faults = Vec::new();
    if let Some(name) = header.over.as_deref().filter(|name| !reads(header, name, over)) {
        faults.push((1, format!("`@over {name}`: no readable grid or particle port of that name")));
    }
    if header.checkerboard && !header.ports.iter().any(|p| p.direction == Direction::InOut) {
        faults.push((1, "`@sweep checkerboard` needs an @inout grid to sweep over".into()));
    }
    faults
}

/// Checks which outputs a stage may write together.
fn outputs(header: &Header) -> Vec<Fault> {
    let written = |fits: fn(PortType) -> bool| header.ports.iter().filter(|p| p.writes() && fits(p.ty)).count();
    let mut faults = Vec::new();
    if written(|ty| matches!(ty, PortType::Field(_))) > 0 && written(|_| true) > 1 {
        faults.push((1, "a field stage has one @out, the field".into()));
    }
    if written(|ty| ty == PortType::Particles) > 1 {
        faults.push((1, "a stage changes one set of particles; split it into two stages".into()));
    }
    if written(|_| true) == 0 {
        faults.push((1, "the stage writes nothing; declare an @out or @inout port".into()));
    }
    faults
}
