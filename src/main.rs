//! The `stagewright` program: the command line, and the door to the editor.

#![deny(unsafe_code, clippy::unwrap_used, clippy::expect_used)]

use std::process::ExitCode;

mod cli;

fn main() -> ExitCode {
    cli::main()
}
