//! Stagewright compiles a graph of GPU stages into an ordered list of compute dispatches and runs it.

#[cfg(feature = "editor")]
pub mod app;
pub mod document;
pub mod export;
pub mod expr;
pub mod gpu;
pub mod graph;
pub mod library;
pub mod plan;
pub mod problem;
pub mod sim;
pub mod stage;

/// Runs `work` on a thread with a deep stack. Graphs and shader text nest as deep as a person likes, and both the walk
/// over a graph and the shader compiler recurse. Where no thread can be had, it runs here.
pub(crate) fn deep_stack<T: Send>(work: impl FnOnce() -> T + Send) -> T {
    const STACK: usize = 256 << 20; // Address space only; pages come as they are touched.
    let slot = std::sync::Mutex::new(Some(work));
    let take = || slot.lock().ok().and_then(|mut work| work.take()).map(|work| work());
    let value = std::thread::scope(|scope| {
        let thread = std::thread::Builder::new().stack_size(STACK).spawn_scoped(scope, take);
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
