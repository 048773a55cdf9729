//! Errors of expressions, with their position in the text.

use std::fmt;

/// Length limit of an expression \[bytes\].
pub const MAX_TEXT: usize = 4096;

/// A position in an expression's text, counted from 1 in characters.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ExprPlace {
    /// Line, counted from 1.
    pub line: usize,
    /// Column, counted from 1 \[characters\].
    pub column: usize,
}

impl ExprPlace {
    pub(super) fn at_byte(text: &str, byte: usize) -> ExprPlace {
        let before = text.get(..byte).unwrap_or(text);
        let line_start = before.rfind('\n').map_or(0, |newline| newline + 1);
        ExprPlace { line: before.matches('\n').count() + 1, column: before[line_start..].chars().count() + 1 }
    }
}

impl fmt::Display for ExprPlace {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.line {
            1 => write!(f, "column {}", self.column),
            line => write!(f, "line {line}, column {}", self.column),
        }
    }
}

/// Why an expression has no value, in one sentence; the caller adds the node and the parameter.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum ExprError {
    /// The text is empty.
    #[error("the expression is empty; write a number such as 0.5")]
    Empty,
    /// The text has this many bytes, which is too many.
    #[error("the expression has {0} bytes and may have {MAX_TEXT}")]
    TooLong(usize),
    /// The text is invalid, independent of the frame.
    #[error("{message}{}", .place.map(|place| format!(" ({place})")).unwrap_or_default())]
    Text {
        /// Place in the text, if known.
        place: Option<ExprPlace>,
        /// What is wrong.
        message: String,
    },
    /// An argument outside a function's domain in this frame.
    #[error("{message} at time {time} s{}", .place.map(|place| format!(" ({place})")).unwrap_or_default())]
    Domain {
        /// Place in the text, if known.
        place: Option<ExprPlace>,
        /// What is wrong.
        message: String,
        /// Time of the frame \[s\].
        time: f64,
    },
    /// The result is NaN or infinite.
    #[error("the expression gives {value} at time {time} s")]
    NotFinite {
        /// The result.
        value: f64,
        /// Time of the frame \[s\].
        time: f64,
    },
}

impl ExprError {
    /// Place in the text, if known.
    pub fn place(&self) -> Option<ExprPlace> {
        match self {
            ExprError::Text { place, .. } | ExprError::Domain { place, .. } => *place,
            ExprError::Empty | ExprError::TooLong(_) | ExprError::NotFinite { .. } => None,
        }
    }
}
