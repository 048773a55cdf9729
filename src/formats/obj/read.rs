//! Wavefront OBJ: positions and faces; where they are wanted, colours of vertices and places on a texture.

use std::io::{self, BufReader, Read};

use earcut::{Earcut, utils3d::project3d_to_2d};
use glam::DVec3;
use tobj::LoadOptions;

use crate::content::{Content, Source};
use crate::error::Cause;
use crate::limits::{MAX_TRIANGLES, MAX_VERTICES};
use crate::malformed::FormatName;
use crate::mesh::{Mesh, is_point};
use crate::warnings::APPLY;
use crate::work::Work;

/// Limit of corners of a face.
const MAX_CORNERS: usize = 1000;
/// Ear clipping takes up to the square of a face's corners; this many steps for all faces together take some seconds.
const MAX_CUTTING: u64 = 100_000_000;
/// Bytes that are parsed between two checks for cancelling.
const BLOCK: usize = 1 << 18;
/// Lines that are read between two checks for cancelling.
const LINES: usize = 1 << 14;

/// Reads the triangles; where `attributes` are wanted, also colours and places on a texture.
///
/// # Errors
/// Errors that tobj reports; faces with too many corners; too many vertices or triangles, detected before memory is
/// allocated for them; positions that are not finite; cancelling.
pub(crate) fn mesh(bytes: &[u8], attributes: bool, work: &Work) -> Result<Mesh, Cause> {
    // Names and comments may be in any encoding.
    let mut corners = Corners { wanted: attributes, ..Corners::default() };
    let text = positions_and_faces(&String::from_utf8_lossy(bytes), &mut corners, work)?;
    let options = LoadOptions { ignore_points: true, ignore_lines: true, ..LoadOptions::default() };
    let no_materials = |_: &std::path::Path| Ok(Default::default());
    let mut lines = BufReader::with_capacity(BLOCK, Watched { text: text.as_bytes(), work });
    let left_out = corners.left_out;
    let models = tobj::load_obj_buf(&mut lines, &options, no_materials);
    work.go_on(0)?;
    let (models, _) = models.map_err(|e| NAME.malformed(e.to_string()))?;
    let mut mesh = Mesh::default();
    if left_out > 0 {
        mesh.warnings.push(format!("{left_out} of its lines, points, curves and surfaces are left out; {APPLY}"));
    }
    // Faces that tobj leaves out would mix up the others.
    let total: usize = models.iter().map(|model| model.mesh.indices.len()).sum();
    let mut faces = Faces { corners: corners.list.get(..total).unwrap_or_default().iter(), ..Faces::default() };
    for model in &models {
        let first = mesh.points.len() as u32;
        mesh.points.extend(model.mesh.positions.as_chunks().0.iter().map(|p: &[f64; 3]| DVec3::from(*p)));
        // Before ear clipping.
        if let Some(p) = mesh.points.iter().find(|p| !is_point(**p)) {
            return Err(Cause::Vertex(p.to_array()));
        }
        let mut indices = model.mesh.indices.iter().map(|i| first + i);
        let arities = model.mesh.face_arities.iter().map(|n| *n as usize);
        // Without arities, all faces are triangles.
        let triangles = if model.mesh.face_arities.is_empty() { model.mesh.indices.len() / 3 } else { 0 };
        for count in arities.chain(std::iter::repeat_n(3, triangles)) {
            let face: Vec<u32> = indices.by_ref().take(count).collect();
            if face.len() > 4 {
                work.go_on(0)?;
            }
            faces.triangulate(&face, &mut mesh, &corners)?;
        }
    }
    if !faces.corners.as_slice().is_empty() || corners.list.len() != total {
        (mesh.colors, mesh.uvs) = (Vec::new(), Vec::new());
    }
    Ok(mesh)
}

/// A reader that returns an error once the work is cancelled.
struct Watched<'a> {
    text: &'a [u8],
    work: &'a Work,
}

