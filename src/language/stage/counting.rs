//! Whether a stage only counts: everything that it adds to a grid is the literal one.

use super::definition::Stage;
use super::syntax::{closing, text, tokens};

impl Stage {
    /// Whether every call of `add_PORT` adds the literal one. Such a sum cannot overflow 32 bits with the additions of
    /// one dispatch.
    pub fn counts(&self, port: &str) -> bool {
        let tokens = tokens(&self.source);
        let call = format!("add_{port}");
        let text = |i: usize| text(&tokens, i);
        (0..tokens.len()).filter(|i| text(*i) == call).all(|i| {
            let end = closing(&tokens, i + 1);
            end.is_some_and(|end| end >= 2 && matches!(text(end - 1), "1" | "1u" | "1i") && text(end - 2) == ",")
        })
    }

    /// Whether the text names a function within a loop.
    pub fn calls_in_loop(&self, function: &str) -> bool {
        let tokens = tokens(&self.source);
        let text = |i: usize| text(&tokens, i);
        let loops = (0..tokens.len()).filter(|i| matches!(text(*i), "for" | "while" | "loop"));
        let bodies = loops.filter_map(|at| {
            let open = (at..tokens.len()).find(|i| text(*i) == "{")?;
            Some(open..closing(&tokens, open)?)
        });
        bodies.into_iter().any(|mut body| body.any(|i| text(i) == function))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn counts(body: &str) -> bool {
        let source = format!("//! T\n//! @out n: Grid<u32>, scatter\nfn stage(cell: Cell) {{ {body} }}");
        Stage::parse("t", &source).unwrap().counts("n")
    }

    #[test]
    fn a_call_within_a_loop_is_found() {
        let within = |body: &str| {
            let source = format!("//! T\n//! @out n: Grid<f32>, scatter 16\nfn stage(cell: Cell) {{ {body} }}");
            Stage::parse("t", &source).unwrap().calls_in_loop("add_n")
        };
        assert!(within("for (var i = 0; i < 4; i++) { if i > 1 { add_n(cell, 0.5); } }"));
        assert!(within("var i = 0; while i < 4 { i++; add_n(cell, 0.5); }"));
        assert!(!within("for (var i = 0; i < 4; i++) { } add_n(cell, 0.5);"));
        assert!(!within("add_n(cell, 0.5); add_n(cell, 0.25);"));
    }

    #[test]
    fn a_stage_counts_when_all_it_adds_is_one() {
        assert!(counts("add_n(cell, 1u);"));
        assert!(counts("add_n(max(cell, Cell(1, 2)), 1);"));
        assert!(!counts("add_n(cell, 1u + 1u);"));
        assert!(!counts("add_n(cell, 2u);"));
        assert!(!counts("add_n(cell, 1u); add_n(cell, u32(cell.x));"));
    }
}
