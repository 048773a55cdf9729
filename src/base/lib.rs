//! What stands below everything else and knows neither graphs nor a GPU: threads, files, caches, problems, curves, expressions.

#![cfg_attr(not(test), deny(clippy::unwrap_used, clippy::expect_used))]
#![deny(unsafe_code)]
#![warn(unreachable_pub, missing_docs)]

pub mod arena;
pub mod background;
pub mod cache;
pub mod cancel;
pub mod curve;
pub mod expr;
pub mod files;
pub mod input;
pub mod printable;
pub mod problem;
pub mod quiet;
pub mod quoting;
pub mod spelling;
pub mod threads;
