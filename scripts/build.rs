//! Stages and library groups are part of the binary: a new or changed file there makes a new build.

fn main() {
    println!("cargo:rerun-if-changed=shaders");
    println!("cargo:rerun-if-changed=graphs");
}
