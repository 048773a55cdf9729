//! Dependencies point one way: curve < document, expr < stage < graph < plan < gpu < sim < tune < export, bench < app; graph < asset, edit.

use std::path::{Path, PathBuf};

fn sources(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(folder).expect("src/").flatten() {
        let path = entry.path();
        if path.is_dir() {
            sources(&path, found);
        } else if path.extension().is_some_and(|e| e == "rs") {
            found.push(path);
        }
    }
}

/// Which modules may name a crate: `wgpu` stays in `gpu` (and the viewport), `naga` in `plan`, `egui` in `app`.
#[test]
fn graphics_crates_stay_where_they_belong() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let mut files = Vec::new();
    sources(&root, &mut files);
    assert!(files.len() > 20, "the scan finds the sources");
    let allowed: [(&str, &[&str]); 17] = [
        ("wgpu::", &["gpu", "app"]),
        ("naga::", &["plan", "stage"]),
        ("egui::", &["app"]),
        ("eframe::", &["app"]),
        ("rfd::", &["app"]),
        ("notify::", &["app"]),
        ("directories::", &["app", "tune"]),
        ("open::that", &["app"]),
        ("tobj::", &["asset"]),
        ("gltf::", &["asset"]),
        ("earcut::", &["asset"]),
        ("base64::", &["asset"]),
        ("percent_encoding::", &["asset"]),
        ("miette::", &["cli"]),
        ("rustix::", &["files"]),
        ("sha2::", &["export"]),
        // In `app` for the folders of tests.
        ("tempfile::", &["files", "app"]),
    ];
    for file in files {
        let module =
            file.strip_prefix(&root).unwrap().components().next().unwrap().as_os_str().to_string_lossy().into_owned();
        let text = std::fs::read_to_string(&file).unwrap();
        for (name, modules) in &allowed {
            let used = text.lines().filter(|l| !l.trim_start().starts_with("//")).any(|l| l.contains(name));
            assert!(!used || modules.contains(&module.as_str()), "{} uses {name}", file.display());
        }
    }
}

#[test]
fn lower_layers_do_not_know_upper_ones() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    // What each layer may not name. `sim::input` is plain data that documents and plans hold.
    let forbidden: [(&str, &[&str]); 14] = [
        ("files", &["curve", "document", "expr", "stage", "graph", "plan", "gpu", "sim", "app", "cli", "asset"]),
        ("curve", &["document", "edit", "expr", "stage", "graph", "plan", "gpu", "sim", "app", "cli", "asset"]),
        ("expr", &["document", "edit", "stage", "graph", "plan", "gpu", "sim", "app", "cli", "asset"]),
        ("stage", &["graph", "plan", "gpu", "sim", "app", "cli", "asset", "edit"]),
        ("document", &["graph", "edit", "plan", "gpu", "app", "cli", "stage", "asset"]),
        ("edit", &["plan", "gpu", "sim", "app", "cli", "asset", "bench"]),
        ("graph", &["edit", "plan", "gpu", "app", "cli", "asset", "bench"]),
        ("asset", &["edit", "document", "stage", "plan", "gpu", "sim", "app", "cli"]),
        ("plan", &["edit", "gpu", "app", "cli", "bench"]),
        ("gpu", &["edit", "sim", "app", "cli", "document", "graph", "asset", "bench"]),
        ("sim", &["edit", "export", "bench", "app", "cli"]),
        ("export", &["edit", "bench", "app", "cli"]),
        ("tune", &["edit", "export", "bench", "app", "cli"]),
        ("bench", &["edit", "export", "app", "cli"]),
    ];
    for (layer, upper) in forbidden {
        let mut files = Vec::new();
        sources(&root.join(layer), &mut files);
        assert!(!files.is_empty(), "{layer} is a folder");
        for file in files {
            let text = std::fs::read_to_string(&file).unwrap().replace("crate::input", "");
            let text: String = text.lines().filter(|l| !l.trim_start().starts_with("//")).collect();
            for module in upper {
                let name = format!("crate::{module}");
                assert!(!text.contains(&name), "{} names {name}", file.display());
            }
        }
    }
}

/// Files are opened and written in `files` alone, where links, pipes and devices are thought of.
#[test]
fn files_are_opened_in_one_place() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let mut files = Vec::new();
    sources(&root, &mut files);
    let own = |path: &Path| path.starts_with(root.join("files")) || path.ends_with("tests.rs");
    let calls =
        ["fs::write(", "fs::read(", "read_to_string(", "File::open(", "File::create", "OpenOptions::new", "fs::copy("];
    let mut scanned = 0;
    for file in files.iter().filter(|path| !own(path) && !path.components().any(|part| part.as_os_str() == "tests")) {
        let text = std::fs::read_to_string(file).unwrap();
        let code = text.split("#[cfg(test)]\nmod tests").next().unwrap();
        // The locks of windows lie in the user's own folders; a thread's clock is a file of the system.
        let code = code.replace("OpenOptions::new().write(true).create_new(create).open(lock)", "");
        let code = code.replace(
            "fs::OpenOptions::new().write(true).create(true).truncate(false).open(folder.join(\"settings.lock\"))",
            "",
        );
        let code = code.replace("std::fs::read_to_string(self.file.as_ref()?)", "");
        for (number, line) in code.lines().enumerate().filter(|(_, line)| !line.trim_start().starts_with("//")) {
            scanned += 1;
            let found = calls.iter().find(|call| line.contains(**call));
            assert!(found.is_none(), "{}:{}: {}", file.display(), number + 1, line.trim());
        }
    }
    assert!(scanned > 10_000, "{scanned}");
}
