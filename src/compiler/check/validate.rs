//! Parses and validates every kernel before an engine uses it, and maps errors back to the user's own lines. This runs
//! on all cores while the compiler still generates code. Text that has passed once is not checked again.

use std::num::NonZeroUsize;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, LazyLock, Mutex, PoisonError, mpsc};
use std::time::Duration;

use lru::LruCache;
use sha2::{Digest, Sha256};

use crate::check::patience::{Started, ThreadClock, without_panic_message};
use crate::check::zeros::Spelled;
use crate::check::{cost, handles};
use crate::data::Kernel;
use crate::problem::{Problem, Problems, SourcePlace};
use crate::stage::guard::inlining;
use crate::stage::syntax::tokens;
use crate::stage::{UsedLines, origin};
use crate::threads::STACK;

/// How often to check the clocks of the working threads.
const LOOK: Duration = Duration::from_millis(100);
const MOST_THREADS: usize = 16;

/// A check, and the length of its text \[bytes\].
type Job = (usize, Box<dyn FnOnce() + Send>);

/// Threads that validate. They are kept, since freeing a deep stack blocks all other threads of the process meanwhile.
#[derive(Clone)]
struct Pool {
    jobs: mpsc::Sender<Job>,
    /// The present work of each thread.
    work: Arc<Mutex<Vec<Option<Started>>>>,
}

/// Jobs that have not been started.
struct Waiting {
    jobs: mpsc::Receiver<Job>,
    come: Vec<Job>,
}

impl Waiting {
    /// The next job: the longest one, so that the last ones are short. Blocks until there is one; `None` when no more
    /// can come.
    fn next(&mut self) -> Option<Job> {
        if self.come.is_empty() {
            self.come.push(self.jobs.recv().ok()?);
        }
        self.come.extend(self.jobs.try_iter());
        let longest = (0..self.come.len()).max_by_key(|job| self.come.get(*job).map(|(bytes, _)| *bytes))?;
        Some(self.come.swap_remove(longest))
    }
}

static POOL: Mutex<Option<Pool>> = Mutex::new(None);

impl Pool {
    /// The pool of the process.
    fn shared() -> std::io::Result<Pool> {
        let mut shared = POOL.lock().unwrap_or_else(PoisonError::into_inner);
        match shared.as_ref() {
            Some(pool) => Ok(pool.clone()),
            None => Ok(shared.insert(Pool::new()?).clone()),
        }
    }

    fn new() -> std::io::Result<Pool> {
        let (sender, jobs) = mpsc::channel();
        let pool = Pool { jobs: sender, work: Arc::default() };
        let waiting = Arc::new(Mutex::new(Waiting { jobs, come: Vec::new() }));
        let threads = std::thread::available_parallelism().map_or(1, |n| n.get()).min(MOST_THREADS);
        for thread in 0..threads {
            let (waiting, at_work) = (waiting.clone(), pool.work.clone());
            let note = move |started: Option<Started>| {
                let mut work = at_work.lock().unwrap_or_else(PoisonError::into_inner);
                if work.len() <= thread {
                    work.resize(thread + 1, None);
                }
                if let Some(slot) = work.get_mut(thread) {
                    *slot = started;
                }
            };
            let next = move || waiting.lock().ok().and_then(|mut waiting| waiting.next());
            let work = move || {
                warm_up();
                let clock = ThreadClock::current();
                while let Some((_, job)) = next() {
                    note(Some(clock.start()));
                    job();
                    note(None);
                }
            };
            match std::thread::Builder::new().name("validate".into()).stack_size(STACK).spawn(work) {
                // The threads that exist do all the work.
                Err(e) if thread == 0 => return Err(e),
                Err(_) => break,
                Ok(_) => {}
            }
        }
        Ok(pool)
    }

    /// Whether a thread has worked on one text for longer than any valid text takes.
    fn hangs(&self) -> bool {
        let work = self.work.lock().unwrap_or_else(PoisonError::into_inner);
        work.iter().flatten().any(Started::is_over)
    }

    /// Abandons threads that hang: the next caller gets new ones. The old ones end when they find no work.
    fn renew() {
        *POOL.lock().unwrap_or_else(PoisonError::into_inner) = None;
    }
}

