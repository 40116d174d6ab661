//! Boxes in the bytes of a file: blanking all of them, setting one.

use crate::Plan;
use crate::states::decoration;
use markdown::Extent;
use markdown::outline::readable;
use wire::plan::Span;

/// The bytes with every box of the plan replaced by one `_` and with the traces of a tick removed.
///
/// The result is equal before and after any tick, so a tick does not invalidate the proof it rests on. `bytes` is the
/// content of one file of the plan, `path` its path relative to the root.
pub fn blanked(plan: &Plan, path: &str, bytes: &[u8]) -> Vec<u8> {
    let cuts = cuts(plan, path, bytes);
    let mut kept = Vec::with_capacity(bytes.len() + cuts.len());
    let mut from = 0;
    for Cut { at, is_box } in cuts {
        kept.extend_from_slice(bytes.get(from..at.start).unwrap_or_default());
        if is_box {
            kept.push(b'_');
        }
        from = at.end.max(from);
    }
    kept.extend_from_slice(bytes.get(from..).unwrap_or_default());
    kept
}

/// Bytes that a tick changes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Cut {
    /// Where they are.
    pub at: Extent,
    /// Whether they are a box or a word of state; otherwise they are the trace of a tick, which may be missing.
    pub is_box: bool,
}

/// The bytes of a file of the plan that a tick changes, in their order: every box, and the traces of ticks.
pub fn cuts(plan: &Plan, path: &str, bytes: &[u8]) -> Vec<Cut> {
    let tasks = plan.tasks.iter().filter_map(|task| task.mark.as_ref());
    let criteria = plan.tasks.iter().flat_map(|task| &task.criteria).chain(&plan.gates);
    let criteria = criteria.filter(|criterion| criterion.boxed).map(|criterion| &criterion.span);
    let notes = plan.notes.iter().map(|note| &note.span);
    let own = |span: &&Span| span.path == path;
    let mut cuts: Vec<Cut> = Vec::new();
    for span in tasks.clone().filter(own) {
        cuts.extend(decorated(bytes, extent(span, bytes.len())).map(|at| Cut { at, is_box: false }));
    }
    let boxes = tasks.chain(criteria).chain(notes).filter(own);
    cuts.extend(boxes.map(|span| Cut { at: extent(span, bytes.len()), is_box: true }));
    cuts.sort_by_key(|cut| cut.at.start);
    cuts
}

/// The bytes of a span; empty if it lies outside of the file.
pub fn body<'a>(bytes: &'a [u8], span: &Span) -> &'a [u8] {
    let at = extent(span, bytes.len());
    bytes.get(at.start..at.end).unwrap_or_default()
}

/// The bytes with exactly the span replaced by `mark`.
pub fn set_mark(bytes: &[u8], span: &Span, mark: &str) -> Vec<u8> {
    let at = extent(span, bytes.len());
    let mut changed = Vec::with_capacity(bytes.len() + mark.len());
    changed.extend_from_slice(bytes.get(..at.start).unwrap_or_default());
    changed.extend_from_slice(mark.as_bytes());
    changed.extend_from_slice(bytes.get(at.end..).unwrap_or_default());
    changed
}

/// The range of a span in a file of this length.
pub(crate) fn extent(span: &Span, len: usize) -> Extent {
    let start = usize::try_from(span.start).unwrap_or(len).min(len);
    let end = usize::try_from(span.end).unwrap_or(len).clamp(start, len);
    Extent { start, end }
}

/// Whether an offset is in a row of a table.
pub(crate) fn is_in_table(bytes: &[u8], at: usize) -> bool {
    let before = bytes.get(..at).unwrap_or_default();
    let start = before.iter().rposition(|byte| matches!(byte, b'\n' | b'\r')).map_or(0, |end| end + 1);
    before.get(start..).unwrap_or_default().trim_ascii_start().starts_with(b"|")
}

/// The decoration of the line that contains a mark.
fn decorated(bytes: &[u8], mark: Extent) -> impl Iterator<Item = Extent> {
    let rest = bytes.get(mark.end..).unwrap_or_default();
    let end = rest.iter().position(|byte| matches!(byte, b'\n' | b'\r')).unwrap_or(rest.len());
    let line = readable(rest.get(..end).unwrap_or_default());
    decoration::find(&line)
        .into_iter()
        .map(move |found| Extent { start: mark.end + found.start, end: mark.end + found.end })
}
