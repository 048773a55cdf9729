//! Separates loops that are proven to end soon from those that need a budget at run time.
//!
//! A `for` is *proven* when its header alone bounds its trip count: start, bound and step are known intervals of
//! integers, it steps towards the bound without wrapping around, and its body cannot write the counter. Proven loops
//! run as written, so a driver can unroll them. Every other loop calls `_loop_spent()` first in each iteration.
//!
//! The product of the trip counts of nested loops is bounded as well, including through calls: three nested loops of a
//! thousand iterations do end, but would hang the machine.

use std::collections::{HashMap, HashSet};

use super::syntax::{Block, Edits, Token, blocks, line_col, may_write, tokens};
use interval::{Interval, Scope};

pub(super) use search::{Search, search};

mod candidate_mask;
mod interval;
mod search;
pub(super) mod window;

/// The first statement in each iteration of an unproven loop; the compiler generates the function.
pub(super) const CHECK: &str = " if (_loop_spent()) { break; }";

/// Limit of a proven loop's iterations, multiplied by those of the loops inside it and of the functions that it calls.
const MAX_ROUNDS: u64 = 1_048_576;
/// Limit of proven iterations within each iteration of a loop with a budget; a 4x4x4 neighbourhood is within it.
const MAX_ROUNDS_IN_BUDGETED: u64 = 64;
/// Limit of nested loops and calls that are analysed; anything deeper is not proven.
const MAX_LEVELS: usize = 64;

/// The source with a budget in each unproven loop, and the lines (from 1) of those loops.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct LoopReport {
    pub source: String,
    pub unproven: Vec<usize>,
}

/// Finds all loops and adds a budget to those whose trip count cannot be bounded.
///
/// `constants` gives the compiler's own constants (`DIM`, `FACES`), which must be `i32` or untyped; names that the
/// source declares itself are not looked up there. `params_max` gives the lowest and highest value of a parameter that
/// can ever reach the GPU, rounded outwards, and `None` where it has no range. `advances`: whether a function advances
/// a search to the next neighbour, which always ends. `pure`: whether a function has no side effects and reads nothing
/// that the stage writes.
pub(super) fn bound_loops(
    source: &str,
    constants: &dyn Fn(&str) -> Option<i64>,
    params_max: &dyn Fn(&str) -> Option<(i64, i64)>,
    advances: &dyn Fn(&str) -> bool,
    pure: &dyn Fn(&str) -> bool,
) -> LoopReport {
    let tokens = tokens(source);
    let scope = Scope::new(&tokens, constants, params_max);
    let blocks = blocks(&tokens);
    let proofs =
        blocks.iter().enumerate().filter_map(|(id, block)| Some((id, trips(block, &tokens, &scope, advances)?)));
    let mut rounds = Rounds { blocks: &blocks, trips: proofs.collect(), costs: HashMap::new() };
    for id in 0..blocks.len() {
        rounds.cost_of(id, 0);
    }
    rounds.limit_inside_budgeted();
    instrument(source, &tokens, &rounds, pure)
}

/// Assumed trip count of a loop over neighbours. It always ends, at the latest after as many iterations as a budget
/// has.
const NEIGHBOR_ROUNDS: u64 = 1024;

/// Maximum trip count of a loop from its own header; `None` without a proof.
fn trips<'a>(block: &Block, tokens: &[Token<'a>], scope: &Scope<'a>, advances: &dyn Fn(&str) -> bool) -> Option<u64> {
    if let Some((_, port, iterator)) = over_neighbors(block, tokens) {
        let body = tokens.get(block.open?..block.close)?;
        return (advances(&format!("{port}_next")) && !may_write(body, iterator)).then_some(NEIGHBOR_ROUNDS);
    }
    counting(block, tokens, scope).map(|(_, trips, _)| trips)
}

