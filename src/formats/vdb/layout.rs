//! What readers and writers of OpenVDB files have in common.

/// First number of a file.
pub(super) const MAGIC: u64 = 0x5644_4220;
/// Compression of values: zlib.
pub(super) const ZIP: u32 = 1;
/// Compression of values: those alone that are active.
pub(super) const MASKED: u32 = 2;
/// Voxels of a leaf.
pub(super) const VOXELS: usize = 512;
