//! Triangles, as a file has them.

use glam::DVec3;

use super::limits::MAX_COORDINATE;

/// Vertices and triangles as in the file.
#[derive(Clone, Debug, Default)]
pub struct Mesh {
    /// Vertices.
    pub points: Vec<DVec3>,
    /// Three vertices each, by their place in `points`.
    pub triangles: Vec<[u32; 3]>,
    /// Colours of the corners of each triangle; empty where they are not wanted, or the file has none.
    pub colors: Vec<[[f32; 4]; 3]>,
    /// Places on a texture of the corners of each triangle; empty where they are not wanted, or the file has none.
    pub uvs: Vec<[[f32; 2]; 3]>,
    /// What is left out of them.
    pub warnings: Vec<String>,
}

/// Whether coordinates can be reckoned with; NaN and infinity can't.
pub fn is_point(p: DVec3) -> bool {
    p.abs().cmple(DVec3::splat(MAX_COORDINATE)).all()
}
