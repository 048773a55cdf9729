//! Interval analysis of integer WGSL expressions, and the trip count of a `for` header by it.
//!
//! An expression that is not understood has no interval. The same holds for names that may be shadowed, types that may
//! wrap around, and values beyond 31 bits.

use std::collections::HashMap;

use crate::stage::language;
use crate::stage::syntax::{Token, TokenKind, module_declarations, text, top_level};

const MAX_TRIPS: i64 = 65_536;
/// Limit of values: up to here an `f32` represents every integer, with margin for rounding.
const MAX_F32: i64 = 1 << 22;
/// Module constants may be used before their declaration; each pass resolves one more such forward reference.
const CONSTANT_PASSES: usize = 8;
const MAX_NESTING: usize = 32;
/// Rounds of the fixed-point iteration over `let`s, which may depend on one another.
pub(super) const LET_PASSES: usize = 3;

/// The types that an expression may have, as a set of bits.
type Types = u8;
const I32: Types = 1;
const U32: Types = 2;
const F32: Types = 4;
/// An abstract integer: it takes the type of the other operand, otherwise it is an `i32`.
const UNTYPED: Types = 8;

/// All values that an expression may take.
#[derive(Clone, Copy, Debug)]
pub(super) struct Interval {
    pub low: i64,
    pub high: i64,
    types: Types,
    /// A difference in it may be negative: as a `u32` it would wrap around, and the interval would be wrong.
    wraps_unsigned: bool,
}

impl Interval {
    fn new(low: i64, high: i64, types: Types) -> Option<Interval> {
        let fits = i64::from(i32::MIN) <= low && low <= high && high <= i64::from(i32::MAX);
        (fits && types & (I32 | U32 | F32) != 0).then_some(Interval { low, high, types, wraps_unsigned: false })
    }

    /// All values of either.
    pub(super) fn hull(self, other: Interval) -> Interval {
        Interval {
            low: self.low.min(other.low),
            high: self.high.max(other.high),
            types: self.types & other.types,
            wraps_unsigned: self.wraps_unsigned || other.wraps_unsigned,
        }
    }

    fn combine(self, operator: &str, other: Interval) -> Option<Interval> {
        let types = self.types & other.types;
        let corners = [(self.low, other.low), (self.low, other.high), (self.high, other.low), (self.high, other.high)];
        let values = corners.map(|(a, b)| match operator {
            "+" => a + b,
            "-" => a - b,
            _ => a * b,
        });
        let (low, high) = values.iter().fold((i64::MAX, i64::MIN), |(low, high), v| (low.min(*v), high.max(*v)));
        let mut result = Interval::new(low, high, types)?;
        // naga evaluates constants itself and rejects those that wrap around.
        let wraps = operator == "-" && low < 0 && types & UNTYPED == 0;
        result.wraps_unsigned = wraps || self.wraps_unsigned || other.wraps_unsigned;
        Some(result)
    }

    fn may_wrap(&self) -> bool {
        self.wraps_unsigned && self.types & U32 != 0
    }

    /// WGSL negates signed numbers only.
    fn negated(self) -> Option<Interval> {
        let result = Interval::new(-self.high, -self.low, self.types & !U32)?;
        Some(Interval { wraps_unsigned: self.wraps_unsigned, ..result })
    }

    /// The interval of a value that is known to have one of these types.
    fn narrowed(self, types: Types) -> Option<Interval> {
        let value = Interval { types: self.types & types, ..self };
        (value.types != 0 && !value.may_wrap()).then_some(value)
    }

    /// The result of `i32(value)` or `u32(value)`.
    fn converted(self, types: Types) -> Option<Interval> {
        let fits = !self.may_wrap() && (types != U32 || self.low >= 0);
        Interval::new(self.low, self.high, types).filter(|_| fits)
    }
}

type Constants<'a> = &'a dyn Fn(&str) -> Option<i64>;
type ParamRanges<'a> = &'a dyn Fn(&str) -> Option<(i64, i64)>;

/// The names that an expression may use.
pub(super) struct Scope<'a> {
    /// How often the source declares a name, anywhere.
    declared: HashMap<&'a str, usize>,
    module_constants: HashMap<&'a str, Interval>,
    /// `let`s of functions, and loop counters where they are known.
    locals: HashMap<&'a str, Interval>,
    constants: Constants<'a>,
    params_max: ParamRanges<'a>,
}

