//! VTK XML files for ParaView: grids as image data (.vti), particles as poly data (.vtp), and a list of all frames with their times
//! (.pvd). Source: VTK File Formats, Kitware.

use std::fmt::Write as _;

use crate::names::plain;
use crate::quoting::xml;
use crate::sequence::{Encoding, Index, Sequence};
use crate::sink::{About, Format, Frame, Kind, Target};
use crate::stage::types::Scalar;
use crate::value::{ExportedValue, Grid};

pub(crate) const FORMAT: Format = Format {
    name: "vtk",
    title: "VTK",
    about: "VTK XML files: grids as .vti, particles as .vtp, and a .pvd with the times of all frames",
    takes: &[Kind::Grid3, Kind::Grid2, Kind::Particles],
    joins: true,
    beside: &[],
    single: false,
    bytes_per_pixel: 16.0,
    open: |target| {
        let encoding = if target.kind == Kind::Particles { &PARTICLES } else { &GRIDS };
        Box::new(Sequence::new(target, encoding))
    },
};

const INDEX: Option<Index> = Some(Index { ending: "pvd", text: collection });
const GRIDS: Encoding = Encoding { ending: "vti", encode: grids, half: false, index: INDEX };
const PARTICLES: Encoding = Encoding { ending: "vtp", encode: particles, half: false, index: INDEX };
const LAST_LINES: &[u8] = b"\n</AppendedData>\n</VTKFile>\n";

/// XML whose arrays follow in binary.
#[derive(Default)]
struct Xml {
    text: String,
    data: Vec<u8>,
}

impl Xml {
    /// An element for an array, whose bytes are appended after their number.
    fn array(&mut self, name: &str, ty: &str, components: usize, bytes: &[u8]) {
        let offset = self.data.len();
        let _ = writeln!(
            self.text,
            "<DataArray Name=\"{}\" type=\"{ty}\" NumberOfComponents=\"{components}\" format=\"appended\" offset=\"{offset}\"/>",
            xml(name)
        );
        self.data.extend((bytes.len() as u64).to_le_bytes());
        self.data.extend(bytes);
    }

    /// Frame, time and origin of the data.
    fn fields(&mut self, frame: &Frame, about: &About) {
        self.text += "<FieldData>\n";
        let _ = writeln!(
            self.text,
            "<DataArray type=\"Float64\" Name=\"TimeValue\" NumberOfTuples=\"1\" format=\"ascii\">{}</DataArray>\n\
             <DataArray type=\"Int64\" Name=\"frame\" NumberOfTuples=\"1\" format=\"ascii\">{}</DataArray>",
            frame.time, frame.index
        );
        let codes: Vec<String> = about.hash.bytes().chain([0]).map(|byte| byte.to_string()).collect();
        let _ = writeln!(
            self.text,
            "<Array type=\"String\" Name=\"graph_hash\" NumberOfTuples=\"1\" format=\"ascii\">{}</Array>\n</FieldData>",
            codes.join(" ")
        );
    }

    /// The file.
    fn finish(self, kind: &str) -> Vec<u8> {
        let mut file = format!(
            "<?xml version=\"1.0\"?>\n<VTKFile type=\"{kind}\" version=\"1.0\" byte_order=\"LittleEndian\" header_type=\"UInt64\">\n{}<AppendedData encoding=\"raw\">\n_",
            self.text
        )
        .into_bytes();
        file.extend(self.data);
        file.extend(LAST_LINES);
        file
    }
}

fn type_name(scalar: Scalar) -> &'static str {
    match scalar {
        Scalar::F32 => "Float32",
        Scalar::I32 => "Int32",
        Scalar::U32 => "UInt32",
    }
}

/// The bytes of elements that are single numbers, vectors or colours. Vectors of two get a third component, 0, since ParaView takes vectors of three alone for vectors.
fn bytes(words: &[u32], components: usize) -> (usize, Vec<u8>) {
    match components {
        2 => (
            3,
            words.chunks_exact(2).flat_map(|pair| pair.iter().copied().chain([0])).flat_map(u32::to_le_bytes).collect(),
        ),
        n => (n, words.iter().flat_map(|word| word.to_le_bytes()).collect()),
    }
}

