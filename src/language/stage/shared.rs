//! Functions that stages share: files without `fn stage`, which a header names with `@use`.
//!
//! What a stage uses is written behind its own text, declaration by declaration, so that all analyses and the compiler see one text in
//! which the stage's own lines stay where they are. Declarations that nothing reaches are left out. [`Used`] says which lines come from
//! which file.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use super::cached::Recent;
use super::definition::{Stage, StageError};
use super::guard;
use super::header::{self, Header, Use};
use super::syntax::{self, Token, TokenKind, closing, is_member, line_col, module_names, stage_function, text, tokens};

/// Limit of the files that a stage uses, directly or through others.
pub const MAX_USED_FILES: usize = 32;

/// A file of functions, constants and types for stages.
#[derive(Clone, Debug, PartialEq)]
pub struct SharedFile {
    /// Path below the stage folder without the extension: `shared/hash`.
    pub name: String,
    /// Title, documentation and used files.
    pub header: Header,
    /// The file's text, unchanged.
    pub source: String,
    declarations: Vec<Declaration>,
}

/// A declaration at module scope.
#[derive(Clone, Debug, PartialEq)]
struct Declaration {
    /// The declared name; a `const_assert` has none.
    name: Option<String>,
    /// Text from its attributes to its last bracket or semicolon.
    text: String,
    line: usize,
    column: usize,
    /// Words that may be names of other declarations.
    words: BTreeSet<String>,
}

/// What a name after `@use` stands for.
#[derive(Clone, Debug)]
pub enum UseTarget {
    /// The file.
    File(Arc<SharedFile>),
    /// A file with errors.
    Invalid(Vec<StageError>),
    /// Something else of this name, as a noun: `a stage`, `a group`.
    Other(&'static str),
    /// Nothing, and a similar name.
    Missing(Option<String>),
}

/// Finds the files that stages use.
pub trait SharedFiles {
    /// What a name stands for.
    fn find(&self, name: &str) -> UseTarget;
}

/// No shared files.
impl SharedFiles for () {
    fn find(&self, _: &str) -> UseTarget {
        UseTarget::Missing(None)
    }
}

/// Lines of a stage's text that come from a shared file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UsedLines {
    /// First of the lines in the stage's text, from 1.
    pub line: usize,
    /// Number of lines.
    pub count: usize,
    /// Name of the file.
    pub file: Arc<str>,
    /// First of the lines in the file, from 1.
    pub file_line: usize,
}

/// The part of a stage's text that comes from shared files.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Used {
    /// The files, in the order in which they are named first.
    pub files: Vec<Arc<SharedFile>>,
    lines: Arc<[UsedLines]>,
    /// Whether the stage's own text did not end with a line break.
    closed: bool,
}

impl Used {
    /// Lines that come from shared files, in the order of the text.
    pub fn lines(&self) -> Arc<[UsedLines]> {
        self.lines.clone()
    }

    /// The errors with their places in the files that their lines come from.
    fn located(&self, errors: Vec<StageError>) -> Vec<StageError> {
        let located = |error: StageError| match origin(&self.lines, error.place.line) {
            Some((file, line)) if error.file.is_empty() => {
                StageError::new(line, error.place.column, error.message).in_file(file)
            }
            _ => error,
        };
        errors.into_iter().map(located).collect()
    }
}

/// The shared file that a line of a stage's text comes from, and the line there.
pub fn origin(lines: &[UsedLines], line: usize) -> Option<(&str, usize)> {
    let part = lines.iter().find(|part| (part.line..part.line + part.count).contains(&line))?;
    Some((&part.file, part.file_line + (line - part.line)))
}

/// Whether a text is a shared file and not a stage: it has no `fn stage`.
pub fn is_shared(source: &str) -> bool {
    stage_function(&tokens(source)).is_none()
}

