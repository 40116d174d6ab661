//! A digest of a task's requirements that a tick does not change.
//!
//! It covers the raw bytes of the section with line ends normalised, every box blanked and the traces of a tick
//! removed, then a NUL and the sorted ids of the dependencies, each terminated by a NUL.

use crate::states::decoration;
use markdown::{Extent, Outline};
use memchr::memchr;
use toolkit::files::sha::Hasher;
use wire::{Fingerprint, TaskId};

/// The fingerprint of the section at `at`, with every box in it blanked. `line` is the line of the task's own name.
pub(crate) fn of(outline: &Outline, at: Extent, line: Extent, depends_on: &[TaskId]) -> Fingerprint {
    let heads = outline.headings_in(at).iter().filter_map(|heading| heading.mark);
    let items = outline.items_in(at).iter().filter_map(|item| item.mark);
    let mut boxes: Vec<_> = heads.chain(items).collect();
    boxes.sort_unstable_by_key(|at| at.start);
    with_boxes(outline, at, &boxes, line, depends_on)
}

/// The same for known boxes.
pub(crate) fn with_boxes(
    outline: &Outline,
    at: Extent,
    boxes: &[Extent],
    line: Extent,
    depends_on: &[TaskId],
) -> Fingerprint {
    let mut hash = Hasher::new();
    let mut from = at.start;
    let mut boxes = boxes.iter().copied().peekable();
    let decorated = decoration::find(outline.str(line));
    let mut decorated = decorated
        .into_iter()
        .map(|found| Extent { start: line.start + found.start, end: line.start + found.end })
        .peekable();
    loop {
        let is_box = match (boxes.peek(), decorated.peek()) {
            (None, None) => break,
            (Some(mark), Some(note)) => mark.start <= note.start,
            (mark, _) => mark.is_some(),
        };
        let Some(cut) = (if is_box { boxes.next() } else { decorated.next() }) else { break };
        lines(&mut hash, outline.bytes.get(from..cut.start).unwrap_or_default());
        if is_box {
            hash.update(b"_");
        }
        from = cut.end.max(from);
    }
    lines(&mut hash, outline.bytes.get(from..at.end).unwrap_or_default());
    finish(hash, depends_on)
}

/// The fingerprint of a task that a section elsewhere describes: its own, then the section without the ranges in `cuts`,
/// which are in order.
pub(crate) fn with_section(own: &Fingerprint, outline: &Outline, at: Extent, cuts: &[Extent]) -> Fingerprint {
    let mut hash = Hasher::new();
    hash.update(own.0.as_bytes());
    let mut from = at.start;
    for cut in cuts.iter().filter(|cut| cut.start >= at.start && cut.start < at.end) {
        lines(&mut hash, outline.bytes.get(from..cut.start).unwrap_or_default());
        hash.update(b"_");
        from = cut.end.max(from).min(at.end);
    }
    lines(&mut hash, outline.bytes.get(from..at.end).unwrap_or_default());
    Fingerprint(hash.finish_as("fp1:"))
}

/// The fingerprint of what is hashed so far and of the dependencies, whatever their order.
pub(crate) fn finish(mut hash: Hasher, depends_on: &[TaskId]) -> Fingerprint {
    let mut ids: Vec<_> = depends_on.iter().map(TaskId::as_str).collect();
    ids.sort_unstable();
    for id in ids {
        hash.update(b"\0");
        hash.update(id.as_bytes());
    }
    Fingerprint(hash.finish_as("fp1:"))
}

fn lines(hash: &mut Hasher, bytes: &[u8]) {
    // Fast path: most files have no CR.
    if memchr(b'\r', bytes).is_none() {
        return hash.update(bytes);
    }
    let mut rest = bytes;
    while let Some(at) = memchr(b'\r', rest) {
        let (line, after) = rest.split_at(at);
        hash.update(line);
        if after.get(1) != Some(&b'\n') {
            hash.update(b"\r");
        }
        rest = after.get(1..).unwrap_or_default();
    }
    hash.update(rest);
}
