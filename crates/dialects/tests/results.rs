//! What a plan says of a check's result away from its own line, and where checks of the whole plan stand.

#![expect(clippy::unwrap_used, reason = "a text that does not parse fails the test")]

use dialects::{Text, read};
use wire::plan::{Criterion, ExpectKind, Plan};

fn plan(text: &str) -> Plan {
    read(&Text { path: "PLAN.md", bytes: text.as_bytes() }, None).unwrap()
}

/// The criteria of a PLAN.md whose one task has this below its acceptance criteria.
fn criteria(text: &str) -> Vec<Criterion> {
    let text = format!("# P\n\n## TODOs\n\n### [ ] TODO 1: x\n\n**Acceptance Criteria**:\n{text}");
    plan(&text).tasks.remove(0).criteria
}

fn kind(criterion: &Criterion) -> Option<ExpectKind> {
    criterion.expect.as_ref().map(|expect| expect.kind)
}

#[test]
fn a_result_below_a_criterion_is_its_own() {
    for (text, told) in [
        ("- [ ] A: `test -f a`\n  - Expected: FAIL\n", ExpectKind::NonZero),
        ("- [ ] A: `cat a`\n  ```\n  ho\n  ```\n", ExpectKind::Contains),
        ("- [ ] A: `cat a`\n  Expected: `ho`\n", ExpectKind::Unclear),
        ("- [ ] A:\n  ```sh\n  test -f a\n  ```\n  Expected: FAIL\n", ExpectKind::NonZero),
        ("- [ ] A:\n  ```sh\n  cat a\n  ```\n  → `ho`\n", ExpectKind::Line),
        ("- [ ] A:\n  ```sh\n  cat a\n  ```\n  Expected:\n  ```\n  ho\n  ```\n", ExpectKind::Contains),
        ("- [ ] This should fail:\n  ```sh\n  test -f a\n  ```\n", ExpectKind::Unclear),
        ("- [ ] A: `cat a` → `hi`\n  - Expected: `ho`\n", ExpectKind::Unclear),
        ("```sh\ntest -f a\n```\nExpected: FAIL\n", ExpectKind::NonZero),
        ("This must fail:\n\n```sh\ntest -f a\n```\n", ExpectKind::Unclear),
    ] {
        let criteria = criteria(text);
        let [only] = criteria.as_slice() else { panic!("{text}: {criteria:?}") };
        assert_eq!((kind(only), only.runnable), (Some(told), told != ExpectKind::Unclear), "{text}");
    }
    for text in [
        "- [ ] All tests must pass:\n  ```sh\n  make\n  ```\n",
        "- [ ] A: `make`\n  ```rust\n  fn a() {}\n  ```\n",
        "- [ ] A: `make`\n  - as others do\n",
    ] {
        let criteria = criteria(text);
        assert!(criteria.len() == 1 && criteria[0].runnable && criteria[0].expect.is_none(), "{text}");
    }
}

#[test]
fn a_nested_item_that_ends_with_a_command_is_a_check() {
    let text = "- [ ] A: `test -f a`\n  - and `test -f b`\n  - it is there: `test -f c` → FAIL\n  - see `test -f d` for more\n  - `name`\n";
    let criteria = criteria(text);
    let told: Vec<_> = criteria.iter().map(|c| (c.command.as_deref().unwrap(), kind(c))).collect();
    let other = Some(ExpectKind::NonZero);
    assert_eq!(told, [("test -f a", None), ("test -f b", None), ("test -f c", other)]);
}

#[test]
fn a_block_of_an_item_is_dedented_and_has_plain_line_ends() {
    let text = "- [ ] A:\r\n  ```sh\r\n  cat <<E\r\n  a\r\n  E\r\n  test -f a\r\n  ```\r\n";
    assert_eq!(criteria(text)[0].command.as_deref(), Some("cat <<E\na\nE\ntest -f a"));
}
