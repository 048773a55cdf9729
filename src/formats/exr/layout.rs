//! What readers and writers of OpenEXR images have in common.

/// First bytes of a file.
pub(super) const MAGIC: [u8; 4] = [0x76, 0x2f, 0x31, 0x01];
