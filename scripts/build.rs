//! Embeds stages, library groups, the files of shipped graphs, bench cases and the editor's examples in the binary, so that it works anywhere. New or changed
//! files cause a rebuild.

use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::{env, fs, io};

/// The embedded folders: constant, folder, extensions of the files, and whether subfolders are included.
type Embedded = (&'static str, &'static str, &'static [&'static str], bool);
const ALWAYS: [Embedded; 4] = [
    ("SHADERS", "shaders", &["wgsl"], true),
    ("GROUPS", "graphs/lib", &["ron"], true),
    ("CASES", "benches/cases", &["ron"], true),
    // Images that shipped graphs read.
    ("FILES", "graphs", &["png", "jpg"], true),
];
const EDITOR: [Embedded; 3] = [
    ("EXAMPLES", "graphs", &["ron"], false),
    ("TEMPLATES", "graphs/templates", &["ron"], true),
    (THUMBNAILS, "graphs/thumbnails", &["png"], true),
];
/// Only the editor shows these: they are no files of a graph.
const THUMBNAILS: &str = "THUMBNAILS";

fn main() -> io::Result<()> {
    let root = PathBuf::from(env::var_os("CARGO_MANIFEST_DIR").unwrap_or_default());
    let editor = env::var_os("CARGO_FEATURE_EDITOR").is_some();
    let mut text = String::new();
    for (name, folder, endings, deep) in ALWAYS.into_iter().chain(EDITOR.into_iter().filter(|_| editor)) {
        println!("cargo:rerun-if-changed={folder}");
        let folder = root.join(folder);
        let mut files = Vec::new();
        find(&folder, endings, deep, &mut files)?;
        if name != THUMBNAILS {
            files.retain(|file| !file.starts_with(root.join("graphs/thumbnails")));
        }
        let mut named: Vec<(String, String)> = files.iter().filter_map(|file| named(&folder, file)).collect();
        named.sort();
        let _ = writeln!(text, "pub(crate) const {name}: Folder = Folder(&[");
        for (name, path) in named {
            let _ = writeln!(text, "    ({name:?}, include_bytes!({path:?})),");
        }
        text.push_str("]);\n");
    }
    fs::write(PathBuf::from(env::var_os("OUT_DIR").unwrap_or_default()).join("embedded.rs"), text)
}

/// The files with one of these extensions in a folder; with `deep`, also in its subfolders.
fn find(folder: &Path, endings: &[&str], deep: bool, files: &mut Vec<PathBuf>) -> io::Result<()> {
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        if path.is_dir() && deep {
            find(&path, endings, deep, files)?;
        } else if path.is_file() && path.extension().is_some_and(|found| endings.iter().any(|ending| found == *ending))
        {
            files.push(path);
        }
    }
    Ok(())
}

/// The name of a file within its folder, with slashes, and its path.
fn named(folder: &Path, file: &Path) -> Option<(String, String)> {
    let name = file.strip_prefix(folder).ok()?.to_str()?.replace('\\', "/");
    Some((name, file.to_str()?.to_string()))
}
