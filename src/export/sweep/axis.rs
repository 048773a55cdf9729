//! The values of a parameter, as typed: `jet.rate=10..60:6`, `pressure.iterations=10,20,40`.

use serde_json::{Number, Value};

use crate::document::{Document, ParamValue, choose_named};

/// The most values of a range.
const MAX_VALUES: u64 = 10_000;
/// Digits of a value of a range, which are those of an `f32`, and of one that is drawn at random.
const DIGITS: usize = 7;
const DRAWN_DIGITS: usize = 4;
/// The name under which the seed of the graph varies.
const SEED: &str = "seed";
/// The name under which the variant of the graph varies.
pub(super) const VARIANT: &str = "variant";

/// A parameter and the values that it takes.
#[derive(Clone, Debug, PartialEq)]
pub struct Axis {
    /// The parameter, as `node.param`; also `seed` and `variant`.
    pub name: String,
    /// Values that the parameter takes.
    pub values: Values,
}

/// The values of a parameter.
#[derive(Clone, Debug, PartialEq)]
pub enum Values {
    /// A list of values.
    List(Vec<Value>),
    /// Numbers, or vectors component by component, between two ends.
    Range(Range),
}

/// Numbers between two ends, which are included.
#[derive(Clone, Debug, PartialEq)]
pub struct Range {
    low: Vec<f64>,
    high: Vec<f64>,
    /// The number of values; without it, all of them may be drawn.
    count: Option<u64>,
    /// Steps are equal factors instead of equal differences.
    log: bool,
    /// The parameter takes whole numbers alone.
    whole: bool,
}

impl Axis {
    /// # Errors
    /// Why it can't be read, in one sentence.
    pub fn parse(text: &str) -> Result<Axis, String> {
        let example = "for example jet.rate=10..60:6 or pressure.iterations=10,20,40";
        let (name, values) =
            text.split_once('=').ok_or_else(|| format!("`{text}`: write NODE.PARAM=VALUES, {example}"))?;
        let (name, values) = (name.trim(), values.trim());
        if values.is_empty() || !(name.contains('.') || [SEED, VARIANT].contains(&name)) {
            return Err(format!("`{text}`: write NODE.PARAM=VALUES, {example}; also seed=.. and variant=.."));
        }
        let values = match values.split_once("..") {
            Some((low, rest)) => Values::Range(Range::parse(low, rest).map_err(|cause| format!("`{text}`: {cause}"))?),
            None => Values::List(parts(values).into_iter().map(|part| stored(name, part)).collect()),
        };
        if let Values::List(list) = &values
            && let Some(twice) =
                list.iter().enumerate().find(|(at, one)| list.iter().take(*at).any(|other| other == *one))
        {
            return Err(format!("`{text}`: {} is there twice; leave one out", text_of(twice.1)));
        }
        Ok(Axis { name: name.into(), values })
    }

    /// All values of the parameter.
    ///
    /// # Errors
    /// A range without a number of values, or with more than the parameter has.
    pub fn all(&self) -> Result<Vec<Value>, String> {
        let name = &self.name;
        match &self.values {
            Values::List(values) => Ok(values.clone()),
            Values::Range(range) => {
                let count = range.count.ok_or_else(|| {
                    format!(
                        "{name}: the range has no number of values; write for example {name}={}:5, or choose random points with --random N",
                        range.ends()
                    )
                })?;
                let share = |index: u64| if count < 2 { 0.0 } else { index as f64 / (count - 1) as f64 };
                let values: Vec<Value> = (0..count).map(|index| range.interpolate(|_| share(index), DIGITS)).collect();
                let twice = values.iter().zip(values.iter().skip(1)).any(|(one, next)| one == next);
                if twice {
                    return Err(format!(
                        "{name}: {} has fewer than {count} different values; ask for fewer",
                        range.ends()
                    ));
                }
                Ok(values)
            }
        }
    }

    /// Random numbers that a value takes.
    pub(super) fn dimensions(&self) -> usize {
        match &self.values {
            Values::List(_) => 1,
            Values::Range(range) if range.count.is_some() => 1,
            Values::Range(range) => range.low.len(),
        }
    }

