//! `gate-run try`: which suggested checks are fit, and why the others are not.

use crate::harness::{Folder, Got};
use serde_json::{Value, json};

/// The line of a suggestion for a task that names these paths.
fn suggestion(folder: &Folder, check: &str, paths: &[&str]) -> String {
    let root = folder.path().canonicalize().unwrap();
    json!({
        "schema": "suggestion/1",
        "plan": { "path": "tasks.md", "dialect": "spec-kit", "root": root, "sha256": "" },
        "task": "T001", "title": "Create the cart", "fingerprint": "sha256:0",
        "check": check, "command": "", "kind": "file", "origin": "proposed", "reason": "", "sure": "low",
        "paths": paths,
    })
    .to_string()
}

fn fed(folder: &Folder, args: &[&str], lines: &str) -> Got {
    let all = [&["try"], args].concat();
    Got::fed(folder.command(&all), lines)
}

fn tried_with(folder: &Folder, args: &[&str], check: &str, paths: &[&str]) -> Value {
    let end = r#"{"schema":"end/1","answer":"done","orders":1}"#;
    let got = fed(folder, args, &format!("{}\n{end}\n", suggestion(folder, check, paths)));
    let lines = got.exits(0).lines();
    assert_eq!(lines.len(), 2, "{got:?}");
    assert_eq!(lines[1]["schema"], "end/1");
    assert!(
        folder.path().join(".plantools/worktrees").read_dir().is_ok_and(|mut left| left.next().is_none())
    );
    lines[0]["trial"].clone()
}

fn tried(check: &str) -> Value {
    let folder = repository();
    let before = folder.git(&["status", "--porcelain"]);
    let trial = tried_with(&folder, &[], check, &["src/cart.py"]);
    assert_eq!(folder.git(&["status", "--porcelain"]), before, "the main tree stays as it is");
    trial
}

fn repository() -> Folder {
    Folder::with_git(&[
        ("tasks.md", "# Tasks\n\n- [ ] T001 Create the cart in src/cart.py\n"),
        ("README.md", "# Shop\n"),
        ("src/shop.py", "NAME = 'shop'\n"),
        ("Makefile", "test:\n\t@grep -q cart src/shop.py\n"),
    ])
}

#[track_caller]
fn refused(check: &str, code: &str) {
    let trial = tried(check);
    assert_eq!((&trial["fit"], &trial["code"]), (&json!(false), &json!(code)), "{check}: {trial}");
    assert!(!trial["message"].as_str().unwrap().is_empty());
}

#[test]
fn a_check_that_asks_for_the_work_is_fit_and_can_prove_it() {
    let trial = tried("`test -f src/cart.py && grep -qw Cart src/cart.py`");
    assert_eq!((&trial["fit"], &trial["level"]), (&json!(true), &json!("proved")), "{trial}");
    assert!(trial.get("existence_only").is_none(), "{trial}");
    let trial = tried("`make test` → exit 0");
    assert_eq!((&trial["fit"], &trial["level"]), (&json!(true), &json!("proved")), "{trial}");
}

#[test]
fn the_output_now_goes_with_it() {
    let trial = tried("`cat src/shop.py && false`");
    assert_eq!(trial["output"], "NAME = 'shop'", "{trial}");
}

#[test]
fn existence_only_is_marked_and_never_proves() {
    for check in
        ["`test -f src/cart.py`", "`test -d src/carts/`", "`ls src/cart.py`", "`test -e other/place.txt`"]
    {
        let folder = repository();
        let trial = tried_with(&folder, &[], check, &["src/cart.py", "src/carts/"]);
        let seen = (&trial["fit"], &trial["existence_only"], &trial["level"]);
        assert_eq!(seen, (&json!(true), &json!(true), &json!("passes")), "{check}: {trial}");
    }
}

#[test]
fn any_change_of_the_tree_is_refused_as_proof() {
    refused("`test -n \"$(git status --porcelain)\"`", "placebo-passes");
    refused("`git diff --quiet` → fails", "placebo-passes");
    refused("`git diff --cached --quiet` → fails", "placebo-passes");
}

