//! Rejects source that is known to crash or stall naga 29, or that declares what only the compiler may declare.
//!
//! naga recurses once per nested bracket, operator of a chain, `else if` and type, and overflows its stack on a few
//! kilobytes; it validates structs of structs in exponential time and `switch` in quadratic time. The limits are far
//! above what people write, and at them naga 29.0.4 (optimised) was measured to keep within 2 MiB of stack and 0.3 s.

mod arrays;
pub mod inlining;

use std::collections::HashMap;

use super::language;
use super::syntax::{self, Token, TokenKind, line_col, module_names, tokens};

/// Limit of a stage's text, with what it uses \[bytes\].
pub(crate) const MAX_BYTES: usize = 64 * 1024;
const MAX_DEPTH: usize = 100;
const MAX_PREFIX_OPERATORS: usize = 100;
const MAX_STATEMENT_TOKENS: usize = 2_000;
const MAX_ELSE_IFS: usize = 256;
const MAX_CASE_SELECTORS: usize = 512;
const MAX_TYPE_NESTING: usize = 16;
const MAX_TYPE_LEAVES: usize = 4_096;

/// Why a source is rejected and what to do, with the position (line and column from 1, columns in characters).
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Refusal {
    pub message: String,
    pub line: usize,
    pub column: usize,
}

/// The byte offset of the error, and the message.
pub(crate) type Fault = (usize, String);
type Check = Result<(), Fault>;

fn fault(token: &Token<'_>, message: impl Into<String>) -> Check {
    Err((token.start, message.into()))
}

/// Accepts source that naga may process. Takes time linear in its length, and almost none above 64 KiB, which is
/// rejected at once.
///
/// # Errors
/// The first error.
pub(crate) fn guard(source: &str) -> Result<(), Refusal> {
    let refusal = |(start, message): Fault| {
        let (line, column) = line_col(source, start);
        Refusal { message, line, column }
    };
    if source.len() > MAX_BYTES {
        let message = "the source is over 64 KiB; split the stage in two, or pass tables in through a port";
        return Err(refusal((MAX_BYTES, message.to_string())));
    }
    let tokens = tokens(source);
    let checks = [check_reserved, check_declared, check_nesting, check_statements, check_branches, check_values];
    checks.iter().try_for_each(|check| check(&tokens)).map_err(refusal)
}

fn at_most(limit: usize, count: usize, token: &Token<'_>, message: &str) -> Check {
    if count > limit { fault(token, message) } else { Ok(()) }
}

fn text<'a>(tokens: &[Token<'a>], index: Option<usize>) -> &'a str {
    index.map_or("", |at| syntax::text(tokens, at))
}

/// Rejects what the compiler generates itself: a second declaration would conflict with it or bypass its checks.
fn check_reserved(tokens: &[Token<'_>]) -> Check {
    let words = tokens.iter().enumerate().filter(|(_, token)| token.kind == TokenKind::Word);
    for (at, token) in words {
        let before = text(tokens, at.checked_sub(1));
        let reserved = match (before, token.text) {
            ("@", name) => reserved_attribute(name),
            (".", _) => None,
            (_, "var") if text(tokens, Some(at + 1)) == "<" => reserved_space(text(tokens, Some(at + 2))),
            (_, "override") => Some("numbers from outside are parameters; declare a `//! @param` line in the header"),
            ("" | ";" | "}", "enable" | "requires" | "diagnostic") => {
                Some("the compiler sets extensions and diagnostics for the whole plan; remove this directive")
            }
            (_, name) => language::across_invocations(name),
        };
        if let Some(remedy) = reserved {
            return fault(token, format!("`{}` can't stand in a stage: {remedy}", token.text));
        }
        check_name(token, before)?;
    }
    Ok(())
}

fn reserved_attribute(name: &str) -> Option<&'static str> {
    match name {
        "group" | "binding" => Some("the compiler generates bindings; declare ports in the header"),
        "compute" | "vertex" | "fragment" | "workgroup_size" => {
            Some("the compiler generates the entry point; write `fn stage(cell: Cell)` without attributes")
        }
        _ => None,
    }
}

fn reserved_space(space: &str) -> Option<&'static str> {
    let allowed = ["function", "private"].contains(&space);
    (!allowed).then_some("the compiler allocates all memory but `var<private>`; declare ports in the header")
}

