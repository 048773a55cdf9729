//! Bytes that the format of a file does not allow.

use std::fmt;

use stagewright_base::printable;

/// Text that may come from a file: on one line, with control characters escaped, and cut where it is long. Causes hold no other
/// text, so that no file can break or forge a message.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Text(String);

impl<T: AsRef<str>> From<T> for Text {
    fn from(text: T) -> Text {
        Text(printable::name(&printable::cut(text.as_ref())).into_owned())
    }
}

impl fmt::Display for Text {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// Name of a file format in messages, such as `PLY`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FormatName(pub &'static str);

/// A file that is not valid: the format that it should have, and what is wrong.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[error("it is not a valid {} file: {what}", .kind.0)]
pub struct Malformed {
    /// The format that the file should have.
    pub kind: FormatName,
    /// What the reader found.
    pub what: Text,
}
