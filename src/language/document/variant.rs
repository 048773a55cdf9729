//! Variants of a graph: named sets of values, bypasses, stages and wires that replace those of the default.
//!
//! While a variant is chosen, the nodes hold what it sets, and its entries hold what the default has there: choosing
//! exchanges the two, and so does returning. Whatever reads a document therefore reads what is chosen, and an edit of a
//! value that the variant sets is an edit of the variant. A file has the default in its nodes, whichever variant is chosen.

use std::collections::{BTreeMap, BTreeSet};

use super::change_error::{Fault, Refused, fault};
use super::{ChangeError, Document, Link, Node, NodeKind, ParamValue, Scope, Variant, cells, write};
use crate::problem::{Problem, Problems};
use crate::spelling::close_names;

/// Whether a path lies inside a group.
fn below(path: &str, group: &str) -> bool {
    path.strip_prefix(group).is_some_and(|rest| rest.starts_with('/'))
}

/// The node and the parameter or port of a key.
fn split(key: &str) -> (String, String) {
    let (scope, name) = Scope::split(key);
    let link = Link::parse(name);
    (scope.path(&link.node), link.port)
}

/// The key of a parameter or port; `None` for a name from which it could not be told again, such as one with a slash.
fn key(path: &str, name: &str) -> Option<String> {
    let key = format!("{path}.{name}");
    (split(&key) == (path.to_string(), name.to_string())).then_some(key)
}

/// Takes the result of an exchange at a node and its port or parameter; returns whether it succeeded.
type Done<'a> = dyn FnMut(&str, &str, Result<(), Fault>) -> bool + 'a;

/// Direction in which values are exchanged.
#[derive(Clone, Copy, PartialEq)]
enum Direction {
    /// Exchange from the default to the variant.
    Choose,
    /// Back to the default.
    Return,
}

/// Exchanges the entries of a map, in reverse order on the way back, and keeps those for which that succeeds.
fn each<V>(entries: &mut BTreeMap<String, V>, direction: Direction, mut exchange: impl FnMut(&str, &mut V) -> bool) {
    let mut order: Vec<(String, V)> = std::mem::take(entries).into_iter().collect();
    if direction == Direction::Return {
        order.reverse();
    }
    entries.extend(order.into_iter().filter_map(|(key, mut value)| exchange(&key, &mut value).then_some((key, value))));
}

impl Document {
    /// The names of all variants.
    pub fn variant_names(&self) -> impl Iterator<Item = &str> {
        self.variants.keys().map(String::as_str)
    }

    /// The document with a variant, or the default.
    ///
    /// # Errors
    /// Errors of [`Document::choose`].
    pub fn with_variant(&self, name: Option<&str>) -> Result<Document, Problems> {
        let mut document = self.clone();
        document.choose(name)?;
        Ok(document)
    }

    /// Chooses a variant, or the default. A name such as `article + picture` makes a variant of two or more, which has that name.
    ///
    /// # Errors
    /// When there is no such variant, something that it sets does not exist, or variants contradict each other; nothing changes then.
    pub fn choose(&mut self, name: Option<&str>) -> Result<(), Problems> {
        let parts: Vec<String> = match name {
            Some(name) => self.variant_parts(name)?.into_iter().map(String::from).collect(),
            None => Vec::new(),
        };
        let joined_name = (!parts.is_empty()).then(|| parts.join(" + "));
        let name = joined_name.as_deref();
        if name == self.variant.as_deref() {
            return Ok(());
        }
        let mut after = self.clone();
        if let Some(chosen) = after.variant.take() {
            // What was removed meanwhile has no value to return to, and leaves the variant.
            after.exchange(&chosen, Direction::Return);
        }
        if let Some(name) = name {
            if !after.variants.contains_key(name) {
                let parts: Vec<&str> = parts.iter().map(String::as_str).collect();
                let joined = after.joined(&parts)?;
                after.variants.insert(name.to_string(), joined);
            }
            let problems = after.exchange(name, Direction::Choose);
            if !problems.is_empty() {
                return Err(problems);
            }
        }
        after.name_chosen(name);
        *self = after;
        Ok(())
    }

