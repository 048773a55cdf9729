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
    /// A fixed number in every frame.
    Fixed(u32),
    /// The smallest number that keeps each step within its bounds.
    Bounded {
        /// The greatest Courant number of a step: cells that the fastest value crosses. Decided from the frame before.
        #[serde(skip_serializing_if = "Option::is_none")]
        courant: Option<f64>,
        /// The longest time step \[s\].
        #[serde(skip_serializing_if = "Option::is_none")]
        dt: Option<f64>,
        /// The most steps of a frame.
        most: u32,
    },
}

/// Frames and bounds are rounded decimals: a frame of 1/60 s is one step of 0.01666.
const ROUNDING: f64 = 1e-3;

impl Substeps {
    /// The most steps that a frame can be divided into.
    pub const LIMIT: u32 = 256;
    /// The most steps where a bound is given without.
    pub const USUAL_MOST: u32 = 8;

    /// The most steps that a frame has.
    pub fn most(self) -> u32 {
        match self {
            Substeps::Fixed(count) => count,
            Substeps::Bounded { most, .. } => most,
        }
    }

    /// The bound of the Courant number, where there is one.
    pub fn courant(self) -> Option<f64> {
        match self {
            Substeps::Fixed(_) => None,
            Substeps::Bounded { courant, .. } => courant,
        }
    }

    /// Steps of a frame of this length \[s\], if the Courant number needs so many.
    pub fn count(self, length: f64, needed: u32) -> u32 {
        match self {
            Substeps::Fixed(count) => count.max(1),
            Substeps::Bounded { courant, dt, most } => {
                let short = dt.map_or(1.0, |dt| (length / dt - ROUNDING).ceil());
                let needed = if courant.is_some() { f64::from(needed) } else { 1.0 };
                short.max(needed).clamp(1.0, f64::from(most.max(1))) as u32
            }
        }
    }

    /// Length of every step \[s\], rounded as in a run; `None` where the flow decides.
    pub(crate) fn length(self, fps: f64) -> Option<f64> {
        let frame = (1.0 / fps) as f32;
        let step = frame / self.count(f64::from(frame), 1) as f32;
        (self.courant().is_none() && step.is_normal()).then_some(f64::from(step))
    }

    /// Steps that the Courant number needs after a frame that had `before` of them, with this number in its last step.
    pub fn needed(self, before: u32, number: f64) -> u32 {
        let needed = (number * f64::from(before) / self.courant().unwrap_or(f64::INFINITY)).ceil();
        let most = f64::from(self.most().max(1));
        // What is not a number needs the smallest steps.
        if needed.is_nan() { most as u32 } else { needed.clamp(1.0, most) as u32 }
    }

    /// Why a graph can't have it; `None` where it can.
    pub fn fault(self) -> Option<String> {
        let limit = Substeps::LIMIT;
        let positive = |value: f64| value.is_finite() && value > 0.0;
        match self {
            Substeps::Fixed(count) if !(1..=limit).contains(&count) => {
                Some(format!("a frame has {count} substeps, and 1 to {limit} are possible"))
            }
            Substeps::Bounded { most, .. } if !(1..=limit).contains(&most) => {
                Some(format!("a frame has at most {most} substeps, and 1 to {limit} are possible"))
            }
            Substeps::Bounded { courant: None, dt: None, .. } => {
                Some("substeps have neither a greatest Courant number nor a longest time step".into())
            }
            Substeps::Bounded { courant: Some(courant), .. } if !positive(courant) => {
                Some(format!("the Courant number of substeps is {courant}, and it must be above 0"))
            }
            Substeps::Bounded { dt: Some(dt), .. } if !positive(dt) => {
                Some(format!("the longest time step of substeps is {dt} s, and it must be above 0"))
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
            Substeps::Bounded { courant, dt, most } => {
                f.write_str("(")?;
                courant.iter().try_for_each(|courant| write!(f, "courant: {courant}, "))?;
                dt.iter().try_for_each(|dt| write!(f, "dt: {dt}, "))?;
                write!(f, "most: {most})")
            }
        }
    }
}

impl std::str::FromStr for Substeps {
    type Err = String;