/// A kernel to be checked.
#[derive(Clone)]
pub(crate) struct Text {
    pub kernel: Kernel,
    /// The text with the user's own as it was written, where the two differ.
    pub written: Option<String>,
    /// Lines of the user's text that come from shared files.
    pub used: Arc<[UsedLines]>,
    /// Another kernel is checked with the same user text, and accessors of the same types.
    pub again: bool,
}

/// Kernels that are being validated.
pub(crate) struct Checks {
    pool: Pool,
    sender: mpsc::Sender<(usize, Form, Option<Problem>)>,
    results: mpsc::Receiver<(usize, Form, Option<Problem>)>,
    /// Dropping it cancels the checks that have not started.
    wanted: Arc<()>,
    /// Ranks and nodes of the kernels, in the order in which they were added. Errors are reported by rank, so that they
    /// do not depend on timing.
    nodes: Vec<(usize, String)>,
    /// Whether each kernel is checked in both forms.
    both_forms: Vec<bool>,
    /// Number of fields that are checked by themselves.
    probes: usize,
}

/// Forms of a kernel's text that are checked side by side.
#[derive(Clone, Copy)]
enum Form {
    /// The text with the user's own as it was written.
    Written,
    /// The text as it runs.
    Final,
}

impl Checks {
    /// Starts without any. `fields`: how many are checked by themselves, to report errors at the fields' own lines.
    ///
    /// # Errors
    /// When no thread can be started.
    pub(crate) fn start(fields: usize) -> Result<Checks, Problems> {
        let pool = Pool::shared().map_err(|error| {
            let cause = format!("no thread to validate shaders: {error}");
            Problem::new("", "", cause, "close other programs")
        })?;
        let (sender, results) = mpsc::channel();
        let wanted = Arc::default();
        Ok(Checks { pool, sender, results, wanted, nodes: Vec::new(), both_forms: Vec::new(), probes: fields })
    }

    /// Starts the threads in advance.
    pub(crate) fn prepare() {
        // The caller that needs them reports the error.
        let _ = Pool::shared();
    }

    /// Starts to check a kernel, and returns its number. `rank`: its position among all kernels except checks of
    /// fields.
    pub(crate) fn add(&mut self, rank: usize, text: Text) -> usize {
        self.start_check(rank.saturating_add(self.probes), text)
    }

    /// Starts to check a field by itself. `number`: its position among all that are.
    pub(crate) fn add_field(&mut self, number: usize, text: Text) {
        self.start_check(number, text);
    }

    fn start_check(&mut self, rank: usize, text: Text) -> usize {
        let index = self.nodes.len();
        self.nodes.push((rank, text.kernel.node.clone()));
        let both = text.written.is_some() && !text.again;
        self.both_forms.push(both);
        let forms = if both { &[Form::Written, Form::Final][..] } else { &[Form::Final] };
        let text = Arc::new(text);
        for form in forms.iter().copied() {
            let (sender, wanted, text) = (self.sender.clone(), Arc::downgrade(&self.wanted), text.clone());
            let bytes = text.kernel.wgsl.len();
            let job = move || {
                if wanted.strong_count() > 0 {
                    // The receiver is gone when nobody waits for the result.
                    let _ = sender.send((index, form, check(&text, form)));
                }
            };
            // If all threads are gone, no result arrives, which is noticed.
            let _ = self.pool.jobs.send((bytes, Box::new(job)));
        }
        index
    }

    /// Another node uses the same kernel as that with this number; errors are reported at the first one.
    pub(crate) fn same(&mut self, number: usize, rank: usize, node: &str) {
        let rank = rank.saturating_add(self.probes);
        if let Some(first_use) = self.nodes.get_mut(number).filter(|first_use| rank < first_use.0) {
            *first_use = (rank, node.into());
        }
    }

