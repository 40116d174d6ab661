//! The stage: which orders it ticks, which it refuses, and that it reads the plan once for a thousand orders.

use crate::place::{Place, record};
use ledger::proof;
use wire::punch::Type;

const PLAN: &str = "# Small\n\n## TODOs\n\n### [ ] TODO 1: First\n\n**Type**: work\n\n**Steps**:\n- [ ] do this\n\n\
    **Acceptance Criteria**:\n\n*Functional:*\n- [ ] It holds: `test -e .`\n- [ ] Somebody likes it\n\n\
    ### [ ] TODO 10: Second\n\n**Type**: work\n\n**Acceptance Criteria**:\n\n*Functional:*\n- [ ] It too: `test -e x`\n";

#[test]
fn only_what_passed_is_ticked_and_steps_never() {
    let place = Place::with(PLAN);
    let order = place.proved("PLAN.md", "1");
    let got = place.stage(&[order]);
    got.exits(0).says("\"changed\":true").says("\"criteria\":[\"1:1\"]").says("\"manual\":[\"1:2\"]");
    let wanted = PLAN.replace("[ ] TODO 1:", "[x] TODO 1:").replace("[ ] It holds", "[x] It holds");
    assert_eq!(place.text("PLAN.md"), wanted);
}

#[test]
fn an_order_made_by_hand_ticks_nothing() {
    let place = Place::with(PLAN);
    let mut order = place.order("PLAN.md", "10");
    order.task.criteria.clear();
    place.stage(std::slice::from_ref(&order)).exits(0).says("no-proof");
    // A pass that was typed, one of another command and one of another run do not count.
    let real = place.order("PLAN.md", "10");
    let digest = proof::digest_of(&real.task.criteria[0]);
    let mut typed = record(&real, Type::GatePass, "10:1", Some(digest.clone()));
    typed.trust = wire::punch::Trust::Typed;
    let mut run = record(&real, Type::GatePass, "10:1", Some(digest));
    run.run = "r0".into();
    let other = record(&real, Type::GatePass, "10:1", Some(proof::digest("test -d .", "")));
    place.ledger().append_all(vec![typed, run, other]).unwrap();
    place.stage(&[real]).exits(0).says("no-proof");
    assert_eq!(place.text("PLAN.md"), PLAN);
}

#[test]
fn a_plan_that_changed_meanwhile_is_read_again() {
    let place = Place::with(PLAN);
    let first = place.proved("PLAN.md", "1");
    let second = place.proved("PLAN.md", "10");
    // Text before the task moves its box; the task itself is unchanged.
    let moved = PLAN.replace("## TODOs\n", "## Notes\n\nA note.\n\n## TODOs\n").replace("Second", "Another");
    place.write("PLAN.md", &moved);
    let got = place.stage(&[first, second]);
    got.exits(0).says("plan-changed");
    let wanted = moved.replace("[ ] TODO 1:", "[x] TODO 1:").replace("[ ] It holds", "[x] It holds");
    assert_eq!(place.text("PLAN.md"), wanted);
}

#[test]
fn many_orders_in_a_row_are_each_held_against_what_is_there() {
    let one = |n: usize, mark: &str| {
        format!(
            "### [{mark}] TODO {n}: Task {n}\n\n**Verify**: `test -e .`\n\n**Acceptance Criteria**:\n\n*Functional:*\n- It holds: `test -e .`\n\n"
        )
    };
    let all = |mark: &str| (1..=40).map(|n| one(n, mark)).collect::<String>();
    let plan = format!("# Many\n\n## TODOs\n\n{}", all(" "));
    let place = Place::with(&plan);
    let orders: Vec<_> = (1..=40).map(|n| place.proved("PLAN.md", &n.to_string())).collect();
    place.stage(&orders).exits(0);
    assert_eq!(place.text("PLAN.md"), format!("# Many\n\n## TODOs\n\n{}", all("x")));
    assert_eq!(place.ledger().read().unwrap().iter().filter(|p| p.kind == Type::Tick).count(), 40);
    place.chain();
}

#[test]
fn a_halted_order_is_left_alone() {
    let place = Place::with(PLAN);
    let mut order = place.proved("PLAN.md", "1");
    order.halt = Some(wire::order::Halt {
        stage: "gate-run".into(),
        code: "x".into(),
        category: wire::order::Category::Unknown,
        message: "no".into(),
        retry: true,
        counts: true,
        not_before: None,
    });
    place.stage(&[order]).exits(0).says("halted by gate-run");
    assert_eq!(place.text("PLAN.md"), PLAN);
}
