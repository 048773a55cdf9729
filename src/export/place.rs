//! Where the files of an export go: folders and names from text with tokens.

use std::fs;
use std::ops::RangeInclusive;
use std::path::{Path, PathBuf, is_separator};

use super::clock::Now;
use super::names::{Names, Piece, component, pieces, unique, unknown};
use super::record::RECORD;
use crate::files::portable;

/// A token, and what it stands for.
pub type Token = (&'static str, &'static str);

/// Tokens of a whole export.
pub const TOKENS: [Token; 7] = [
    ("graph", "Name of the graph's file"),
    ("preset", "Name of the preset"),
    ("first", "First frame"),
    ("last", "Last frame"),
    ("date", "Date"),
    ("time", "Hours and minutes"),
    (VERSION, "v001, v002 and so on: the next one that does not exist"),
];
/// Tokens that are different for each series of files.
pub const OF_SERIES: [Token; 3] =
    [("name", "Name of the wire in files"), ("wire", "The wire in the graph"), ("format", "The file format")];
const VERSION: &str = "version";
/// Digits of a version.
const DIGITS: usize = 3;

/// What `{version}` stands for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Version {
    /// The first after all that exist.
    #[default]
    Next,
    /// The last that exists.
    Newest,
    /// The last that exists if an export into it has not ended, and otherwise the next.
    Unfinished,
}

/// Where a graph is, and what the tokens of its exports stand for.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ExportPlace {
    /// Name of the graph's file without its extension.
    pub graph: String,
    /// What relative folders start from: the folder of the graph's file, or the current one when empty.
    pub folder: PathBuf,
    /// Name of the export's preset.
    pub preset: Option<String>,
    /// The present date and time.
    pub now: Now,
    /// What `{version}` stands for.
    pub version: Version,
    /// Folders that exports will write to which have not begun: versions that are taken too.
    pub reserved: Vec<PathBuf>,
}

impl ExportPlace {
    /// Where exports of a graph file go.
    pub fn from_graph(path: &Path) -> ExportPlace {
        let stem = path.file_stem().unwrap_or_default();
        // What is no text is written with escapes, so that different names stay different.
        let graph = stem.to_str().map_or_else(|| format!("{stem:?}"), String::from);
        let folder = path.parent().map(Path::to_path_buf).unwrap_or_default();
        ExportPlace { graph, folder, now: Now::local(), ..ExportPlace::default() }
    }

    /// A folder as presets have it: relative where it is below that of the graph.
    pub fn relative(&self, folder: &str) -> String {
        let below = Path::new(folder.trim()).strip_prefix(&self.folder).ok().filter(|below| *below != Path::new(""));
        let below = below.filter(|_| !self.folder.as_os_str().is_empty()).and_then(Path::to_str);
        below.unwrap_or(folder.trim()).to_string()
    }

    /// The value of a token of a whole export, but for the version.
    pub fn value(&self, token: &str, frames: &RangeInclusive<u64>) -> Option<String> {
        Some(match token {
            "graph" => unique(&self.graph),
            "preset" => unique(self.preset.as_deref()?),
            "first" => frames.start().to_string(),
            "last" => frames.end().to_string(),
            "date" => self.now.date.clone(),
            "time" => self.now.time.clone(),
            _ => return None,
        })
    }