    /// Waits for all checks.
    ///
    /// # Errors
    /// One problem for each invalid kernel, at the line of the stage's text where there is one.
    pub(crate) fn finish(self) -> Result<(), Problems> {
        let Checks { pool, sender, results, wanted: _wanted, nodes, both_forms, probes } = self;
        drop(sender);
        let pending: usize = both_forms.iter().map(|both| 1 + usize::from(*both)).sum();
        let mut written: Vec<Option<Option<Problem>>> = both_forms.iter().map(|both| (!both).then_some(None)).collect();
        let mut found = vec![None; nodes.len()];
        for _ in 0..pending {
            let Some((index, form, problem)) = patiently(&results, &pool) else {
                Pool::renew();
                break;
            };
            let of_form = if let Form::Written = form { &mut written } else { &mut found };
            if let Some(slot) = of_form.get_mut(index) {
                *slot = Some(problem);
            }
        }
        // A problem of the text as it was written is at the user's own columns.
        let first = |(written, last): (Option<Option<Problem>>, Option<Option<Problem>>)| match written? {
            Some(problem) => Some(Some(problem)),
            None => last,
        };
        let found = written.into_iter().zip(found).map(first);
        let mut problems = Problems::default();
        let mut found: Vec<_> = found.zip(nodes).collect();
        found.sort_by_key(|(_, (rank, _))| *rank);
        let mut probing = true;
        for (found, (rank, node)) in found {
            let last_probed = std::mem::replace(&mut probing, rank < probes);
            if last_probed && !probing && !problems.is_empty() {
                // An inlined field is invalid, and would be again wherever it is inlined.
                break;
            }
            match found {
                Some(None) => {}
                // A field that is inlined into another one is invalid there too, at no position of its own.
                Some(Some(problem)) if probing && problem.place.is_none() && !problems.is_empty() => {}
                Some(Some(problem)) => problems.push(Problem { node, ..problem }),
                None => {
                    let cause = "the shader compiler did not finish on this code";
                    problems.push(Problem::new(&node, "", cause, "make its types and expressions simpler"));
                    break;
                }
            }
        }
        if problems.is_empty() { Ok(()) } else { Err(problems) }
    }
}

/// The next result; `None` when a thread hangs.
fn patiently<T>(results: &mpsc::Receiver<T>, pool: &Pool) -> Option<T> {
    loop {
        match results.recv_timeout(LOOK) {
            Ok(result) => return Some(result),
            Err(mpsc::RecvTimeoutError::Timeout) if !pool.hangs() => {}
            Err(_) => return None,
        }
    }
}

/// A kernel whose loops were changed is also checked as the user wrote it, so that columns are the user's own, and so
/// that validity does not depend on the target. One such check is enough.
fn check(text: &Text, form: Form) -> Option<Problem> {
    without_panic_message(|| catch_unwind(AssertUnwindSafe(|| check_form(text, form))))
        .unwrap_or_else(|_| {
            let cause = "the shader compiler crashed on this code";
            Some(Problem::new(&text.kernel.node, "", cause, "rewrite the last change in another way"))
        })
        .map(|problem| located(problem, &text.used))
}

/// A problem at its place in the shared file that its line comes from.
fn located(problem: Problem, used: &[UsedLines]) -> Problem {
    match problem.place.and_then(|place| Some((place, origin(used, place.line)?))) {
        Some((place, (file, line))) => problem.at(SourcePlace { line, ..place }).in_file(file),
        None => problem,
    }
}

fn check_form(text: &Text, form: Form) -> Option<Problem> {
    let kernel = &text.kernel;
    let as_written = || {
        let wgsl = text.written.clone()?;
        let hash = hash(&wgsl);
        check_text(kernel, hash, || Kernel { wgsl, ..kernel.clone() })
    };
    match form {
        Form::Written => as_written(),
        Form::Final => {
            let problem = check_text(kernel, hash(&kernel.wgsl), || kernel.clone())?;
            let again = if text.again { as_written() } else { None };
            Some(again.unwrap_or(problem))
        }
    }
}

/// SHA-256 of a text.
type Hash = [u8; 32];

/// Texts that have passed in this process, the last used first: an edit changes few kernels. Hashes, since a day's editing writes
/// megabytes of texts; no two texts of one hash are known.
static PASSED: LazyLock<Mutex<LruCache<Hash, ()>>> = LazyLock::new(|| Mutex::new(LruCache::new(MOST_PASSED)));

