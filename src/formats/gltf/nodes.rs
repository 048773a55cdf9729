//! The nodes of a glTF scene: where each mesh is placed.

use ::gltf::json::accessor::Type;
use ::gltf::json::{Index, Node, Root};
use glam::{DMat4, DQuat, DVec3};

use super::accessor::{Elements, NAME, Reader};
use super::extensions;
use crate::error::Cause;
use crate::limits::MAX_VERTICES;

/// A node and its transform in the scene.
pub(super) struct Placed<'a> {
    pub index: usize,
    pub node: &'a Node,
    pub transform: DMat4,
    /// Whether the node, or one above it, is hidden.
    pub hidden: bool,
}

/// The nodes of the default scene; all nodes where there is no scene.
///
/// # Errors
/// Nodes that do not exist, that have two parents, or that form a cycle.
pub(super) fn of_scene(root: &Root) -> Result<Vec<Placed<'_>>, Cause> {
    let tops = tops(root)?;
    match root.scene.map_or(root.scenes.first(), |index| root.get(index)) {
        Some(scene) => below(root, scene.nodes.iter().map(|index| index.value()).collect()),
        None => below(root, tops),
    }
}

/// The transform of every node, by its index; `None` for nodes of a cycle.
///
/// # Errors
/// Errors of [`of_scene`].
pub(super) fn transforms(root: &Root) -> Result<Vec<Option<DMat4>>, Cause> {
    let mut transforms = vec![None; root.nodes.len()];
    for placed in below(root, tops(root)?)? {
        if let Some(transform) = transforms.get_mut(placed.index) {
            *transform = Some(placed.transform);
        }
    }
    Ok(transforms)
}

/// The nodes without a parent.
fn tops(root: &Root) -> Result<Vec<usize>, Cause> {
    let mut is_child = vec![false; root.nodes.len()];
    for child in root.nodes.iter().flat_map(|node| node.children.iter().flatten()) {
        let seen = is_child
            .get_mut(child.value())
            .ok_or_else(|| NAME.malformed(format!("there is no node {}", child.value())))?;
        if std::mem::replace(seen, true) {
            return Err(NAME.malformed(format!("node {} has two parents", child.value())));
        }
    }
    Ok((0..root.nodes.len()).filter(|index| is_child.get(*index) == Some(&false)).collect())
}

fn below(root: &Root, tops: Vec<usize>) -> Result<Vec<Placed<'_>>, Cause> {
    let mut placed = Vec::new();
    let mut waiting: Vec<_> = tops.into_iter().rev().map(|index| (index, DMat4::IDENTITY, false)).collect();
    while let Some((index, above, hidden)) = waiting.pop() {
        let node = root.nodes.get(index).ok_or_else(|| NAME.malformed(format!("there is no node {index}")))?;
        // With one parent each, a node is visited again only in a cycle, or when a scene lists a child or the same node
        // twice.
        if placed.len() >= root.nodes.len() {
            return Err(NAME.malformed("its nodes form a cycle"));
        }
        let (transform, hidden) = (above * own_transform(node), hidden || extensions::hidden(node));
        placed.push(Placed { index, node, transform, hidden });
        waiting.extend(node.children.iter().flatten().rev().map(|child| (child.value(), transform, hidden)));
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

/// Placements of a node's mesh, relative to the node: once, or as often as EXT_mesh_gpu_instancing says.
///
/// # Errors
/// Attributes that cannot be read or differ in length; too many instances.
pub(super) fn instances(reader: &Reader<'_>, node: &Node) -> Result<Vec<DMat4>, Cause> {
    let Some(extension) = extensions::instances(node) else { return Ok(vec![DMat4::IDENTITY]) };
    let attribute = |name: &str, ty| {
        let Some(index) = extension.get("attributes").and_then(|attributes| attributes.get(name)) else {
            return Ok(None);
        };
        let index = index.as_u64().and_then(|index| u32::try_from(index).ok());
        let index = index.ok_or_else(|| NAME.malformed(format!("{name} of its instances names no accessor")))?;
        reader.elements(Index::new(index), ty).map(Some)
    };
    let moved = attribute("TRANSLATION", Type::Vec3)?;
    let turned = attribute("ROTATION", Type::Vec4)?;
    let scaled = attribute("SCALE", Type::Vec3)?;
    let counts: Vec<usize> = [&moved, &turned, &scaled].into_iter().flatten().map(|one| one.count).collect();
    let count = counts.first().copied().unwrap_or(1);
    if counts.iter().any(|other| *other != count) {
        return Err(NAME.malformed("the attributes of its instances differ in length"));
    }
    if count > MAX_VERTICES {
        return Err(Cause::Copies);
    }
    reader.spend(count)?;
    let vector = |elements: &Option<Elements<'_>>, index: usize, other: DVec3| {
        elements.as_ref().and_then(|elements| elements.point(index)).unwrap_or(other)
    };
    let place = |index: usize| {
        let turn = turned.as_ref().and_then(|elements| elements.array(index)).map(DQuat::from_array);
        DMat4::from_scale_rotation_translation(
            vector(&scaled, index, DVec3::ONE),
            turn.unwrap_or(DQuat::IDENTITY).normalize(),
            vector(&moved, index, DVec3::ZERO),
        )
    };
    Ok((0..count).map(place).collect())
}