    /// The folder of an export with its tokens replaced. From the first part of the path with a token of [`OF_SERIES`] on, each series of
    /// files has a folder of its own.
    ///
    /// # Errors
    /// An unknown token, or one that has no value here, in one sentence.
    pub fn resolve(&self, text: &str, frames: &RangeInclusive<u64>) -> Result<Folder, String> {
        let mut path = String::new();
        // Where the part of the path begins that is different for each series, and where the first part with a token.
        let (mut series, mut named) = (None, None);
        for piece in pieces(text.trim())? {
            match piece {
                Piece::Text(text) => path += text,
                Piece::Token(token) if OF_SERIES.iter().any(|(name, _)| *name == token) => {
                    series = series.or(Some(begin_of_part(&path)));
                    path += &format!("{{{token}}}");
                }
                Piece::Token(VERSION) if series.is_some() => {
                    return Err("`{version}` has to be before the tokens of a wire in the folder".into());
                }
                Piece::Token(VERSION) => {
                    named = named.or(Some(begin_of_part(&path)));
                    path += "{version}";
                }
                Piece::Token("preset") if self.preset.is_none() => {
                    return Err(
                        "`{preset}` is the name of a preset, and none is chosen; choose one, or remove it".into()
                    );
                }
                Piece::Token("frame") => {
                    return Err("`{frame}` is for file names, and all frames have the same folder; remove it".into());
                }
                Piece::Token(token) => {
                    let tokens = TOKENS.iter().chain(&OF_SERIES).map(|(name, _)| *name);
                    named = named.or(Some(begin_of_part(&path)));
                    path += &self.value(token, frames).ok_or_else(|| unknown(token, tokens))?;
                }
            }
        }
        let series = series.map_or_else(String::new, |at| path.split_off(at));
        let mut tokens: Vec<(&'static str, String)> =
            TOKENS.iter().filter_map(|(name, _)| Some((*name, self.value(name, frames)?))).collect();
        if let Some(version) = self.version_of(&path) {
            path = path.replace("{version}", &version);
            tokens.push((VERSION, version));
        }
        if let Some(named) = named.filter(|named| *named < path.len()) {
            self.check_parts(&path, named)?;
        }
        Ok(Folder { path: self.folder.join(path), series, tokens })
    }

    /// Whether every system can have the parts of a path from the byte `named` on, and no folder is there that some systems take for one of
    /// them.
    fn check_parts(&self, path: &str, named: usize) -> Result<(), String> {
        let mut parent = self.folder.join(&path[..named]);
        for part in path[named..].split(is_separator).filter(|part| !matches!(*part, "" | "." | "..")) {
            if let Some(fault) = portable::fault(part) {
                return Err(format!("the folder can't be named `{part}`: {fault}; choose another name"));
            }
            if let Some(other) = alike(&parent, part) {
                let cause =
                    format!("the folder {} is there, whose name differs from `{part}` by case only", other.display());
                return Err(format!("{cause}, and some systems take both for one; rename one of them"));
            }
            parent.push(part);
        }
        Ok(())
    }

    /// The folder of an export that has one alone: [`OF_SERIES`] has no values.
    ///
    /// # Errors
    /// As [`resolve`](ExportPlace::resolve).
    pub fn single(&self, text: &str, frames: &RangeInclusive<u64>) -> Result<PathBuf, String> {
        let folder = self.resolve(text, frames)?;
        match pieces(&folder.series)?
            .into_iter()
            .find_map(|piece| if let Piece::Token(token) = piece { Some(token) } else { None })
        {
            Some(token) => Err(unknown(token, TOKENS.iter().map(|(name, _)| *name))),
            None => Ok(folder.path),
        }
    }

    /// The version of a path with this token; `None` where it has none.
    fn version_of(&self, path: &str) -> Option<String> {
        let at = path.find("{version}")?;
        let begin = path[..at].rfind(is_separator).map_or(0, |at| at + 1);
        let part = path[begin..].split(is_separator).next().unwrap_or_default();
        let (before, after) = part.split_once("{version}")?;
        let after = after.split('{').next().unwrap_or_default();
        let parent = self.folder.join(&path[..begin]);
        let number = |name: &str| {
            let digits = name.strip_prefix(before)?.strip_prefix('v')?;
            let end = digits.find(|c: char| !c.is_ascii_digit()).unwrap_or(digits.len());
            digits[end..].starts_with(after).then(|| digits[..end].parse::<u64>().ok()).flatten()
        };
        let there = if parent.as_os_str().is_empty() { Path::new(".") } else { parent.as_path() };
        let entries = fs::read_dir(there).into_iter().flatten().flatten();
        let exist = entries.filter_map(|entry| number(entry.file_name().to_str()?));
        let reserved = self
            .reserved
            .iter()
            .filter_map(|folder| number(folder.strip_prefix(&parent).ok()?.components().next()?.as_os_str().to_str()?));
        let text = |number: u64| format!("v{number:0DIGITS$}");
        let newest = exist.max();
        let next = reserved.chain(newest).max().unwrap_or(0) + 1;
        let unfinished =
            |number: &u64| self.folder.join(path.replace("{version}", &text(*number))).join(RECORD).is_file();
        Some(text(match self.version {
            Version::Next => next,
            Version::Newest => newest.unwrap_or(1),
            Version::Unfinished => newest.filter(unfinished).unwrap_or(next),
        }))
    }
}

/// Where the last part of a path begins \[bytes\].
fn begin_of_part(path: &str) -> usize {
    path.rfind(is_separator).map_or(0, |at| at + 1)
}

/// An entry of a folder that differs from a name by case only, where the name itself is not there.
fn alike(folder: &Path, name: &str) -> Option<PathBuf> {
    let there = if folder.as_os_str().is_empty() { Path::new(".") } else { folder };
    let folded = portable::folded(name);
    let mut alike = None;
    for entry in fs::read_dir(there).ok()?.flatten() {
        match entry.file_name().to_str() {
            Some(found) if found == name => return None,
            Some(found) if portable::folded(found) == folded => alike = Some(entry.path()),
            _ => {}
        }
    }
    alike
}

/// The folder of an export.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Folder {
    /// The folder, with what belongs to the whole export.
    pub path: PathBuf,
    /// The folder of a series below it, with tokens.
    series: String,
    /// Values of tokens of the whole export.
    tokens: Vec<(&'static str, String)>,
}

impl Folder {
    /// A folder whose name has no tokens, for a graph.
    pub fn plain(path: &Path, graph: &str) -> Folder {
        Folder { path: path.into(), series: String::new(), tokens: vec![("graph", unique(graph))] }
    }

