//! Every dialect has a guide, and the plan in it is a plan of that dialect.

#![expect(clippy::disallowed_methods, reason = "a test makes its own files")]

use dialects::{Ask, guide, open_with, table};
use std::fs;
use wire::State;

#[test]
fn the_plan_of_each_guide_is_read_as_its_dialect_without_being_told() {
    for dialect in table() {
        let guide = guide(dialect).unwrap_or_else(|| panic!("guide.md has no section '{}'", dialect.name));
        for field in [guide.tasks, guide.states, guide.dependencies, guide.checks] {
            assert!(!field.is_empty(), "{}", dialect.name);
        }
        assert!(guide.example.lines().count() <= 17, "{} is too long", dialect.name);
        let root = tempfile::tempdir().unwrap();
        let file = root.path().join(guide.path);
        fs::create_dir_all(file.parent().unwrap()).unwrap();
        fs::write(&file, guide.example).unwrap();
        let told = dialect.name == "boxes";
        let ask = Ask::dialect(told.then_some(dialect.name));
        let whole = if dialect.name == "workflow" { root.path() } else { &file };
        let plan =
            open_with(whole, root.path(), &ask).unwrap_or_else(|fail| panic!("{}: {fail}", dialect.name));
        assert_eq!(plan.source.dialect, dialect.name);
        let open = plan.tasks.iter().filter(|task| task.state != State::Completed);
        assert!(open.count() > 0, "{}", dialect.name);
        assert!(dialects::errors(&plan).is_none(), "{}: {:?}", dialect.name, plan.diagnostics);
    }
}

#[test]
fn the_manual_page_shows_the_guide() {
    let page = concat!(env!("CARGO_MANIFEST_DIR"), "/../xtask/pages/plantools-dialects.7.md");
    let page = fs::read_to_string(page).unwrap();
    assert!(page.contains(dialects::GUIDE.trim()), "copy guide.md below '## Formats' of the page");
}