/// Limit of texts that are remembered as passed: those of many graphs.
const MOST_PASSED: NonZeroUsize = NonZeroUsize::MIN.saturating_add(10_000);

fn hash(wgsl: &str) -> Hash {
    Sha256::digest(wgsl).into()
}

fn has_passed(hash: &Hash) -> bool {
    PASSED.lock().is_ok_and(|mut passed| passed.get(hash).is_some())
}

fn note_passed(hash: Hash) {
    if let Ok(mut passed) = PASSED.lock() {
        passed.put(hash, ());
    }
}

/// Clears the cache of validated texts, so that the next compilation does all of its work. For benchmarks.
pub fn forget_passed() {
    if let Ok(mut passed) = PASSED.lock() {
        passed.clear();
    }
}

/// Limit of a kernel's text \[bytes\]. A stage may have up to 64 KiB; the rest are fields.
const MAX_TEXT: usize = 1 << 20;

/// Fields are inlined into what reads them, so a field that reads another one several times multiplies the text.
fn too_large(kernel: &Kernel) -> Option<Problem> {
    let remedy = "keep one of its fields in a grid, with grid/from_field and field/from_grid";
    if kernel.wgsl.len() > MAX_TEXT {
        let cause = format!("the code of the fields that it reads has more than {MAX_TEXT} bytes");
        return Some(Problem::new(&kernel.node, "", cause, remedy));
    }
    let limit = inlining::MAX_KERNEL_EXPANSION;
    inlining::excessive(&tokens(&kernel.wgsl), limit)?;
    let cause = format!("the fields that it reads have more than {limit} calls after inlining");
    Some(Problem::new(&kernel.node, "", cause, remedy))
}

/// Checks one form of a kernel, unless its text has passed.
fn check_text(kernel: &Kernel, hash: Hash, form: impl FnOnce() -> Kernel) -> Option<Problem> {
    if has_passed(&hash) {
        return None;
    }
    // In either form: naga must not see a text that would be too long as it runs.
    let problem = too_large(kernel).or_else(|| parse_and_validate(&form()));
    if problem.is_none() {
        note_passed(hash);
    }
    problem
}

/// Code that most stages contain.
const USUAL: &str = "
struct Frame { time: f32, dt: f32, frame: u32, seed: u32 }
@group(0) @binding(0) var<uniform> frame: Frame;
@group(0) @binding(1) var<storage, read> before: array<vec4f>;
@group(0) @binding(2) var<storage, read_write> after: array<vec4f>;
var<workgroup> tile: array<f32, 64>;
const RESOLUTION = vec2i(64, 48);
fn at(cell: vec2i) -> vec4f { let c = clamp(cell, vec2i(0), RESOLUTION - 1); return before[c.y * 64 + c.x]; }
fn stage(cell: vec2i) -> vec4f {
    var sum = vec4f();
    for (var k = -1; k <= 1; k++) {
        let near = at(cell + vec2i(k, 0));
        if near.x > 0.5 * sum.x && k != 0 { sum += near * exp(-f32(k * k)); } else { sum = max(sum, vec4f(near.xyz, 1.0)); }
    }
    return select(mix(sum, at(cell), 0.25), normalize(sum), any(sum < vec4f(frame.dt)));
}
@compute @workgroup_size(8, 8)
fn main(@builtin(global_invocation_id) id: vec3u, @builtin(local_invocation_index) local: u32) {
    tile[local] = dot(at(vec2i(id.xy)).xy, vec2f(1.0, 2.0));
    workgroupBarrier();
    if any(vec2i(id.xy) >= RESOLUTION) { return; }
    after[id.y * 64u + id.x] = stage(vec2i(id.xy)) + tile[63u - local];
}
";

/// The first text of a thread takes longer than others, since memory and caches are cold.
fn warm_up() {
    if let Ok(module) = naga::front::wgsl::parse_str(USUAL) {
        let _ = naga::valid::Validator::new(naga::valid::ValidationFlags::all(), capabilities()).validate(&module);
    }
}

/// Packing of half precision, which every backend supports.
fn capabilities() -> naga::valid::Capabilities {
    naga::valid::Capabilities::default() | naga::valid::Capabilities::SHADER_FLOAT16_IN_FLOAT32
}

