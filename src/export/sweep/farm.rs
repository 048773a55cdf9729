//! Jobs for schedulers. A task needs its index alone, since everything else is in the manifest.

use std::path::Path;

pub use super::folder::{OPENJD, SLURM};
use super::manifest::Manifest;
use crate::quoting::{json, shell};

/// How the program is called on the machines of a farm.
#[derive(Clone, Copy, Debug)]
pub struct Call<'a> {
    /// The program.
    pub program: &'a str,
    /// The graph's file.
    pub graph: &'a str,
    /// The folder of the sweep.
    pub folder: &'a str,
    /// More options of each task, such as `--adapter`.
    pub options: &'a [String],
}

/// Folder of what the tasks of [`slurm`] print, in the folder of a sweep.
pub const LOG: &str = "log";
/// The longest name of a job in Open Job Description.
const LONGEST: usize = 100;
/// Characters of a path in a description.
const DESCRIPTION: usize = 1000;

/// A job template of Open Job Description: a task for each index, and the contact sheet after them. Its folder is that of the sweep.
pub fn openjd(manifest: &Manifest, call: Call<'_>) -> String {
    let last = manifest.tasks.len().saturating_sub(1);
    let options: String = call.options.iter().map(|option| format!(", {}", json(option))).collect();
    let (name, program) = (json(&format!("Sweep of {}", stem(manifest))), json(call.program));
    // A description has no control characters.
    let graph: String = call.graph.chars().map(|c| if c.is_control() { ' ' } else { c }).take(DESCRIPTION).collect();
    let graph = json(&format!("The graph, {graph} when the sweep was made"));
    format!(
        r#"specificationVersion: jobtemplate-2023-09
name: {name}
parameterDefinitions:
  - name: Program
    type: STRING
    default: {program}
    description: The program stagewright on the machines that run the tasks
  - name: Graph
    type: PATH
    objectType: FILE
    dataFlow: IN
    description: {graph}
  - name: Folder
    type: PATH
    objectType: DIRECTORY
    dataFlow: INOUT
    default: .
    description: The folder of the sweep, which has its manifest
steps:
  - name: Tasks
    parameterSpace:
      taskParameterDefinitions:
        - name: Index
          type: INT
          range: "0-{last}"
    script:
      actions:
        onRun:
          command: "{{{{Param.Program}}}}"
          args: [sweep, "{{{{Param.Graph}}}}", --out, "{{{{Param.Folder}}}}", --index, "{{{{Task.Param.Index}}}}"{options}]
  - name: Sheet
    dependencies:
      - dependsOn: Tasks
    script:
      actions:
        onRun:
          command: "{{{{Param.Program}}}}"
          args: [sweep, --sheet, "{{{{Param.Folder}}}}"]
"#
    )
}

