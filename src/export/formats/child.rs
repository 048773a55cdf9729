//! Another program that writes a file: what it says is read, and it is stopped when it does nothing for too long.

use std::io::{self, Read, Write};
use std::process::{Child as Process, ChildStdin, Command, ExitStatus, Stdio};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// What is kept of what the program reports, of its end \[bytes\].
const MAX_REPORT: usize = 1 << 12;
/// How often to check whether it has ended.
const POLL_INTERVAL: Duration = Duration::from_millis(10);
/// How long the last of its messages are waited for once it has ended.
const LAST_WORDS: Duration = Duration::from_millis(500);

/// What the threads around the program share.
struct Shared {
    process: Mutex<Process>,
    state: Mutex<State>,
    /// The end of what it has reported, and whether that is all.
    report: Mutex<(Vec<u8>, bool)>,
}

#[derive(Default)]
struct State {
    /// Since when it is waited for.
    waiting: Option<Instant>,
    timed_out: bool,
    /// Nobody asks any more.
    done: bool,
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// A running program. It is stopped when this is dropped.
pub(super) struct Child {
    shared: Arc<Shared>,
    input: Option<ChildStdin>,
}

impl Child {
    /// Starts a program that may do nothing for at most `limit` at a time.
    ///
    /// # Errors
    /// A program or a thread that can't be started.
    pub(super) fn start(mut command: Command, limit: Duration) -> io::Result<Child> {
        // Programs that it starts are stopped with it.
        #[cfg(unix)]
        std::os::unix::process::CommandExt::process_group(&mut command, 0);
        let mut process = command.stdout(Stdio::null()).stderr(Stdio::piped()).spawn()?;
        let (input, errors) = (process.stdin.take(), process.stderr.take());
        let (process, state) = (Mutex::new(process), Mutex::default());
        let shared = Arc::new(Shared { process, state, report: Mutex::default() });
        let child = Child { shared: shared.clone(), input };
        let (theirs, reading) = (shared.clone(), move || read(errors, &shared));
        // Not `background`: both threads end with the program that they watch, and an error in starting them is reported.
        std::thread::Builder::new().name("messages".into()).spawn(reading)?;
        std::thread::Builder::new().name("limit".into()).spawn(move || watch(&theirs, limit))?;
        Ok(child)
    }

    /// Passes bytes on.
    ///
    /// # Errors
    /// The program has ended, or was stopped.
    pub(super) fn input(&mut self, bytes: &[u8]) -> io::Result<()> {
        let Some(input) = &mut self.input else { return Err(io::ErrorKind::BrokenPipe.into()) };
        lock(&self.shared.state).waiting = Some(Instant::now());
        let written = input.write_all(bytes);
        lock(&self.shared.state).waiting = None;
        if written.is_err() {
            self.input = None;
        }
        written
    }

    /// Closes its input and waits for its end. `None` where it was stopped.
    pub(super) fn wait(&mut self) -> Option<ExitStatus> {
        self.input = None;
        lock(&self.shared.state).waiting.get_or_insert(Instant::now());
        let status = loop {
            let ended = lock(&self.shared.process).try_wait();
            match ended {
                Ok(Some(status)) => break Some(status),
                Ok(None) => std::thread::sleep(POLL_INTERVAL),
                Err(_) => break None,
            }
        };
        lock(&self.shared.state).waiting = None;
        status.filter(|_| !self.timed_out())
    }

    /// Whether the process was stopped, since it did nothing.
    pub(super) fn timed_out(&self) -> bool {
        lock(&self.shared.state).timed_out
    }

    /// The end of what it has reported.
    pub(super) fn report(&self) -> String {
        let since = Instant::now();
        // A program that it has started may keep the pipe open.
        while !lock(&self.shared.report).1 && since.elapsed() < LAST_WORDS {
            std::thread::sleep(POLL_INTERVAL);
        }
        String::from_utf8_lossy(&lock(&self.shared.report).0).into_owned()
    }
}

impl Drop for Child {
    fn drop(&mut self) {
        self.input = None;
        lock(&self.shared.state).done = true;
        stop(&self.shared);
        let _ = lock(&self.shared.process).wait();
    }
}

/// Reads all messages, so that the program never waits for a reader.
fn read(errors: Option<impl Read>, shared: &Shared) {
    let mut chunk = [0; 1 << 12];
    if let Some(mut errors) = errors {
        loop {
            match errors.read(&mut chunk) {
                Ok(count) if count > 0 => {
                    let kept = &mut lock(&shared.report).0;
                    kept.extend(chunk.iter().take(count));
                    kept.drain(..kept.len().saturating_sub(MAX_REPORT));
                }
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                _ => break,
            }
        }
    }
    lock(&shared.report).1 = true;
}

/// Stops the program once it has been waited for too long.
fn watch(shared: &Shared, limit: Duration) {
    loop {
        {
            let mut state = lock(&shared.state);
            if state.done {
                return;
            }
            if state.waiting.is_some_and(|since| since.elapsed() > limit) {
                state.timed_out = true;
                drop(state);
                return stop(shared);
            }
        }
        std::thread::sleep(POLL_INTERVAL);
    }
}

/// Ends the program, and those that it has started.
fn stop(shared: &Shared) {
    let mut process = lock(&shared.process);
    // The number of one that has ended may be that of another.
    if !matches!(process.try_wait(), Ok(None)) {
        return;
    }
    #[cfg(unix)]
    if let Ok(group) = i32::try_from(process.id()) {
        // SAFETY: the call takes numbers alone. The group is that of a child that has not been waited for, so no other has its number.
        #[allow(unsafe_code)]
        unsafe {
            libc::kill(-group, libc::SIGKILL);
        }
    }
    let _ = process.kill();
}

#[cfg(unix)]
#[cfg(test)]
mod tests {
    use super::*;

    fn shell(text: &str, limit: u64) -> Child {
        let mut command = Command::new("sh");
        command.args(["-c", text]).stdin(Stdio::piped());
        Child::start(command, Duration::from_millis(limit)).unwrap()
    }

    #[test]
    fn a_program_that_talks_much_is_heard_and_one_that_hangs_is_stopped_with_its_children() {
        let mut talks = shell("yes message | head -c 300000 >&2; echo end >&2; cat > /dev/null; exit 3", 20_000);
        talks.input(&[0; 100_000]).unwrap();
        assert_eq!(talks.wait().and_then(|status| status.code()), Some(3));
        let said = talks.report();
        assert!(said.ends_with("message\nend\n") && said.len() <= MAX_REPORT, "{}", said.len());
        for text in ["sleep 1000; true", "exec sleep 1000", "trap '' TERM; cat > /dev/null; sleep 1000; true"] {
            let since = Instant::now();
            let mut hangs = shell(text, 300);
            while hangs.input(&[0; 1 << 20]).is_ok() && since.elapsed() < Duration::from_secs(1) {}
            assert!(hangs.wait().is_none() && hangs.timed_out(), "{text}");
            assert!(since.elapsed() < Duration::from_secs(20), "{:?}", since.elapsed());
        }
        let mut dies = shell("exit 0", 20_000);
        while dies.input(&[0; 4096]).is_ok() {}
        assert!(dies.wait().is_some_and(|status| status.success()) && dies.report().is_empty());
        let since = Instant::now();
        drop(shell("sleep 1000; true", 1_000_000));
        assert!(since.elapsed() < Duration::from_secs(10));
    }
}