fn parse_and_validate(kernel: &Kernel) -> Option<Problem> {
    let spelled = Spelled::new(&kernel.wgsl);
    let module = match naga::front::wgsl::parse_str(&spelled.text) {
        Ok(module) => module,
        Err(error) => {
            let mut places = error.labels().filter_map(|(span, _)| spelled.location(span)).peekable();
            let first = places.peek().copied();
            // A name conflict is reported at the generated side, but the user's own text has to change.
            let place = places.find_map(|place| own_place(kernel, place)).or(first);
            let label = error.labels().next().map(|(_, label)| label.to_string());
            let label = label.filter(|label| !label.is_empty() && label != "see msg");
            let message = match label {
                Some(label) if !error.message().contains(label.trim_end_matches(|c: char| !c.is_alphanumeric())) => {
                    format!("{} ({label})", error.message())
                }
                Some(_) => error.message().to_string(),
                None => error.message().to_string(),
            };
            return Some(problem(kernel, message, place));
        }
    };
    // Before the validator, which visits everything that a type consists of.
    if let Err(excess) = cost::check(&module) {
        let place = excess.span.and_then(|span| spelled.location(span)).and_then(|place| own_place(kernel, place));
        return Some(Problem { remedy: excess.remedy.into(), ..problem(kernel, excess.message, place) });
    }
    let mut validator = naga::valid::Validator::new(naga::valid::ValidationFlags::all(), capabilities());
    let error = validator.validate(&module).err()?;
    let mut message = error.as_inner().to_string();
    let mut source = std::error::Error::source(error.as_inner());
    while let Some(inner) = source {
        message = format!("{message}: {inner}");
        source = inner.source();
    }
    // The outermost span is the whole function; the narrowest is the position of the error.
    let narrowest = error.spans().filter_map(|(span, _)| spelled.location(*span)).min_by_key(|place| place.length);
    Some(problem(kernel, handles::named(&message, &module, &error, &spelled.text), narrowest))
}

fn own_place(kernel: &Kernel, place: naga::SourceLocation) -> Option<naga::SourceLocation> {
    ((place.line_number as usize) <= kernel.own_lines).then_some(place)
}

fn problem(kernel: &Kernel, message: String, place: Option<naga::SourceLocation>) -> Problem {
    let message = message.trim().trim_end_matches('.').to_string();
    match place {
        Some(at) if (at.line_number as usize) <= kernel.own_lines => {
            let line = kernel.wgsl.lines().nth(at.line_number as usize - 1).unwrap_or("");
            // naga counts bytes, the user characters.
            let before = line.char_indices().take_while(|(byte, _)| byte + 1 < at.line_position as usize).count();
            let place = SourcePlace { line: at.line_number as usize, column: before + 1 };
            Problem::new(&kernel.node, "", message, "").at(place)
        }
        Some(at) => {
            let line = kernel.wgsl.lines().nth(at.line_number as usize - 1).unwrap_or("").trim();
            let cause = format!(
                "the code does not fit what the compiler generates for `{}`: {message}, at `{line}`",
                kernel.name
            );
            Problem::new(
                &kernel.node,
                "",
                cause,
                "check the types in `fn stage` against the header, and that no name is taken",
            )
        }
        None => Problem::new(&kernel.node, "", message, ""),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_longest_text_is_next() {
        let (sender, jobs) = mpsc::channel();
        let mut waiting = Waiting { jobs, come: Vec::new() };
        for bytes in [20, 500, 3] {
            sender.send((bytes, Box::new(|| {}) as Box<dyn FnOnce() + Send>)).unwrap();
        }
        let mut next = || waiting.next().map(|(bytes, _)| bytes);
        assert_eq!(next(), Some(500));
        sender.send((100, Box::new(|| {}))).unwrap();
        drop(sender);
        assert_eq!([next(), next(), next(), next()], [Some(100), Some(20), Some(3), None]);
    }

    #[test]
    fn what_stages_are_made_of_is_right() {
        let module = naga::front::wgsl::parse_str(USUAL).unwrap();
        naga::valid::Validator::new(naga::valid::ValidationFlags::all(), capabilities()).validate(&module).unwrap();
    }
}
