//! Every option of every command, and when it has an effect. An option that is accepted and ignored gives a wrong run that looks like a
//! right one, so a new option fails these tests until it is listed: among those that always have an effect, with what the parser refuses,
//! or with what the command itself refuses.

use std::collections::BTreeSet;

use clap::error::ErrorKind;
use clap::{Command, CommandFactory};

use super::Cli;

/// What all commands with one graph take.
const GRAPH: &str = "graph params variant stages allow_files memory strict";
/// What `render` and `export` have in common.
const RUN: &str = "overwrite checkpoint_every from fps substeps input adapter require_gpu driver_limit resume";

/// The shortest line of each command, and the options that have an effect in every run.
const ALWAYS: &[(&str, &str)] = &[
    ("render g.ron --frames 1 --out o", "GRAPH RUN frames out size profile check_values wire deterministic stop_on"),
    ("export g.ron --frames 1 --out o", "GRAPH RUN wires preset frames out formats name size every"),
    ("bake g.ron", "GRAPH wires name frames out resume checkpoint_every adapter require_gpu driver_limit list"),
    ("check g.ron", "GRAPH"),
    ("test g.ron", "graphs params variant stages allow_files adapter require_gpu junit memory strict deterministic"),
    ("record g.ron --frames 1 --number n", "GRAPH frames numbers csv adapter require_gpu"),
    (
        "compare a.ron b.ron --frames 1",
        "a b wire frames every tolerance csv image params_a params_b variant_a variant_b stages allow_files adapter require_gpu memory strict",
    ),
    ("plan g.ron", "graph params variant stages allow_files strict target without passes after"),
    ("bench", "graphs size adapter require_gpu params variant stages allow_files plain without memory driver_limit"),
    (
        "sweep g.ron --out o",
        "graph wires set random frames out image size numbers index params variant fps input from names stages allow_files \
         memory strict adapter require_gpu driver_limit",
    ),
    ("keys f.csv", "file range tolerance"),
    ("points f.obj --out o.ply", "file out count"),
    ("stages", "name stages"),
];

/// Options that need another one, or values of another one: `COMMAND OPTION OTHER`.
const WITH: &[&str] = &[
    "render stretch size",
    "render show wire",
    "render map wire",
    "render range wire",
    "render slice wire",
    "render stats wire",
    "render hashes deterministic",
    "render compare deterministic",
    "render json stop_on",
    "render allow_nan from",
    "export allow_nan from",
    "bake verify list",
    "test hashes deterministic",
    "test compare deterministic",
    "compare wire_b wire",
    "sweep seed random",
    "points seed count",
];

/// Options that have no effect beside another one: `COMMAND OPTION OTHER`.
const NOT_WITH: &[&str] = &[
    "render output wire",
    "render stretch wire",
    "render resume deterministic",
    "render json profile",
    "render json stats",
    "bake list wires",
    "bake list name",
    "bake list frames",
    "bake list out",
    "bake list resume",
    "bake list checkpoint_every",
    "bake list memory",
    "bake list adapter",
    "bake list require_gpu",
    "bake list driver_limit",
    "record every profile",
    "record profile numbers",
    "plan passes json",
    "plan passes wgsl",
    "plan passes memory",
    "plan after json",
    "plan after wgsl",
    "plan after passes",
    "plan after memory",
    "bench tune plain",
    "bench dump compare",
    "bench dump json",
    "bench dump show",
    "bench dump tune",
    "bench compare json",
    "bench compare show",
    "bench compare tune",
    "sweep jobs index",
    "sweep jobs emit",
    "sweep emit index",
    "sweep sheet frames",
    "sweep sheet strict",
    "stages markdown name",
];

/// Options whose effect depends on files: the command refuses them, as tests of the program show.
const REFUSED_LATER: &[&str] = &[
    "export cutoff",
    "export band",
    "export tiles",
    "export looped",
    "export timeout",
    "export padding",
    "export premultiplied",
    "sweep cutoff",
    "keys column",
    "keys fps",
    "keys peak",
];

