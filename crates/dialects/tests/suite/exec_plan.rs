//! `ExecPlans`: the milestones of the text and the boxes of Progress, and the checks of both.

#![expect(clippy::unwrap_used, reason = "a text that does not parse fails the test")]

use dialects::read;
use markdown::Text;
use wire::plan::{Criterion, Plan};

fn plan(text: &str) -> Plan {
    let plan = read(&Text { path: ".agent/plans/shed.md", bytes: text.as_bytes() }, None).unwrap();
    assert_eq!(plan.source.dialect, "exec-plan");
    plan
}

fn commands(criteria: &[Criterion]) -> Vec<&str> {
    criteria.iter().filter_map(|check| check.command.as_deref()).collect()
}

#[test]
fn a_milestone_of_the_text_describes_the_box_that_names_it() {
    let text = "# Shed\n\n## Progress\n\n- [x] (2026-01-02) Milestone 1: Dig\n- [ ] Implement Milestone 2 (the walls)\n\
                - [ ] M3: Paint\n- [ ] Milestone 4: Plant\n- [ ] Milestone 4: Water\n\n## Decision Log\n\n### Milestone 2 is hard\n\n\
                Verify: `make never`\n\n## Milestone 1: Dig\n\n### Validation\n\nRun `make pit` and expect exit 0.\n\n\
                ## Milestone 2: Walls\n\nBuild them.\n\n### Validation\n\n- `make walls` exits 0\n\n## Plan of Work\n\n### M3 — Paint\n\n\
                Use `brush`. Acceptance: `make paint` exits 0.\n\n### Milestone 4: Garden\n\n### Validation\n\n- `make garden` exits 0\n";
    let plan = plan(text);
    assert_eq!(commands(&plan.tasks[0].criteria), ["make pit"]);
    assert_eq!(commands(&plan.tasks[1].criteria), ["make walls"]);
    assert_eq!(commands(&plan.tasks[2].criteria), ["make paint"]);
    // Two boxes name milestone 4, so its check is one of the plan.
    assert_eq!(commands(&plan.gates), ["make garden"]);
    let other = self::plan(&text.replace("Build them.", "Build four of them."));
    assert_eq!(plan.tasks[0].fingerprint, other.tasks[0].fingerprint);
    assert_ne!(plan.tasks[1].fingerprint, other.tasks[1].fingerprint);
    let ticked = self::plan(&text.replace("- [ ] Implement", "- [x] Implement"));
    assert_eq!(plan.tasks[1].fingerprint, ticked.tasks[1].fingerprint);
}

#[test]
fn validation_and_acceptance_are_gates_of_the_plan() {
    for title in
        ["Validation and Acceptance", "Validation And Acceptance (must pass)", "Tests & Verification"]
    {
        let text = format!(
            "# Shed\n\n## Progress\n\n- [ ] Dig\n\n## Surprises & Discoveries\n\nNone.\n\n## {title}\n\n1. `make test` passes\n\
             2. It is dry.\n\n## Idempotence and Recovery\n\n- `make clean` passes\n"
        );
        assert_eq!(commands(&plan(&text).gates), ["make test"], "{title}");
    }
}
