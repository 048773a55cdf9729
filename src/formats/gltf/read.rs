//! glTF 2.0, text and binary: the triangles of the default scene, transformed by its nodes; where they are wanted, colours of
//! vertices and places on a texture. Shape keys, skeletons and instances are applied at rest; materials and textures are ignored, and
//! a warning names what else is left out.
//!
//! The crate's JSON types are used without its validation and readers, which panic on invalid indices and sizes.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use ::gltf::Glb;
use ::gltf::json::accessor::Type;
use ::gltf::json::mesh::{Mode, Primitive, Semantic};
use ::gltf::json::validation::Checked;
use ::gltf::json::{Buffer, Root};
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use glam::{DMat4, DVec3};
use percent_encoding::percent_decode_str;

pub(crate) use super::accessor::NAME;
use super::accessor::{Elements, Reader};
use super::deform::Skeleton;
use super::nodes::Placed;
use super::{deform, extensions, nodes};
use crate::bytes::read_start;
use crate::content::{Content, Source};
use crate::cursor::Cursor;
use crate::error::Cause;
use crate::limits::{MAX_FILE, MAX_TRIANGLES, MAX_VERTICES};
use crate::mesh::Mesh;
use crate::warnings::{APPLY, listed};
use crate::work::{Phase, Work};
use stagewright_base::files::{Access, ReadError, read as regular};

/// Position at which the header of a binary file holds the total length; the header itself has twelve bytes.
const LENGTH: usize = 8;
/// Limit of buffers in separate files.
const MAX_BUFFERS: usize = 1024;
/// What a part of a mesh and each copy of it count as, besides their vertices.
const PART: usize = 63;
/// Limit of values in the JSON part: nodes, accessors and the numbers in them, not the contents of buffers.
const MAX_VALUES: usize = 2_000_000;
/// Reads a file.
///
/// # Errors
/// Errors of [`mesh`].
pub(crate) fn read(file: Source<'_>) -> Result<Content, Cause> {
    mesh(&file.bytes, file.folder, file.access, file.is_points(), file.work).map(Content::Mesh)
}

/// Reads the triangles of the scene; `folder` is the folder of buffer files; `access` decides whether they may be read.
///
/// # Errors
/// An invalid or truncated file, buffers that are missing or not accessible, extensions that change the shape.
pub(crate) fn mesh(bytes: &[u8], folder: &Path, access: &Access, attributes: bool, work: &Work) -> Result<Mesh, Cause> {
    let (json, blob) = if bytes.starts_with(b"glTF") {
        let length = Cursor::new(NAME, bytes).at_position(LENGTH).and_then(|mut rest| rest.u32()).unwrap_or(0);
        if length < 12 {
            return Err(NAME.malformed("its header is truncated"));
        }
        let glb = Glb::from_slice(bytes).map_err(|e| NAME.malformed(e.to_string()))?;
        (glb.json, glb.bin)
    } else {
        (Cow::Borrowed(bytes), None)
    };
    bounded(&json)?;
    let root = Root::from_slice(&json).map_err(|e| NAME.malformed(e.to_string()))?;
    let left_out = extensions::judge(&root)?;
    let resources = resources(&root, folder, access, work)?;
    let reader = Reader::new(&root, buffers(&root, blob.as_deref(), &resources)?, work);
    work.begin(Phase::Decoding, 0)?;
    let mesh = Mesh { warnings: left_out.into_iter().collect(), ..Mesh::default() };
    let mut scene = Scene { reader: &reader, attributes, mesh, left_out: 0, unweighted: 0 };
    let placed = nodes::of_scene(&root)?;
    let joints = if root.skins.is_empty() { Vec::new() } else { nodes::transforms(&root)? };
    for placed in placed.iter().filter(|placed| !placed.hidden) {
        scene.add_node(placed, &joints)?;
    }
    scene.finish(placed.iter().filter(|placed| placed.hidden && placed.node.mesh.is_some()).count())
}

