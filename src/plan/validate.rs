//! Every kernel is parsed and validated before an engine may see it, and errors are led back to the user's own line.

use std::sync::mpsc;
use std::time::Duration;

use super::Kernel;
use crate::problem::{Problem, Problems, SourcePlace};
use crate::stage::inlining;
use crate::stage::lex::tokens;

/// Text that passed the guard validates in milliseconds; what takes longer is hostile.
const PATIENCE: Duration = Duration::from_secs(2);
const STACK: usize = 256 << 20; // Address space only. The parser recurses.

/// A kernel, and its text with the user's own as it was written, where the two differ.
pub type Text = (Kernel, Option<String>);

/// Validates kernels; first the probes, which show a field's mistake at its own line.
///
/// # Errors
/// One problem for each broken kernel, at the line of the stage's text where there is one.
pub fn kernels(kernels: Vec<Text>, probes: Vec<Text>) -> Result<(), Problems> {
    let (sender, receiver) = mpsc::channel();
    let first = probes.len();
    let work: Vec<Text> = probes.into_iter().chain(kernels).collect();
    let nodes: Vec<String> = work.iter().map(|(kernel, _)| kernel.node.clone()).collect();
    let worker = std::thread::Builder::new().name("validate".into()).stack_size(STACK).spawn(move || {
        for text in work {
            if sender.send(check(&text)).is_err() {
                break;
            }
        }
    });
    if let Err(error) = worker {
        return Err(
            Problem::new("", "", format!("no thread to validate shaders: {error}"), "close other programs").into()
        );
    }
    let mut problems = Problems::default();
    for (index, node) in nodes.iter().enumerate() {
        if index == first && !problems.is_empty() {
            // What is built in is wrong, and would be so again wherever it is built in.
            break;
        }
        match receiver.recv_timeout(PATIENCE) {
            Ok(None) => {}
            // A field that is built into another one is wrong there too, at a place that is nobody's own.
            Ok(Some(problem)) if index < first && problem.place.is_none() && !problems.is_empty() => {}
            Ok(Some(problem)) => problems.push(problem),
            Err(_) => {
                // The thread is left behind: it ends when the validator does, and nobody listens.
                let cause = "the shader compiler does not finish with this text";
                problems.push(Problem::new(node, "", cause, "make its types and expressions simpler"));
                break;
            }
        }
    }
    if problems.is_empty() { Ok(()) } else { Err(problems) }
}

/// A kernel whose loops were changed is checked as the user wrote it first, so that columns are the user's own.
fn check((kernel, written): &Text) -> Option<Problem> {
    if let Some(problem) = too_large(kernel) {
        return Some(problem);
    }
    let written = written.as_ref().map(|wgsl| Kernel { wgsl: wgsl.clone(), ..kernel.clone() });
    written.and_then(|kernel| check_text(&kernel)).or_else(|| check_text(kernel))
}

/// Text of a kernel \[bytes\]. A stage has up to 64 KiB of its own; the rest are fields.
const MAX_TEXT: usize = 1 << 20;

/// Fields are built into what reads them, and one that asks another several times multiplies all that is behind it.
fn too_large(kernel: &Kernel) -> Option<Problem> {
    let remedy = "keep one of its fields in a grid, with grid/from_field and field/from_grid";
    if kernel.wgsl.len() > MAX_TEXT {
        let cause = format!("the fields that it reads come to over {MAX_TEXT} bytes of text");
        return Some(Problem::new(&kernel.node, "", cause, remedy));
    }
    let limit = inlining::MAX_KERNEL_EXPANSION;
    inlining::excessive(&tokens(&kernel.wgsl), limit)?;
    let cause = format!("the fields that it reads stand for over {limit} calls once they are inlined");
    Some(Problem::new(&kernel.node, "", cause, remedy))
}