    /// The value for random numbers in 0..1, one for each of the dimensions.
    ///
    /// # Errors
    /// As [`Axis::all`].
    pub(super) fn drawn(&self, random: &[f64]) -> Result<Value, String> {
        let number = |at: usize| random.get(at).copied().unwrap_or(0.0);
        if let Values::Range(range) = &self.values
            && range.count.is_none()
        {
            return Ok(range.interpolate(number, DRAWN_DIGITS));
        }
        let all = self.all()?;
        let at = (number(0) * all.len() as f64) as usize;
        Ok(all.get(at.min(all.len().saturating_sub(1))).cloned().unwrap_or_default())
    }

    /// Rounds values of a range where `takes` accepts whole numbers alone. It is asked for a value.
    pub(super) fn round_to_whole(&mut self, takes: impl Fn(&Value) -> bool) {
        if let Values::Range(range) = &mut self.values {
            let takes = |part: fn(f64) -> f64| takes(&value(&range.low.iter().map(|n| part(*n)).collect::<Vec<_>>()));
            range.whole = !takes(|number| number.floor() + 0.5) && takes(f64::round);
        }
    }
}

impl Range {
    fn parse(low: &str, rest: &str) -> Result<Range, String> {
        let mut parts = rest.split(':');
        let numbers = |text: &str| match ParamValue::from_text(text) {
            ParamValue::Number(number) if number.is_finite() => Ok(vec![number]),
            ParamValue::Vector(numbers) if numbers.iter().all(|number| number.is_finite()) => Ok(numbers),
            _ => Err(format!("`{text}` is not a number; write LOW..HIGH:COUNT, for example 10..60:6")),
        };
        let (low, high) = (numbers(low)?, numbers(parts.next().unwrap_or_default())?);
        let mut range = Range { low, high, count: None, log: false, whole: false };
        for part in parts {
            match part.trim() {
                "log" => range.log = true,
                number => {
                    let count = number.parse().ok().filter(|count| (1..=MAX_VALUES).contains(count));
                    range.count = Some(
                        count.ok_or_else(|| format!("`{number}` is not a number of values from 1 to {MAX_VALUES}"))?,
                    );
                }
            }
        }
        if range.low.len() != range.high.len() {
            return Err("both ends need as many components".into());
        }
        if range.log && range.low.iter().chain(&range.high).any(|number| *number <= 0.0) {
            return Err("a range with :log needs ends above 0".into());
        }
        Ok(range)
    }

    fn ends(&self) -> String {
        format!("{}..{}", text_of(&value(&self.low)), text_of(&value(&self.high)))
    }

    /// The value at a share of the way from the low end to the high one; each component has its own.
    fn interpolate(&self, share: impl Fn(usize) -> f64, digits: usize) -> Value {
        let component = |(at, (low, high)): (usize, (&f64, &f64))| {
            let t = share(at);
            let number = if self.log { low * (high / low).powf(t) } else { low + (high - low) * t };
            if self.whole { number.round() } else { tidy(number, digits) }
        };
        value(&self.low.iter().zip(&self.high).enumerate().map(component).collect::<Vec<f64>>())
    }
}

/// A number with so many digits: 0.3 instead of 0.30000000000000004.
fn tidy(number: f64, digits: usize) -> f64 {
    format!("{number:.*e}", digits - 1).parse().unwrap_or(number)
}

/// Splits at commas outside brackets.
fn parts(text: &str) -> Vec<&str> {
    let mut depth = 0;
    let between = |c: char| {
        depth += i32::from(matches!(c, '(' | '[' | '{')) - i32::from(matches!(c, ')' | ']' | '}'));
        c == ',' && depth == 0
    };
    text.split(between).map(str::trim).collect()
}

/// A value as it is typed, as JSON: a number, a list of numbers, or text.
fn stored(name: &str, text: &str) -> Value {
    match ParamValue::from_text(text) {
        _ if name == VARIANT => Value::from(text),
        ParamValue::Number(number) if number.is_finite() => value(&[number]),
        // Text where it was typed as 256x256.
        ParamValue::Vector(numbers) if text.starts_with('(') => value(&numbers),
        _ => Value::from(text),
    }
}

/// Numbers as JSON: whole ones without a point.
pub(super) fn value(numbers: &[f64]) -> Value {
    let one = |number: &f64| {
        let whole = number.fract() == 0.0 && number.abs() < 1e15;
        let number = if whole { Some(Number::from(*number as i64)) } else { Number::from_f64(*number) };
        number.map_or(Value::Null, Value::Number)
    };
    match numbers {
        [only] => one(only),
        many => Value::Array(many.iter().map(one).collect()),
    }
}

