//! After any sequence of random edits of a graph, the document can be written, read and built.

use stagewright_test_support::random_edits::{Dice, STEPS, edit, seeds, start, vary};
use stagewright_test_support::seed;

use super::*;

/// Edits of a document with a variant chosen change it and the default, and both stay whole.
#[test]
fn after_any_edits_a_variant_and_the_default_are_whole() {
    let mut varied = 0;
    let seeds = seeds(48);
    let runs = seeds.clone().count();
    for seed in seeds {
        let _case = seed::Case::begin(seed, "after_any_edits_a_variant");
        let (mut dice, mut document) = (Dice::new(seed), start(seed));
        vary(&mut document, &mut dice);
        varied += usize::from(document.variant.is_some());
        run(document, seed);
    }
    assert!(runs < 8 || varied > runs / 2, "{varied} of {runs} have a variant");
}

/// Edits a document, as the editor does. Returns how many edits were done, and how many of the documents that were tried are built.
fn run(mut document: Document, seed: u64) -> (usize, usize) {
    let (mut dice, mut clipboard) = (Dice::new(seed), String::new());
    let (mut good, mut built) = (0, 0);
    let mut log = Vec::new();
    for step in 0..STEPS {
        let before = document.clone();
        let done = edit(&mut document, &mut dice, &mut clipboard);
        assert!(
            !done.contains("Err") || document == before || done.starts_with("18") || done.starts_with("16"),
            "an error changes nothing: {done}"
        );
        document.claim_for_variant(&before);
        good += usize::from(!done.contains("Err"));
        log.push(done);
        let text = document.to_text();
        let again = Document::parse(&text).unwrap_or_else(|e| panic!("{e} after {log:#?}\n{text}"));
        assert_eq!(again, document, "after {log:#?}");
        assert_eq!(again.to_text(), text);
        if step % 4 == 0 {
            built += usize::from(builds(&document).is_ok());
        }
    }
    (good, built)
}

#[test]
fn after_any_edits_the_document_is_written_read_and_built() {
    let (mut good, mut built, mut runs) = (0, 0, 0);
    for seed in seeds(48) {
        let _case = seed::Case::begin(seed, "after_any_edits_the_document");
        let (more, graphs) = run(start(seed), seed);
        (good, built, runs) = (good + more, built + graphs, runs + 1);
    }
    let edits = runs * STEPS;
    println!("{good} of {edits} edits done, {built} of {} graphs ran", edits / 4);
    assert!(runs < 8 || good > edits / 2 && built > runs / 2, "most edits do something, and some graphs still run");
}
