//! Writes OpenVDB files, compressed with zlib. Layout: file version 224 as OpenVDB 10 writes it (`io/Archive.cc`).

use super::layout::{MAGIC, MASKED, ZIP};

const VERSION: u32 = 224;

/// A file with these grids.
pub fn file(identifier: &str, meta: &Metadata, volumes: &[Volume]) -> Vec<u8> {
    let mut file = Vec::new();
    file.extend(MAGIC.to_le_bytes());
    for number in [VERSION, 10, 0] {
        file.extend(number.to_le_bytes());
    }
    // The positions of grids are stored.
    file.push(1);
    file.extend(identifier.bytes());
    meta.write(&mut file);
    file.extend((volumes.len() as u32).to_le_bytes());
    file.reserve(volumes.iter().map(|volume| volume.topology.len() + volume.buffers.len() + (1 << 12)).sum());
    for volume in volumes {
        volume.write(&mut file);
    }
    file
}

/// A grid of the file.
pub struct Volume {
    /// Name of the grid.
    pub name: String,
    /// Type of the tree, such as `Tree_float_5_4_3`.
    pub ty: String,
    /// Named values of the grid.
    pub meta: Metadata,
    /// Lengths of a voxel's edges \[m\].
    pub edges: [f64; 3],
    /// Nodes with their masks, of a [`Tree`](super::tree::Tree).
    pub topology: Vec<u8>,
    /// Values of the leaves, of the same tree.
    pub buffers: Vec<u8>,
}

impl Volume {
    fn write(&self, file: &mut Vec<u8>) {
        put_string(file, &self.name);
        put_string(file, &self.ty);
        // It is no instance of another one.
        put_string(file, "");
        let positions = file.len();
        file.extend([0; 24]);
        let start = file.len();
        file.extend((ZIP | MASKED).to_le_bytes());
        self.meta.write(file);
        let uniform = self.edges.iter().all(|edge| edge.to_bits() == self.edges[0].to_bits());
        put_string(file, if uniform { "UniformScaleTranslateMap" } else { "ScaleTranslateMap" });
        // Voxels are centred on whole indices.
        let translation = self.edges.map(|edge| 0.5 * edge);
        let inverse = self.edges.map(f64::recip);
        let square = inverse.map(|inverse| inverse * inverse);
        let half = inverse.map(|inverse| 0.5 * inverse);
        for numbers in [translation, self.edges, self.edges, inverse, square, half] {
            numbers.iter().for_each(|number| file.extend(number.to_le_bytes()));
        }
        file.extend(&self.topology);
        let blocks = file.len();
        file.extend(&self.buffers);
        let ends = [start, blocks, file.len()].map(|at| (at as i64).to_le_bytes());
        for (place, position) in file.iter_mut().skip(positions).zip(ends.as_flattened()) {
            *place = *position;
        }
    }
}

/// Named values of a file or a grid.
#[derive(Default)]
pub struct Metadata {
    count: u32,
    bytes: Vec<u8>,
}

impl Metadata {
    /// Adds a text.
    pub fn text(&mut self, name: &str, text: &str) {
        self.bytes(name, "string", text.as_bytes());
    }

    /// Adds a value of this type.
    pub fn bytes(&mut self, name: &str, ty: &str, value: &[u8]) {
        self.count += 1;
        put_string(&mut self.bytes, name);
        put_string(&mut self.bytes, ty);
        self.bytes.extend((value.len() as u32).to_le_bytes());
        self.bytes.extend(value);
    }

    fn write(&self, file: &mut Vec<u8>) {
        file.extend(self.count.to_le_bytes());
        file.extend(&self.bytes);
    }
}

/// Appends the length of a text and the text.
fn put_string(out: &mut Vec<u8>, text: &str) {
    out.extend((text.len() as u32).to_le_bytes());
    out.extend(text.bytes());
}