impl<'a> Scope<'a> {
    pub(super) fn new(tokens: &[Token<'a>], constants: Constants<'a>, params_max: ParamRanges<'a>) -> Scope<'a> {
        let mut scope = Scope {
            declared: count_declarations(tokens),
            module_constants: HashMap::new(),
            locals: HashMap::new(),
            constants,
            params_max,
        };
        let declarations = module_constants(tokens);
        for _ in 0..CONSTANT_PASSES {
            for (name, ty, value) in &declarations {
                if let Some(interval) = scope.typed(*ty, value) {
                    scope.module_constants.insert(name, interval);
                }
            }
        }
        scope.read_lets(tokens);
        scope
    }

    /// Adds the values of `let`s: for a name that only `let`s declare, the hull of all of them.
    pub(super) fn read_lets(&mut self, tokens: &[Token<'a>]) {
        let lets = statements(tokens, "let");
        for _ in 0..LET_PASSES {
            let mut found = HashMap::<&'a str, (usize, Interval)>::new();
            for (name, value) in
                lets.iter().filter_map(|(name, ty, value)| Some((*name, self.typed_as_declared(*ty, value)?)))
            {
                let entry = found.entry(name).or_insert((0, value));
                *entry = (entry.0 + 1, entry.1.hull(value));
            }
            for (name, (count, values)) in found {
                self.read_local(name, values, count);
            }
        }
    }

    /// A value with the type of a variable that is initialised with it.
    fn typed_as_declared(&self, ty: Option<&str>, value: &[Token<'a>]) -> Option<Interval> {
        let mut value = self.typed(ty, value)?;
        if value.types & UNTYPED != 0 {
            value.types = I32;
        }
        value.narrowed(value.types)
    }

    /// Adds the values of a local name, if it has exactly `count` declarations.
    pub(super) fn read_local(&mut self, name: &'a str, values: Interval, count: usize) {
        if self.is_sole(name, count) {
            self.locals.insert(name, values);
        }
    }

    /// Whether a name has exactly this many declarations and no other meaning.
    pub(super) fn is_sole(&self, name: &str, count: usize) -> bool {
        // The language's own numbers have another meaning outside the scope of a local of that name.
        let has_other_meaning = (self.constants)(name).is_some() || language::is_module_number(name);
        self.declared.get(name) == Some(&count) && !has_other_meaning
    }

    /// Whether the source does not declare a name.
    pub(super) fn is_free(&self, name: &str) -> bool {
        !self.declared.contains_key(name)
    }

    /// Counter and maximum trip count of a `for` with these three parts, and the counter's interval in its body; `None`
    /// if they do not bound it.
    pub(super) fn counting(
        &self,
        start: &[Token<'a>],
        condition: &[Token<'a>],
        step: &[Token<'a>],
    ) -> Option<(&'a str, u64, Interval)> {
        let [Token { text: "var", .. }, Token { text: counter, .. }, rest @ ..] = start else { return None };
        let (ty, value) = typed_value(rest)?;
        let mut start = self.typed(ty, value)?;
        if start.types & UNTYPED != 0 {
            start.types = I32;
        }
        let (comparison, bound) = split_condition(condition, counter)?;
        let bound = self.value(bound)?;
        let (direction, step) = self.step(step, counter)?;
        let upwards = comparison.starts_with('<');
        let types = start.types & bound.types & step.types;
        let certain = [start, bound, step].iter().all(|part| part.narrowed(types).is_some());
        if !certain || upwards != (direction == "+") || step.low < 1 {
            return None;
        }
        // After the loop the counter is one step beyond the last value that passes; if it wrapped around there, it
        // would pass again.
        let exclusive = i64::from(!comparison.ends_with('='));
        let (distance, end) = if upwards {
            (bound.high - exclusive - start.low, bound.high - exclusive + step.high)
        } else {
            (start.high - bound.low - exclusive, bound.low + exclusive - step.high)
        };
        let trips = if distance < 0 { 0 } else { distance / step.low + 1 };
        let safe = [start.low, start.high, end].iter().all(|value| counts_exactly(*value, types));
        // A loop that runs zero times gives its counter no value; using the first value is harmless.
        let values = match upwards {
            true => Interval::new(start.low, (bound.high - exclusive).max(start.low), types),
            false => Interval::new((bound.low + exclusive).min(start.high), start.high, types),
        };
        (safe && trips <= MAX_TRIPS).then_some((*counter, trips.unsigned_abs(), values?))
    }

    /// Direction and size of a step.
    fn step(&self, step: &[Token<'a>], counter: &str) -> Option<(&'a str, Interval)> {
        let [Token { text: name, .. }, Token { text: operator, .. }, amount @ ..] = step else { return None };
        let direction = operator.get(..1)?;
        let interval = match (*operator, amount) {
            // Only integers have these operators.
            ("++" | "--", []) => Interval::new(1, 1, I32 | U32),
            ("+=" | "-=", amount) => self.value(amount),
            // Only one token after the sign: `i - 2 + 1` is not a step of 3.
            ("=", [Token { text, .. }, Token { text: sign @ ("+" | "-"), .. }, amount]) if *text == counter => {
                return Some((*sign, self.value(&[*amount])?)).filter(|_| *name == counter);
            }
            _ => None,
        };
        Some((direction, interval?)).filter(|_| *name == counter)
    }

    /// A value with the type that its declaration names, if any.
    fn typed(&self, ty: Option<&str>, value: &[Token<'a>]) -> Option<Interval> {
        let value = self.value(value)?;
        match ty {
            Some(ty) => value.narrowed(self.integer_type(ty)?),
            None => Some(value),
        }
    }

    fn integer_type(&self, name: &str) -> Option<Types> {
        let types = match name {
            "i32" => I32,
            "u32" => U32,
            _ => return None,
        };
        (!self.declared.contains_key(name)).then_some(types)
    }

    pub(super) fn value(&self, tokens: &[Token<'a>]) -> Option<Interval> {
        let mut expression = Expression { scope: self, rest: tokens, nesting: 0 };
        let value = expression.sum()?;
        expression.rest.is_empty().then_some(value)
    }

    /// A name that is declared twice may be a local somewhere, which is not analysed here.
    fn name(&self, name: &str) -> Option<Interval> {
        match self.declared.get(name) {
            Some(1) if self.module_constants.contains_key(name) => self.module_constants.get(name).copied(),
            Some(_) => self.locals.get(name).copied(),
            None => {
                let value = (self.constants)(name)?;
                Interval::new(value, value, UNTYPED | I32 | U32 | F32)
            }
        }
    }

    fn param(&self, name: &str) -> Option<Interval> {
        let (low, high) = (self.params_max)(name).filter(|_| !self.declared.contains_key("params"))?;
        let unsigned = if low < 0 { 0 } else { U32 };
        Interval::new(low, high, I32 | F32 | unsigned)
    }
}

/// Whether a counter of one of these types reaches a value without a gap and without wrapping around.
fn counts_exactly(value: i64, types: Types) -> bool {
    let unsigned = types & U32 == 0 || value >= 0;
    let limit = if types & F32 == 0 { i64::from(i32::MAX) } else { MAX_F32 };
    unsigned && value.abs() <= limit
}

/// Comparison and bound as in `counter < bound`, reversed if the counter is on the right.
fn split_condition<'e, 'a>(condition: &'e [Token<'a>], counter: &str) -> Option<(&'a str, &'e [Token<'a>])> {
    let comparisons = [("<", ">"), ("<=", ">="), (">", "<"), (">=", "<=")];
    let split = |operator: &str| comparisons.into_iter().find(|(this, _)| *this == operator);
    match condition {
        [first, operator, bound @ ..] if first.text == counter => Some((split(operator.text)?.0, bound)),
        [bound @ .., operator, last] if last.text == counter => Some((split(operator.text)?.1, bound)),
        _ => None,
    }
}

/// `: TYPE = VALUE` or `= VALUE`.
fn typed_value<'e, 'a>(tokens: &'e [Token<'a>]) -> Option<(Option<&'a str>, &'e [Token<'a>])> {
    match tokens {
        [Token { text: ":", .. }, ty, Token { text: "=", .. }, value @ ..] => Some((Some(ty.text), value)),
        [Token { text: "=", .. }, value @ ..] => Some((None, value)),
        _ => None,
    }
}

fn count_declarations<'a>(tokens: &[Token<'a>]) -> HashMap<&'a str, usize> {
    let keywords = ["let", "var", "const", "override", "fn", "struct", "alias"];
    let before = |at: usize, back: usize| at.checked_sub(back).map_or("", |at| text(tokens, at));
    let mut declared = HashMap::new();
    for (at, token) in tokens.iter().enumerate().filter(|(_, token)| token.kind == TokenKind::Word) {
        let after_keyword = keywords.contains(&before(at, 1));
        let after_space = before(at, 1) == ">" && before(at, 4) == "var";
        // This also counts arguments, members, and some words that declare nothing: treating a name as declared is
        // safe.
        let typed = text(tokens, at + 1) == ":";
        if after_keyword || after_space || typed {
            *declared.entry(token.text).or_default() += 1;
        }
    }
    declared
}

type Declaration<'e, 'a> = (&'a str, Option<&'a str>, &'e [Token<'a>]);

/// The name and value that the keyword at an index declares, if it has a value.
fn declaration<'e, 'a>(tokens: &'e [Token<'a>], keyword: usize) -> Option<Declaration<'e, 'a>> {
    let statement = tokens.get(keyword + 1..).and_then(|rest| rest.split(|token| token.text == ";").next());
    let Some([name, rest @ ..]) = statement else { return None };
    typed_value(rest).map(|(ty, value)| (name.text, ty, value))
}

/// All declarations by this keyword with a value, in their order.
pub(super) fn statements<'e, 'a>(tokens: &'e [Token<'a>], keyword: &str) -> Vec<Declaration<'e, 'a>> {
    let keywords = (0..tokens.len()).filter(|at| text(tokens, *at) == keyword);
    keywords.filter_map(|at| declaration(tokens, at)).collect()
}

/// Constants of the module with a known value.
fn module_constants<'e, 'a>(tokens: &'e [Token<'a>]) -> Vec<Declaration<'e, 'a>> {
    let constants = module_declarations(tokens).into_iter().filter(|at| text(tokens, *at) == "const");
    constants.filter_map(|at| declaration(tokens, at)).collect()
}

/// Parses `+ - *`, signs, parentheses and conversions to `i32` and `u32`.
struct Expression<'e, 'a> {
    scope: &'e Scope<'a>,
    rest: &'e [Token<'a>],
    nesting: usize,
}

impl<'a> Expression<'_, 'a> {
    fn take(&mut self) -> Option<Token<'a>> {
        let (first, rest) = self.rest.split_first()?;
        self.rest = rest;
        Some(*first)
    }

