//! Converts the bytes of graph files to text.

use super::{Document, ReadError};

/// The text of a graph file.
///
/// # Errors
/// The first byte that is not valid UTF-8, with line and column.
pub(super) fn text(bytes: Vec<u8>) -> Result<String, ReadError> {
    String::from_utf8(bytes).map_err(|error| {
        let at = error.utf8_error().valid_up_to();
        let before = String::from_utf8_lossy(error.as_bytes().get(..at).unwrap_or_default()).into_owned();
        let column = before.rsplit('\n').next().unwrap_or_default().chars().count() + 1;
        let byte = error.as_bytes().get(at).copied().unwrap_or(0);
        let message = format!("byte {at} of the file (0x{byte:02x}) is not UTF-8; save the file as UTF-8");
        ReadError::Syntax { line: before.matches('\n').count() + 1, column, message }
    })
}

impl Document {
    /// Parses the bytes of a graph file.
    ///
    /// # Errors
    /// Errors of [`Document::parse`]; bytes that are not UTF-8.
    pub fn from_bytes(bytes: Vec<u8>) -> Result<Document, ReadError> {
        Document::parse(&text(bytes)?)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_that_are_no_text_have_a_place() {
        let error = Document::from_bytes(b"(version: 1,\n  name: \"\xc3\xa9\xff\")".to_vec()).unwrap_err().to_string();
        assert_eq!(error, "line 2, column 11: byte 24 of the file (0xff) is not UTF-8; save the file as UTF-8");
        assert!(Document::from_bytes(b"(version: 1, nodes: {})".to_vec()).is_ok());
    }
}
