//! The files that are embedded in the binary. `scripts/build.rs` lists them.

include!(concat!(env!("OUT_DIR"), "/embedded.rs"));

/// The files of a folder with their names inside it, sorted by name.
pub(crate) struct Folder(&'static [(&'static str, &'static [u8])]);

impl Folder {
    /// The names of all files.
    pub(crate) fn names(&self) -> impl Iterator<Item = &'static str> {
        self.0.iter().map(|(name, _)| *name)
    }

    /// The contents of a file.
    pub(crate) fn get(&self, name: &str) -> Option<&'static [u8]> {
        let found = self.0.binary_search_by_key(&name, |(name, _)| name).ok()?;
        self.0.get(found).map(|(_, bytes)| *bytes)
    }

    /// The contents of a text file.
    pub(crate) fn text(&self, name: &str) -> Option<std::borrow::Cow<'static, str>> {
        self.get(name).map(String::from_utf8_lossy)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_shipped_file_is_embedded_under_its_name() {
        let root = std::path::Path::new(env!("CARGO_MANIFEST_DIR"));
        let folders =
            [(FILES, "graphs", 2), (SHADERS, "shaders", 150), (GROUPS, "graphs/lib", 20), (CASES, "benches/cases", 7)];
        for (folder, path, least) in folders {
            assert!(folder.names().count() >= least, "{path}");
            assert!(folder.names().is_sorted());
            for name in folder.names() {
                assert_eq!(folder.get(name).unwrap(), std::fs::read(root.join(path).join(name)).unwrap(), "{name}");
            }
        }
        assert!(FILES.names().all(|name| !name.starts_with("thumbnails/")), "these are the editor's");
        assert!(SHADERS.get("fluid/advect.wgsl").is_some() && SHADERS.get("fluid/none.wgsl").is_none());
    }

    #[cfg(feature = "editor")]
    #[test]
    fn examples_are_the_graphs_of_the_folder_itself() {
        assert!(EXAMPLES.names().any(|name| name == "stable_fluids.ron"));
        assert!(EXAMPLES.names().all(|name| !name.contains('/')) && TEMPLATES.names().count() > 0);
        assert!(THUMBNAILS.get("stable_fluids.png").is_some_and(|bytes| bytes.starts_with(b"\x89PNG")));
    }
}
