//! Cases that once were findings, and are none any more: every file of `tests/campaign/regressions/TARGET`.

use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::Mutex;

use stagewright_compiler::{Plan, PlanOptions};
use stagewright_language::document::Document;
use stagewright_language::graph::Graph;
use stagewright_language::library::Library;

use super::corpus::{SMALL, corpus, root};
use super::fuzz::{Ended, work};
use super::tally::Tally;
use super::targets::{TARGETS, Target, find};

/// Set while cases are replayed: workers tell where a panic comes from.
pub const REPLAY: &str = "STAGEWRIGHT_CAMPAIGN_REPLAY";

/// All regressions, and the seeds of mutations: a corpus that does not compile would find little.
pub fn all() -> ExitCode {
    let mut failed = check_corpus();
    let mut count = 0;
    for target in TARGETS {
        let folder = root().join("tests/campaign/regressions").join(target.name);
        let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
        let mut files: Vec<PathBuf> = entries.map(|entry| entry.path()).collect();
        files.sort();
        count += files.len();
        failed += cases(target, &files);
    }
    println!("{count} regressions, {failed} failed");
    if failed == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

/// Small graphs have to compile.
fn check_corpus() -> usize {
    let problems = |document: &Document| {
        let graph = Graph::build(document, Library::builtin())?;
        Plan::compile(&graph, &PlanOptions::default()).map(drop)
    };
    let mut broken = 0;
    for (at, document) in corpus().documents.iter().take(SMALL.len()).enumerate() {
        if let Err(problems) = problems(document) {
            println!("graph {at} of the corpus does not compile: {problems}");
            broken += 1;
        }
    }
    broken
}

pub fn replay(target: &str, files: &[&str]) -> ExitCode {
    let Some(target) = find(target) else {
        println!("there is no target `{target}`");
        return ExitCode::from(2);
    };
    // Workers inherit it. No other thread runs yet.
    unsafe { std::env::set_var(REPLAY, "1") };
    let files: Vec<PathBuf> = files.iter().map(PathBuf::from).collect();
    if cases(target, &files) == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

/// Runs files as cases, each under the limits of the campaign. Returns how many are findings.
fn cases(target: &Target, files: &[PathBuf]) -> usize {
    let tally = Mutex::new(Tally::new(target.name, target.levels));
    let paths = files.iter().map(|file| file.display().to_string());
    let (mut next, mut failed) = (0, 0);
    while next < files.len() {
        let words: Vec<String> = ["files".into(), next.to_string()].into_iter().chain(paths.clone()).collect();
        let ended = work(target, &words, &tally, |index| next = index as usize + 1);
        let Ended::Found(kind, cause) = ended else { break };
        println!("{} {}: {kind}: {cause}", target.name, files[next].display());
        failed += 1;
        next += 1;
    }
    if !files.is_empty() {
        println!("{}", tally.into_inner().map(|tally| tally.line()).unwrap_or_default());
    }
    failed
}
