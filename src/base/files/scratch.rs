//! Temporary files without a name, which the system removes when they are closed.

use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom, Write};

/// Bytes on disk.
pub struct Scratch(File);

impl Scratch {
    /// Writes bytes into the folder for temporary files.
    ///
    /// # Errors
    /// A disk that is full, or no such folder.
    pub fn new(bytes: &[u8]) -> io::Result<Scratch> {
        let mut file = tempfile::tempfile()?;
        file.write_all(bytes)?;
        Ok(Scratch(file))
    }

    /// Reads as many bytes as `into` holds.
    ///
    /// # Errors
    /// A disk that fails.
    pub fn read(&self, into: &mut [u8]) -> io::Result<()> {
        let mut file = &self.0;
        file.seek(SeekFrom::Start(0))?;
        file.read_exact(into)
    }
}