impl SharedFile {
    /// Parses a shared file. What it uses itself is looked at where a stage uses it.
    ///
    /// # Errors
    /// All errors: in the header, declarations that do not end, and text that must not reach a shader compiler.
    pub fn parse(name: &str, source: &str) -> Result<SharedFile, Vec<StageError>> {
        guard::guard(source).map_err(|r| vec![StageError::new(r.line, r.column, r.message)])?;
        let header = header::parse_shared(source).map_err(StageError::of_header)?;
        let tokens = tokens(source);
        let error = |token: &Token<'_>, message: String| {
            let (line, column) = line_col(source, token.start);
            vec![StageError::new(line, column, message)]
        };
        if let Some((bracket, message)) = syntax::unmatched(&tokens) {
            return Err(error(&bracket, message));
        }
        let declarations = declarations(source, &tokens).map_err(|(token, message)| error(&token, message))?;
        let mut seen = BTreeMap::new();
        for declaration in &declarations {
            let Some(name) = &declaration.name else { continue };
            if let Some(first) = seen.insert(name, declaration.line) {
                let message = format!("`{name}` is declared twice (first on line {first}); rename one of them");
                return Err(vec![StageError::new(declaration.line, declaration.column, message)]);
            }
        }
        Ok(SharedFile { name: name.to_string(), header, source: source.to_string(), declarations })
    }

    /// Names that the file declares, in the order of its text.
    pub fn declared(&self) -> impl Iterator<Item = &str> {
        self.declarations.iter().filter_map(|declaration| declaration.name.as_deref())
    }

    /// The declarations of functions without their bodies, in the order of the text: `fn pcg(seed: u32) -> u32`.
    pub fn signatures(&self) -> Vec<String> {
        let functions = self.declarations.iter().filter(|declaration| declaration.text.starts_with("fn "));
        let signature = |declaration: &Declaration| {
            let head = declaration.text.split('{').next().unwrap_or_default();
            head.split_whitespace().collect::<Vec<_>>().join(" ")
        };
        functions.map(signature).collect()
    }

    /// Line and column of a declaration.
    pub fn declaration(&self, name: &str) -> Option<(usize, usize)> {
        let found = self.declarations.iter().find(|declaration| declaration.name.as_deref() == Some(name))?;
        Some((found.line, found.column))
    }

    /// The errors of the file by itself and of what it uses, in the files where they stand.
    ///
    /// # Errors
    /// All errors that a stage which uses the file would have because of it.
    pub fn check(&self, files: &dyn SharedFiles) -> Result<(), Vec<StageError>> {
        let mut search = Search { files, found: Vec::new(), path: vec![self.name.clone()], errors: Vec::new() };
        search.follow(&self.header.uses);
        let mut errors = search.errors;
        for error in errors.iter_mut().filter(|error| error.file == self.name) {
            error.file = String::new();
        }
        if errors.is_empty() { Ok(()) } else { Err(errors) }
    }
}

/// The declarations of a text, or the token that begins none.
fn declarations<'a>(source: &str, tokens: &[Token<'a>]) -> Result<Vec<Declaration>, (Token<'a>, String)> {
    let word = |at: usize| text(tokens, at);
    let mut found = Vec::new();
    let mut at = 0;
    while let Some(first) = tokens.get(at) {
        if first.text == ";" {
            at += 1;
            continue;
        }
        let mut keyword = at;
        while word(keyword) == "@" {
            let bracket = keyword + 2;
            keyword = if word(bracket) == "(" { closing(tokens, bracket).unwrap_or(bracket) + 1 } else { bracket };
        }
        let next = |wanted: &str| (keyword..tokens.len()).find(|i| word(*i) == wanted);
        let last = match word(keyword) {
            "fn" | "struct" => next("{").and_then(|open| closing(tokens, open)),
            "const" | "alias" | "var" | "const_assert" => next(";"),
            other => {
                let cause = format!("`{other}` begins no declaration");
                return Err((*first, format!("{cause}; a shared file holds functions, constants and types")));
            }
        };
        let last = last.and_then(|last| Some((last, tokens.get(last)?)));
        let Some((end, token)) = last else {
            return Err((*first, format!("the `{}` does not end; complete it", word(keyword))));
        };
        let inside = tokens.get(at..=end).unwrap_or_default();
        let (line, column) = line_col(source, first.start);
        found.push(Declaration {
            name: module_names(inside).first().map(|name| name.text.to_string()),
            text: source.get(first.start..token.start + token.text.len()).unwrap_or_default().to_string(),
            line,
            column,
            words: words(inside),
        });
        at = end + 1;
    }
    Ok(found)
}

