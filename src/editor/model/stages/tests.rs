use std::fs;

use super::*;
use crate::gpu::{Gpu, GpuOptions};
use crate::model::session::Session;

const GRAPH: &str = r#"(version: 1, nodes: {
    "box": (domain: (resolution: (8, 8), width: 1, edge: "clamp")),
    "mine": (stage: "own/half"),
    "look": (stage: "view/color_map", inputs: {"field": "mine.result"}),
    "screen": (output: (), inputs: {"image": "look.image"}),
})"#;

fn half(value: &str) -> String {
    format!("//! Half\n//! @out result: Grid<f32>   A number\n\nfn stage(cell: Cell) -> f32 {{ return {value}; }}\n")
}

/// A folder that is removed after the test, and a session that uses the stages in it.
struct Bench {
    folder: PathBuf,
    session: Session,
}

impl Bench {
    fn new(name: &str) -> Bench {
        let folder = std::env::temp_dir().join(format!("stagewright-stages-{name}-{}", std::process::id()));
        fs::create_dir_all(folder.join("stages/own")).unwrap();
        let session = Session::new(Gpu::new(&GpuOptions::default()).unwrap(), || {});
        let mut bench = Bench { folder, session };
        bench.write("own/half", &half("0.5"));
        let path = bench.folder.join("graph.ron");
        bench.session.open(Document::parse(GRAPH).unwrap(), Some(path));
        bench.wait("the first plan", |session| session.plans() == 1);
        bench
    }

    fn write(&self, name: &str, text: &str) {
        fs::write(self.folder.join("stages").join(format!("{name}.wgsl")), text).unwrap();
    }

    fn wait(&mut self, what: &str, done: impl Fn(&Session) -> bool) {
        let since = Instant::now();
        while !done(&self.session) || self.session.compiling() {
            let problems: Vec<String> = self.session.problems().map(ToString::to_string).collect();
            assert!(since.elapsed() < Duration::from_secs(20), "{what} never came: {problems:?}");
            std::thread::sleep(Duration::from_millis(5));
            self.session.poll();
        }
    }

    /// Whether the running plan contains a text.
    fn runs(session: &Session, text: &str) -> bool {
        session.running_simulation().is_some_and(|s| s.plan().to_text_with_wgsl().contains(text))
    }

    fn problem_texts(&self) -> Vec<String> {
        self.session.problems().map(ToString::to_string).collect()
    }
}

impl Drop for Bench {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.folder);
    }
}

#[test]
fn a_file_that_is_changed_changes_the_plan() {
    let mut bench = Bench::new("change");
    assert!(Bench::runs(&bench.session, "return 0.5;"));
    bench.write("own/half", &half("0.25"));
    bench.wait("the change", |session| Bench::runs(session, "return 0.25;"));
    assert_eq!(bench.problem_texts(), [""; 0]);
    // In pieces, as some editors write, and under another name first, as others do.
    let (whole, temporary) = (half("0.125"), bench.folder.join("stages/own/half.tmp"));
    fs::write(&temporary, &whole).unwrap();
    fs::rename(&temporary, bench.folder.join("stages/own/half.wgsl")).unwrap();
    bench.wait("the exchange", |session| Bench::runs(session, "return 0.125;"));
}

#[test]
fn a_broken_file_keeps_its_last_good_version_until_it_is_repaired() {
    let mut bench = Bench::new("broken");
    bench.write("own/half", &half("0.25").replace("//! @out", "//! @flavour sweet\n//! @out"));
    bench.wait("the problem", |session| session.problems().count() > 0);
    let [problem] = bench.session.problems().cloned().collect::<Vec<_>>().try_into().unwrap();
    assert_eq!((problem.node.as_str(), problem.place.map(|place| place.line)), ("mine", Some(2)));
    assert!(problem.cause.contains("own/half.wgsl, line 2: unknown key `@flavour`"), "{problem}");
    assert!(problem.remedy.contains("last valid version"), "{problem}");
    assert!(Bench::runs(&bench.session, "return 0.5;") && !bench.session.broken());
    bench.write("own/half", &half("0.75"));
    bench.wait("the repaired one", |session| Bench::runs(session, "return 0.75;"));
    assert_eq!(bench.problem_texts(), [""; 0]);
}

