//! Lists the stages that are embedded.

use stagewright_embed::{Files, list};

fn main() -> std::io::Result<()> {
    list(&[Files { name: "SHADERS", folder: ".", extensions: &["wgsl"], deep: true, without: None }])
}
