//! Time limit of a check. It uses the CPU time of the checking thread, so that a busy or suspended machine rejects
//! nothing.

use std::cell::Cell;
use std::panic;
use std::path::PathBuf;
use std::sync::Once;
use std::time::{Duration, Instant};

/// CPU time of one check. Text that passed the guard takes milliseconds; text that takes longer is hostile.
const CPU: Duration = Duration::from_secs(2);
/// Wall-clock limit for systems that do not report the CPU time of a thread.
const WALL: Duration = Duration::from_secs(30);

/// The clock of one thread, readable from others.
#[derive(Clone, Debug, Default)]
pub(crate) struct ThreadClock {
    /// File whose first number is the thread's CPU time \[ns\]. Linux only.
    file: Option<PathBuf>,
}

impl ThreadClock {
    /// The clock of the calling thread.
    pub(crate) fn current() -> ThreadClock {
        let thread = std::fs::read_link("/proc/thread-self").ok();
        let file = thread.map(|thread| PathBuf::from("/proc").join(thread).join("schedstat"));
        ThreadClock { file: file.filter(|file| file.is_file()) }
    }

    fn cpu(&self) -> Option<Duration> {
        let text = std::fs::read_to_string(self.file.as_ref()?).ok()?;
        text.split_whitespace().next()?.parse().ok().map(Duration::from_nanos)
    }

    /// Starts to measure a check.
    pub(crate) fn start(&self) -> Started {
        Started { clock: self.clone(), wall: Instant::now(), cpu: self.cpu() }
    }
}

/// A check in progress.
#[derive(Clone, Debug)]
pub(crate) struct Started {
    clock: ThreadClock,
    wall: Instant,
    cpu: Option<Duration>,
}

impl Started {
    /// Whether the check has taken longer than any valid text does.
    pub(crate) fn is_over(&self) -> bool {
        match (self.cpu, self.clock.cpu()) {
            (Some(before), Some(now)) => now.saturating_sub(before) > CPU,
            _ => self.wall.elapsed() > WALL,
        }
    }
}

thread_local! {
    static QUIET: Cell<bool> = const { Cell::new(false) };
}

/// Runs work whose panics are caught and reported by the caller, without the panic message on standard error. Panics of
/// other threads are printed as usual.
pub(crate) fn without_panic_message<T>(work: impl FnOnce() -> T) -> T {
    static HOOK: Once = Once::new();
    HOOK.call_once(|| {
        let before = panic::take_hook();
        panic::set_hook(Box::new(move |info| {
            if !QUIET.try_with(Cell::get).unwrap_or(false) {
                before(info);
            }
        }));
    });
    let before = QUIET.replace(true);
    let done = work();
    QUIET.set(before);
    done
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn waiting_is_no_work() {
        let started = ThreadClock::current().start();
        std::thread::sleep(Duration::from_millis(50));
        let slept = started.clock.cpu().zip(started.cpu).map(|(now, before)| now - before);
        println!("50 ms asleep took {slept:?} of CPU time");
        assert!(slept.is_none_or(|slept| slept < Duration::from_millis(40)));
        assert!(!started.is_over());
    }

    #[test]
    fn work_is_counted_on_its_thread() {
        let (sender, receiver) = std::sync::mpsc::channel();
        let thread = std::thread::spawn(move || {
            sender.send(ThreadClock::current().start()).unwrap();
            let begun = Instant::now();
            let mut sum = 0u64;
            while begun.elapsed() < Duration::from_millis(300) {
                sum = std::hint::black_box(sum.wrapping_mul(3) + 1);
            }
            std::thread::sleep(Duration::from_millis(100));
            sum
        });
        let started = receiver.recv().unwrap();
        std::thread::sleep(Duration::from_millis(350));
        let worked = started.clock.cpu().zip(started.cpu).map(|(now, before)| now - before);
        println!("300 ms of work took {worked:?} of CPU time");
        assert!(worked.is_none_or(|worked| worked > Duration::from_millis(5)));
        thread.join().unwrap();
    }
}
