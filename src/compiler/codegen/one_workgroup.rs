//! One kernel for several small dispatches in a row: a single workgroup does the work of each in its turn. What that takes is less than what a
//! GPU takes between two dispatches.
//!
//! ```wgsl
//! struct Params { _p1_relaxation: f32 }
//! @group(0) @binding(1) var<uniform> params: Params;
//! @group(0) @binding(2) var<storage, read_write> _b0: array<f32>;
//! fn _p0__main(_id: vec3u) { .. }
//! fn _p1__main(_group: vec3u, _lane: vec3u) { .. }
//! @compute @workgroup_size(256)
//! fn _main(@builtin(local_invocation_index) _lane: u32) {
//!     if (_lane < 160u) { _p0__main(vec3u(_lane % 10u, _lane / 10u % 16u, _lane / 160u)); }
//!     storageBarrier(); workgroupBarrier();
//!     ..
//! }
//! ```

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::rc::Rc;

use super::prelude;
use super::rename::{NamePlace, filled, places};
use super::uniforms::{Block, FRAME_STRUCT};
use crate::data::{Binding, BufferId, Kernel};
use crate::stage::syntax::tokens;
use crate::tuning::{LANES, MAX_TILE_WORDS};

/// Limit of the text of one kernel \[bytes\]. A driver compiles kernels side by side, and each in proportion to its length: a longer one would
/// still be compiled when all others are there.
const MAX_TEXT: usize = 20_000;

/// A dispatch as it would be by itself.
pub(super) struct Phase<'a> {
    pub kernel: &'a Kernel,
    /// The kernel's text.
    pub module: &'a Module,
    pub block: &'a Block,
    /// Buffers in the order of their bindings.
    pub buffers: &'a [BufferId],
    /// Workgroups along x, y and z.
    pub groups: [u32; 3],
    /// Cells along x, y and z, where an invocation computes one of them; zeros otherwise.
    pub cells: [u32; 3],
}

/// Dispatches that one workgroup does in their order.
#[derive(Default)]
pub(super) struct Run {
    /// Texts and calls of the phases.
    texts: Vec<Rc<str>>,
    calls: Vec<Call>,
    /// Invocations of the workgroup, where a phase needs all of them at its barriers.
    lanes: Option<u32>,
    block: Block,
    bound: Vec<Bound>,
    /// Workgroup memory that phases have in common: by type and number of the variable, the most elements.
    shared: BTreeMap<(String, usize), u32>,
    frame: bool,
    finite: bool,
    in_bounds: bool,
}

/// The call that does the work of a phase, and the invocations that make it.
struct Call {
    text: String,
    lanes: u32,
}

/// A buffer of a run.
struct Bound {
    buffer: BufferId,
    ty: String,
    writes: bool,
}

/// The kernel of a run, and what it is bound to.
pub(super) struct Joined {
    pub kernel: Kernel,
    pub block: Block,
    pub buffers: Vec<BufferId>,
}

impl Run {
    pub(super) fn len(&self) -> usize {
        self.texts.len()
    }

