//! Lists the graphs, groups and pictures that are embedded.

use stagewright_embed::{Files, list};

/// Only the editor shows these: they are no files of a graph.
const THUMBNAILS: &str = "thumbnails";

fn main() -> std::io::Result<()> {
    list(&[
        Files { name: "GROUPS", folder: "lib", extensions: &["ron"], deep: true, without: None },
        Files { name: "FILES", folder: ".", extensions: &["png", "jpg", "obj"], deep: true, without: Some(THUMBNAILS) },
        Files { name: "EXAMPLES", folder: ".", extensions: &["ron"], deep: false, without: None },
        Files { name: "TEMPLATES", folder: "templates", extensions: &["ron"], deep: true, without: None },
        Files { name: "THUMBNAILS", folder: THUMBNAILS, extensions: &["png"], deep: true, without: None },
    ])
}
