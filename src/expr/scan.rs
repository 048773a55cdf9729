//! The scan of an expression's text: what may stand where, and its spelling for rhai.

use super::names::{reserved, spelled};
use super::{ExprError, LISTED, MAX_BRACKETS, MAX_TEXT, Numbers, Place, STATEMENTS, VARIABLES, usage_of};

/// What stood before the token that is read.
#[derive(Clone, Copy, PartialEq)]
enum Before {
    /// Nothing, an operator, an opening bracket or a comma: an operand must follow.
    Operator,
    /// The name of a function: only its `(` may follow.
    Function,
    Operand,
}

struct Bracket {
    close: u8,
    at: usize,
    /// A unary minus stands before the operand that is read inside of the bracket.
    negated: bool,
}

pub(super) struct Scanner<'a> {
    text: &'a str,
    known: &'a Numbers,
    at: usize,
    before: Before,
    brackets: Vec<Bracket>,
    /// `if`s without their `else` so far.
    open_ifs: Vec<usize>,
    out: Scan,
}

#[derive(Default)]
pub(super) struct Scan {
    pub(super) source: String,
    pub(super) places: Vec<(usize, usize)>,
    pub(super) variables: Vec<&'static str>,
    pub(super) numbers: Vec<String>,
}

impl<'a> Scanner<'a> {
    pub(super) fn scan(text: &'a str, known: &'a Numbers) -> Result<Scan, ExprError> {
        if text.trim().is_empty() {
            return Err(ExprError::Empty);
        }
        if text.len() > MAX_TEXT {
            return Err(ExprError::TooLong(text.len()));
        }
        let brackets = vec![Bracket { close: 0, at: 0, negated: false }];
        let (before, open_ifs, out) = (Before::Operator, Vec::new(), Scan::default());
        let mut scanner = Scanner { text, known, at: 0, before, brackets, open_ifs, out };
        while let Some(byte) = scanner.peek(0) {
            scanner.token(byte)?;
        }
        if let [_, .., open] = scanner.brackets.as_slice() {
            return Err(scanner.error(open.at, format!("this bracket lacks its `{}`", char::from(open.close))));
        }
        if let Some(&at) = scanner.open_ifs.first() {
            return Err(scanner.error(at, "an `if` needs an `else`: if a > b { x } else { y }"));
        }
        if scanner.before == Before::Operator {
            return Err(scanner.error(text.trim_end().len(), "a number is missing at the end"));
        }
        Ok(scanner.out)
    }

    fn peek(&self, ahead: usize) -> Option<u8> {
        self.text.as_bytes().get(self.at + ahead).copied()
    }

    fn error(&self, at: usize, message: impl Into<String>) -> ExprError {
        ExprError::Text { place: Some(Place::of(self.text, at)), message: message.into() }
    }

    /// Appends `spelled` for the token of `len` bytes.
    fn emit(&mut self, spelled: &str, len: usize) {
        self.out.places.push((self.out.source.len(), self.at));
        self.out.source.push_str(spelled);
        self.at += len;
    }

