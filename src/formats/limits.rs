//! Limits of what a file may hold.

/// Size limit of a file, or of a buffer file \[bytes\].
pub const MAX_FILE: u64 = 1 << 30;
/// Size limit of a table \[bytes\]: a million frames have 256 bytes each.
pub const MAX_TABLE: u64 = 256 << 20;
/// Limit of triangles of a mesh, or of segments of an image's outline.
pub const MAX_TRIANGLES: usize = 5_000_000;
/// Limit of vertices of a mesh: enough for triangles that share none.
pub const MAX_VERTICES: usize = 3 * MAX_TRIANGLES;
/// Limit of pixels of an image, so that samples and outline fit into a few hundred MiB.
pub const MAX_PIXELS: u64 = 1 << 26;
/// Limit of the numbers of a grid, or of particles.
pub const MAX_HELD: u64 = 1 << 28;
/// Limit of the frames of a sound or a table.
pub const MAX_TRACK: usize = 1_000_000;
/// Larger coordinates and sizes are considered errors \[m\].
pub const MAX_COORDINATE: f64 = 1e15;
