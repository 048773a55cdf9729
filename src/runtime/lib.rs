//! Runs plans: files become values of a simulation ([`asset`]), a device runs dispatches ([`gpu`]), a simulation steps, plays back
//! and is inspected ([`sim`]); tuning, bakes and benchmarks use it.

#![cfg_attr(not(test), deny(clippy::unwrap_used, clippy::expect_used))]
#![deny(unsafe_code)]
#![warn(unreachable_pub, missing_docs)]

pub mod asset;
pub mod bake;
pub mod bench;
pub mod gpu;
pub mod sim;
pub mod tune;

use stagewright_base::{
    arena, background, cache, cancel, curve, expr, files, input, printable, problem, quiet, quoting, threads,
};
use stagewright_compiler as plan;
use stagewright_formats as formats;
use stagewright_language::{document, graph, library, stage};
