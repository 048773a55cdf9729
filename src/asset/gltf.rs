//! glTF 2.0, in text and binary: the triangles of the default scene, each where its nodes put it. Materials, textures,
//! animations, morphs and skeletons are passed over.
//!
//! The crate's JSON types are used without its validation and its readers, which panic on indices and sizes that are made up.

use std::path::Path;

use ::gltf::Glb;
use ::gltf::json::accessor::Type;
use ::gltf::json::mesh::{Mode, Primitive, Semantic};
use ::gltf::json::validation::Checked;
use ::gltf::json::{Node, Root};
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use glam::{DMat4, DQuat, DVec3};
use percent_encoding::percent_decode_str;

use super::accessor::Elements;
use super::error::Cause;
use super::{MAX_FILE, MAX_TRIANGLES, Mesh, Phase, Work};

/// Where a binary file's header has the length of the whole; the header itself is twelve bytes.
const LENGTH: std::ops::Range<usize> = 8..12;
/// Required extensions that change looks, not shape, begin so; quantized positions are read.
const HARMLESS: [&str; 5] = ["KHR_materials_", "KHR_texture_", "EXT_texture_", "KHR_lights_", "KHR_mesh_quantization"];

pub fn broken(message: impl Into<String>) -> Cause {
    Cause::Broken { kind: "glTF", message: message.into() }
}

/// `folder` is where buffers beside the file lie.
///
/// # Errors
/// A file that is broken or cut off, buffers that are missing, extensions that change shapes.
pub fn read(bytes: &[u8], folder: &Path, work: &Work) -> Result<Mesh, Cause> {
    let (root, blob) = if bytes.starts_with(b"glTF") {
        let length = bytes.get(LENGTH).and_then(|b| b.first_chunk()).map_or(0, |b| u32::from_le_bytes(*b));
        if length < 12 {
            return Err(broken("its header is cut off"));
        }
        let glb = Glb::from_slice(bytes).map_err(|e| broken(e.to_string()))?;
        (Root::from_slice(&glb.json), glb.bin)
    } else {
        (Root::from_slice(bytes), None)
    };
    let root = root.map_err(|e| broken(e.to_string()))?;
    if let Some(name) = root.extensions_required.iter().find(|name| !HARMLESS.iter().any(|h| name.starts_with(h))) {
        return Err(Cause::Unsupported(format!("the extension {name}")));
    }
    let buffers = buffers(&root, blob.as_deref(), folder, work)?;
    work.begin(Phase::Decoding, 0)?;
    let mut mesh = Mesh::default();
    for (node, transform) in placed_nodes(&root)? {
        let Some(index) = node.mesh else { continue };
        let shape = root.get(index).ok_or_else(|| broken(format!("there is no mesh {}", index.value())))?;
        for primitive in &shape.primitives {
            add(&root, &buffers, primitive, transform, &mut mesh)?;
        }
        if node.skin.is_some() && mesh.warnings.is_empty() {
            mesh.warnings.push("the mesh has a skeleton, which is not applied; its rest shape is read".into());
        }
    }
    Ok(mesh)
}

fn buffers(root: &Root, blob: Option<&[u8]>, folder: &Path, work: &Work) -> Result<Vec<Vec<u8>>, Cause> {
    let mut total = 0;
    let read = |buffer: &::gltf::json::Buffer| {
        let mut bytes = match &buffer.uri {
            Some(uri) => resource(uri, folder, work)?,
            None => blob.ok_or_else(|| broken("its binary part is missing"))?.to_vec(),
        };
        if (bytes.len() as u64) < buffer.byte_length.0 {
            return Err(broken(format!("a buffer has {} bytes of {}", bytes.len(), buffer.byte_length.0)));
        }
        bytes.truncate(buffer.byte_length.0 as usize);
        total += bytes.len() as u64;
        if total > MAX_FILE { Err(Cause::TooLarge) } else { Ok(bytes) }
    };
    root.buffers.iter().map(read).collect()
}

/// What a URI stands for: data of its own, or a file that lies relative to `folder`.
fn resource(uri: &str, folder: &Path, work: &Work) -> Result<Vec<u8>, Cause> {
    let missing = |message: String| Cause::Buffer { uri: uri.chars().take(60).collect(), message };
    if let Some(data) = uri.strip_prefix("data:") {
        let (_, data) = data.split_once(";base64,").ok_or_else(|| missing("it is not base64".into()))?;
        return STANDARD.decode(data).map_err(|e| missing(e.to_string()));
    }
    let path = percent_decode_str(uri).decode_utf8_lossy();
    if path.contains(':') || Path::new(path.as_ref()).has_root() {
        return Err(missing("it lies elsewhere".into()));
    }
    super::read(&folder.join(path.as_ref()), work).map_err(|cause| match cause {
        Cause::Stopped => cause,
        cause => missing(cause.to_string()),
    })
}

/// The nodes of the default scene with their transforms; all of them where there is no scene.
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
        // With one parent each, only a circle, or a scene that names a child or a node twice, comes by more often.
        if placed.len() >= root.nodes.len() {
            return Err(broken("its nodes go in a circle"));
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
fn add(
    root: &Root,
    buffers: &[Vec<u8>],
    primitive: &Primitive,
    transform: DMat4,
    mesh: &mut Mesh,
) -> Result<(), Cause> {
    let Checked::Valid(mode @ (Mode::Triangles | Mode::TriangleStrip | Mode::TriangleFan)) = primitive.mode else {
        return Ok(());
    };
    let Some(positions) = primitive.attributes.get(&Checked::Valid(Semantic::Positions)) else { return Ok(()) };
    let positions = Elements::new(root, buffers, *positions, Type::Vec3)?;
    let indices = primitive.indices.map(|i| Elements::new(root, buffers, i, Type::Scalar)).transpose()?;
    let count = indices.as_ref().map_or(positions.count, |i| i.count);
    let triangles = if mode == Mode::Triangles { count / 3 } else { count.saturating_sub(2) };
    // Many nodes may show one mesh.
    if mesh.triangles.len() + triangles > MAX_TRIANGLES || mesh.points.len() + positions.count > 3 * MAX_TRIANGLES {
        return Err(Cause::TooMany("triangles"));
    }
    let first = mesh.points.len() as u32;
    mesh.points.extend((0..positions.count).filter_map(|i| positions.point(i)).map(|p| transform.transform_point3(p)));
    let vertex = |corner: usize| {
        let index = indices.as_ref().map_or(Some(corner as u32), |i| i.index(corner));
        let index = index.filter(|i| (*i as usize) < positions.count);
        index.map(|i| first + i).ok_or_else(|| broken("a triangle names a vertex that is not there"))
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