    /// Adds a dispatch behind the others; `false`, and nothing is changed, where it can't be among them. `most`: buffers of a kernel.
    pub(super) fn take(&mut self, phase: &Phase<'_>, most: usize) -> bool {
        let module = phase.module;
        let Some(call) = module.call(phase, self.len()) else { return false };
        let meets = module.barriers.then_some(call.lanes);
        if meets.is_some_and(|lanes| self.lanes.is_some_and(|other| other != lanes)) {
            return false;
        }
        // The same memory has one type in a kernel.
        let mut bound: Vec<Bound> = Vec::new();
        for ((_, ty, writes), buffer) in module.buffers.iter().zip(phase.buffers) {
            let same = |bound: &&mut Bound| bound.buffer == *buffer;
            match self.bound.iter_mut().find(same) {
                Some(binding) if binding.ty != *ty => return false,
                Some(_) => {}
                None => match bound.iter_mut().find(same) {
                    Some(binding) if binding.ty != *ty => return false,
                    Some(binding) => binding.writes |= *writes,
                    None => bound.push(Bound { buffer: *buffer, ty: ty.clone(), writes: *writes }),
                },
            }
        }
        let mut shared = self.shared.clone();
        for (slot, _, length) in module.shared() {
            let most = shared.entry(slot).or_default();
            *most = length.max(*most);
        }
        let words: u32 = shared.iter().map(|((ty, _), length)| words(ty).unwrap_or(MAX_TILE_WORDS) * length).sum();
        let length = self.texts.iter().map(|text| text.len()).sum::<usize>() + module.text.len();
        if self.bound.len() + bound.len() > most || words > MAX_TILE_WORDS || length > MAX_TEXT && self.len() > 0 {
            return false;
        }
        self.lanes = self.lanes.or(meets);
        self.bound.extend(bound);
        self.shared = shared;
        for ((_, _, writes), buffer) in module.buffers.iter().zip(phase.buffers) {
            self.bound.iter_mut().filter(|bound| bound.buffer == *buffer).for_each(|bound| bound.writes |= *writes);
        }
        self.add(phase, call);
        true
    }

    fn add(&mut self, phase: &Phase<'_>, call: Call) {
        let module = phase.module;
        let place = |buffer: &BufferId| self.bound.iter().position(|bound| bound.buffer == *buffer);
        self.texts.push(module.renamed(self.len(), phase.buffers.iter().map(place).collect()));
        self.calls.push(call);
        let prefix = prefix(self.calls.len() - 1);
        for member in &phase.block.members {
            self.block.push(format!("{prefix}{}", member.name), member.ty, member.dim, member.content.clone());
        }
        let first = self.len() == 1;
        self.frame |= module.frame;
        self.finite = phase.kernel.finite && (first || self.finite);
        self.in_bounds = phase.kernel.in_bounds && (first || self.in_bounds);
    }

    /// The kernel of all. `node`: the path of the node that it belongs to.
    pub(super) fn finish(self, node: &str) -> Joined {
        let mut wgsl = String::new();
        if self.frame {
            let _ = writeln!(wgsl, "{FRAME_STRUCT}\n@group(0) @binding(0) var<uniform> frame: Frame;");
        }
        wgsl.push_str(&self.block.wgsl());
        for (at, Bound { ty, writes, .. }) in self.bound.iter().enumerate() {
            let access = if *writes { "read_write" } else { "read" };
            let _ = writeln!(wgsl, "@group(0) @binding({}) var<storage, {access}> _b{at}: {ty};", at + 2);
        }
        for ((ty, number), length) in &self.shared {
            let _ = writeln!(wgsl, "var<workgroup> {}: array<{ty}, {length}>;", shared_name(ty, *number));
        }
        self.texts.iter().for_each(|text| wgsl.push_str(text));
        let between = "    storageBarrier(); workgroupBarrier();\n";
        let all = self.lanes.unwrap_or(LANES);
        let call = |Call { text, lanes }: &Call| match *lanes < all {
            true => format!("    if (_lane < {lanes}u) {{ {text}; }}\n"),
            false => format!("    {text};\n"),
        };
        let _ = write!(
            wgsl,
            "@compute @workgroup_size({all})\nfn _main(@builtin(local_invocation_index) _lane: u32) {{\n{}}}\n",
            self.calls.iter().map(call).collect::<Vec<_>>().join(between)
        );
        let binding = |(at, bound): (usize, &Bound)| Binding { name: format!("_b{at}"), writes: bound.writes };
        let kernel = Kernel {
            name: "one workgroup".into(),
            node: node.into(),
            wgsl,
            workgroup: [all, 1, 1],
            bindings: self.bound.iter().enumerate().map(binding).collect(),
            finite: self.finite,
            in_bounds: self.in_bounds,
            warns: false,
            own_lines: 0,
            uniform_bytes: self.block.bound_bytes(),
        };
        Joined { kernel, block: self.block, buffers: self.bound.iter().map(|bound| bound.buffer).collect() }
    }
}

