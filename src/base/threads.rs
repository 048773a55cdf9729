//! Threads with deep stacks, and waiting for a thread with a time limit.

/// Stack of threads that traverse graphs and shader text \[bytes\]. Address space only: pages come as they are touched.
pub const STACK: usize = 256 << 20;

thread_local! {
    static IS_DEEP: std::cell::Cell<bool> = const { std::cell::Cell::new(false) };
}

/// Starts a thread with a deep stack.
///
/// # Errors
/// When the system starts none.
pub(crate) fn spawn(name: &str, work: impl FnOnce() + Send + 'static) -> std::io::Result<std::thread::JoinHandle<()>> {
    let deep = move || {
        IS_DEEP.set(true);
        work();
    };
    std::thread::Builder::new().name(name.into()).stack_size(STACK).spawn(deep)
}

/// Runs `work` on a thread with a deep stack. Graphs and shader text can nest deeply, and both the traversal of a graph
/// and the shader compiler recurse. Where the current thread is such a thread, or none can be started, `work` runs
/// here.
pub fn deep_stack<T: Send>(work: impl FnOnce() -> T + Send) -> T {
    if IS_DEEP.get() {
        return work();
    }
    let slot = std::sync::Mutex::new(Some(work));
    let take = || slot.lock().ok().and_then(|mut work| work.take()).map(|work| work());
    let deep = || {
        IS_DEEP.set(true);
        take()
    };
    let value = std::thread::scope(|scope| {
        let thread = std::thread::Builder::new().stack_size(STACK).spawn_scoped(scope, deep);
        match thread.map(|handle| handle.join()) {
            Ok(Ok(value)) => value,
            Ok(Err(panic)) => std::panic::resume_unwind(panic),
            Err(_) => take(),
        }
    });
    match value {
        Some(value) => value,
        None => unreachable!("the work is taken once"),
    }
}

/// Waits for a thread to end, at most for `timeout`; after that the thread is abandoned. Returns whether it has ended. A
/// panic in it is not reported here.
pub fn join_within(thread: std::thread::JoinHandle<()>, timeout: std::time::Duration) -> bool {
    let started = std::time::Instant::now();
    while !thread.is_finished() {
        if started.elapsed() >= timeout {
            return false;
        }
        std::thread::sleep(std::time::Duration::from_millis(2));
    }
    let _ = thread.join();
    true
}
