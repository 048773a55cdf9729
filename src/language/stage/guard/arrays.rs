//! Bounds the size of arrays while naga evaluates constants: it copies every element of a constant into each constant that is built from
//! it, and its own sizes overflow where array types are inferred from arrays several levels deep.
//!
//! Shapes of arrays are propagated from name to name as far as tokens show them, and never underestimated.

use std::collections::HashMap;

use super::Fault;
use crate::stage::syntax::{self, Token, TokenKind};

/// Limit of the elements of one array, including those of its elements. WGSL guarantees 2,047 for a constant.
const MAX_ELEMENTS: u64 = 16_384;
/// Elements of all constant arrays, counted at each use.
const MAX_COPIES: u64 = 1 << 18;
/// Constants in a chain of forward references.
const MAX_BACKWARDS: usize = 64;

/// Lengths of an array and of its elements, the outermost first; empty for anything but an array.
type Lengths = Vec<u64>;

fn elements(lengths: &[u64]) -> u64 {
    lengths.iter().fold(1, |product, length| product.saturating_mul((*length).max(1)))
}

fn larger(a: Lengths, b: Lengths) -> Lengths {
    if elements(&b) > elements(&a) { b } else { a }
}

/// Rejects arrays that expand to too many values. `types`: how many values a struct or an alias expands to.
pub(super) fn check<'a>(tokens: &'a [Token<'a>], types: &'a HashMap<&'a str, usize>) -> Result<(), Fault> {
    let mut walk =
        Walk { tokens, types, ends: ends(tokens), shapes: HashMap::new(), constants: HashMap::new(), depth: 0 };
    walk.find_constants();
    for at in 0..tokens.len() {
        if matches!(walk.text(at), "let" | "var" | "const") {
            walk.declaration(at)?;
        }
    }
    walk.count_copies()
}

/// The closing bracket of each opening one, including template brackets of `array`.
fn ends(tokens: &[Token<'_>]) -> HashMap<usize, usize> {
    let (mut open, mut ends) = (Vec::<(usize, &str)>::new(), HashMap::new());
    for (at, token) in tokens.iter().enumerate() {
        let template = token.text == "<"
            && at
                .checked_sub(1)
                .and_then(|b| tokens.get(b))
                .is_some_and(|t| t.text == "array" || t.text.starts_with("vec") || t.text.starts_with("mat"));
        match token.text {
            "(" | "[" | "{" => open.push((at, token.text)),
            "<" if template => open.push((at, "<")),
            ">" | ">>" | ">=" | ">>=" => {
                for _ in 0..token.text.matches('>').count() {
                    if let Some((start, _)) = open.pop_if(|(_, bracket)| *bracket == "<") {
                        ends.insert(start, at);
                    }
                }
            }
            ")" | "]" | "}" => {
                while open.pop_if(|(_, bracket)| *bracket == "<").is_some() {}
                if let Some((start, _)) = open.pop() {
                    ends.insert(start, at);
                }
            }
            _ => {}
        }
    }
    ends
}

#[derive(Clone, Default)]
struct Shape {
    lengths: Lengths,
    constant: bool,
}

struct Walk<'a> {
    tokens: &'a [Token<'a>],
    types: &'a HashMap<&'a str, usize>,
    ends: HashMap<usize, usize>,
    /// Shapes by name, as far as the text has been read; the largest where a name is declared several times.
    shapes: HashMap<&'a str, Shape>,
    /// Positions where constants of the module are declared, since they may be used earlier.
    constants: HashMap<&'a str, usize>,
    /// Depth of the chain of forward references.
    depth: usize,
}

