//! Files that a graph names, and graph files themselves.

use std::fs;

use crate::*;

#[test]
fn a_graph_is_a_regular_file_of_limited_size() {
    let folder = Folder::empty();
    let pipe = folder.pipe("g.ron");
    check(&pipe).refuses("g.ron: it is a pipe, not a regular file");
    check(Path::new("/dev/zero")).refuses("/dev/zero: it is a device, not a regular file");
    check(folder.0.path()).refuses("it is a folder, not a regular file");
    let large = folder.path("large.ron");
    fs::File::create(&large).unwrap().set_len((64 << 20) + 1).unwrap();
    check(&large).refuses("it is larger than 64 MiB");
    let graph = folder.file("good.ron", graph(""));
    folder.link("link.ron", &graph);
    check(&folder.path("link.ron")).works();
    for input in [Path::new("/dev/zero"), &pipe] {
        render(&graph, "1", &folder.path("out"), &["--input", input.to_str().unwrap()]).refuses("not a regular file");
    }
    assert!(!folder.path("out").exists());
}

#[test]
fn meshes_lie_below_the_graphs_folder() {
    let folder = Folder::empty();
    let outside = folder.file("outside.obj", TETRAHEDRON);
    folder.file("mine/in/a.obj", TETRAHEDRON);
    folder.link("mine/link.obj", &outside);
    folder.link("mine/up", folder.0.path());
    let names = ["in/a.obj", "../outside.obj", outside.to_str().unwrap(), "link.obj", "up/outside.obj"];
    for (index, name) in names.iter().enumerate() {
        let graph = folder.file("mine/g.ron", mesh(name));
        let (run, allowed) = (check(&graph), stagewright(&["check", graph.to_str().unwrap(), "--allow-files"]));
        allowed.works();
        if index == 0 {
            run.works();
        } else {
            run.refuses("it lies outside the graph's folder");
            assert!(run.says("--allow-files"), "{}", run.text);
            render(&graph, "1", &folder.path("out"), &[]).refuses("it lies outside the graph's folder");
        }
    }
    assert!(!folder.path("out").exists());
    render(&folder.path("mine/g.ron"), "1", &folder.path("out"), &["--allow-files"]).works();
}

#[test]
fn buffers_of_a_mesh_lie_there_too() {
    let folder = Folder::empty();
    folder.file("outside.bin", [0; 36]);
    folder.file("mine/near.bin", [0; 36]);
    folder.link("mine/link.bin", folder.path("outside.bin"));
    let graph = folder.file("mine/g.ron", mesh("in/a.gltf"));
    for (uri, near) in [
        ("../near.bin", true),
        ("../../outside.bin", false),
        ("%2e%2e/%2e%2e/outside.bin", false),
        ("../link.bin", false),
        ("/etc/passwd", false),
        ("file:///etc/passwd", false),
    ] {
        let json = format!(
            r#"{{"asset":{{"version":"2.0"}},"nodes":[{{"mesh":0}}],"meshes":[{{"primitives":[{{"attributes":{{"POSITION":0}}}}]}}],
            "accessors":[{{"bufferView":0,"componentType":5126,"count":3,"type":"VEC3"}}],
            "bufferViews":[{{"buffer":0,"byteLength":36}}],"buffers":[{{"uri":"{uri}","byteLength":36}}]}}"#
        );
        folder.file("mine/in/a.gltf", json);
        let run = check(&graph);
        if near { run.works() } else { run.refuses("it lies outside the graph's folder") }
    }
}

#[test]
fn pipes_devices_and_bombs_are_refused_as_meshes() {
    let folder = Folder::empty();
    folder.pipe("a.obj");
    let graph = folder.file("g.ron", mesh("a.obj"));
    check(&graph).refuses("it is a pipe, not a regular file");
    folder.link("zero.obj", "/dev/zero");
    let zero = folder.file("zero.ron", mesh("zero.obj"));
    stagewright(&["check", zero.to_str().unwrap(), "--allow-files"]).refuses("it is a device, not a regular file");
    // Buffers that are said to have no bytes, of a large file.
    fs::File::create(folder.path("large.bin")).unwrap().set_len(1 << 30).unwrap();
    let buffers = vec![r#"{"uri":"large.bin","byteLength":0}"#; 64].join(",");
    folder.file("b.gltf", format!(r#"{{"asset":{{"version":"2.0"}},"buffers":[{buffers}]}}"#));
    let graph = folder.file("b.ron", mesh("b.gltf"));
    render(&graph, "1", &folder.path("out"), &[]).refuses("it has no triangles");
    let lying = buffers.replace(":0}", ":1073741825}");
    folder.file("b.gltf", format!(r#"{{"asset":{{"version":"2.0"}},"buffers":[{lying}]}}"#));
    check(&graph).refuses("it is larger than 1024 MiB");
    for name in ["c.obj", "c.glb"] {
        fs::File::create(folder.path(name)).unwrap().set_len((1 << 30) + 1).unwrap();
        check(&folder.file("c.ron", mesh(name))).refuses("it is larger than 1024 MiB");
    }
}

#[test]
fn check_reads_what_render_will_read() {
    let folder = Folder::empty();
    let graph = folder.file("g.ron", mesh("a.obj"));
    check(&graph).refuses("shape.file: ");
    assert!(check(&graph).says("there is no such file"));
    folder.file("a.obj", "v 0 0 zero\n");
    check(&graph).refuses("it is not a valid OBJ file");
    folder.file("a.obj", TETRAHEDRON);
    check(&graph).works();
}

/// Places that are no numbers are none, so that a file with them does not look changed for ever.
#[test]
fn a_place_that_is_no_number_is_none() {
    use stagewright_language::document::Document;
    let text = graph(r#""odd": (number: 1, at: (NaN, 0)), "far": (number: 1, at: (1e400, 5)),"#);
    let document = Document::parse(&text).unwrap();
    assert_eq!(document.nodes["odd"].at, (0.0, 0.0));
    assert_eq!(document.nodes["far"].at, (0.0, 0.0));
    assert_eq!(Document::parse(&document.to_text()).unwrap(), document);
}
