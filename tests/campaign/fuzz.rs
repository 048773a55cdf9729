//! The process that watches: it starts workers, counts what they say, keeps the case where one ends early, and continues after it.

use std::io::{BufRead, BufReader};
use std::path::PathBuf;
use std::process::{Command, ExitStatus, Stdio};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use super::options::Options;
use super::regressions::REPLAY;
use super::tally::Tally;
use super::targets::Target;

/// Address space of a worker \[KiB\]: stacks of 256 MiB each for all threads that validate, and what a case may take.
const ADDRESS_SPACE: u64 = 24 << 20;
/// A target with so many findings is not worth more time.
const ENOUGH: u64 = 500;

/// Where findings are kept.
pub fn folder() -> PathBuf {
    let target = PathBuf::from(env!("CARGO_TARGET_TMPDIR"));
    target.parent().unwrap_or(&target).join("campaign")
}

/// How a worker ended, and the case that it was at.
pub enum Ended {
    Well,
    /// At the case after the last that it reported: kind and cause.
    Found(String, String),
}

/// Runs cases of a target until the time is over or the count reached.
pub fn run(target: &'static Target, options: &Options, time: Duration, count: u64) -> Tally {
    let began = Instant::now();
    let tally = Mutex::new(Tally::new(target.name, target.levels));
    std::thread::scope(|scope| {
        for process in 0..options.processes as u64 {
            let tally = &tally;
            scope.spawn(move || {
                let step = options.processes as u64;
                let mut next = process;
                while next < count && began.elapsed() < time {
                    let left = time.saturating_sub(began.elapsed()).as_millis().to_string();
                    let words = [options.seed.to_string(), next.to_string(), step.to_string(), count.to_string(), left];
                    let ended = work(target, &words, tally, |index| next = index + step);
                    let Ended::Found(kind, cause) = ended else { break };
                    if note(target, options.seed, next, &kind, &cause, tally) >= ENOUGH {
                        break;
                    }
                    next += step;
                }
            });
        }
    });
    let mut tally = tally.into_inner().unwrap_or_else(PoisonError::into_inner);
    tally.seconds = began.elapsed().as_secs_f64();
    tally
}

/// One worker, from its start to its end. `done` is called with the index of every case that went well.
pub fn work(target: &Target, words: &[String], tally: &Mutex<Tally>, mut done: impl FnMut(u64)) -> Ended {
    let broken = |cause: String| Ended::Found("failed".into(), cause);
    let program = match std::env::current_exe() {
        Ok(program) => program,
        Err(error) => return broken(error.to_string()),
    };
    let limited = format!("ulimit -c 0; ulimit -v {ADDRESS_SPACE}; exec \"$0\" \"$@\"");
    let says = if std::env::var_os(REPLAY).is_some() { Stdio::inherit() } else { Stdio::null() };
    let worker = Command::new("sh")
        .args(["-c", &limited])
        .arg(program)
        .args(["worker", target.name])
        .args(words)
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(says)
        .spawn();
    let mut worker = match worker {
        Ok(worker) => worker,
        Err(error) => return broken(error.to_string()),
    };
    let mut found = None;
    if let Some(output) = worker.stdout.take() {
        for line in BufReader::new(output).lines().map_while(Result::ok) {
            let mut tally = tally.lock().unwrap_or_else(PoisonError::into_inner);
            match line.split_once(' ') {
                Some(("E", numbers)) => done(take(&mut tally, numbers)),
                Some(("F", finding)) => {
                    let (kind, cause) = finding.split_once(' ').unwrap_or((finding, ""));
                    found.get_or_insert((kind.to_string(), cause.to_string()));
                }
                _ => tally.caught += u64::from(line == "N"),
            }
        }
    }
    let status = worker.wait();
    match (found, status) {
        (Some((kind, cause)), _) => Ended::Found(kind, cause),
        (None, Ok(status)) if status.success() => Ended::Well,
        (None, Ok(status)) => Ended::Found("signal".into(), describe(status)),
        (None, Err(error)) => broken(error.to_string()),
    }
}

fn take(tally: &mut Tally, numbers: &str) -> u64 {
    let numbers: Vec<u64> = numbers.split(' ').filter_map(|number| number.parse().ok()).collect();
    let &[index, time, memory, level] = numbers.as_slice() else { return 0 };
    tally.cases += 1;
    tally.slowest = tally.slowest.max((time, index));
    tally.largest = tally.largest.max((memory as usize, index));
    if let Some((_, count)) = tally.levels.get_mut(level as usize) {
        *count += 1;
    }
    index
}

fn describe(status: ExitStatus) -> String {
    // A stack that overflowed and memory that ran out both come as SIGABRT.
    format!("the process died: {status}")
}

/// Keeps a case that ended its worker. Returns how many there were.
fn note(target: &Target, seed: u64, index: u64, kind: &str, cause: &str, tally: &Mutex<Tally>) -> u64 {
    let mut tally = tally.lock().unwrap_or_else(PoisonError::into_inner);
    tally.cases += 1;
    if tally.find(index, kind, cause) {
        let folder = folder().join(target.name);
        let name = format!("{seed}-{index}-{kind}");
        let file = folder.join(format!("{name}.{}", target.ending));
        let kept = std::fs::create_dir_all(&folder)
            .and_then(|()| std::fs::write(&file, target.case(seed, index)))
            .and_then(|()| std::fs::write(folder.join(format!("{name}.txt")), cause));
        match kept {
            Ok(()) => eprintln!("{}: {kind}: {cause}\n    {}", target.name, file.display()),
            Err(error) => eprintln!("{}: {kind}: {cause}\n    not kept: {error}", target.name),
        }
    }
    tally.findings.iter().map(|finding| finding.times).sum()
}