/// The bytes of each buffer, none longer than its declared length; `None` for one without data, which only stands in for a
/// compressed one. Buffers with the same URI share their data, which is read once.
fn buffers<'a>(
    root: &'a Root,
    blob: Option<&'a [u8]>,
    read: &'a BTreeMap<&str, Vec<u8>>,
) -> Result<Vec<Option<&'a [u8]>>, Cause> {
    let bytes = |(index, buffer): (usize, &'a Buffer)| {
        let bytes = match &buffer.uri {
            Some(uri) => read.get(uri.as_str()).map(Vec::as_slice),
            // The binary part of the file is its first buffer.
            None => blob.filter(|_| index == 0),
        };
        let Some(bytes) = bytes else { return Ok(None) };
        let length = usize::try_from(buffer.byte_length.0).unwrap_or(usize::MAX);
        let whole = bytes
            .get(..length)
            .ok_or_else(|| NAME.malformed(format!("a buffer has {} bytes of {length}", bytes.len())));
        whole.map(Some)
    };
    root.buffers.iter().enumerate().map(bytes).collect()
}

/// The data of each URI, read up to the longest length that a buffer declares for it. All lengths are checked before
/// the first byte is read.
fn resources<'a>(
    root: &'a Root,
    folder: &Path,
    access: &Access,
    work: &Work,
) -> Result<BTreeMap<&'a str, Vec<u8>>, Cause> {
    let lengths = lengths(root);
    let total = lengths.values().try_fold(0u64, |total, length| total.checked_add(*length));
    if lengths.len() > MAX_BUFFERS {
        return Err(Cause::Parts("buffers", MAX_BUFFERS));
    }
    if total.is_none_or(|total| total > MAX_FILE) {
        return Err(Cause::TooLarge(MAX_FILE));
    }
    lengths.into_iter().map(|(uri, length)| Ok((uri, resource(uri, length, folder, access, work)?))).collect()
}

/// The longest declared length for each URI.
fn lengths(root: &Root) -> BTreeMap<&str, u64> {
    let mut lengths = BTreeMap::<&str, u64>::new();
    for buffer in &root.buffers {
        if let Some(uri) = &buffer.uri {
            let length = lengths.entry(uri).or_default();
            *length = buffer.byte_length.0.max(*length);
        }
    }
    lengths
}

/// The data of a URI up to a length: embedded data, or a file relative to `folder`.
fn resource(uri: &str, length: u64, folder: &Path, access: &Access, work: &Work) -> Result<Vec<u8>, Cause> {
    let missing = |message: String| {
        let uri: String = uri.chars().take(60).collect();
        Cause::Buffer { uri: uri.into(), message: message.into() }
    };
    if let Some(data) = uri.strip_prefix("data:") {
        let (_, data) = data.split_once(";base64,").ok_or_else(|| missing("it is not base64".into()))?;
        return STANDARD.decode(data).map_err(|e| missing(e.to_string()));
    }
    let path = file_path(uri, folder, access).map_err(|e| missing(e.to_string()))?;
    let (file, found) = regular::open(&path).map_err(|e| missing(e.to_string()))?;
    if found < length {
        return Err(NAME.malformed(format!("a buffer has {found} bytes of {length}")));
    }
    read_start(file, length, work).map_err(|cause| match cause {
        Cause::Stopped => cause,
        cause => missing(cause.to_string()),
    })
}

/// The path of the file that a URI names, relative to the folder of the file that contains it.
fn file_path(uri: &str, folder: &Path, access: &Access) -> Result<PathBuf, ReadError> {
    let path = percent_decode_str(uri).decode_utf8_lossy();
    // A scheme, such as `http:`, or a drive letter.
    if path.contains(':') {
        return Err(ReadError::Outside);
    }
    access.resolve_from(folder, Path::new(path.as_ref()))
}

/// Buffer files that may be read, and how many bytes of each; none for an invalid file.
pub(crate) fn companions(bytes: &[u8], folder: &Path, access: &Access) -> Vec<(PathBuf, u64)> {
    if bounded(bytes).is_err() {
        return Vec::new();
    }
    let Ok(root) = Root::from_slice(bytes) else { return Vec::new() };
    let named = lengths(&root).into_iter().filter(|(uri, _)| !uri.starts_with("data:")).take(MAX_BUFFERS);
    named.filter_map(|(uri, length)| Some((file_path(uri, folder, access).ok()?, length))).collect()
}

/// Rejects a text whose values would take far more memory than the text itself: an empty node takes hundreds of bytes.
fn bounded(json: &[u8]) -> Result<(), Cause> {
    let mut count = 0usize;
    let mut quoted = false;
    let mut escaped = false;
    for byte in json {
        match byte {
            _ if escaped => escaped = false,
            b'\\' if quoted => escaped = true,
            b'"' => quoted = !quoted,
            b'{' | b'[' | b',' if !quoted => count += 1,
            _ => {}
        }
    }
    if count > MAX_VALUES { Err(Cause::Parts("JSON values", MAX_VALUES)) } else { Ok(()) }
}