fn grids(frame: &Frame, target: &Target) -> Result<Vec<u8>, String> {
    let mut xml = Xml::default();
    let mut first: Option<([u32; 3], [f64; 3], u32)> = None;
    for layer in frame.layers()? {
        let ExportedValue::Grid(grid) = layer.value() else {
            return Err("files of grids hold no particles; write them apart".into());
        };
        let Grid { cells, edges, dim, .. } = grid;
        let shape = (cells, edges, dim);
        match first {
            None => {
                let [x, y, z] = [cells[0], cells[1], if dim == 3 { cells[2] } else { 0 }];
                let extent = format!("0 {x} 0 {y} 0 {z}");
                let _ = writeln!(
                    xml.text,
                    "<ImageData WholeExtent=\"{extent}\" Origin=\"0 0 0\" Spacing=\"{} {} {}\">",
                    edges[0], edges[1], edges[2]
                );
                xml.fields(frame, &target.about);
                let _ = writeln!(xml.text, "<Piece Extent=\"{extent}\">\n<CellData>");
                first = Some(shape);
            }
            Some(first) if first != shape => {
                return Err(format!(
                    "`{}` has other cells than what comes before it; write it to files of its own",
                    layer.name
                ));
            }
            Some(_) => {}
        }
        let grid = grid.centered();
        let (components, bytes) = match grid.array {
            true => (grid.components, grid.words.iter().flat_map(|word| word.to_le_bytes()).collect()),
            false => bytes(&grid.words, grid.components),
        };
        xml.array(&layer.name, type_name(grid.scalar), components, &bytes);
    }
    xml.text += "</CellData>\n</Piece>\n</ImageData>\n";
    Ok(xml.finish("ImageData"))
}

fn particles(frame: &Frame, target: &Target) -> Result<Vec<u8>, String> {
    let layers = frame.layers()?;
    let ([layer], Some(ExportedValue::Particles(particles))) = (layers, layers.first().map(|layer| layer.value()))
    else {
        return Err("a file of particles holds one set; write each to files of its own".into());
    };
    let count = particles.count;
    let mut xml = Xml::default();
    xml.text += "<PolyData>\n";
    xml.fields(frame, &target.about);
    let _ = writeln!(xml.text, "<Piece NumberOfPoints=\"{count}\" NumberOfVerts=\"{count}\">\n<PointData>");
    for attribute in particles.attributes.iter().filter(|attribute| attribute.name != "position") {
        let (components, bytes) = bytes(&attribute.words, attribute.components);
        xml.array(&attribute.name, type_name(attribute.scalar), components, &bytes);
    }
    xml.text += "</PointData>\n<Points>\n";
    let position = particles.attributes.iter().find(|attribute| attribute.name == "position");
    let position = position.ok_or_else(|| format!("the particles of `{}` have no position", plain(&layer.name)))?;
    let (components, places) = bytes(&position.words, position.components);
    xml.array("Points", "Float32", components, &places);
    xml.text += "</Points>\n<Verts>\n";
    // Each particle is a cell of one point, so that it is shown.
    let indices =
        |from: usize| (from..from + count).flat_map(|index| (index as i64).to_le_bytes()).collect::<Vec<u8>>();
    xml.array("connectivity", "Int64", 1, &indices(0));
    xml.array("offsets", "Int64", 1, &indices(1));
    xml.text += "</Verts>\n</Piece>\n</PolyData>\n";
    Ok(xml.finish("PolyData"))
}

/// The list of all frames with their times.
fn collection(target: &Target, files: &[(u64, String)]) -> String {
    let mut text =
        String::from("<?xml version=\"1.0\"?>\n<VTKFile type=\"Collection\" version=\"0.1\">\n<Collection>\n");
    for (index, file) in files {
        let time = *index as f64 / target.about.fps.max(f64::MIN_POSITIVE);
        let _ = writeln!(text, "<DataSet timestep=\"{time}\" file=\"{}\"/>", xml(file));
    }
    text + "</Collection>\n</VTKFile>\n"
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn arrays_follow_the_text_and_the_list_has_times() {
        let mut xml = Xml::default();
        let (components, data) = bytes(&[1, 2, 3, 4], 2);
        xml.array("a<b", "Float32", components, &data);
        xml.array("c", "Int32", 1, &[7, 0, 0, 0]);
        assert!(xml.text.contains("Name=\"a&lt;b\"") && xml.text.contains("NumberOfComponents=\"3\""));
        assert!(xml.text.contains("offset=\"32\""), "8 bytes of size and 24 of data: {}", xml.text);
        let file = xml.finish("ImageData");
        let start = file.windows(5).position(|window| window == b"raw\">").unwrap() + 7;
        assert_eq!(u64::from_le_bytes(file[start..start + 8].try_into().unwrap()), 24);
        assert_eq!(file[start + 8 + 24..start + 16 + 24], 4u64.to_le_bytes());
        let target = Target { about: About { fps: 4.0, ..About::default() }, ..Target::images("".into(), 1..=2) };
        let text = collection(&target, &[(1, "a.0001.vti".into()), (2, "a.0002.vti".into())]);
        assert!(text.contains("timestep=\"0.25\" file=\"a.0001.vti\"") && text.contains("timestep=\"0.5\""), "{text}");
    }
}