impl<'a> Walk<'a> {
    fn text(&self, at: usize) -> &'a str {
        syntax::text(self.tokens, at)
    }

    fn fault(&self, at: usize, message: &str) -> Fault {
        (self.tokens.get(at).map_or(0, |token| token.start), message.to_string())
    }

    fn find_constants(&mut self) {
        let mut depth = 0usize;
        for at in 0..self.tokens.len() {
            match self.text(at) {
                "{" => depth += 1,
                "}" => depth = depth.saturating_sub(1),
                "const" if depth == 0 => drop(self.constants.insert(self.text(at + 1), at)),
                _ => {}
            }
        }
    }

    /// Parses `let x: T = ..;`, `var<private> x = ..;` or `const x = ..;`.
    fn declaration(&mut self, at: usize) -> Result<(), Fault> {
        let constant = self.text(at) == "const";
        let mut name = at + 1;
        if self.text(name) == "<" {
            while !matches!(self.text(name), ">" | ";" | "") {
                name += 1;
            }
            name += 1;
        }
        let mut value = name + 1;
        let mut lengths = Lengths::new();
        if self.text(value) == ":" {
            lengths = self.ty(value + 1);
            while !matches!(self.text(value), "=" | ";" | "" | "{" | "}") {
                value = self.after_template(value);
            }
        }
        if self.text(value) == "=" {
            let end = self.statement_end(value + 1);
            lengths = larger(lengths, self.expression(value + 1, end)?);
        }
        let shape = self.shapes.entry(self.text(name)).or_default();
        shape.lengths = larger(std::mem::take(&mut shape.lengths), lengths);
        shape.constant |= constant;
        Ok(())
    }

    /// The token after this one, or after the template that begins there.
    fn after_template(&self, at: usize) -> usize {
        let template = self.text(at) == "<" || self.text(at) == "[" || self.text(at) == "(";
        template.then(|| self.ends.get(&at)).flatten().map_or(at, |end| *end) + 1
    }

    fn statement_end(&self, from: usize) -> usize {
        let mut at = from;
        while !matches!(self.text(at), ";" | "{" | "}" | "") {
            at = self.after_template(at).max(at + 1);
        }
        at
    }

    /// Lengths of the type that begins at a token. A length that is not a literal counts as one, since naga does not
    /// expand such an array.
    fn ty(&self, at: usize) -> Lengths {
        let mut lengths = Lengths::new();
        let mut at = at;
        while self.text(at) == "array" && self.text(at + 1) == "<" {
            let end = self.ends.get(&(at + 1)).copied().unwrap_or(at + 2);
            // The length is last, or before a trailing comma.
            let last =
                if self.text(end.saturating_sub(1)) == "," { end.saturating_sub(2) } else { end.saturating_sub(1) };
            lengths.push(literal(self.text(last)).unwrap_or(1));
            at += 2;
        }
        if let Some(values) = self.types.get(self.text(at)) {
            lengths.push(*values as u64);
        }
        lengths
    }

    /// The largest operand of an expression between two tokens.
    fn expression(&mut self, from: usize, end: usize) -> Result<Lengths, Fault> {
        let mut found = Lengths::new();
        let mut at = from;
        while at < end {
            let (lengths, next) = self.term(at)?;
            found = larger(found, lengths);
            at = next.max(at + 1);
        }
        Ok(found)
    }

    /// One operand with its indices and members, and the token after it.
    fn term(&mut self, at: usize) -> Result<(Lengths, usize), Fault> {
        let Some(token) = self.tokens.get(at) else { return Ok((Lengths::new(), at + 1)) };
        let is_word = token.kind == TokenKind::Word;
        let (mut lengths, mut next) = match token.text {
            "array" => self.array(at)?,
            "(" => {
                let end = self.ends.get(&at).copied().unwrap_or(at + 1);
                (self.expression(at + 1, end)?, end + 1)
            }
            _ if is_word && self.text(at + 1) == "(" => self.call(at)?,
            // The template of a vector or a matrix; arguments follow.
            _ if is_word && self.text(at + 1) == "<" && self.ends.contains_key(&(at + 1)) => {
                (Lengths::new(), self.after_template(at + 1))
            }
            _ if is_word => (self.name(at)?, at + 1),
            _ => return Ok((Lengths::new(), at + 1)),
        };
        // A member of a struct is not larger than the struct.
        while matches!(self.text(next), "[" | ".") {
            if self.text(next) == "." {
                next += 2;
                continue;
            }
            let end = self.ends.get(&next).copied().unwrap_or(next + 1);
            self.expression(next + 1, end)?;
            lengths = lengths.get(1..).unwrap_or_default().to_vec();
            next = end + 1;
        }
        Ok((lengths, next))
    }

    fn array(&mut self, at: usize) -> Result<(Lengths, usize), Fault> {
        let declared = self.ty(at);
        let open = if self.text(at + 1) == "<" { self.after_template(at + 1) } else { at + 1 };
        if self.text(open) != "(" {
            return Ok((Lengths::new(), open));
        }
        let (count, inner, next) = self.arguments(open)?;
        let mut lengths = vec![count];
        lengths.extend(inner);
        let lengths = larger(lengths, declared);
        self.limit(at, elements(&lengths))?;
        Ok((lengths, next))
    }

    /// A call, or a value of a struct or of an alias.
    fn call(&mut self, at: usize) -> Result<(Lengths, usize), Fault> {
        let (count, inner, next) = self.arguments(at + 1)?;
        let Some(values) = self.types.get(self.text(at)).copied() else {
            // The result of a function has a declared type.
            return Ok((Lengths::new(), next));
        };
        let made = count.saturating_mul(elements(&inner)).max(values as u64);
        self.limit(at, made)?;
        Ok((vec![made], next))
    }

    /// The number of arguments in the parentheses at a token, the largest of them, and the token after them.
    fn arguments(&mut self, open: usize) -> Result<(u64, Lengths, usize), Fault> {
        let end = self.ends.get(&open).copied().unwrap_or(open + 1);
        let (mut count, mut inner) = (0, Lengths::new());
        let mut from = open + 1;
        while from < end {
            let mut to = from;
            while to < end && self.text(to) != "," {
                to = self.after_template(to).max(to + 1);
            }
            let to = to.min(end);
            inner = larger(inner, self.expression(from, to)?);
            count += 1;
            from = to + 1;
        }
        Ok((count, inner, end + 1))
    }

    fn name(&mut self, at: usize) -> Result<Lengths, Fault> {
        let name = self.text(at);
        if !self.shapes.contains_key(name)
            && let Some(declared) =
                self.constants.get(name).copied().filter(|declared| *declared > at || self.depth > 0)
        {
            if self.depth >= MAX_BACKWARDS {
                let message =
                    "more than 64 constants in a row use others that are declared after them; declare them in order";
                return Err(self.fault(at, message));
            }
            // naga rejects a constant that depends on itself.
            self.shapes.insert(name, Shape::default());
            self.depth += 1;
            self.declaration(declared)?;
            self.depth -= 1;
        }
        Ok(self.shapes.get(name).map(|shape| shape.lengths.clone()).unwrap_or_default())
    }

    /// Counts the elements of constant arrays at every use.
    fn count_copies(&self) -> Result<(), Fault> {
        let mut copies = 0u64;
        for (at, token) in self.tokens.iter().enumerate().filter(|(_, token)| token.kind == TokenKind::Word) {
            let constant = self.shapes.get(token.text).filter(|shape| shape.constant && !shape.lengths.is_empty());
            copies = copies.saturating_add(constant.map_or(0, |shape| elements(&shape.lengths)));
            if copies > MAX_COPIES {
                let message = "constant arrays have more than 262,144 elements where they are used; copy the table into a `var<private>` once, or pass it in through a port";
                return Err(self.fault(at, message));
            }
        }
        Ok(())
    }

    fn limit(&self, at: usize, elements: u64) -> Result<(), Fault> {
        if elements <= MAX_ELEMENTS {
            return Ok(());
        }
        Err(self.fault(at, "the array expands to more than 16,384 elements; keep them in a grid"))
    }
}

