//! Jobs for schedulers. A task needs its index alone, since everything else is in the manifest.

use std::path::Path;

use super::manifest::Manifest;

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

/// Name of the template of [`openjd`] in the folder of a sweep.
pub const OPENJD: &str = "openjd.yaml";
/// Name of the script of [`slurm`] in the folder of a sweep.
pub const SLURM: &str = "slurm.sh";
/// Folder of what the tasks of [`slurm`] print, in the folder of a sweep.
pub const LOG: &str = "log";
/// The longest name of a job in Open Job Description.
const LONGEST: usize = 100;

/// A job template of Open Job Description: a task for each index, and the contact sheet after them. Its folder is that of the sweep.
pub fn openjd(manifest: &Manifest, call: Call<'_>) -> String {
    let last = manifest.tasks.len().saturating_sub(1);
    // A YAML string in double quotes is one of JSON.
    let text = |text: &str| serde_json::Value::from(text).to_string();
    let options: String = call.options.iter().map(|option| format!(", {}", text(option))).collect();
    let (name, program) = (text(&format!("Sweep of {}", stem(manifest))), text(call.program));
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
    description: The graph, {graph} when the sweep was made
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
"#,
        graph = call.graph.replace(['\n', '\r'], " "),
    )
}

/// A script that submits an array job to Slurm, and the contact sheet as a job after it. It passes its arguments on to both.
pub fn slurm(manifest: &Manifest, call: Call<'_>) -> String {
    let last = manifest.tasks.len().saturating_sub(1);
    let options: String = call.options.iter().map(|option| format!(" {}", quoted(option))).collect();
    let [program, graph, folder] = [call.program, call.graph, call.folder].map(quoted);
    let name = stem(manifest);
    format!(
        r#"#!/bin/sh
# Submits a task for each run of the sweep, and its contact sheet after them. Arguments are those of sbatch, for both jobs:
#     sh {SLURM} --partition=gpu --gres=gpu:1
# With --array=0-{last}%4, four tasks run at a time.
set -eu
folder={folder}
mkdir -p "$folder/{LOG}"
tasks=$(sbatch --parsable --job-name={name} --array=0-{last} --output="$folder/{LOG}/%a.txt" "$@" <<'JOB'
#!/bin/sh
exec {program} sweep {graph} --out {folder} --index "$SLURM_ARRAY_TASK_ID"{options}
JOB
)
tasks=${{tasks%%;*}}
sheet=$(sbatch --parsable --job-name={name}_sheet --output="$folder/{LOG}/sheet.txt" "$@" --array=0 --dependency="afterany:$tasks" <<'JOB'
#!/bin/sh
exec {program} sweep --sheet {folder}
JOB
)
echo "tasks: $tasks, contact sheet: ${{sheet%%;*}}"
"#
    )
}

/// The name of the graph, of letters, digits and `-_.`.
fn stem(manifest: &Manifest) -> String {
    let stem = Path::new(&manifest.graph).file_stem().unwrap_or_default().to_string_lossy();
    crate::export::names::plain(&stem).chars().take(LONGEST).collect()
}

/// A word for a shell.
fn quoted(text: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "-_./:=,@+%".contains(c);
    if !text.is_empty() && text.chars().all(plain) { text.into() } else { format!("'{}'", text.replace('\'', r"'\''")) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::document::Document;
    use crate::files::Access;
    use crate::library::Library;
    use crate::sweep::manifest::Options;

    #[test]
    fn jobs_run_every_task_and_then_the_sheet() {
        let graph = r#"(version: 1, nodes: { "n": (number: 1) })"#;
        let document = Document::parse(graph).unwrap();
        let options = Options { set: vec!["n.value=0..1:12".into()], frames: (5, 5), ..Options::default() };
        let manifest =
            Manifest::new(&options, "oil clock.ron", &document, Library::builtin(), &Access::default(), None).unwrap();
        let call = Call {
            program: "/opt/stagewright",
            graph: "/shows/oil clock.ron",
            folder: "/shows/it's",
            options: &["--adapter".into(), "NVIDIA L4".into()],
        };
        let both = format!("{}\n=====\n{}", openjd(&manifest, call), slurm(&manifest, call));
        insta::assert_snapshot!(both);
    }
}
