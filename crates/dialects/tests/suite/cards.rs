//! Reading folders of task files: taskmd and ccpm.

#![expect(clippy::unwrap_used, reason = "a folder that cannot be read fails the test")]
#![expect(clippy::disallowed_methods, reason = "a test writes its own files")]

use dialects::{body, open, set_mark};
use std::fs;
use std::path::Path;
use wire::plan::{Kind, Plan};
use wire::{State, TaskId};

fn plan(root: &Path) -> Plan {
    open(&root.join("tasks"), root, None).unwrap()
}

fn folder(files: &[(&str, &str)]) -> tempfile::TempDir {
    let root = tempfile::tempdir().unwrap();
    for (name, text) in files {
        let path = root.path().join("tasks").join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }
    root
}

#[test]
fn taskmd_files_are_tasks() {
    let root = folder(&[
        ("001-a.md", "---\nid: \"001\"\ntitle: \"A\"\nstatus: completed\n---\n\n# A\n\n- [x] `make`\n"),
        (
            "cli/002-b.md",
            "---\r\nid: \"002\"\r\ntitle: B\r\nstatus: in-progress\r\ndependencies: [\"001\"]\r\nparent: \"003\"\r\ntouches:\r\n  - cli\r\n\
             verify:\r\n  - type: bash\r\n    run: \"go test ./...\"\r\n    dir: apps/cli\r\n  - type: assert\r\n    check: it is nice\r\n---\r\n\r\n## Acceptance Criteria\r\n\r\n- [ ] nice\r\n",
        ),
        ("003.md", "---\nid: \"003\"\ntitle: C\nstatus: strange\n---\n"),
        ("README.md", "# Not a task\n"),
    ]);
    let plan = plan(root.path());
    assert_eq!(plan.source.dialect, "taskmd");
    let told: Vec<_> = plan.tasks.iter().map(|t| (t.id.as_str(), t.state, t.kind)).collect();
    assert_eq!(
        told,
        [
            ("001", State::Completed, Kind::Work),
            ("003", State::Pending, Kind::Container),
            ("002", State::InProgress, Kind::Work),
        ]
    );
    let b = &plan.tasks[2];
    assert_eq!((b.depends_on[0].as_str(), b.resources[0].as_str()), ("001", "cli"));
    let criteria: Vec<_> = b.criteria.iter().map(|c| (c.category.as_str(), c.runnable, c.boxed)).collect();
    assert_eq!(
        criteria,
        [("acceptance criteria", false, true), ("verify", true, false), ("verify", false, false)]
    );
    assert_eq!(b.criteria[1].command.as_deref(), Some("cd 'apps/cli' && go test ./..."));
    assert_eq!(plan.diagnostics[0].code, "unknown-status");
}

#[test]
fn the_status_of_a_file_is_its_box() {
    let root =
        folder(&[("1.md", "---\nid: T-1\ntitle: A\nstatus: 'pending'\nupdated: 2026-01-01\n---\n- [ ] x\n")]);
    let before = plan(root.path());
    let mark = before.tasks[0].mark.clone().unwrap();
    let file = root.path().join(&mark.path);
    let bytes = fs::read(&file).unwrap();
    assert_eq!(body(&bytes, &mark), b"pending");
    let ticked = String::from_utf8(set_mark(&bytes, &mark, "completed")).unwrap();
    fs::write(&file, ticked.replace("2026-01-01", "2026-02-02")).unwrap();
    let after = plan(root.path());
    assert_eq!(after.tasks[0].state, State::Completed);
    assert_eq!(after.tasks[0].fingerprint, before.tasks[0].fingerprint);
}

#[test]
fn ccpm_files_are_known_by_their_name() {
    let root = folder(&[
        ("epic.md", "---\nname: shelf\nstatus: backlog\n---\n"),
        (
            "001.md",
            "---\nname: A\nstatus: closed\ndepends_on: []\nparallel: true\nconflicts_with: [\"002\"]\n---\n",
        ),
        ("002.md", "---\nname: B\nstatus: open\ndepends_on: [001]\nparallel: false\n---\n- [ ] tests\n"),
        ("002-analysis.md", "# Analysis\n"),
    ]);
    let plan = plan(root.path());
    assert_eq!((plan.source.dialect.as_str(), plan.title.as_str()), ("ccpm", "shelf"));
    let told: Vec<_> = plan.tasks.iter().map(|t| (t.id.as_str(), t.title.as_str(), t.state)).collect();
    assert_eq!(told, [("001", "A", State::Completed), ("002", "B", State::Pending)]);
    assert_eq!(plan.tasks[1].depends_on, [TaskId::from("001")]);
    assert_eq!(plan.tasks[0].resources, plan.tasks[1].resources);
}

#[test]
fn a_folder_without_task_files_is_no_plan() {
    let root = folder(&[("a.md", "# A\n"), ("b.md", "---\nname: x\n---\n")]);
    assert_eq!(open(&root.path().join("tasks"), root.path(), None).unwrap_err().code, "not-a-plan");
}

#[test]
fn commands_without_a_box_below_such_headings_are_checks() {
    let text = "---\nid: \"001\"\ntitle: A\nstatus: pending\n---\n\n# A\n\n- `test -f z`\n\n## Acceptance Criteria\n\n- [ ] `test -f a`\n\
        - `test -f b`\n- it is nice\n\n## Verification\n\n```sh\ntest -f c\n```\n";
    let root = folder(&[("001-a.md", text)]);
    let plan = plan(root.path());
    let told: Vec<_> =
        plan.tasks[0].criteria.iter().map(|c| (c.command.as_deref().unwrap_or("-"), c.boxed)).collect();
    assert_eq!(told, [("test -f a", true), ("test -f b", false), ("-", false), ("test -f c", false)]);
}

#[test]
fn boxes_of_dependencies_name_tasks_and_are_no_criteria() {
    let card = |name: &str, below: &str| {
        format!(
            "---\nname: {name}\nstatus: open\ndepends_on: []\nparallel: true\n---\n\n## Acceptance Criteria\n\n- [ ] It stands\n- It is dry\n\n\
             ## Dependencies\n\n{below}\n\n## Effort\n\n- Hours: 4\n"
        )
    };
    let root = folder(&[
        ("1.md", &card("A", "- [ ] None (first task)")),
        ("2.md", &card("B", "- [x] Task 1 (the pit) — read it first\n- [ ] Node 18")),
        ("3.md", &card("C", "- [ ] 1, 2 (both of them)\n- [ ] 4 shovels")),
        ("4.md", &card("D", "- **Task 003**: walls")),
        ("epic.md", "---\nname: Shed\n---\n\n## Tasks Created\n\n- [ ] 1.md - A\n- [ ] 2.md - B\n"),
    ]);
    let plan = plan(root.path());
    assert_eq!(plan.source.dialect, "ccpm");
    let on: Vec<Vec<&str>> =
        plan.tasks.iter().map(|task| task.depends_on.iter().map(TaskId::as_str).collect()).collect();
    assert_eq!(on, [vec![], vec!["1"], vec!["1", "2"], vec!["3"]]);
    let texts: Vec<&str> = plan.tasks[0].criteria.iter().map(|c| c.text.as_str()).collect();
    assert_eq!(texts, ["It stands", "It is dry"]);
    assert_eq!(plan.notes.len(), 7);
}