/// The counter of a loop that a `for` header bounds, its maximum trip count, and its interval in the body.
fn counting<'a>(block: &Block, tokens: &[Token<'a>], scope: &Scope<'a>) -> Option<(&'a str, u64, Interval)> {
    let header = tokens.get(block.keyword..block.open?)?;
    let [Token { text: "for", .. }, Token { text: "(", .. }, header @ .., Token { text: ")", .. }] = header else {
        return None;
    };
    let mut parts = header.split(|token| token.text == ";");
    let start = parts.next()?;
    let condition = parts.next()?;
    let step = parts.next()?;
    let (counter, trips, values) = scope.counting(start, condition, step)?;
    let body = tokens.get(block.open?..block.close)?;
    (parts.next().is_none() && !may_write(body, counter)).then_some((counter, trips, values))
}

/// Worst-case cost of each block.
struct Rounds<'b> {
    blocks: &'b [Block],
    /// Trip counts of the proven loops.
    trips: HashMap<usize, u64>,
    costs: HashMap<usize, u64>,
}

impl Rounds<'_> {
    /// Iterations that a block costs, without those that the budget counts. A loop with too many counts as unproven.
    fn cost_of(&mut self, id: usize, level: usize) -> u64 {
        let blocks = self.blocks;
        let Some(block) = blocks.get(id) else { return 0 };
        if let Some(rounds) = self.costs.get(&id) {
            return *rounds;
        }
        if level > MAX_LEVELS {
            return u64::MAX;
        }
        // A recursion reads this value, so that no loop around it is proven.
        self.costs.insert(id, u64::MAX);
        let inside = block.uses.iter().fold(0u64, |sum, used| sum.saturating_add(self.cost_of(*used, level + 1)));
        let mut rounds = inside;
        if block.is_loop {
            let trips = self.trips.get(&id).copied().unwrap_or(0);
            rounds = trips.saturating_mul(inside.max(1));
            if rounds > MAX_ROUNDS {
                self.trips.remove(&id);
                rounds = 0;
            }
        }
        self.costs.insert(id, rounds);
        rounds
    }

    fn is_unproven(&self, id: usize) -> bool {
        self.blocks.get(id).is_some_and(|block| block.is_loop) && !self.trips.contains_key(&id)
    }

    /// What runs in each of a budget's 60,000 iterations must be short, or use the budget itself.
    fn limit_inside_budgeted(&mut self) {
        let mut pending: Vec<usize> = (0..self.blocks.len()).filter(|id| self.is_unproven(*id)).collect();
        let mut seen = HashSet::new();
        while let Some(id) = pending.pop() {
            let blocks = self.blocks;
            let Some(block) = blocks.get(id).filter(|_| seen.insert(id)) else { continue };
            for used in block.uses.iter().copied() {
                if self.cost_of(used, 0) > MAX_ROUNDS_IN_BUDGETED {
                    self.trips.remove(&used);
                    pending.push(used);
                }
            }
        }
    }
}

