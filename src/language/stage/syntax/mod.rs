//! The WGSL front end of the analyses: tokens, brackets, functions, statements, and edits that keep every other
//! character in place.
//!
//! Works on text, not on naga's IR: a stage calls accessors that do not exist before its ports are wired, its loops
//! get their budget before naga sees them, and every rewrite has to keep the author's lines and columns.

mod blocks;
mod brackets;
mod edits;
mod functions;
mod lex;
mod statements;
mod writes;

pub(crate) use blocks::{Block, blocks};
pub(crate) use brackets::{block_end, closing, top_level, unmatched};
pub use edits::Edits;
pub use functions::{Function, calls, functions, is_member, module_declarations, module_names, stage_function, text};
pub use lex::{Token, TokenKind, line_col, tokens};
pub use statements::{Statement, statements};
pub use writes::{assigns, may_write, written};
