//! Whether a wire of one type can be connected to a port of another, and which stage converts between them.

use std::collections::BTreeMap;

use super::numbers::Unfit;
use crate::stage::types::{Element, PortType, Scalar, ValueType, WireType};

/// Whether a wire of a type can be connected to a port, judged by the types alone; generic letters that are not bound
/// fit any value type.
///
/// # Errors
/// Cause and remedy, in the compiler's words.
pub fn fits(from: PortType, to: PortType) -> Result<(), Unfit> {
    let Some(wire_type) = bound(from, &BTreeMap::new()) else {
        return match (from, to) {
            (PortType::Grid(_), PortType::Grid(_)) | (PortType::Field(_), PortType::Field(_)) => Ok(()),
            _ => Err(unfit(from.to_string(), to, "connect a wire of that type".into())),
        };
    };
    // A `Vec` has two or three components, and the domain is not known here.
    let alike = |a: ValueType, b: ValueType| (2..=3).any(|dim| a.components(dim) == b.components(dim));
    let fields = match (to, wire_type) {
        (PortType::Field(Element::Fixed(a)), WireType::Field(b)) => a.scalar() == b.scalar() && alike(a, b),
        _ => false,
    };
    if fields || takes(to, wire_type) {
        return Ok(());
    }
    Err(unfit(wire_type.to_string(), to, remedy(to, wire_type, &BTreeMap::new())))
}

/// Whether a number node can take the place of a wire, as a constant.
pub fn takes_number(port: PortType) -> bool {
    let camera = PortType::Number(Element::Fixed(ValueType::Camera));
    !matches!(port, PortType::Particles | PortType::NeighborGrid) && port != camera
}

/// Why a wire that is not a number node cannot set a parameter.
pub fn parameter() -> Unfit {
    let remedy = "connect a number node here, or declare an `@in` number in the stage";
    ("a parameter can't read a wire of the GPU".into(), remedy.into())
}

fn unfit(carried: String, to: PortType, remedy: String) -> Unfit {
    (format!("the wire carries {carried}, the port takes {to}"), remedy)
}

/// The type with its generic letters replaced.
pub fn bound(ty: PortType, generics: &BTreeMap<char, ValueType>) -> Option<WireType> {
    let value = |element| match element {
        Element::Fixed(v) => Some(v),
        Element::Generic(letter) => generics.get(&letter).copied(),
    };
    match ty {
        PortType::Grid(element) => value(element).map(WireType::Grid),
        PortType::FaceGrid => Some(WireType::FaceGrid),
        PortType::Number(element) => value(element).map(WireType::Number),
        PortType::Field(element) => value(element).map(WireType::Field),
        PortType::Particles => Some(WireType::Particles),
        PortType::NeighborGrid => Some(WireType::NeighborGrid),
    }
}

/// Whether a port accepts a wire. A generic grid accepts any grid of values at cell centres, or of vectors.
pub fn takes(port: PortType, wire: WireType) -> bool {
    match (port, wire) {
        (PortType::Grid(element @ Element::Generic(_)), WireType::Grid(value)) => element.takes(value),
        (PortType::Field(element @ Element::Generic(_)), WireType::Field(value)) => element.takes(value),
        _ => bound(port, &BTreeMap::new()) == Some(wire),
    }
}

/// A port that takes this type and no other.
pub fn port_type(ty: WireType) -> PortType {
    match ty {
        WireType::Grid(v) => PortType::Grid(Element::Fixed(v)),
        WireType::FaceGrid => PortType::FaceGrid,
        WireType::Number(v) | WireType::Attribute(v) => PortType::Number(Element::Fixed(v)),
        WireType::Field(v) => PortType::Field(Element::Fixed(v)),
        WireType::Particles => PortType::Particles,
        WireType::NeighborGrid => PortType::NeighborGrid,
    }
}

