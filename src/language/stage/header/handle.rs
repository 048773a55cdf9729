//! `handle ROLE [of NAME]`: what a parameter is in space. The editor draws it in views, where it can be dragged. Nothing that is compiled
//! depends on it.

use serde::Serialize;

use super::model::{Header, Param, ParamType};
use crate::stage::types::ValueType;

/// The part of a shape that a parameter sets.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub enum Role {
    /// A point.
    Position,
    /// The radius of a circle or a sphere around a position.
    Radius,
    /// The lengths of the edges of a box around a position.
    Box,
    /// The corner of a box that is opposite to a position.
    Corner,
    /// A direction; its length has no meaning and stays.
    Direction,
    /// A vector whose length counts, such as a velocity.
    Vector,
    /// The normal of a plane through a position; its length stays.
    Plane,
    /// Angle around +y of the direction from a position to a camera or another point: 0 is +z, 90 is +x.
    Azimuth,
    /// Angle of that direction above the horizon.
    Elevation,
    /// Distance of that point from the position.
    Distance,
}

/// What a parameter is in space.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Handle {
    /// The part of a shape that it sets.
    pub role: Role,
    /// The parameter with the position that it belongs to.
    pub of: Option<String>,
}

impl Role {
    /// All roles, in the order of the documentation.
    pub const ALL: [Role; 10] = [
        Role::Position,
        Role::Radius,
        Role::Box,
        Role::Corner,
        Role::Direction,
        Role::Vector,
        Role::Plane,
        Role::Azimuth,
        Role::Elevation,
        Role::Distance,
    ];

    /// The word in headers.
    pub fn name(self) -> &'static str {
        match self {
            Role::Position => "position",
            Role::Radius => "radius",
            Role::Box => "box",
            Role::Corner => "corner",
            Role::Direction => "direction",
            Role::Vector => "vector",
            Role::Plane => "plane",
            Role::Azimuth => "azimuth",
            Role::Elevation => "elevation",
            Role::Distance => "distance",
        }
    }

    /// Whether the parameter is one number; else it is a vector.
    fn is_number(self) -> bool {
        matches!(self, Role::Radius | Role::Azimuth | Role::Elevation | Role::Distance)
    }

    /// Whether the role is a length, in metres or as a fraction of the domain.
    pub fn is_length(self) -> bool {
        matches!(self, Role::Position | Role::Radius | Role::Box | Role::Corner | Role::Distance)
    }
}

/// The roles that together set a point by its direction and distance.
const POLAR: [Role; 3] = [Role::Azimuth, Role::Elevation, Role::Distance];

/// Parses what stands behind `handle`.
pub(super) fn parse(text: &str) -> Result<Handle, String> {
    let mut words = text.split_whitespace();
    let word = words.next().unwrap_or("");
    let Some(role) = Role::ALL.into_iter().find(|role| role.name() == word) else {
        return Err(format!("`handle {word}`: use {}", Role::ALL.map(Role::name).join(", ")));
    };
    let of = match (words.next(), words.next(), words.next()) {
        (None, ..) => None,
        (Some("of"), Some(name), None) => Some(name.to_string()),
        _ => return Err(format!("`handle {text}`: write `handle {word}` or `handle {word} of NAME`")),
    };
    match (role, &of) {
        (Role::Position, Some(_)) => Err("`handle position` stands alone; remove `of`".into()),
        (Role::Position | Role::Direction | Role::Vector, None) | (_, Some(_)) => Ok(Handle { role, of }),
        (_, None) => Err(format!("`handle {word}` needs the position that it belongs to: `handle {word} of NAME`")),
    }
}

/// Whether a parameter of this type and unit can have the role.
pub(super) fn check(role: Role, param: &Param) -> Result<(), String> {
    let (word, name) = (role.name(), &param.name);
    let number = param.ty == ParamType::Value(ValueType::F32);
    let vector = matches!(param.ty, ParamType::Value(ValueType::Vec2 | ValueType::Vec3 | ValueType::Vec));
    if (role.is_number() && !number) || (!role.is_number() && !vector) {
        let needed = if role.is_number() { "f32" } else { "vec2f, vec3f or Vec" };
        return Err(format!("`handle {word}` needs {needed}, `{name}` is {}", param.ty.name()));
    }
    if role.is_length() && !matches!(param.unit.as_str(), "m" | "") {
        let unit = &param.unit;
        return Err(format!(
            "`handle {word}` needs the unit [m], or none for a fraction of the domain; `{name}` has [{unit}]"
        ));
    }
    if matches!(role, Role::Azimuth | Role::Elevation) && param.unit != "degrees" {
        return Err(format!("`handle {word}` needs the unit [degrees]; end the documentation of `{name}` with it"));
    }
    Ok(())
}

/// Problems of handles that refer to other parameters: line and message.
pub(super) fn references(header: &Header) -> Vec<(usize, String)> {
    let with = |role: Role, of: Option<&str>| {
        header
            .params
            .iter()
            .any(|param| param.handle.as_ref().is_some_and(|handle| handle.role == role && handle.of.as_deref() == of))
    };
    let mut faults = Vec::new();
    for param in &header.params {
        let Some(Handle { role, of: Some(of) }) = &param.handle else { continue };
        let word = role.name();
        match header.params.iter().find(|other| other.name == *of) {
            None => faults.push((param.line, format!("`handle {word} of {of}`: there is no parameter `{of}`"))),
            Some(other) if other.handle.as_ref().is_none_or(|handle| handle.role != Role::Position) => {
                let message =
                    format!("`handle {word} of {of}`: give the parameter `{of}` the option `handle position`");
                faults.push((param.line, message));
            }
            Some(_) if POLAR.contains(role) => {
                if let Some(missing) = POLAR.into_iter().find(|role| !with(*role, Some(of))) {
                    let missing = missing.name();
                    let message = format!("`handle {word} of {of}` needs a parameter with `handle {missing} of {of}`");
                    faults.push((param.line, message));
                }
            }
            Some(_) => {}
        }
    }
    faults
}

