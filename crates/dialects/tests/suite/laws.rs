//! Laws that hold for every text.

use dialects::{blanked, body, read, set_mark};
use markdown::Text;
use proptest::prelude::*;
use wire::plan::{Plan, Span};
use wire::{State, Task};

fn parse(bytes: &[u8]) -> Option<Plan> {
    read(&Text { path: "PLAN.md", bytes }, None).ok()
}

/// Pieces of plans, combined in any order and damaged.
fn piece() -> impl Strategy<Value = String> {
    let mark = prop::sample::select(vec![" ", "x", "", "~", "?", "X", "-", "!", "✅"]);
    let number = 1..30u32;
    prop_oneof![
        4 => (mark.clone(), number.clone()).prop_map(|(m, n)| format!("### [{m}] TODO {n}: do {n}\n")),
        1 => (mark.clone(), number.clone()).prop_map(|(m, n)| format!("#### [{m}] P0-{n}b: do — **removed**\n")),
        1 => number.clone().prop_map(|n| format!("### [x] TODO {n}: do ✅ 2026-04-15\n")),
        3 => mark.clone().prop_map(|m| format!("- [{m}] `test -f a` → exit 0\n")),
        2 => mark.clone().prop_map(|m| format!("  - [{m}] nested\n")),
        1 => mark.prop_map(|m| format!("> - [{m}] quoted\n")),
        2 => prop::sample::select(vec![
            "**Type**: work\n", "**Steps**:\n", "**Acceptance Criteria**:\n", "*Static:*\n", "**Inputs**:\n", "**Verify**:\n",
            "---\n", "\n", "```yaml\ncommands:\n  - run: \"x\"\n", "```\n", "<!--\n", "-->\n", "# Title\n", "## TODOs\n",
            "| TODO | Requires | Produces |\n|--|--|--|\n| 1 | todo-2 | `a` |\n", "- `a` (file): `${todo-1.outputs.a}`\n",
            "\u{feff}", "\r\n", "\r", "\t", "    ", "text\n", "text\n---\n", "`", "~~", "(", "\\|", "→", "한국어\n",
        ]).prop_map(str::to_owned),
    ]
}

fn text() -> impl Strategy<Value = Vec<u8>> {
    let damage = prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 0..4);
    (prop::collection::vec(piece(), 0..24), damage).prop_map(|(pieces, damage)| {
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

fn spans(plan: &Plan) -> Vec<&Span> {
    let tasks = plan.tasks.iter().flat_map(|task| std::iter::once(&task.span).chain(task.mark.as_ref()));
    let criteria = plan.tasks.iter().flat_map(|task| task.criteria.iter().map(|criterion| &criterion.span));
    tasks.chain(criteria).chain(plan.notes.iter().map(|note| &note.span)).collect()
}

fn bare(task: &Task) -> Task {
    let mut task = task.clone();
    task.state = State::Pending;
    task.span = Span::default();
    task.mark = None;
    task
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn spans_lie_in_the_file(bytes in text()) {
        if let Some(plan) = parse(&bytes) {
            for span in spans(&plan) {
                prop_assert!(span.start <= span.end && span.end <= bytes.len() as u64);
            }
            for task in &plan.tasks {
                prop_assert!(body(&bytes, &task.span).len() as u64 == task.span.end - task.span.start);
            }
        }
    }

    #[test]
    fn random_bytes_do_no_harm(bytes in prop::collection::vec(any::<u8>(), 0..400)) {
        parse(&bytes);
        for dialect in dialects::table() {
            let _ = read(&Text { path: "x", bytes: &bytes }, Some(dialect.name));
        }
    }

    #[test]
    fn any_criterion_can_be_split(text in "(\\PC|`|→|>= 2|exit 0|test -f |\"|\\(|\\)){0,12}") {
        let located = checks::Located::text(&text, markdown::Extent { start: 0, end: text.len() });
        let _ = checks::read(&located, checks::Synonyms::builtin());
        dialects::references(&text);
    }

    #[test]
    fn a_mark_replaced_by_itself_changes_nothing(bytes in text()) {
        if let Some(plan) = parse(&bytes) {
            for task in &plan.tasks {
                let mark = task.mark.as_ref().unwrap();
                let same = String::from_utf8(body(&bytes, mark).to_vec());
                if let Ok(same) = same {
                    prop_assert_eq!(&set_mark(&bytes, mark, &same), &bytes);
                }
            }
        }
    }

    #[test]
    fn a_tick_changes_one_state_and_nothing_else(bytes in text()) {
        let Some(before) = parse(&bytes) else { return Ok(()) };
        for (index, task) in before.tasks.iter().enumerate() {
            let mark = task.mark.as_ref().unwrap();
            if !matches!(body(&bytes, mark), b" " | b"") {
                continue;
            }
            let ticked = set_mark(&bytes, mark, "x");
            let after = parse(&ticked).unwrap();
            prop_assert_eq!(&after.source.dialect, &before.source.dialect);
            prop_assert_eq!(after.tasks.len(), before.tasks.len());
            for (number, (old, new)) in before.tasks.iter().zip(&after.tasks).enumerate() {
                prop_assert_eq!(&old.fingerprint, &new.fingerprint);
                if number == index {
                    prop_assert_eq!(new.state, State::Completed);
                } else {
                    prop_assert_eq!(old.state, new.state);
                }
                if body(&bytes, mark).len() == 1 {
                    prop_assert_eq!(ticked.len(), bytes.len());
                    prop_assert_eq!(bare(old).id, bare(new).id);
                    prop_assert_eq!(bare(old).depends_on, bare(new).depends_on);
                    prop_assert_eq!(bare(old).title, bare(new).title);
                }
            }
            prop_assert_eq!(blanked(&before, &before.source.path, &bytes), blanked(&after, &after.source.path, &ticked));
        }
    }

    #[test]
    fn a_ticked_box_of_a_criterion_or_note_leaves_the_blanked_text(bytes in text()) {
        let Some(before) = parse(&bytes) else { return Ok(()) };
        let boxed = before.tasks.iter().flat_map(|t| &t.criteria).filter(|c| c.boxed).map(|c| &c.span);
        for span in boxed.chain(before.notes.iter().map(|note| &note.span)) {
            if body(&bytes, span) != b" " {
                continue;
            }
            let ticked = set_mark(&bytes, span, "x");
            let after = parse(&ticked).unwrap();
            prop_assert_eq!(blanked(&before, &before.source.path, &bytes), blanked(&after, &after.source.path, &ticked));
            for (old, new) in before.tasks.iter().zip(&after.tasks) {
                prop_assert_eq!(&old.fingerprint, &new.fingerprint);
            }
        }
    }
}