/// What a file's scene is made of, read into a mesh.
struct Scene<'a> {
    reader: &'a Reader<'a>,
    attributes: bool,
    mesh: Mesh,
    /// Primitives that have no triangles.
    left_out: usize,
    /// Meshes with a skeleton that gives no weights.
    unweighted: usize,
}

impl Scene<'_> {
    /// Adds the mesh of a node.
    fn add_node(&mut self, placed: &Placed<'_>, joints: &[Option<DMat4>]) -> Result<(), Cause> {
        let (reader, node) = (self.reader, placed.node);
        let Some(index) = node.mesh else { return Ok(()) };
        let shape =
            reader.root.get(index).ok_or_else(|| NAME.malformed(format!("there is no mesh {}", index.value())))?;
        let instances = nodes::instances(reader, node)?;
        let skeleton = node.skin.map(|skin| Skeleton::new(reader, skin, joints)).transpose()?;
        if skeleton.is_some() && instances.len() != 1 {
            return Err(Cause::Unsupported("instances of a mesh with a skeleton".into()));
        }
        let weights = node.weights.as_ref().or(shape.weights.as_ref()).map(Vec::as_slice).unwrap_or_default();
        for primitive in &shape.primitives {
            reader.spend(PART)?;
            let Some(shape) = Shape::new(reader, primitive, weights)? else {
                self.left_out += 1;
                continue;
            };
            let bones = match &skeleton {
                Some(skeleton) => skeleton.matrices(reader, primitive, shape.points.len())?,
                None => None,
            };
            self.unweighted += usize::from(skeleton.is_some() && bones.is_none());
            if let Some(bones) = bones {
                // The node of a mesh with a skeleton does not move it.
                self.add(&shape, primitive, |vertex| bones.get(vertex).copied().unwrap_or_default())?;
                continue;
            }
            for instance in &instances {
                reader.spend(PART)?;
                let transform = placed.transform * *instance;
                self.add(&shape, primitive, |_| transform)?;
            }
        }
        Ok(())
    }

    /// Adds the triangles of a primitive, each vertex with its transform.
    fn add(
        &mut self,
        shape: &Shape<'_>,
        primitive: &Primitive,
        transform: impl Fn(usize) -> DMat4,
    ) -> Result<(), Cause> {
        let mesh = &mut self.mesh;
        // Many nodes may use the same mesh.
        let fits = mesh.points.len() + shape.points.len() <= MAX_VERTICES;
        if mesh.triangles.len() + shape.triangles() > MAX_TRIANGLES || !fits {
            return Err(Cause::TooMany("triangles"));
        }
        let first = (mesh.triangles.len(), mesh.points.len());
        let placed = shape.points.iter().enumerate().map(|(vertex, point)| transform(vertex).transform_point3(*point));
        mesh.points.extend(placed);
        for triangle in 0..shape.triangles() {
            let [a, b, c] = shape.corners(triangle)?;
            // A mirrored triangle is inside out.
            let [b, c] = if transform(a as usize).determinant() < 0.0 { [c, b] } else { [b, c] };
            mesh.triangles.push([a, b, c].map(|vertex| first.1 as u32 + vertex));
        }
        if self.attributes {
            add_attributes(self.reader, primitive, first, mesh);
        }
        Ok(())
    }

    /// The mesh, and what is not in it.
    fn finish(mut self, hidden: usize) -> Result<Mesh, Cause> {
        let root = self.reader.root;
        if self.mesh.triangles.is_empty() && hidden > 0 {
            return Err(Cause::Hidden);
        }
        let (left_out, unweighted) = (self.left_out, self.unweighted);
        let warnings = &mut self.mesh.warnings;
        if left_out > 0 {
            warnings.push(format!("{left_out} of its parts are points or lines and left out; {APPLY}"));
        }
        if unweighted > 0 {
            warnings
                .push(format!("its skeleton gives no weights to {unweighted} of its parts and is left out; {APPLY}"));
        }
        if !root.animations.is_empty() {
            let unnamed = String::from("without a name");
            let names: Vec<&str> =
                root.animations.iter().map(|one| one.name.as_ref().unwrap_or(&unnamed).as_str()).collect();
            let (are, s) = if names.len() == 1 { ("is", "") } else { ("are", "s") };
            let names = listed(&names);
            warnings.push(format!("the pose at rest is used, and the animation{s} ({names}) {are} left out; {APPLY}"));
        }
        Ok(self.mesh)
    }
}

