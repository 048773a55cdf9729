//! The user's presets: `presets.ron` in the folder for settings, by the kind of node and their names.
//!
//! ```text
//! {
//!     "fluid/force_emitter": {
//!         "Strong": (params: {"jet": (0, 4), "radius": 0.2}),
//!     },
//! }
//! ```
//!
//! What this version does not know is kept as it is: fields of a preset, kinds of values, and entries of another form.

use std::collections::BTreeMap;

use ron::value::RawValue;
use serde::ser::SerializeMap;
use serde::{Deserialize, Serialize, Serializer};

use crate::document::ParamValue;
use crate::files::read::ReadError;
use crate::model::settings::Kept;

/// A preset as the file has it.
type Raw = Box<RawValue>;

/// All presets of the user.
#[derive(Clone, Debug, Default)]
pub(crate) struct Presets {
    /// By kind and name.
    kinds: BTreeMap<String, BTreeMap<String, Raw>>,
    /// Entries that are no kinds with presets.
    unknown: BTreeMap<String, Raw>,
}

/// What is read of a preset.
#[derive(Default, Deserialize)]
#[serde(default)]
struct Body {
    params: BTreeMap<String, Raw>,
}

impl Presets {
    /// The names of a kind's presets.
    pub(crate) fn names(&self, kind: &str) -> impl Iterator<Item = &str> {
        self.kinds.get(kind).into_iter().flatten().map(|(name, _)| name.as_str())
    }

    pub(crate) fn has(&self, kind: &str, name: &str) -> bool {
        self.kinds.get(kind).is_some_and(|presets| presets.contains_key(name))
    }

    /// The values of a preset, and the names of those that can't be read.
    pub(crate) fn values(&self, kind: &str, name: &str) -> (BTreeMap<String, ParamValue>, Vec<String>) {
        let raw = self.kinds.get(kind).and_then(|presets| presets.get(name));
        let body: Body = raw.and_then(|raw| ron::from_str(raw.get_ron()).ok()).unwrap_or_default();
        let (mut values, mut unreadable) = (BTreeMap::new(), Vec::new());
        for (param, raw) in body.params {
            match ParamValue::from_ron(raw.get_ron()) {
                Ok(value) => drop(values.insert(param, value)),
                Err(_) => unreadable.push(param),
            }
        }
        (values, unreadable)
    }

    /// Adds a preset, or replaces the one of this name.
    pub(crate) fn insert(&mut self, kind: &str, name: &str, values: &BTreeMap<String, ParamValue>) {
        let values = values.iter().map(|(param, value)| format!("{param:?}: {value}"));
        let text = format!("(params: {{{}}})", values.collect::<Vec<_>>().join(", "));
        // Names of parameters are identifiers, and values are written as in graph files.
        let Ok(raw) = RawValue::from_boxed_ron(text.into_boxed_str()) else { return };
        self.unknown.remove(kind);
        self.kinds.entry(kind.into()).or_default().insert(name.into(), raw);
    }

    /// Gives a preset another name; one that has it is replaced.
    pub(crate) fn rename(&mut self, kind: &str, from: &str, to: &str) {
        if let Some(presets) = self.kinds.get_mut(kind)
            && let Some(preset) = presets.remove(from)
        {
            presets.insert(to.into(), preset);
        }
    }

    pub(crate) fn delete(&mut self, kind: &str, name: &str) {
        if let Some(presets) = self.kinds.get_mut(kind) {
            presets.remove(name);
        }
        self.kinds.retain(|_, presets| !presets.is_empty());
    }
}

impl Serialize for Presets {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(Some(self.kinds.len() + self.unknown.len()))?;
        for (kind, presets) in &self.kinds {
            map.serialize_entry(kind, presets)?;
        }
        for (kind, raw) in &self.unknown {
            map.serialize_entry(kind, raw)?;
        }
        map.end()
    }
}

impl Kept for Presets {
    const FILE: &'static str = "presets.ron";
    const NAME: &'static str = "presets";

    /// A file that is damaged is the user's work and never replaced.
    fn parse(text: Result<String, ReadError>) -> Result<Presets, String> {
        let text = match text {
            Ok(text) => text,
            Err(ReadError::Missing) => return Ok(Presets::default()),
            Err(error) => return Err(format!("can't be read: {error}")),
        };
        let entries: BTreeMap<String, Raw> = ron::from_str(text.trim_start_matches('\u{feff}'))
            .map_err(|e| format!("can't be parsed ({e}); fix the file, or move it away"))?;
        let mut presets = Presets::default();
        for (kind, raw) in entries {
            // The space around a value would be written again with it.
            let trimmed = |(name, raw): (String, Raw)| (name, raw.trim_boxed());
            match ron::from_str::<BTreeMap<String, Raw>>(raw.get_ron()) {
                Ok(found) => drop(presets.kinds.insert(kind, found.into_iter().map(trimmed).collect())),
                Err(_) => drop(presets.unknown.insert(kind, raw.trim_boxed())),
            }
        }
        Ok(presets)
    }
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::path::PathBuf;
    use std::time::Duration;

