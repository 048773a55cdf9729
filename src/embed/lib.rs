//! Folders of files that are embedded in a program, so that it works anywhere. The build script of the crate that holds the files
//! lists them with [`list`]; new or changed files cause a rebuild.

#![cfg_attr(not(test), deny(clippy::unwrap_used, clippy::expect_used))]
#![deny(unsafe_code)]
#![warn(unreachable_pub, missing_docs)]

use std::borrow::Cow;
use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::{env, fs, io};

/// The files of a folder with their names inside it, sorted by name.
pub struct Folder(pub &'static [(&'static str, &'static [u8])]);

impl Folder {
    /// The names of all files.
    pub fn names(&self) -> impl Iterator<Item = &'static str> {
        self.0.iter().map(|(name, _)| *name)
    }

    /// The contents of a file.
    pub fn get(&self, name: &str) -> Option<&'static [u8]> {
        let found = self.0.binary_search_by_key(&name, |(name, _)| name).ok()?;
        self.0.get(found).map(|(_, bytes)| *bytes)
    }

    /// The contents of a text file.
    pub fn text(&self, name: &str) -> Option<Cow<'static, str>> {
        self.get(name).map(String::from_utf8_lossy)
    }
}

/// What a build script embeds: some files of a folder of its crate.
pub struct Files {
    /// The name of the static [`Folder`].
    pub name: &'static str,
    /// The folder, from that of the crate.
    pub folder: &'static str,
    /// The extensions of the files.
    pub extensions: &'static [&'static str],
    /// Whether files in subfolders belong to it.
    pub deep: bool,
    /// A subfolder that doesn't.
    pub without: Option<&'static str>,
}

/// Writes a static [`Folder`] for each of these into `embedded.rs` in the build's `OUT_DIR`.
///
/// # Errors
/// When a folder can't be read, or the text can't be written.
pub fn list(all: &[Files]) -> io::Result<()> {
    let root = PathBuf::from(env::var_os("CARGO_MANIFEST_DIR").unwrap_or_default());
    let mut text = String::new();
    for Files { name, folder, extensions, deep, without } in all {
        println!("cargo:rerun-if-changed={folder}");
        let folder = root.join(folder);
        let mut files = Vec::new();
        find(&folder, extensions, *deep, &mut files)?;
        files.retain(|file| without.is_none_or(|without| !file.starts_with(folder.join(without))));
        let mut named: Vec<(String, String)> = files.iter().filter_map(|file| named(&folder, file)).collect();
        named.sort();
        let _ = writeln!(text, "/// Files of a folder.\npub static {name}: Folder = Folder(&[");
        for (name, path) in named {
            let _ = writeln!(text, "    ({name:?}, include_bytes!({path:?})),");
        }
        text.push_str("]);\n");
    }
    fs::write(PathBuf::from(env::var_os("OUT_DIR").unwrap_or_default()).join("embedded.rs"), text)
}

/// The files with one of these extensions in a folder; with `deep`, also in its subfolders.
fn find(folder: &Path, extensions: &[&str], deep: bool, files: &mut Vec<PathBuf>) -> io::Result<()> {
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        if path.is_dir() && deep {
            find(&path, extensions, deep, files)?;
        } else if path.is_file() && path.extension().is_some_and(|found| extensions.iter().any(|one| found == *one)) {
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
