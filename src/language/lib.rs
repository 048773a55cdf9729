//! The language: graph files ([`document`]), stages and their headers ([`stage`]), what comes with the program ([`library`]),
//! flattened and typed graphs ([`graph`]), and edits ([`edit`]).

#![cfg_attr(not(test), deny(clippy::unwrap_used, clippy::expect_used))]
#![deny(unsafe_code)]
#![warn(unreachable_pub, missing_docs)]

pub mod document;
pub mod edit;
pub mod graph;
pub mod library;
pub mod stage;

use stagewright_base::{arena, curve, expr, files, input, printable, problem, spelling, threads};
use stagewright_formats as formats;
