//! The parser of expressions: checks which token may follow which, and emits the steps.
//!
//! Operands are emitted at once. An operator waits until the following operator binds less strongly, a bracket or an
//! `if` until it ends. Waiting items are kept in a list, so the nesting of a text cannot overflow the stack.

use super::error::{ExprError, ExprPlace, MAX_TEXT};
use super::functions::{Apply, Function, MINUS, NOT, OPERATORS, PREFIX, RIGHT, function};
use super::language::{KEYFRAMES, VALUES, VARIABLES, usage_of};
use super::names::reserved;
use super::number::Numbers;
use super::program::{Does, Step};
use super::value::NO_CONDITION;

/// Limit of nested brackets.
const MAX_BRACKETS: usize = 16;

/// Limit of numbers that a message lists.
pub const LISTED: usize = 16;

/// Keywords of other languages, which get an error message of their own.
const STATEMENTS: &[&str] =
    &["let", "const", "while", "loop", "for", "do", "fn", "switch", "return", "import", "throw"];

/// What precedes the token that is read.
#[derive(Clone, Copy, PartialEq)]
enum Before {
    /// Nothing or an operator: an operand must follow.
    Operator,
    /// An opening bracket or a comma: an operand follows, or nothing.
    Opening,
    Operand,
    /// The first branch of an `if`: an `else` must follow.
    Branch,
    /// An `else`: a `{` or an `if` must follow.
    Else,
}

struct Waiting {
    at: usize,
    what: What,
}

