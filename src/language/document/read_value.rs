//! Parses values: numbers, vectors, expressions, curves, gradients and keys.

use std::fmt;

use serde::de::{self, Deserialize, Deserializer, MapAccess, SeqAccess, Visitor};

use super::field_name::FieldName;
use super::{ChangeError, ParamValue};
use crate::curve::{Color as Linear, Curve, Gradient, Keyframes, color_from_hex};

impl ParamValue {
    /// Parses user input: `0.5`, `1,2`, `(1, 2)`, `512x256`, `true`, a curve, a gradient or keys as in a graph file, or an
    /// expression.
    pub fn from_text(text: &str) -> ParamValue {
        let text = text.trim();
        let inner = text.strip_prefix('(').and_then(|t| t.strip_suffix(')')).unwrap_or(text);
        let numbers =
            |separator: char| inner.split(separator).map(|p| p.trim().parse().ok()).collect::<Option<Vec<f64>>>();
        match text {
            "true" => return ParamValue::Bool(true),
            "false" => return ParamValue::Bool(false),
            _ => {}
        }
        if let Ok(number) = text.parse() {
            return ParamValue::Number(number);
        }
        if let Ok(drawn @ (ParamValue::Curve(_) | ParamValue::Gradient(_) | ParamValue::Keys(_))) =
            ParamValue::from_ron(text)
        {
            return drawn;
        }
        match numbers(',').or_else(|| numbers('x')) {
            Some(values) if values.len() > 1 => ParamValue::Vector(values),
            _ => ParamValue::Expression(text.to_string()),
        }
    }

    /// Parses a value in the notation of graph files.
    ///
    /// # Errors
    /// Why the text is invalid.
    pub fn from_ron(text: &str) -> Result<ParamValue, ChangeError> {
        ron::from_str(text).map_err(|e| ChangeError::Notation { message: e.code.to_string() })
    }
}

impl<'de> Deserialize<'de> for ParamValue {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<ParamValue, D::Error> {
        struct ParamValueVisitor;
        impl<'de> Visitor<'de> for ParamValueVisitor {
            type Value = ParamValue;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a number, (x, y, ..), true, false, an \"expression\", a curve, a gradient or (keys: [..])")
            }
            fn visit_bool<E: de::Error>(self, v: bool) -> Result<ParamValue, E> {
                Ok(ParamValue::Bool(v))
            }
            fn visit_i64<E: de::Error>(self, v: i64) -> Result<ParamValue, E> {
                Ok(ParamValue::Number(v as f64))
            }
            fn visit_u64<E: de::Error>(self, v: u64) -> Result<ParamValue, E> {
                Ok(ParamValue::Number(v as f64))
            }
            fn visit_f64<E: de::Error>(self, v: f64) -> Result<ParamValue, E> {
                Ok(ParamValue::Number(v))
            }
            fn visit_str<E: de::Error>(self, v: &str) -> Result<ParamValue, E> {
                Ok(ParamValue::Expression(v.to_string()))
            }
            fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<ParamValue, A::Error> {
                let mut items = Vec::new();
                while let Some(item) = seq.next_element()? {
                    items.push(item);
                }
                list(&items).map_err(de::Error::custom)
            }
            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<ParamValue, A::Error> {
                let (mut keys, mut expr) = (None, None);
                while let Some(FieldName(field)) = map.next_key()? {
                    match field.as_str() {
                        "keys" if keys.is_none() => keys = Some(map.next_value()?),
                        "expr" if expr.is_none() => expr = Some(map.next_value()?),
                        "keys" | "expr" => {
                            return Err(de::Error::custom(format!("field `{field}` is given twice")));
                        }
                        _ => return Err(de::Error::custom(format!("`{field}` is no field of keys; {KEYS}"))),
                    }
                }
                let keys = keys.ok_or_else(|| de::Error::custom(format!("`keys` is missing; {KEYS}")))?;
                Ok(ParamValue::Keys(Keyframes { keys, expr }))
            }
        }
        deserializer.deserialize_any(ParamValueVisitor)
    }
}

/// An item of a list: a number, a point or a stop.
enum Item {
    Number(f64),
    Text(String),
    List(Vec<Item>),
}

