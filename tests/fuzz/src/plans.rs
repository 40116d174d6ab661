//! Plans. Laws: no panic; every span lies in its file; a mark replaced by itself is the identity; a tick changes one state
//! and no fingerprint; no line that looks like a task is unaccounted for.

use crate::folder;
use dialects::{Ask, PlanSnapshot, Taken, blanked, body, explain, read, set_mark, unchecked};
use markdown::{Outline, Text};
use plan_parse::merge::{Markers, Versions, by_tasks};
use wire::{Plan, TaskId};

/// A text whose dialect is found.
pub(crate) fn any(bytes: &[u8]) {
    let text = Text { path: "PLAN.md", bytes };
    if let Ok(plan) = unchecked(&text, None) {
        accounted(&text, &plan);
    }
    if let Ok(plan) = read(&text, None) {
        lawful(&plan, bytes, None);
    }
}

/// A text that is said to be of a dialect.
pub(crate) fn of(dialect: &'static str, bytes: &[u8]) {
    assert!(dialects::find(dialect).is_some(), "there is a dialect '{dialect}'");
    if let Ok(plan) = read(&Text { path: "PLAN.md", bytes }, Some(dialect)) {
        lawful(&plan, bytes, Some(dialect));
    }
}

/// Three versions of a plan, separated by a line `%%%%`. What one side alone did is taken byte for byte, and a merge without
/// a conflict is a plan again.
pub(crate) fn merge(bytes: &[u8]) {
    const SEPARATOR: &[u8] = b"\n%%%%\n";
    let mut rest = bytes;
    let mut next = || {
        let end = rest.windows(SEPARATOR.len()).position(|part| part == SEPARATOR);
        let (text, after) =
            end.map_or((rest, &b""[..]), |end| (&rest[..=end], &rest[end + SEPARATOR.len()..]));
        rest = after;
        text
    };
    let [base, ours, theirs] = [next(), next(), next()];
    let path = if base.starts_with(b"{") || base.starts_with(b"[") { "tasks.json" } else { "PLAN.md" };
    let merged = |base, ours, theirs| by_tasks(&Versions { path, base, ours, theirs }, &Markers::default());
    for (base, ours, theirs, wanted) in [
        (base, base, base, base),
        (base, ours, base, ours),
        (base, base, theirs, theirs),
        (base, ours, ours, ours),
    ] {
        if let Some(merged) = merged(base, ours, theirs) {
            assert!(merged.conflicts.is_empty(), "a conflict with itself: {:?}", merged.conflicts);
            assert!(merged.bytes == wanted, "another text: {:?}", String::from_utf8_lossy(&merged.bytes));
        }
    }
    if let Some(merged) = merged(base, ours, theirs).filter(|merged| merged.conflicts.is_empty()) {
        assert!(read(&Text { path, bytes: &merged.bytes }, None).is_ok(), "the merged text is no plan");
    }
}

/// A folder of files, whatever dialect it is; with the file of its first task, and what a tick would write.
pub(crate) fn folder(bytes: &[u8]) {
    folder::with_files(bytes, |place| {
        for dialect in std::iter::once(None).chain(dialects::table().iter().map(|row| Some(row.name))) {
            let mut ask = Ask::dialect(dialect);
            let Ok(plan) = dialects::open_with(place, place, &ask) else { continue };
            ask.load.extend(plan.tasks.first().map(|task| task.id.0.clone()));
            ask.prepared = true;
            let _ = dialects::open_with(place, place, &ask);
            let _ = dialects::reconcile(place, place, &ask);
            let Ok(field) = PlanSnapshot::at(place, place, dialect) else { continue };
            for task in field.plan.tasks.iter().take(3) {
                let change = dialects::write::Change {
                    task,
                    state: wire::State::Completed,
                    criteria: &[],
                    now: "2026-01-31T00:00:00Z",
                    reason: "",
                };
                let edits = dialects::write::edits(&field, &change).unwrap_or_default();
                for edit in &edits {
                    let bytes = field.files.iter().find(|(path, _)| *path == edit.path);
                    let length = bytes.map_or(usize::MAX, |(_, bytes)| bytes.len());
                    assert!(
                        edit.start <= edit.end && edit.end <= length,
                        "an edit is outside its file: {edit:?}"
                    );
                }
            }
        }
    });
}

