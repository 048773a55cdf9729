//! What exports and sweeps keep in their folders and believe the next time: the record of an export with its checksums, the list of
//! files that exports have written, the manifest of a sweep, and the values of its tasks.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::OnceLock;

use serde_json::{Value, json};
use stagewright_base::cancel::Cancel;
use stagewright_base::files::Access;
use stagewright_base::files::written::{self, Log, Written};
use stagewright_export::job::{Export, Item};
use stagewright_export::place::Folder;
use stagewright_export::record::Fingerprint;
use stagewright_export::select::{Choices, DEFAULT_NAMES, Request, items};
use stagewright_export::settings::Settings;
use stagewright_export::sweep::farm::{self, Call};
use stagewright_export::sweep::manifest::{Manifest, label};
use stagewright_export::sweep::results::Results;
use stagewright_export::sweep::task::{Finished, VALUES as VALUES_FILE};
use stagewright_export::sweep::{self, page};
use stagewright_language::document::Document;
use stagewright_language::graph::Graph;
use stagewright_language::library::Library;

use super::{Target, folder, sentence};
use crate::corpus::TINY;
use crate::mutate::{self, NUMBERS};
use crate::random::Random;

pub const MANIFEST: Target = Target {
    name: "manifest",
    ending: "case",
    weight: 5,
    short: 150,
    levels: &["refused", "read", "believed"],
    make: make_manifest,
    run: run_manifest,
};
pub const VALUES: Target = Target {
    name: "values",
    ending: "json",
    weight: 4,
    short: 150,
    levels: &["refused", "complete"],
    make: make_values,
    run: run_values,
};

const FRAMES: u64 = 4;
/// What a file beside the folder of a sweep holds; its text in base 64.
const SECRET: (&str, &str) = ("precious", "cHJlY2lvdX");

/// A folder with an export, of which a file is missing, and a sweep.
struct Seed {
    folder: PathBuf,
    document: Document,
    export: Export,
    inputs: Fingerprint,
    record: String,
    list: String,
    manifest: Manifest,
    values: Value,
}

fn seed() -> &'static Seed {
    static SEED: OnceLock<Seed> = OnceLock::new();
    SEED.get_or_init(|| {
        let folder = folder("manifests");
        let graph = folder.join("g.ron");
        fs::write(&graph, TINY).expect("the graph is written");
        let (out, sweep) = (folder.join("export"), folder.join("sweep"));
        let frames = FRAMES.to_string();
        program(&["export", "g.ron", "screen:png", "p.x:npy", "--frames", &frames, "--out", "export"], &folder);
        let set = ["sweep", "g.ron", "--set", "p.rate=0.1,0.2,0.3", "--frames", "2", "--number", "p.x:sum"];
        program(&[&set[..], &["--number", "p.x:max", "--out", "sweep"]].concat(), &folder);
        fs::remove_file(out.join("p.x.0002.npy")).expect("a frame is there");
        let [record, list] = [".frame.export", ".frame.export.list"]
            .map(|name| fs::read_to_string(out.join(name)).expect("an export keeps it"));
        fs::remove_file(out.join(".frame.export")).expect("it was read");
        fs::write(folder.join("secret.png"), SECRET.0).expect("a file beside it");
        let document = Document::parse(TINY).expect("it reads");
        let access = Access::new(&folder, false);
        let inputs =
            Fingerprint::of(&document, Library::builtin(), &access, &Cancel::default()).expect("not cancelled");
        let export = Export {
            frames: (1..=FRAMES).into(),
            size: None,
            items: series(&out, &document),
            folder: out,
            resume: true,
            overwrite: false,
            unseen: true,
            checkpoints: None,
        };
        let manifest = Manifest::read(&sweep).expect("it reads").expect("it is there");
        let values = fs::read(sweep.join("0000").join(VALUES_FILE)).expect("a task is complete");
        let values = serde_json::from_slice(&values).expect("JSON");
        let seed = Seed { folder, document, export, inputs, record, list, manifest, values };
        assert_eq!(believed(&seed, "frame.export.ron", seed.record.as_bytes()), Some(3), "one frame is missing");
        seed
    })
}

fn program(words: &[&str], folder: &Path) {
    let status = Command::new(env!("CARGO_BIN_EXE_stagewright"))
        .args(words)
        .current_dir(folder)
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .status();
    assert!(status.is_ok_and(|status| status.success()), "{words:?} runs");
}

