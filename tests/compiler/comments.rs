//! Doc comments are understood alone, as an editor shows them beside a name.

use std::path::Path;

use super::layers::sources;

/// First words that need what stands before them.
const POINTS_BACK: [&str; 27] = [
    "It",
    "Its",
    "That",
    "Those",
    "This",
    "These",
    "They",
    "Their",
    "Them",
    "So",
    "Such",
    "Both",
    "None",
    "One of",
    "The latter",
    "The former",
    "Same",
    "Others",
    "Then",
    "Otherwise",
    "Likewise",
    "Here",
    "And",
    "But",
    "As",
    "Of",
    "The same",
];

/// Whether the first line of a comment begins with one of these words.
fn points_back(line: &str) -> bool {
    POINTS_BACK.iter().any(|word| line.strip_prefix(word).is_some_and(|rest| !rest.starts_with(char::is_alphanumeric)))
}

#[test]
fn a_doc_comment_is_understood_alone() {
    assert!(
        points_back("Its name.")
            && points_back("One of these.")
            && points_back("The latter.")
            && !points_back("Item of a list.")
    );
    let mut files = Vec::new();
    sources(&Path::new(env!("CARGO_MANIFEST_DIR")).join("src"), &mut files);
    let (mut seen, mut wrong) = (0, Vec::new());
    for file in files {
        let text = std::fs::read_to_string(&file).unwrap();
        let mut within = false;
        for (number, line) in text.lines().enumerate() {
            let line = line.trim_start();
            let comment = line.strip_prefix("///").or_else(|| line.strip_prefix("//!"));
            if let Some(comment) = comment.filter(|_| !within) {
                seen += 1;
                if points_back(comment.trim_start()) {
                    wrong.push(format!("{}:{}: {line}", file.display(), number + 1));
                }
            }
            within = comment.is_some();
        }
    }
    assert!(seen > 10_000, "{seen} doc comments");
    assert!(wrong.is_empty(), "begin with a noun or a verb:\n{}", wrong.join("\n"));
}
