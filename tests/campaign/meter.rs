//! What a case costs: memory by an allocator that counts, time by the processor's clock, so that a busy machine makes no findings.
//! A case that goes beyond its limits ends its process, which says why.

use std::alloc::{GlobalAlloc, Layout};
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering::Relaxed};
use std::time::Duration;

use mimalloc::MiMalloc;
use rustix::time::{ClockId, clock_gettime};

/// Memory of a case \[bytes\].
pub const MAX_MEMORY: usize = 1 << 30;
/// Processor time of a case, of all threads. Without optimisation, and with the verifier after each pass, the program takes ten times as long.
pub const MAX_TIME: Duration = Duration::from_secs(if cfg!(debug_assertions) { 20 } else { 2 });
/// A case that computes nothing either, for so long, waits for what never comes.
const STALLED: Duration = Duration::from_secs(180);

static LIVE: AtomicUsize = AtomicUsize::new(0);
static PEAK: AtomicUsize = AtomicUsize::new(0);
static LIMIT: AtomicUsize = AtomicUsize::new(usize::MAX);
/// When the case began, by the processor's clock \[us\], and whether one runs.
static BEGAN: AtomicU64 = AtomicU64::new(0);
static RUNNING: AtomicBool = AtomicBool::new(false);
static CASES: AtomicU64 = AtomicU64::new(0);

/// The program's allocator, with a count of what is held.
pub struct Counting;

fn hold(bytes: usize) {
    let live = LIVE.fetch_add(bytes, Relaxed).wrapping_add(bytes);
    PEAK.fetch_max(live, Relaxed);
    if live > LIMIT.load(Relaxed) {
        finding("memory", "over 1 GB at once");
    }
}

// SAFETY: every call goes on to mimalloc as it is; what is counted besides touches no memory of the caller's.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        hold(layout.size());
        unsafe { MiMalloc.alloc(layout) }
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        hold(layout.size());
        unsafe { MiMalloc.alloc_zeroed(layout) }
    }

    unsafe fn dealloc(&self, block: *mut u8, layout: Layout) {
        LIVE.fetch_sub(layout.size(), Relaxed);
        unsafe { MiMalloc.dealloc(block, layout) }
    }

    unsafe fn realloc(&self, block: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        hold(size);
        LIVE.fetch_sub(layout.size(), Relaxed);
        unsafe { MiMalloc.realloc(block, layout, size) }
    }
}

/// Processor time of this process \[us\].
fn clock() -> u64 {
    let now = clock_gettime(ClockId::ProcessCPUTime);
    now.tv_sec as u64 * 1_000_000 + now.tv_nsec as u64 / 1000
}

/// Tells the process that watches of a finding in the case at hand, and ends this one. Allocates nothing.
pub fn finding(kind: &str, cause: &str) -> ! {
    LIMIT.store(usize::MAX, Relaxed);
    for part in ["F ", kind, " ", cause, "\n"] {
        say(part.as_bytes());
    }
    std::process::abort()
}

/// Writes to the standard output without a buffer.
pub fn say(bytes: &[u8]) {
    let mut rest = bytes;
    while !rest.is_empty() {
        match rustix::io::write(std::io::stdout(), rest) {
            Ok(count) => rest = rest.get(count..).unwrap_or_default(),
            Err(rustix::io::Errno::INTR) => {}
            // Who watched is gone.
            Err(_) => std::process::abort(),
        }
    }
}

pub fn begin() {
    PEAK.store(LIVE.load(Relaxed), Relaxed);
    LIMIT.store(LIVE.load(Relaxed).saturating_add(MAX_MEMORY), Relaxed);
    BEGAN.store(clock(), Relaxed);
    CASES.fetch_add(1, Relaxed);
    RUNNING.store(true, Relaxed);
}

/// Ends the case: processor time \[us\], and the most memory that it held at once \[bytes\].
pub fn end(held_before: usize) -> (u64, usize) {
    RUNNING.store(false, Relaxed);
    LIMIT.store(usize::MAX, Relaxed);
    (clock().saturating_sub(BEGAN.load(Relaxed)), PEAK.load(Relaxed).saturating_sub(held_before))
}

pub fn held() -> usize {
    LIVE.load(Relaxed)
}

/// Ends cases that take too long, in whatever they hang, and those that fill memory which no allocator counts, such as stacks.
pub fn watch() {
    const LOOK: Duration = Duration::from_millis(20);
    let look = || {
        let (mut case, mut since) = (0, Duration::ZERO);
        loop {
            std::thread::sleep(LOOK);
            let now = CASES.load(Relaxed);
            since = if now == case { since + LOOK } else { Duration::ZERO };
            case = now;
            if !RUNNING.load(Relaxed) {
                continue;
            }
            if u128::from(clock().saturating_sub(BEGAN.load(Relaxed))) > MAX_TIME.as_micros() {
                finding("time", "over the limit of processor time");
            }
            if since > STALLED {
                finding("stalled", "it neither computes nor ends");
            }
            if resident() > 2 * MAX_MEMORY {
                finding("memory", "over 2 GB resident");
            }
        }
    };
    let _ = std::thread::Builder::new().name("watch".into()).spawn(look);
}

/// Memory that the process has \[bytes\]; 0 where the system does not say.
fn resident() -> usize {
    let text = std::fs::read_to_string("/proc/self/statm").unwrap_or_default();
    text.split(' ').nth(1).and_then(|pages| pages.parse::<usize>().ok()).map_or(0, |pages| pages * 4096)
}
