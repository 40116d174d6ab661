//! Statements of the list itself about the order of its tasks.
//!
//! They stand on a task's own line, in a field below it, in the heading above it, or as sentences in a section about
//! dependencies. Chains of arrows are hints for the strategy.

use super::chain;
use super::entry::Entry;
use super::field::Name;
use super::id::Ids;
use crate::Plan;
use crate::formats::workflows::workflow::list::List;
use markdown::{Extent, Outline};
use wire::TaskId;
use wire::plan::Severity;

/// The statements for each task.
pub(crate) struct Stated {
    /// Whether the list states the task's dependencies, even if there are none.
    pub(crate) says: Vec<bool>,
    /// Chains stated with arrows, with their offset.
    pub(crate) chains: Vec<(Vec<String>, usize)>,
}

/// Reads the dependencies that the list states into the plan's tasks.
pub(crate) fn read(outline: &Outline, list: &List, ids: &Ids, plan: &mut Plan) -> Stated {
    let mut stated = Stated { says: vec![false; list.entries.len()], chains: Vec::new() };
    for (number, entry) in list.entries.iter().enumerate() {
        let mut texts: Vec<Extent> = inline(outline, entry).into_iter().collect();
        let fields = list.fields.get(number).into_iter().flatten();
        texts.extend(fields.filter(|field| field.name == Name::Depends).map(|field| field.value));
        for at in texts {
            if let Some(slot) = stated.says.get_mut(number) {
                *slot = true;
            }
            field(outline, at, number, ids, plan);
        }
        if let Some(at) = above(outline, entry) {
            // A heading covers all its tasks and is rarely complete, so it never counts as the task's own statement.
            add(plan, number, ids.mentions(outline.str(at)).into_iter().map(|mention| mention.id));
        }
    }
    sections(outline, ids, &mut stated, plan);
    stated
}

/// `（depends_on: IMPL-1, IMPL-2）`, `[depends: IMPL-1]`, `(pending, depends on IMPL-1)` on the task's own line.
fn inline(outline: &Outline, entry: &Entry) -> Option<Extent> {
    let text = outline.str(entry.name);
    let lower = text.to_ascii_lowercase();
    let (at, word) = INLINE.iter().find_map(|word| Some((lower.find(word)?, word)))?;
    let before = text.get(..at)?;
    // Only in brackets: a sentence may depend on anything.
    let open = before.rfind(['(', '（', '[']) > before.rfind([')', '）', ']']);
    let rest = text.get(at..)?;
    let end = rest.find([')', '）', ']']).unwrap_or(rest.len());
    let start = entry.name.start + at + word.len();
    open.then_some(Extent { start, end: entry.name.start + at + end })
}

const INLINE: &[&str] = &["depends_on", "depends on", "depends:", "deps:", "依赖"];

/// `(P0, depends on IMPL-1)`, `(Sequential, after IMPL-6)` in the heading above.
fn above(outline: &Outline, entry: &Entry) -> Option<Extent> {
    let heading = outline.headings.get(entry.heading?)?;
    if heading.at.start == entry.at.start {
        return None;
    }
    let lower = outline.str(heading.at).to_ascii_lowercase();
    let at = ["depends on ", "after ", "依赖"].iter().filter_map(|word| lower.find(word)).min()?;
    Some(Extent { start: heading.at.start + at, end: heading.at.end })
}

/// The value of a field: ids, nothing, or words that name no task.
fn field(outline: &Outline, at: Extent, number: usize, ids: &Ids, plan: &mut Plan) {
    let text = outline.str(at).trim_start_matches([':', '：', ' ']);
    let mentions = ids.mentions(text);
    let unclear: Vec<&str> = text
        .split([',', '，', '、', ';'])
        .map(|part| part.trim().trim_matches(['`', '*', '.']))
        .filter(|part| !part.is_empty() && !is_nothing(part) && ids.mentions(part).is_empty())
        .collect();
    // Words after an id explain it; words in place of an id are an unknown dependency.
    if let Some(task) = plan.tasks.get(number).filter(|_| !unclear.is_empty()) {
        let message = format!("task '{}' waits for '{}', which names no task", task.id, unclear.join("', '"));
        let mut found = outline.diagnostic(Severity::Warning, "unclear-dependency", message, at.start);
        found.task = Some(task.id.clone());
        plan.diagnostics.push(found);
    }
    add(plan, number, mentions.into_iter().map(|mention| mention.id));
}

fn is_nothing(text: &str) -> bool {
    let text = text.trim_matches(['(', ')', '（', '）', '-', '—', '–', ' ']).to_lowercase();
    text.is_empty()
        || text.starts_with("none")
        || text.starts_with("no ")
        || text == "n/a"
        || text.starts_with('无')
}

fn add(plan: &mut Plan, number: usize, ids: impl Iterator<Item = String>) {
    let Some(task) = plan.tasks.get_mut(number) else { return };
    for id in ids.map(TaskId) {
        if id != task.id && !task.depends_on.contains(&id) {
            task.depends_on.push(id);
        }
    }
}

/// Sections about dependencies: sentences are dependencies, arrows are hints.
fn sections(outline: &Outline, ids: &Ids, stated: &mut Stated, plan: &mut Plan) {
    let mut headings = outline.headings.iter().filter(|heading| heading.atx && !heading.inner).peekable();
    while let Some(heading) = headings.next() {
        let lower = outline.str(heading.at).to_lowercase();
        if !SECTIONS.iter().any(|word| lower.contains(word)) {
            continue;
        }
        let end = headings.peek().map_or(outline.bytes.len(), |next| next.at.start);
        for line in outline.lines_in(Extent { start: heading.at.end, end }) {
            let text = outline.str(line.at);
            if lower.contains("cross-module") && !chain::chains(text, ids).is_empty() {
                ambiguous(outline, line.at, plan);
            } else if line.veil.is_none() && sentence(text, ids, stated, plan) {
            } else {
                let chains = chain::chains(text, ids).into_iter();
                stated.chains.extend(chains.map(|chain| (chain, line.at.start)));
            }
        }
    }
}

const SECTIONS: &[&str] = &["dependenc", "dependency", "execution order", "依赖", "执行顺序"];

/// In this section the arrow means "needs" in the template's own example, but "before" everywhere else.
fn ambiguous(outline: &Outline, at: Extent, plan: &mut Plan) {
    let message = "an arrow between modules may mean 'needs' or 'before': not taken".to_owned();
    plan.diagnostics.push(outline.diagnostic(Severity::Warning, "ambiguous-arrow", message, at.start));
}

/// `IMPL-8, IMPL-9 depend on IMPL-7`.
fn sentence(text: &str, ids: &Ids, stated: &mut Stated, plan: &mut Plan) -> bool {
    let verb =
        [" depends on ", " depend on ", " 依赖 ", "依赖于"].iter().find_map(|verb| text.split_once(verb));
    let Some((who, whom)) = verb else { return false };
    let whom = whom.split(['(', '（']).next().unwrap_or(whom);
    let needs: Vec<String> = ids.mentions(whom).into_iter().map(|mention| mention.id).collect();
    let mut found = false;
    for number in ids.mentions(who).iter().filter_map(|mention| ids.number(&mention.id)) {
        if let Some(slot) = stated.says.get_mut(number).filter(|_| !needs.is_empty()) {
            *slot = true;
        }
        add(plan, number, needs.iter().cloned());
        found = true;
    }
    found && !needs.is_empty()
}
