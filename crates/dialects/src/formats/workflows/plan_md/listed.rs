//! Boxes in the text of a task that are named like tasks, `- [ ] TODO 7: …`, but have no heading.
//!
//! They remain part of that task; a diagnostic tells the author that they are not tasks.

use super::section::Sections;
use crate::Plan;
use crate::explain::look;
use crate::lists::items;
use markdown::{Outline, two_threads};
use std::collections::HashSet;
use std::sync::LazyLock;
use wire::plan::Severity;

/// Reports each such box.
pub(crate) fn report(outline: &Outline, sections: &Sections, plan: &mut Plan) {
    // Computed on demand: in most plans no box has such a name.
    let known = LazyLock::new(|| {
        let names: HashSet<(&str, &str)> =
            sections.iter().filter_map(|section| look::names(outline.str(section.head.at))).collect();
        let words: HashSet<&str> = names.iter().map(|(word, _)| *word).collect();
        (names, words)
    });
    let found = two_threads::gather(&sections.list, |section, found| {
        let boxes = outline.items_in(section.text).iter().filter(|item| item.mark.is_some() && !item.quoted);
        for item in boxes {
            let line = items::line_of(outline, item);
            let Some((word, id)) = look::numbered(outline.str(line)) else { continue };
            // `1.2` within `1` is a part of `1`.
            let part = id.strip_prefix(section.id.as_str()).is_some_and(|rest| rest.starts_with(['.', '-']));
            let (names, words) = &*known;
            if !part && words.contains(word) && !names.contains(&(word, id)) {
                let message = format!("a box in task '{}' is named '{id}', which is no task", section.id);
                let start = item.at.start;
                found.push(outline.diagnostic(Severity::Warning, "item-not-taken", message, start));
            }
        }
    });
    plan.diagnostics.extend(found);
}
