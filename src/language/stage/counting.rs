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
}

#[cfg(test)]
mod tests {
    use super::*;

    fn counts(body: &str) -> bool {
        let source = format!("//! T\n//! @out n: Grid<u32>, scatter\nfn stage(cell: Cell) {{ {body} }}");
        Stage::parse("t", &source).unwrap().counts("n")
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
