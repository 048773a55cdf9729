//! glTF 2.0, text and binary: the triangles of the default scene, transformed by its nodes; where they are wanted, colours of
//! vertices and places on a texture. Materials, textures, animations, morph targets and skeletons are ignored.
//!
//! The crate's JSON types are used without its validation and readers, which panic on invalid indices and sizes.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use ::gltf::Glb;
use ::gltf::json::accessor::Type;
use ::gltf::json::mesh::{Mode, Primitive, Semantic};
use ::gltf::json::validation::Checked;
use ::gltf::json::{Buffer, Node, Root};
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use glam::{DMat4, DQuat, DVec3};
use percent_encoding::percent_decode_str;

use super::accessor::{Elements, broken};
use super::error::Cause;
use super::{MAX_FILE, MAX_TRIANGLES, MAX_VERTICES, Mesh, Phase, Work};
use crate::files::{Access, ReadError, read as regular};

/// Where the header of a binary file holds the total length; the header itself has twelve bytes.
const LENGTH: std::ops::Range<usize> = 8..12;
/// Limit of buffers in separate files.
const MAX_BUFFERS: usize = 1024;
/// Limit of values in the JSON part: nodes, accessors and the numbers in them, not the contents of buffers.
const MAX_VALUES: usize = 2_000_000;
/// Prefixes of required extensions that do not change the shape. Quantized positions are supported.
const HARMLESS: [&str; 5] = ["KHR_materials_", "KHR_texture_", "EXT_texture_", "KHR_lights_", "KHR_mesh_quantization"];

/// `folder` is the folder of buffer files; `access` decides whether they may be read.
///
/// # Errors
/// An invalid or truncated file, buffers that are missing or not accessible, extensions that change the shape.
pub(super) fn read(bytes: &[u8], folder: &Path, access: &Access, attributes: bool, work: &Work) -> Result<Mesh, Cause> {
    let (json, blob) = if bytes.starts_with(b"glTF") {
        let length = bytes.get(LENGTH).and_then(|b| b.first_chunk()).map_or(0, |b| u32::from_le_bytes(*b));
        if length < 12 {
            return Err(broken("its header is truncated"));
        }
        let glb = Glb::from_slice(bytes).map_err(|e| broken(e.to_string()))?;
        (glb.json, glb.bin)
    } else {
        (Cow::Borrowed(bytes), None)
    };
    bounded(&json)?;
    let root = Root::from_slice(&json).map_err(|e| broken(e.to_string()))?;
    if let Some(name) = root.extensions_required.iter().find(|name| !HARMLESS.iter().any(|h| name.starts_with(h))) {
        return Err(Cause::Unsupported(format!("the extension {name}")));
    }
    let resources = resources(&root, folder, access, work)?;
    let buffers = buffers(&root, blob.as_deref(), &resources)?;
    work.begin(Phase::Decoding, 0)?;
    let mut mesh = Mesh::default();
    for (node, transform) in placed_nodes(&root)? {
        let Some(index) = node.mesh else { continue };
        let shape = root.get(index).ok_or_else(|| broken(format!("there is no mesh {}", index.value())))?;
        work.go_on(0)?;
        for primitive in &shape.primitives {
            let first = (mesh.triangles.len(), mesh.points.len());
            add(&root, &buffers, primitive, transform, &mut mesh)?;
            if attributes {
                add_attributes(&root, &buffers, primitive, first, &mut mesh);
            }
        }
        if node.skin.is_some() && mesh.warnings.is_empty() {
            mesh.warnings.push("the mesh has a skeleton, which is ignored; its rest pose is used".into());
        }
    }
    Ok(mesh)
}

