//! The program, killed at random while it writes into a folder and started again on it until it is done. Meanwhile nothing is torn, and
//! the end is that of a run that nobody disturbed.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use stagewright_base::files::written::Written;
use stagewright_runtime::sim::checkpoint::CheckpointFile;
use stagewright_test_support::forge;

use super::corpus::{BALL, SMALL, TINY};
use super::kills::{Outcome, end};
use super::random::Random;

/// What the program does with a graph: a command, what it writes, and options. The folder of its files follows.
struct Work {
    graph: &'static str,
    command: &'static str,
    what: &'static str,
    options: &'static str,
}

const fn work(graph: &'static str, command: &'static str, what: &'static str, options: &'static str) -> Work {
    Work { graph, command, what, options }
}

const fn export(graph: &'static str, what: &'static str) -> Work {
    work(graph, "export", what, "--frames 40 --resume")
}

const DROPS: &str = SMALL[4];

/// Images, with checkpoints.
const FRAMES: &[Work] = &[work(SMALL[0], "render", "", "--frames 40 --size 32x32 --checkpoint-every 4 --resume")];

/// Each format by itself, and several at once.
const FORMATS: &[Work] = &[
    export(TINY, "screen:png16"),
    export(TINY, "p.x:exr"),
    export(TINY, "p.x:exr-half"),
    export(TINY, "p.x:vdb"),
    export(TINY, "p.x:vdb-half"),
    export(BALL, "ball.distance@box:vdb-level-set"),
    export(TINY, "p.x:npy"),
    export(TINY, "p.x+s:npz"),
    export(TINY, "p.x:vtk"),
    export(DROPS, "drops:ply"),
    export(DROPS, "drops:usda"),
    export(DROPS, "drops:csv"),
    export(TINY, "p.x:sum+p.x:max:csv"),
    export(TINY, "p.x:sum:jsonl"),
    export(TINY, "screen:apng"),
    export(TINY, "screen:gif"),
    work(TINY, "export", "screen:flipbook", "--tiles 8x5 --frames 40 --resume"),
    export(TINY, "screen:png p.x:npy p.x:vtk p.x:sum:csv film=screen:apng"),
    // What ffmpeg writes, where it is there.
    export(TINY, "screen:mp4"),
    export(TINY, "screen:webm"),
    export(TINY, "screen:prores"),
];

/// Simulations that continue from checkpoints: of particles, and of grids.
const CHECKPOINTS: &[Work] = &[
    work(DROPS, "render", "", "--frames 60 --size 16x16 --checkpoint-every 3 --resume"),
    work(TINY, "export", "p.x:npy", "--frames 60 --checkpoint-every 5 --resume"),
];

/// Caches.
const BAKES: &[Work] = &[
    work(TINY, "bake", "p.x s", "--frames 40 --checkpoint-every 3 --resume"),
    work(DROPS, "bake", "drops", "--frames 40 --checkpoint-every 4 --resume"),
];

/// Sweeps: the last image of each task, and all frames in two formats.
const SWEEPS: &[Work] = &[
    work(TINY, "sweep", "", "--set p.rate=0.1..0.9:6 --frames 8 --number p.x:sum"),
    work(TINY, "sweep", "p.x:npy", "--set p.rate=0.1,0.5,1.7976931348623157 --set seed=1,2 --frames 1-6"),
];

pub fn frames(folder: &Path, random: &mut Random) -> Result<Outcome, String> {
    Round::choose(FRAMES, folder, random).kill(random)
}

pub fn formats(folder: &Path, random: &mut Random) -> Result<Outcome, String> {
    Round::choose(FORMATS, folder, random).kill(random)
}

pub fn bakes(folder: &Path, random: &mut Random) -> Result<Outcome, String> {
    Round::choose(BAKES, folder, random).kill(random)
}

pub fn sweeps(folder: &Path, random: &mut Random) -> Result<Outcome, String> {
    Round::choose(SWEEPS, folder, random).kill(random)
}

