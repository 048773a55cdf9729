//! The process that runs cases, one after the other, and says after each what it cost. A panic anywhere ends it.

use std::fmt::Write;
use std::path::PathBuf;
use std::process::ExitCode;
use std::time::{Duration, Instant};

use super::meter;
use super::targets::{self, Target};

/// `TARGET SEED FIRST STEP END MILLISECONDS`, or `TARGET files FIRST FILE...`
pub fn main(words: &[&str]) -> ExitCode {
    let Some(target) = words.first().and_then(|name| targets::find(name)) else { return ExitCode::from(2) };
    std::panic::set_hook(Box::new(report));
    // What is read once a process is no part of a case.
    let _ = super::corpus::corpus();
    let _ = stagewright_language::library::Library::builtin();
    meter::say(b"");
    meter::watch();
    let number = |at: usize| words.get(at).and_then(|word| word.parse::<u64>().ok());
    if words.get(1) == Some(&"files") {
        let first = number(2).unwrap_or(0) as usize;
        for (index, file) in words.iter().skip(3).enumerate().skip(first) {
            let Ok(bytes) = std::fs::read(PathBuf::from(file)) else { meter::finding("missing", file) };
            case(target, index as u64, &bytes);
        }
        return ExitCode::SUCCESS;
    }
    let [Some(seed), Some(first), Some(step), Some(end), Some(time)] = [1, 2, 3, 4, 5].map(number) else {
        return ExitCode::from(2);
    };
    let (began, time) = (Instant::now(), Duration::from_millis(time));
    let mut index = first;
    while index < end && began.elapsed() < time {
        case(target, index, &target.case(seed, index));
        index += step;
    }
    ExitCode::SUCCESS
}

fn case(target: &Target, index: u64, bytes: &[u8]) {
    let held = meter::held();
    meter::begin();
    let level = (target.run)(bytes);
    let (time, memory) = meter::end(held);
    meter::say(format!("E {index} {time} {memory} {level}\n").as_bytes());
}

/// Panics of naga while it validates are caught by the compiler, which says so of the stage: they are counted, not findings.
fn report(panic: &std::panic::PanicHookInfo<'_>) {
    let place = panic.location().map(|place| (place.file().to_string(), place.line()));
    let (file, line) = place.unwrap_or_default();
    if file.contains("/naga-") {
        meter::say(b"N\n");
        return;
    }
    let payload = panic.payload();
    let text = payload.downcast_ref::<&str>().map(ToString::to_string);
    let text = text.or_else(|| payload.downcast_ref::<String>().cloned()).unwrap_or_default();
    let mut cause = String::new();
    let _ = write!(cause, "{file}:{line}: {}", text.replace('\n', " | "));
    if std::env::var_os(super::regressions::REPLAY).is_some() {
        eprintln!("{}", std::backtrace::Backtrace::force_capture());
    }
    let end = (0..=600.min(cause.len())).rev().find(|at| cause.is_char_boundary(*at)).unwrap_or(0);
    cause.truncate(end);
    meter::finding("panic", &cause);
}