#[derive(Clone, Copy)]
enum What {
    /// An operator, its precedence, and its step to patch with the end of its right side, if it has one.
    Operator(&'static Function, u8, usize),
    /// A bracket: its closing character, the commas in it, and the function that it calls with its position.
    Bracket(u8, u16, Option<(usize, &'static Function)>),
    /// An `if`, before its first branch.
    If,
    /// An `if` in its first branch, and its step to patch with the start of the other one.
    Then(usize),
    /// An `if` in its second branch, and its step to patch with the end of that.
    Else(usize),
}

pub(super) struct Scanner<'a> {
    text: &'a str,
    named_numbers: &'a Numbers,
    at: usize,
    before: Before,
    waiting: Vec<Waiting>,
    /// Number of open brackets.
    nesting: usize,
    /// Height of the stack after the last step.
    height: usize,
    out: Scan,
}

#[derive(Clone, Debug, Default)]
pub(super) struct Scan {
    pub(super) steps: Vec<Step>,
    /// Maximum height of the stack.
    pub(super) height: usize,
    pub(super) variables: Vec<&'static str>,
    pub(super) numbers: Vec<String>,
}

impl<'a> Scanner<'a> {
    pub(super) fn scan(text: &'a str, named_numbers: &'a Numbers) -> Result<Scan, ExprError> {
        if text.trim().is_empty() {
            return Err(ExprError::Empty);
        }
        if text.len() > MAX_TEXT {
            return Err(ExprError::TooLong(text.len()));
        }
        let out = Scan { steps: Vec::with_capacity(16), ..Scan::default() };
        let (before, waiting) = (Before::Operator, Vec::with_capacity(8));
        let mut scanner = Scanner { text, named_numbers, at: 0, before, waiting, nesting: 0, height: 0, out };
        while let Some(byte) = scanner.peek(0) {
            match byte.is_ascii_whitespace() {
                true => scanner.at += 1,
                false => scanner.token(byte)?,
            }
        }
        if let Some((at, close)) = scanner.bracket() {
            return Err(scanner.error(at, format!("this bracket has no matching `{}`", char::from(close))));
        }
        if !matches!(scanner.before, Before::Operand | Before::Branch) {
            return Err(scanner.error(text.trim_end().len(), "a number is missing at the end"));
        }
        scanner.reduce(0)?;
        scanner.ifs_are_whole()?;
        Ok(scanner.out)
    }

    fn peek(&self, ahead: usize) -> Option<u8> {
        self.text.as_bytes().get(self.at + ahead).copied()
    }

    fn error(&self, at: usize, message: impl Into<String>) -> ExprError {
        ExprError::Text { place: Some(ExprPlace::at_byte(self.text, at)), message: message.into() }
    }

    fn name_at(&self, at: usize) -> &'a str {
        let rest = self.text.get(at..).unwrap_or("");
        let end = rest.bytes().position(|byte| !byte.is_ascii_alphanumeric() && byte != b'_').unwrap_or(rest.len());
        rest.get(..end).unwrap_or("")
    }

    fn emit(&mut self, does: Does, at: usize) {
        let (takes, leaves) = does.takes_and_leaves();
        self.height = self.height.saturating_sub(takes) + leaves;
        self.out.height = self.out.height.max(self.height);
        self.out.steps.push(Step { does, at: at as u16 });
    }

    /// Emits an operand of one step, whose text has `len` bytes.
    fn operand(&mut self, does: Does, len: usize) {
        self.emit(does, self.at);
        self.at += len;
        self.before = Before::Operand;
    }

    /// Emits a step that needs the last value as a condition.
    fn emit_on_condition(&mut self, does: Does) -> Result<(), ExprError> {
        let Some(&Step { does: last, at }) = self.out.steps.last() else { return Ok(()) };
        if matches!(last, Does::Scalar(_) | Does::List(_)) {
            return Err(self.error(at.into(), NO_CONDITION));
        }
        self.emit(does, at.into());
        Ok(())
    }

    /// Patches a jump to continue at the next step.
    fn land(&mut self, step: usize) {
        let next = self.out.steps.len() as u16;
        if let Some(Step { does: Does::Decide(_, end) | Does::Unless(end) | Does::Jump(end), .. }) =
            self.out.steps.get_mut(step)
        {
            *end = next;
        }
    }

    /// Emits waiting operators that bind at least this strongly.
    fn reduce(&mut self, binds: u8) -> Result<(), ExprError> {
        while let Some(&Waiting { at, what: What::Operator(operator, strength, step) }) = self.waiting.last()
            && strength >= binds
        {
            self.waiting.pop();
            match operator.1 {
                Apply::Logic(_) => {
                    self.emit_on_condition(Does::Check)?;
                    self.land(step);
                }
                _ => self.emit(Does::Call(operator, if strength == PREFIX { 1 } else { 2 }), at),
            }
        }
        Ok(())
    }

    /// The innermost open bracket, and its closing character.
    fn bracket(&self) -> Option<(usize, u8)> {
        self.waiting.iter().rev().find_map(|waiting| match waiting.what {
            What::Bracket(close, ..) => Some((waiting.at, close)),
            _ => None,
        })
    }

    /// Checks that no `if` is incomplete inside the innermost bracket.
    fn ifs_are_whole(&self) -> Result<(), ExprError> {
        match self.waiting.last() {
            Some(&Waiting { at, what: What::If | What::Then(_) }) => {
                Err(self.error(at, "an `if` needs an `else`: if a > b { x } else { y }"))
            }
            _ => Ok(()),
        }
    }

    fn token(&mut self, byte: u8) -> Result<(), ExprError> {
        let name = self.name_at(self.at);
        match self.before {
            Before::Branch if name != "else" => return self.ifs_are_whole(),
            Before::Else if name != "if" && byte != b'{' => {
                return Err(self.error(self.at, "after `else` comes { or `if`"));
            }
            _ => (),
        }
        match byte {
            b'0'..=b'9' => self.number(),
            b'.' if self.before != Before::Operand && self.peek(1).is_some_and(|b| b.is_ascii_digit()) => self.number(),
            b'.' => self.component(),
            b'a'..=b'z' | b'A'..=b'Z' | b'_' => self.word(name),
            b'(' | b'[' => self.open(byte, None),
            b'{' => self.branch(),
            b')' | b']' | b'}' => self.close(byte),
            b',' => self.comma(),
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
            // Without digits the `e` starts a name.
            end = Some(past_digits(exponent)).filter(|&past| past > exponent).unwrap_or(end);
        }
        let written = self.text.get(self.at..end).unwrap_or("");
        if !self.name_at(end).is_empty() {
            return Err(self.error(self.at, format!("`{written:.32}` is followed by a name; write `*` between them")));
        }
        match written.parse::<f64>() {
            Ok(value) if value.is_finite() => self.operand(Does::Scalar(value), written.len()),
            _ => return Err(self.error(self.at, "this number is too large")),
        }
        Ok(())
    }

    fn component(&mut self) -> Result<(), ExprError> {
        let index = ["x", "y", "z", "w"].iter().position(|part| *part == self.name_at(self.at + 1));
        match index {
            Some(index) if self.before == Before::Operand => self.operand(Does::Part(index as u16), 2),
            _ => return Err(self.error(self.at, "after a vector and `.` comes x, y, z or w")),
        }
        Ok(())
    }

    fn word(&mut self, name: &str) -> Result<(), ExprError> {
        if name == "else" {
            return self.other_branch();
        }
        self.operand_may_start()?;
        let rest = self.text.get(self.at + name.len()..).unwrap_or("").trim_start();
        let does = match name {
            "if" => {
                self.waiting.push(Waiting { at: self.at, what: What::If });
                self.before = Before::Operator;
                self.at += name.len();
                return Ok(());
            }
            "true" | "false" => Does::Condition(name == "true"),
            _ if rest.starts_with('(') => {
                let Some(function) = function(name) else {
                    let message = match self.named_numbers.contains_key(name) {
                        true => format!("`{name:.32}` is a number; write `*` between it and the bracket"),
                        false => format!("there is no function `{name:.32}`"),
                    };
                    return Err(self.error(self.at, message));
                };
                if matches!(function.1, Apply::Random) {
                    self.uses("seed");
                }
                let name_at = self.at;
                self.at = self.text.len() - rest.len();
                return self.open(b'(', Some((name_at, function)));
            }
            KEYFRAMES if self.named_numbers.contains_key(name) => Does::Number(self.named(name)),
            "pi" => Does::Scalar(std::f64::consts::PI),
            "tau" => Does::Scalar(std::f64::consts::TAU),
            _ => match VALUES.iter().find(|(variable_name, _)| *variable_name == name) {
                Some(variable) => {
                    self.uses(variable.0);
                    Does::Variable(variable)
                }
                None if self.named_numbers.contains_key(name) && !reserved(name) => Does::Number(self.named(name)),
                None => return Err(self.error(self.at, unknown_name(name, self.named_numbers))),
            },
        };
        self.operand(does, name.len());
        Ok(())
    }

    fn uses(&mut self, variable: &'static str) {
        if !self.out.variables.contains(&variable) {
            self.out.variables.push(variable);
        }
    }

    /// Adds a number to the list of names; returns its index.
    fn named(&mut self, number: &str) -> u16 {
        let numbers = &mut self.out.numbers;
        let place = numbers.iter().position(|name| name == number).unwrap_or_else(|| {
            numbers.push(number.to_string());
            numbers.len() - 1
        });
        place as u16
    }

    fn open(&mut self, byte: u8, function: Option<(usize, &'static Function)>) -> Result<(), ExprError> {
        match byte {
            b'[' if self.before == Before::Operand => {
                return Err(self.error(self.at, "take a part of a vector with .x .y .z .w"));
            }
            b'(' | b'[' => self.operand_may_start()?,
            _ => (),
        }
        if self.nesting == MAX_BRACKETS {
            return Err(self.error(self.at, format!("brackets nest deeper than {MAX_BRACKETS}")));
        }
        let close = match byte {
            b'(' => b')',
            b'[' => b']',
            _ => b'}',
        };
        self.nesting += 1;
        self.waiting.push(Waiting { at: self.at, what: What::Bracket(close, 0, function) });
        self.before = Before::Opening;
        self.at += 1;
        Ok(())
    }

    /// Parses a `{`.
    fn branch(&mut self) -> Result<(), ExprError> {
        if self.before == Before::Operand {
            self.reduce(0)?;
        }
        match (self.before, self.waiting.last_mut()) {
            (Before::Else, _) => (),
            (Before::Operand, Some(Waiting { what: what @ What::If, .. })) => {
                *what = What::Then(self.out.steps.len());
                self.emit_on_condition(Does::Unless(0))?;
            }
            _ => return Err(self.error(self.at, "braces only follow `if` and `else`")),
        }
        self.open(b'{', None)
    }

    fn other_branch(&mut self) -> Result<(), ExprError> {
        match self.waiting.last_mut() {
            Some(Waiting { what: what @ What::Then(_), .. }) if self.before == Before::Branch => {
                let What::Then(unless) = std::mem::replace(what, What::Else(self.out.steps.len())) else {
                    return Ok(());
                };
                self.emit(Does::Jump(0), self.at);
                self.land(unless);
            }
            _ => return Err(self.error(self.at, "this `else` has no `if`")),
        }
        self.before = Before::Else;
        self.at += "else".len();
        Ok(())
    }

    fn close(&mut self, byte: u8) -> Result<(), ExprError> {
        match self.bracket() {
            Some((_, close)) if close == byte => (),
            Some((_, close)) => {
                return Err(self.error(self.at, format!("`{}` is expected before this", char::from(close))));
            }
            None => {
                return Err(self.error(self.at, format!("no bracket is open that `{}` could close", char::from(byte))));
            }
        }
        let list = byte == b']';
        let called = matches!(self.waiting.last(), Some(Waiting { what: What::Bracket(_, _, Some(_)), .. }));
        let empty = self.before == Before::Opening && (list || called);
        if self.before != Before::Operand && !empty {
            return Err(self.error(self.at, "a number is missing before this bracket"));
        }
        self.reduce(0)?;
        self.ifs_are_whole()?;
        let Some(Waiting { at, what: What::Bracket(_, count, function) }) = self.waiting.pop() else { return Ok(()) };
        let count = count + u16::from(!empty);
        match function {
            Some((at, function)) => self.emit(Does::Call(function, count), at),
            None if list => self.emit(Does::List(count), at),
            None => (),
        }
        self.nesting -= 1;
        self.at += 1;
        self.before = Before::Operand;
        if byte == b'}' {
            if let Some(Waiting { what: What::Then(_), .. }) = self.waiting.last() {
                self.before = Before::Branch;
            }
            // After the last branch of a chain of `else if`, all of them end.
            while let Some(&Waiting { what: What::Else(jump), .. }) = self.waiting.last() {
                self.land(jump);
                self.waiting.pop();
            }
        }
        Ok(())
    }

    fn operand_stands_before(&self) -> Result<(), ExprError> {
        match self.before {
            Before::Operand => Ok(()),
            _ => Err(self.error(self.at, "a number is missing before this")),
        }
    }

    fn comma(&mut self) -> Result<(), ExprError> {
        self.operand_stands_before()?;
        self.reduce(0)?;
        match self.waiting.last_mut() {
            Some(Waiting { what: What::Bracket(b']', count, _) | What::Bracket(_, count, Some(_)), .. }) => *count += 1,
            _ => {
                return Err(self.error(
                    self.at,
                    "a comma must be inside brackets; write a number with a point, such as 0.8, and a vector as [1, 2]",
                ));
            }
        }
        self.before = Before::Opening;
        self.at += 1;
        Ok(())
    }

    fn operator(&mut self, byte: u8) -> Result<(), ExprError> {
        let rest = self.text.get(self.at..).unwrap_or("");
        if rest.starts_with("//") || rest.starts_with("/*") {
            return Err(self.error(self.at, "an expression has no comments"));
        }
        let prefix = match byte {
            b'-' if self.before != Before::Operand => Some(MINUS),
            b'!' if !rest.starts_with("!=") => Some(NOT),
            _ => None,
        };
        let (step, (binds, operator)) = if let Some(operator) = prefix {
            self.operand_may_start()?;
            (0, (PREFIX, operator))
        } else {
            let found = OPERATORS.iter().find(|(_, (name, _))| rest.starts_with(name));
            let (binds, operator) = found.ok_or_else(|| self.refused(byte))?;
            self.operand_stands_before()?;
            // In some languages -2 ** 2 is (-2) ** 2, in mathematics it is -(2 ** 2).
            if let (RIGHT, Some(What::Operator(("-", _), PREFIX, _))) =
                (*binds, self.waiting.last().map(|last| last.what))
            {
                return Err(self.error(self.at, "write (-a) ** b or -(a ** b), whichever is meant"));
            }
            self.reduce(binds + u8::from(*binds == RIGHT))?;
            let step = self.out.steps.len();
            if let Apply::Logic(wanted) = operator.1 {
                self.emit_on_condition(Does::Decide(wanted, 0))?;
            }
            (step, (*binds, operator))
        };
        self.waiting.push(Waiting { at: self.at, what: What::Operator(operator, binds, step) });
        self.at += operator.0.len();
        self.before = Before::Operator;
        Ok(())
    }

    fn refused(&self, byte: u8) -> ExprError {
        let shown = self.text.get(self.at..).and_then(|rest| rest.chars().next()).unwrap_or('?');
        let message = match byte {
            b'=' => "an expression cannot assign; compare with `==`".into(),
            b'"' | b'\'' | b'`' => "an expression has no text in quotes".into(),
            _ => format!("`{shown}` is not allowed in an expression"),
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
