//! Reading plans whose tasks are `<task>` elements.

#![expect(clippy::unwrap_used, reason = "a text that does not parse fails the test")]

use crate::asked::asked;
use dialects::{blanked, mark_at, read, set_mark};
use markdown::Text;
use wire::State;
use wire::plan::{Kind, Plan};

const PLAN: &str = "---\nphase: 02-prices\nplan: 02\nwave: 2\ndepends_on: [\"02-01\"]\n---\n\n<objective>\nCheck the prices.\n\
    </objective>\n\n<tasks>\n\n<task type=\"auto\">\n  <name>Task 1: Checker</name>\n  <files>bin/check, `bin/lib` (new)</files>\n  \
    <action>\nWrite it.\n\n```html\n<task type=\"auto\">\n</task>\n```\n\n- [ ] no task\n  </action>\n  <verify>sh bin/check passes\
    </verify>\n  <done>It is there</done>\n</task>\n\n<task type=\"auto\" tdd=\"true\">\n  <name>Task 2: Prices ✅</name>\n  <verify>\n    \
    <automated>grep -q tea prices.txt</automated>\n    Look at it.\n  </verify>\n  <acceptance_criteria>\n    - `wc -l prices.txt` → 3\n  \
    </acceptance_criteria>\n</task>\n\n<task type=\"checkpoint:human-verify\" gate=\"blocking\">\n  <what-built>A list</what-built>\n</task>\n\n\
    </tasks>\n\n<success_criteria>\n- [ ] people like it\n</success_criteria>\n";

fn plan(text: &str) -> Plan {
    let plan = read(&Text { path: "02-02-PLAN.md", bytes: text.as_bytes() }, None).unwrap();
    assert_eq!(plan.source.dialect, "gsd");
    plan
}

#[test]
fn elements_are_tasks_with_files_and_checks() {
    let plan = plan(PLAN);
    let told: Vec<_> =
        plan.tasks.iter().map(|t| (t.id.as_str(), t.title.as_str(), t.kind, t.state)).collect();
    assert_eq!(
        told,
        [
            ("1", "Checker", Kind::Work, State::Pending),
            ("2", "Prices", Kind::Work, State::Completed),
            ("3", "A list", Kind::Human, State::Pending)
        ]
    );
    let files: Vec<_> = plan.tasks[0].files.iter().map(|file| file.path.as_str()).collect();
    assert_eq!(files, ["bin/check", "bin/lib"]);
    let checks = plan.tasks.iter().flat_map(|task| &task.criteria);
    let checks: Vec<_> = checks.map(|c| (c.id.as_str(), asked(c))).collect();
    let checks: Vec<_> = checks.iter().map(|(id, asked)| (*id, asked.as_str())).collect();
    assert_eq!(
        checks,
        [
            ("1:1", "?"),
            ("1:2", "prose"),
            ("2:1", "? grep -q tea prices.txt"),
            ("2:2", "wc -l prices.txt → 3")
        ]
    );
    let unclear = plan.tasks[0].criteria[0].unclear.as_ref().unwrap();
    assert_eq!(&PLAN[usize::try_from(unclear.span.start).unwrap()..][..19], "sh bin/check passes");
    assert_eq!((plan.title.as_str(), plan.extra["phase"].as_str()), ("Check the prices.", Some("02-prices")));
    let [note] = plan.notes.as_slice() else { panic!("{:?}", plan.notes) };
    assert_eq!(
        (note.section.as_str(), note.text.as_str(), note.goal),
        ("success criteria", "people like it", true)
    );
}

#[test]
fn a_tick_is_a_sign_behind_the_name_and_changes_nothing_else() {
    let before = plan(PLAN);
    for (index, task) in before.tasks.iter().enumerate() {
        let mark = task.mark.as_ref().unwrap();
        let word = mark_at("gsd", PLAN.as_bytes(), mark, State::Completed);
        let ticked = String::from_utf8(set_mark(PLAN.as_bytes(), mark, word)).unwrap();
        let after = plan(&ticked);
        assert_eq!(after.tasks[index].state, State::Completed);
        for (old, new) in before.tasks.iter().zip(&after.tasks) {
            assert_eq!((&old.id, &old.title, &old.fingerprint), (&new.id, &new.title, &new.fingerprint));
        }
        let path = "02-02-PLAN.md";
        assert_eq!(blanked(&before, path, PLAN.as_bytes()), blanked(&after, path, ticked.as_bytes()));
    }
}

#[test]
fn a_task_that_is_not_closed_is_named_and_kept() {
    let plan =
        plan("<task type=\"auto\">\n<name>Dig</name>\n\n<task type=\"auto\">\n<name>Build</name>\n</task>\n");
    let told: Vec<_> = plan.tasks.iter().map(|task| (task.id.as_str(), task.title.as_str())).collect();
    assert_eq!(told, [("1", "Dig"), ("2", "Build")]);
    assert_eq!(plan.diagnostics[0].code, "task-not-closed");
}

#[test]
fn every_verify_counts_and_so_do_checks_of_the_whole() {
    let text = "<tasks>\n<task type=\"auto\">\n  <name>Task 1: A</name>\n  <verify>test -f a</verify>\n  <verify></verify>\n  \
        <verify>test -f b</verify>\n</task>\n</tasks>\n\n<verification>\n- `test -f c`\n- [ ] `test -f d`\n- fine\n</verification>\n\n\
        <success_criteria>\n- `test -f e`\n</success_criteria>\n\n<output>\n- `test -f f`\n</output>\n";
    let plan = plan(text);
    let of = |criteria: &[wire::plan::Criterion]| -> Vec<String> {
        criteria.iter().filter_map(|c| c.command.clone()).collect()
    };
    assert_eq!(of(&plan.tasks[0].criteria), ["test -f a", "test -f b"]);
    assert_eq!(of(&plan.gates), ["test -f c", "test -f e"]);
    assert!(plan.notes[0].goal);
}

#[test]
fn a_task_may_have_its_name_id_state_and_needs_as_attributes() {
    let text = "# Plan\n\n<task id=\"1\" title=\"Dig the hole\" status=\"done\">\nDig.\n<verify>test -d hole</verify>\n</task>\n\n\
                <task id=\"2\" title=\"Build\" depends=\"1\">\nBuild it.\n</task>\n";
    let plan = read(&Text { path: "PLAN.md", bytes: text.as_bytes() }, None).unwrap();
    let told: Vec<String> = plan
        .tasks
        .iter()
        .map(|task| format!("{} {} {} {:?}", task.id, task.state.word(), task.title, task.depends_on))
        .collect();
    assert_eq!(told, ["1 completed Dig the hole []", "2 pending Build [TaskId(\"1\")]"]);
    assert_eq!(plan.tasks[0].criteria[0].command.as_deref(), Some("test -d hole"));
}