    fn name_at(&self, at: usize) -> &'a str {
        let rest = self.text.get(at..).unwrap_or("");
        let end = rest.find(|c: char| !c.is_ascii_alphanumeric() && c != '_').unwrap_or(rest.len());
        rest.get(..end).unwrap_or("")
    }

    fn token(&mut self, byte: u8) -> Result<(), ExprError> {
        match byte {
            _ if byte.is_ascii_whitespace() => {
                self.out.source.push(' ');
                self.at += 1;
                Ok(())
            }
            b'0'..=b'9' => self.number(),
            b'.' if self.before != Before::Operand && self.peek(1).is_some_and(|b| b.is_ascii_digit()) => self.number(),
            b'.' => self.component(),
            b'a'..=b'z' | b'A'..=b'Z' | b'_' => self.word(),
            b'(' | b'[' | b'{' => self.open(byte),
            b')' | b']' | b'}' => self.close(byte),
            _ => self.operator(byte),
        }
    }

    fn operand_may_start(&self) -> Result<(), ExprError> {
        match self.before {
            Before::Operand => Err(self.error(self.at, "an operator or a comma is missing here")),
            _ => Ok(()),
        }
    }

    fn number(&mut self) -> Result<(), ExprError> {
        self.operand_may_start()?;
        let bytes = self.text.as_bytes();
        let is = |at: usize, wanted: &[u8]| bytes.get(at).is_some_and(|byte| wanted.contains(byte));
        let past_digits = |from: usize| (from..).find(|&at| !is(at, b"0123456789")).unwrap_or(from);
        let mut end = past_digits(self.at);
        if is(end, b".") {
            end = past_digits(end + 1);
        }
        if is(end, b"eE") {
            let exponent = end + 1 + usize::from(is(end + 1, b"+-"));
            // Without digits the `e` begins a name.
            end = Some(past_digits(exponent)).filter(|&past| past > exponent).unwrap_or(end);
        }
        let written = self.text.get(self.at..end).unwrap_or("");
        if !self.name_at(end).is_empty() {
            return Err(self.error(self.at, format!("`{written:.32}` runs into a name; write `*` between them")));
        }
        match written.parse::<f64>() {
            Ok(value) if value.is_finite() => self.emit(&format!("{value:?}"), written.len()),
            _ => return Err(self.error(self.at, "this number is too large")),
        }
        self.before = Before::Operand;
        Ok(())
    }

    fn component(&mut self) -> Result<(), ExprError> {
        let name = self.name_at(self.at + 1);
        if self.before != Before::Operand || !matches!(name, "x" | "y" | "z" | "w") {
            return Err(self.error(self.at, "after a vector and `.` comes x, y, z or w"));
        }
        self.emit(&format!(".{name}"), 2);
        Ok(())
    }

    fn word(&mut self) -> Result<(), ExprError> {
        let name = self.name_at(self.at);
        if name == "else" && self.open_ifs.pop().is_none() {
            return Err(self.error(self.at, "this `else` has no `if`"));
        }
        if name != "else" {
            self.operand_may_start()?;
        }
        let rest = self.text.get(self.at + name.len()..).unwrap_or("");
        let mut written = name.to_string();
        self.before = match name {
            "if" | "else" => Before::Operator,
            _ if rest.trim_start().starts_with('(') => Before::Function,
            _ => Before::Operand,
        };
        match name {
            "if" => self.open_ifs.push(self.at),
            "else" | "true" | "false" => (),
            _ if self.before == Before::Function && usage_of(name).is_none() => {
                let message = match self.known.contains_key(name) {
                    true => format!("`{name:.32}` is a number; write `*` between it and the bracket"),
                    false => format!("there is no function `{name:.32}`"),
                };
                return Err(self.error(self.at, message));
            }
            "random" if self.before == Before::Function => self.uses("seed"),
            _ if self.before == Before::Function => (),
            "pi" => written = format!("{:?}", std::f64::consts::PI),
            "tau" => written = format!("{:?}", std::f64::consts::TAU),
            _ => match VARIABLES.iter().find(|&&known| known == name) {
                Some(known) => self.uses(known),
                None if self.known.contains_key(name) && !reserved(name) => written = self.named(name),
                None => return Err(self.error(self.at, unknown_name(name, self.known))),
            },
        }
        self.emit(&written, name.len());
        Ok(())
    }

    fn uses(&mut self, variable: &'static str) {
        if !self.out.variables.contains(&variable) {
            self.out.variables.push(variable);
        }
    }

    /// Notes a number, and gives its name for rhai.
    fn named(&mut self, number: &str) -> String {
        let known = self.out.numbers.iter().position(|name| name == number);
        spelled(known.unwrap_or_else(|| {
            self.out.numbers.push(number.to_string());
            self.out.numbers.len() - 1
        }))
    }

    fn open(&mut self, byte: u8) -> Result<(), ExprError> {
        match (byte, self.before) {
            (b'{', Before::Operand) | (b'(' | b'[', Before::Operator) | (b'(', Before::Function) => (),
            // Only `else {` opens a brace where an operand may start.
            (b'{', _) if self.out.source.trim_end().ends_with("else") => (),
            (b'[', Before::Operand) => return Err(self.error(self.at, "take a part of a vector with .x .y .z .w")),
            (b'{', _) => return Err(self.error(self.at, "braces only follow `if` and `else`")),
            _ => return Err(self.error(self.at, "an operator or a comma is missing here")),
        }
        if self.brackets.len() > MAX_BRACKETS {
            return Err(self.error(self.at, format!("brackets nest deeper than {MAX_BRACKETS}")));
        }
        let seeded = self.before == Before::Function && self.out.source.trim_end().ends_with("random");
        let close = match byte {
            b'(' => b')',
            b'[' => b']',
            _ => b'}',
        };
        let seed = if seeded { "seed, " } else { "" };
        self.brackets.push(Bracket { close, at: self.at, negated: false });
        self.emit(&format!("{}{seed}", char::from(byte)), 1);
        self.before = Before::Operator;
        Ok(())
    }

    fn close(&mut self, byte: u8) -> Result<(), ExprError> {
        match self.brackets.last() {
            Some(open) if open.close == byte => {
                // rhai judges empty brackets and a comma at the end.
                let ended = self.out.source.trim_end().ends_with(['(', '[', '{', ',']);
                if self.before == Before::Operator && !ended {
                    return Err(self.error(self.at, "a number is missing before this bracket"));
                }
            }
            Some(open) if open.close != 0 => {
                return Err(self.error(self.at, format!("`{}` is expected before this", char::from(open.close))));
            }
            _ => return Err(self.error(self.at, format!("nothing is open that `{}` closes", char::from(byte)))),
        }
        self.brackets.pop();
        self.emit(char::from(byte).encode_utf8(&mut [0; 4]), 1);
        self.before = Before::Operand;
        Ok(())
    }

    fn operator(&mut self, byte: u8) -> Result<(), ExprError> {
        let two = [byte, self.peek(1).unwrap_or(0)];
        let len = match &two {
            b"**" | b"==" | b"!=" | b"<=" | b">=" | b"&&" | b"||" => 2,
            b"//" | b"/*" => return Err(self.error(self.at, "an expression has no comments")),
            _ if b"+-*/%<>,!".contains(&byte) => 1,
            _ => return Err(self.refused(byte)),
        };
        let minus = byte == b'-' && self.before == Before::Operator;
        let prefix = minus || (byte == b'!' && len == 1);
        if self.before != Before::Operand && !prefix {
            return Err(self.error(self.at, "a number is missing before this"));
        }
        let (at, power) = (self.at, &two == b"**");
        if byte == b',' && !self.brackets.last().is_some_and(|open| matches!(open.close, b')' | b']')) {
            return Err(self.error(at, "a comma stands between brackets; write a vector as [1, 2]"));
        }
        if let Some(bracket) = self.brackets.last_mut() {
            // rhai takes -2 ** 2 for (-2) ** 2, mathematics for -(2 ** 2).
            if power && bracket.negated {
                return Err(self.error(at, "write (-a) ** b or -(a ** b), whichever is meant"));
            }
            bracket.negated = minus;
        }
        // The space keeps rhai from reading `<-` or `--`.
        self.emit(&format!("{} ", self.text.get(at..at + len).unwrap_or("")), len);
        self.before = Before::Operator;
        Ok(())
    }

    fn refused(&self, byte: u8) -> ExprError {
        let shown = self.text.get(self.at..).and_then(|rest| rest.chars().next()).unwrap_or('?');
        let message = match byte {
            b'=' => "an expression assigns nothing; compare with `==`".into(),
            b'"' | b'\'' | b'`' => "an expression has no text in quotes".into(),
            _ => format!("`{shown}` has no place in an expression"),
        };
        self.error(self.at, message)
    }
}

fn unknown_name(name: &str, numbers: &Numbers) -> String {
    match usage_of(name) {
        Some(usage) => format!("`{name}` is a function; write it as {usage}"),
        None if STATEMENTS.contains(&name) => format!("an expression has no `{name}`; it only gives a value"),
        None if name.len() > 32 => "there is no variable of such a long name".into(),
        None => {
            let usable = || numbers.keys().filter(|name| !reserved(name));
            let mut listed: String = usable().take(LISTED).map(|name| format!("{name}, ")).collect();
            if usable().nth(LISTED).is_some() {
                listed += ".., ";
            }
            format!("there is no variable `{name}`; there are {listed}{}, pi and tau", VARIABLES.join(", "))
        }
    }
}
