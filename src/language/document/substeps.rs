//! Steps that a frame is divided into.

use std::fmt;

use serde::de::{self, MapAccess, Visitor};
use serde::{Deserialize, Deserializer, Serialize};

use super::field_name::FieldName;

/// Steps that a frame is divided into. All stages run in each step, with a time step that is as much shorter.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
#[serde(untagged)]
#[non_exhaustive]
pub enum Substeps {
    /// So many in every frame.
    Fixed(u32),
    /// As many as keep the Courant number of a step below a bound, which is decided from the frame before.
    Courant {
        /// The greatest Courant number of a step: cells that the fastest value crosses.
        courant: f64,
        /// The most steps of a frame.
        most: u32,
    },
}

impl Substeps {
    /// The most steps that a frame can be divided into.
    pub const LIMIT: u32 = 256;

    /// The most steps that a frame has.
    pub fn most(self) -> u32 {
        match self {
            Substeps::Fixed(count) => count,
            Substeps::Courant { most, .. } => most,
        }
    }

    /// Steps of a frame after one that had `before` of them with this Courant number in its last step.
    pub fn after(self, before: u32, number: f64) -> u32 {
        match self {
            Substeps::Fixed(count) => count,
            // What is not a number needs the smallest steps.
            Substeps::Courant { courant, most } => {
                let needed = (number * f64::from(before) / courant).ceil();
                if needed.is_nan() { most } else { needed.clamp(1.0, f64::from(most)) as u32 }
            }
        }
    }

    /// Why a graph can't have it; `None` where it can.
    pub fn fault(self) -> Option<String> {
        let limit = Substeps::LIMIT;
        match self {
            Substeps::Fixed(count) if !(1..=limit).contains(&count) => {
                Some(format!("a frame has {count} substeps, and 1 to {limit} are possible"))
            }
            Substeps::Courant { most, .. } if !(1..=limit).contains(&most) => {
                Some(format!("a frame has at most {most} substeps, and 1 to {limit} are possible"))
            }
            Substeps::Courant { courant, .. } if !(courant.is_finite() && courant > 0.0) => {
                Some(format!("the Courant number of substeps is {courant}, and it must be above 0"))
            }
            _ => None,
        }
    }
}

impl Default for Substeps {
    fn default() -> Self {
        Substeps::Fixed(1)
    }
}

impl fmt::Display for Substeps {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Substeps::Fixed(count) => write!(f, "{count}"),
            Substeps::Courant { courant, most } => write!(f, "(courant: {courant}, most: {most})"),
        }
    }
}

impl std::str::FromStr for Substeps {
    type Err = String;

    /// Reads `4`, or `0.9..8`: as many as keep the Courant number below .9, at most 8.
    fn from_str(text: &str) -> Result<Substeps, String> {
        let wrong = || {
            format!(
                "`{text}` is neither a number of steps such as 4 nor a Courant number and the most steps such as 0.9..8"
            )
        };
        let substeps = match text.split_once("..") {
            None => Substeps::Fixed(text.trim().parse().map_err(|_| wrong())?),
            Some((courant, most)) => Substeps::Courant {
                courant: courant.trim().parse().map_err(|_| wrong())?,
                most: most.trim().parse().map_err(|_| wrong())?,
            },
        };
        substeps.fault().map_or(Ok(substeps), Err)
    }
}

impl<'de> Deserialize<'de> for Substeps {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Substeps, D::Error> {
        struct NumberOrBound;
        impl<'de> Visitor<'de> for NumberOrBound {
            type Value = Substeps;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a number of substeps, or (courant: 0.9, most: 8)")
            }
            fn visit_u64<E: de::Error>(self, count: u64) -> Result<Substeps, E> {
                Ok(Substeps::Fixed(u32::try_from(count).unwrap_or(u32::MAX)))
            }
            fn visit_i64<E: de::Error>(self, count: i64) -> Result<Substeps, E> {
                self.visit_u64(u64::try_from(count).unwrap_or(0))
            }
            fn visit_f64<E: de::Error>(self, count: f64) -> Result<Substeps, E> {
                // The editor writes whole numbers as it writes others.
                if count.fract() == 0.0 {
                    self.visit_u64(count as u64)
                } else {
                    Err(E::custom(format!("{count} is no whole number of substeps")))
                }
            }
            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Substeps, A::Error> {
                let (mut courant, mut most) = (1.0, 8);
                while let Some(FieldName(field)) = map.next_key()? {
                    match field.as_str() {
                        "courant" => courant = map.next_value()?,
                        "most" => most = map.next_value()?,
                        other => return Err(de::Error::unknown_field(other, &["courant", "most"])),
                    }
                }
                Ok(Substeps::Courant { courant, most })
            }
        }
        deserializer.deserialize_any(NumberOrBound)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::document::Document;

    #[test]
    fn both_forms_are_read_and_written() {
        for (text, substeps) in
            [("4", Substeps::Fixed(4)), ("(courant: 0.5, most: 6)", Substeps::Courant { courant: 0.5, most: 6 })]
        {
            let document = Document::parse(&format!("(version: 1, substeps: {text}, nodes: {{}})")).unwrap();
            assert_eq!(document.substeps, substeps);
            assert!(document.to_text().contains(&format!("substeps: {text},")));
            assert_eq!(Document::parse(&document.to_text()).unwrap(), document);
        }
        let plain = Document::parse("(version: 1, nodes: {})").unwrap();
        assert!(plain.substeps == Substeps::default() && !plain.to_text().contains("substeps"));
    }

    #[test]
    fn what_cannot_be_is_refused_where_it_is_read_or_checked() {
        for text in ["\"4\"", "(courant: 0.5, least: 6)", "4.5", "[4]"] {
            assert!(Document::parse(&format!("(version: 1, substeps: {text}, nodes: {{}})")).is_err(), "{text}");
        }
        for text in
            ["0", "-3", "257", "4000000000000", "(courant: 0)", "(courant: 1, most: 0)", "(courant: 1, most: 1000)"]
        {
            let document = Document::parse(&format!("(version: 1, substeps: {text}, nodes: {{}})")).unwrap();
            assert!(document.substeps.fault().is_some(), "{text}");
        }
        for text in ["", "0", "x..8", "0.9..", "0.9..0", "-1..8", "nan..8"] {
            assert!(text.parse::<Substeps>().is_err(), "{text}");
        }
        assert_eq!("0.9..8".parse(), Ok(Substeps::Courant { courant: 0.9, most: 8 }));
    }

    #[test]
    fn a_step_crosses_no_more_than_the_bound() {
        let rule = Substeps::Courant { courant: 0.9, most: 8 };
        for (before, number, wanted) in
            [(1, 0.4, 1), (1, 0.9, 1), (1, 1.9, 3), (4, 0.45, 2), (8, 3.0, 8), (2, f64::NAN, 8), (2, 0.0, 1)]
        {
            let next = rule.after(before, number);
            assert_eq!(next, wanted, "{before} {number}");
            let then = number * f64::from(before) / f64::from(next);
            assert!(number.is_nan() || next == 8 || then <= 0.9 + 1e-12);
        }
    }
}
