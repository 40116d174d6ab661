//! The manual page of the dialects agrees with the table.

use config::profile::Profile;
use wire::plan::Model;

#[test]
fn every_dialect_has_a_row_with_its_strategy() {
    let page = concat!(env!("CARGO_MANIFEST_DIR"), "/../xtask/pages/plantools-dialects.7.md");
    let page = std::fs::read_to_string(page).unwrap();
    for dialect in dialects::table() {
        let row = page.lines().find(|line| line.starts_with(&format!("| `{}` |", dialect.name)));
        let row = row.unwrap_or_else(|| panic!("the page has no row for '{}'", dialect.name));
        let said = row.split(" | ").nth(1).unwrap_or_default();
        let word = match dialect.model {
            Model::Sequential => "sequential",
            Model::Parallel => "parallel",
            Model::Phased => "phased",
            Model::Tdd => "tdd",
            Model::Auto => "auto",
        };
        assert!(said.starts_with(word), "'{}' is {word}, and the page says '{said}'", dialect.name);
    }
}

#[test]
fn a_profile_names_dialects_and_has_their_strategy() {
    let names = ["execute", "execute-task", "workflow-execute", "orchestrate-runbook", "checklist"];
    for profile in names.map(|name| Profile::by_name(name).unwrap()) {
        for name in &profile.dialects {
            let dialect = dialects::find(name).unwrap_or_else(|| panic!("{}: '{name}'", profile.name));
            assert_eq!(profile.strategy, Some(dialect.model), "{}: '{name}'", profile.name);
        }
    }
}
