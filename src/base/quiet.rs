//! Calls into libraries that panic where they should return an error.

use std::cell::Cell;
use std::panic::{AssertUnwindSafe, catch_unwind, set_hook, take_hook};
use std::sync::Once;

thread_local! {
    static QUIET: Cell<bool> = const { Cell::new(false) };
}

/// The result, or `None` where the call panics. The panic is not printed: the caller reports the failure to the user.
pub fn quietly<T>(call: impl FnOnce() -> T) -> Option<T> {
    static HOOK: Once = Once::new();
    HOOK.call_once(|| {
        let before = take_hook();
        set_hook(Box::new(move |panic| {
            // Panics of other threads are printed as usual.
            if !QUIET.try_with(Cell::get).unwrap_or(false) {
                before(panic);
            }
        }));
    });
    let outer = QUIET.replace(true);
    let result = catch_unwind(AssertUnwindSafe(call));
    QUIET.set(outer);
    result.ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_panic_is_an_absent_result() {
        assert_eq!(quietly(|| 1), Some(1));
        assert_eq!(quietly(|| quietly(|| panic!("inside")).unwrap_or(2)), Some(2));
        assert_eq!(quietly(|| -> u32 { panic!("this is not printed") }), None);
        assert!(!QUIET.get());
    }
}
