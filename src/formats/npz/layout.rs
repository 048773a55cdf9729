//! What readers and writers of zip archives have in common. Source: PKWARE, APPNOTE.TXT, 6.3.10.

/// First bytes of an entry of the directory.
pub(super) const ENTRY: &[u8; 4] = b"PK\x01\x02";
/// First bytes of the end of the directory.
pub(super) const END: &[u8; 4] = b"PK\x05\x06";
