//! Remedies for errors in expressions.

use super::error::ExprError;
use super::functions::TABLE;
use crate::spelling::close_names;

/// The beginning of a message, and its remedy.
const HELP: &[(&str, &str)] = &[
    ("a number is missing", "write a number, a name or a bracket there"),
    ("this bracket has no matching", "close it"),
    ("no bracket is open", "remove it, or open the bracket before"),
    ("an operator or a comma is missing", "write an operator such as + or *, or a comma in a list"),
    ("this number is too large", "write a number below 1.8e308"),
    ("brackets nest deeper", "move parts of it to number nodes"),
    ("after a vector", "write .x, .y, .z or .w"),
    ("a vector of", "use a component that it has, or give all vectors the same length"),
    (".x .y .z .w are parts", "leave the component out"),
    ("braces only follow", "write if a > b { x } else { y }"),
    ("this `else` has no `if`", "write if a > b { x } else { y }"),
    ("after `else` comes", "write if a > b { x } else { y }"),
    ("an `if` needs", "add the branch behind `else`"),
    ("a condition such as", "compare two numbers there"),
    ("take a part of a vector", "write v.x in place of v[0]"),
    ("this number has no value", "correct the number that it names"),
    ("an expression has no comments", "put the comment on the node"),
    ("an expression has no text", "remove the quotes"),
    ("the result needs", "write a vector as [1, 2], of at most 4 numbers"),
];

impl ExprError {
    /// The cause and the remedy, each a sentence.
    pub fn cause_and_help(&self) -> (String, String) {
        let (message, end) = match self {
            ExprError::Text { place, message } => (message.clone(), place.map(|p| format!(" ({p})"))),
            ExprError::Domain { place, message, time } => {
                let end = format!(" at time {time} s{}", place.map(|p| format!(" ({p})")).unwrap_or_default());
                (message.trim_end_matches(',').to_string(), Some(end))
            }
            ExprError::NotFinite { .. } => {
                let help = "keep divisors from zero, for example with max(x, 1e-6), and roots and logarithms from negative numbers";
                return (self.to_string(), help.into());
            }
            ExprError::TooLong(_) => return (self.to_string(), "move parts of it to number nodes".into()),
            ExprError::Empty => ("the expression is empty; write a number such as 0.5".into(), None),
        };
        let (cause, remedy) = message.split_once("; ").map_or((message.as_str(), None), |(a, b)| (a, Some(b)));
        let end = end.unwrap_or_default();
        // In this message the remedy comes first.
        if let Some(arguments) = remedy.and_then(|remedy| remedy.strip_prefix("here it has ")) {
            return (format!("the arguments {arguments} do not fit{end}"), cause.to_string());
        }
        let help = match (nearest(cause, remedy.unwrap_or_default()), remedy) {
            (Some(near), Some(remedy)) => format!("{near} T{}", remedy.strip_prefix('t').unwrap_or(remedy)),
            (Some(near), None) => near,
            (None, Some(remedy)) => remedy.to_string(),
            (None, None) => general(cause),
        };
        (format!("{cause}{end}"), help)
    }
}

/// The similar name, if there is one. `remedy` is the list of variables in a message.
fn nearest(cause: &str, remedy: &str) -> Option<String> {
    let quoted = |start: &str| cause.strip_prefix(start)?.strip_suffix('`');
    if let Some(name) = quoted("there is no variable `") {
        let listed = remedy.strip_prefix("there are ").unwrap_or_default();
        let variables = listed.split(", ").flat_map(|part| part.split(" and "));
        let close = close_names(name, variables);
        return close.first().map(|close| format!("did you mean `{close}`?"));
    }
    let name = quoted("there is no function `")?;
    let functions = || TABLE.iter().map(|(usage, _)| usage.split('(').next().unwrap_or(usage));
    let close = close_names(name, functions());
    let usage = close.first().and_then(|close| TABLE.iter().find(|(u, _)| u.split('(').next() == Some(close)));
    Some(match usage {
        Some((usage, _)) => format!("did you mean {usage}?"),
        None => format!("there are {}", functions().collect::<Vec<_>>().join(", ")),
    })
}

fn general(cause: &str) -> String {
    let advice = HELP.iter().find(|(begin, _)| cause.starts_with(begin)).map(|(_, help)| *help);
    advice.unwrap_or("write numbers, names and functions, for example 0.5 + 0.1 * sin(tau * time)").to_string()
}

#[cfg(test)]
mod tests {
    use super::super::Expression;

    #[test]
    fn help_names_what_was_meant() {
        let help = |text: &str| Expression::parse(text).unwrap_err().cause_and_help();
        let (cause, remedy) = help("sin(tyme)");
        assert_eq!(cause, "there is no variable `tyme` (column 5)");
        assert!(remedy.starts_with("did you mean `time`? There are time, dt"), "{remedy}");
        assert_eq!(help("sine(3)"), ("there is no function `sine` (column 1)".into(), "did you mean sin(x)?".into()));
        assert_eq!(
            help("sin(1, 2)"),
            ("the arguments (number, number) do not fit (column 1)".into(), "write it as sin(x)".into())
        );
        assert_eq!(help("1 / 0").0, "the expression gives inf at time 0 s");
        assert_eq!(help("").1, "write a number such as 0.5");
        for text in ["1 +", "(1", "1 2", "2 * é", "mouse[0]", "1e999", "if time > 0 { 1 }", "frame = 3", "qqqqq(1)"] {
            let (cause, remedy) = help(text);
            assert!(!cause.is_empty() && !remedy.is_empty() && !remedy.contains("correct the expression"), "{text}");
        }
    }
}
