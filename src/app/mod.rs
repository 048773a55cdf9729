//! The editor.

use std::path::PathBuf;

pub fn run(_file: Option<PathBuf>) -> Result<(), String> {
    Err("editor".into())
}