    /// The folder of a series below the path, and the names of its files.
    ///
    /// # Errors
    /// Names that can't be, in one sentence.
    pub fn series(&self, names: &str, [name, wire, format]: [&str; 3]) -> Result<(PathBuf, Names), String> {
        let series_tokens = OF_SERIES.iter().map(|(token, _)| *token).zip([name, wire, format].map(component));
        let tokens: Vec<(&str, String)> = series_tokens.chain(self.tokens.iter().cloned()).collect();
        let tokens: Vec<(&str, &str)> = tokens.iter().map(|(token, value)| (*token, value.as_str())).collect();
        let folder = tokens
            .iter()
            .fold(self.series.clone(), |text, (token, value)| text.replace(&format!("{{{token}}}"), value));
        let parts = folder.split(is_separator).filter(|part| !matches!(*part, "" | "." | ".."));
        if let Some((part, fault)) = parts.into_iter().find_map(|part| Some((part, portable::fault(part)?))) {
            return Err(format!("the folder can't be named `{part}`: {fault}; choose another name"));
        }
        Ok((folder.into(), Names::parse(names, &tokens)?))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn place() -> ExportPlace {
        let now = Now { date: "2026-11-27".into(), time: "14-05".into() };
        ExportPlace { now, ..ExportPlace::from_graph(Path::new("/work/oil clock.ron")) }
    }

    #[test]
    fn folders_are_relative_to_the_graph() {
        let place = place();
        let path = |text: &str| place.resolve(text, &(5..=240)).map(|folder| folder.path);
        assert_eq!(path(" out/{graph}").unwrap(), Path::new("/work/out/oil_clock~e4cb5b"));
        assert_eq!(path("/tmp/{date}_{time}/{first}-{last}").unwrap(), Path::new("/tmp/2026-11-27_14-05/5-240"));
        assert_eq!(place.relative("/work/out/a"), "out/a");
        assert_eq!(place.relative("/work"), "/work");
        assert_eq!(place.relative("/else"), "/else");
        assert_eq!(ExportPlace::default().relative("/else"), "/else");
        let named = ExportPlace { preset: Some("comp/a".into()), graph: "..".into(), ..place.clone() };
        let climbs = named.resolve("{graph}/{preset}", &(1..=1)).unwrap();
        assert_eq!(climbs.path, Path::new("/work/_~5ec1f7/comp_a~0c1ba8"), "no name leads out of the folder");
        for (text, cause) in [
            (
                "{x}",
                "`{x}` is not a token; use {graph}, {preset}, {first}, {last}, {date}, {time}, {version}, {name}, {wire} or {format}",
            ),
            ("{preset}", "none is chosen"),
            ("{frame}", "is for file names"),
            ("{name}/{version}", "has to be before"),
            ("{graph", "no closing"),
        ] {
            let error = place.resolve(text, &(1..=2)).unwrap_err();
            assert!(error.contains(cause), "{text}: {error}");
        }
    }

    #[test]
    fn each_series_may_have_a_folder_of_its_own() {
        let frames = 1..=9;
        let folder = place().resolve("out/{graph}/a_{format}/{wire}", &frames).unwrap();
        assert_eq!(folder.path, Path::new("/work/out/oil_clock~e4cb5b"));
        let (below, names) = folder.series("{name}_{last}.{frame}", ["vel", "solve/velocity.value", "vdb"]).unwrap();
        assert_eq!(
            (below.to_str(), names.frame(3, "vdb").as_str()),
            (Some("a_vdb/solve_velocity.value"), "vel_9.0003.vdb")
        );
        let error = folder.series("{version}", ["vel", "v", "vdb"]).unwrap_err();
        assert!(error.contains("`{version}` is not a token"), "only where the folder has it: {error}");
        assert!(place().single("out/{name}", &frames).unwrap_err().contains("`{name}` is not a token; use {graph}, "));
        assert_eq!(place().single("out/{graph}", &frames).unwrap(), Path::new("/work/out/oil_clock~e4cb5b"));
    }

    #[test]
    fn the_next_version_is_after_all_others() {
        let folder = std::env::temp_dir().join(format!("stagewright-versions-{}", std::process::id()));
        let mut place = ExportPlace { folder: folder.clone(), ..place() };
        let next = |place: &ExportPlace| place.resolve("a/shot_{version}/{version}x", &(1..=1)).unwrap();
        assert_eq!(next(&place).path, folder.join("a/shot_v001/v001x"), "a folder that does not exist");
        for name in ["shot_v003", "shot_v0x", "other_v007", "shot_v"] {
            fs::create_dir_all(folder.join("a").join(name)).unwrap();
        }
        assert_eq!(next(&place).path, folder.join("a/shot_v004/v004x"));
        place.reserved = vec![folder.join("a/shot_v011/x"), folder.join("b/shot_v020")];
        assert_eq!(next(&place).path, folder.join("a/shot_v012/v012x"));
        let newest = next(&ExportPlace { version: Version::Newest, ..place.clone() });
        assert_eq!(newest.path, folder.join("a/shot_v003/v003x"));
        let unfinished = || next(&ExportPlace { version: Version::Unfinished, ..place.clone() }).path;
        assert_eq!(unfinished(), folder.join("a/shot_v012/v012x"), "one that has ended is kept");
        fs::create_dir_all(&newest.path).unwrap();
        fs::write(newest.path.join(RECORD), "").unwrap();
        assert_eq!(unfinished(), newest.path);
        let (_, names) = newest.series("{name}_{version}.{frame}", ["a", "a", "png"]).unwrap();
        assert_eq!(names.frame(1, "png"), "a_v003.0001.png");
        fs::remove_dir_all(folder).unwrap();
    }
}