/// The bytes of each buffer, none longer than its declared length. Buffers with the same URI share their data, which is
/// read once.
fn buffers<'a>(
    root: &'a Root,
    blob: Option<&'a [u8]>,
    read: &'a BTreeMap<&str, Vec<u8>>,
) -> Result<Vec<&'a [u8]>, Cause> {
    let bytes = |buffer: &'a Buffer| {
        let bytes = match &buffer.uri {
            Some(uri) => read.get(uri.as_str()).map(Vec::as_slice),
            None => blob,
        };
        let bytes = bytes.ok_or_else(|| broken("its binary part is missing"))?;
        let length = usize::try_from(buffer.byte_length.0).unwrap_or(usize::MAX);
        bytes.get(..length).ok_or_else(|| broken(format!("a buffer has {} bytes of {length}", bytes.len())))
    };
    root.buffers.iter().map(bytes).collect()
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
        return Err(Cause::TooLarge);
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
    let missing = |message: String| Cause::Buffer { uri: uri.chars().take(60).collect(), message };
    if let Some(data) = uri.strip_prefix("data:") {
        let (_, data) = data.split_once(";base64,").ok_or_else(|| missing("it is not base64".into()))?;
        return STANDARD.decode(data).map_err(|e| missing(e.to_string()));
    }
    let path = beside(uri, folder, access).map_err(|e| missing(e.to_string()))?;
    let (file, found) = regular::open(&path).map_err(|e| missing(e.to_string()))?;
    if found < length {
        return Err(broken(format!("a buffer has {found} bytes of {length}")));
    }
    super::read_start(file, length, work).map_err(|cause| match cause {
        Cause::Stopped => cause,
        cause => missing(cause.to_string()),
    })
}

/// The path of the file that a URI names, relative to the folder of the file that contains it.
fn beside(uri: &str, folder: &Path, access: &Access) -> Result<PathBuf, ReadError> {
    let path = percent_decode_str(uri).decode_utf8_lossy();
    // A scheme, such as `http:`, or a drive letter.
    if path.contains(':') {
        return Err(ReadError::Outside);
    }
    access.resolve_from(folder, Path::new(path.as_ref()))
}

/// Buffer files that may be read, and how many bytes of each; none for an invalid file.
pub(super) fn companions(bytes: &[u8], folder: &Path, access: &Access) -> Vec<(PathBuf, u64)> {
    if bounded(bytes).is_err() {
        return Vec::new();
    }
    let Ok(root) = Root::from_slice(bytes) else { return Vec::new() };
    let named = lengths(&root).into_iter().filter(|(uri, _)| !uri.starts_with("data:")).take(MAX_BUFFERS);
    named.filter_map(|(uri, length)| Some((beside(uri, folder, access).ok()?, length))).collect()
}

