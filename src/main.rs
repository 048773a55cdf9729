//! The `stagewright` program: the command line, and the door to the editor.

use std::process::ExitCode;

mod cli;

fn main() -> ExitCode {
    cli::main()
}
