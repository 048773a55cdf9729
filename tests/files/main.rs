//! What a folder from somebody else can't do: `docs/security.md`, line by line, with the program as a person runs it.
#![cfg(unix)]

mod exports;
mod names;
mod stages;

use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::time::{Duration, Instant};

/// A graph of one image, with the fields of a node that names a file, or nothing.
pub fn graph(more: &str) -> String {
    format!(
        r#"(version: 1, name: "attack", about: "\ntouch /tmp/owned\n", nodes: {{
        "domain": (domain: (resolution: (16, 16), width: 1, edge: "wall")),
        "smoke": (state: "Grid<f32>", inputs: {{"next": "more.field"}}),
        "more": (stage: "fluid/add_source", inputs: {{"field": "smoke.value"}}, params: {{"radius": 0.3, "rate": 1}}),
        "look": (stage: "view/color_map", inputs: {{"field": "more.field"}}),
        "screen": (output: (size: (16, 16)), inputs: {{"image": "look.image"}}),
        {more}}})"#
    )
}

/// A graph in 3D that shows the distance to a mesh.
pub fn mesh(file: &str) -> String {
    format!(
        r#"(version: 1, nodes: {{
        "box": (domain: (resolution: (6, 6, 6), width: 1, edge: "wall")),
        "shape": (file: "{file}", on: "box", params: {{"center": (0.5, 0.5, 0.5), "size": 0.5}}),
        "picture": (domain: (resolution: (6, 6), width: 1, edge: "clamp")),
        "field": (stage: "field/from_grid", inputs: {{"grid": "shape.distance"}}),
        "camera": (stage: "view/camera"),
        "show": (stage: "view/shape", on: "picture", inputs: {{"camera": "camera.camera", "shape": "field.field"}}),
        "screen": (output: (size: (6, 6)), inputs: {{"image": "show.image"}})}})"#
    )
}

pub const TETRAHEDRON: &str = "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n";

/// A folder of its own for a test.
pub struct Folder(tempfile::TempDir);

impl Folder {
    pub fn empty() -> Folder {
        Folder(tempfile::tempdir().unwrap())
    }

    pub fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    /// Writes a file, and the folders above it.
    pub fn file(&self, name: &str, bytes: impl AsRef<[u8]>) -> PathBuf {
        let path = self.path(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(&path, bytes).unwrap();
        path
    }

    pub fn link(&self, name: &str, target: impl AsRef<Path>) {
        let path = self.path(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::os::unix::fs::symlink(target, path).unwrap();
    }

    pub fn pipe(&self, name: &str) -> PathBuf {
        let path = self.path(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        rustix::fs::mknodat(rustix::fs::CWD, &path, rustix::fs::FileType::Fifo, 0o600.into(), 0).unwrap();
        path
    }

    pub fn names(&self, folder: &str) -> Vec<String> {
        let entries = std::fs::read_dir(self.path(folder)).unwrap();
        let mut names: Vec<_> = entries.map(|e| e.unwrap().file_name().into_string().unwrap()).collect();
        // The record of a complete export, and the list of its files.
        names.retain(|name| !name.starts_with(".frame.export"));
        names.sort();
        names
    }
}

/// What a run of the program said, and whether it succeeded.
pub struct Run {
    pub success: bool,
    pub text: String,
    pub took: Duration,
}

impl Run {
    /// The program refused, in a sentence and soon.
    #[track_caller]
    pub fn refuses(&self, says: &str) {
        assert!(!self.success && self.says(says), "{}", self.text);
        assert!(!self.text.contains("panicked"), "{}", self.text);
        assert!(self.took < Duration::from_secs(20), "{:?}", self.took);
    }

    #[track_caller]
    pub fn works(&self) {
        assert!(self.success, "{}", self.text);
    }

    /// Whether it said this, however the lines were broken.
    pub fn says(&self, text: &str) -> bool {
        let plain: String = self.text.replace(['│', '\n'], " ");
        let words: Vec<&str> = plain.split_whitespace().collect();
        words.join(" ").contains(text)
    }
}

/// Runs the program with at most 4 GiB of address space, and ends it after a minute.
pub fn stagewright(arguments: &[&str]) -> Run {
    let since = Instant::now();
    let mut child = Command::new("sh");
    child.args(["-c", "ulimit -v 4194304; exec \"$0\" \"$@\"", env!("CARGO_BIN_EXE_stagewright")]).args(arguments);
    let mut child = child.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    while child.try_wait().unwrap().is_none() {
        if since.elapsed() > Duration::from_secs(60) {
            child.kill().unwrap();
            break;
        }
        std::thread::sleep(Duration::from_millis(5));
    }
    let Output { status, stdout, stderr } = child.wait_with_output().unwrap();
    let text = format!("{}{}", String::from_utf8_lossy(&stdout), String::from_utf8_lossy(&stderr));
    Run { success: status.success(), text, took: since.elapsed() }
}

pub fn check(graph: &Path) -> Run {
    stagewright(&["check", graph.to_str().unwrap()])
}

pub fn render(graph: &Path, frames: &str, out: &Path, more: &[&str]) -> Run {
    let arguments = ["render", graph.to_str().unwrap(), "--frames", frames, "--out", out.to_str().unwrap()];
    stagewright(&arguments.iter().chain(more).copied().collect::<Vec<_>>())
}
