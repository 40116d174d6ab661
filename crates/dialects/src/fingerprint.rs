//! What a task asks for, as a digest that a tick does not change.
//!
//! Hashed are the raw bytes of the section with line ends normalised, every box blanked and what a tick leaves
//! behind taken out, then a NUL and the sorted ids of its dependencies, each ended by a NUL.

use crate::{Extent, Outline, decoration};
use toolkit::sha::Hasher;
use wire::{Fingerprint, TaskId};

/// The fingerprint of the section at `at`. `line` is where the task's own name stands.
pub(crate) fn of(outline: &Outline, at: Extent, line: Extent, depends_on: &[TaskId]) -> Fingerprint {
    let mut hash = Hasher::new();
    let mut from = at.start;
    for cut in cuts(outline, at, line) {
        lines(&mut hash, outline.bytes.get(from..cut.at.start).unwrap_or_default());
        if cut.is_box {
            hash.update(b"_");
        }
        from = cut.at.end.max(from);
    }
    lines(&mut hash, outline.bytes.get(from..at.end).unwrap_or_default());
    let mut ids: Vec<_> = depends_on.iter().map(TaskId::as_str).collect();
    ids.sort_unstable();
    for id in ids {
        hash.update(b"\0");
        hash.update(id.as_bytes());
    }
    Fingerprint(format!("fp1:{}", hash.finish()))
}

struct Cut {
    at: Extent,
    is_box: bool,
}

/// What is not hashed as it is, in order.
fn cuts(outline: &Outline, at: Extent, line: Extent) -> Vec<Cut> {
    let heads = outline.headings_in(at).iter().filter_map(|heading| heading.mark);
    let items = outline.items_in(at).iter().filter_map(|item| item.mark);
    let mut cuts: Vec<_> = heads.chain(items).map(|at| Cut { at, is_box: true }).collect();
    let decorated = decoration::find(outline.str(line));
    cuts.extend(decorated.into_iter().map(|found| {
        let at = Extent { start: line.start + found.start, end: line.start + found.end };
        Cut { at, is_box: false }
    }));
    cuts.sort_by_key(|cut| cut.at.start);
    cuts
}

fn lines(hash: &mut Hasher, bytes: &[u8]) {
    let mut rest = bytes;
    while let Some(at) = rest.iter().position(|&byte| byte == b'\r') {
        let (line, after) = rest.split_at(at);
        hash.update(line);
        if after.get(1) != Some(&b'\n') {
            hash.update(b"\r");
        }
        rest = after.get(1..).unwrap_or_default();
    }
    hash.update(rest);
}
