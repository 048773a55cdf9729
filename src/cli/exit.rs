//! The end of the process while a driver still compiles.

use std::io::Write;

/// Ends the process at once. Exit handlers would free the driver's memory while a thread is still inside its compiler,
/// and the process would crash instead of ending with its exit code.
pub fn leave(code: u8) -> ! {
    // Output is flushed line by line. If this fails, nobody reads it.
    let _ = std::io::stdout().flush();
    #[cfg(unix)]
    #[allow(unsafe_code)]
    // SAFETY: `_exit` takes any number and does not return. Files that must be complete were written and renamed
    // before.
    unsafe {
        libc::_exit(i32::from(code))
    }
    #[cfg(not(unix))]
    std::process::exit(i32::from(code))
}
