//! How far from its own cell a stage reads a port.

use std::ops::Range;

use super::syntax::{Token, calls, stage_function, text};

/// How far from the computed cell a port is read, as far as the text proves it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Reach {
    /// The computed cell alone.
    Own,
    /// The computed cell and those across its faces.
    Faces,
    /// Anywhere: the text does not bound it.
    Anywhere,
}

/// The reach of a port, from the calls of its accessors. Only `x(cell)` and `x(neighbor(cell, ..))` inside `fn stage`,
/// with `cell` the function's own argument, count as near; every other call counts as anywhere.
pub(super) fn reach(port: &str, tokens: &[Token<'_>]) -> Reach {
    let text = |i: usize| text(tokens, i);
    let argument = own_cell(tokens);
    let (at, face) = (format!("{port}_at"), format!("{port}_face"));
    let mut reach = Reach::Own;
    for (i, name) in calls(tokens) {
        if name == at || name == face {
            return Reach::Anywhere;
        }
        if name != port {
            continue;
        }
        let Some((_, cell)) = argument.as_ref().filter(|(body, _)| body.contains(&i)) else {
            return Reach::Anywhere;
        };
        // Of several numbers in a cell the second argument says which.
        let here = text(i + 2) == *cell && matches!(text(i + 3), ")" | ",");
        let across = text(i + 2) == "neighbor" && text(i + 3) == "(" && text(i + 4) == *cell && text(i + 5) == ",";
        match (here, across) {
            (false, false) => return Reach::Anywhere,
            (true, _) => {}
            (_, true) => reach = Reach::Faces,
        }
    }
    reach
}

/// The body of `fn stage` as tokens, and the name of its argument; `None` where the body declares that name again.
pub(super) fn own_cell<'a>(tokens: &[Token<'a>]) -> Option<(Range<usize>, &'a str)> {
    let stage = stage_function(tokens)?;
    let (cell, _) = stage.first_argument(tokens);
    let declares = |at: usize| matches!(text(tokens, at), "let" | "var" | "const") && text(tokens, at + 1) == cell;
    (!stage.body.clone().any(declares)).then_some((stage.body, cell))
}
