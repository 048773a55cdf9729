//! The editor: a window on a document, its graph and its running simulation. A thin client of the library; whatever it
//! does, a program can do. Five floors, each of which imports those below it: what is edited and runs (`model`), commands and
//! their keys (`commands`), widgets that panes share (`toolkit`), the panes (`panes`), and the window around them (`shell`).

mod commands;
mod model;
mod panes;
mod shell;
mod toolkit;

#[cfg(test)]
#[path = "../../tests/editor/renderer.rs"]
mod test_renderer;

pub use model::disk::Source;
pub use model::settings::Folders;
pub use model::storage;
pub use shell::{Editor, device_setup, run};
