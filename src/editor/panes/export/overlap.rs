//! Whether two exports write the same files: the later one would delete those of the earlier one before it begins.

use std::path::{Component, Path, PathBuf};

use crate::export::frames::Frames;
use crate::export::job::{Export, Item};

/// The first file that both write, if they write any.
pub(super) fn common_file(one: &Export, other: &Export) -> Option<PathBuf> {
    let mut pairs = one.items.iter().flat_map(|item| other.items.iter().map(move |theirs| (item, theirs)));
    pairs.find_map(|(item, theirs)| common(one, item, other, theirs))
}

fn common(one: &Export, item: &Item, other: &Export, theirs: &Item) -> Option<PathBuf> {
    let path = |export: &Export, item: &Item, frame| Export { items: vec![item.clone()], ..export.clone() }.path(frame);
    let single = item.format.single && theirs.format.single;
    let (first, other_first) = (one.frames.first(), other.frames.first());
    let frames = if single { Some((first, other_first)) } else { common_number(&one.frames, &other.frames) };
    let (frame, other_frame) = frames?;
    let (ours, theirs) = (path(one, item, frame), path(other, theirs, other_frame));
    let same = ours.file_name() == theirs.file_name() && resolved(&ours) == resolved(&theirs);
    same.then_some(ours)
}

/// The frames of the first number that files of both have. With other steps, a number is that of another frame.
fn common_number(one: &Frames, other: &Frames) -> Option<(u64, u64)> {
    let [(first, last), (other_first, other_last)] =
        [one, other].map(|frames| (frames.number(frames.first()), frames.number(frames.last())));
    let number = first.max(other_first);
    let both = one.count() > 0 && other.count() > 0 && number <= last.min(other_last);
    both.then_some((one.of_number(number)?, other.of_number(number)?))
}

/// A path without `.`, `..` and links in its folders, as far as they exist.
fn resolved(path: &Path) -> PathBuf {
    let mut found = PathBuf::new();
    for part in std::path::absolute(path).unwrap_or_else(|_| path.into()).components() {
        match part {
            Component::ParentDir => drop(found.pop()),
            part => found.push(part),
        }
        if let Ok(canonical) = found.canonicalize() {
            found = canonical;
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::export::FORMATS;
    use crate::export::job::ExportSubject;

    fn export(folder: &Path, formats: &[&str], frames: Frames) -> Export {
        let format = |name: &&str| FORMATS.iter().find(|format| format.name == *name).expect("a format");
        let items = formats.iter().map(|name| Item::images(ExportSubject::Output(None), format(name))).collect();
        let folder = folder.to_path_buf();
        Export { frames, size: None, items, folder, resume: false, overwrite: false, checkpoints: None, unseen: false }
    }

    #[test]
    fn exports_overlap_where_they_have_a_file_in_common() {
        let root = std::env::temp_dir().join(format!("stagewright-overlap-{}", std::process::id()));
        std::fs::create_dir_all(root.join("a/b")).unwrap();
        let (a, frames) = (root.join("a"), Frames::from(1..=400));
        let one = export(&a, &["png", "exr"], frames);
        let meets = |folder: &Path, formats: &[&str], frames: Frames| {
            let other = export(folder, formats, frames);
            let (here, there) = (common_file(&one, &other), common_file(&other, &one));
            assert_eq!(here.is_some(), there.is_some(), "{formats:?} {frames:?}");
            here.is_some()
        };
        assert!(meets(&a, &["png"], frames) && meets(&a, &["exr"], frames));
        assert!(meets(&root.join("a/b/../"), &["png"], frames), "the same folder by another name");
        assert!(meets(&a, &["png"], (400..=500).into()) && !meets(&a, &["png"], (401..=500).into()));
        assert!(meets(&a, &["png"], Frames::new(2..=400, 2)));
        assert!(!meets(&a.join("b"), &["png", "exr"], frames), "another folder");
        #[cfg(unix)]
        {
            std::os::unix::fs::symlink(&a, root.join("link")).unwrap();
            assert!(meets(&root.join("link"), &["png"], frames), "the same folder by a link");
        }
        // With a step, numbers are consecutive: other frames have the same files, and later parts of the range have others.
        let odd = export(&a, &["png"], Frames::new(1..=99, 2));
        assert!(common_file(&odd, &export(&a, &["png"], Frames::new(2..=100, 2))).is_some());
        assert!(common_file(&odd, &export(&a, &["png"], Frames::new(101..=199, 2))).is_none());
        assert!(common_file(&odd, &export(&a, &["png"], (51..=60).into())).is_none());
        // Files that hold all frames.
        let movie = export(&a, &["gif"], (1..=9).into());
        assert!(common_file(&movie, &export(&a, &["gif"], (20..=29).into())).is_some());
        std::fs::remove_dir_all(root).unwrap();
    }
}