/// Parses `1024` or `0x400u`.
fn literal(text: &str) -> Option<u64> {
    let digits = text.trim_end_matches(['i', 'u']);
    let hex = digits.strip_prefix("0x").or_else(|| digits.strip_prefix("0X"));
    hex.map_or_else(|| digits.parse().ok(), |hex| u64::from_str_radix(hex, 16).ok())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::stage::syntax::tokens;

    fn said(source: &str) -> Option<String> {
        let types = HashMap::from([("Pair", 2), ("Table", 4_096)]);
        check(&tokens(source), &types).err().map(|(_, message)| message)
    }

    fn chain(count: usize, line: &str) -> String {
        let line = |i: usize| line.replace('#', &i.to_string()).replace('@', &(i - 1).to_string());
        (1..=count).map(line).collect()
    }

    #[test]
    fn arrays_that_double_are_refused() {
        for source in [
            "const a0 = array(1.0, 1.0);".to_string() + &chain(20, "const a# = array(a@, a@);"),
            "fn f() { let a0 = array(x, 1.0);".to_string() + &chain(60, "let a# = array(a@, (a@));") + "}",
            "const a0 = array(1, 2);".to_string() + &chain(20, "const a# = array<array<f32, 2>, 2>(a@, a@);"),
            "const a0 = array(1, 2);".to_string() + &chain(20, "const a# = array(array(a@, a@), array(a@, a@))[0];"),
            "const a0 = array(1, 2);".to_string() + &chain(20, "const a# = Pair(a@, a@);"),
            "var a0 = array<vec2<f32>, 2>(vec2<f32>(), b);".to_string() + &chain(20, "var a# = array(a@, a@);"),
            "let t = array<Table, 8>();".to_string(),
            "let t = array<array<f32, 0x1000>, 8u>();".to_string(),
        ] {
            assert!(said(&source).is_some_and(|said| said.contains("16,384")), "{source}");
        }
        // In the opposite order.
        let backwards: String = (1..=20).rev().map(|i| format!("const a{i} = array(a{0}, a{0});", i - 1)).collect();
        assert!(said(&(backwards + "const a0 = array(1, 1);")).is_some());
    }

    #[test]
    fn copies_of_tables_add_up() {
        let table = format!("const t = array({});", vec!["1.0"; 512].join(","));
        let uses =
            |count: usize| format!("{table} fn f(i: i32) -> f32 {{ let s = {}; }}", vec!["t[i]"; count].join("+"));
        assert_eq!(said(&uses(500)), None);
        assert!(said(&uses(520)).is_some_and(|said| said.contains("262,144")));
    }

    #[test]
    fn ordinary_arrays_pass() {
        for source in [
            "const w = array(0.1, 0.2, 0.4); fn f() { let s = w[0] * w[1] + w[2]; let t = array(s, s * s, w[1]); }",
            "const m = array<vec2<f32>, 3>(vec2<f32>(1, 2), vec2<f32>(), vec2<f32>(3)); let a = m[i].x < b && c > m[0].y;",
            "var<private> cache: array<array<f32, 8>, 8>; fn f() { let row = cache[1]; var both = array(row, row); }",
            &("let a0 = array(x, y);".to_string() + &chain(40, "let a# = array(a@[0] + 1.0, a@[1]);")),
            &("const a0 = 1;".to_string() + &chain(900, "const a# = a@ + a@;")),
            "let v: vec3f = vec3f(1.0); for (var i = 0; i < 3; i++) { s += v[i]; }",
        ] {
            assert_eq!(said(source), None, "{source}");
        }
    }
}
