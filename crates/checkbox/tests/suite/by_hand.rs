//! Manual decisions: states, criteria, added tasks, and their records.

use crate::place::{Place, record};
use ledger::proof;
use wire::punch::Type;

const PLAN: &str = "# Small\n\n## TODOs\n\n### [ ] TODO 1: First\n\n**Type**: work\n\n**Acceptance Criteria**:\n\n\
    *Functional:*\n- [ ] It holds: `test -e .`\n- [ ] Somebody likes it\n\n### [ ] TODO 2: Second\n\n**Type**: work\n\n---\n\n## End\n";

#[test]
fn an_unknown_id_is_a_no_that_names_the_ids() {
    let place = Place::with(PLAN);
    for args in [["tick", "3"], ["untick", "todo 1"], ["state", "11=blocked"], ["add", "9"]] {
        let more: &[&str] = if args[0] == "add" { &["--title", "t"] } else { &[] };
        place.run(&[&args[..], more, &["--reason", "r", "PLAN.md"]].concat()).exits(1).says("tasks are 1, 2");
    }
    place.run(&["criterion", "1:3", "--reason", "r", "PLAN.md"]).exits(1).says("there are 1:1, 1:2");
    assert_eq!(place.text("PLAN.md"), PLAN);
    assert_eq!(place.chain(), 0, "nothing is recorded that was not done");
}

#[test]
fn a_criterion_is_ticked_alone_and_on_record() {
    let place = Place::with(PLAN);
    let args = ["criterion", "1:2", "--reason", "she does", "PLAN.md"];
    place.run(&args).exits(0).says("\"changed\":true").says("\"criterion\":\"1:2\"");
    assert_eq!(place.text("PLAN.md"), PLAN.replace("[ ] Somebody", "[x] Somebody"));
    place.run(&args).exits(0).says("\"changed\":false");
    let records = place.ledger().read().unwrap();
    assert_eq!(records.len(), 1);
    assert_eq!((records[0].kind, records[0].key.as_str()), (Type::Override, "criterion"));
    assert_eq!(records[0].data["reason"], "she does");
}

#[test]
fn a_box_that_belongs_to_no_task_is_ticked_by_its_number() {
    let plan = format!("{PLAN}\n### Definition of Done\n\n- [ ] All of it works\n- [ ] Somebody said so\n");
    let place = Place::with(&plan);
    place.run(&["criterion", "note:2", "--reason", "he did", "PLAN.md"]).exits(0).says("\"changed\":true");
    assert_eq!(place.text("PLAN.md"), plan.replace("[ ] Somebody said", "[x] Somebody said"));
    place.run(&["criterion", "note:3", "--reason", "r", "PLAN.md"]).exits(1).says("note:1 to note:2");
}

#[test]
fn a_dry_run_is_a_diff_that_patch_takes() {
    let place = Place::with(PLAN);
    let diff = place.run(&["tick", "2", "--dry-run", "--reason", "r", "PLAN.md"]);
    assert_eq!(place.text("PLAN.md"), PLAN);
    assert!(!place.ledger().path().exists(), "a dry run records nothing");
    assert!(diff.exits(0).out.contains("-### [ ] TODO 2: Second\n+### [x] TODO 2: Second\n"), "{diff:?}");
    place.write("diff", &diff.out);
    if let Ok(status) = place.other("patch", &["-p1", "-i", "diff"]).status() {
        assert!(status.success());
        assert_eq!(place.text("PLAN.md"), PLAN.replace("[ ] TODO 2", "[x] TODO 2"));
    }
}

#[test]
fn tasks_are_added_one_level_deep_and_three_at_most() {
    let place = Place::with(PLAN);
    let add = |after: &str, title: &str| {
        place.run(&["add", after, "--title", title, "--reason", "it needs a table", "PLAN.md"])
    };
    add("1", "Make the table").exits(0).says("\"task\":\"1.a\"").says("\"state\":\"pending\"");
    add("1", "Fill it").exits(0).says("\"task\":\"1.b\"");
    let text = place.text("PLAN.md");
    let added = "- [ ] Somebody likes it\n\n### [ ] TODO 1.a: (ADDED) Make the table\n\n**Type**: work\n\n\
                 **Reason**: it needs a table\n\n### [ ] TODO 1.b: (ADDED) Fill it\n";
    assert!(text.contains(added), "{text}");
    assert!(text.ends_with("### [ ] TODO 2: Second\n\n**Type**: work\n\n---\n\n## End\n"), "{text}");
    add("1.a", "Deeper").exits(65).says("one level deep");
    add("1", "Third").exits(0);
    add("1", "Fourth").exits(65).says("three added tasks");
    let ids: Vec<String> = place
        .run(&["list", "--text", "PLAN.md"])
        .out
        .lines()
        .filter_map(|l| l.split_whitespace().nth(1).map(str::to_owned))
        .collect();
    assert_eq!(ids, ["1", "1.a", "1.b", "1.c", "2"]);
    place.run(&["tick", "1.b", "--reason", "r", "PLAN.md"]).exits(0);
    assert!(place.text("PLAN.md").contains("### [x] TODO 1.b:"));
}

