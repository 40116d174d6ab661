//! Order in words and arrows: `A → B → C`, `{A, B} → C`, `A/B → C`, `A → ALL other tasks`.
//!
//! Box drawings and mermaid diagrams are ignored: only lines with arrows between ids are read.

use super::id::{Ids, Mention};
use markdown::Extent;

/// The chains in a line, each from first to last; unknown ids are included.
pub(crate) fn chains(line: &str, ids: &Ids) -> Vec<Vec<String>> {
    if line.contains(DRAWN) || !has_arrow(line) {
        return Vec::new();
    }
    let mentions = ids.mentions(line);
    let groups = groups(line, &mentions, ids);
    if groups.len() < 2 {
        return Vec::new();
    }
    if groups.iter().all(|group| group.len() == 1) {
        return vec![groups.into_iter().flatten().collect()];
    }
    let mut found = Vec::new();
    for pair in groups.windows(2) {
        let [before, after] = pair else { continue };
        for first in before {
            found.extend(after.iter().map(|second| vec![first.clone(), second.clone()]));
        }
        if found.len() > MANY {
            return Vec::new();
        }
    }
    found
}

/// The ids that may run together according to a line; steps inside one task are not tasks.
pub(crate) fn together(line: &str, ids: &Ids) -> Vec<String> {
    let mut members: Vec<String> = Vec::new();
    if has_arrow(line) {
        return members;
    }
    for mention in ids.mentions(line) {
        let behind = line.get(mention.end..).unwrap_or_default().trim_start();
        let is_new = !members.contains(&mention.id);
        if is_new && !behind.starts_with("step") && ids.known(&mention.id).is_some() {
            members.push(mention.id);
        }
    }
    members
}

/// The maximum number of ids in a line; no real plan has more.
const MANY: usize = 10_000;

const DRAWN: [char; 11] = ['│', '├', '└', '┬', '┐', '┘', '─', '┴', '┼', '┤', '┌'];

pub(crate) fn has_arrow(line: &str) -> bool {
    line.contains('→') || line.contains("->")
}

/// The ids between one arrow and the next. Only ids next to the arrow count: prose follows a colon.
fn groups(line: &str, mentions: &[Mention], ids: &Ids) -> Vec<Vec<String>> {
    let mut groups: Vec<Vec<String>> = Vec::new();
    for part in parts(line) {
        let text = line.get(part.start..part.end).unwrap_or_default();
        let (start, end) = close(text, groups.is_empty());
        let inside = |m: &&Mention| part.start + start <= m.start && m.end <= part.start + end;
        let mut members: Vec<String> = mentions.iter().filter(inside).map(|m| m.id.clone()).collect();
        members.dedup();
        if members.is_empty() && says_all(text) {
            let others = |name: &&String| !groups.iter().flatten().any(|known| known == *name);
            members = ids.all().iter().filter(others).cloned().collect();
        }
        if members.is_empty() {
            return Vec::new();
        }
        groups.push(members);
    }
    drop_last_of_all(&mut groups);
    groups
}

/// The text between the arrows.
fn parts(line: &str) -> Vec<Extent> {
    let mut parts = Vec::new();
    let mut start = 0;
    for (at, c) in line.char_indices() {
        let arrow = if c == '→' { c.len_utf8() } else { 2 };
        if c == '→' || line.get(at..).is_some_and(|rest| rest.starts_with("->")) {
            parts.push(Extent { start, end: at });
            start = at + arrow;
        }
    }
    parts.push(Extent { start, end: line.len() });
    parts
}

/// `ALL tasks → X` must not make `X` wait for itself.
fn drop_last_of_all(groups: &mut [Vec<String>]) {
    let single: Vec<String> = groups.iter().filter(|group| group.len() == 1).flatten().cloned().collect();
    for group in groups.iter_mut().filter(|group| group.len() > 1) {
        group.retain(|id| !single.contains(id));
    }
}

/// The part of a member that is not prose: after a label, up to a colon or a parenthesis.
fn close(text: &str, is_first: bool) -> (usize, usize) {
    let start = if is_first {
        text.rsplit_once([':', '：']).map_or(0, |(_, rest)| text.len() - rest.len())
    } else {
        0
    };
    let rest = text.get(start..).unwrap_or_default();
    let end = if is_first { rest.len() } else { rest.find([':', '：', '(', '（']).unwrap_or(rest.len()) };
    (start, start + end)
}

fn says_all(text: &str) -> bool {
    let text = text.trim_start_matches(['-', '*', ' ', '`']);
    ["ALL ", "All ", "all ", "所有"].iter().any(|word| text.starts_with(word)) || text.trim() == "ALL"
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ids() -> Ids {
        Ids::new((1..=5).map(|number| format!("IMPL-00{number}")))
    }

    #[test]
    fn chains_of_all_forms_are_read() {
        for (line, wanted) in [
            ("- IMPL-001 → IMPL-002 → IMPL-003 (why IMPL-005)", "1-2-3"),
            ("`IMPL-001 -> IMPL-002`", "1-2"),
            ("- 主链 A：IMPL-001 → IMPL-003", "1-3"),
            ("{IMPL-001, IMPL-002} → IMPL-004", "1-4 2-4"),
            ("IMPL-002/003/004 → IMPL-005 (all)", "2-5 3-5 4-5"),
            ("IMPL-001 (Summary) → IMPL-002 (Architecture): it references IMPL-001", "1-2"),
            ("IMPL-001 → ALL other tasks", "1-2 1-3 1-4 1-5"),
            ("ALL implementations → IMPL-005", "1-5 2-5 3-5 4-5"),
            ("  IMPL-001 ──┬──> IMPL-002", ""),
            ("algorithm → runner → IMPL-003", ""),
            ("IMPL-001 and IMPL-002", ""),
        ] {
            let found = chains(line, &ids());
            let shown: Vec<String> = found
                .iter()
                .map(|chain| {
                    chain.iter().map(|id| id.trim_start_matches("IMPL-00")).collect::<Vec<_>>().join("-")
                })
                .collect();
            assert_eq!(shown.join(" "), wanted, "{line}");
        }
    }

    #[test]
    fn steps_inside_a_task_are_no_group() {
        assert_eq!(together("IMPL-004, IMPL-005 can run in parallel", &ids()), ["IMPL-004", "IMPL-005"]);
        assert!(together("IMPL-005 steps 1-5: config files", &ids()).is_empty());
    }
}
