//! The `stagewright` program: the command line, and the door to the editor.

#![cfg_attr(not(test), deny(clippy::unwrap_used, clippy::expect_used))]
#![deny(unsafe_code)]

use std::io::Write;
use std::process::ExitCode;
use std::time::Duration;

mod cli;

/// Compiling a graph is many small allocations on all cores: it takes a tenth to a fifth less time with this one than with glibc's.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

/// How long the program waits at its end for a shader that the driver still compiles.
const PATIENCE: Duration = Duration::from_millis(500);

fn main() -> ExitCode {
    let code = cli::main();
    if code == cli::DRIVER || !stagewright::gpu::settle(PATIENCE) {
        leave(code);
    }
    ExitCode::from(code)
}

/// Ends the process at once. Exit handlers would take the driver's memory away from a thread that is inside of its compiler, and the
/// process would crash instead of ending with its code.
pub fn leave(code: u8) -> ! {
    // What is printed is flushed by the line; where it can't be, nobody reads it.
    let _ = std::io::stdout().flush();
    #[cfg(unix)]
    #[allow(unsafe_code)]
    // SAFETY: `_exit` takes any number and does not return. Files that have to be whole were written and renamed before.
    unsafe {
        libc::_exit(i32::from(code))
    }
    #[cfg(not(unix))]
    std::process::exit(i32::from(code))
}