impl<'de> Deserialize<'de> for Item {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Item, D::Error> {
        struct AnyItem;
        impl<'de> Visitor<'de> for AnyItem {
            type Value = Item;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a number, (t, value) or (t, \"#rrggbb\")")
            }
            fn visit_i64<E: de::Error>(self, v: i64) -> Result<Item, E> {
                Ok(Item::Number(v as f64))
            }
            fn visit_u64<E: de::Error>(self, v: u64) -> Result<Item, E> {
                Ok(Item::Number(v as f64))
            }
            fn visit_f64<E: de::Error>(self, v: f64) -> Result<Item, E> {
                Ok(Item::Number(v))
            }
            fn visit_str<E: de::Error>(self, v: &str) -> Result<Item, E> {
                Ok(Item::Text(v.to_string()))
            }
            fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<Item, A::Error> {
                let mut items = Vec::new();
                while let Some(item) = seq.next_element()? {
                    items.push(item);
                }
                Ok(Item::List(items))
            }
        }
        deserializer.deserialize_any(AnyItem)
    }
}

/// A vector of numbers, or a curve or a gradient, depending on its first item.
fn list(items: &[Item]) -> Result<ParamValue, String> {
    match items {
        [Item::List(first), ..] => match first.as_slice() {
            [_, Item::Number(_)] => items.iter().map(point).collect::<Result<_, _>>().map(curve),
            _ => items.iter().map(stop).collect::<Result<_, _>>().map(gradient),
        },
        _ => items.iter().map(number).collect::<Result<_, _>>().map(ParamValue::Vector),
    }
}

fn curve(points: Vec<(f64, f64)>) -> ParamValue {
    ParamValue::Curve(Curve { points })
}

fn gradient(stops: Vec<(f64, Linear)>) -> ParamValue {
    ParamValue::Gradient(Gradient { stops })
}

fn number(item: &Item) -> Result<f64, String> {
    match item {
        Item::Number(value) => Ok(*value),
        Item::Text(text) => Err(format!("expected a number, found `{text}`")),
        Item::List(_) => Err("expected a number, found a list".into()),
    }
}

fn point(item: &Item) -> Result<(f64, f64), String> {
    let Item::List(parts) = item else { return Err(POINT.into()) };
    let [t, value] = parts.as_slice() else { return Err(POINT.into()) };
    Ok((number(t)?, number(value)?))
}

fn stop(item: &Item) -> Result<(f64, Linear), String> {
    let Item::List(parts) = item else { return Err(STOP.into()) };
    let [t, color] = parts.as_slice() else { return Err(STOP.into()) };
    let t = number(t)?;
    let color = match color {
        Item::Text(text) => {
            color_from_hex(text).ok_or_else(|| format!("`{text}` is not a colour (\"#rrggbb\" or \"#rrggbbaa\")"))?
        }
        Item::List(parts) => match parts.as_slice() {
            [r, g, b] => [number(r)?, number(g)?, number(b)?, 1.0],
            [r, g, b, a] => [number(r)?, number(g)?, number(b)?, number(a)?],
            _ => return Err(STOP.into()),
        },
        Item::Number(_) => return Err(STOP.into()),
    };
    Ok((t, color))
}

const KEYS: &str = "they have the form (keys: [(frame, value), ..], expr: \"keys * 2\")";
const POINT: &str = "a point of a curve has the form (t, value)";
const STOP: &str =
    "a point of a curve has the form (t, value), a stop of a gradient (t, \"#rrggbb\") or (t, (r, g, b, a))";

/// Cells along each axis, from one value.
pub(super) fn cells(value: &ParamValue) -> Vec<ParamValue> {
    match value {
        ParamValue::Vector(cells) => cells.iter().copied().map(ParamValue::Number).collect(),
        ParamValue::Expression(text) => parts(text),
        one => vec![one.clone()],
    }
}

/// Splits at commas outside brackets, and parses each part as user input.
pub(super) fn parts(text: &str) -> Vec<ParamValue> {
    let mut depth = 0;
    let between = |c: char| {
        depth += i32::from(matches!(c, '(' | '[' | '{')) - i32::from(matches!(c, ')' | ']' | '}'));
        c == ',' && depth == 0
    };
    text.split(between).map(ParamValue::from_text).collect()
}
