//! Levels of nesting: the document itself, and the inside of each group.

use super::{Document, Frame, Group, NodeKind, Nodes};

/// Names of groups from the outermost inwards; empty for the document itself.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Scope(pub Vec<String>);

impl Scope {
    /// Parses `outer/inner`.
    pub fn parse(text: &str) -> Scope {
        Scope(text.split('/').filter(|_| !text.is_empty()).map(String::from).collect())
    }

    /// The level and the name of a node from its path: `substep` and `density` for `substep/density`.
    pub fn split(path: &str) -> (Scope, &str) {
        let (scope, name) = path.rsplit_once('/').unwrap_or(("", path));
        (Scope::parse(scope), name)
    }

    /// The path of a node of this level, as in problems and plans: `substep/density`.
    pub fn path(&self, name: &str) -> String {
        self.0.iter().map(String::as_str).chain([name]).collect::<Vec<_>>().join("/")
    }

    /// Whether the scope is the document itself.
    pub fn is_root(&self) -> bool {
        self.0.is_empty()
    }

    /// The level inside a group of this level.
    pub fn inside(&self, group: &str) -> Scope {
        Scope(self.0.iter().cloned().chain([group.to_string()]).collect())
    }

    /// The enclosing level, and the name of the group there; `None` for the document itself.
    pub fn outside(&self) -> Option<(Scope, &str)> {
        let (name, around) = self.0.split_last()?;
        Some((Scope(around.to_vec()), name))
    }
}

impl std::fmt::Display for Scope {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.0.join("/"))
    }
}

/// The contents of a level.
#[derive(Clone, Copy, Debug)]
pub enum Level<'a> {
    /// The root of the document.
    Document(&'a Document),
    /// The inside of a group.
    Group(&'a Group),
}

impl<'a> Level<'a> {
    /// The nodes on this level.
    pub fn nodes(self) -> &'a Nodes {
        match self {
            Level::Document(document) => &document.nodes,
            Level::Group(group) => &group.nodes,
        }
    }

    /// Comment frames, from back to front.
    pub fn frames(self) -> &'a [Frame] {
        match self {
            Level::Document(document) => &document.frames,
            Level::Group(group) => &group.frames,
        }
    }

    /// The group, for a level inside one.
    pub fn group(self) -> Option<&'a Group> {
        match self {
            Level::Document(_) => None,
            Level::Group(group) => Some(group),
        }
    }
}

/// A level of a document, with mutable access.
#[derive(Debug)]
pub enum LevelMut<'a> {
    /// The root of the document.
    Document(&'a mut Document),
    /// The inside of a group.
    Group(&'a mut Group),
}

impl<'a> LevelMut<'a> {
    /// The nodes on this level.
    pub fn nodes(&mut self) -> &mut Nodes {
        match self {
            LevelMut::Document(document) => &mut document.nodes,
            LevelMut::Group(group) => &mut group.nodes,
        }
    }

    /// The nodes on this level, for as long as the level itself is borrowed.
    pub fn into_nodes(self) -> &'a mut Nodes {
        match self {
            LevelMut::Document(document) => &mut document.nodes,
            LevelMut::Group(group) => &mut group.nodes,
        }
    }

    /// Comment frames, from back to front.
    pub fn frames(&mut self) -> &mut Vec<Frame> {
        match self {
            LevelMut::Document(document) => &mut document.frames,
            LevelMut::Group(group) => &mut group.frames,
        }
    }

    /// The group, for a level inside one.
    pub fn group(&mut self) -> Option<&mut Group> {
        match self {
            LevelMut::Document(_) => None,
            LevelMut::Group(group) => Some(group),
        }
    }
}

impl Document {
    /// A level; `None` where one of the names is not a group in the document. Library groups are not included.
    pub fn level(&self, scope: &Scope) -> Option<Level<'_>> {
        let mut level = Level::Document(self);
        for name in &scope.0 {
            match &level.nodes().get(name)?.kind {
                NodeKind::Group(group) => level = Level::Group(group),
                _ => return None,
            }
        }
        Some(level)
    }

    /// A level with mutable access; `None` where one of the names is not a group in the document.
    pub fn level_mut(&mut self, scope: &Scope) -> Option<LevelMut<'_>> {
        let mut level = LevelMut::Document(self);
        for name in &scope.0 {
            match &mut level.into_nodes().get_mut(name)?.kind {
                NodeKind::Group(group) => level = LevelMut::Group(group),
                _ => return None,
            }
        }
        Some(level)
    }
}
