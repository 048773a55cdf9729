//! Random tests that live in other test programs. Both take STAGEWRIGHT_SEED and STAGEWRIGHT_COUNT; the campaign runs more of them.

use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use super::corpus::root;
use super::tally::Tally;

pub struct Suite {
    pub name: &'static str,
    pub weight: u32,
    /// In the short form; 0 where scripts/test runs enough of it.
    pub short: u64,
    /// In the long form, where there is time for it.
    long: u64,
    /// How many a second a busy machine makes, to keep to the time.
    rate: f64,
    /// A file without which it is not there.
    file: &'static str,
    /// The arguments of cargo.
    test: &'static [&'static str],
}

pub const SUITES: &[Suite] = &[
    Suite {
        name: "monkey",
        weight: 20,
        short: 0,
        long: 100_000,
        rate: 40.0,
        file: "tests/editor/random.rs",
        test: &["--test", "editor", "--", "random_gestures"],
    },
    Suite {
        name: "edits",
        weight: 5,
        short: 0,
        long: 100_000,
        rate: 100.0,
        file: "tests/compiler/edits/random.rs",
        test: &["--lib", "--test", "compiler", "--", "after_any_edits", "each_edit_is_undone"],
    },
    Suite {
        name: "generated",
        weight: 20,
        short: 0,
        long: 20_000,
        rate: 5.0,
        file: "tests/random_graphs/main.rs",
        test: &["--test", "random_graphs"],
    },
];

impl Suite {
    pub fn is_there(&self) -> bool {
        root().join(self.file).exists()
    }

    pub fn run(&self, seed: u64, time: Duration, count: u64) -> Tally {
        let mut tally = Tally::new(self.name, &[]);
        let in_time = (time.as_secs_f64() * self.rate) as u64 + 1;
        let count = count.min(self.long).min(in_time);
        let began = Instant::now();
        let cargo = std::env::var("CARGO").unwrap_or_else(|_| "cargo".into());
        let profile = std::env::var("PROFILE").unwrap_or_else(|_| "dev".into());
        let output = Command::new(cargo)
            .current_dir(root())
            .args(["test", "--quiet", "--profile", &profile])
            .args(self.test)
            .env("STAGEWRIGHT_SEED", seed.to_string())
            .env("STAGEWRIGHT_COUNT", count.to_string())
            .stdin(Stdio::null())
            .output();
        tally.seconds = began.elapsed().as_secs_f64();
        tally.cases = count;
        match output {
            Ok(output) if output.status.success() => {}
            Ok(output) => {
                let text =
                    format!("{}{}", String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
                let from = text.find("panicked at").unwrap_or(0);
                let cause: String = text.chars().skip(text[..from].chars().count()).take(2000).collect();
                tally.find(seed, "failed", &cause);
            }
            Err(error) => drop(tally.find(seed, "failed", &error.to_string())),
        }
        tally
    }
}