    fn take_one_of(&mut self, texts: &[&str]) -> Option<&'a str> {
        let next = self.rest.first()?.text;
        texts.contains(&next).then(|| self.take())?.map(|token| token.text)
    }

    fn sum(&mut self) -> Option<Interval> {
        let mut value = self.product()?;
        while let Some(operator) = self.take_one_of(&["+", "-"]) {
            value = value.combine(operator, self.product()?)?;
        }
        Some(value)
    }

    fn product(&mut self) -> Option<Interval> {
        let mut value = self.operand()?;
        while let Some(operator) = self.take_one_of(&["*"]) {
            value = value.combine(operator, self.operand()?)?;
        }
        Some(value)
    }

    fn operand(&mut self) -> Option<Interval> {
        self.nesting += 1;
        let token = self.take().filter(|_| self.nesting <= MAX_NESTING)?;
        let value = match (token.kind, token.text) {
            (TokenKind::Number, literal) => literal_value(literal),
            (_, "-") => self.operand()?.negated(),
            (_, "(") => self.parenthesised(),
            (TokenKind::Word, "params") => self.take_one_of(&["."]).and_then(|_| self.scope.param(self.take()?.text)),
            (TokenKind::Word, name) => match self.take_one_of(&["("]) {
                Some(_) if name == "clamp" && self.scope.is_free(name) => self.clamped(),
                Some(_) => self.parenthesised()?.converted(self.scope.integer_type(name)?),
                None => self.scope.name(name),
            },
            _ => None,
        };
        self.nesting -= 1;
        value
    }

    /// `clamp(e, low, high)` is `min(max(e, low), high)`, whatever the first argument.
    fn clamped(&mut self) -> Option<Interval> {
        let first = top_level(self.rest, &[","]).first().copied()?;
        self.rest = self.rest.get(first..)?;
        self.take_one_of(&[","])?;
        let low = self.sum()?;
        self.take_one_of(&[","])?;
        let high = self.sum()?;
        self.take_one_of(&[")"])?;
        // Even the type of the first argument is unknown.
        let types = low.types & high.types & !UNTYPED;
        let (low, high) = (low.narrowed(types)?, high.narrowed(types)?);
        Interval::new(low.low.min(high.low), high.high, types)
    }

    fn parenthesised(&mut self) -> Option<Interval> {
        let value = self.sum();
        self.take_one_of(&[")"]).and(value)
    }
}

fn literal_value(literal: &str) -> Option<Interval> {
    let digits = literal.trim_end_matches(['i', 'u']);
    let types = match literal.get(digits.len()..)? {
        "" => UNTYPED | I32 | U32 | F32,
        "i" => I32,
        "u" => U32,
        _ => return None,
    };
    let hex = digits.strip_prefix("0x").or_else(|| digits.strip_prefix("0X"));
    let value = hex.map_or_else(|| digits.parse(), |hex| i64::from_str_radix(hex, 16)).ok()?;
    Interval::new(value, value, types)
}
