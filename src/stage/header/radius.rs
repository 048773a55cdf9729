//! `radius`: how far around its own cell a stage reads a port.

use std::fmt;

use serde::Serialize;

use super::{Direction, Header, ParamType, Port};
use crate::stage::types::{PortType, ValueType};

/// How many cells away from its own a stage reads a port at most.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub enum Radius {
    Cells(u32),
    /// As many as this parameter says.
    Param(String),
}

impl fmt::Display for Radius {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Radius::Cells(cells) => write!(f, "{cells}"),
            Radius::Param(name) => f.write_str(name),
        }
    }
}

/// `radius N`, or of an input `radius NAME`.
pub fn parse(port: &Port, value: &str) -> Result<Radius, String> {
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

/// The line and the message, if the parameter that a port's radius names does not fit.
pub fn fault(header: &Header, port: &Port) -> Option<(usize, String)> {
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