/// The series of the export, as the program has them.
fn series(out: &Path, document: &Document) -> Vec<Item> {
    let graph = Graph::build(document, Library::builtin()).expect("it builds");
    let folder = Folder::plain(out, "g");
    let choices =
        Choices { formats: &[], names: DEFAULT_NAMES, folder: &folder, size: None, settings: Settings::default() };
    let requests = ["screen:png", "p.x:npy"].map(|text| Request::parse(text).expect("a wire"));
    items(&requests, &choices, document, &graph).expect("they can be exported")
}

/// The lines of a text after its first, with some of them changed: the numbers of one, or its place.
fn lines(random: &mut Random, text: &str) -> String {
    let mut lines: Vec<String> = text.lines().map(String::from).collect();
    for _ in 0..random.few(4) {
        let at = 1 + random.below(lines.len() - 1);
        let line = lines[at].clone();
        let words: Vec<&str> = line.split(' ').collect();
        let number = *random.one(NUMBERS);
        match random.below(8) {
            0..=1 => lines.push(line.clone()),
            2 => lines.push(line.replacen(words[0], number, 1)),
            3 => lines.push(format!("{} {number} {}", words[0], words[words.len() - 1])),
            4 => lines.push(line.to_uppercase()),
            5 => lines.push(format!("{line} {number}")),
            6 => lines.swap(at, 1),
            _ => drop(lines.remove(at)),
        }
        if lines.len() < 3 {
            break;
        }
    }
    let cut = if random.chance(10) { "" } else { "\n" };
    lines.join("\n") + cut
}

fn make_manifest(random: &mut Random) -> Vec<u8> {
    let seed = seed();
    let words: Vec<&str> =
        ["version", "inputs", "series", "files", "frames", "None", "tasks", "index", "null", "[]", "{}"]
            .into_iter()
            .chain(["options", "parameters", "values", "set", "numbers", "\"../../x\""])
            .chain(NUMBERS.iter().copied())
            .collect();
    let manifest = || serde_json::to_string_pretty(&seed.manifest).expect("JSON");
    match random.below(20) {
        0..=5 => lines(random, &seed.record).into_bytes(),
        6..=8 => lines(random, &seed.list).into_bytes(),
        9..=15 => {
            let mut manifest = serde_json::to_value(&seed.manifest).expect("JSON");
            (0..random.few(3)).for_each(|_| change_manifest(random, &mut manifest));
            manifest.to_string().into_bytes()
        }
        16..=17 => {
            let (first, rest) = seed.record.split_once('\n').expect("lines");
            let first = mutate::text(random, first, &[], &words);
            format!("{first}\n{rest}").into_bytes()
        }
        18 => mutate::text(random, &manifest(), &[], &words).into_bytes(),
        _ => {
            let text = [seed.record.clone(), seed.list.clone(), manifest()][random.below(3)].clone();
            mutate::bytes(random, text.as_bytes())
        }
    }
}

const TEXTS: &[&str] = &[
    "another",
    "p.rate",
    "../../x",
    "/etc/passwd",
    "a\nb",
    "\u{1b}[31m",
    "<script>",
    "=cmd|' /C calc'!A0",
    "水",
    "",
    "{{Param.Graph}}",
    "$(reboot)",
    "`x`",
    "' \"",
];

fn change_manifest(random: &mut Random, manifest: &mut Value) {
    let text = *random.one(TEXTS);
    let number = random.one(NUMBERS).parse::<f64>().ok().filter(|number| number.is_finite()).unwrap_or(0.5);
    let tasks = manifest["tasks"].as_array().map_or(0, Vec::len);
    let task = random.below(tasks);
    match random.below(14) {
        0 => manifest["program"] = json!(text),
        1 => manifest["graph"] = json!(text),
        2 => manifest["hash"] = json!(text),
        3 => manifest["tasks"][task]["values"]["p.rate"] = json!(number),
        // A number with all its digits.
        4 => manifest["tasks"][task]["values"]["p.rate"] = json!(random.next() as f64 / 3e18),
        5 => manifest["tasks"][task]["values"]["p.rate"] = json!(random.one(&["0.25", "[1, 2]", "time", text])),
        6 => manifest["tasks"][task]["values"][text] = json!([number, text, null]),
        7 => manifest["tasks"].as_array_mut().into_iter().for_each(|tasks| tasks.truncate(1 + task)),
        8 => {
            let Some(all) = manifest["tasks"].as_array_mut() else { return };
            let Some(last) = all.last().cloned() else { return };
            for index in all.len()..all.len() + *random.one(&[1, 20, 300]) {
                let mut task = last.clone();
                task["index"] = json!(index);
                all.push(task);
            }
        }
        9 => manifest["options"]["numbers"] = json!([text, "p.x:sum"]),
        10 => manifest["options"][*random.one(&["names", "image", "variant", "input", "from"])] = json!(text),
        11 => manifest["options"]["frames"] = json!(random.one(&[(1u64, 1u64), (0, 0), (9, 1), (1, u64::MAX)])),
        12 => manifest["parameters"] = json!(["p.rate", text]),
        _ => manifest["tasks"][task]["index"] = json!(number),
    }
}