/// Rejects a text whose values would take far more memory than the text itself: an empty node takes hundreds of bytes.
fn bounded(json: &[u8]) -> Result<(), Cause> {
    let (mut count, mut quoted, mut escaped) = (0usize, false, false);
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

/// The nodes of the default scene with their transforms; all nodes where there is no scene.
fn placed_nodes(root: &Root) -> Result<Vec<(&Node, DMat4)>, Cause> {
    let scene = root.scene.map_or(root.scenes.first(), |index| root.get(index));
    let mut is_child = vec![false; root.nodes.len()];
    for child in root.nodes.iter().flat_map(|node| node.children.iter().flatten()) {
        let seen =
            is_child.get_mut(child.value()).ok_or_else(|| broken(format!("there is no node {}", child.value())))?;
        if std::mem::replace(seen, true) {
            return Err(broken(format!("node {} has two parents", child.value())));
        }
    }
    let tops: Vec<usize> = match scene {
        Some(scene) => scene.nodes.iter().map(|index| index.value()).collect(),
        None => (0..root.nodes.len()).filter(|index| is_child.get(*index) == Some(&false)).collect(),
    };
    let mut placed = Vec::new();
    let mut waiting: Vec<_> = tops.into_iter().rev().map(|index| (index, DMat4::IDENTITY)).collect();
    while let Some((index, above)) = waiting.pop() {
        let node = root.nodes.get(index).ok_or_else(|| broken(format!("there is no node {index}")))?;
        // With one parent each, a node is visited again only in a cycle, or when a scene lists a child or the same node
        // twice.
        if placed.len() >= root.nodes.len() {
            return Err(broken("its nodes form a cycle"));
        }
        let transform = above * own_transform(node);
        placed.push((node, transform));
        waiting.extend(node.children.iter().flatten().rev().map(|child| (child.value(), transform)));
    }
    Ok(placed)
}

fn own_transform(node: &Node) -> DMat4 {
    if let Some(matrix) = node.matrix {
        return DMat4::from_cols_array(&matrix.map(f64::from));
    }
    DMat4::from_scale_rotation_translation(
        DVec3::from(node.scale.unwrap_or([1.0; 3]).map(f64::from)),
        DQuat::from_array(node.rotation.unwrap_or_default().0.map(f64::from)).normalize(),
        DVec3::from(node.translation.unwrap_or([0.0; 3]).map(f64::from)),
    )
}

/// Adds the triangles of a primitive; points and lines have none.
fn add(root: &Root, buffers: &[&[u8]], primitive: &Primitive, transform: DMat4, mesh: &mut Mesh) -> Result<(), Cause> {
    let Checked::Valid(mode @ (Mode::Triangles | Mode::TriangleStrip | Mode::TriangleFan)) = primitive.mode else {
        return Ok(());
    };
    let Some(positions) = primitive.attributes.get(&Checked::Valid(Semantic::Positions)) else { return Ok(()) };
    let positions = Elements::new(root, buffers, *positions, Type::Vec3)?;
    let indices = primitive.indices.map(|i| Elements::new(root, buffers, i, Type::Scalar)).transpose()?;
    let count = indices.as_ref().map_or(positions.count, |i| i.count);
    let triangles = if mode == Mode::Triangles { count / 3 } else { count.saturating_sub(2) };
    // Many nodes may use the same mesh.
    if mesh.triangles.len() + triangles > MAX_TRIANGLES || mesh.points.len() + positions.count > MAX_VERTICES {
        return Err(Cause::TooMany("triangles"));
    }
    let first = mesh.points.len() as u32;
    mesh.points.extend((0..positions.count).filter_map(|i| positions.point(i)).map(|p| transform.transform_point3(p)));
    let vertex = |corner: usize| {
        let index = indices.as_ref().map_or(Some(corner as u32), |i| i.index(corner));
        let index = index.filter(|i| (*i as usize) < positions.count);
        index.map(|i| first + i).ok_or_else(|| broken("a triangle refers to a missing vertex"))
    };
    let mirrored = transform.determinant() < 0.0;
    for t in 0..triangles {
        let [a, b, c] = match mode {
            Mode::TriangleStrip if t % 2 == 1 => [t + 1, t, t + 2],
            Mode::TriangleStrip => [t, t + 1, t + 2],
            Mode::TriangleFan => [0, t + 1, t + 2],
            _ => [3 * t, 3 * t + 1, 3 * t + 2],
        };
        let [b, c] = if mirrored { [c, b] } else { [b, c] };
        mesh.triangles.push([vertex(a)?, vertex(b)?, vertex(c)?]);
    }
    Ok(())
}

/// Adds colours of the vertices and places on the first texture to the triangles of a primitive, which begin at the `first` triangle
/// and vertex. An accessor that is invalid counts as absent: the shape does not depend on it.
fn add_attributes(root: &Root, buffers: &[&[u8]], primitive: &Primitive, first: (usize, usize), mesh: &mut Mesh) {
    let elements = |semantic, ty| {
        let index = *primitive.attributes.get(&Checked::Valid(semantic))?;
        Elements::new(root, buffers, index, ty).ok()
    };
    let added = mesh.triangles.get(first.0..).unwrap_or_default();
    let place = |corner: u32| (corner as usize).saturating_sub(first.1);
    let (colors, uvs) = (Semantic::Colors(0), Semantic::TexCoords(0));
    if let Some(colors) = elements(colors.clone(), Type::Vec4).or_else(|| elements(colors, Type::Vec3)) {
        let own = added.iter().map(|corners| corners.map(|corner| colors.numbers(place(corner), [1.0; 4])));
        mesh.colors.resize(first.0, [[1.0; 4]; 3]);
        mesh.colors.extend(own);
    }
    if let Some(uvs) = elements(uvs, Type::Vec2) {
        let own = added.iter().map(|corners| corners.map(|corner| uvs.numbers(place(corner), [0.0; 2])));
        mesh.uvs.resize(first.0, Default::default());
        mesh.uvs.extend(own);
    }
}