/// Words that are not members.
fn words(tokens: &[Token<'_>]) -> BTreeSet<String> {
    let words = tokens.iter().enumerate().filter(|(at, t)| t.kind == TokenKind::Word && !is_member(tokens, *at));
    words.map(|(_, token)| token.text.to_string()).collect()
}

/// A search for all files that a stage uses.
struct Search<'a> {
    files: &'a dyn SharedFiles,
    found: Vec<Arc<SharedFile>>,
    /// Names of the files from the stage to the present one; the stage itself has an empty name.
    path: Vec<String>,
    errors: Vec<StageError>,
}

impl Search<'_> {
    fn follow(&mut self, uses: &[Use]) {
        for used in uses.iter().take(MAX_USED_FILES) {
            self.look_up(used);
        }
        if let Some(used) = uses.get(MAX_USED_FILES) {
            self.too_many(used);
        }
    }

    fn look_up(&mut self, used: &Use) {
        let name = used.name.as_str();
        if let Some(from) = self.path.iter().position(|of| of == name) {
            let chain: Vec<String> = self.path[from..].iter().map(|of| format!("`{of}`")).collect();
            let message = match chain.as_slice() {
                [file] => format!("{file} uses itself; remove the line"),
                [first, rest @ ..] => {
                    let rest: String = rest.iter().map(|of| format!("{of}, which uses ")).collect();
                    format!("{first} uses {rest}`{name}`; move what these files have in common to another one")
                }
                [] => String::new(),
            };
            return self.error(used, message);
        }
        if self.found.iter().any(|file| file.name == name) {
            return;
        }
        if self.found.len() == MAX_USED_FILES {
            return self.too_many(used);
        }
        match self.files.find(name) {
            UseTarget::File(file) => {
                self.found.push(file.clone());
                self.path.push(name.to_string());
                self.follow(&file.header.uses);
                self.path.pop();
            }
            UseTarget::Invalid(errors) => {
                let in_file = |error: StageError| if error.file.is_empty() { error.in_file(name) } else { error };
                for error in errors.into_iter().map(in_file) {
                    if !self.errors.contains(&error) {
                        self.errors.push(error);
                    }
                }
            }
            UseTarget::Other(noun) => {
                let cause = format!("`{name}` is {noun}, and `@use` needs a file without `fn stage`");
                self.error(used, format!("{cause}; move the functions to a file of their own"));
            }
            UseTarget::Missing(closest) => {
                let remedy = match closest {
                    Some(close) => format!("did you mean `{close}`?"),
                    None => "name one of the library, of the stages folder or of the graph's `shared`".into(),
                };
                self.error(used, format!("there is no shared file `{name}`; {remedy}"));
            }
        }
    }

    fn too_many(&mut self, used: &Use) {
        self.error(used, format!("a stage uses at most {MAX_USED_FILES} shared files; join some of them"));
    }

    fn error(&mut self, used: &Use, message: String) {
        let file = self.path.last().map_or("", String::as_str);
        let error = StageError::new(used.line, used.column, message).in_file(file);
        if !self.errors.contains(&error) {
            self.errors.push(error);
        }
    }
}

/// The files that a stage uses, directly or through others, and errors.
fn used_files(header: &Header, files: &dyn SharedFiles) -> (Vec<Arc<SharedFile>>, Vec<StageError>) {
    let mut search = Search { files, found: Vec::new(), path: vec![String::new()], errors: Vec::new() };
    search.follow(&header.uses);
    (search.found, search.errors)
}

