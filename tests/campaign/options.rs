//! What the command line asks for, and how targets share the time.

use stagewright_test_support::seed;
use std::time::{Duration, Instant};

use super::fuzz;
use super::kills::{self, Kind};
use super::suites::{self, Suite};
use super::tally::Tally;
use super::targets::{TARGETS, Target};

pub struct Options {
    pub seed: u64,
    /// For all together.
    pub time: Duration,
    /// Cases of each target at most.
    pub count: Option<u64>,
    /// A fixed number of cases of each target, from the seed of the day on.
    pub short: bool,
    /// Processes at once.
    pub processes: usize,
    names: Vec<String>,
    began: Instant,
}

/// One row of the table.
#[derive(Clone, Copy)]
pub enum Job {
    Fuzz(&'static Target),
    Kill(&'static Kind),
    Suite(&'static Suite),
}

impl Options {
    /// # Errors
    /// What is wrong with the arguments, in one sentence.
    pub fn parse(words: &[&str]) -> Result<Options, String> {
        let processes = std::thread::available_parallelism().map_or(1, |n| n.get());
        let mut options = Options {
            seed: seed::first(),
            time: Duration::from_secs(600),
            count: None,
            short: false,
            processes,
            names: Vec::new(),
            began: Instant::now(),
        };
        let mut words = words.iter();
        while let Some(word) = words.next() {
            let mut number = || {
                let value = words.next().and_then(|text| text.parse::<f64>().ok()).filter(|n| *n >= 0.0);
                value.ok_or_else(|| format!("{word} takes a number"))
            };
            match *word {
                "--minutes" => options.time = Duration::from_secs_f64(60.0 * number()?),
                "--seed" => options.seed = number()? as u64,
                "--count" => options.count = Some(number()? as u64),
                "--processes" => options.processes = (number()? as usize).max(1),
                "--short" => options.short = true,
                name => options.names.push(name.to_string()),
            }
        }
        let targets: Vec<&str> = Options::every().map(|job| job.name()).collect();
        match options.names.iter().find(|name| !targets.contains(&name.as_str())) {
            Some(name) => Err(format!("there is no target `{name}`; there are {}", targets.join(", "))),
            None => Ok(options),
        }
    }

    fn every() -> impl Iterator<Item = Job> {
        // Kills first: what is short of time in the short form is what there is most of.
        let kills = kills::KINDS.iter().map(Job::Kill);
        kills.chain(TARGETS.iter().map(Job::Fuzz)).chain(suites::SUITES.iter().map(Job::Suite))
    }

    pub fn jobs(&self) -> Vec<Job> {
        let wanted = |job: &Job| self.names.is_empty() || self.names.iter().any(|name| name == job.name());
        let there = |job: &Job| {
            let is_there = !matches!(job, Job::Suite(suite) if !suite.is_there());
            is_there && !(self.short && job.short() == 0)
        };
        Options::every().filter(wanted).filter(there).collect()
    }

    /// The share of the time that a job has.
    fn time_of(&self, job: &Job) -> Duration {
        let all: u32 = self.jobs().iter().map(Job::weight).sum();
        self.time.mul_f64(f64::from(job.weight()) / f64::from(all.max(1)))
    }

    /// Cases of a job at most; its own number in the short form.
    fn count_of(&self, short: u64) -> u64 {
        if self.short { short } else { self.count.unwrap_or(u64::MAX) }
    }
}

impl Job {
    fn name(&self) -> &'static str {
        match self {
            Job::Fuzz(target) => target.name,
            Job::Kill(kind) => kind.name,
            Job::Suite(suite) => suite.name,
        }
    }

    fn weight(&self) -> u32 {
        match self {
            Job::Fuzz(target) => target.weight,
            Job::Kill(kind) => kind.weight,
            Job::Suite(suite) => suite.weight,
        }
    }

    fn short(&self) -> u64 {
        match self {
            Job::Fuzz(target) => target.short,
            Job::Kill(kind) => kind.short,
            Job::Suite(suite) => suite.short,
        }
    }

    pub fn run(&self, options: &Options) -> Tally {
        let share = options.time_of(self);
        // In the short form counts decide; the time is there for machines that are too busy for them.
        let time =
            if options.short { (3 * share).min(options.time.saturating_sub(options.began.elapsed())) } else { share };
        match self {
            Job::Fuzz(target) => fuzz::run(target, options, time, options.count_of(self.short())),
            Job::Kill(kind) => kills::run(kind, options.seed, time, options.count_of(self.short())),
            Job::Suite(suite) => suite.run(options.seed, time, options.count_of(self.short())),
        }
    }
}
