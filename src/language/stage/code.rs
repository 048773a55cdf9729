//! The text of a stage without what computes nothing.

use super::syntax::tokens;

/// A text that is equal for stages which differ by comments and white space alone: the lines of the header, and the words of the code.
pub fn code(source: &str) -> String {
    let header = source.lines().map(str::trim).filter(|line| line.starts_with("//!"));
    let words = tokens(source).into_iter().map(|token| token.text);
    header.chain(words).collect::<Vec<_>>().join("\n")
}