/// A simulation that continues by itself, and sometimes in another folder from the newest checkpoint that a kill has left.
pub fn checkpoints(folder: &Path, random: &mut Random) -> Result<Outcome, String> {
    let round = Round::choose(CHECKPOINTS, folder, random);
    let outcome = round.kill(random)?;
    if random.chance(50) {
        round.go_on()?;
    }
    Ok(outcome)
}

/// How the names of checkpoints end.
const CHECKPOINT: &str = ".safetensors";

/// The files of a folder and below it by their paths.
type Files = BTreeMap<String, Vec<u8>>;

/// A run that nobody disturbed: its files, how long it took, and how long of that it was writing.
struct Undisturbed {
    files: Files,
    took: Duration,
    wrote: Duration,
}

impl Work {
    /// All that is typed, without the graph and the folder.
    fn words(&self) -> Vec<&'static str> {
        [self.command, self.what, self.options].into_iter().flat_map(str::split_whitespace).collect()
    }

    /// Whether another program writes its files.
    fn needs_ffmpeg(&self) -> bool {
        ["mp4", "webm", "prores"].iter().any(|format| self.what.ends_with(format))
    }
}

fn start(graph: &Path, words: &[&str], out: &Path) -> Result<Child, String> {
    let (command, rest) = words.split_first().ok_or("no command")?;
    Command::new(env!("CARGO_BIN_EXE_stagewright"))
        .arg(command)
        .arg(graph)
        .args(rest)
        .arg("--out")
        .arg(out)
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .map_err(|e| e.to_string())
}

fn has_ffmpeg() -> bool {
    Command::new("ffmpeg").arg("-version").stdout(Stdio::null()).stderr(Stdio::null()).status().is_ok()
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

/// Paths of the files in a folder and below it, from there.
fn names(folder: &Path) -> BTreeSet<PathBuf> {
    let mut all = BTreeSet::new();
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        let name = PathBuf::from(entry.file_name());
        match entry.file_type().is_ok_and(|kind| kind.is_dir()) {
            true => all.extend(names(&entry.path()).into_iter().map(|below| name.join(below))),
            false => {
                all.insert(name);
            }
        }
    }
    all
}

fn files(folder: &Path) -> Files {
    let read = |name: PathBuf| Some((name.to_string_lossy().into_owned(), fs::read(folder.join(name)).ok()?));
    names(folder).into_iter().filter_map(read).collect()
}

fn last(name: &str) -> &str {
    name.rsplit('/').next().unwrap_or(name)
}

/// Whether a file is there for its contents, and not for what continues.
fn is_result(name: &str) -> bool {
    !last(name).starts_with('.') && last(name) != "frame.export.ron"
}

/// Whether a file is left by what was killed while it wrote it.
fn is_temporary(name: &str) -> bool {
    last(name).starts_with(".stagewright-") && name.ends_with(".tmp")
}

/// The contents of a file, without what differs between two runs: times, and the order in which threads are done.
fn contents(name: &str, bytes: &[u8]) -> Vec<u8> {
    let text = || String::from_utf8_lossy(bytes);
    match last(name) {
        // A name that is killed twice is listed twice.
        ".frame.export" => {
            text().lines().collect::<BTreeSet<_>>().into_iter().collect::<Vec<_>>().join("\n").into_bytes()
        }
        "sweep.csv" => {
            let cells = |line: &str| line.rsplit_once(',').map(|(cells, _)| cells.to_string()).unwrap_or_default();
            text().lines().map(cells).collect::<Vec<_>>().join("\n").into_bytes()
        }
        "timing.json" | "sheet.html" => Vec::new(),
        name if name.ends_with(CHECKPOINT) => {
            let forge::Checkpoint { tensors, about, data } = forge::Checkpoint::parse(bytes);
            [serde_json::json!([tensors, about]).to_string().into_bytes(), data].concat()
        }
        _ => bytes.to_vec(),
    }
}

/// A kill of a work.
struct Round<'f> {
    work: &'static Work,
    folder: &'f Path,
    graph: PathBuf,
    /// The folder of the files.
    out: PathBuf,
}