/// A stage's text with what it reaches of the files that its header uses.
pub(super) fn assembled(
    source: &str,
    header: &Header,
    files: &dyn SharedFiles,
) -> Result<(String, Used), Vec<StageError>> {
    if header.uses.is_empty() {
        return Ok((source.to_string(), Used::default()));
    }
    let (files, mut errors) = used_files(header, files);
    let stage_tokens = tokens(source);
    errors.extend(clashes(source, &stage_tokens, &files));
    if !errors.is_empty() {
        return Err(errors);
    }
    let reached = reached(&stage_tokens, &files);
    let closed = !source.ends_with('\n');
    let mut text = format!("{source}{}", if closed { "\n" } else { "" });
    let mut next = text.matches('\n').count() + 1;
    let mut lines = Vec::new();
    for (index, file) in files.iter().enumerate() {
        let name: Arc<str> = file.name.as_str().into();
        for (_, declaration) in file.declarations.iter().enumerate().filter(|(at, _)| reached.contains(&(index, *at))) {
            // Columns stay those of the file.
            text.extend(std::iter::repeat_n(' ', declaration.column - 1));
            text.push_str(&declaration.text);
            text.push('\n');
            let count = declaration.text.matches('\n').count() + 1;
            lines.push(UsedLines { line: next, count, file: name.clone(), file_line: declaration.line });
            next += count;
        }
    }
    let used = Used { files, lines: lines.into(), closed };
    match guard::guard(&text) {
        Ok(()) => Ok((text, used)),
        Err(_) if text.len() > guard::MAX_BYTES => {
            let at = header.uses.first().map_or((1, 1), |used| (used.line, used.column));
            let cause = "with the functions that it uses, the stage has over 64 KiB";
            Err(vec![StageError::new(
                at.0,
                at.1,
                format!("{cause}; split it in two, or pass tables in through a port"),
            )])
        }
        Err(refusal) => Err(used.located(vec![StageError::new(refusal.line, refusal.column, refusal.message)])),
    }
}