    /// The variant whose values the nodes hold. One of the file that could not be chosen gives way to it.
    fn name_chosen(&mut self, name: Option<&str>) {
        self.variant = name.map(String::from);
        self.extra.remove("variant");
    }

    /// Whether the file chooses a variant that could not be chosen when it was read.
    fn wants(&self, name: &str) -> bool {
        self.extra.get("variant").is_some_and(|text| *text == write::quoted(name))
    }

    /// The problem of an unknown name, with those that there are.
    pub(super) fn no_variant(&self, name: &str) -> Problem {
        let names: Vec<&str> = self.variant_names().collect();
        let remedy = match names.as_slice() {
            [] => "the graph has no variants".to_string(),
            names => format!("the variants are: {}", names.join(", ")),
        };
        Problem::new("", "", format!("there is no variant `{name}`"), remedy)
    }

    /// Exchanges the values of a variant with those of the nodes. Entries that can't be exchanged are dropped; returns why. Returning
    /// exactly undoes choosing, since it takes the entries in reverse order: a group that replaces another one is there before its nodes
    /// get their values, and until they have given them back.
    fn exchange(&mut self, name: &str, direction: Direction) -> Problems {
        let mut problems = Problems::default();
        let Some(mut variant) = self.variants.remove(name) else { return problems };
        let mut done = |node: &str, port: &str, result: Result<(), Fault>| {
            let reported = result.map_err(|(cause, remedy)| {
                problems.push(Problem::new(node, port, format!("variant `{name}`: {cause}"), remedy));
            });
            reported.is_ok()
        };
        let replace = |document: &mut Document, stages: &mut BTreeMap<String, NodeKind>, done: &mut Done<'_>| {
            each(stages, direction, |path, kind| {
                done(path, "", document.found(path).map_err(fault).and_then(|node| exchange_kind(node, kind)))
            });
        };
        if direction == Direction::Choose {
            replace(self, &mut variant.stages, &mut done);
        }
        each(&mut variant.set, direction, |key, value| {
            let (path, param) = split(key);
            done(&path, &param, self.exchange_value((&path, &param), value).map_err(fault))
        });
        each(&mut variant.inputs, direction, |key, link| {
            let (path, port) = split(key);
            done(&path, &port, self.found(&path).map_err(fault).and_then(|node| exchange_input(node, &port, link)))
        });
        each(&mut variant.muted, direction, |path, muted| {
            done(path, "", self.found(path).map(|node| std::mem::swap(&mut node.muted, muted)).map_err(fault))
        });
        each(&mut variant.comments, direction, |path, comment| {
            done(path, "", self.found(path).map(|node| std::mem::swap(&mut node.comment, comment)).map_err(fault))
        });
        if direction == Direction::Return {
            replace(self, &mut variant.stages, &mut done);
        }
        variant.fps.iter_mut().for_each(|fps| std::mem::swap(fps, &mut self.fps));
        variant.substeps.iter_mut().for_each(|substeps| std::mem::swap(substeps, &mut self.substeps));
        variant.seed.iter_mut().for_each(|seed| std::mem::swap(seed, &mut self.seed));
        self.variants.insert(name.to_string(), variant);
        problems
    }

    fn found(&mut self, path: &str) -> Result<&mut Node, Refused> {
        if self.node(path).is_none() {
            let (scope, name) = Scope::split(path);
            let names = self.level(&scope).map(|level| level.nodes().keys().map(String::as_str).collect::<Vec<_>>());
            let close = close_names(name, names.unwrap_or_default());
            let remedy = match close.first() {
                Some(close) => format!("did you mean `{}`?", scope.path(close)),
                None => "name a node of the graph, or remove the entry".into(),
            };
            return Err((ChangeError::NoSuchNode { path: path.into() }, remedy));
        }
        let missing = || (ChangeError::NoSuchNode { path: path.into() }, "remove the entry".into());
        self.node_mut(path).ok_or_else(missing)
    }

    fn exchange_value(&mut self, (path, param): (&str, &str), value: &mut Option<ParamValue>) -> Result<(), Refused> {
        let write = || "write NODE.PARAM, for example force.radius".to_string();
        if param.is_empty() {
            return Err((ChangeError::NoParam { path: path.into() }, write()));
        }
        let now = self.value(path, param);
        match (value.as_ref(), &mut self.found(path)?.kind, param) {
            // As a file may give them: what does not fit is an error of the graph, with the variant as without.
            (Some(new), NodeKind::Domain(domain), "resolution") => domain.resolution = cells(new),
            (Some(new), NodeKind::Domain(domain), "width") => domain.width = new.clone(),
            (Some(new), _, _) => {
                let correct = || "correct the value, or remove the entry".to_string();
                self.set(path, param, new.clone()).map_err(|error| (error, correct()))?;
            }
            (None, _, _) => self.unset(path, param)?,
        }
        *value = now;
        Ok(())
    }

    /// The value of `node.param` that [`Document::set`] sets; `None` where it is not given.
    pub fn value(&self, path: &str, param: &str) -> Option<ParamValue> {
        let node = self.node(path)?;
        match (&node.kind, param) {
            (NodeKind::Domain(domain), "resolution") => Some(resolution(&domain.resolution)),
            (NodeKind::Domain(domain), "width") => Some(domain.width.clone()),
            (NodeKind::Domain(domain), "edge") => Some(ParamValue::Expression(domain.edge.to_string())),
            (kind, "value") if kind.is_number() => node.params.get("value").or(kind.number()).cloned(),
            (_, "iterations") => node.iterations.clone(),
            (_, "until") => node.until.as_ref().map(|until| until.below.clone()),
            (NodeKind::State(_), "capacity") => node.capacity.clone(),
            _ => node.params.get(param).cloned(),
        }
    }

    /// Removes `node.param`, so that the stage's default applies.
    fn unset(&mut self, path: &str, param: &str) -> Result<(), Refused> {
        let node = self.found(path)?;
        let needed = matches!(node.kind, NodeKind::Domain(_))
            || (node.kind.is_number() && param == "value")
            || (param == "until" && node.until.is_some());
        if needed {
            return Err((ChangeError::NoDefault { path: path.into(), param: param.into() }, "give a value".into()));
        }
        match (&node.kind, param) {
            (_, "iterations") => node.iterations = None,
            (NodeKind::State(_), "capacity") => node.capacity = None,
            _ => drop(node.params.remove(param)),
        }
        Ok(())
    }

    /// The chosen variant, if it sets a value of this node.
    pub fn set_by_variant(&self, path: &str, param: &str) -> Option<&str> {
        let name = self.variant.as_deref()?;
        let variant = self.variants.get(name)?;
        variant.set.contains_key(&format!("{path}.{param}")).then_some(name)
    }

    /// What the chosen variant replaces of a node, in words: `stage`, `bypass` and so on.
    pub fn replaced_by_variant(&self, path: &str) -> Vec<String> {
        let Some(variant) = self.variant.as_ref().and_then(|name| self.variants.get(name)) else { return Vec::new() };
        let of_node = |key: &String| Some(split(key)).filter(|(node, _)| node == path).map(|(_, part)| part);
        let words = [("stage", variant.stages.contains_key(path)), ("bypass", variant.muted.contains_key(path))];
        let words = words.into_iter().filter(|(_, replaces)| *replaces).map(|(word, _)| word.to_string());
        words.chain(variant.inputs.keys().chain(variant.set.keys()).filter_map(of_node)).collect()
    }

    /// Makes a value part of the chosen variant. The default keeps the value that it has now.
    pub fn add_to_variant(&mut self, path: &str, param: &str) {
        let value = self.value(path, param);
        if let Some(variant) = self.variant.as_ref().and_then(|name| self.variants.get_mut(name)) {
            let Some(key) = key(path, param) else { return };
            variant.set.entry(key).or_insert(value);
        }
    }

    /// Removes a value from the chosen variant: that of the default returns.
    ///
    /// # Errors
    /// When the node does not exist, or the default's value cannot be set; nothing changes then.
    pub fn remove_from_variant(&mut self, path: &str, param: &str) -> Result<(), ChangeError> {
        let Some(name) = self.variant.clone() else { return Ok(()) };
        let key = format!("{path}.{param}");
        let held = self.variants.get(&name).and_then(|variant| variant.set.get(&key)).cloned();
        let Some(mut value) = held else { return Ok(()) };
        self.exchange_value((path, param), &mut value).map_err(|(cause, _)| cause)?;
        self.variants.entry(name).and_modify(|variant| drop(variant.set.remove(&key)));
        Ok(())
    }

    /// Adds a variant with everything that differs between the nodes of `base` and those of this document, and chooses it.
    /// `base` becomes the default there. Nodes that only one of them has are left out. Values of the nodes in `named` are added
    /// where they do not differ.
    ///
    /// # Errors
    /// When the name can't be used, or there is nothing to store; nothing changes then.
    pub fn store_variant(&mut self, name: &str, base: &Document, named: &BTreeSet<String>) -> Result<(), ChangeError> {
        self.fits_variant(name)?;
        if let Some(chosen) = self.variant.clone() {
            let plain = self.with_variant(None).map_err(ChangeError::CannotChoose)?;
            let copy = plain.variants.get(&chosen).cloned().unwrap_or_default();
            self.variants.insert(name.to_string(), copy);
            return self.choose(Some(name)).map_err(ChangeError::CannotChoose);
        }
        let mut variant = Variant::default();
        let base = base.with_variant(None).map_err(ChangeError::CannotChoose)?;
        self.differences(&base, &Scope::default(), &mut variant);
        for path in named {
            for param in self.node(path).map(params).unwrap_or_default() {
                let Some(key) = key(path, &param) else { continue };
                variant.set.entry(key).or_insert_with(|| self.value(path, &param));
            }
        }
        let mut after = self.clone();
        after.variants.insert(name.to_string(), variant);
        after.return_and_choose(name);
        if after.variants.get(name).is_none_or(Variant::is_empty) {
            return Err(ChangeError::NothingToStore);
        }
        after.name_chosen(Some(name));
        *self = after;
        Ok(())
    }

    fn fits_variant(&self, name: &str) -> Result<(), ChangeError> {
        match name.trim() {
            "" => Err(ChangeError::NoVariantName),
            _ if self.variants.contains_key(name) => Err(ChangeError::VariantNameTaken { name: name.into() }),
            _ => Ok(()),
        }
    }

    /// Adds what differs on a level, with the values of `base`.
    fn differences(&self, base: &Document, scope: &Scope, variant: &mut Variant) {
        let (Some(now), Some(before)) = (self.level(scope), base.level(scope)) else { return };
        for (name, node) in now.nodes() {
            let Some(old) = before.nodes().get(name) else { continue };
            let path = scope.path(name);
            let alike = std::mem::discriminant(&node.kind) == std::mem::discriminant(&old.kind);
            let alike = alike || node.kind.info().runs && old.kind.info().runs;
            let names: BTreeSet<String> = params(node).into_iter().chain(params(old)).collect();
            let changed = |param: &String| self.value(&path, param) != base.value(&path, param);
            let differ = names.into_iter().filter(|param| alike && changed(param));
            variant.set.extend(differ.filter_map(|param| Some((key(&path, &param)?, base.value(&path, &param)))));
            if node.muted != old.muted {
                variant.muted.insert(path.clone(), old.muted);
            }
            let ports: BTreeSet<&String> = node.inputs.keys().chain(old.inputs.keys()).collect();
            let differ = ports.into_iter().filter(|port| node.inputs.get(*port) != old.inputs.get(*port));
            variant.inputs.extend(differ.filter_map(|port| Some((key(&path, port)?, old.inputs.get(port).cloned()))));
            match (&node.kind, &old.kind) {
                (NodeKind::Group(_), NodeKind::Group(_)) => self.differences(base, &scope.inside(name), variant),
                (kind, old) if kind != old && kind.info().runs && old.info().runs => {
                    variant.stages.insert(path, old.clone());
                }
                _ => {}
            }
        }
    }

    /// Renames a variant.
    ///
    /// # Errors
    /// When the name can't be used; nothing changes then.
    pub fn rename_variant(&mut self, old: &str, new: &str) -> Result<(), ChangeError> {
        if old == new {
            return Ok(());
        }
        self.fits_variant(new)?;
        if let Some(variant) = self.variants.remove(old) {
            self.variants.insert(new.to_string(), variant);
        }
        self.variant.iter_mut().filter(|chosen| *chosen == old).for_each(|chosen| *chosen = new.to_string());
        if self.wants(old) {
            self.extra.insert("variant".into(), write::quoted(new));
        }
        let expect = self.expect.iter_mut().filter_map(|expect| expect.variant.as_mut());
        expect.filter(|variant| *variant == old).for_each(|variant| *variant = new.to_string());
        Ok(())
    }

    /// Removes a variant. Where it is chosen, the default returns.
    pub fn remove_variant(&mut self, name: &str) {
        if self.variant.as_deref() == Some(name) {
            self.exchange(name, Direction::Return);
            self.variant = None;
        }
        if self.wants(name) {
            self.extra.remove("variant");
        }
        self.variants.remove(name);
    }

    /// Removes what variants set of nodes that no longer exist, or of nodes inside them, and wires that come from them. A variant
    /// that has another group there keeps what it sets of the nodes in its own.
    pub fn forget_in_variants(&mut self, removed: &BTreeSet<String>) {
        let replaces = |variant: &Variant, path: &str| variant.stages.keys().any(|group| below(path, group));
        let chosen = self.variant.as_ref().and_then(|name| self.variants.get(name)).cloned().unwrap_or_default();
        for (name, variant) in &mut self.variants {
            let other = |path: &&String| replaces(variant, path) || replaces(&chosen, path);
            let is_chosen = self.variant.as_ref() == Some(name);
            let gone: Vec<&String> = removed.iter().filter(|path| is_chosen || !other(path)).collect();
            let stays = |path: &str| !gone.iter().any(|gone| path == *gone || below(path, gone));
            let reads = |key: &str, link: &Option<Link>| {
                link.as_ref().is_none_or(|link| stays(&Scope::split(key).0.path(&link.node)))
            };
            variant.set.retain(|key, _| stays(&split(key).0));
            variant.inputs.retain(|key, link| stays(&split(key).0) && reads(key, link));
            variant.muted.retain(|path, _| stays(path));
            variant.stages.retain(|path, _| stays(path));
            variant.comments.retain(|path, _| stays(path));
        }
    }

    /// Makes changes of nodes whose stage the chosen variant replaces part of the variant: the default's stage may not have such
    /// a parameter or port. What the variant sets that is no longer there, such as the limit of a stop condition, leaves it.
    /// `before` is the document before the changes.
    pub fn claim_for_variant(&mut self, before: &Document) {
        if self.variant != before.variant {
            return;
        }
        let Some(mut variant) = self.variant.as_ref().and_then(|name| self.variants.get(name)).cloned() else { return };
        for path in variant.stages.keys() {
            let (Some(now), Some(old)) = (self.node(path), before.node(path)) else { continue };
            let names: BTreeSet<&String> = now.params.keys().chain(old.params.keys()).collect();
            for param in names.into_iter().filter(|param| now.params.get(*param) != old.params.get(*param)) {
                let Some(key) = key(path, param) else { continue };
                variant.set.entry(key).or_insert_with(|| old.params.get(param).cloned());
            }
            if now.iterations != old.iterations {
                variant.set.entry(format!("{path}.iterations")).or_insert_with(|| old.iterations.clone());
            }
            let ports: BTreeSet<&String> = now.inputs.keys().chain(old.inputs.keys()).collect();
            for port in ports.into_iter().filter(|port| now.inputs.get(*port) != old.inputs.get(*port)) {
                let Some(key) = key(path, port) else { continue };
                variant.inputs.entry(key).or_insert_with(|| old.inputs.get(port).cloned());
            }
        }
        let Some(name) = self.variant.clone() else { return };
        self.variants.insert(name.clone(), variant);
        self.return_and_choose(&name);
    }

    /// Drops what the chosen variant sets that could not return to the default, and so could not be chosen again in a saved file.
    fn return_and_choose(&mut self, name: &str) {
        self.exchange(name, Direction::Return);
        self.exchange(name, Direction::Choose);
    }

    /// What inputs of a level read in variants.
    fn variant_links_mut(&mut self, level: &Scope) -> impl Iterator<Item = &mut Option<Link>> {
        let inputs = self.variants.values_mut().flat_map(|variant| &mut variant.inputs);
        inputs.filter(move |(key, _)| Scope::split(key).0 == *level).map(|(_, link)| link)
    }

    /// Renames an output of a node, or an input of the level's group, in the wires of variants, or removes the wires. `matches`
    /// says which wires read it.
    pub fn rename_source_in_variants(&mut self, level: &Scope, matches: impl Fn(&Link) -> bool, new: Option<&str>) {
        for link in self.variant_links_mut(level).filter(|link| link.as_ref().is_some_and(&matches)) {
            *link = link.take().zip(new).map(|(link, new)| Link { port: new.to_string(), ..link });
        }
    }

    /// Values that variants set of nodes of a level.
    pub fn variant_values_mut(&mut self, level: &Scope) -> impl Iterator<Item = &mut ParamValue> {
        let set = self.variants.values_mut().flat_map(|variant| &mut variant.set);
        set.filter(move |(key, _)| Scope::split(key).0 == *level).filter_map(|(_, value)| value.as_mut())
    }

    /// Changes the nodes that variants refer to. `change` gets the level, and the node with its parameter or port, which is empty for
    /// the node itself, and returns the new ones, or `None` to keep them. Wires that inputs read are changed within their level.
    pub fn retarget_variants(&mut self, change: impl Fn(&Scope, &Link) -> Option<(Scope, Link)>) {
        let moved = |key: &str| {
            let (scope, name) = Scope::split(key);
            let (scope, link) = change(&scope, &Link::parse(name))?;
            Some(scope.path(&link.to_string()))
        };
        for variant in self.variants.values_mut() {
            for (key, link) in &mut variant.inputs {
                let scope = Scope::split(key).0;
                let moved = link.as_ref().and_then(|link| change(&scope, link));
                if let Some((_, new)) = moved.filter(|(level, _)| *level == scope) {
                    *link = Some(new);
                }
            }
            rekey(&mut variant.set, &moved);
            rekey(&mut variant.inputs, &moved);
            rekey(&mut variant.muted, &moved);
            rekey(&mut variant.stages, &moved);
            rekey(&mut variant.comments, &moved);
        }
    }

    /// Replaces what variants set of one value by the same of others. Where it is `None`, each takes the value beside it.
    pub fn spread_in_variants(&mut self, key: &str, others: &[(String, Option<ParamValue>)]) {
        for variant in self.variants.values_mut() {
            let Some(value) = variant.set.remove(key) else { continue };
            for (other, absent) in others {
                variant.set.entry(other.clone()).or_insert_with(|| value.clone().or(absent.clone()));
            }
        }
    }

    /// Renames an input of a node in variants, with its constant, or removes it.
    pub fn rename_input_in_variants(&mut self, path: &str, old: &str, new: Option<&str>) {
        let (old, new) = (format!("{path}.{old}"), new.map(|new| format!("{path}.{new}")));
        for variant in self.variants.values_mut() {
            if let (Some(value), Some(new)) = (variant.set.remove(&old), &new) {
                variant.set.insert(new.clone(), value);
            }
            if let (Some(link), Some(new)) = (variant.inputs.remove(&old), &new) {
                variant.inputs.insert(new.clone(), link);
            }
        }
    }

    /// The first variant with a wire between one of these nodes and another one of the level, with the name of the node that reads it;
    /// with `whole` also one that replaces something of one of these nodes itself, as a group.
    pub fn rewired_by_variant(&self, level: &Scope, names: &BTreeSet<String>, whole: bool) -> Option<(&str, String)> {
        let here = |key: &str| {
            let (scope, name) = Scope::split(key);
            (scope == *level).then(|| Link::parse(name).node)
        };
        let replaced_here = |key: &String| here(key).filter(|node| whole && names.contains(node));
        self.variants.iter().find_map(|(name, variant)| {
            let crosses = |(key, link): (&String, &Option<Link>)| {
                let (node, from) = (here(key)?, &link.as_ref()?.node);
                (names.contains(&node) != names.contains(from)).then_some(node)
            };
            let wire = variant.inputs.iter().find_map(crosses);
            let replaced = variant.muted.keys().chain(variant.stages.keys()).chain(variant.inputs.keys());
            Some((name.as_str(), wire.or(replaced.into_iter().find_map(replaced_here))?))
        })
    }
}