/// One criterion: what is its command, and what is expected.
pub(crate) fn criterion(bytes: &[u8]) {
    let text = String::from_utf8_lossy(bytes);
    let located = checks::Located::text(&text, markdown::Extent { start: 0, end: text.len() });
    let _ = checks::read(&located, checks::Synonyms::builtin());
    dialects::references(&text);
}

/// The journals beside a plan: what is added is found again.
pub(crate) fn journal(bytes: &[u8]) {
    let text = String::from_utf8_lossy(bytes);
    let task = TaskId("7".to_owned());
    dialects::context::journal::items(&text, &task);
    if let Some(more) = dialects::context::journal::add(&text, &task, &["one thing more".to_owned()], "- ") {
        let items = dialects::context::journal::items(&more, &task);
        assert!(
            items.iter().any(|item| item.contains("one thing more")),
            "what was added is not found: {more:?}"
        );
    }
}

fn accounted(text: &Text, plan: &Plan) {
    if matches!(plan.source.dialect.as_str(), "plan-md" | "checklist") {
        let lost =
            explain(&Outline::new(text), plan).into_iter().find(|account| account.taken == Taken::Unknown);
        assert!(
            lost.is_none(),
            "a line is unaccounted for: {:?}",
            lost.map(|account| (account.line, account.text))
        );
    }
}

fn lawful(plan: &Plan, bytes: &[u8], dialect: Option<&str>) {
    let tasks = plan.tasks.iter().flat_map(|task| std::iter::once(&task.span).chain(task.mark.as_ref()));
    let criteria = plan.tasks.iter().flat_map(|task| &task.criteria).chain(&plan.gates).map(|c| &c.span);
    for span in tasks.chain(criteria).chain(plan.notes.iter().map(|note| &note.span)) {
        assert!(
            span.start <= span.end && span.end <= bytes.len() as u64,
            "a span is outside the file: {span:?}"
        );
    }
    // Data has other words for its states, and its own writers.
    if plan.tasks.iter().all(|task| task.mark.is_some())
        && !matches!(bytes.trim_ascii_start().first(), Some(b'{' | b'['))
    {
        for index in 0..plan.tasks.len().min(3) {
            tick(plan, bytes, index, dialect);
        }
    }
}

fn tick(plan: &Plan, bytes: &[u8], index: usize, dialect: Option<&str>) {
    let task = &plan.tasks[index];
    let Some(mark) = &task.mark else { return };
    if let Ok(same) = str::from_utf8(body(bytes, mark)) {
        assert!(
            set_mark(bytes, mark, same) == bytes,
            "the mark of '{}' is not the bytes of its span",
            task.id
        );
    }
    if body(bytes, mark) != b" " {
        return;
    }
    let ticked = set_mark(bytes, mark, "x");
    let after = read(&Text { path: "PLAN.md", bytes: &ticked }, dialect);
    let after = after.unwrap_or_else(|fail| panic!("ticking '{}' makes it no plan: {fail}", task.id));
    assert_eq!(after.source.dialect, plan.source.dialect, "ticking '{}' changes the dialect", task.id);
    assert_eq!(after.tasks.len(), plan.tasks.len(), "ticking '{}' makes another plan", task.id);
    for (number, (old, new)) in plan.tasks.iter().zip(&after.tasks).enumerate() {
        assert_eq!(
            (&old.id, &old.fingerprint, &old.depends_on),
            (&new.id, &new.fingerprint, &new.depends_on),
            "ticking '{}' changes '{}'",
            task.id,
            old.id
        );
        assert!(
            number == index || old.state == new.state,
            "ticking '{}' changes the state of '{}'",
            task.id,
            old.id
        );
    }
    let same = blanked(plan, "PLAN.md", bytes) == blanked(&after, "PLAN.md", &ticked);
    assert!(same, "ticking '{}' changes the blanked text", task.id);
}