/// Puts the check into every unproven loop, and splits loops over neighbours into one over rows of cells and one over
/// the entries of a row, so that the lanes of a GPU reconverge after each row. The inner one runs in batches if a
/// candidate mask can be computed before the entries are visited.
fn instrument(source: &str, tokens: &[Token<'_>], rounds: &Rounds<'_>, pure: &dyn Fn(&str) -> bool) -> LoopReport {
    let mut edits: Vec<(usize, usize, String)> = Vec::new();
    let mut unproven = Vec::new();
    for (id, block) in rounds.blocks.iter().enumerate().filter(|(_, block)| block.is_loop) {
        let start = |index: usize| tokens.get(index).map(|token| token.start);
        let (Some(keyword), Some(open)) = (start(block.keyword), block.open.and_then(start)) else { continue };
        if rounds.is_unproven(id) {
            edits.push((open + 1, 0, CHECK.to_string()));
            unproven.push(line_col(source, keyword).0);
        } else if let (Some((at, port, iterator)), Some(close)) = (over_neighbors(block, tokens), start(block.close)) {
            let body = block.open.and_then(|open| tokens.get(open + 1..block.close)).unwrap_or_default();
            let rows = format!("while (_row_{port}(&{iterator})) {{ ");
            let each = format!("for (var _k = 0u; _k < {iterator}._some; _k++) {{ _look_{port}(&{iterator}, _k);");
            let next = port.len() + "_next".len();
            if let Some(marking) = candidate_mask::marking(body, iterator, pure) {
                edits.push((keyword, 0, format!("{rows}while (_batch_{port}(&{iterator})) {{ {each} {marking} }} ")));
                edits.push((at, next, format!("_take_{port}")));
                edits.push((close + 1, 0, " } }".into()));
            } else if body.iter().any(|token| token.text == "break") {
                // A `break` out of the loop over a row must also leave the loop over rows.
                edits.push((keyword, 0, rows));
                edits.push((at, next, format!("_step_{port}")));
                edits.push((close + 1, 0, " }".into()));
            } else {
                // Line numbers are kept.
                let header = source.get(keyword..=open).unwrap_or_default();
                let lines = "\n".repeat(header.matches('\n').count());
                edits.push((
                    keyword,
                    header.len(),
                    format!("{rows}{iterator}._entry = {iterator}._end; {each}{lines}"),
                ));
                edits.push((close + 1, 0, " }".into()));
            }
        }
    }
    edits.sort();
    let mut out = Edits::new(source);
    edits.iter().for_each(|(at, removed, inserted)| out.replace(*at, at + removed, inserted));
    unproven.sort_unstable();
    LoopReport { source: out.finish(), unproven }
}

/// The position of the call in a loop such as `while (near_next(&it))`, and the names `near` and `it`.
fn over_neighbors<'a>(block: &Block, tokens: &[Token<'a>]) -> Option<(usize, &'a str, &'a str)> {
    let header = tokens.get(block.keyword..block.open?)?;
    let inner = match header {
        [Token { text: "while", .. }, Token { text: "(", .. }, inner @ .., Token { text: ")", .. }]
            if inner.len() == 5 =>
        {
            inner
        }
        [Token { text: "while", .. }, inner @ ..] => inner,
        _ => return None,
    };
    match inner {
        [next, Token { text: "(", .. }, Token { text: "&", .. }, iterator, Token { text: ")", .. }] => {
            Some((next.start, next.text.strip_suffix("_next")?, iterator.text))
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::{Duration, Instant};

    fn report(source: &str) -> LoopReport {
        let constants = |name: &str| match name {
            "DIM" => Some(2),
            "FACES" => Some(4),
            _ => None,
        };
        let params = |name: &str| match name {
            "radius" => Some((0, 16)),
            "stride" => Some((1, 8)),
            "start" => Some((-100, 100)),
            _ => None,
        };
        bound_loops(source, &constants, &params, &|name| name == "near_next", &|_| false)
    }

    fn in_stage(body: &str) -> String {
        format!("const N = 8; const M: u32 = 4u * K; const K = 2u; fn stage(cell: Cell) -> f32 {{ {body} }}")
    }

    #[test]
    fn headers_that_bound_their_trips_are_proven() {
        for header in [
            "var face = 0; face < FACES; face++",
            "var x = -params.radius; x <= params.radius; x++",
            "var i: u32 = 0u; i < M; i += 2u",
            "var i = 0; params.radius - 1 > i; i = i + 1",
            "var i = N - 1; i >= 0; i--",
            "var i = 3u; i > 0u; i--",
            "var i = params.start; i < 0x10 * (N + DIM); i += params.stride",
            "var i = i32(params.radius) * 2; i > -4i; i -= 3",
            "var i = 0; i < 65536; i++",
        ] {
            let source = in_stage(&format!("for ({header}) {{ sum += x(i) * f32(face == 1 && i <= 3) - y.i; }}"));
            assert_eq!(report(&source), LoopReport { source: source.clone(), unproven: vec![] }, "{header}");
        }
    }

    #[test]
    fn stages_of_the_manual_run_as_written() {
        let jacobi = "//! for (;;) { in a comment }\nfn stage(cell: Cell) -> f32 {\n    var sum = 0.0;
            for (var face = 0; face < FACES; face++) { sum += pressure(neighbor(cell, face)); }
            let swept = (sum - divergence(cell) * CELL_SIZE * CELL_SIZE) / f32(FACES);
            return mix(pressure(cell), swept, params.relaxation);\n}";
        let bilateral = "fn weight(d: f32) -> f32 { return exp(-d * d); }\nfn stage(cell: Cell) -> vec4f {
            var sum = vec4f();
            for (var y = -params.radius; y <= params.radius; y++) {
                for (var x = -params.radius; x <= params.radius; x++) {
                    if x == 0 && y >= 1 { continue; }
                    sum += image(cell + vec2i(x, y)) * weight(f32(x * x + y * y));
                }
            }
            return sum;\n}";
        for stage in [jacobi, bilateral] {
            assert_eq!(report(stage), LoopReport { source: stage.to_string(), unproven: vec![] });
        }
    }

    #[test]
    fn other_headers_get_a_budget() {
        for header in [
            "for (;;)",
            "while true",
            "loop",
            "for (var i = 0; i < 8; i--)",
            "for (var i = 8; i > 0; i++)",
            "for (var i = 0; i < 8; i += 0)",
            "for (var i = 0; i < 8; i += params.radius)",
            "for (var i = 0; i < 8; j++)",
            "for (var i = 0; i <= 2147483647; i++)",
            "for (var i = 0; i < 65537; i++)",
            "for (var i = 8u; i >= 0u; i--)",
            "for (var i = 9u; i > 0u; i -= 2u)",
            "for (var i = params.radius; i >= 0; i--)",
            "for (var i = 0u; i < params.radius - 1u; i++)",
            "for (var i = 0; i < i32(params.radius - 1); i++)",
            "for (var i = 0; i < count; i++)",
            "for (var i = 0; i < params.unknown; i++)",
            "for (var i = 0; i < params.radius.x; i++)",
            "for (var i: f32 = 1073741824; i < 1073741840; i += 1)",
            "for (var i = 0; i < 8 || x; i++)",
            "for (var i = 0; i < N + i; i++)",
            "for (let i = 0; i < N; i++)",
        ] {
            let source = in_stage(&format!("\n{header} @a(b) {{ a(); }}"));
            let expected = source.replacen("@a(b) {", "@a(b) { if (_loop_spent()) { break; }", 1);
            assert_eq!(report(&source), LoopReport { source: expected, unproven: vec![2] }, "{header}");
        }
    }

    #[test]
    fn lets_and_clamped_numbers_bound_loops() {
        let unproven = |body: &str| report(&in_stage(body)).unproven;
        for body in [
            "let half = clamp(i32(sqrt(f(a, b[1]))), 0, params.radius); for (var i = -half; i <= half; i++) { }",
            "let n = 4; let m = 2 * n; for (var i = 0; i < m; i++) { }",
            "{ let n = 4; for (var i = 0; i < n; i++) { } } { let n = 5; for (var i = 0; i < n; i++) { } }",
            "for (var i = 0; i < clamp(f(), 2, N); i++) { }",
        ] {
            assert_eq!(unproven(body), [0usize; 0], "{body}");
        }
        for body in [
            "let n = f(); for (var i = 0; i < n; i++) { }",
            "let n = clamp(2, 0, f()); for (var i = 0; i < n; i++) { }",
            "let n = clamp(f(), 0, 2000000000); for (var i = n; i < 2000000010; i += 1) { }",
            "{ let n = 4; for (var i = 0; i < n; i++) { } } { let n = f(); }",
            "var n = 4; for (var i = 0; i < n; i++) { }",
            "let n = 3u - 5u; for (var i = 0u; i < n; i++) { }",
        ] {
            assert_eq!(unproven(body), [1], "{body}");
        }
        // Outside its scope, the name is the compiler's own.
        for name in ["DIM", "iteration", "WIDENING"] {
            let body = format!("g(); {{ let {name} = 1; }} }} fn g() {{ for (var i = 0; i < {name}; i++) {{ }}");
            assert_eq!(unproven(&body), [1], "{name}");
        }
        let redefinition = "fn clamp(a: i32, b: i32, c: i32) -> i32 { return a; } ";
        assert_eq!(
            report(&(redefinition.to_string() + in_stage("for (var i = 0; i < clamp(f(), 0, 3); i++) { }").as_str()))
                .unproven,
            [1]
        );
    }

    #[test]
    fn loops_over_neighbours_end_by_themselves() {
        for body in
            ["var n = near(p); while (near_next(&n)) { f(n.index); }", "var n = near(p); while near_next(&n) { }"]
        {
            let report = report(&in_stage(body));
            assert!(report.unproven.is_empty(), "`{body}`");
            let rows = "while (_row_near(&n)) { n._entry = n._end; for (var _k = 0u; _k < n._some; _k++) { _look_near(&n, _k);";
            assert!(report.source.contains(rows) && report.source.trim_end().ends_with("} } }"), "{}", report.source);
        }
        for body in [
            "var n = near(p); while (near_next(&n)) { n = near(p); }",
            "var n = near(p); while (other_next(&n)) { }",
            "var n = near(p); while (near_next(&n) || true) { }",
            "var n = near(p); while (near_next(&n)) { while (near_next(&n)) { for (var i = 0; i < 100000; i++) { } } }",
        ] {
            assert!(!report(&in_stage(body)).unproven.is_empty(), "`{body}`");
        }
    }

    #[test]
    fn a_body_that_may_write_the_counter_is_not_proven() {
        for write in
            ["i = 0;", "i++;", "(i)--;", "i >>= 1u;", "*&i = 0;", "f(&(i));", "{ let i = 1; }", "{{ i -= 1; }}"]
        {
            let source = in_stage(&format!("for (var i = 0; i < 8; i++) {{ {write} }}"));
            assert_eq!(report(&source).unproven, [1], "{write}");
        }
    }

    #[test]
    fn a_name_that_may_be_shadowed_is_unknown() {
        let body = "for (var i = 0; i < N; i++) { } for (var i = 0; i < DIM; i++) { }";
        for shadow in
            ["let N = f(); let DIM = 9;", "var N: i32; var DIM: i32;", "for (var N = 0; N < f(); N++) { g(DIM: i32); }"]
        {
            assert!(report(&in_stage(&format!("{shadow} {body}"))).unproven.len() >= 2, "{shadow}");
        }
        let params = "fn g(params: P) { for (var i = 0; i < params.radius; i++) { } }";
        assert_eq!(report(params).unproven, [1]);
        assert_eq!(report("alias i32 = f32; fn g() { for (var i: i32 = 0; i < 4; i++) { } }").unproven, [1]);
    }

    #[test]
    fn rounds_multiply_through_loops_and_calls() {
        let count = |n: u32, body: &str| format!("for (var i{n} = 0; i{n} < {n}; i{n}++) {{\n{body} }}");
        let unproven = |source: &str| report(source).unproven;
        assert_eq!(unproven(&in_stage(&count(1024, &count(1023, "")))), [0usize; 0]);
        assert_eq!(unproven(&in_stage(&count(1024, &count(1025, "")))), [1, 2]);
        let callee = format!("\nfn f() {{ g(); }}\nfn g() {{ {} }}", count(60_000, ""));
        assert_eq!(unproven(&(in_stage(&count(17, "f();")) + callee.as_str())), [0usize; 0]);
        assert_eq!(unproven(&(in_stage(&count(18, "f();")) + callee.as_str())), [1, 4]);
        assert_eq!(unproven(&(in_stage(&count(9, "f(); f();")) + callee.as_str())), [1, 4]);
        assert_eq!(unproven(&(in_stage(&count(2, "h();")) + "fn h() { h(); }")), [1]);
        // Iterations with a budget must be short.
        assert_eq!(unproven(&in_stage(&format!("loop {{\n{} }}", count(8, &count(7, ""))))), [1]);
        assert_eq!(unproven(&in_stage(&format!("loop {{\n{} }}", count(65, &count(8, ""))))), [1, 2]);
        assert_eq!(unproven(&(in_stage("loop { f(); }") + callee.as_str())), [1, 3]);
    }

    #[test]
    fn any_text_is_read_in_no_time() {
        for unit in ["for(", "loop {", "}", "fn f(){f();", "for(var i=0;i<-", "const a=", "(", "const a=((", "while{}"]
        {
            let started = Instant::now();
            report(&unit.repeat(16 * 1024 / unit.len()));
            // Milliseconds when optimised; exponential growth would take minutes even on a busy machine.
            assert!(started.elapsed() < Duration::from_secs(30), "{unit}: {:?}", started.elapsed());
        }
    }
}
