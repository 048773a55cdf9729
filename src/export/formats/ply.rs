//! PLY point clouds in binary: one vertex a particle, with all attributes.
//!
//! `position` is `x y z` (z is 0 in 2D); a vector `name` is `name_x name_y ..`. Source: Turk, The PLY Polygon File Format, 1994.

use super::npy::type_of;
use crate::names::plain;
use crate::sequence::{Encoding, Sequence};
use crate::sink::{About, Format, Frame, Kind, Target};
use crate::stage::types::Scalar;
use crate::value::{Attribute, ExportedValue, Particles};
use stagewright_formats::ply::write::points;

pub(crate) const FORMAT: Format = Format {
    name: "ply",
    title: "PLY",
    about: "particles as a point cloud with all attributes, in binary",
    takes: &[Kind::Particles],
    joins: false,
    beside: &[],
    single: false,
    bytes_per_pixel: 0.0,
    open: |target| Box::new(Sequence::new(target, &ENCODING)),
};

const ENCODING: Encoding = Encoding { ending: "ply", encode, half: false, index: None };

/// The columns of particles: the name of each, and where its words are. `None` is a column of zeros.
pub(super) fn columns(particles: &Particles) -> Vec<(String, Option<(&Attribute, usize)>)> {
    let mut columns = Vec::new();
    for attribute in &particles.attributes {
        let letters = ["x", "y", "z", "w"];
        match attribute.name.as_str() {
            "position" => {
                let place = |(index, letter): (usize, &&str)| {
                    (letter.to_string(), (index < attribute.components).then_some((attribute, index)))
                };
                columns.extend(letters.iter().take(3).enumerate().map(place));
            }
            name if attribute.components == 1 => columns.push((plain(name), Some((attribute, 0)))),
            name => {
                let part = |index: usize| {
                    let letter = letters.get(index).filter(|_| attribute.components <= letters.len());
                    let letter = letter.map_or_else(|| index.to_string(), ToString::to_string);
                    (format!("{}_{letter}", plain(name)), Some((attribute, index)))
                };
                columns.extend((0..attribute.components).map(part));
            }
        }
    }
    columns
}

fn encode(frame: &Frame, target: &Target) -> Result<Vec<u8>, String> {
    let Some(ExportedValue::Particles(particles)) = frame.layers()?.first().map(|layer| layer.value()) else {
        return Err("PLY files hold particles alone".into());
    };
    Ok(file(&particles, frame, &target.about))
}

fn file(particles: &Particles, frame: &Frame, about: &About) -> Vec<u8> {
    let columns = columns(particles);
    let comments = [
        About::PROGRAM.to_string(),
        format!("frame {}", frame.index),
        format!("time {}", frame.time),
        format!("graph_hash {}", about.hash),
    ];
    let types = columns.iter().map(|(name, from)| {
        let scalar = from.map_or(Scalar::F32, |(attribute, _)| attribute.scalar);
        (name.as_str(), type_of(scalar))
    });
    let word = |index: usize, column: usize| {
        let (_, from) = columns.get(column)?;
        from.and_then(|(attribute, part)| attribute.words.get(index * attribute.components + part)).copied()
    };
    points(&comments, &types.collect::<Vec<_>>(), particles.count, word)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sink::Content;

    #[test]
    fn all_attributes_are_columns() {
        let attribute = |name: &str, components, words: &[f32]| Attribute {
            name: name.into(),
            components,
            scalar: Scalar::F32,
            words: words.iter().map(|value| value.to_bits()).collect(),
        };
        let attributes = vec![
            attribute("position", 2, &[1.0, 2.0]),
            attribute("velocity", 2, &[3.0, 4.0]),
            attribute("age", 1, &[5.0]),
        ];
        let particles = Particles { count: 1, dim: 2, attributes };
        let names: Vec<String> = columns(&particles).into_iter().map(|(name, _)| name).collect();
        assert_eq!(names, ["x", "y", "z", "velocity_x", "velocity_y", "age"]);
        let frame = Frame { index: 1, time: 0.0, content: Content::Layers(Vec::new()) };
        assert!(encode(&frame, &Target::images("".into(), 1..=1)).is_err());
        let bytes = file(&particles, &frame, &About::default());
        let numbers: Vec<f32> =
            bytes[bytes.len() - 24..].as_chunks::<4>().0.iter().map(|b| f32::from_le_bytes(*b)).collect();
        assert_eq!(numbers, [1.0, 2.0, 0.0, 3.0, 4.0, 5.0]);
    }
}