impl Round<'_> {
    /// With one of these works: the one that is not done, or another.
    fn choose<'f>(works: &'static [Work], folder: &'f Path, random: &mut Random) -> Round<'f> {
        let place = |at: usize| folder.join(format!("work-{at}"));
        let open = (0..works.len()).find(|at| place(*at).exists());
        let at = open.unwrap_or_else(|| random.below(works.len()));
        Round { work: &works[at], folder, graph: place(at).with_extension("ron"), out: place(at) }
    }

    /// What a run that nobody disturbs writes; `None` where the program that it needs is not there.
    fn undisturbed(&self) -> Result<Option<Arc<Undisturbed>>, String> {
        // By what is typed.
        static RUNS: Mutex<BTreeMap<String, Option<Arc<Undisturbed>>>> = Mutex::new(BTreeMap::new());
        let mut runs = RUNS.lock().unwrap_or_else(PoisonError::into_inner);
        let words = self.work.words();
        if let Some(run) = runs.get(&words.join(" ")) {
            return Ok(run.clone());
        }
        fs::write(&self.graph, self.work.graph).map_err(|e| e.to_string())?;
        let run = match self.work.needs_ffmpeg() && !has_ffmpeg() {
            true => None,
            false => Some(Arc::new(self.whole(&words)?)),
        };
        runs.insert(words.join(" "), run.clone());
        Ok(run)
    }

    fn whole(&self, words: &[&str]) -> Result<Undisturbed, String> {
        let (out, began) = (self.folder.join("undisturbed"), Instant::now());
        let mut child = start(&self.graph, words, &out)?;
        wait(&mut child, Duration::from_secs(60), || out.exists())?;
        let writing = Instant::now();
        let status = child.wait().map_err(|e| e.to_string())?;
        let run = Undisturbed { files: files(&out), took: began.elapsed(), wrote: writing.elapsed() };
        let _ = fs::remove_dir_all(out);
        match status.success() && run.files.keys().any(|name| is_result(name)) {
            true => Ok(run),
            false => self.fault(&format!("a run that nobody disturbs fails: {status}")),
        }
    }

    fn fault<T>(&self, cause: &str) -> Result<T, String> {
        Err(format!("{}: {cause}", self.work.words().join(" ")))
    }

    /// Kills a run, and looks at what is there. One that comes to its end has to have all of it.
    fn kill(&self, random: &mut Random) -> Result<Outcome, String> {
        let Some(expected) = self.undisturbed()? else { return Ok(Outcome::Beside) };
        let out = &self.out;
        fs::write(&self.graph, self.work.graph).map_err(|e| e.to_string())?;
        let mut child = start(&self.graph, &self.work.words(), out)?;
        let part = |whole: Duration, random: &mut Random| whole.mul_f64(random.below(1000) as f64 / 1000.0);
        // Mostly while it writes; sometimes at any time.
        let ended = if random.chance(80) {
            let there = names(out);
            let began = wait(&mut child, Duration::from_secs(60), || names(out) != there)?;
            let left = part(expected.wrote, random);
            if began.is_some() { began } else { wait(&mut child, left, || false)? }
        } else {
            wait(&mut child, part(expected.took, random), || false)?
        };
        if ended.is_none() {
            end(&mut child)?;
        }
        let there = files(out);
        self.whole_files(&there, &expected.files)?;
        let Some(status) = ended else {
            return Ok(if there.is_empty() { Outcome::Beside } else { Outcome::Met });
        };
        if !status.success() {
            return self.fault(&format!("a run that goes on fails: {status}"));
        }
        complete(&there, &expected.files, out).or_else(|cause| self.fault(&cause))?;
        fs::remove_dir_all(out).map_err(|e| e.to_string())?;
        Ok(Outcome::Beside)
    }

    /// Each file that has its name is one of an undisturbed run, as a whole.
    fn whole_files(&self, there: &Files, expected: &Files) -> Result<(), String> {
        for (name, bytes) in there.iter().filter(|(name, _)| is_result(name)) {
            match expected.get(name) {
                Some(expected_bytes) if contents(name, expected_bytes) == contents(name, bytes) => {}
                Some(expected_bytes) => {
                    return self.fault(&format!(
                        "{name} is torn or different: {} bytes for {}",
                        bytes.len(),
                        expected_bytes.len()
                    ));
                }
                // Those of an undisturbed run are removed when they are old.
                None if name.ends_with(CHECKPOINT) => {
                    CheckpointFile::open(&self.out.join(name)).or_else(|error| self.fault(&error.to_string()))?;
                }
                None => return self.fault(&format!("{name} is there, and an undisturbed run does not write it")),
            }
        }
        Ok(())
    }

    /// Continues in another folder from the newest checkpoint.
    fn go_on(&self) -> Result<(), String> {
        let newest = names(&self.out).into_iter().rfind(|name| name.to_string_lossy().ends_with(CHECKPOINT));
        let (Some(newest), Some(expected)) = (newest, self.undisturbed()?) else { return Ok(()) };
        let (from, other) = (self.out.join(newest), self.folder.join("continued"));
        let frame = CheckpointFile::open(&from).map_err(|error| error.to_string())?.frame();
        let from = from.to_string_lossy();
        let mut words: Vec<&str> = self.work.words();
        words.retain(|word| *word != "--resume");
        words.extend(["--from", from.as_ref()]);
        let status = start(&self.graph, &words, &other)?.wait().map_err(|e| e.to_string())?;
        let there = files(&other);
        let _ = fs::remove_dir_all(&other);
        let is_frame = |name: &str| is_result(name) && !name.ends_with(CHECKPOINT);
        let wanted: Vec<&String> = expected.files.keys().filter(|name| is_frame(name)).skip(frame as usize).collect();
        if wanted.is_empty() {
            // After the last frame there is nothing to write, which is said.
            return Ok(());
        }
        if !status.success() {
            return self.fault(&format!("what continues from frame {frame} fails: {status}"));
        }
        let made: Vec<&String> = there.keys().filter(|name| is_frame(name)).collect();
        if made != wanted || made.iter().any(|name| there[*name] != expected.files[*name]) {
            return self.fault(&format!("the frames after {frame} are others where a run continues from there"));
        }
        Ok(())
    }
}