    use super::*;
    use crate::model::settings::Store;

    const LONG: Duration = Duration::from_secs(20);

    fn folder(name: &str) -> PathBuf {
        let folder = std::env::temp_dir().join(format!("stagewright-presets-{name}-{}", std::process::id()));
        let _ = fs::remove_dir_all(&folder);
        fs::create_dir_all(&folder).unwrap();
        folder
    }

    fn values(pairs: &[(&str, &str)]) -> BTreeMap<String, ParamValue> {
        pairs.iter().map(|(name, text)| (name.to_string(), ParamValue::from_ron(text).unwrap())).collect()
    }

    fn text(presets: &Presets) -> String {
        ron::ser::to_string_pretty(presets, ron::ser::PrettyConfig::default()).unwrap()
    }

    #[test]
    fn every_kind_of_value_reads_back() {
        let mut presets = Presets::default();
        let all = values(&[
            ("number", "0.25"),
            ("vector", "(1, 2, 3)"),
            ("bool", "true"),
            ("expression", "\"2 * \\\"h\\\"\""),
            ("curve", "[(0, 1), (0.5, 0.8), (1, 0)]"),
            ("gradient", "[(0, \"#000000\"), (1, (2, 0.5, 0, 1))]"),
        ]);
        presets.insert("a/b", "My \"best\"", &all);
        let again = Presets::parse(Ok(text(&presets))).unwrap();
        assert_eq!(again.values("a/b", "My \"best\""), (all, Vec::new()));
        assert_eq!(text(&again), text(&presets), "the same text again");
    }

    #[test]
    fn what_is_not_known_stays_in_the_file_and_is_named() {
        let old = r#"{"a/b": {"One": (params: {"x": 1, "y": {"future": 7}}, mood: ["happy"])}, "version": 9}"#;
        let mut presets = Presets::parse(Ok(old.into())).unwrap();
        assert_eq!(presets.values("a/b", "One"), (values(&[("x", "1")]), vec!["y".to_string()]));
        presets.insert("a/b", "Two", &values(&[("x", "2")]));
        presets.rename("a/b", "One", "Three");
        let text = text(&presets);
        for kept in ["{\"future\": 7}", "mood: [\"happy\"]", "\"version\": 9", "\"Three\"", "\"Two\""] {
            assert!(text.contains(kept), "{kept}: {text}");
        }
        presets.delete("a/b", "Two");
        presets.delete("a/b", "Three");
        assert_eq!(presets.names("a/b").count(), 0);
    }

    #[test]
    fn two_windows_lose_no_preset() {
        let folder = folder("windows");
        // Scoped: the threads stand for windows that write at the same time.
        std::thread::scope(|scope| {
            for window in 0..4 {
                let folder = &folder;
                scope.spawn(move || {
                    let mut store: Store<Presets> = Store::open(Some(folder));
                    for number in 0..8 {
                        let change = move |presets: &mut Presets| {
                            presets.insert("a/b", &format!("{window} {number}"), &BTreeMap::new());
                        };
                        store.change(change).unwrap();
                    }
                    store.await_written(LONG).unwrap();
                });
            }
        });
        let mut store: Store<Presets> = Store::open(Some(&folder));
        assert_eq!(store.get().names("a/b").count(), 32);
        // What another window adds is there when the menu is opened.
        let mut other: Store<Presets> = Store::open(Some(&folder));
        other.change(|presets| presets.insert("a/b", "new", &BTreeMap::new())).unwrap();
        other.await_written(LONG).unwrap();
        assert!(!store.get().has("a/b", "new"));
        store.renew();
        assert!(store.get().has("a/b", "new"));
        fs::remove_dir_all(folder).unwrap();
    }

    #[test]
    fn a_damaged_file_is_not_replaced() {
        let folder = folder("damaged");
        let (file, damaged) = (folder.join("presets.ron"), r#"{"a/b": {"One": (params: {"x": 1"#);
        fs::write(&file, damaged).unwrap();
        let mut store: Store<Presets> = Store::open(Some(&folder));
        let now = store.change(|presets| presets.insert("a/b", "Two", &BTreeMap::new()));
        let error = now.and_then(|()| store.await_written(LONG)).unwrap_err();
        assert!(error.contains("presets.ron can't be parsed") && error.contains("fix the file"), "{error}");
        assert_eq!(fs::read_to_string(&file).unwrap(), damaged);
        fs::remove_dir_all(folder).unwrap();
    }
}