/// Uses are rejected as well as declarations: writing to the compiler's `_` variables would undo its loop budget.
fn check_name(token: &Token<'_>, before: &str) -> Check {
    let declares = ["fn", "let", "var", "const", "struct", "alias"].contains(&before);
    if !token.text.starts_with('_') || (token.text == "_" && !declares) {
        return Ok(());
    }
    let remedy = "names that begin with `_` belong to the compiler; choose one that begins with a letter";
    fault(token, format!("`{}`: {remedy}", token.text))
}

/// Rejects names of WGSL and of the stage language at module scope, since generated text uses the former and declares
/// the latter. Inside a function they may be shadowed, since no generated text is in that scope.
fn check_declared(tokens: &[Token<'_>]) -> Check {
    for name in module_names(tokens) {
        if language::is_predeclared(name.text) {
            return fault(
                name,
                format!("`{}` is a WGSL name and can't be declared again; choose another name", name.text),
            );
        }
        if language::is_prelude(name.text) {
            let message = format!("`{}` belongs to the stage language; choose another name", name.text);
            return fault(name, message);
        }
    }
    Ok(())
}

/// Limits the depth of brackets, including template brackets.
fn check_nesting(tokens: &[Token<'_>]) -> Check {
    let (mut open, mut after_word) = (Vec::new(), false);
    for token in tokens {
        match token.text {
            "(" | "[" | "{" => open.push(token.text),
            "<" if after_word => open.push("<"),
            ">" | ">=" => close_templates(&mut open, 1),
            ">>" | ">>=" => close_templates(&mut open, 2),
            // Templates cannot contain these, so the `<` was a comparison.
            ";" | "=" | ":" | "&&" | "||" => close_templates(&mut open, usize::MAX),
            ")" | "]" | "}" => {
                close_templates(&mut open, usize::MAX);
                open.pop();
            }
            _ => {}
        }
        let message = "brackets are nested more than 100 deep; name a part with `let` or make it a function";
        at_most(MAX_DEPTH, open.len(), token, message)?;
        after_word = token.kind == TokenKind::Word;
    }
    Ok(())
}

fn close_templates(open: &mut Vec<&str>, count: usize) {
    let closing = open.iter().rev().take(count).take_while(|bracket| **bracket == "<").count();
    open.truncate(open.len() - closing);
}

/// Limits the length of statements and of runs of prefix operators. An opening bracket does not end a run: `-(-(-x))`.
fn check_statements(tokens: &[Token<'_>]) -> Check {
    let (mut length, mut run) = (0, 0);
    for token in tokens {
        length = if [";", "{", "}"].contains(&token.text) { 0 } else { length + 1 };
        run = match token.text {
            "-" | "!" | "~" | "&" | "*" => run + 1,
            "(" => run,
            _ => 0,
        };
        let message =
            "a statement has more than 2,000 tokens; name parts with `let`, or pass a table in through a port";
        at_most(MAX_STATEMENT_TOKENS, length, token, message)?;
        let message = "more than 100 prefix operators stand in a row; remove those that cancel out";
        at_most(MAX_PREFIX_OPERATORS, run, token, message)?;
    }
    Ok(())
}

fn check_branches(tokens: &[Token<'_>]) -> Check {
    let (mut else_ifs, mut selectors) = (0, 0);
    let (mut in_case, mut before) = (false, "");
    for token in tokens {
        match token.text {
            "if" if before == "else" => else_ifs += 1,
            "case" => (selectors, in_case) = (selectors + 1, true),
            "," if in_case => selectors += 1,
            "{" | ":" => in_case = false,
            _ => {}
        }
        let message = "there are more than 256 `else if`; use a `switch`, or a table indexed by the condition";
        at_most(MAX_ELSE_IFS, else_ifs, token, message)?;
        let message = "there are more than 512 `case` selectors; use a table indexed by the selector";
        at_most(MAX_CASE_SELECTORS, selectors, token, message)?;
        before = token.text;
    }
    Ok(())
}

/// A struct or an alias, with the tokens of its member types.
struct Definition<'a> {
    name: &'a Token<'a>,
    members: Vec<&'a [Token<'a>]>,
}

/// Leaves and levels of a type.
type Size = (usize, usize);

/// Limits what each type expands to: naga visits every leaf of a struct once per path that leads to it. Limits arrays
/// as well.
fn check_values(tokens: &[Token<'_>]) -> Check {
    let definitions = read_definitions(tokens);
    let by_name = definitions.iter().map(|definition| (definition.name.text, definition)).collect();
    let mut sizes = HashMap::new();
    definitions.iter().try_for_each(|definition| measure(definition, &by_name, &mut sizes, 1).map(|_| ()))?;
    let leaves = sizes.iter().map(|(name, (leaves, _))| (*name, *leaves)).collect();
    arrays::check(tokens, &leaves)
}

fn read_definitions<'a>(tokens: &'a [Token<'a>]) -> Vec<Definition<'a>> {
    let definition = |at: usize| {
        let [keyword, name, _, rest @ ..] = tokens.get(at..)? else { return None };
        let body =
            || rest.split(|token| [";", "}", "struct", "alias"].contains(&token.text)).next().unwrap_or_default();
        match keyword.text {
            "struct" => Some(Definition { name, members: member_types(body()) }),
            "alias" => Some(Definition { name, members: vec![body()] }),
            _ => None,
        }
    };
    (0..tokens.len()).filter_map(definition).collect()
}

/// Each member has one `:`, before its type; the type ends before the next member's attributes or name.
fn member_types<'a>(body: &'a [Token<'a>]) -> Vec<&'a [Token<'a>]> {
    let mut types: Vec<_> = body.split(|token| token.text == ":").skip(1).collect();
    let last = types.len().saturating_sub(1);
    for (at, ty) in types.iter_mut().enumerate() {
        let name = ty.len().saturating_sub(usize::from(at < last));
        let end = ty.iter().position(|token| token.text == "@").unwrap_or(name);
        *ty = ty.get(..end).unwrap_or_default();
    }
    types
}

/// Product of the literal array lengths in a type; a length that is not a literal counts as too long.
fn copies(ty: &[Token<'_>]) -> usize {
    let lengths = ty.iter().filter(|token| token.kind == TokenKind::Number).map(|token| {
        let digits = token.text.trim_end_matches(['i', 'u']);
        let hex = digits.strip_prefix("0x").or_else(|| digits.strip_prefix("0X"));
        hex.map_or_else(|| digits.parse(), |hex| usize::from_str_radix(hex, 16)).unwrap_or(usize::MAX)
    });
    lengths.fold(1usize, |product, length| product.saturating_mul(length.max(1)))
}

/// Size of a definition nested in `depth` others; a type that contains itself exceeds the depth.
fn measure<'a>(
    definition: &Definition<'a>,
    by_name: &HashMap<&'a str, &Definition<'a>>,
    sizes: &mut HashMap<&'a str, Size>,
    depth: usize,
) -> Result<Size, Fault> {
    let name = definition.name.text;
    if let Some(size) = sizes.get(name) {
        return Ok(*size);
    }
    let too_deep = format!("type `{name}` contains itself or is nested more than 16 deep; use fewer levels");
    at_most(MAX_TYPE_NESTING, depth, definition.name, &too_deep)?;
    let (mut leaves, mut nesting) = (0usize, 1);
    for ty in &definition.members {
        let mut inner_leaves = 0usize;
        for part in ty.iter().filter_map(|token| by_name.get(token.text)) {
            let inner = measure(part, by_name, sizes, depth + 1)?;
            inner_leaves = inner_leaves.saturating_add(inner.0);
            nesting = nesting.max(inner.1 + 1);
        }
        leaves = leaves.saturating_add(inner_leaves.max(1).saturating_mul(copies(ty)));
    }
    at_most(MAX_TYPE_NESTING, nesting, definition.name, &too_deep)?;
    let too_large = format!("type `{name}` expands to more than 4,096 values; keep the rest of them in a grid");
    at_most(MAX_TYPE_LEAVES, leaves, definition.name, &too_large)?;
    sizes.insert(name, (leaves, nesting));
    Ok((leaves, nesting))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fmt::Write;
    use std::time::{Duration, Instant};

    /// `line` once for each number, with `#` the number and `@` the one before.
    fn series(count: usize, line: &str) -> String {
        (1..=count).fold(String::new(), |mut text, i| {
            let _ = writeln!(text, "{}", line.replace('#', &i.to_string()).replace('@', &(i - 1).to_string()));
            text
        })
    }

    fn assert_refused(source: &str, cause: &str) {
        let started = Instant::now();
        let refusal = guard(source).expect_err(cause);
        assert!(refusal.message.contains(cause), "{refusal:?} does not name {cause:?}");
        assert!(started.elapsed() < Duration::from_millis(500), "{cause}: {:?}", started.elapsed());
    }

    #[test]
    fn hostile_families_are_refused_in_no_time() {
        let cell = |body: &str| format!("fn stage(cell: Cell) -> f32 {{ {body} }}");
        let many = |unit: &str, count| unit.repeat(count);
        for (source, cause) in [
            (cell(&format!("return {}1{};", many("(", 900), many(")", 900))), "brackets"),
            (cell(&many("{", 101)), "brackets"),
            (format!("var<private> a: {}f32;", many("array<", 101)), "brackets"),
            (format!("alias A = {}f32;", many("vec2<(b>c), ", 101)), "brackets"),
            (cell(&format!("let x = {}1;", many("(-", 101))), "brackets"),
            (cell(&format!("let x = {}1;", many("- ", 101))), "prefix"),
            (cell(&format!("let x = 1{};", many("+1", 100_000))), "64 KiB"),
            (cell(&format!("let x = 1{};", many("+1", 1_000))), "2,000 tokens"),
            (cell(&many("else if a {} ", 100_000)), "64 KiB"),
            (cell(&format!("if a {{}} {}", many("else if a {} ", 257))), "else if"),
            (cell(&format!("switch x {{ {} }}", series(513, "case #: {}"))), "case"),
            (cell(&format!("switch x {{ case 0{}: {{}} }}", many(", 1", 513))), "case"),
            (series(31, "struct S# { a: S@, b: S@ }"), "type `S"),
            (series(13, "struct S# { @size(16) a: S@, @align(4) b: S@, }") + "struct S0 { a: f32 }", "type `S"),
            (series(7, "struct S# { a: A@ } alias A# = array<S#, 8u>;"), "4,096 values"),
            (series(17, "alias A# = A@;"), "more than 16 deep"),
            ("struct A { b: B } alias B = array<A, 2>;".to_string(), "contains itself"),
            ("alias A = array<f32, 0x1001>;".to_string(), "4,096 values"),
        ] {
            assert_refused(&source, cause);
        }
        for unit in ["struct a:b ", "alias a=a ", "struct a:b;", "@", "π", "alias A=array<", "/*", "case,"] {
            let started = Instant::now();
            let _ = guard(&unit.repeat(MAX_BYTES / unit.len()));
            assert!(started.elapsed() < Duration::from_millis(500), "{unit}: {:?}", started.elapsed());
        }
    }

    #[test]
    fn what_the_compiler_generates_is_refused_with_a_remedy() {
        for (source, cause) in [
            ("const a = 1; diagnostic(off, derivative_uniformity);", "remove this directive"),
            ("@group(0) @binding(0) var<storage> x: f32;", "generates bindings; declare ports in the header"),
            ("@ /* */ compute @workgroup_size(1) fn main() {}", "generates the entry point"),
            ("var < uniform > a: f32;", "declare ports"),
            ("override a = 1;", "@param"),
            ("fn _f() {}", "belong to the compiler"),
            ("fn f(_a: f32) {}", "belong to the compiler"),
            ("fn f() { let _ = 1; }", "belong to the compiler"),
            ("fn f() { loop { _rounds = 0; } }", "belong to the compiler"),
        ] {
            assert_refused(source, cause);
        }
        let refusal = guard("// π\n/* π */ enable f16;").expect_err("a directive");
        assert_eq!((refusal.line, refusal.column), (2, 9));
    }

    #[test]
    fn innocent_stages_pass() {
        let table = format!("const T = array<vec2<f32>, 150>({});", "vec2<f32>(1, 2), ".repeat(150));
        for source in [
            "//! Title\n//! @in a: Grid<f32>  enable _x\nfn stage(cell: Cell) -> f32 { return a(cell); }",
            "struct Ray { @align(16) origin: Vec, hits: array<vec4<f32>, 64> } alias Rays = array<Ray, 60>;",
            "var<private> seed: u32; fn f(p: ptr<function, array<array<f32, 2>, 3>>) { _ = seed; (*p)[0][1] = -(-1.0); }",
            "fn f(a: f32) -> f32 { if a < 1 && a > 0 { return 1; } else if a>=2 { return (2); } return select(a, -a, a<0); }",
            "fn f(i: i32) -> i32 { switch i { case 0, 1: { return 1; } default { return i >> 1u; } } }",
            &series(400, "const C# = array<f32, 2>(#, @);"),
            &table,
        ] {
            assert_eq!(guard(source), Ok(()), "{source}");
        }
    }
}