/// What the names of a phase begin with.
fn prefix(phase: usize) -> String {
    format!("_p{phase}_")
}

fn shared_name(ty: &str, number: usize) -> String {
    format!("_shared{number}_{ty}")
}

/// Words that an element takes in workgroup memory; `None` for types that no variable of a run has.
fn words(ty: &str) -> Option<u32> {
    match ty {
        "f32" | "u32" | "i32" => Some(1),
        "vec2f" | "vec2u" | "vec2i" => Some(2),
        "vec3f" | "vec4f" | "vec3u" | "vec4u" | "vec3i" | "vec4i" => Some(4),
        _ => None,
    }
}

/// What the text of a phase depends on: its number, and the run's bindings of its buffers.
type PhaseKey = (usize, Vec<Option<usize>>);

/// A kernel's text, and what stands in it once for the whole kernel.
pub(super) struct Module {
    /// The text without declarations of buffers, blocks and workgroup memory; the entry point is a function like any other.
    text: String,
    /// Name, type, and whether it is written.
    buffers: Vec<(String, String, bool)>,
    /// Workgroup memory: name, type of an element, and how many.
    workgroup: Vec<(String, String, u32)>,
    /// What the entry point takes, in its order.
    takes: Vec<String>,
    frame: bool,
    barriers: bool,
    /// Where the text has names that a run has others for, and parameters.
    places: Vec<NamePlace>,
    /// Texts of phases: iterations of a group give the same runs.
    renamed: RefCell<BTreeMap<PhaseKey, Rc<str>>>,
}

impl Module {
    /// Takes a kernel's text apart. `None` where it has anything that a run could not give it.
    pub(super) fn read(kernel: &Kernel) -> Option<Module> {
        let lines = kernel.wgsl.lines().filter(|line| !line.trim_start().starts_with("//"));
        let mut module = Module {
            text: String::with_capacity(kernel.wgsl.len()),
            buffers: Vec::new(),
            workgroup: Vec::new(),
            takes: Vec::new(),
            frame: false,
            barriers: false,
            places: Vec::new(),
            renamed: RefCell::default(),
        };
        let mut entry = false;
        for line in lines {
            let begins = |words: &str| line.starts_with(words);
            if line == FRAME_STRUCT || begins("struct Params {") || begins("@group(0) @binding(1) ") {
                continue;
            }
            if begins("@group(0) @binding(0) ") {
                module.frame = true;
            } else if let Some(declared) = line.strip_prefix("@group(0) @binding(") {
                module.buffers.push(buffer(declared)?);
            } else if let Some(declared) = line.strip_prefix("var<workgroup> ") {
                module.workgroup.push(array(declared)?);
            } else if begins("@compute ") {
                entry = true;
            } else if let (true, Some(arguments)) = (entry, line.strip_prefix("fn _main(")) {
                entry = false;
                let (arguments, body) = arguments.split_once(") {")?;
                let arguments = arguments.split(", ").filter(|argument| !argument.is_empty());
                let arguments = arguments.map(|argument| argument.strip_prefix("@builtin(")?.split_once(") "));
                let (takes, arguments): (Vec<_>, Vec<_>) = arguments.collect::<Option<Vec<_>>>()?.into_iter().unzip();
                module.takes = takes.into_iter().map(str::to_string).collect();
                let _ = writeln!(module.text, "fn _main({}) {{{body}", arguments.join(", "));
            } else {
                module.text.push_str(line);
                module.text.push('\n');
            }
        }
        module.barriers = module.text.contains("Barrier(") || module.text.contains("workgroupUniformLoad");
        let has = |words: &[&str]| words.iter().any(|word| module.text.contains(word));
        let foreign = has(&["@group", "var<workgroup>", "@builtin", "@compute", "atomic", "subgroup", "enable "]);
        let complete = module.buffers.len() == kernel.bindings.len() && !kernel.warns;
        if foreign || !complete {
            return None;
        }
        let tokens = tokens(&module.text);
        let mut names = prelude::declared(&tokens);
        names.extend(module.buffers.iter().map(|(name, ..)| name.as_str()));
        names.extend(module.workgroup.iter().map(|(name, ..)| name.as_str()));
        module.places = places(&tokens, |name| names.contains(name));
        Some(module)
    }

