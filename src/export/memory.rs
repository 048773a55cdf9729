//! Host memory of frames on their way to the disk.

use std::sync::{Condvar, Mutex, PoisonError};

/// What all exports of the process hold together \[bytes\]; a single frame may be larger.
const LIMIT: usize = 1 << 30;

static HELD: Mutex<usize> = Mutex::new(0);
static FREED: Condvar = Condvar::new();

/// The share of one frame; dropping it lets others in.
#[derive(Debug)]
pub(super) struct Share(usize);

impl Share {
    /// Waits until there is room for so many bytes.
    pub(super) fn take(bytes: usize) -> Share {
        let mut held = HELD.lock().unwrap_or_else(PoisonError::into_inner);
        while *held > 0 && held.saturating_add(bytes) > LIMIT {
            held = FREED.wait(held).unwrap_or_else(PoisonError::into_inner);
        }
        *held += bytes;
        Share(bytes)
    }
}

impl Drop for Share {
    fn drop(&mut self) {
        *HELD.lock().unwrap_or_else(PoisonError::into_inner) -= self.0;
        FREED.notify_all();
    }
}

#[cfg(test)]
mod tests {
    use std::sync::mpsc::RecvTimeoutError;
    use std::time::Duration;

    use super::*;
    use crate::background::answer;

    #[test]
    fn a_frame_waits_until_others_are_written() {
        let first = Share::take(LIMIT);
        let receiver = answer("share", || (), || drop(Share::take(1)));
        assert_eq!(receiver.recv_timeout(Duration::from_millis(50)), Err(RecvTimeoutError::Timeout));
        drop(first);
        receiver.recv_timeout(Duration::from_secs(20)).unwrap();
    }
}
