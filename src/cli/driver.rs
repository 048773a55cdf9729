//! Shader compilation on the command line: progress while the driver works, and a time limit.

use std::io::IsTerminal;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use clap::Args;
use indicatif::{ProgressBar, ProgressStyle};

use super::exit::leave;
use super::report::Failure;
use stagewright_base::problem::{Problem, Problems};
use stagewright_compiler::Plan;
use stagewright_runtime::gpu::{Gpu, Making};

/// The limit for a frame, as a multiple of that for a shader: some drivers compile when a shader runs for the first
/// time.
const FRAMES: u32 = 5;

/// How often to check whether a frame has finished.
const POLL_INTERVAL: Duration = Duration::from_millis(20);

/// How long one shader may take where nothing else is given [s].
const LIMIT: u64 = 120;

/// After this time a slow shader is named on standard error.
const SLOW: Duration = Duration::from_secs(10);

#[derive(Args)]
pub struct DriverArgs {
    /// Stop with exit code 3 when the driver compiles one shader for longer than this, or no frame is finished for five times as long [s]
    #[arg(long, value_name = "SECONDS", default_value_t = LIMIT, value_parser = clap::value_parser!(u64).range(1..))]
    driver_limit: u64,
}

impl DriverArgs {
    /// Makes the pipelines of a plan, and names the nodes that the driver spends its time on.
    pub fn prepare(&self, gpu: &Gpu, plan: &Plan) -> Result<(), Failure> {
        let mut watch = self.watch();
        let result = gpu.prepare_while(plan, &mut |making| watch.go_on(making));
        watch.end();
        result.map_err(|problems| watch.failure(problems))
    }

    /// The options that another call of the program needs to do the same.
    pub fn options(&self) -> Vec<String> {
        match self.driver_limit {
            LIMIT => Vec::new(),
            limit => vec!["--driver-limit".into(), limit.to_string()],
        }
    }

    /// Starts to watch over the frames, until the result is dropped.
    pub fn frames(&self) -> Frames {
        let limit = Duration::from_secs(self.driver_limit);
        Frames::watch(limit.saturating_mul(FRAMES), move || no_frame(limit))
    }

    /// Starts to watch over the driver's compiler.
    pub fn watch(&self) -> Watch {
        Watch { limit: Duration::from_secs(self.driver_limit), bar: bar(), named: String::new(), over: false }
    }
}

pub struct Watch {
    limit: Duration,
    bar: ProgressBar,
    /// The node that was reported last.
    named: String,
    over: bool,
}

impl Watch {
    pub fn go_on(&mut self, making: &Making) -> bool {
        self.bar.set_length(making.total as u64);
        self.bar.set_position(making.done as u64);
        self.bar.set_message(making.names());
        if making.took > SLOW && self.named != making.names() {
            self.named = making.names();
            let text = format!("the driver has been compiling {} for {} s", self.named.escape_debug(), SLOW.as_secs());
            self.bar.suspend(|| eprintln!("{text}"));
        }
        self.over = making.took > self.limit;
        !self.over
    }

    pub fn end(&self) {
        self.bar.finish_and_clear();
    }

    /// The error to report once the time limit has passed or the driver has rejected a shader.
    pub fn failure(&self, problems: Problems) -> Failure {
        match self.over {
            true => Failure::Driver(problems, self.limit),
            false => problems.into(),
        }
    }
}

/// Watches the frames from a separate thread: a driver may compile a shader when it runs for the first time, and blocks
/// the thread that submits it until then.
pub struct Frames(Arc<Mutex<Option<Last>>>);

/// Frames computed and written at the last progress, and its time.
type Last = (u64, u64, Instant);

impl Frames {
    /// Calls `over` on the watching thread once no frame has finished for this long.
    fn watch(limit: Duration, over: impl FnOnce() + Send + 'static) -> Frames {
        let last = Arc::new(Mutex::new(Some((0, 0, Instant::now()))));
        let theirs = last.clone();
        let look = move || {
            loop {
                std::thread::sleep(POLL_INTERVAL);
                // All frames are computed, or the thread that computed them has panicked.
                let Some((.., since)) = theirs.lock().ok().and_then(|last| *last) else { return };
                if since.elapsed() > limit {
                    return over();
                }
            }
        };
        // Not `background`: the thread has no result; it ends the program. If it cannot be started, there is no limit.
        drop(std::thread::Builder::new().name("frames".into()).spawn(look));
        Frames(last)
    }

    /// Reports how many frames have been computed and written.
    pub fn note(&self, computed: u64, written: u64) {
        if let Ok(mut last) = self.0.lock()
            && last.is_none_or(|last| (last.0, last.1) != (computed, written))
        {
            *last = Some((computed, written, Instant::now()));
        }
    }
}

impl Drop for Frames {
    fn drop(&mut self) {
        if let Ok(mut last) = self.0.lock() {
            *last = None;
        }
    }
}

/// Reports the error and ends the program at once: freeing the device would wait for the driver.
fn no_frame(limit: Duration) -> ! {
    let cause = format!("the device has not finished a frame for {} s", (limit * FRAMES).as_secs());
    let problem = Problem::new("", "", cause, "lower the resolution, make the stages simpler, or raise --driver-limit");
    let failure = Failure::Driver(problem.into(), limit);
    failure.print();
    leave(failure.exit_code())
}

fn bar() -> ProgressBar {
    if !std::io::stderr().is_terminal() {
        return ProgressBar::hidden();
    }
    let style = ProgressStyle::with_template("{bar:40} {pos}/{len} shaders  {msg}");
    ProgressBar::new(0).with_style(style.unwrap_or_else(|_| ProgressStyle::default_bar()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn args(driver_limit: u64) -> DriverArgs {
        DriverArgs { driver_limit }
    }

    #[test]
    fn a_shader_over_the_limit_ends_the_program_with_its_own_code() {
        let mut watch = args(5).watch();
        let making = |seconds| Making {
            done: 0,
            total: 2,
            nodes: vec!["a".into(), "b".into()],
            took: Duration::from_secs(seconds),
        };
        assert!(watch.go_on(&making(4)));
        assert_eq!(watch.failure(Problems::default()).exit_code(), 1, "the driver refused something in time");
        assert!(!watch.go_on(&making(6)));
        assert_eq!(watch.failure(Problems::default()).exit_code(), 3);
    }

    #[test]
    fn frames_that_do_not_come_are_noticed() {
        let (sender, over) = std::sync::mpsc::channel();
        let limit = Duration::from_millis(400);
        let frames = Frames::watch(limit, move || sender.send(Instant::now()).unwrap());
        let mut last = Instant::now();
        for frame in 0..10 {
            std::thread::sleep(Duration::from_millis(50));
            last = Instant::now();
            frames.note(frame, 0);
        }
        let noticed = over.recv_timeout(Duration::from_secs(30)).expect("it is noticed");
        assert!(noticed.duration_since(last) >= limit, "not before the limit");
        let (sender, over) = std::sync::mpsc::channel();
        drop(Frames::watch(limit, move || sender.send(()).unwrap()));
        assert!(over.recv_timeout(2 * limit).is_err(), "what is done has no limit");
    }
}
