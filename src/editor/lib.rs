//! The editor: a window on a document, its graph and its running simulation. A thin client of the library; whatever it
//! does, a program can do. Five floors, each of which imports those below it: what is edited and runs (`model`), commands and
//! their keys (`commands`), widgets that panes share (`toolkit`), the panes (`panes`), and the window around them (`shell`).

#![cfg_attr(not(test), deny(clippy::unwrap_used, clippy::expect_used))]
#![deny(unsafe_code)]
#![warn(unreachable_pub, missing_docs)]

#[cfg(test)]
use stagewright_base::input;
use stagewright_base::{background, cache, cancel, curve, expr, files, printable, problem, threads};
use stagewright_compiler as plan;
use stagewright_export as export;
use stagewright_export::sweep;
use stagewright_formats as formats;
use stagewright_language::{document, edit, graph, library, stage};
use stagewright_runtime::{asset, bake, gpu, sim, tune};

mod commands;
mod model;
mod panes;
mod shell;
mod toolkit;

pub use model::disk::Source;
pub use model::settings::Folders;
pub use model::storage;
pub use shell::{Editor, device_setup, run};
