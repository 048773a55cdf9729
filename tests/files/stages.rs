//! The `stages` folder beside a graph.

use std::fs;

use crate::*;

const RED: &str =
    "//! Red\n//! @out image: Image\n\nfn stage(cell: Cell) -> vec4f {\n    return vec4f(1.0, 0.0, 0.0, 1.0);\n}\n";

/// A graph that uses a stage of its own.
fn graph_with_stage(folder: &Folder) -> PathBuf {
    let nodes = r#""mine": (stage: "mine/red"), "other": (output: (), inputs: {"image": "mine.image"}),"#;
    folder.file("stages/mine/red.wgsl", RED);
    folder.file("g.ron", graph(nodes))
}

#[test]
fn pipes_links_and_devices_are_passed_over_or_named() {
    let folder = Folder::empty();
    let graph = graph_with_stage(&folder);
    folder.pipe("stages/pipe.wgsl");
    folder.pipe("stages/no_stage");
    folder.link("stages/root", "/");
    folder.link("stages/round", folder.path("stages"));
    folder.link("stages/zero.wgsl", "/dev/zero");
    folder.link("stages/secret.wgsl", folder.file("secret", RED));
    let run = check(&graph);
    run.works();
    assert!(run.took < Duration::from_secs(20), "{:?}", run.took);
    let text = fs::read_to_string(&graph).unwrap();
    for (name, what) in [("pipe", "a pipe"), ("zero", "a symbolic link"), ("secret", "a symbolic link")] {
        fs::write(&graph, text.replace("mine/red", name)).unwrap();
        check(&graph).refuses(&format!("it is {what}, not a regular file"));
    }
    fs::write(&graph, text.replace("mine/red", "round/mine/red")).unwrap();
    check(&graph).refuses("there is no stage");
}

#[test]
fn a_folder_that_is_a_link_is_refused() {
    let folder = Folder::empty();
    let graph = graph_with_stage(&folder);
    fs::rename(folder.path("stages"), folder.path("real")).unwrap();
    folder.link("stages", folder.path("real"));
    check(&graph).refuses("it is a symbolic link, which is not followed");
    let real = folder.path("real");
    stagewright(&["check", graph.to_str().unwrap(), "--stages", real.to_str().unwrap()]).works();
}

#[test]
fn sizes_counts_and_depth_are_limited() {
    let folder = Folder::empty();
    let graph = graph_with_stage(&folder);
    fs::File::create(folder.path("stages/mine/red.wgsl")).unwrap().set_len((1 << 20) + 1).unwrap();
    check(&graph).refuses("it is larger than 1 MiB");
    folder.file("stages/mine/red.wgsl", RED);
    check(&graph).works();
    (0..4096).for_each(|i| drop(folder.file(&format!("stages/many/{i}.wgsl"), "")));
    check(&graph).refuses("it holds more than 4096 stages");
    fs::remove_dir_all(folder.path("stages/many")).unwrap();
    folder.file(&format!("stages/{}a.wgsl", "deep/".repeat(17)), RED);
    check(&graph).refuses("its folders are more than 16 deep");
    fs::remove_dir_all(folder.path("stages/deep")).unwrap();
    for i in 0..65 {
        fs::File::create(folder.path(&format!("stages/{i}.wgsl"))).unwrap().set_len(1 << 20).unwrap();
    }
    check(&graph).refuses("its stages have more than 64 MiB");
}