/// How many frames an export that goes on believes to be there, with this as a record.
fn believed(seed: &Seed, name: &str, bytes: &[u8]) -> Option<u64> {
    let (path, export) = (seed.export.folder.join(name), &seed.export);
    fs::write(&path, bytes).expect("the case is written");
    let kept = export.interrupted(&seed.inputs);
    let _ = export.rebaked(&seed.inputs);
    let longer = Export { frames: (1..=FRAMES + 3).into(), ..export.clone() };
    assert!(longer.interrupted(&seed.inputs).is_none_or(|kept| kept <= 3), "frames that are there");
    let (there, _) = export.would_replace();
    assert_eq!(there as u64, 2 * FRAMES - 1, "files that are there");
    fs::remove_file(&path).expect("it was written");
    kept
}

fn run_manifest(bytes: &[u8]) -> usize {
    let seed = seed();
    let name = if bytes.len().is_multiple_of(2) { ".frame.export" } else { "frame.export.ron" };
    let kept = believed(seed, name, bytes);
    assert!(kept.is_none_or(|kept| kept <= 3), "{kept:?} frames are believed to be whole, and 3 are");
    let level = if kept.is_some() { 2 } else { 0 };
    level.max(list(seed, bytes)).max(manifest(seed, bytes))
}

/// A list of the files that exports have written: files of other sizes are not claimed.
fn list(seed: &Seed, bytes: &[u8]) -> usize {
    let out = &seed.export.folder;
    fs::write(written::path(out), bytes).expect("the case is written");
    let list = Written::read(out);
    let files = fs::read_dir(out).expect("a folder").flatten().map(|entry| entry.path());
    let owned = files.filter(|file| list.owns(file)).count();
    if !list.is_foreign() {
        let copy = folder("manifests/list");
        Log::begin(&copy, &list).expect("a list is written");
        assert_eq!(Written::read(&copy), list, "what is written is read");
        Log::finish(&copy);
        assert!(!Written::read(&copy).is_foreign());
    }
    fs::write(written::path(out), &seed.list).expect("the list is written");
    if owned > 0 { 2 } else { usize::from(list != Written::default() && !list.is_foreign()) }
}

/// The manifest of a sweep: what is read is that of a sweep, and goes on as it is.
fn manifest(seed: &Seed, bytes: &[u8]) -> usize {
    let sweep_folder = folder("manifests/manifest");
    fs::write(Manifest::path(&sweep_folder), bytes).expect("the case is written");
    let manifest = match Manifest::read(&sweep_folder) {
        Ok(manifest) => manifest.expect("it is there"),
        Err(error) => {
            let text = error.to_string();
            sentence(&text);
            assert!(text.contains("manifest.json"), "{text}");
            return 0;
        }
    };
    let fresh = sweep_folder.with_file_name("fresh");
    let _ = fs::remove_dir_all(&fresh);
    manifest.write(&fresh).expect("what was read is written");
    let again = Manifest::read(&fresh).expect("and read").expect("again");
    assert_eq!(again, manifest);
    assert!(manifest.same(&again, &fresh).is_ok());
    assert_eq!(seed.manifest.same(&manifest, &fresh).is_ok(), seed.manifest == manifest);
    let call = Call { program: "stagewright", graph: "/a b/g.ron", folder: "/tmp/it's", options: &[] };
    let plain = [farm::openjd(&seed.manifest, call), farm::slurm(&seed.manifest, call)];
    let made = [farm::openjd(&manifest, call), farm::slurm(&manifest, call)];
    for (plain, made) in plain.iter().zip(&made) {
        assert_eq!(plain.lines().count(), made.lines().count(), "no text of a manifest is a line of a job: {made}");
    }
    tables(&sweep_folder);
    match manifest.check_task(&seed.document, Library::builtin(), &manifest.tasks[0]) {
        Ok(()) => 2,
        Err(error) => {
            let shown = error.to_string();
            shown.lines().for_each(sentence);
            1
        }
    }
}

