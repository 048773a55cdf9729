//! The campaign: hostile and random input against everything that reads files, each case in a process that is watched, and kills
//! at random while files are written. `scripts/campaign` runs it; docs/reliability.md says what it found.
//!
//! ```text
//! campaign run [--minutes N] [--seed S] [--count N] [--short] [TARGET...]
//! campaign show TARGET SEED INDEX       the bytes of a case
//! campaign replay TARGET FILE...        cases from files
//! ```
//! Without arguments, and under a test runner, it runs the cases in `tests/campaign/regressions`.

mod corpus;
mod fuzz;
mod kills;
mod meter;
mod mutate;
mod options;
mod random;
mod regressions;
mod runs;
mod suites;
mod tally;
mod targets;
mod worker;

use std::io::Write;
use std::process::ExitCode;

use options::Options;
use tally::Tally;

#[global_allocator]
static ALLOCATOR: meter::Counting = meter::Counting;

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let words: Vec<&str> = arguments.iter().map(String::as_str).collect();
    match words.as_slice() {
        ["run", rest @ ..] => match Options::parse(rest) {
            Ok(options) => run(&options),
            Err(sentence) => {
                eprintln!("campaign: {sentence}");
                ExitCode::from(2)
            }
        },
        ["worker", rest @ ..] => worker::main(rest),
        ["child", kind, folder] => kills::child(kind, folder.as_ref()),
        ["show", target, seed, index] => show(target, seed, index),
        ["replay", target, files @ ..] => regressions::replay(target, files),
        // What nextest and cargo ask of a test program.
        words if words.contains(&"--list") => {
            if !words.contains(&"--ignored") {
                println!("regressions: test");
            }
            ExitCode::SUCCESS
        }
        _ => regressions::all(),
    }
}

/// Runs everything that is asked for, one after the other, and prints a table. Fails with findings.
fn run(options: &Options) -> ExitCode {
    // Read here too, since cases that are findings are written by this process.
    let _ = corpus::corpus();
    let mut rows: Vec<Tally> = Vec::new();
    for job in options.jobs() {
        let tally = job.run(options);
        eprintln!("{}", tally.line());
        rows.push(tally);
    }
    let text = tally::table(options, &rows);
    println!("{text}");
    let _ =
        std::fs::create_dir_all(fuzz::folder()).and_then(|()| std::fs::write(fuzz::folder().join("last.txt"), text));
    if rows.iter().all(|tally| tally.findings.is_empty()) { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

fn show(target: &str, seed: &str, index: &str) -> ExitCode {
    let (Some(target), Ok(seed), Ok(index)) = (targets::find(target), seed.parse(), index.parse()) else {
        eprintln!("campaign: show TARGET SEED INDEX");
        return ExitCode::from(2);
    };
    let written = std::io::stdout().write_all(&target.case(seed, index));
    if written.is_ok() { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}
