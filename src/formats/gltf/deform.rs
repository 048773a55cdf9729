//! What moves the vertices of a glTF mesh before or in place of its node's transform: shape keys and skeletons, at rest.

use ::gltf::json::accessor::Type;
use ::gltf::json::mesh::{Primitive, Semantic};
use ::gltf::json::validation::Checked;
use ::gltf::json::{Accessor, Index, Skin};
use glam::{DMat4, DVec3};

use super::accessor::{NAME, Reader};
use crate::error::Cause;

/// The positions of a primitive with its shape keys: the sum of its positions and of each key's displacements times the
/// key's weight.
///
/// # Errors
/// Positions or displacements that cannot be read or differ in number.
pub(super) fn positions(
    reader: &Reader<'_>,
    primitive: &Primitive,
    positions: Index<Accessor>,
    weights: &[f32],
) -> Result<Vec<DVec3>, Cause> {
    let base = reader.elements(positions, Type::Vec3)?;
    let keys = primitive.targets.iter().flatten().zip(weights);
    let keys = keys.filter(|(target, weight)| target.positions.is_some() && **weight != 0.0).count();
    reader.spend(base.count.saturating_mul(1 + keys))?;
    let mut points: Vec<DVec3> = (0..base.count).filter_map(|index| base.point(index)).collect();
    for (target, weight) in primitive.targets.iter().flatten().zip(weights) {
        let Some(moved) = target.positions.filter(|_| *weight != 0.0) else { continue };
        let moved = reader.elements(moved, Type::Vec3)?;
        if moved.count != points.len() {
            return Err(NAME.malformed(format!("a shape key has {} vertices of {}", moved.count, points.len())));
        }
        for (index, point) in points.iter_mut().enumerate() {
            *point += f64::from(*weight) * moved.point(index).unwrap_or(DVec3::ZERO);
        }
    }
    Ok(points)
}

/// A skeleton at rest: what takes a vertex from the mesh to the scene, for each joint.
pub(super) struct Skeleton(Vec<DMat4>);

impl Skeleton {
    /// `transforms` are those of all nodes.
    ///
    /// # Errors
    /// Joints or matrices that do not exist.
    pub(super) fn new(reader: &Reader<'_>, skin: Index<Skin>, transforms: &[Option<DMat4>]) -> Result<Skeleton, Cause> {
        let skin = reader.root.get(skin).ok_or_else(|| NAME.malformed(format!("there is no skin {}", skin.value())))?;
        let bind = skin.inverse_bind_matrices.map(|index| reader.elements(index, Type::Mat4)).transpose()?;
        reader.spend(skin.joints.len())?;
        let matrix = |(at, joint): (usize, &Index<_>)| {
            let missing = || NAME.malformed(format!("there is no joint {}", joint.value()));
            let joint = transforms.get(joint.value()).copied().flatten().ok_or_else(missing)?;
            match &bind {
                None => Ok(joint),
                Some(bind) => {
                    bind.matrix(at).map(|bind| joint * bind).ok_or_else(|| NAME.malformed("a joint has no matrix"))
                }
            }
        };
        Ok(Skeleton(skin.joints.iter().enumerate().map(matrix).collect::<Result<_, Cause>>()?))
    }

    /// The matrix of each vertex: the mean of its joints' matrices by their weights. `None` where the primitive has no
    /// weights.
    ///
    /// # Errors
    /// Weights that cannot be read; joints that do not exist.
    pub(super) fn matrices(
        &self,
        reader: &Reader<'_>,
        primitive: &Primitive,
        count: usize,
    ) -> Result<Option<Vec<DMat4>>, Cause> {
        let attribute = |semantic| primitive.attributes.get(&Checked::Valid(semantic)).copied();
        let mut sums = vec![(DMat4::ZERO, 0.0); count];
        let mut sets = 0;
        while let (Some(joints), Some(weights)) =
            (attribute(Semantic::Joints(sets)), attribute(Semantic::Weights(sets)))
        {
            reader.spend(4 * count)?;
            let (joints, weights) = (reader.elements(joints, Type::Vec4)?, reader.elements(weights, Type::Vec4)?);
            for (vertex, (sum, total)) in sums.iter_mut().enumerate() {
                let few = || NAME.malformed("its joints and weights are fewer than its vertices");
                let (joints, weights): ([f64; 4], [f64; 4]) =
                    joints.array(vertex).zip(weights.array(vertex)).ok_or_else(few)?;
                for (joint, weight) in joints.into_iter().zip(weights).filter(|(_, weight)| *weight != 0.0) {
                    let matrix = self.0.get(joint as usize).filter(|_| joint >= 0.0);
                    *sum += weight
                        * *matrix
                            .ok_or_else(|| NAME.malformed(format!("a vertex refers to a missing joint {joint}")))?;
                    *total += weight;
                }
            }
            sets += 1;
        }
        // A vertex without weights belongs to the first joint, as renderers have it.
        let first = self.0.first().copied().unwrap_or(DMat4::IDENTITY);
        let mean = |(sum, total): (DMat4, f64)| if total == 0.0 { first } else { sum * (1.0 / total) };
        Ok((sets > 0).then(|| sums.into_iter().map(mean).collect()))
    }
}