/// A value as it is typed.
pub fn text_of(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        Value::Array(parts) => format!("({})", parts.iter().map(text_of).collect::<Vec<_>>().join(",")),
        other => other.to_string(),
    }
}

/// A value as a graph takes it.
pub fn param_of(value: &Value) -> ParamValue {
    ParamValue::from_text(&text_of(value))
}

/// Gives a graph a value.
///
/// # Errors
/// Why it does not have it, in one sentence.
pub fn apply(document: &mut Document, name: &str, value: &Value) -> Result<(), String> {
    match (name, value) {
        (SEED, value) => {
            let seed = value.as_u64().and_then(|seed| u32::try_from(seed).ok());
            document.seed = seed.ok_or("the seed is a whole number from 0 to 4294967295")?;
            Ok(())
        }
        (VARIANT, value) => choose_named(document, &text_of(value)).map_err(|problems| problems.to_string()),
        (name, value) => {
            let (node, param) = name.rsplit_once('.').ok_or("name the node and the parameter, for example jet.rate")?;
            document.set(node, param, param_of(value)).map_err(String::from)
        }
    }
}

/// The order in which values are given: a variant may set what others set too.
pub(super) fn comes_first(name: &str) -> bool {
    name == VARIANT
}

#[cfg(test)]
mod tests {
    use super::*;

    fn all(text: &str) -> String {
        let values = Axis::parse(text).and_then(|axis| axis.all());
        values.map_or_else(|error| error, |values| values.iter().map(text_of).collect::<Vec<_>>().join(" "))
    }

    #[test]
    fn ranges_and_lists_are_read() {
        assert_eq!(all("a.b=10..60:6"), "10 20 30 40 50 60");
        assert_eq!(all("a.b=0..1:11"), "0 0.1 0.2 0.3 0.4 0.5 0.6 0.7 0.8 0.9 1");
        assert_eq!(all("a.b=0.001..1:4:log"), "0.001 0.01 0.1 1");
        assert_eq!(all("g/a.b=(0,1)..(1,0):3"), "(0,1) (0.5,0.5) (1,0)");
        assert_eq!(all("a.b=3..3:1"), "3");
        assert_eq!(all("domain.resolution=64x64, 128x128"), "64x64 128x128");
        assert_eq!(all("a.b=(0, 1),(1, 0)"), "(0,1) (1,0)");
        assert_eq!(all("a.b=[sin(time), 1],2"), "[sin(time), 1] 2");
        assert_eq!(all("variant=default,article"), "default article");
        assert_eq!(all("seed=1..3:3"), "1 2 3");
    }

    #[test]
    fn what_cannot_be_read_is_said() {
        for (text, cause) in [
            ("jet", "write NODE.PARAM=VALUES"),
            ("jet=1,2", "write NODE.PARAM=VALUES"),
            ("a.b=", "write NODE.PARAM=VALUES"),
            ("a.b=1..2", "no number of values; write for example a.b=1..2:5"),
            ("a.b=1..x:3", "`x` is not a number"),
            ("a.b=1..2:0", "`0` is not a number of values"),
            ("a.b=1..(1,2):3", "as many components"),
            ("a.b=0..1:3:log", "ends above 0"),
            ("a.b=1,2,1", "1 is there twice"),
            ("a.b=1..1:2", "fewer than 2 different values"),
        ] {
            assert!(all(text).contains(cause), "{text}: {}", all(text));
        }
    }

    #[test]
    fn a_range_of_whole_numbers_is_rounded() {
        let mut axis = Axis::parse("a.iterations=10..40:5").unwrap();
        axis.round_to_whole(|value| value.is_i64());
        assert_eq!(axis.all().unwrap(), [10, 18, 25, 33, 40]);
        let drawn = axis.drawn(&[0.99]).unwrap();
        assert_eq!(drawn, 40);
        let mut axis = Axis::parse("a.rate=10..40:5").unwrap();
        axis.round_to_whole(|_| true);
        assert_eq!(text_of(&axis.all().unwrap()[1]), "17.5");
    }
}