impl Read for Watched<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if self.work.stopped() { Err(io::Error::other("stopped")) } else { self.text.read(buffer) }
    }
}

/// Name of the format in messages.
pub(crate) const NAME: FormatName = FormatName("OBJ");

/// Reads a file.
///
/// # Errors
/// Errors of [`mesh`].
pub(crate) fn read(file: Source<'_>) -> Result<Content, Cause> {
    mesh(&file.bytes, file.is_points(), file.work).map(Content::Mesh)
}

/// The lines that define the shape, in the simplest form. tobj 4.0 overflows on texture indices before the first one,
/// treats a polyline as a face, and rejects vertices with unknown columns and lines continued after a `\`.
fn positions_and_faces(text: &str, corners: &mut Corners, work: &Work) -> Result<String, Cause> {
    let joined = text.contains('\\').then(|| text.replace("\\\r\n", " ").replace("\\\n", " "));
    let text = joined.as_deref().unwrap_or(text);
    let mut kept = String::new();
    let mut sizes = Sizes::default();
    for (index, line) in text.lines().enumerate() {
        if index % LINES == 0 {
            work.go_on(0)?;
        }
        let mut words = line.split_whitespace();
        let (key, count) = match words.next() {
            Some("v") => ("v", 3),
            Some("f") => ("f", MAX_CORNERS + 1),
            Some("vt") if corners.wanted => {
                corners.texture(words);
                continue;
            }
            // Free-form curves and surfaces, lines, points.
            Some("l" | "p" | "curv" | "curv2" | "surf") => {
                corners.left_out += 1;
                continue;
            }
            _ => continue,
        };
        kept.push_str(key);
        let (mut number, begin) = (0, corners.list.len());
        for word in words.by_ref().take(count) {
            kept.push(' ');
            kept.push_str(word.split('/').next().unwrap_or(word));
            number += 1;
            if key == "f" {
                corners.add(word);
            }
        }
        kept.push('\n');
        if key == "f" {
            sizes.face(number)?;
            if number < 3 {
                corners.list.truncate(begin);
            }
        } else {
            sizes.vertex()?;
            corners.vertex(words);
        }
    }
    Ok(kept)
}

/// Colours and places on a texture, and which of them the corners of the faces have.
#[derive(Default)]
struct Corners {
    wanted: bool,
    colors: Vec<[f32; 4]>,
    uvs: Vec<[f32; 2]>,
    /// Whether any vertex has a colour.
    colored: bool,
    /// Elements that are no faces.
    left_out: usize,
    /// The vertex and the place on the texture of each corner of each face, counted from 0.
    list: Vec<[usize; 2]>,
}

impl Corners {
    /// What follows the position of a vertex: a weight, or red, green and blue.
    fn vertex<'a>(&mut self, words: impl Iterator<Item = &'a str>) {
        if !self.wanted {
            return;
        }
        let numbers: Vec<f32> =
            words.take(4).filter_map(|word| word.parse().ok()).filter(|n: &f32| n.is_finite()).collect();
        self.colored |= numbers.len() == 3;
        let white = [1.0; 4];
        self.colors.push(if let [r, g, b] = numbers[..] { [r, g, b, 1.0] } else { white });
    }

    fn texture<'a>(&mut self, mut words: impl Iterator<Item = &'a str>) {
        let mut number =
            || words.next().and_then(|word| word.parse().ok()).filter(|n: &f32| n.is_finite()).unwrap_or(0.0);
        self.uvs.push([number(), number()]);
    }

    /// A corner, `VERTEX/TEXTURE/NORMAL`. Negative numbers count from the last one back.
    fn add(&mut self, word: &str) {
        if !self.wanted {
            return;
        }
        let mut numbers = word.split('/').map(|number| number.parse::<i64>().unwrap_or(0));
        let mut place = |defined: usize| match numbers.next().unwrap_or(0) {
            number if number < 0 => defined.checked_sub(number.unsigned_abs() as usize).unwrap_or(usize::MAX),
            number => (number as usize).wrapping_sub(1),
        };
        let corner = [place(self.colors.len()), place(self.uvs.len())];
        self.list.push(corner);
    }
}