/// The triangles of a primitive, with its shape keys.
struct Shape<'a> {
    points: Vec<DVec3>,
    mode: Mode,
    indices: Option<Elements<'a>>,
}

impl<'a> Shape<'a> {
    /// Reads the shape of a primitive; `None` for points, lines, and a primitive without positions.
    fn new(reader: &Reader<'a>, primitive: &Primitive, weights: &[f32]) -> Result<Option<Shape<'a>>, Cause> {
        let Checked::Valid(mode @ (Mode::Triangles | Mode::TriangleStrip | Mode::TriangleFan)) = primitive.mode else {
            return Ok(None);
        };
        extensions::check_compression(reader.root, primitive)?;
        let Some(positions) = primitive.attributes.get(&Checked::Valid(Semantic::Positions)) else { return Ok(None) };
        let points = deform::positions(reader, primitive, *positions, weights)?;
        let indices = primitive.indices.map(|index| reader.elements(index, Type::Scalar)).transpose()?;
        Ok(Some(Shape { points, mode, indices }))
    }

    fn triangles(&self) -> usize {
        let count = self.indices.as_ref().map_or(self.points.len(), |indices| indices.count);
        if self.mode == Mode::Triangles { count / 3 } else { count.saturating_sub(2) }
    }

    fn corners(&self, t: usize) -> Result<[u32; 3], Cause> {
        let [a, b, c] = match self.mode {
            Mode::TriangleStrip if t % 2 == 1 => [t + 1, t, t + 2],
            Mode::TriangleStrip => [t, t + 1, t + 2],
            Mode::TriangleFan => [0, t + 1, t + 2],
            _ => [3 * t, 3 * t + 1, 3 * t + 2],
        };
        let vertex = |corner: usize| {
            let index = self.indices.as_ref().map_or(Some(corner as u32), |indices| indices.index(corner));
            let index = index.filter(|index| (*index as usize) < self.points.len());
            index.ok_or_else(|| NAME.malformed("a triangle refers to a missing vertex"))
        };
        Ok([vertex(a)?, vertex(b)?, vertex(c)?])
    }
}

/// Adds colours of the vertices and places on the first texture to the triangles of a primitive, which begin at the `first` triangle
/// and vertex. An accessor that is invalid counts as absent, with a warning: the shape does not depend on it.
fn add_attributes(reader: &Reader<'_>, primitive: &Primitive, first: (usize, usize), mesh: &mut Mesh) {
    let named = |semantic| primitive.attributes.get(&Checked::Valid(semantic)).copied();
    let read = |index, types: &[Type]| types.iter().find_map(|ty| reader.elements(index, *ty).ok());
    let added = mesh.triangles.get(first.0..).unwrap_or_default();
    let place = |corner: u32| (corner as usize).saturating_sub(first.1);
    let mut unreadable = None;
    if let Some(index) = named(Semantic::Colors(0)) {
        match read(index, &[Type::Vec4, Type::Vec3]) {
            Some(colors) => {
                let corner_colors =
                    added.iter().map(|corners| corners.map(|corner| colors.numbers(place(corner), [1.0; 4])));
                mesh.colors.resize(first.0, [[1.0; 4]; 3]);
                mesh.colors.extend(corner_colors);
            }
            None => unreadable = Some("colours"),
        }
    }
    if let Some(index) = named(Semantic::TexCoords(0)) {
        match read(index, &[Type::Vec2]) {
            Some(uvs) => {
                let corner_uvs = added.iter().map(|corners| corners.map(|corner| uvs.numbers(place(corner), [0.0; 2])));
                mesh.uvs.resize(first.0, Default::default());
                mesh.uvs.extend(corner_uvs);
            }
            None => unreadable = Some("places on the texture"),
        }
    }
    let warning = unreadable.map(|what| format!("some of its {what} cannot be read and are left out; {APPLY}"));
    mesh.warnings.extend(warning.filter(|warning| !mesh.warnings.contains(warning)));
}
