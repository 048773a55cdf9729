//! `stagewright points`

use std::path::PathBuf;

use clap::Args;

use super::parse_file;
use super::report::{self, Failure};
use stagewright_base::files::write;
use stagewright_language::graph::{MAX_POINTS, MeshPoints};
use stagewright_runtime::asset::points;

#[derive(Args)]
pub struct Points {
    /// A mesh (.obj, .gltf, .glb)
    file: PathBuf,
    /// PLY file to write
    #[arg(long, value_name = "FILE.ply", value_parser = |text: &str| parse_file(text, "ply"))]
    out: PathBuf,
    /// Number of points, spread evenly over the surface; without it, the vertices
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=i64::from(MAX_POINTS)))]
    count: Option<u32>,
    /// Another set of points for each number
    #[arg(long, default_value_t = 1, requires = "count")]
    seed: u64,
}

impl Points {
    pub fn run(&self) -> Result<(), Failure> {
        let chosen = match self.count {
            Some(count) => MeshPoints::Surface { count, seed: self.seed },
            None => MeshPoints::Vertices,
        };
        let found = points::points_of(&self.file, chosen).map_err(|error| Failure::Message(error.to_string()))?;
        let (count, bytes) = (found.count(), found.to_ply());
        let failed = |error: std::io::Error| {
            Failure::Message(format!("{} can't be written: {error}; choose another place", self.out.display()))
        };
        write::output(&self.out, &bytes).map_err(failed)?;
        report::print(&format!("{count} points in {}\n", self.out.display()));
        Ok(())
    }
}
