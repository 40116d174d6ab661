//! Logs: private, masked, and removed in time.

use crate::harness::Folder;
use serde_json::json;
use std::os::unix::fs::PermissionsExt;
use std::time::{Duration, SystemTime};

#[test]
fn secrets_are_masked_in_logs_tails_and_records_alike() {
    let text = "[redact]\npatterns = [\"id-[0-9]+\"]\nenv = [\"PLAIN_NAME\"]\n[[gates]]\nid = \"g\"\ninvocation = \"echo id-42 $PLAIN_NAME; exit 1\"\n";
    let folder = Folder::with_git(&[("plantools.toml", text)]);
    let mut command = folder.command(&["--all"]);
    command.env("PLAIN_NAME", "swordfish");
    let got = crate::harness::Got::of(command);
    got.exits(1);
    let gate = got.json();
    assert_eq!(gate["last_output_lines"], json!(["[masked] [masked]"]));
    let log = folder.path().join(gate["log"].as_str().unwrap());
    assert_eq!(std::fs::read_to_string(&log).unwrap(), "[masked] [masked]\n");
    assert_eq!(std::fs::metadata(&log).unwrap().permissions().mode() & 0o777, 0o600);
    assert!(!folder.read(".plantools/ledger.ndjson").contains("swordfish"));
}

#[test]
fn logs_go_by_age_and_by_size_but_never_those_of_this_run() {
    let rule = "[logs]\ndays = 7\nmegabytes = 1\n[[gates]]\nid = \"g\"\ninvocation = \"true\"\n";
    let folder = Folder::with_git(&[("plantools.toml", rule)]);
    let log = |name: &str, size: usize, days: u64| {
        let name = format!(".plantools/logs/{name}/g.log");
        folder.write(&name, "x".repeat(size));
        let then = SystemTime::now() - Duration::from_secs(days * 86400);
        let file = std::fs::File::options().write(true).open(folder.path().join(&name)).unwrap();
        file.set_modified(then).unwrap();
    };
    log("old", 10, 8);
    log("young", 10, 1);
    log("large", 2 << 20, 2);
    log("now", 10, 9);
    folder.run(&["--all", "--run", "now"]).exits(0);
    let mut names: Vec<_> =
        folder.logs().iter().map(|p| p.parent().unwrap().file_name().unwrap().to_owned()).collect();
    names.dedup();
    names.sort();
    names.dedup();
    assert_eq!(names, ["now", "young"]);
}

#[test]
fn without_a_log_nothing_is_kept_but_the_count_and_the_end() {
    let folder = Folder::with_git(&[]);
    let args = ["--no-log", "--bead-id", "b", "--", "sh", "-c", "seq 100000; exit 1"];
    let gate = folder.run(&args).exits(1).json();
    assert_eq!((&gate["output_bytes"], &gate["output_sha256"]), (&json!(588_895), &json!("")));
    assert_eq!(gate["last_output_lines"].as_array().unwrap().last(), Some(&json!("100000")));
    assert!(
        gate.get("log").is_none() && gate.get("truncated").is_none() && folder.logs().is_empty(),
        "{gate}"
    );
    folder.run(&["--no-log", "--log-megabytes", "1", "--", "true"]).exits(2);
}

#[test]
fn a_check_whose_output_is_judged_is_judged_without_a_log_too() {
    let plan = "# P\n\n## TODOs\n\n### [ ] TODO 1: T\n\n**Type**: work\n\n**Acceptance Criteria**:\n\n*Functional:*\n- [ ] `seq 3 | wc -l` → >= 3\n";
    let folder = Folder::with_git(&[("PLAN.md", plan)]);
    let line = crate::orders::judged(&folder, None, &["--no-log"]);
    assert_eq!(line["verdict"]["status"], json!("verified"), "{line}");
    assert!(folder.logs().is_empty());
}

#[test]
fn a_log_and_its_digest_end_at_the_limit_of_the_configuration() {
    let text =
        "[logs]\nfile_megabytes = 1\n[[gates]]\nid = \"g\"\ninvocation = \"head -c 3000000 /dev/zero\"\n";
    let folder = Folder::with_git(&[("plantools.toml", text)]);
    let of = |args: &[&str]| {
        let gate = folder.run(&[&["--all"], args].concat()).exits(0).json();
        let log = std::fs::metadata(folder.path().join(gate["log"].as_str().unwrap())).unwrap().len();
        (
            log,
            gate["output_bytes"].as_u64().unwrap(),
            gate.get("truncated").is_some(),
            gate["output_sha256"].clone(),
        )
    };
    let megabyte = json!("30e14955ebf1352266dc2ff8067e68104607e750abb9d3b36582b8af909fcb58");
    assert_eq!(of(&[]), (1 << 20, 3_000_000, true, megabyte));
    let (log, bytes, truncated, _) = of(&["--log-megabytes", "3"]);
    assert_eq!((log, bytes, truncated), (3_000_000, 3_000_000, false));
}

#[test]
fn a_secret_in_a_long_log_is_masked_and_what_is_no_text_stays() {
    let text = "[redact]\nenv = [\"PLAIN_NAME\"]\n[[gates]]\nid = \"g\"\ninvocation = \"head -c 700000 /dev/zero; printf '\\\\377 %s' $PLAIN_NAME; exit 1\"\n";
    let folder = Folder::with_git(&[("plantools.toml", text)]);
    let mut command = folder.command(&["--all"]);
    command.env("PLAIN_NAME", "swordfish");
    let gate = crate::harness::Got::of(command).exits(1).json();
    let log = std::fs::read(folder.path().join(gate["log"].as_str().unwrap())).unwrap();
    assert_eq!(&log[700_000..], b"\xff [masked]");
}
