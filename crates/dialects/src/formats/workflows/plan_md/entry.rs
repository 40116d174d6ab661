//! Tasks that are list items with the same fields below them: `- [ ] 1. title` with `**What to do**:` and the rest.
//!
//! Only a plan without boxed headings has them. The boxes below the fields of such an item are its steps and
//! criteria.

use super::heading::Head;
use super::task::Link;
use crate::Plan;
use crate::deps::phases;
use crate::fields::labels::{self, Name};
use crate::lists::items;
use markdown::{Extent, Outline};
use memchr::memmem;
use wire::plan::Kind;

/// The items that are tasks, with the range of each item.
pub(crate) fn heads(outline: &Outline) -> Vec<(Head, Extent)> {
    let mut heads = Vec::new();
    for item in outline.items.iter().filter(|item| item.depth == 0 && !item.quoted) {
        let line = items::line_of(outline, item);
        let Some(mark) = item.mark.filter(|_| is_named(outline.str(line))) else { continue };
        heads.push((Head::of_item(outline, mark, Extent { start: item.at.start, end: line.end }), item.at));
    }
    heads
}

/// Whether the tasks of a plan without boxed headings are such items.
pub(crate) fn are_tasks(outline: &Outline) -> bool {
    // Every such plan contains one of these words; most others contain neither.
    let has = |word: &str| memmem::find(outline.bytes, word.as_bytes()).is_some();
    (has("**What to do") || has("**Acceptance")) && {
        let heads = heads(outline);
        let told = heads.iter().filter(|(head, at)| has_fields(outline, head, *at)).count();
        told > 0 && told * 2 >= heads.len()
    }
}

/// A task below a heading such as `Final Verification Wave` checks the whole plan, so it waits for all work that does
/// not wait for it, unless it states its own dependencies.
pub(crate) fn last(outline: &Outline, plan: &mut Plan, links: &mut [Option<Box<Link>>]) {
    let headings: Vec<_> = outline.headings.iter().filter(|heading| heading.atx && !heading.inner).collect();
    for (task, link) in plan.tasks.iter_mut().zip(links) {
        let start = usize::try_from(task.span.start).unwrap_or(usize::MAX);
        let next = headings.partition_point(|heading| heading.at.start < start);
        let above = next.checked_sub(1).and_then(|last| headings.get(last));
        let name = above.map_or_else(String::new, |heading| phases::text(outline, heading).to_lowercase());
        if FINAL.iter().any(|word| name.starts_with(word)) {
            task.kind = Kind::Verification;
            let link = link.get_or_insert_default();
            if link.depends.is_empty() {
                link.depends.push(("all work".to_owned(), start));
            }
        }
    }
}

const FINAL: &[&str] = &["final verification", "最终验证", "최종 검증", "最終検証"];

fn is_named(line: &str) -> bool {
    items::own_id(line).is_some()
        || phases::after_word(line.trim_start_matches('*'), &["task", "todo"]).is_some()
}

fn has_fields(outline: &Outline, head: &Head, item: Extent) -> bool {
    let text = Extent { start: head.at.end, end: item.end };
    let mut lines = outline.lines_in(text).filter(|line| line.veil.is_none());
    lines.any(|line| {
        let text = outline.str(line.at);
        text.trim_start().starts_with("**")
            && matches!(labels::label(text), Some((Name::Steps | Name::Criteria, _)))
    })
}