/// Whether a folder has what an undisturbed run leaves, and nothing else.
fn complete(there: &Files, expected: &Files, out: &Path) -> Result<(), String> {
    // A run that was killed after its last frame has the checkpoint before.
    let saved = |name: &String| name.ends_with(CHECKPOINT);
    let [most, count] = [expected, there].map(|files| files.keys().filter(|name| saved(name)).count());
    if count > most + 1 {
        return Err(format!("{count} checkpoints stay behind what is complete, and {most} of an undisturbed run"));
    }
    if let Some(name) = expected.keys().find(|name| !there.contains_key(*name) && !saved(name)) {
        return Err(format!("{name} is missing in what is complete"));
    }
    if let Some(name) = there.keys().find(|name| !expected.contains_key(*name) && !saved(name)) {
        let kind = if is_temporary(name) { "the temporary file" } else { "the file" };
        return Err(format!("{kind} {name} stays behind what is complete"));
    }
    let differs = |(name, bytes): &(&String, &Vec<u8>)| {
        // Checkpoints are in the list, too.
        let counts = most == 0 || last(name) != ".frame.export.list";
        counts
            && expected.get(*name).is_some_and(|expected_bytes| contents(name, expected_bytes) != contents(name, bytes))
    };
    if let Some((name, bytes)) = there.iter().find(differs) {
        return Err(format!("{name} is different in what is complete: {} bytes", bytes.len()));
    }
    // The record of an export is true: what it lists is as it was written.
    for name in there.keys().filter(|name| is_result(name)) {
        let path = out.join(name);
        let Some(folder) = path.parent().filter(|folder| folder.join(".frame.export").exists()) else { continue };
        let is_listed = !matches!(last(name), "values.json" | "timing.json");
        if is_listed && !Written::read(folder).owns(&path) {
            return Err(format!("{name} is not in the list of what exports have written"));
        }
    }
    Ok(())
}