/// Sizes that the text declares, checked before vertices and triangles are created.
#[derive(Default)]
struct Sizes {
    vertices: usize,
    triangles: usize,
    cutting: u64,
}

impl Sizes {
    fn vertex(&mut self) -> Result<(), Cause> {
        self.vertices += 1;
        if self.vertices > MAX_VERTICES { Err(Cause::Vertices) } else { Ok(()) }
    }

    fn face(&mut self, corners: usize) -> Result<(), Cause> {
        if corners > MAX_CORNERS {
            return Err(NAME.malformed(format!("a face has more than {MAX_CORNERS} corners")));
        }
        self.triangles += corners.saturating_sub(2);
        // Triangles need no ear clipping, and convex faces with few corners are quick.
        self.cutting += if corners > 8 { (corners * corners) as u64 } else { 0 };
        match (self.triangles > MAX_TRIANGLES, self.cutting > MAX_CUTTING) {
            (true, _) => Err(Cause::TooMany("triangles")),
            (_, true) => Err(Cause::Faces),
            _ => Ok(()),
        }
    }
}

/// Triangulates faces, including concave ones, for which a fan would be wrong. Faces without area are dropped.
#[derive(Default)]
struct Faces<'a> {
    /// Corners of the faces that are not triangulated yet.
    corners: std::slice::Iter<'a, [usize; 2]>,
    cutter: Earcut<f64>,
    ring: Vec<[f64; 3]>,
    flat: Vec<[f64; 2]>,
    cut: Vec<u32>,
}

impl Faces<'_> {
    fn triangulate(&mut self, face: &[u32], mesh: &mut Mesh, corners: &Corners) -> Result<(), Cause> {
        if mesh.triangles.len() + face.len() > MAX_TRIANGLES + 2 {
            return Err(Cause::TooMany("triangles"));
        }
        self.cut.clear();
        if let [_, _, _] = face {
            self.cut.extend([0, 1, 2]);
        } else {
            self.ring.clear();
            self.ring.extend(face.iter().filter_map(|i| mesh.points.get(*i as usize)).map(|p| p.to_array()));
            if self.ring.len() == face.len() && project3d_to_2d(&self.ring, self.ring.len(), &mut self.flat) {
                self.cutter.earcut(self.flat.iter().copied(), &[], &mut self.cut);
            }
        }
        let corner = |i: u32| face.get(i as usize).copied().unwrap_or_default();
        let ears = self.cut.as_chunks().0.iter();
        mesh.triangles.extend(ears.clone().map(|ear: &[u32; 3]| ear.map(corner)));
        let corner_indices = self.corners.as_slice().get(..face.len()).unwrap_or_default();
        let at = |i: u32| corner_indices.get(i as usize).copied().unwrap_or([usize::MAX; 2]);
        if corners.colored {
            let color = |i: u32| corners.colors.get(at(i)[0]).copied().unwrap_or([1.0; 4]);
            mesh.colors.extend(ears.clone().map(|ear: &[u32; 3]| ear.map(color)));
        }
        if !corners.uvs.is_empty() {
            let uv = |i: u32| corners.uvs.get(at(i)[1]).copied().unwrap_or_default();
            mesh.uvs.extend(ears.map(|ear: &[u32; 3]| ear.map(uv)));
        }
        if let Some(last) = face.len().checked_sub(1) {
            self.corners.nth(last);
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_text_announces_is_limited() {
        let mut sizes = Sizes::default();
        assert!((0..MAX_VERTICES).all(|_| sizes.vertex().is_ok()));
        assert_eq!(sizes.vertex(), Err(Cause::Vertices));
        assert!((0..MAX_TRIANGLES).all(|_| sizes.face(3).is_ok()));
        assert_eq!(sizes.face(3), Err(Cause::TooMany("triangles")));
    }
}