#[cfg(test)]
mod tests {
    use super::super::{parse, read};
    use super::*;
    use crate::stage::language::{Kind, words};

    /// The header of a stage with these parameters, from line 2 on.
    fn header(params: &[&str]) -> String {
        let params: String = params.iter().map(|param| format!("//! @param {param}\n")).collect();
        format!("//! Title\n{params}//! @out value: Field<f32>\n")
    }

    #[test]
    fn every_role_is_read_with_the_position_that_it_belongs_to() {
        let text = header(&[
            "center: Vec = (0, 0), handle position  Centre [m]",
            "radius: f32 = 1, 0.., soft 0..2, handle radius of center  Radius [m]",
            "size: vec3f = (1, 1, 1), handle box of center  Size as a fraction of the domain",
            "end: vec2f = (1, 1), handle corner of center  End [m]",
            "axis: vec3f = (0, 1, 0), handle direction",
            "light: vec3f = (0, 1, 0), handle direction of center",
            "jet: Vec = (0, 1), handle vector of center  Velocity [m/s]",
            "normal: Vec = (0, 1), handle plane of center",
            "turn: f32 = 0, handle azimuth of center  Turn [degrees]",
            "rise: f32 = 0, handle elevation of center  Rise [degrees]",
            "away: f32 = 1, handle distance of center  Distance [m]",
            "other: f32 = 1",
        ]);
        let header = parse(&text).unwrap();
        let handles: Vec<_> =
            header.params.iter().map(|p| p.handle.as_ref().map(|h| (h.role, h.of.is_some()))).collect();
        let around = |role| Some((role, true));
        let expected = [
            Some((Role::Position, false)),
            around(Role::Radius),
            around(Role::Box),
            around(Role::Corner),
            Some((Role::Direction, false)),
            around(Role::Direction),
            around(Role::Vector),
            around(Role::Plane),
            around(Role::Azimuth),
            around(Role::Elevation),
            around(Role::Distance),
            None,
        ];
        assert_eq!(handles, expected);
        assert_eq!(header.params[1].range, (Some(0.0), None), "the options beside it stay");
    }

    #[test]
    fn roles_are_the_words_of_the_language() {
        assert!(words(Kind::Role).eq(Role::ALL.map(Role::name)));
    }

    #[test]
    fn wrong_handles_are_refused_at_their_line() {
        let center = "center: Vec = (0, 0), handle position  Centre [m]";
        for (param, line, message) in [
            (
                "x: Vec = (0, 0), handle spot",
                3,
                "`handle spot`: use position, radius, box, corner, direction, vector, plane, azimuth, elevation, distance",
            ),
            ("x: f32 = 0, handle position  A place [m]", 3, "`handle position` needs vec2f, vec3f or Vec, `x` is f32"),
            ("x: color = (0, 0, 0), handle direction", 3, "`handle direction` needs vec2f, vec3f or Vec, `x` is color"),
            ("x: Vec = (0, 0), handle radius of center", 3, "`handle radius` needs f32, `x` is Vec"),
            ("x: i32 = 0, handle radius of center", 3, "`handle radius` needs f32, `x` is i32"),
            (
                "x: f32 = 0, handle radius  Radius [m]",
                3,
                "`handle radius` needs the position that it belongs to: `handle radius of NAME`",
            ),
            ("x: Vec = (0, 0), handle position of center", 3, "`handle position` stands alone; remove `of`"),
            (
                "x: f32 = 0, handle radius around center",
                3,
                "`handle radius around center`: write `handle radius` or `handle radius of NAME`",
            ),
            (
                "x: f32 = 0, handle radius of middle  Radius [m]",
                3,
                "`handle radius of middle`: there is no parameter `middle`",
            ),
            (
                "x: f32 = 0, handle radius of x  Radius [m]",
                3,
                "`handle radius of x`: give the parameter `x` the option `handle position`",
            ),
            (
                "x: f32 = 0, handle radius of center  Radius [mm]",
                3,
                "`handle radius` needs the unit [m], or none for a fraction of the domain; `x` has [mm]",
            ),
            (
                "x: f32 = 0, handle azimuth of center  Angle",
                3,
                "`handle azimuth` needs the unit [degrees]; end the documentation of `x` with it",
            ),
            (
                "x: f32 = 0, handle azimuth of center  Angle [degrees]",
                3,
                "`handle azimuth of center` needs a parameter with `handle elevation of center`",
            ),
            ("x: f32 = 0, handle radius of center, handle radius of center", 3, "`handle` is given twice; remove one"),
        ] {
            let (_, errors) = read(&header(&[center, param]));
            let found: Vec<(usize, &str)> = errors.iter().map(|error| (error.line, error.message.as_str())).collect();
            assert_eq!(found, [(line, message)], "{param}");
        }
    }
}
