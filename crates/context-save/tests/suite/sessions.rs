//! Sessions: summaries, what dependants inherit, snapshots, repair, completion.

use crate::place::Place;
use serde_json::{Value, json};

const LIST: &str = "# Tasks: Login\n\n## Task Progress\n- [ ] **IMPL-1**: Make the table → [📋](./.task/IMPL-1.json)\n\
    - [ ] **IMPL-2**: Use it → [📋](./.task/IMPL-2.json)\n";
const FIRST: &str = "{\n  \"id\": \"IMPL-1\",\n  \"title\": \"Make the table\",\n  \"status\": \"pending\",\n  \"depends_on\": []\n}\n";
const SECOND: &str = "{\n  \"id\": \"IMPL-2\",\n  \"title\": \"Use it\",\n  \"status\": \"pending\",\n  \"context\": {\n    \"depends_on\": [\"IMPL-1\"]\n  },\n  \"flow_control\": {}\n}\n";
const HOME: &str = ".workflow/active/WFS-login";

fn session() -> Place {
    let place = Place::with("");
    place.write(&format!("{HOME}/TODO_LIST.md"), LIST).write(&format!("{HOME}/IMPL_PLAN.md"), "# Plan\n");
    place
        .write(&format!("{HOME}/.task/IMPL-1.json"), FIRST)
        .write(&format!("{HOME}/.task/IMPL-2.json"), SECOND);
    place.write(
        &format!("{HOME}/workflow-session.json"),
        "{\"session_id\": \"WFS-login\", \"status\": \"active\", \"created_at\": \"2026-01-31T10:30:00Z\"}\n",
    );
    std::fs::create_dir(place.path(".git")).unwrap();
    place
}

fn order(place: &Place) -> Value {
    let worker = json!({
        "summary": "Made the table.\n## Not a heading", "outputs": { "table": "users" }, "decisions": ["one table"],
        "files_created": ["db/users.sql", "never/made.sql"], "changed_files": ["db/users.sql", "db/index.sql"],
    });
    place.order(HOME, "IMPL-1", &worker, "verified")
}

#[test]
fn a_summary_is_written_from_the_template_and_the_files_of_other_tasks_stay_closed() {
    let place = session();
    let other = place.text(&format!("{HOME}/.task/IMPL-2.json"));
    place.stage("orders", &[order(&place)]).exits(0).says("IMPL-1-summary.md");
    let summary = place.text(&format!("{HOME}/.summaries/IMPL-1-summary.md"));
    let wanted = "# Task: IMPL-1 Make the table\n\n## Implementation Summary\n\nMade the table. ## Not a heading\n\n### Files Modified\n\n\
        - `db/users.sql`\n- `db/index.sql`\n\n### Content Added\n\n- `db/users.sql`\n\n## Outputs for Dependent Tasks\n\n\
        ### Available Components\n\n- `table`: `\"users\"`\n\n### Integration Points\n\n- one table\n\n## Status: ✅ Complete\n\n<!-- written by context-save -->\n";
    assert_eq!(summary, wanted);
    place.stage("orders", &[order(&place)]).exits(0);
    assert_eq!(place.text(&format!("{HOME}/.summaries/IMPL-1-summary.md")), wanted, "once is enough");
    assert_eq!(place.text(&format!("{HOME}/.task/IMPL-1.json")), FIRST);
    assert_eq!(place.text(&format!("{HOME}/.task/IMPL-2.json")), other);
}

#[test]
fn a_summary_that_somebody_else_wrote_stays() {
    let place = session();
    place.write(&format!("{HOME}/.summaries/IMPL-1-summary.md"), "# Mine\n");
    place.stage("orders", &[order(&place)]).exits(0);
    assert_eq!(place.text(&format!("{HOME}/.summaries/IMPL-1-summary.md")), "# Mine\n");
}

#[test]
fn a_snapshot_is_taken_before_the_first_write_and_repairs_what_breaks_once() {
    let place = session();
    place.stage("orders", &[order(&place)]).exits(0);
    let task = format!("{HOME}/.task/IMPL-2.json");
    assert_eq!(place.text(".plantools/snapshots/WFS-login/r1/.task/IMPL-2.json"), SECOND, "as it was before");
    place.write(&task, "{\"id\": 9,166}");
    place.run(&["repair", "WFS-login"]).exits(0).says(&format!("restored {task}"));
    assert_eq!(place.text(&task), SECOND);
    place.run(&["repair", HOME]).exits(0);
    place.write(&task, "{broken again");
    place.run(&["repair", "WFS-login"]).exits(1).says("restored before");
    assert_eq!(place.text(&task), "{broken again", "nothing is thrown away");
    place.write(&format!("{HOME}/.task/IMPL-1.json"), "{\"no\": \"snapshot\"");
    std::fs::remove_dir_all(place.path(".plantools/snapshots")).unwrap();
    place.run(&["repair", "WFS-login"]).exits(1).says("no snapshot");
}

#[test]
fn a_missing_session_file_is_written() {
    let place = session();
    std::fs::remove_file(place.path(&format!("{HOME}/workflow-session.json"))).unwrap();
    place.run(&["repair", "WFS-login"]).exits(0).says("written");
    assert_eq!(
        place.json(&format!("{HOME}/workflow-session.json")),
        json!({ "session_id": "WFS-login", "status": "active" })
    );
    place.run(&["repair", "WFS-none"]).exits(66).says("no session");
}

#[test]
fn a_session_with_open_tasks_is_not_completed() {
    let place = session();
    place.run(&["complete", "WFS-login"]).exits(1).says("not done: IMPL-1, IMPL-2");
    assert!(place.path(HOME).is_dir());
}

#[test]
fn a_completed_session_is_archived_with_its_entry_and_no_task_changes() {
    let place = session();
    place.write(&format!("{HOME}/TODO_LIST.md"), LIST.replace("[ ]", "[x]"));
    place.write(
        ".workflow/archives/manifest.json",
        "{\"sessions\": [{\"session_id\": \"WFS-old\"}], \"kept\": 1}",
    );
    place.run(&["complete", "WFS-login"]).exits(0).says(".workflow/archives/WFS-login");
    assert!(!place.path(HOME).exists());
    let home = ".workflow/archives/WFS-login";
    assert_eq!(place.text(&format!("{home}/.task/IMPL-1.json")), FIRST);
    let own = place.json(&format!("{home}/workflow-session.json"));
    assert_eq!((&own["status"], &own["completed_at"]), (&json!("completed"), &json!("2026-01-31T12:00:00Z")));
    let manifest = place.json(".workflow/archives/manifest.json");
    assert_eq!(manifest["kept"], 1);
    let entry = &manifest["sessions"][1];
    assert_eq!(entry["session_id"], "WFS-login");
    assert_eq!(
        entry["metrics"],
        json!({ "tasks_completed": 2, "summaries_generated": 0, "duration_hours": 1.5 })
    );
    // As after a crash between the move and the entry.
    place.write(".workflow/archives/manifest.json", "[]\n");
    place.run(&["complete", "WFS-login"]).exits(0);
    place.run(&["complete", "WFS-login"]).exits(0);
    assert_eq!(place.json(".workflow/archives/manifest.json").as_array().unwrap().len(), 1);
}
