//! Kills at random while files are written. What was reported as written is there afterwards, whole, and an export that continues ends
//! with the frames of one that nobody disturbed.

use std::collections::BTreeMap;
use std::io::{Read, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitCode, ExitStatus, Stdio};
use std::time::{Duration, Instant};

use stagewright::app::storage::{self, Autosave};
use stagewright::document::Document;

use super::corpus::corpus;
use super::random::Random;
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
enum Outcome {
    /// The process had not begun to write, or was done.
    Beside = 0,
    /// It was at work.
    Met = 1,
}

pub const KINDS: &[Kind] = &[
    Kind { name: "kill-save", weight: 4, short: 40, round: save },
    Kind { name: "kill-autosave", weight: 4, short: 40, round: autosave },
    Kind { name: "kill-export", weight: 8, short: 8, round: export },
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
    let mut told = Vec::new();
    // Mostly while it writes; sometimes while it starts.
    if random.chance(90) {
        let mut first = [0; 4];
        if output.read_exact(&mut first).is_ok() {
            told.extend(first);
        }
    }
    std::thread::sleep(Duration::from_micros(random.below(20_000) as u64));
    end(&mut child)?;
    output.read_to_end(&mut told).map_err(|e| e.to_string())?;
    Ok(told.chunks_exact(4).last().and_then(|bytes| bytes.try_into().ok()).map(u32::from_le_bytes))
}

/// On Unix this is SIGKILL.
fn end(child: &mut Child) -> Result<(), String> {
    child.kill().and_then(|()| child.wait()).map(drop).map_err(|e| e.to_string())
}

/// The file is that of the last save that was reported, or of the one that was being made.
fn save(folder: &Path, random: &mut Random) -> Result<Outcome, String> {
    let file = folder.join("g.ron");
    let before = storage::load(&file).ok().map(|document| document.seed);
    let told = killed("save", folder, random)?;
    let least = told.or(before);
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
    Ok(if told.is_some() { Outcome::Met } else { Outcome::Beside })
}

/// The next start is offered a whole document.
fn autosave(folder: &Path, random: &mut Random) -> Result<Outcome, String> {
    let windows = storage::recovered(folder).len();
    let told = killed("autosave", folder, random)?;
    let left = storage::recovered(folder);
    if left.len() < windows + usize::from(told.is_some()) {
        return Err(format!("{} of {} windows left something that reads", left.len(), windows + 1));
    }
    if let Some(torn) = left.iter().find(|left| **left != document(left.seed)) {
        return Err(format!("what is offered is a mixture: it says {}", torn.seed));
    }
    // Some windows may wait for the next start together.
    if random.chance(40) {
        let _ = std::fs::remove_dir_all(folder);
    }
    Ok(if told.is_some() { Outcome::Met } else { Outcome::Beside })
}

const FRAMES: usize = 40;

/// Frames by name, of an export that nobody disturbed, how long it took, and how long of that it was writing.
struct Undisturbed {
    frames: BTreeMap<String, Vec<u8>>,
    took: Duration,
    wrote: Duration,
}

/// Waits until a process ends, a time is over, or it has begun to write. Returns how it ended.
fn wait(child: &mut Child, time: Duration, writes: impl Fn() -> bool) -> Result<Option<ExitStatus>, String> {
    let began = Instant::now();
    loop {
        let ended = child.try_wait().map_err(|e| e.to_string())?;
        if ended.is_some() || began.elapsed() >= time || writes() {
            return Ok(ended);
        }
        std::thread::sleep(Duration::from_millis(1));
    }
}

fn render(graph: &Path, folder: &Path) -> Result<Child, String> {
    Command::new(env!("CARGO_BIN_EXE_stagewright"))
        .arg("render")
        .arg(graph)
        .args(["--frames", &FRAMES.to_string(), "--size", "32x32", "--checkpoint-every", "4", "--resume", "--out"])
        .arg(folder)
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .map_err(|e| e.to_string())
}

fn frames(folder: &Path) -> BTreeMap<String, Vec<u8>> {
    let name = |path: &Path| path.file_name().unwrap_or_default().to_string_lossy().into_owned();
    let frames = entries(folder).into_iter().map(|path| (name(&path), path));
    let frames = frames.filter(|(name, _)| name.ends_with(".png") && !name.starts_with('.'));
    frames.filter_map(|(name, path)| Some((name, std::fs::read(path).ok()?))).collect()
}

fn undisturbed(graph: &Path) -> Result<&'static Undisturbed, String> {
    static ONCE: std::sync::OnceLock<Result<Undisturbed, String>> = std::sync::OnceLock::new();
    let export = || {
        let folder = graph.with_file_name("undisturbed");
        let began = Instant::now();
        let mut child = render(graph, &folder)?;
        wait(&mut child, Duration::from_secs(60), || folder.exists())?;
        let wrote = Instant::now();
        let status = child.wait().map_err(|e| e.to_string())?;
        let frames = frames(&folder);
        let _ = std::fs::remove_dir_all(&folder);
        match status.success() && frames.len() == FRAMES {
            true => Ok(Undisturbed { frames, took: began.elapsed(), wrote: wrote.elapsed() }),
            false => Err(format!("an export that nobody disturbs gives {} frames: {status}", frames.len())),
        }
    };
    ONCE.get_or_init(export).as_ref().map_err(Clone::clone)
}

/// Whatever is there is as it should be; what continues ends with all of it.
fn export(folder: &Path, random: &mut Random) -> Result<Outcome, String> {
    let graph = folder.join("g.ron");
    if !graph.exists() {
        std::fs::write(&graph, &corpus().graphs[0]).map_err(|e| e.to_string())?;
    }
    let expected = undisturbed(&graph)?;
    let out = folder.join("frames");
    let mut child = render(&graph, &out)?;
    let part = |whole: Duration, random: &mut Random| whole.mul_f64(random.below(1000) as f64 / 1000.0);
    // Mostly while it writes frames; sometimes at any time.
    let ended = if random.chance(80) {
        let there = entries(&out).len();
        let began = wait(&mut child, Duration::from_secs(60), || entries(&out).len() > there)?;
        let left = part(expected.wrote, random);
        if began.is_some() { began } else { wait(&mut child, left, || false)? }
    } else {
        wait(&mut child, part(expected.took, random), || false)?
    };
    if ended.is_none() {
        end(&mut child)?;
    }
    let there = frames(&out);
    for (name, bytes) in &there {
        if expected.frames.get(name) != Some(bytes) {
            let told = format!("{} bytes for {:?}", bytes.len(), expected.frames.get(name).map(Vec::len));
            return Err(format!("{name} is not the frame of an undisturbed export: {told}"));
        }
    }
    match ended {
        Some(status) if !status.success() => Err(format!("an export that goes on fails: {status}")),
        Some(_) if there.len() != FRAMES => Err(format!("an export that is complete has {} frames", there.len())),
        Some(_) => {
            let name = |path: &PathBuf| path.file_name().unwrap_or_default().to_string_lossy().into_owned();
            let left = entries(&out).into_iter().map(|path| name(&path));
            let left: Vec<String> = left
                .filter(|name| !there.contains_key(name) && !name.starts_with("checkpoint."))
                .filter(|name| name != ".frame.export.list")
                .collect();
            std::fs::remove_dir_all(&out).map_err(|e| e.to_string())?;
            match left.is_empty() {
                true => Ok(Outcome::Beside),
                false => Err(format!("files besides frames stay behind a complete export: {}", left.join(", "))),
            }
        }
        None if out.exists() => Ok(Outcome::Met),
        None => Ok(Outcome::Beside),
    }
}
