//! Logs: private, masked, and not for ever.

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
    let got = crate::harness::Got::of(command, None).exits(1);
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
        folder.write(&name, &"x".repeat(size));
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
