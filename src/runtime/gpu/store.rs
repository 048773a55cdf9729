//! Pipelines as the driver compiled them, cached on disk for the next start of the program. Vulkan only.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};

use crate::files;

/// A cache file larger than this is discarded \[bytes\].
const MAX_BYTES: u64 = 64 << 20;
/// First bytes of the file; its length and checksum follow.
const MAGIC: &[u8; 8] = b"SWPIPES1";
const HEADER: usize = 24;

/// The driver's pipeline cache of a device, and the file that it is saved to.
#[derive(Debug)]
pub(super) struct Store {
    cache: wgpu::PipelineCache,
    file: PathBuf,
    /// Number of pipelines when the file was last written.
    written: AtomicUsize,
}

impl Store {
    /// Opens the cache in a folder; `None` where the device does not support one. A damaged file counts as missing.
    pub(super) fn open(device: &wgpu::Device, folder: &Path) -> Option<Store> {
        if !device.features().contains(wgpu::Features::PIPELINE_CACHE) {
            return None;
        }
        let name = wgpu::util::pipeline_cache_key(&device.adapter_info())?;
        let file = folder.join(format!("{name}.bin"));
        let data = read(&file);
        Some(Store { cache: cache(device, data.as_deref()), file, written: AtomicUsize::new(0) })
    }

    pub(super) fn cache(&self) -> &wgpu::PipelineCache {
        &self.cache
    }

    /// Saves the cache if there are new pipelines. `count` is their present number.
    ///
    /// # Errors
    /// A folder that cannot be written.
    pub(super) fn save(&self, count: usize) -> io::Result<()> {
        if self.written.swap(count, Ordering::SeqCst) == count {
            return Ok(());
        }
        let Some(data) = self.cache.get_data() else { return Ok(()) };
        if data.len() as u64 > MAX_BYTES {
            return fs::remove_file(&self.file)
                .or_else(|e| if e.kind() == io::ErrorKind::NotFound { Ok(()) } else { Err(e) });
        }
        write(&self.file, &data)
    }
}

/// Creates the driver's pipeline cache. `data` is what [`wgpu::PipelineCache::get_data`] returned before, verified to
/// be complete.
fn cache(device: &wgpu::Device, data: Option<&[u8]>) -> wgpu::PipelineCache {
    let descriptor = wgpu::PipelineCacheDescriptor { label: Some("stagewright"), data, fallback: true };
    #[allow(unsafe_code)]
    // SAFETY: `data` was returned by `get_data`; the caller verified its length and checksum. It comes from the user's
    // own cache folder, from a file named after the adapter, and wgpu compares its header with the device and the
    // driver's version.
    unsafe {
        device.create_pipeline_cache(&descriptor)
    }
}

/// The data of a file, if it is complete and not too large.
fn read(file: &Path) -> Option<Vec<u8>> {
    let bytes = files::read::bytes_without_links(file, MAX_BYTES + HEADER as u64).ok()?;
    let (header, data) = bytes.split_at_checked(HEADER)?;
    (header == self::header(data)).then(|| data.to_vec())
}

/// Replaces the file atomically.
fn write(file: &Path, data: &[u8]) -> io::Result<()> {
    fs::create_dir_all(file.parent().unwrap_or(Path::new(".")))?;
    files::write::replace(file, &[&header(data), data].concat())
}

fn header(data: &[u8]) -> [u8; HEADER] {
    let mut header = [0; HEADER];
    let parts = MAGIC.iter().copied().chain((data.len() as u64).to_le_bytes()).chain(checksum(data).to_le_bytes());
    header.iter_mut().zip(parts).for_each(|(to, from)| *to = from);
    header
}

/// FNV-1a: detects accidental damage. The file is the user's own, so it need not withstand an attacker.
fn checksum(data: &[u8]) -> u64 {
    data.iter().fold(0xcbf2_9ce4_8422_2325, |hash, byte| (hash ^ u64::from(*byte)).wrapping_mul(0x100_0000_01b3))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_damaged_file_counts_as_missing() {
        let folder = std::env::temp_dir().join(format!("stagewright-store-{}", std::process::id()));
        let file = folder.join("store.bin");
        assert_eq!(read(&file), None);
        let data: Vec<u8> = (0..=255).cycle().take(1_000).collect();
        write(&file, &data).unwrap();
        assert_eq!(read(&file), Some(data.clone()));
        write(&file, &data).unwrap();
        let whole = fs::read(&file).unwrap();
        for damage in [0, 9, 17, HEADER, 500, whole.len() - 1] {
            let mut bytes = whole.clone();
            bytes[damage] ^= 1;
            fs::write(&file, &bytes).unwrap();
            assert_eq!(read(&file), None, "byte {damage}");
        }
        for length in [0, HEADER - 1, HEADER, whole.len() - 1] {
            fs::write(&file, &whole[..length]).unwrap();
            assert_eq!(read(&file), None, "{length} bytes");
        }
        assert_eq!(fs::read_dir(&folder).unwrap().count(), 1, "nothing else is left");
        fs::remove_dir_all(folder).unwrap();
    }
}
