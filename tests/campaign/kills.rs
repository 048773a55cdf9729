//! Kills at random while files are written. What was reported as written is there afterwards, whole.

use std::io::{Read, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitCode, Stdio};
use std::time::{Duration, Instant};

use stagewright_editor::storage::{self, Autosave};
use stagewright_language::document::Document;

use super::corpus::corpus;
use super::random::Random;
use super::runs;
use super::tally::Tally;

pub struct Kind {
    pub name: &'static str,
    pub weight: u32,
    /// Kills in the short form.
    pub short: u64,
    round: fn(&Path, &mut Random) -> Result<Outcome, String>,
}

/// What a kill met.
#[derive(Clone, Copy)]
pub enum Outcome {
    /// The process had not begun to write, or was done.
    Beside = 0,
    /// It was at work.
    Met = 1,
}

pub const KINDS: &[Kind] = &[
    Kind { name: "kill-save", weight: 4, short: 40, round: save },
    Kind { name: "kill-autosave", weight: 4, short: 40, round: autosave },
    Kind { name: "kill-export", weight: 8, short: 5, round: runs::frames },
    Kind { name: "kill-formats", weight: 8, short: 4, round: runs::formats },
    Kind { name: "kill-checkpoint", weight: 6, short: 4, round: runs::checkpoints },
    Kind { name: "kill-bake", weight: 6, short: 4, round: runs::bakes },
    Kind { name: "kill-sweep", weight: 6, short: 4, round: runs::sweeps },
];

/// Kills until the time is over or the count reached.
pub fn run(kind: &Kind, seed: u64, time: Duration, count: u64) -> Tally {
    let mut tally = Tally::new(kind.name, &["beside the work", "at work"]);
    let began = Instant::now();
    let folder = std::env::temp_dir().join(format!("stagewright-campaign-{}-{}", kind.name, std::process::id()));
    let _ = std::fs::remove_dir_all(&folder);
    for index in 0..count {
        if began.elapsed() >= time {
            break;
        }
        let mut random = Random::of_case(kind.name, seed, index);
        let outcome = std::fs::create_dir_all(&folder).map_err(|e| e.to_string());
        let outcome = outcome.and_then(|()| (kind.round)(&folder, &mut random));
        tally.cases += 1;
        match outcome {
            Ok(outcome) => tally.levels[outcome as usize].1 += 1,
            Err(cause) => {
                if tally.find(index, "lost", &cause) {
                    eprintln!("{}: case {index}: {cause}", kind.name);
                }
                // The next round begins with nothing.
                let _ = std::fs::remove_dir_all(&folder);
            }
        }
    }
    tally.seconds = began.elapsed().as_secs_f64();
    let _ = std::fs::remove_dir_all(&folder);
    tally
}

/// The document of a number: its text is long, so that a write takes a while, and of another length for each number.
fn document(number: u32) -> Document {
    let mut document = corpus_document();
    document.seed = number;
    document.about = format!("{number} ").repeat(200 + (number as usize * 7919) % 20_000);
    document
}

fn corpus_document() -> Document {
    Document::parse(&corpus().graphs[0]).expect("a graph of the corpus reads")
}

/// What a child process does until it is killed. After each step that is safely done it says so.
pub fn child(kind: &str, folder: &Path) -> ExitCode {
    let file = folder.join("g.ron");
    let first = storage::load(&file).map_or(0, |document| document.seed + 1);
    let graphs = || entries(folder).iter().filter(|path| path.extension().is_some_and(|e| e == "ron")).count();
    // What other windows left is there too.
    let before = graphs();
    let mut autosave = (kind == "autosave").then(|| Autosave::new(folder, Duration::from_millis(1)));
    for number in first.. {
        let document = document(number);
        match &mut autosave {
            Some(autosave) => {
                autosave.keep(&document);
                std::thread::sleep(Duration::from_millis(1));
                if graphs() > before {
                    tell(number);
                }
            }
            None => match storage::save(&file, &document) {
                Ok(()) => tell(number),
                Err(sentence) => {
                    eprintln!("{sentence}");
                    return ExitCode::FAILURE;
                }
            },
        }
    }
    ExitCode::SUCCESS
}

fn tell(number: u32) {
    let mut output = std::io::stdout();
    if output.write_all(&number.to_le_bytes()).and_then(|()| output.flush()).is_err() {
        std::process::exit(1);
    }
}

fn entries(folder: &Path) -> Vec<PathBuf> {
    std::fs::read_dir(folder).into_iter().flatten().flatten().map(|entry| entry.path()).collect()
}

/// Starts a child, kills it at random, and returns the last number that it reported.
fn killed(kind: &str, folder: &Path, random: &mut Random) -> Result<Option<u32>, String> {
    let program = std::env::current_exe().map_err(|e| e.to_string())?;
    let mut child = Command::new(program)
        .args(["child", kind])
        .arg(folder)
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .spawn()
        .map_err(|e| e.to_string())?;
    let mut output = child.stdout.take().ok_or("the child has no output")?;
    let mut written = Vec::new();
    // Mostly while it writes; sometimes while it starts.
    if random.chance(90) {
        let mut first = [0; 4];
        if output.read_exact(&mut first).is_ok() {
            written.extend(first);
        }
    }
    std::thread::sleep(Duration::from_micros(random.below(20_000) as u64));
    end(&mut child)?;
    output.read_to_end(&mut written).map_err(|e| e.to_string())?;
    Ok(written.chunks_exact(4).last().and_then(|bytes| bytes.try_into().ok()).map(u32::from_le_bytes))
}

/// On Unix this is SIGKILL.
pub fn end(child: &mut Child) -> Result<(), String> {
    child.kill().and_then(|()| child.wait()).map(drop).map_err(|e| e.to_string())
}

/// The file is that of the last save that was reported, or of the one that was being made.
fn save(folder: &Path, random: &mut Random) -> Result<Outcome, String> {
    let file = folder.join("g.ron");
    let before = storage::load(&file).ok().map(|document| document.seed);
    let reported = killed("save", folder, random)?;
    let least = reported.or(before);
    if least.is_none() && !file.exists() {
        return Ok(Outcome::Beside);
    }
    let saved = storage::load(&file).map_err(|sentence| format!("the file is torn: {sentence}"))?;
    if saved != document(saved.seed) {
        return Err(format!("the file is a mixture: it says {}", saved.seed));
    }
    if least.is_some_and(|least| saved.seed < least || saved.seed > least + 1) {
        return Err(format!("save {least:?} was told of, the file holds {}", saved.seed));
    }
    if random.chance(5) {
        let _ = std::fs::remove_dir_all(folder);
    }
    Ok(if reported.is_some() { Outcome::Met } else { Outcome::Beside })
}

/// The next start is offered a whole document.
fn autosave(folder: &Path, random: &mut Random) -> Result<Outcome, String> {
    let windows = storage::recovered(folder).len();
    let reported = killed("autosave", folder, random)?;
    let left = storage::recovered(folder);
    if left.len() < windows + usize::from(reported.is_some()) {
        return Err(format!("{} of {} windows left something that reads", left.len(), windows + 1));
    }
    if let Some(torn) = left.iter().find(|left| **left != document(left.seed)) {
        return Err(format!("what is offered is a mixture: it says {}", torn.seed));
    }
    // Some windows may wait for the next start together.
    if random.chance(40) {
        let _ = std::fs::remove_dir_all(folder);
    }
    Ok(if reported.is_some() { Outcome::Met } else { Outcome::Beside })
}
