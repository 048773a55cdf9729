use stagewright::bench;
use stagewright::document::Document;
use stagewright::graph::Graph;
use stagewright::library::Library;
use stagewright::plan::tuning::Otherwise;
use stagewright::plan::{Keep, Plan, PlanOptions, Tuning};
#[test]
fn dump() {
    let Ok(to) = std::env::var("DUMP") else { return };
    std::fs::create_dir_all(&to).unwrap();
    let mut docs: Vec<(String, Document)> = Vec::new();
    let mut files: Vec<_> = std::fs::read_dir("graphs")
        .unwrap()
        .chain(std::fs::read_dir("graphs/templates").unwrap())
        .map(|e| e.unwrap().path())
        .filter(|p| p.extension().is_some_and(|e| e == "ron"))
        .collect();
    files.sort();
    for f in files {
        docs.push((
            f.file_stem().unwrap().to_string_lossy().into(),
            Document::parse(&std::fs::read_to_string(&f).unwrap()).unwrap(),
        ));
    }
    for name in bench::cases::names() {
        docs.push((name.clone(), bench::cases::case(&name).unwrap().unwrap()));
    }
    for (name, d) in docs {
        let graph = match Graph::build(&d, Library::builtin()) {
            Ok(g) => g,
            Err(e) => {
                println!("{name}: {e}");
                continue;
            }
        };
        let cpu = Tuning { otherwise: Otherwise::Cpu, ..Tuning::gpu() };
        let big = Tuning { buffers: 16, ..Tuning::gpu() };
        for (t, tuning) in [("plain", Tuning::default()), ("gpu", Tuning::gpu()), ("cpu", cpu), ("gpu16", big)] {
            for (k, keep) in [("needed", Keep::Needed), ("all", Keep::All)] {
                let options =
                    PlanOptions { tuning: tuning.clone(), keep, folder: "graphs".into(), ..PlanOptions::default() };
                let text = match Plan::compile(&graph, &options) {
                    Ok(p) => p.to_text_with_wgsl() + &serde_json::to_string(&p).unwrap_or_default(),
                    Err(e) => e.to_string(),
                };
                std::fs::write(format!("{to}/{name}.{t}.{k}"), text).unwrap();
            }
        }
    }
}
