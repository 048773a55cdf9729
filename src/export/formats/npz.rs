//! NumPy arrays, several a file: a zip archive without compression, as `numpy.savez` writes.

use super::npy::{array, shape};
use crate::sequence::{Encoding, Sequence};
use crate::sink::{Format, Frame, Kind, Target};
use crate::value::ExportedValue;
use stagewright_formats::npy::write::numbers;
use stagewright_formats::npz::write::Zip;
use stagewright_formats::points::Type;

pub(crate) const FORMAT: Format = Format {
    name: "npz",
    title: "NPZ",
    about: "NumPy arrays of grids, of the attributes of particles, and of numbers, with frame, time and cell sizes",
    takes: &[Kind::Grid2, Kind::Grid3, Kind::Particles, Kind::Number],
    joins: true,
    beside: &[],
    single: false,
    bytes_per_pixel: 16.0,
    open: |target| Box::new(Sequence::new(target, &ENCODING)),
};

const ENCODING: Encoding = Encoding { ending: "npz", encode, half: false, index: None };

fn encode(frame: &Frame, target: &Target) -> Result<Vec<u8>, String> {
    let mut zip = Zip::default();
    let floats = |shape: &[usize], values: &[f64]| {
        numbers(shape, Type::F64, values.iter().flat_map(|value| value.to_le_bytes()), 8 * values.len())
    };
    zip.add("frame", &numbers(&[], Type::I64, frame.index.to_le_bytes().into_iter(), 8))?;
    zip.add("time", &floats(&[], &[frame.time]))?;
    zip.add("fps", &floats(&[], &[target.about.fps]))?;
    for layer in frame.layers()? {
        let name = &layer.name;
        match layer.value() {
            ExportedValue::Grid(grid) => {
                zip.add(name, &array(&shape(&grid), grid.scalar, &grid.words))?;
                let edges = grid.edges.get(..grid.dim as usize).unwrap_or(&grid.edges);
                zip.add(&format!("{name}.cell_size"), &floats(&[edges.len()], edges))?;
            }
            ExportedValue::Particles(particles) => {
                // The attributes of one set have their own names.
                let alone = frame.layers()?.len() == 1;
                for attribute in &particles.attributes {
                    let components = (attribute.components > 1).then_some(attribute.components);
                    let shape: Vec<usize> = std::iter::once(particles.count).chain(components).collect();
                    let data = array(&shape, attribute.scalar, &attribute.words);
                    let attribute_name = &attribute.name;
                    zip.add(&if alone { attribute_name.clone() } else { format!("{name}.{attribute_name}") }, &data)?;
                }
            }
            ExportedValue::Number(values) => {
                let shape = if values.len() == 1 { Vec::new() } else { vec![values.len()] };
                zip.add(name, &floats(&shape, &values))?;
            }
            ExportedValue::Picture(_) => {
                return Err("NPZ files hold no images; name the wire that the Output shows".into());
            }
        }
    }
    Ok(zip.finish())
}