/// The table and the page of a sweep, in which no text of it becomes anything else.
fn tables(sweep_folder: &Path) {
    let results = match Results::read(sweep_folder) {
        Ok(results) => results,
        Err(error) => return sentence(&error.to_string()),
    };
    for row in &results.rows {
        let _ = label(&results.manifest, &row.task);
        assert!(
            results
                .image(sweep_folder, row)
                .is_none_or(|image| image.parent() == Some(sweep_folder.join(row.task.folder()).as_path()))
        );
    }
    let table = results.to_csv();
    assert_eq!(table.lines().count(), results.rows.len() + 1, "a row is a line: {table}");
    assert!(!table.contains(|c: char| c.is_control() && c != '\n'), "{table:?}");
    let page = page::page(&results, sweep_folder);
    assert_eq!(page.matches("<script").count(), 1, "no text of a sweep is a part of the page");
    assert!(!page.contains(SECRET.1), "a file outside is in the page");
}

fn make_values(random: &mut Random) -> Vec<u8> {
    let mut values = seed().values.clone();
    if random.chance(75) {
        (0..random.few(3)).for_each(|_| change_values(random, &mut values));
        return values.to_string().into_bytes();
    }
    let text = serde_json::to_string_pretty(&values).expect("JSON");
    let words: Vec<&str> = ["index", "values", "numbers", "image", "files", "null", "[]", "\"../../secret.png\""]
        .into_iter()
        .chain(NUMBERS.iter().copied())
        .collect();
    mutate::text(random, &text, &[], &words).into_bytes()
}

fn change_values(random: &mut Random, values: &mut Value) {
    let text = *random.one(TEXTS);
    let number = random.one(NUMBERS).parse::<f64>().ok().filter(|number| number.is_finite());
    match random.below(12) {
        0 => values["hash"] = json!(text),
        1 => values["frames"] = json!(random.one(&[(1u64, 1u64), (9, 1), (0, u64::MAX)])),
        2 => values["time"] = json!(number.unwrap_or(0.0)),
        3 => values["index"] = json!(random.one(&[0u64, 1, 99, u64::MAX])),
        4 => values["numbers"]["p.x:sum"] = json!([number]),
        5 => values["numbers"]["p.x:sum"] = json!([random.next() as f64 / 3e18]),
        6 => values["numbers"]["p.x:max"] = json!(vec![number; random.below(40)]),
        7 => values["numbers"][text] = json!([number, null]),
        8 => values["more"] = json!({"of": [text]}),
        9 => values["files"].as_array_mut().into_iter().for_each(|files| files.push("timing.json".into())),
        10 => {
            let name =
                *random.one(&["../../secret.png", "../0001/screen.0002.png", "/etc/passwd", ".", "", "nothing.png"]);
            values["files"].as_array_mut().into_iter().for_each(|files| files.push(name.into()));
            if random.chance(50) {
                values["image"] = json!(name);
            }
        }
        _ => values["values"]["p.rate"] = json!(number),
    }
}

fn run_values(bytes: &[u8]) -> usize {
    let seed = seed();
    let sweep_folder = seed.folder.join("sweep");
    let task = &seed.manifest.tasks[0];
    let run_folder = sweep_folder.join(task.folder());
    fs::write(run_folder.join(VALUES_FILE), bytes).expect("the case is written");
    let finished = Finished::read(&sweep_folder, task);
    if let Some(finished) = &finished {
        let there: BTreeMap<String, bool> = finished
            .files
            .iter()
            .map(|name| (name.clone(), run_folder.join(name).parent() == Some(run_folder.as_path())))
            .collect();
        assert!(there.values().all(|inside| *inside), "{there:?}");
        fs::write(run_folder.join(VALUES_FILE), serde_json::to_vec(finished).expect("JSON"))
            .expect("it is written again");
        assert_eq!(Finished::read(&sweep_folder, task).as_ref(), Some(finished), "and read");
        fs::write(run_folder.join(VALUES_FILE), bytes).expect("the case is written");
    }
    tables(&sweep_folder);
    // The sheet takes longer.
    if bytes.len().is_multiple_of(8) {
        match sweep::summarize(&sweep_folder) {
            Ok(results) => assert_eq!(results.complete(), 2 + usize::from(finished.is_some())),
            Err(error) => sentence(&error.to_string()),
        }
    }
    usize::from(finished.is_some())
}
