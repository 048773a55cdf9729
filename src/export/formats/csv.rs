//! Tables of particles: a file a frame, one row a particle, with the columns of PLY files.

use std::fmt::Write as _;

use super::ply::columns;
use crate::quoting;
use crate::sequence::Encoding;
use crate::sink::{Frame, Target};
use crate::stage::types::Scalar;
use crate::value::{ExportedValue, Particles};

pub(super) const PARTICLES: Encoding = Encoding { ending: "csv", encode, half: false, index: None };

/// The end of the last line. All others end in a line feed alone, so a file that was cut lacks it; readers take both.
const END: &[u8] = b"\r\n";

fn encode(frame: &Frame, _: &Target) -> Result<Vec<u8>, String> {
    let layers = frame.layers()?;
    let ([_], Some(ExportedValue::Particles(particles))) = (layers, layers.first().map(|layer| layer.value())) else {
        return Err("a table holds one set of particles, or numbers; leave a space between them instead of +".into());
    };
    Ok(file(&particles, frame))
}

fn file(particles: &Particles, frame: &Frame) -> Vec<u8> {
    let columns = columns(particles);
    let names: Vec<String> = columns.iter().map(|(name, _)| quoting::csv(name)).collect();
    let mut text = format!("frame,time,{}", names.join(","));
    for index in 0..particles.count {
        let _ = write!(text, "\n{},{}", frame.index, frame.time);
        for (_, from) in &columns {
            let found = from.and_then(|(attribute, part)| {
                Some((attribute.scalar, *attribute.words.get(index * attribute.components + part)?))
            });
            // Writing to a text does not fail. Floats have the fewest digits that read back as the same bits.
            let _ = match found {
                None => write!(text, ",0"),
                Some((Scalar::F32, word)) => write!(text, ",{:?}", f32::from_bits(word)),
                Some((Scalar::I32, word)) => write!(text, ",{}", word as i32),
                Some((Scalar::U32, word)) => write!(text, ",{word}"),
            };
        }
    }
    let mut file = text.into_bytes();
    file.extend(END);
    file
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sink::Content;
    use crate::value::Attribute;

    #[test]
    fn rows_hold_every_bit() {
        let floats = [0.1, -2.0, 1e-30, f32::NAN];
        let attributes = vec![
            Attribute {
                name: "position".into(),
                components: 2,
                scalar: Scalar::F32,
                words: floats.map(f32::to_bits).to_vec(),
            },
            Attribute { name: "id".into(), components: 1, scalar: Scalar::U32, words: vec![7, u32::MAX] },
        ];
        let particles = Particles { count: 2, dim: 2, attributes };
        let frame = Frame { index: 3, time: 0.5, content: Content::Layers(Vec::new()) };
        let bytes = file(&particles, &frame);
        let expected = "frame,time,x,y,z,id\n3,0.5,0.1,-2.0,0,7\n3,0.5,1e-30,NaN,0,4294967295\r\n";
        assert_eq!(String::from_utf8_lossy(&bytes), expected);
        assert!(encode(&frame, &Target::images("".into(), 1..=1)).is_err(), "a frame without particles");
    }
}