#[test]
fn a_body_that_would_end_the_task_is_refused() {
    let place = Place::with(PLAN);
    place.write("body", "text\n\n## Another section\n");
    let args = ["add", "2", "--title", "t", "--body", "body", "--reason", "r", "PLAN.md"];
    place.run(&args).exits(65).says("would end the task");
    place.write("body", "**Type**: work\n\n**Acceptance Criteria**:\n\n*Functional:*\n- [ ] `test -e x`\n");
    place.run(&args).exits(0);
    let order = place.order("PLAN.md", "2.a");
    assert_eq!(order.task.criteria.len(), 1);
    assert!(
        place.text("PLAN.md").contains("- [ ] `test -e x`\n\n---\n\n## End\n"),
        "{}",
        place.text("PLAN.md")
    );
}

#[test]
fn a_state_without_a_mark_is_refused_and_nothing_changes() {
    let place = Place::with(PLAN);
    for state in ["in_progress", "failed"] {
        place.run(&["state", &format!("1={state}"), "--reason", "r", "PLAN.md"]).exits(65).says("no mark");
    }
    place.run(&["state", "1=done", "--reason", "r", "PLAN.md"]).exits(2);
    assert_eq!(place.text("PLAN.md"), PLAN);
}

#[test]
fn what_is_given_up_says_so_and_can_be_taken_up_again() {
    let place = Place::with(PLAN);
    place.run(&["state", "2=skipped", "--reason", "not needed", "PLAN.md"]).exits(0);
    assert!(
        place.text("PLAN.md").contains("### [~] TODO 2: Second (DROPPED)\n"),
        "{}",
        place.text("PLAN.md")
    );
    assert_eq!(place.order("PLAN.md", "2").task.state.word(), "skipped");
    place.run(&["untick", "2", "--reason", "needed after all", "PLAN.md"]).exits(0);
    assert_eq!(place.text("PLAN.md"), PLAN);
    place.run(&["state", "2=blocked", "--reason", "no key", "PLAN.md"]).exits(0);
    assert_eq!(place.order("PLAN.md", "2").task.state.word(), "blocked");
}

#[test]
fn a_ticked_task_whose_check_fails_later_is_open_again() {
    let place = Place::with(PLAN);
    let order = place.proved("PLAN.md", "1");
    place.stage(std::slice::from_ref(&order)).exits(0);
    assert!(place.text("PLAN.md").contains("### [x] TODO 1"), "{}", place.text("PLAN.md"));
    place.run(&["regressions", "PLAN.md"]).exits(0);
    assert!(place.text("PLAN.md").contains("### [x] TODO 1"), "nothing has failed");
    let digest = proof::digest_of(&order.task.criteria[0]);
    let fault = record(&order, Type::GateFault, "1:1", Some(digest.clone()));
    place.ledger().append(fault).unwrap();
    place.run(&["regressions", "PLAN.md"]).exits(0);
    assert!(place.text("PLAN.md").contains("### [x] TODO 1"), "no verdict is no failure");
    place.ledger().append(record(&order, Type::GateFail, "1:1", Some("another command".into()))).unwrap();
    place.ledger().append(record(&order, Type::GateFail, "1:1", Some(digest))).unwrap();
    place.run(&["regressions", "PLAN.md"]).exits(0).says("\"criterion\":\"1:1\"");
    assert!(place.text("PLAN.md").contains("### [ ] TODO 1"));
    let last = place.ledger().read().unwrap().last().cloned().unwrap();
    assert_eq!(last.kind, Type::Untick);
    assert!(last.data["reason"].as_str().unwrap().contains("'1:1' failed after the tick"), "{:?}", last.data);
}

#[test]
fn unclear_checks_are_offered_as_a_patch_and_only_equal_ones_are_made_unasked() {
    let plan = PLAN.replace("It holds: `test -e .`", "`make report` → looks fine");
    let place = Place::with(&plan);
    let patch = place.run(&["fix", "--print", "PLAN.md"]);
    assert!(
        patch.exits(0).out.contains("-- [ ] `make report` → looks fine\n+- [ ] `make report` → "),
        "{patch:?}"
    );
    place.run(&["fix", "--all", "PLAN.md"]).exits(5).says("1 left");
    place.run(&["fix", "PLAN.md"]).exits(2).says("no terminal");
    assert_eq!(place.text("PLAN.md"), plan);
}