    /// Reads what a graph file may hold: `4`, or `(courant: 0.9, dt: 0.017, most: 8)`.
    fn from_str(text: &str) -> Result<Substeps, String> {
        let wrong = |_| {
            format!(
                "`{text}` is neither a number of steps, such as 4, nor bounds, such as (courant: 0.9, dt: 0.017, most: 8)"
            )
        };
        let substeps: Substeps = ron::from_str(text).map_err(wrong)?;
        substeps.fault().map_or(Ok(substeps), Err)
    }
}

impl<'de> Deserialize<'de> for Substeps {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Substeps, D::Error> {
        struct NumberOrBound;
        impl<'de> Visitor<'de> for NumberOrBound {
            type Value = Substeps;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a number of substeps, or (courant: 0.9, dt: 0.017, most: 8)")
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
                let mut courant = None;
                let mut dt = None;
                let mut most = Substeps::USUAL_MOST;
                while let Some(FieldName(field)) = map.next_key()? {
                    match field.as_str() {
                        "courant" => courant = Some(map.next_value()?),
                        "dt" => dt = Some(map.next_value()?),
                        "most" => most = map.next_value()?,
                        other => return Err(de::Error::unknown_field(other, &["courant", "dt", "most"])),
                    }
                }
                Ok(Substeps::Bounded { courant, dt, most })
            }
        }
        deserializer.deserialize_any(NumberOrBound)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::document::Document;

    fn bounds(courant: Option<f64>, dt: Option<f64>, most: u32) -> Substeps {
        Substeps::Bounded { courant, dt, most }
    }

    #[test]
    fn all_forms_are_read_and_written() {
        for (text, substeps) in [
            ("4", Substeps::Fixed(4)),
            ("(courant: 0.5, most: 6)", bounds(Some(0.5), None, 6)),
            ("(dt: 0.017, most: 8)", bounds(None, Some(0.017), 8)),
            ("(courant: 2, dt: 0.02, most: 3)", bounds(Some(2.0), Some(0.02), 3)),
        ] {
            let document = Document::parse(&format!("(version: 1, substeps: {text}, nodes: {{}})")).unwrap();
            assert_eq!(document.substeps, substeps);
            assert!(document.to_text().contains(&format!("substeps: {text},")));
            assert_eq!(Document::parse(&document.to_text()).unwrap(), document);
            assert_eq!(text.parse(), Ok(substeps));
        }
        let plain = Document::parse("(version: 1, nodes: {})").unwrap();
        assert!(plain.substeps == Substeps::default() && !plain.to_text().contains("substeps"));
        assert_eq!("(dt: 0.1)".parse(), Ok(bounds(None, Some(0.1), Substeps::USUAL_MOST)));
    }

    #[test]
    fn what_cannot_be_is_refused_where_it_is_read_or_checked() {
        for text in ["\"4\"", "(courant: 0.5, least: 6)", "4.5", "[4]", "(courant: \"1\")"] {
            assert!(Document::parse(&format!("(version: 1, substeps: {text}, nodes: {{}})")).is_err(), "{text}");
            assert!(text.parse::<Substeps>().is_err(), "{text}");
        }
        for text in [
            "0",
            "-3",
            "257",
            "4000000000000",
            "(courant: 0)",
            "(dt: -1)",
            "(dt: inf)",
            "(most: 4)",
            "(courant: 1, most: 0)",
            "(dt: 1, most: 1000)",
        ] {
            let document = Document::parse(&format!("(version: 1, substeps: {text}, nodes: {{}})")).unwrap();
            assert!(document.substeps.fault().is_some(), "{text}");
            assert!(text.parse::<Substeps>().is_err(), "{text}");
        }
        for text in ["", "x", "0.9..8"] {
            assert!(text.parse::<Substeps>().is_err(), "{text}");
        }
    }

    #[test]
    fn a_step_crosses_no_more_than_the_bound() {
        let rule = bounds(Some(0.9), None, 8);
        for (before, number, wanted) in
            [(1, 0.4, 1), (1, 0.9, 1), (1, 1.9, 3), (4, 0.45, 2), (8, 3.0, 8), (2, f64::NAN, 8), (2, 0.0, 1)]
        {
            let next = rule.count(1.0, rule.needed(before, number));
            assert_eq!(next, wanted, "{before} {number}");
            let then = number * f64::from(before) / f64::from(next);
            assert!(number.is_nan() || next == 8 || then <= 0.9 + 1e-12);
        }
    }

    #[test]
    fn a_step_is_no_longer_than_the_bound() {
        let rule = bounds(None, Some(0.01667), 8);
        for (fps, wanted) in [(24.0, 3), (25.0, 3), (30.0, 2), (50.0, 2), (60.0, 1), (120.0, 1), (1.0, 8)] {
            assert_eq!(rule.count(f64::from((1.0 / fps) as f32), 1), wanted, "{fps}");
        }
        // The stronger of both counts.
        let both = bounds(Some(1.0), Some(0.01667), 8);
        assert_eq!([both.count(1.0 / 24.0, 5), both.count(1.0 / 24.0, 2)], [5, 3]);
    }
}
