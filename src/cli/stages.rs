//! `stagewright stages`

use std::fmt::Write;
use std::path::{Path, PathBuf};

use clap::Args;

use super::report::{self, Failure};
use stagewright_language::library::reference;
use stagewright_language::library::{Definition, Library};

#[derive(Args)]
pub struct Stages {
    /// Stage to print as reference
    name: Option<String>,
    /// Print the reference of all stages as Markdown
    #[arg(long, conflicts_with = "name")]
    markdown: bool,
    /// Folder of your own stages (.wgsl) and groups (.ron)
    #[arg(long, value_name = "FOLDER")]
    stages: Option<PathBuf>,
}

impl Stages {
    pub fn run(&self) -> Result<(), Failure> {
        let library = library(self.stages.as_deref())?;
        let text = match (&self.name, self.markdown) {
            (Some(name), _) => one(&library, name)?,
            (None, true) => reference::page(&library),
            (None, false) => list(&library),
        };
        report::print(&text);
        let mut broken = library.broken().peekable();
        if broken.peek().is_none() {
            return Ok(());
        }
        let lines: Vec<String> =
            broken.flat_map(|(name, errors)| errors.iter().map(move |e| format!("{name}:{e}"))).collect();
        Err(Failure::Message(format!("some stages do not parse:\n{}", lines.join("\n"))))
    }
}

/// The built-in library, with a folder of the user on top.
pub fn library(folder: Option<&Path>) -> Result<Library, Failure> {
    let Some(folder) = folder else { return Ok(Library::builtin().clone()) };
    let error = |e: std::io::Error| Failure::Message(format!("the stages in {} can't be read: {e}", folder.display()));
    let library = Library::with_folder(folder, Library::builtin()).map_err(error)?;
    report::warn(&library.warnings());
    Ok(library)
}

fn one(library: &Library, name: &str) -> Result<String, Failure> {
    if let Some(file) = library.shared(name) {
        return Ok(format!("{}```wgsl\n{}```\n", reference::shared(file), file.source));
    }
    match library.get(name) {
        Some(Definition::Stage(stage)) => Ok(format!("{}```wgsl\n{}```\n", reference::stage(stage), stage.own_text())),
        Some(Definition::Group(group)) => Ok(reference::group(name, group)),
        None => {
            let hint = library.closest(name).map_or_else(String::new, |close| format!("; did you mean `{close}`?"));
            Err(Failure::Message(format!("there is no stage `{name}`{hint}")))
        }
    }
}

fn list(library: &Library) -> String {
    let titles = library.stages().map(|s| (s.name.as_str(), s.header.title.as_str()));
    let groups = library.groups().map(|(name, group)| (name, group.about.lines().next().unwrap_or("")));
    let shared = library.shared_files().map(|file| (file.name.as_str(), file.header.title.as_str()));
    let entries: Vec<(&str, &str)> = titles.chain(groups).chain(shared).collect();
    let width = entries.iter().map(|(name, _)| name.len()).max().unwrap_or(0);
    entries.iter().fold(String::new(), |mut out, (name, title)| {
        let _ = writeln!(out, "{name:width$}  {title}");
        out
    })
}