/// A value that an option takes.
fn value(option: &str) -> Option<&'static str> {
    Some(match option {
        "size" => "8x8",
        "range" => "0,1",
        "slice" => "z=max",
        "show" => "auto",
        "map" => "magma",
        "stats" => "text",
        "profile" => "a.b:x",
        "emit" => "slurm",
        "memory" => "1GiB",
        "stop_on" => "nan",
        "stretch" | "json" | "list" | "resume" | "deterministic" | "passes" | "wgsl" | "plain" | "tune" => return None,
        "require_gpu" | "strict" | "markdown" => return None,
        _ => "1",
    })
}

fn command(name: &str) -> Command {
    let cli = Cli::command();
    cli.find_subcommand(name).unwrap_or_else(|| panic!("no command {name}")).clone()
}

/// What the parser says of the shortest line of a command with these options.
fn parsed(name: &str, options: &[&str]) -> Result<(), ErrorKind> {
    let line = ALWAYS.iter().map(|(line, _)| *line).find(|line| line.split(' ').next() == Some(name));
    let mut words: Vec<String> = line.unwrap_or_default().split(' ').map(String::from).collect();
    if options.contains(&"profile") && name == "record" {
        words.truncate(4);
    }
    let command = command(name);
    for option in options {
        let found = command.get_arguments().find(|argument| argument.get_id() == *option);
        let argument = found.unwrap_or_else(|| panic!("{name} has no option {option}"));
        words.extend(argument.get_long().map(|long| format!("--{long}")));
        let takes_value = argument.get_action().takes_values();
        words.extend(value(option).filter(|_| takes_value).map(String::from));
    }
    words.insert(0, "stagewright".into());
    Cli::command().try_get_matches_from(words).map(drop).map_err(|error| error.kind())
}

fn listed(name: &str) -> BTreeSet<String> {
    let always = ALWAYS.iter().filter(|(line, _)| line.split(' ').next() == Some(name));
    let mut found: BTreeSet<String> = always
        .flat_map(|(_, options)| {
            options.replace("GRAPH", GRAPH).replace("RUN", RUN).split_whitespace().map(String::from).collect::<Vec<_>>()
        })
        .collect();
    let first = [WITH, REFUSED_LATER].concat().into_iter().map(|line| (line, 2));
    for (line, end) in first.chain(NOT_WITH.iter().map(|line| (*line, 3))) {
        let words: Vec<&str> = line.split(' ').collect();
        if words[0] == name {
            found.extend(words[1..end].iter().map(|word| word.to_string()));
        }
    }
    found
}

#[test]
fn every_option_says_when_it_has_an_effect() {
    for command in Cli::command().get_subcommands() {
        let name = command.get_name();
        let there: BTreeSet<String> =
            command.get_arguments().map(|argument| argument.get_id().to_string()).filter(|id| id != "help").collect();
        let listed = listed(name);
        let missing: Vec<&String> = there.difference(&listed).collect();
        let gone: Vec<&String> = listed.difference(&there).collect();
        assert!(missing.is_empty() && gone.is_empty(), "{name}: not listed {missing:?}, gone {gone:?}");
    }
}

#[test]
fn an_option_without_an_effect_is_refused() {
    for (line, _) in ALWAYS {
        let name = line.split(' ').next().unwrap_or_default();
        assert_eq!(parsed(name, &[]), Ok(()), "{line}");
    }
    for (lines, both, kind) in
        [(WITH, false, ErrorKind::MissingRequiredArgument), (NOT_WITH, true, ErrorKind::ArgumentConflict)]
    {
        for line in lines {
            let words: Vec<&str> = line.split(' ').collect();
            let options = if both { &words[1..] } else { &words[1..2] };
            assert_eq!(parsed(words[0], options), Err(kind), "{line}");
        }
    }
}
