//! The manual page of the dialects says what the table says.

use wire::plan::{Model, is_plan_md};

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
fn the_relatives_of_plan_md_are_dialects() {
    let known: Vec<&str> = dialects::table().iter().map(|d| d.name).filter(|name| is_plan_md(name)).collect();
    assert_eq!(known, ["plan-md", "plan/v1", "spec.json", "plan-content"]);
}
