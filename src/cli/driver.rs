//! Pipelines on the command line: progress while the driver compiles them, and a limit.

use std::io::IsTerminal;
use std::time::Duration;

use clap::Args;
use indicatif::{ProgressBar, ProgressStyle};

use super::report::Failure;
use stagewright::gpu::{Gpu, Making};
use stagewright::plan::Plan;

/// After this time a shader is named on standard error.
const SLOW: Duration = Duration::from_secs(10);

#[derive(Args)]
pub struct DriverArgs {
    /// Give up with exit code 3 when the driver compiles one shader for longer than this [s]
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
    pub fn failure(&self, problems: stagewright::problem::Problems) -> Failure {
        match self.over {
            true => Failure::Driver(problems, self.limit),
            false => problems.into(),
        }
    }
}

fn bar() -> ProgressBar {
    if !std::io::stderr().is_terminal() {
        return ProgressBar::hidden();
    }
    let style = ProgressStyle::with_template("{bar:40} {pos}/{len} shaders  {msg}");
    ProgressBar::new(0).with_style(style.unwrap_or_else(|_| ProgressStyle::default_bar()))
}
