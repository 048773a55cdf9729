//! USD as text: particles as Points, a file a frame that a stage of value clips joins, and grids as Volumes over a sequence of OpenVDB
//! files. Source: OpenUSD, UsdGeomPoints, UsdVolVolume and Sequenceable Value Clips.

use std::fmt::Write as _;

use super::vdb;
use crate::names::plain;
use crate::sequence::{Encoding, Index, Sequence};
use crate::sink::{About, Format, Frame, Kind, Target};
use crate::stage::types::Scalar;
use crate::value::{Attribute, ExportedValue};

pub(crate) const FORMAT: Format = Format {
    name: "usda",
    title: "USD text",
    about: "a USD stage with time samples: particles as Points, grids as a Volume over OpenVDB files",
    takes: &[Kind::Grid3, Kind::Particles],
    joins: true,
    beside: &[],
    single: false,
    bytes_per_pixel: 4.0,
    open: |target| {
        let encoding = if target.kind == Kind::Particles { &PARTICLES } else { &VOLUMES };
        Box::new(Sequence::new(target, encoding))
    },
};

const VOLUMES: Encoding =
    Encoding { ending: "vdb", encode: volume_file, half: false, index: Some(Index { ending: "usda", text: volume }) };
const PARTICLES: Encoding =
    Encoding { ending: "usda", encode: points, half: false, index: Some(Index { ending: "usda", text: clips }) };

/// A name of a prim or an attribute: letters, digits and `_`, not beginning with a digit.
fn identifier(text: &str) -> String {
    let name: String = text.chars().map(|c| if c.is_ascii_alphanumeric() { c } else { '_' }).collect();
    if name.starts_with(|c: char| c.is_ascii_digit()) || name.is_empty() { format!("_{name}") } else { name }
}

fn header(target: &Target, name: &str, span: Option<[u64; 2]>) -> String {
    let About { fps, hash, .. } = &target.about;
    let mut text = format!(
        "#usda 1.0\n(\n    defaultPrim = \"{name}\"\n    doc = \"{}, graph {hash}\"\n    metersPerUnit = 1\n    upAxis = \"Y\"\n    timeCodesPerSecond = {fps}\n    framesPerSecond = {fps}\n",
        About::PROGRAM
    );
    if let Some([first, last]) = span {
        let _ = write!(text, "    startTimeCode = {first}\n    endTimeCode = {last}\n");
    }
    text + ")\n\n"
}

/// The points of one frame.
fn points(frame: &Frame, target: &Target) -> Result<Vec<u8>, String> {
    let layers = frame.layers()?;
    let ([_], Some(ExportedValue::Particles(particles))) = (layers, layers.first().map(|layer| layer.value())) else {
        return Err("a file of particles holds one set; write each to files of its own".into());
    };
    let mut text = header(target, PRIM, None);
    let _ = writeln!(text, "def Points \"{PRIM}\"\n{{");
    for attribute in &particles.attributes {
        let (name, declared) = declared(attribute);
        if name.starts_with("primvars:") {
            // One value a point.
            let several = match attribute.components {
                0..=4 => String::new(),
                n => format!("        elementSize = {n}\n"),
            };
            let _ = writeln!(text, "    {declared}[] {name} (\n{several}        interpolation = \"vertex\"\n    )");
        }
        let _ = write!(text, "    {declared}[] {name}.timeSamples = {{ {}: [", frame.index);
        tuples(&mut text, attribute);
        text += "] }\n";
    }
    text += "}\n# end\n";
    Ok(text.into_bytes())
}

const PRIM: &str = "particles";

/// The name and the type of an attribute in USD.
fn declared(attribute: &Attribute) -> (String, &'static str) {
    let float = attribute.scalar == Scalar::F32;
    match (attribute.name.as_str(), attribute.components) {
        ("position", 2 | 3) => ("points".into(), "point3f"),
        ("velocity", 2 | 3) => ("velocities".into(), "vector3f"),
        (name, components) => {
            let ty = match (components, float, attribute.scalar) {
                (1, true, _) => "float",
                (1, false, Scalar::U32) => "uint",
                (1, ..) => "int",
                (2, ..) => "float2",
                (3, ..) => "float3",
                (4, ..) => "float4",
                // So many numbers an element, see `elementSize`.
                _ => "float",
            };
            (format!("primvars:{}", identifier(name)), ty)
        }
    }
}

fn is_tuple(attribute: &Attribute) -> bool {
    (2..=4).contains(&attribute.components)
}