/// Names that are declared in more than one place.
fn clashes(source: &str, stage_tokens: &[Token<'_>], files: &[Arc<SharedFile>]) -> Vec<StageError> {
    let mut files_by_name: BTreeMap<&str, &str> = BTreeMap::new();
    let mut errors = Vec::new();
    for file in files {
        for declaration in &file.declarations {
            let Some(name) = &declaration.name else { continue };
            match files_by_name.get(name.as_str()) {
                Some(other) => {
                    let cause = format!("`{name}` is declared here and in `{other}`, and the stage uses both");
                    let message = format!("{cause}; rename one of them");
                    errors.push(StageError::new(declaration.line, declaration.column, message).in_file(&file.name));
                }
                None => drop(files_by_name.insert(name, &file.name)),
            }
        }
    }
    for name in module_names(stage_tokens) {
        if let Some(file) = files_by_name.get(name.text) {
            let (line, column) = line_col(source, name.start);
            let message =
                format!("`{}` is declared here and in `{file}`, which the stage uses; rename this one", name.text);
            errors.push(StageError::new(line, column, message));
        }
    }
    errors
}

/// Declarations that a text needs, each by its file and its place there. Those without a name are always needed.
fn reached(stage_tokens: &[Token<'_>], files: &[Arc<SharedFile>]) -> BTreeSet<(usize, usize)> {
    let all = || {
        let of = |(index, file): (usize, &'_ Arc<SharedFile>)| (0..file.declarations.len()).map(move |at| (index, at));
        files.iter().enumerate().flat_map(of).collect::<Vec<_>>()
    };
    let declaration = |(file, at): (usize, usize)| files.get(file).and_then(|file| file.declarations.get(at));
    let mut by_name = BTreeMap::new();
    let mut pending: Vec<(usize, usize)> = Vec::new();
    for place in all() {
        match declaration(place).and_then(|declaration| declaration.name.as_deref()) {
            Some(name) => drop(by_name.insert(name, place)),
            None => pending.push(place),
        }
    }
    pending.extend(words(stage_tokens).iter().filter_map(|word| by_name.get(word.as_str())));
    let mut reached = BTreeSet::new();
    while let Some(place) = pending.pop() {
        if reached.insert(place) {
            let words = declaration(place).into_iter().flat_map(|declaration| &declaration.words);
            pending.extend(words.filter_map(|word| by_name.get(word.as_str())));
        }
    }
    reached
}

impl Stage {
    /// The text of the stage's own file. The stage must not have been specialised for a place in a graph.
    pub fn own_text(&self) -> &str {
        let Some(first) = self.used.lines.first().map(|part| part.line) else { return self.closed_text(&self.source) };
        let mut breaks = self.source.match_indices('\n').map(|(at, _)| at + 1);
        let end = first.checked_sub(2).and_then(|before| breaks.nth(before)).unwrap_or(0);
        self.closed_text(self.source.get(..end).unwrap_or_default())
    }

    fn closed_text<'a>(&self, text: &'a str) -> &'a str {
        if self.used.closed { text.strip_suffix('\n').unwrap_or(text) } else { text }
    }

    /// What the text takes from shared files.
    pub fn used(&self) -> &Used {
        &self.used
    }

    /// Parses a stage that may use shared files.
    ///
    /// # Errors
    /// Errors of [`Stage::parse`]; those of files that it uses are located there.
    pub fn parse_using(name: &str, source: &str, files: &dyn SharedFiles) -> Result<Stage, Vec<StageError>> {
        guard::guard(source).map_err(|r| vec![StageError::new(r.line, r.column, r.message)])?;
        let header = header::parse(source).map_err(StageError::of_header)?;
        let (text, used) = assembled(source, &header, files)?;
        let errors = match Stage::checked(name, header, text, used.clone(), true) {
            Ok(stage) => return Ok(stage),
            Err(errors) => errors,
        };
        Err(used.located(errors))
    }

    /// Parses a stage as [`Stage::parse_using`] does, unless one of the same text was parsed with the same files: an edit changes few of
    /// a graph's texts.
    ///
    /// # Errors
    /// Whatever [`Stage::parse_using`] finds wrong with the text.
    pub(crate) fn parse_once(name: &str, source: &str, files: &dyn SharedFiles) -> Result<Arc<Stage>, Vec<StageError>> {
        static PARSED: Recent<(String, String), Arc<Stage>, 128> = Recent::new();
        let key = (name.to_string(), source.to_string());
        let same_files = |stage: &Arc<Stage>| {
            let (found, errors) = used_files(&stage.header, files);
            let same = |(a, b): (&Arc<SharedFile>, &Arc<SharedFile>)| Arc::ptr_eq(a, b) || a == b;
            let before = &stage.used.files;
            errors.is_empty() && found.len() == before.len() && found.iter().zip(before).all(same)
        };
        if let Some(stage) = PARSED.get(&key).filter(same_files) {
            return Ok(stage);
        }
        let stage = Arc::new(Stage::parse_using(name, source, files)?);
        PARSED.put(key, stage.clone());
        Ok(stage)
    }

    /// A stage's ports and parameters, whatever has become of the files that it uses. Its text lacks their functions,
    /// so it must not be compiled.
    ///
    /// # Errors
    /// The errors of its own text.
    pub fn outline(name: &str, source: &str) -> Result<Stage, Vec<StageError>> {
        guard::guard(source).map_err(|r| vec![StageError::new(r.line, r.column, r.message)])?;
        let header = header::parse(source).map_err(StageError::of_header)?;
        let complete = header.uses.is_empty();
        Stage::checked(name, header, source.to_string(), Used::default(), complete)
    }
}

#[cfg(test)]
mod tests;