fn check_text(kernel: &Kernel) -> Option<Problem> {
    let module = match naga::front::wgsl::parse_str(&kernel.wgsl) {
        Ok(module) => module,
        Err(error) => {
            // A clash of names is told from the generated side; the user's own text is the side to change.
            let own = error.labels().find_map(|(span, _)| own_place(kernel, span.location(&kernel.wgsl)));
            let place = own.or_else(|| error.location(&kernel.wgsl));
            let label = error.labels().next().map(|(_, label)| label.to_string()).filter(|l| !l.is_empty());
            let message = match label {
                Some(label) if !error.message().contains(label.trim_end_matches(|c: char| !c.is_alphanumeric())) => {
                    format!("{} ({label})", error.message())
                }
                Some(_) => error.message().to_string(),
                None => error.message().to_string(),
            };
            return Some(problem(kernel, message, place));
        }
    };
    // What half precision is packed by; every backend has it.
    let capabilities = naga::valid::Capabilities::default() | naga::valid::Capabilities::SHADER_FLOAT16_IN_FLOAT32;
    let mut validator = naga::valid::Validator::new(naga::valid::ValidationFlags::all(), capabilities);
    let error = validator.validate(&module).err()?;
    let mut message = error.as_inner().to_string();
    let mut source = std::error::Error::source(error.as_inner());
    while let Some(inner) = source {
        message = format!("{message}: {inner}");
        source = inner.source();
    }
    if let naga::valid::ValidationError::Function { source, .. } = error.as_inner()
        && let naga::valid::FunctionError::InvalidCall { function, .. } = source
        && let Some(name) = module.functions.try_get(*function).ok().and_then(|f| f.name.as_ref())
    {
        message = message.replace("Call to", &format!("the call of `{name}`"));
    }
    // The outermost span is the whole function; the narrowest is where the mistake stands.
    let narrowest = error
        .spans()
        .filter_map(|(span, _)| Some((span.to_range()?.len(), span.location(&kernel.wgsl))))
        .min_by_key(|s| s.0);
    Some(problem(kernel, without_handles(&message), narrowest.map(|(_, place)| place)))
}

/// naga's sentences name its own handles (`[5]`, `Some([5])`), which mean nothing to a reader.
fn without_handles(message: &str) -> String {
    let mut out = String::new();
    for word in message.split_inclusive(' ') {
        let bare = word.trim().trim_start_matches("Some(").trim_end_matches([':', ',', ')']);
        let handle = bare.strip_prefix('[').and_then(|b| b.strip_suffix(']')).is_some_and(|b| b.parse::<u32>().is_ok());
        if !handle {
            out.push_str(word);
        }
    }
    out
}

fn own_place(kernel: &Kernel, place: naga::SourceLocation) -> Option<naga::SourceLocation> {
    ((place.line_number as usize) <= kernel.own_lines).then_some(place)
}

fn problem(kernel: &Kernel, message: String, place: Option<naga::SourceLocation>) -> Problem {
    let message = message.trim().trim_end_matches('.').to_string();
    match place {
        Some(at) if (at.line_number as usize) <= kernel.own_lines => {
            let line = kernel.wgsl.lines().nth(at.line_number as usize - 1).unwrap_or("");
            // naga counts bytes, a reader characters.
            let before = line.char_indices().take_while(|(byte, _)| byte + 1 < at.line_position as usize).count();
            let place = SourcePlace { line: at.line_number as usize, column: before + 1 };
            Problem::new(&kernel.node, "", message, "").at(place)
        }
        Some(at) => {
            let line = kernel.wgsl.lines().nth(at.line_number as usize - 1).unwrap_or("").trim();
            let cause = format!(
                "the text does not fit what the compiler generates for `{}`: {message}, at `{line}`",
                kernel.name
            );
            Problem::new(
                &kernel.node,
                "",
                cause,
                "check the types in `fn stage` against the header, and that no name is taken",
            )
        }
        None => Problem::new(&kernel.node, "", message, ""),
    }
}
