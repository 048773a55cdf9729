//! Wavefront OBJ: positions and faces.

use earcut::{Earcut, utils3d::project3d_to_2d};
use glam::DVec3;
use tobj::LoadOptions;

use super::error::Cause;
use super::{MAX_TRIANGLES, Mesh, is_point};

/// Corners of a face. Cutting ears takes the square of it at worst.
const MAX_CORNERS: usize = 10_000;

/// # Errors
/// What tobj says of the file; faces with too many corners; too many triangles; positions that are no numbers.
pub fn read(bytes: &[u8]) -> Result<Mesh, Cause> {
    // Names and comments may be in any encoding.
    let text = positions_and_faces(&String::from_utf8_lossy(bytes));
    let options = LoadOptions { ignore_points: true, ignore_lines: true, ..LoadOptions::default() };
    let no_materials = |_: &std::path::Path| Ok(Default::default());
    let (models, _) =
        tobj::load_obj_buf(&mut text.as_bytes(), &options, no_materials).map_err(|e| broken(e.to_string()))?;
    let mut mesh = Mesh::default();
    let mut faces = Faces::default();
    for model in &models {
        let first = mesh.points.len() as u32;
        mesh.points.extend(model.mesh.positions.as_chunks().0.iter().map(|p: &[f64; 3]| DVec3::from(*p)));
        // Before ears are cut.
        if let Some(p) = mesh.points.iter().find(|p| !is_point(**p)) {
            return Err(Cause::Vertex(p.to_array()));
        }
        let mut indices = model.mesh.indices.iter().map(|i| first + i);
        let corners = model.mesh.face_arities.iter().map(|n| *n as usize);
        // No arities: triangles alone.
        let triangles = if model.mesh.face_arities.is_empty() { model.mesh.indices.len() / 3 } else { 0 };
        for count in corners.chain(std::iter::repeat_n(3, triangles)) {
            let face: Vec<u32> = indices.by_ref().take(count).collect();
            faces.triangulate(&face, &mut mesh)?;
        }
    }
    Ok(mesh)
}

fn broken(message: impl Into<String>) -> Cause {
    Cause::Broken { kind: "OBJ", message: message.into() }
}

/// Only what has to do with shape, and in its plainest form. tobj 4.0 overflows on texture indices that lie before the first,
/// takes a polyline for a face, and refuses vertices with more columns than it knows and lines that go on after a `\`.
fn positions_and_faces(text: &str) -> String {
    let joined = text.contains('\\').then(|| text.replace("\\\r\n", " ").replace("\\\n", " "));
    let text = joined.as_deref().unwrap_or(text);
    let mut kept = String::with_capacity(text.len());
    for line in text.lines() {
        let mut words = line.split_whitespace();
        let (key, count) = match words.next() {
            Some("v") => ("v", 3),
            Some("f") => ("f", usize::MAX),
            _ => continue,
        };
        kept.push_str(key);
        for word in words.take(count) {
            kept.push(' ');
            kept.push_str(word.split('/').next().unwrap_or(word));
        }
        kept.push('\n');
    }
    kept
}

/// Cuts faces into triangles; concave ones too, which a fan would spill over. A face without area has none.
#[derive(Default)]
struct Faces {
    cutter: Earcut<f64>,
    ring: Vec<[f64; 3]>,
    flat: Vec<[f64; 2]>,
    cut: Vec<u32>,
}

impl Faces {
    fn triangulate(&mut self, face: &[u32], mesh: &mut Mesh) -> Result<(), Cause> {
        if mesh.triangles.len() + face.len() > MAX_TRIANGLES + 2 {
            return Err(Cause::TooMany("triangles"));
        }
        if face.len() > MAX_CORNERS {
            return Err(broken(format!("a face has {} corners, more than {MAX_CORNERS}", face.len())));
        }
        if let [a, b, c] = *face {
            mesh.triangles.push([a, b, c]);
            return Ok(());
        }
        self.ring.clear();
        self.ring.extend(face.iter().filter_map(|i| mesh.points.get(*i as usize)).map(|p| p.to_array()));
        self.cut.clear();
        if self.ring.len() == face.len() && project3d_to_2d(&self.ring, self.ring.len(), &mut self.flat) {
            self.cutter.earcut(self.flat.iter().copied(), &[], &mut self.cut);
        }
        let corner = |i: u32| face.get(i as usize).copied().unwrap_or_default();
        mesh.triangles.extend(self.cut.as_chunks().0.iter().map(|ear: &[u32; 3]| ear.map(corner)));
        Ok(())
    }
}
