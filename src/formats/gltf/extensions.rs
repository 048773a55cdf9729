//! Whether each extension that a glTF file names changes the shape, and whether it is applied.

use std::collections::BTreeSet;

use ::gltf::json::buffer::View;
use ::gltf::json::mesh::Primitive;
use ::gltf::json::{Accessor, Index, Node, Root};
use serde_json::Value;

use crate::error::Cause;
use crate::warnings::{APPLY, listed};

/// Copies of a node's mesh.
pub(super) const INSTANCES: &str = "EXT_mesh_gpu_instancing";
/// Nodes that are not shown, with everything below them.
const VISIBILITY: &str = "KHR_node_visibility";
const DRACO: &str = "KHR_draco_mesh_compression";

/// What is done about an extension.
#[derive(Clone, Copy, PartialEq)]
enum Effect {
    /// An extension that is read, whether the file requires the extension or only uses it.
    Applied,
    /// No part of the shape: looks, lights, sounds, descriptions, motion.
    Harmless,
    /// Numbers that are stored smaller. Where the file also has them as they are, these are read; otherwise the file is refused.
    Compression,
    /// Refused where the file requires the extension, and otherwise left out with a warning.
    Unknown,
}

/// The first entry that a name begins with counts; an extension without an entry is unknown.
const EFFECTS: [(&str, Effect); 26] = [
    (INSTANCES, Effect::Applied),
    (VISIBILITY, Effect::Applied),
    ("KHR_mesh_quantization", Effect::Applied),
    (DRACO, Effect::Compression),
    ("EXT_meshopt_compression", Effect::Compression),
    ("KHR_meshopt_compression", Effect::Compression),
    ("KHR_materials_", Effect::Harmless),
    ("EXT_materials_", Effect::Harmless),
    ("ADOBE_materials_", Effect::Harmless),
    ("KHR_texture_", Effect::Harmless),
    ("EXT_texture_", Effect::Harmless),
    ("MSFT_texture_", Effect::Harmless),
    ("KHR_lights_", Effect::Harmless),
    ("EXT_lights_", Effect::Harmless),
    ("KHR_xmp", Effect::Harmless),
    ("KHR_audio_", Effect::Harmless),
    ("KHR_physics_", Effect::Harmless),
    ("KHR_node_hoverability", Effect::Harmless),
    ("KHR_node_selectability", Effect::Harmless),
    ("KHR_interactivity", Effect::Harmless),
    // Animations are left out, and a warning says so.
    ("KHR_animation_pointer", Effect::Harmless),
    ("EXT_structural_metadata", Effect::Harmless),
    ("EXT_mesh_features", Effect::Harmless),
    ("EXT_instance_features", Effect::Harmless),
    ("EXT_mesh_manifold", Effect::Harmless),
    // The other levels of detail belong to no scene.
    ("MSFT_lod", Effect::Harmless),
];

fn effect(name: &str) -> Effect {
    EFFECTS.iter().find(|(begin, _)| name.starts_with(begin)).map_or(Effect::Unknown, |(_, effect)| *effect)
}

pub(super) fn unsupported(name: &str) -> Cause {
    Cause::Unsupported(format!("the extension {name}").into())
}

/// A warning about the extensions that change the shape and are left out.
///
/// # Errors
/// An extension that the file requires and that is not read.
pub(super) fn judge(root: &Root) -> Result<Option<String>, Cause> {
    let read = |name: &&String| matches!(effect(name), Effect::Applied | Effect::Harmless);
    if let Some(name) = root.extensions_required.iter().find(|name| !read(name)) {
        return Err(unsupported(name));
    }
    let unknown: Vec<&str> = names(root).into_iter().filter(|name| effect(name) == Effect::Unknown).collect();
    Ok((!unknown.is_empty()).then(|| {
        let (are, s) = if unknown.len() == 1 { ("is", "") } else { ("are", "s") };
        format!("the extension{s} {}, which the file uses, {are} left out; {APPLY}", listed(&unknown))
    }))
}

/// The extensions that the file says it uses, and those of its nodes and meshes.
fn names(root: &Root) -> BTreeSet<&str> {
    let mut names: BTreeSet<&str> = root.extensions_used.iter().map(String::as_str).collect();
    let primitives = || root.meshes.iter().flat_map(|mesh| &mesh.primitives);
    names.extend(root.nodes.iter().flat_map(|node| &node.extensions).flat_map(|e| e.others.keys().map(String::as_str)));
    names
        .extend(root.meshes.iter().flat_map(|mesh| &mesh.extensions).flat_map(|e| e.others.keys().map(String::as_str)));
    names.extend(primitives().flat_map(|one| &one.extensions).flat_map(|e| e.others.keys().map(String::as_str)));
    names.extend(
        root.scenes.iter().flat_map(|scene| &scene.extensions).flat_map(|e| e.others.keys().map(String::as_str)),
    );
    names.extend(root.skins.iter().flat_map(|skin| &skin.extensions).flat_map(|e| e.others.keys().map(String::as_str)));
    names.extend(
        root.accessors.iter().flat_map(|one| &one.extensions).flat_map(|e| e.others.keys().map(String::as_str)),
    );
    names
}

/// The extension that a view's bytes are compressed with.
pub(super) fn compression(view: &View) -> Option<&str> {
    let others = &view.extensions.as_ref()?.others;
    others.keys().map(String::as_str).find(|name| effect(name) == Effect::Compression)
}

/// Refuses a primitive whose numbers are in compressed form alone.
pub(super) fn check_compression(root: &Root, primitive: &Primitive) -> Result<(), Cause> {
    let compressed = primitive.extensions.as_ref().is_some_and(|extensions| extensions.others.contains_key(DRACO));
    let accessors = || primitive.attributes.values().chain(&primitive.indices);
    let empty = |index: &Index<Accessor>| {
        root.get(*index).is_some_and(|accessor| accessor.buffer_view.is_none() && accessor.sparse.is_none())
    };
    if compressed && accessors().any(empty) { Err(unsupported(DRACO)) } else { Ok(()) }
}

fn of_node<'a>(node: &'a Node, name: &str) -> Option<&'a Value> {
    node.extensions.as_ref()?.others.get(name)
}

/// Whether a node and everything below it is not shown.
pub(super) fn hidden(node: &Node) -> bool {
    of_node(node, VISIBILITY).and_then(|value| value.get("visible")) == Some(&Value::Bool(false))
}

/// The attributes of a node's instances by their names.
pub(super) fn instances(node: &Node) -> Option<&Value> {
    of_node(node, INSTANCES)
}
