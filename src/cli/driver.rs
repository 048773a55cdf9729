//! Pipelines on the command line: progress while the driver compiles them, and a limit.

use std::io::IsTerminal;
use std::time::{Duration, Instant};

use clap::Args;
use indicatif::{ProgressBar, ProgressStyle};

use super::report::Failure;
use stagewright::gpu::{Gpu, Making};
use stagewright::plan::Plan;
use stagewright::problem::{Problem, Problems};

/// How many times the limit a frame may take: some drivers compile when a shader is first run.
const FRAMES: u32 = 5;

/// After this time a shader is named on standard error.
const SLOW: Duration = Duration::from_secs(10);

#[derive(Args)]
pub struct DriverArgs {
    /// Give up with exit code 3 when the driver compiles one shader for longer than this, or no frame comes for five times as long [s]
    #[arg(long, value_name = "SECONDS", default_value_t = 120, value_parser = clap::value_parser!(u64).range(1..))]
    driver_limit: u64,
}

impl DriverArgs {
    /// Makes the pipelines of a plan, and says which node the driver spends its time on.
    pub fn prepare(&self, gpu: &Gpu, plan: &Plan) -> Result<(), Failure> {
        let mut watch = self.watch();
        let result = gpu.prepare_while(plan, &mut |making| watch.go_on(making));
        watch.end();
        result.map_err(|problems| watch.failure(problems))
    }

    /// What looks on while frames are computed.
    pub fn frames(&self) -> Frames {
        let limit = Duration::from_secs(self.driver_limit).saturating_mul(FRAMES);
        Frames { limit, last: (0, 0, Instant::now()), over: false }
    }

    /// What looks on while the driver works.
    pub fn watch(&self) -> Watch {
        Watch { limit: Duration::from_secs(self.driver_limit), bar: bar(), named: String::new(), over: false }
    }
}

pub struct Watch {
    limit: Duration,
    bar: ProgressBar,
    /// The node that was named last.
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

    /// What to report, once the driver has been given up or has refused a shader.
    pub fn failure(&self, problems: Problems) -> Failure {
        match self.over {
            true => Failure::Driver(problems, self.limit),
            false => problems.into(),
        }
    }
}

/// Ends a render whose frames do not come.
pub struct Frames {
    limit: Duration,
    /// Frames computed and written when the last came, and when.
    last: (u64, u64, Instant),
    over: bool,
}

impl Frames {
    /// Whether to go on waiting, with so many frames computed and written.
    pub fn go_on(&mut self, computed: u64, written: u64) -> bool {
        let came = (computed, written) != (self.last.0, self.last.1);
        if came {
            self.last = (computed, written, Instant::now());
        }
        self.over = !came && self.last.2.elapsed() > self.limit;
        !self.over
    }

    /// What to report where they did not come.
    pub fn failure(&self) -> Option<Failure> {
        let cause = format!("the device has not finished a frame for {} s", self.limit.as_secs());
        let problem =
            Problem::new("", "", cause, "lower the resolution, make the stages simpler, or raise --driver-limit");
        self.over.then(|| Failure::Driver(problem.into(), self.limit / FRAMES))
    }
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
    fn frames_that_do_not_come_end_a_render() {
        let mut frames = args(0).frames();
        assert!(frames.go_on(1, 0), "one has come");
        std::thread::sleep(Duration::from_millis(2));
        assert!(frames.go_on(1, 1));
        std::thread::sleep(Duration::from_millis(2));
        assert!(!frames.go_on(1, 1));
        assert_eq!(frames.failure().map(|failure| failure.exit_code()), Some(3));
        assert!(args(120).frames().failure().is_none());
    }
}