/// A script that submits an array job to Slurm, and the contact sheet as a job after it. It passes its arguments on to both.
pub fn slurm(manifest: &Manifest, call: Call<'_>) -> String {
    let last = manifest.tasks.len().saturating_sub(1);
    let options: String = call.options.iter().map(|option| format!(" {}", shell(option))).collect();
    let [program, graph, folder] = [call.program, call.graph, call.folder].map(shell);
    // Each task is one word: no line of a path can end it.
    let task = format!(r#"exec {program} sweep {graph} --out {folder} --index "$SLURM_ARRAY_TASK_ID"{options}"#);
    let [task, sheet] = [task, format!("exec {program} sweep --sheet {folder}")].map(|command| shell(&command));
    // In the names of logs, Slurm replaces what follows a %.
    let log = |name: &str| shell(&format!("{}/{LOG}/{name}.txt", call.folder.replace('%', "%%")));
    let name = stem(manifest);
    let task_log = log("%a");
    let sheet_log = log("sheet");
    format!(
        r#"#!/bin/sh
# Submits a task for each run of the sweep, and its contact sheet after them. Arguments are those of sbatch, for both jobs:
#     sh {SLURM} --partition=gpu --gres=gpu:1
# With --array=0-{last}%4, four tasks run at a time.
set -eu
folder={folder}
mkdir -p "$folder/{LOG}"
tasks=$(sbatch --parsable --job-name={name} --array=0-{last} --output={task_log} "$@" --wrap={task})
tasks=${{tasks%%;*}}
sheet=$(sbatch --parsable --job-name={name}_sheet --output={sheet_log} "$@" --array=0 --dependency="afterany:$tasks" --wrap={sheet})
echo "tasks: $tasks, contact sheet: ${{sheet%%;*}}"
"#
    )
}

/// The name of the graph, of letters, digits and `-_.`.
fn stem(manifest: &Manifest) -> String {
    let stem = Path::new(&manifest.graph).file_stem().unwrap_or_default().to_string_lossy();
    crate::names::plain(&stem).chars().take(LONGEST).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::document::Document;
    use crate::files::Access;
    use crate::library::Library;
    use crate::quoting::NASTY;
    use crate::sweep::manifest::Options;

    fn manifest() -> Manifest {
        let document = Document::parse(r#"(version: 1, nodes: { "n": (number: 1) })"#).unwrap();
        let options = Options { set: vec!["n.value=0..1:12".into()], frames: (5, 5), ..Options::default() };
        Manifest::new(&options, "oil clock.ron", &document, Library::builtin(), &Access::default(), None).unwrap()
    }

    #[test]
    fn jobs_run_every_task_and_then_the_sheet() {
        let manifest = manifest();
        let call = Call {
            program: "/opt/stagewright",
            graph: "/shows/oil clock.ron",
            folder: "/shows/it's",
            options: &["--adapter=NVIDIA L4".into()],
        };
        let both = format!("{}\n=====\n{}", openjd(&manifest, call), slurm(&manifest, call));
        insta::assert_snapshot!(both);
    }

    #[test]
    fn a_template_has_the_lines_of_the_program_alone() {
        let manifest = manifest();
        let of =
            |text: &str| openjd(&manifest, Call { program: text, graph: text, folder: text, options: &[text.into()] });
        let lines = |text: &str| text.split(['\n', '\r', '\u{85}', '\u{2028}', '\u{2029}']).count();
        for text in NASTY {
            let template = of(text);
            assert_eq!(lines(&template), lines(&of("plain")), "{text:?}");
            assert!(!template.contains(|c: char| c.is_control() && c != '\n'), "{text:?}");
            // What comes after the key of a line is a string of JSON, which is one of YAML.
            let value = |key: &str| template.lines().find_map(|line| line.trim().strip_prefix(key)).unwrap();
            assert_eq!(serde_json::from_str::<String>(value("default: ")).unwrap(), *text);
            let graph = value("description: \"The graph");
            assert!(serde_json::from_str::<String>(&format!("\"{graph}")).is_ok(), "{graph}");
        }
    }

    /// Runs a program in the place of sbatch that runs each job, and one in that of Stagewright that prints its arguments.
    #[cfg(unix)]
    #[test]
    fn a_script_runs_the_program_with_the_paths_that_it_was_made_for() {
        use std::os::unix::fs::PermissionsExt;
        let manifest = manifest();
        let dir = tempfile::tempdir().unwrap();
        let program = |name: &str, text: &str| {
            let path = dir.path().join(name);
            std::fs::write(&path, text).unwrap();
            std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o755)).unwrap();
            path
        };
        let run = r#"#!/bin/sh
for word; do case "$word" in --wrap=*) SLURM_ARRAY_TASK_ID=7 sh -c "${word#--wrap=}" 1>&2;; esac; done
echo 123
"#;
        program("sbatch", run);
        let stagewright = program("it's a program", "#!/bin/sh\nprintf '%s\\0' \"$@\"\n");
        let path = format!("{}:{}", dir.path().display(), std::env::var("PATH").unwrap_or_default());
        // Names of folders; a name that breaks the script would make the file PWNED.
        for name in NASTY.iter().filter(|name| !name.is_empty()) {
            let folder = format!("{}/{name}", dir.path().display());
            let call = Call { program: stagewright.to_str().unwrap(), graph: &folder, folder: &folder, options: &[] };
            let script = dir.path().join("slurm.sh");
            std::fs::write(&script, slurm(&manifest, call)).unwrap();
            let run = std::process::Command::new("sh").arg(&script).env("PATH", &path).current_dir(dir.path()).output();
            let run = run.unwrap();
            assert_eq!(run.stdout, b"tasks: 123, contact sheet: 123\n", "{name:?}: {run:?}");
            let expected = ["sweep", &folder, "--out", &folder, "--index", "7", "sweep", "--sheet", &folder];
            let words: Vec<&[u8]> = run.stderr.split(|byte| *byte == 0).collect();
            assert_eq!(words[..words.len() - 1], expected.map(str::as_bytes), "{name:?}");
            assert!(!dir.path().join("PWNED").exists(), "{name:?}");
        }
    }
}