#[test]
fn another_head_is_refused_as_proof() {
    let folder = repository();
    let head = folder.git(&["rev-parse", "HEAD"]);
    let check = format!("`test \"$(git rev-parse HEAD)\" != {}`", head.trim());
    assert_eq!(tried_with(&folder, &[], &check, &[])["code"], "placebo-passes");
    assert_eq!(tried_with(&folder, &[], "`git rev-list --count HEAD` → >= 2", &[])["code"], "placebo-passes");
}

#[test]
fn uncommitted_changes_do_not_move_the_head_of_a_trial() {
    let folder = repository();
    let head = folder.git(&["rev-parse", "HEAD"]);
    folder.write("src/shop.py", "NAME = 'cart shop'\n");
    let check = format!("`test \"$(git rev-parse HEAD)\" != {}`", head.trim());
    assert_eq!(tried_with(&folder, &[], &check, &[])["code"], "placebo-passes");
    assert_eq!(tried_with(&folder, &[], "`make test`", &[])["code"], "passes-already");
}

#[test]
fn a_date_is_refused_as_proof() {
    refused("`test \"$(date +%s)\" -gt 99999999999`", "depends-on-time");
    refused("`find src -newermt 2099-01-01` → not empty", "depends-on-time");
}

#[test]
fn a_check_that_passes_already_is_refused() {
    refused("`test -f README.md`", "passes-already");
    refused("`test -f no-such-file` → fails", "passes-already");
}

#[test]
fn an_illegal_check_is_refused_and_does_not_run() {
    refused("The cart works", "check-illegal");
    refused("`test -f a` and then look at the page", "check-illegal");
    refused("`make test || true`", "check-illegal");
    refused("`touch made-by-the-trial; echo done`", "check-illegal");
}

#[test]
fn a_check_that_writes_is_refused_and_its_changes_are_taken_back() {
    refused("`touch src/cart.py && grep -q Cart src/cart.py`", "check-writes");
    refused("`sed -i s/shop/x/ src/shop.py && false`", "check-writes");
    refused("`git -c user.name=a -c user.email=a@b commit -q --allow-empty -m x && false`", "check-writes");
}

#[test]
fn a_check_that_hangs_is_refused() {
    let folder = repository();
    let args = ["--timeout-seconds", "0.5", "--grace-seconds", "0.2"];
    assert_eq!(tried_with(&folder, &args, "`sleep 60 && false`", &[])["code"], "check-hangs");
}

#[test]
fn a_check_that_needs_the_network_is_refused() {
    refused("`curl -sf https://example.com/health`", "needs-network");
    refused("`git ls-remote https://example.com/x.git` → not empty", "needs-network");
    refused(
        "`python3 -c \"import urllib.request as u; print(u.urlopen('http://example.com').status)\"`",
        "needs-network",
    );
}

#[test]
fn a_check_that_acts_is_refused() {
    refused("`npm publish`", "check-acts");
    refused("`make deploy`", "check-acts");
}

#[test]
fn a_missing_program_is_refused() {
    refused("`no-such-program-here --version`", "program-missing");
    refused("`python3 -m no_such_module_here`", "program-missing");
}

#[test]
fn a_check_of_the_plan_or_the_ledger_is_refused() {
    refused("`grep -q 'x. T001' tasks.md`", "reads-own-state");
    refused("`test -s .plantools/ledger.jsonl`", "reads-own-state");
}

#[test]
fn a_stream_that_was_cut_off_or_is_no_stream_of_suggestions_is_an_error() {
    let folder = repository();
    fed(&folder, &[], &suggestion(&folder, "`test -f README.md`", &[]))
        .exits(65)
        .says("stream ends without 'end/1'");
    fed(&folder, &[], "{\"schema\":\"order/1\"}\n").exits(65);
    let bare = Folder::new();
    let line = suggestion(&bare, "`test -f x`", &[]);
    fed(&bare, &[], &format!("{line}\n")).exits(78).says("git init");
}