    /// Variables of workgroup memory, each with its type and which of that type it is.
    fn shared(&self) -> impl Iterator<Item = ((String, usize), &str, u32)> + '_ {
        self.workgroup.iter().enumerate().map(|(at, (name, ty, length))| {
            let number = self.workgroup.iter().take(at).filter(|(_, other, _)| other == ty).count();
            ((ty.to_string(), number), name.as_str(), *length)
        })
    }

    /// The text as a phase of a run. `places`: the run's bindings of the buffers.
    fn renamed(&self, number: usize, places: Vec<Option<usize>>) -> Rc<str> {
        let text = |(number, places): &PhaseKey| {
            let prefix = prefix(*number);
            let buffers = self.buffers.iter().zip(places);
            let mut names: BTreeMap<&str, String> =
                buffers.filter_map(|((name, ..), place)| Some((name.as_str(), format!("_b{}", (*place)?)))).collect();
            names.extend(self.shared().map(|((ty, number), name, _)| (name, shared_name(&ty, number))));
            let name = |name: &str| names.get(name).cloned().unwrap_or_else(|| format!("{prefix}{name}"));
            filled(&self.text, &self.places, &prefix, name).into()
        };
        self.renamed.borrow_mut().entry((number, places)).or_insert_with_key(text).clone()
    }

    /// The call that does the work of a phase; `None` where one workgroup can't.
    fn call(&self, phase: &Phase<'_>, number: usize) -> Option<Call> {
        let main = format!("{}_main", prefix(number));
        let [x, y, z] = phase.kernel.workgroup;
        let lanes = x * y * z;
        let cells: u32 = phase.cells.iter().product();
        let along = |[x, y, _]: [u32; 3]| format!("vec3u(_lane % {x}u, _lane / {x}u % {y}u, _lane / {}u)", x * y);
        // Cells follow one another, whatever shape a workgroup of the phase alone would have.
        let by_cell = self.takes.iter().all(|builtin| builtin == "global_invocation_id") && cells > 0 && !self.barriers;
        if by_cell {
            let argument = if self.takes.is_empty() { String::new() } else { along(phase.cells) };
            return (cells <= LANES).then(|| Call { text: format!("{main}({argument})"), lanes: cells });
        }
        if phase.groups != [1; 3] || !self.barriers && lanes > LANES || self.barriers && lanes < LANES {
            return None;
        }
        let arguments = self.takes.iter().map(|builtin| {
            Some(match builtin.as_str() {
                "workgroup_id" => "vec3u(0u)".to_string(),
                "local_invocation_id" | "global_invocation_id" => along(phase.kernel.workgroup),
                "local_invocation_index" => "_lane".into(),
                "num_workgroups" => "vec3u(1u)".into(),
                _ => return None,
            })
        });
        Some(Call { text: format!("{main}({})", arguments.collect::<Option<Vec<_>>>()?.join(", ")), lanes })
    }
}

/// `2) var<storage, read> NAME: TYPE;`
fn buffer(declared: &str) -> Option<(String, String, bool)> {
    let (_, declared) = declared.split_once(") var<storage, ")?;
    let (access, declared) = declared.split_once("> ")?;
    let (name, ty) = declared.strip_suffix(';')?.split_once(": ")?;
    (!ty.contains(';')).then(|| (name.to_string(), ty.to_string(), access == "read_write"))
}

/// `NAME: array<TYPE, LENGTH>;`
fn array(declared: &str) -> Option<(String, String, u32)> {
    let (name, ty) = declared.strip_suffix(">;")?.split_once(": array<")?;
    let (ty, length) = ty.split_once(", ")?;
    words(ty)?;
    Some((name.to_string(), ty.to_string(), length.parse().ok()?))
}