/// The remedy for a wire and a port that do not fit: what to connect between them.
pub fn remedy(wanted: PortType, wire_type: WireType, generics: &BTreeMap<char, ValueType>) -> String {
    if wire_type == WireType::Grid(ValueType::Mat) {
        return "a stage of your own makes a number or a vector of a matrix, `return x(cell)[0];` or `return determinant(x(cell));`".into();
    }
    if let WireType::Grid(ValueType::Array(count)) = wire_type {
        let last = count - 1;
        return format!(
            "a stage of your own picks one of the {count} numbers of a cell, `return x(cell, 0);` to `return x(cell, {last});`"
        );
    }
    let takes = |value| wanted.element().is_none_or(|element| element.takes(value));
    let (vectors, floats) = (!takes(ValueType::F32), !takes(ValueType::U32));
    let whole = match wire_type {
        WireType::Grid(value) | WireType::Field(value) => value.scalar() != Scalar::F32,
        _ => false,
    };
    let wanted = wanted_type(wanted, generics);
    if let Some(remedy) = wanted.and_then(|wanted| vector_in_space(wanted, wire_type)) {
        return remedy;
    }
    match (conversion(wanted, wire_type), wanted) {
        (Some(stage), _) => format!("connect {stage} between the two"),
        (None, Some(wanted)) => format!("connect a wire that carries {wanted}"),
        (None, None) if vectors => "connect a wire that carries vectors".into(),
        (None, None) if floats && whole => {
            "connect a wire of f32 or vectors; a stage of your own converts whole numbers, `return f32(x(cell));`"
                .into()
        }
        (None, None) => "connect a grid".into(),
    }
}

/// The remedy where one of both carries a [`ValueType::Vec`] and the other one a vector of fixed length.
fn vector_in_space(wanted: WireType, wire_type: WireType) -> Option<String> {
    let (WireType::Grid(port), WireType::Grid(wire)) = (wanted, wire_type) else { return None };
    let is_fixed = |value| matches!(value, ValueType::Vec2 | ValueType::Vec3);
    let differ = (port == ValueType::Vec && is_fixed(wire)) || (wire == ValueType::Vec && is_fixed(port));
    differ.then(|| {
        format!(
            "declare both as Grid<Vec> or both as Grid<{}>: walls reverse a Vec, a vector in space, and no other",
            if port == ValueType::Vec { wire } else { port }.name()
        )
    })
}

/// The stage that converts a wire's type to a port's type, if there is one.
pub fn between(from: PortType, to: PortType) -> Option<&'static str> {
    conversion(wanted_type(to, &BTreeMap::new()), bound(from, &BTreeMap::new())?)
}

fn wanted_type(wanted: PortType, generics: &BTreeMap<char, ValueType>) -> Option<WireType> {
    match wanted {
        PortType::Grid(Element::Generic(letter)) => generics.get(&letter).map(|v| WireType::Grid(*v)),
        other => bound(other, generics),
    }
}

fn conversion(wanted: Option<WireType>, wire_type: WireType) -> Option<&'static str> {
    match (wanted, wire_type) {
        (Some(WireType::FaceGrid), WireType::Grid(ValueType::Vec)) => Some("staggered/center_to_face"),
        (Some(WireType::Grid(ValueType::Vec)) | None, WireType::FaceGrid) => Some("staggered/face_to_center"),
        (Some(WireType::Grid(ValueType::Vec4)), WireType::Grid(ValueType::F32)) => Some("view/color_map"),
        (Some(WireType::Grid(ValueType::Vec4)), WireType::Grid(ValueType::Vec)) => Some("view/vector"),
        (Some(WireType::Field(_)), WireType::Grid(_)) => Some("field/from_grid"),
        (Some(WireType::Grid(_)), WireType::Field(_)) => Some("grid/from_field"),
        (Some(WireType::NeighborGrid), WireType::Particles) => Some("neighbors/fill"),
        _ => None,
    }
}
