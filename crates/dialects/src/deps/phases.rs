//! Phases given by headings, and the tasks in them.

use crate::Plan;
use markdown::{Heading, Outline};
use wire::plan::Phase;

/// Reads the headings that `named` recognises as phases, with id and title, and sets the phase of every task.
pub(crate) fn read(outline: &Outline, plan: &mut Plan, named: impl Fn(&str) -> Option<(String, String)>) {
    // Where a phase begins or, without an id, ends.
    let mut edges: Vec<(usize, Option<String>)> = Vec::new();
    let mut level = None;
    for heading in outline.headings.iter().filter(|heading| heading.atx && !heading.inner) {
        if let Some((id, title)) = named(text(outline, heading)) {
            level = Some(heading.level);
            edges.push((heading.at.start, Some(id.clone())));
            plan.phases.push(Phase { id, title, ..Phase::default() });
        } else if level.is_some_and(|level| heading.level <= level) {
            level = None;
            edges.push((heading.at.start, None));
        }
    }
    for task in &mut plan.tasks {
        let start = usize::try_from(task.span.start).unwrap_or(usize::MAX);
        let next = edges.partition_point(|(at, _)| *at <= start);
        task.phase = next.checked_sub(1).and_then(|last| edges.get(last)?.1.clone());
    }
}

/// The text of a heading without its marks.
pub(crate) fn text<'o>(outline: &'o Outline, heading: &Heading) -> &'o str {
    outline.str(heading.at).trim_matches(['#', ' ', '\t', '*'])
}

/// `Phase 2: title`: the number and the title after one of the words.
pub(crate) fn after_word(text: &str, words: &[&str]) -> Option<(String, String)> {
    let rest = words.iter().find_map(|word| {
        let head = text.get(..word.len())?;
        head.eq_ignore_ascii_case(word).then(|| text.get(word.len()..))?
    })?;
    let rest = rest.strip_prefix([' ', '\t'])?.trim_start();
    let end =
        rest.find(|c: char| !(c.is_ascii_alphanumeric() || matches!(c, '.' | '-'))).unwrap_or(rest.len());
    let id = rest.get(..end)?.trim_end_matches(['.', '-']);
    let short =
        !id.is_empty() && id.len() <= 12 && (id.len() <= 2 || id.contains(|c: char| c.is_ascii_digit()));
    let title = rest.get(id.len()..)?.trim_start_matches([' ', ':', '.', '-', '—', '–', ')', '\t']);
    short.then(|| (id.to_owned(), title.trim().to_owned()))
}

/// `2. title` or `2) title`: the number and the title.
pub(crate) fn numbered(text: &str) -> Option<(String, String)> {
    let digits = text.bytes().take_while(u8::is_ascii_digit).count();
    let rest = text.get(digits..)?.strip_prefix(['.', ')'])?;
    let title = rest.strip_prefix([' ', '\t'])?.trim();
    (digits > 0 && digits < 5).then(|| (text.get(..digits).unwrap_or_default().to_owned(), title.to_owned()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_and_titles_are_told_apart() {
        let pair = |id: &str, title: &str| Some((id.to_owned(), title.to_owned()));
        assert_eq!(after_word("Phase 2: Do it", &["phase"]), pair("2", "Do it"));
        assert_eq!(after_word("Task 2.5 - Do", &["task", "iteration"]), pair("2.5", "Do"));
        assert_eq!(after_word("Phase N: Polish", &["phase"]), pair("N", "Polish"));
        assert_eq!(after_word("Task list", &["task"]), None);
        assert_eq!(after_word("Tasks", &["task"]), None);
        assert_eq!(numbered("3. Third"), pair("3", "Third"));
        assert_eq!(numbered("1) First"), pair("1", "First"));
        assert_eq!(numbered("2026 plan"), None);
    }
}