#[test]
fn a_shared_file_that_is_changed_changes_the_stages_that_use_it() {
    let mut bench = Bench::new("shared");
    let shared = |value: &str| format!("//! Values\n\nfn value() -> f32 {{ return {value}; }}\n");
    bench.write("own/values", &shared("0.25"));
    bench.write("own/half", &half("value()").replace("//! @out", "//! @use own/values\n//! @out"));
    bench.wait("the use", |session| Bench::runs(session, "return 0.25;"));
    bench.write("own/values", &shared("0.125"));
    bench.wait("the change", |session| Bench::runs(session, "return 0.125;"));
    assert_eq!(bench.problem_texts(), [""; 0]);
    bench.write("own/values", "//! Values\n//! @in x: f32\n");
    bench.wait("the problem", |session| session.problems().count() > 0);
    let problems = bench.problem_texts();
    assert!(problems.iter().all(|problem| problem.contains("own/values.wgsl, line 2: `@in`")), "{problems:?}");
    assert!(Bench::runs(&bench.session, "return 0.125;") && !bench.session.broken());
}

#[test]
fn files_come_and_go() {
    let mut bench = Bench::new("come");
    fs::create_dir_all(bench.folder.join("stages/new/deep")).unwrap();
    std::thread::sleep(2 * QUIET);
    bench.write("new/deep/stage", &half("1.5"));
    bench.wait("the new stage", |session| session.library().stage("new/deep/stage").is_some());
    fs::remove_file(bench.folder.join("stages/own/half.wgsl")).unwrap();
    bench.wait("the loss", |session| session.library().stage("own/half").is_none());
    assert!(
        bench.session.broken() && bench.problem_texts()[0].contains("there is no stage `own/half`"),
        "{:?}",
        bench.problem_texts()
    );
    assert!(Bench::runs(&bench.session, "return 0.5;"), "the last good plan runs on");
    // Even the folder itself may be removed and created again.
    fs::rename(bench.folder.join("stages"), bench.folder.join("away")).unwrap();
    bench.wait("the loss of all", |session| session.problems().any(|p| p.cause.contains("can't be read")));
    fs::rename(bench.folder.join("away"), bench.folder.join("stages")).unwrap();
    bench.write("own/half", &half("0.25"));
    bench.wait("the return", |session| Bench::runs(session, "return 0.25;"));
    assert_eq!(bench.problem_texts(), [""; 0]);
}

#[test]
fn a_built_in_that_is_replaced_is_reported() {
    let mut bench = Bench::new("replace");
    fs::create_dir_all(bench.folder.join("stages/view")).unwrap();
    let stage_text =
        Library::builtin().stage("view/color_map").unwrap().own_text().replace("//! @", "//! My own.\n//! @");
    bench.write("view/color_map", &stage_text);
    bench.wait("the warning", |session| session.problems().count() > 0);
    assert!(bench.problem_texts()[0].contains("replaces the built-in `view/color_map`"), "{:?}", bench.problem_texts());
    assert!(!bench.session.broken());
    let other = bench.folder.join("elsewhere/graph.ron");
    bench.session.open(Document::default(), Some(other));
    assert!(bench.session.library().file("view/color_map").is_none(), "another graph, other stages");
}

/// Pipes, devices and links in the folder are never opened, and do not block opening the graph.
#[cfg(unix)]
#[test]
fn what_is_no_stage_file_is_not_waited_for() {
    use std::os::unix::fs::symlink;
    let mut bench = Bench::new("pipe");
    let at = |name: &str| bench.folder.join("stages").join(name);
    stagewright_test_support::make_pipe(&at("pipe.wgsl"));
    symlink("/dev/zero", at("zero.wgsl")).unwrap();
    symlink("/", at("root")).unwrap();
    let path = bench.folder.join("graph.ron");
    bench.session.open(Document::default(), None);
    let since = Instant::now();
    bench.session.open(Document::parse(GRAPH).unwrap(), Some(path));
    assert!(since.elapsed() < Duration::from_millis(500), "{:?}", since.elapsed());
    assert!(bench.session.compiling() && bench.session.library().stage("own/half").is_none(), "not read yet");
    bench.wait("the plan", |session| session.plans() == 2);
    // It is watched all the same.
    bench.write("own/half", &half("0.75"));
    bench.wait("the change", |session| Bench::runs(session, "return 0.75;"));
    let errors = bench.session.library().errors("pipe").unwrap();
    assert!(errors[0].to_string().contains("it is a pipe, not a regular file"), "{}", errors[0]);
}