fn rekey<V>(map: &mut BTreeMap<String, V>, moved: &impl Fn(&str) -> Option<String>) {
    let before = std::mem::take(map);
    map.extend(before.into_iter().map(|(key, value)| (moved(&key).unwrap_or(key), value)));
}

fn exchange_kind(node: &mut Node, kind: &mut NodeKind) -> Result<(), Fault> {
    if !node.kind.info().runs || !kind.info().runs {
        return Err(("only a stage or a group can be replaced, by another one".into(), "remove the entry".into()));
    }
    std::mem::swap(&mut node.kind, kind);
    Ok(())
}

fn exchange_input(node: &mut Node, port: &str, link: &mut Option<Link>) -> Result<(), Fault> {
    if port.is_empty() {
        return Err(("an input is named by NODE.PORT".into(), "add the port, for example force.velocity".into()));
    }
    let now = match link.take() {
        Some(new) => node.inputs.insert(port.to_string(), new),
        None => node.inputs.remove(port),
    };
    *link = now;
    Ok(())
}

/// The names of the values that a node gives.
fn params(node: &Node) -> Vec<String> {
    let fields: &[&str] = match &node.kind {
        NodeKind::Domain(_) => &["resolution", "width", "edge"],
        NodeKind::Number(_) => &["value"],
        _ => &[],
    };
    let run = [
        ("iterations", node.iterations.is_some()),
        ("until", node.until.is_some()),
        ("capacity", node.capacity.is_some() && matches!(node.kind, NodeKind::State(_))),
    ];
    let run = run.into_iter().filter(|(_, is_set)| *is_set).map(|(name, _)| name);
    fields.iter().copied().chain(run).map(String::from).chain(node.params.keys().cloned()).collect()
}

/// Cells along each axis as one value, as [`Document::set`] takes it.
fn resolution(cells: &[ParamValue]) -> ParamValue {
    let number = |cells: &ParamValue| if let ParamValue::Number(n) = cells { Some(*n) } else { None };
    if let Some(numbers) = cells.iter().map(number).collect::<Option<Vec<f64>>>() {
        return ParamValue::Vector(numbers);
    }
    let text = |cells: &ParamValue| match cells {
        ParamValue::Expression(text) => text.clone(),
        other => other.to_string(),
    };
    ParamValue::Expression(cells.iter().map(text).collect::<Vec<_>>().join(", "))
}
