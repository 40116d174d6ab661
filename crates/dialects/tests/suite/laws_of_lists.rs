//! Laws that hold for lists of every kind.

use dialects::{blanked, body, mark_at, read, set_mark};
use markdown::Text;
use proptest::prelude::*;
use wire::State;
use wire::plan::{Plan, Span};

fn parse(bytes: &[u8]) -> Option<Plan> {
    read(&Text { path: "tasks.md", bytes }, None).ok()
}

/// Pieces of lists and of JSON, combined in any order and damaged.
fn piece() -> impl Strategy<Value = String> {
    let mark = prop::sample::select(vec![" ", "x", "", "~", "?", "X", "-", "!"]);
    let word = prop::sample::select(vec!["pending", "done", "closed", "odd", ""]);
    let number = 1..12u32;
    prop_oneof![
        3 => (mark.clone(), number.clone()).prop_map(|(m, n)| format!("- [{m}] T{n:03} [P] do in a/{n}.rs (depends on T001-T{n:03})\n")),
        3 => (mark.clone(), number.clone()).prop_map(|(m, n)| format!("- [{m}] {n}.1 (P) do\n  - _Requirements: {n}_\n  - _Depends: 1.1_\n")),
        2 => (mark.clone(), number.clone()).prop_map(|(m, n)| format!("  - [{m}]* {n}. do\n")),
        2 => mark.clone().prop_map(|m| format!("[{m}] Subtask 1: do\n")),
        2 => mark.clone().prop_map(|m| format!("- [{m}] **Step 1: do**\n\nRun: `make`\nExpected: PASS\n")),
        1 => number.clone().prop_map(|n| format!("### Task {n}: do\n\n")),
        1 => number.clone().prop_map(|n| format!("## {n}. Group\n\n## Phase {n}: x\n\n")),
        1 => (number.clone(), word.clone()).prop_map(|(n, w)| format!("{n}. do — status: {w}\n")),
        1 => (number, word).prop_map(|(n, w)| format!("```json\n{{\"task_id\": {n}, \"subtasks\": [{{\"id\": {n}, \"status\": \"{w}\"}}], \"waves\": [[\"{n}\"]]}}\n```\n")),
        2 => prop::sample::select(vec![
            "```\n", "```json\n", "\n", "\r\n", "# Title\n", "## Success Criteria\n", "### Implementation Subtasks\n", "1. do\n",
            "   - Files: a\n", "> [ ] q\n", "\u{feff}", "---\n", "{", "}", "\"", "    ", "<!--\n", "é",
        ]).prop_map(str::to_owned),
    ]
}

fn text() -> impl Strategy<Value = Vec<u8>> {
    let damage = prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 0..3);
    (prop::collection::vec(piece(), 0..16), damage).prop_map(|(pieces, damage)| {
        let mut bytes = pieces.concat().into_bytes();
        for (at, byte) in damage {
            if !bytes.is_empty() {
                let at = at.index(bytes.len());
                bytes[at] = byte;
            }
        }
        bytes
    })
}

fn boxes(plan: &Plan) -> Vec<Span> {
    let criteria = plan.tasks.iter().flat_map(|task| &task.criteria).chain(&plan.gates);
    let criteria = criteria.filter(|criterion| criterion.boxed).map(|criterion| criterion.span.clone());
    let notes = plan.notes.iter().map(|note| note.span.clone());
    plan.tasks.iter().filter_map(|task| task.mark.clone()).chain(criteria).chain(notes).collect()
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn no_text_does_harm_in_any_dialect(bytes in text()) {
        for dialect in dialects::table() {
            let Ok(plan) = read(&Text { path: "x", bytes: &bytes }, Some(dialect.name)) else { continue };
            let spans = boxes(&plan).into_iter().chain(plan.tasks.iter().map(|task| task.span.clone()));
            for span in spans {
                prop_assert!(span.start <= span.end && span.end <= bytes.len() as u64);
            }
        }
    }

    #[test]
    fn a_tick_changes_one_state_and_nothing_else(bytes in text()) {
        let Some(before) = parse(&bytes) else { return Ok(()) };
        for span in boxes(&before) {
            if std::str::from_utf8(body(&bytes, &span)).is_err() {
                continue;
            }
            let own = before.tasks.iter().position(|task| task.mark.as_ref() == Some(&span));
            let ticked = set_mark(&bytes, &span, mark_at(&before.source.dialect, &bytes, &span, State::Completed));
            let after = parse(&ticked).ok_or_else(|| TestCaseError::fail("the ticked text is no plan"))?;
            prop_assert_eq!(&after.source.dialect, &before.source.dialect);
            prop_assert_eq!(after.tasks.len(), before.tasks.len());
            for (number, (old, new)) in before.tasks.iter().zip(&after.tasks).enumerate() {
                prop_assert_eq!(&old.id, &new.id);
                prop_assert_eq!(&old.fingerprint, &new.fingerprint);
                prop_assert_eq!(&old.depends_on, &new.depends_on);
                if Some(number) == own {
                    prop_assert_eq!(new.state, State::Completed);
                } else if old.mark.is_some() && !old.criteria.iter().any(|criterion| criterion.span == span) {
                    // All criteria ticked may mean that their task is done.
                    prop_assert_eq!(old.state, new.state);
                }
            }
            prop_assert_eq!(blanked(&before, "tasks.md", &bytes), blanked(&after, "tasks.md", &ticked));
        }
    }
}