fn tuples(text: &mut String, attribute: &Attribute) {
    // Points and velocities have three numbers.
    let pad = attribute.components == 2 && matches!(attribute.name.as_str(), "position" | "velocity");
    for (index, words) in attribute.words.chunks_exact(attribute.components.max(1)).enumerate() {
        text.push_str(if index > 0 { ", " } else { "" });
        if is_tuple(attribute) {
            text.push('(');
        }
        for (part, word) in words.iter().enumerate() {
            text.push_str(if part > 0 { ", " } else { "" });
            let _ = match attribute.scalar {
                Scalar::F32 => write!(text, "{}", number(f32::from_bits(*word))),
                Scalar::I32 => write!(text, "{}", *word as i32),
                Scalar::U32 => write!(text, "{word}"),
            };
        }
        if pad {
            text.push_str(", 0");
        }
        if is_tuple(attribute) {
            text.push(')');
        }
    }
}

/// The shortest text that reads back as the same bits.
fn number(value: f32) -> String {
    if value.is_nan() { "nan".into() } else { format!("{value}") }
}

/// A stage over the files of all frames. The first of them declares the attributes.
fn clips(target: &Target, files: &[(u64, String)]) -> String {
    let (Some((first, file)), Some((last, _))) = (files.first(), files.last()) else { return String::new() };
    let mut text = header(target, PRIM, Some([*first, *last]));
    let assets: Vec<String> = files.iter().map(|(_, file)| format!("@./{file}@")).collect();
    let active: Vec<String> = files.iter().enumerate().map(|(at, (frame, _))| format!("({frame}, {at})")).collect();
    let times: Vec<String> = files.iter().map(|(frame, _)| format!("({frame}, {frame})")).collect();
    let _ = write!(
        text,
        "def Points \"{PRIM}\" (\n    prepend references = @./{file}@</{PRIM}>\n    clips = {{\n        dictionary default = {{\n            string primPath = \"/{PRIM}\"\n            asset manifestAssetPath = @./{file}@\n            asset[] assetPaths = [{}]\n            double2[] active = [{}]\n            double2[] times = [{}]\n        }}\n    }}\n)\n{{\n}}\n",
        assets.join(", "),
        active.join(", "),
        times.join(", ")
    );
    text
}

/// The OpenVDB file of a frame. The stage names a field for each layer.
fn volume_file(frame: &Frame, target: &Target) -> Result<Vec<u8>, String> {
    for layer in frame.layers()? {
        if matches!(layer.value(), ExportedValue::Grid(grid) if grid.array) {
            let name = &layer.name;
            return Err(format!("`{name}` has several numbers a cell, each a field of its own; choose the format vdb"));
        }
    }
    vdb::float(frame, target)
}

/// A stage with a Volume of all grids.
fn volume(target: &Target, files: &[(u64, String)]) -> String {
    let (Some((first, _)), Some((last, _))) = (files.first(), files.last()) else { return String::new() };
    let mut text = header(target, "volume", Some([*first, *last]));
    text += "def Volume \"volume\"\n{\n";
    for name in target.layers.iter().map(|name| plain(name)) {
        let _ = writeln!(text, "    rel field:{0} = </volume/{0}>", identifier(&name));
    }
    for name in target.layers.iter().map(|name| plain(name)) {
        let _ = writeln!(
            text,
            "\n    def OpenVDBAsset \"{}\"\n    {{\n        token fieldName = \"{name}\"",
            identifier(&name)
        );
        text += "        asset filePath.timeSamples = {\n";
        for (frame, file) in files {
            let _ = writeln!(text, "            {frame}: @./{file}@,");
        }
        text += "        }\n    }\n";
    }
    text + "}\n"
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_identifiers() {
        assert_eq!(["a b", "2nd", "", "solve/x.y"].map(identifier), ["a_b", "_2nd", "_", "solve_x_y"]);
        assert_eq!([f32::NAN, f32::INFINITY, 1e-7, 0.1].map(number), ["nan", "inf", "0.0000001", "0.1"]);
        let target = Target { layers: vec!["density".into(), "flow.x".into()], ..Target::images("".into(), 1..=2) };
        let files = [(1, "a.0001.vdb".into()), (2, "a.0002.vdb".into())];
        let text = volume(&target, &files);
        assert!(text.contains("2: @./a.0002.vdb@,") && text.contains("rel field:flow_x = </volume/flow_x>"), "{text}");
        assert!(text.contains("token fieldName = \"flow.x\"") && text.contains("endTimeCode = 2"), "{text}");
        assert!(clips(&target, &files).contains("double2[] active = [(1, 0), (2, 1)]"));
    }
}
