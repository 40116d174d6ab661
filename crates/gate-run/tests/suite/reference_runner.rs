//! Every defect of the runner that `gate-run` replaces, by its name.

use crate::harness::{Folder, Verdict};
use crate::torture::is_alive;
use serde_json::json;

#[test]
fn false_stall_on_unterminated_lines() {
    let line = "for i in 1 2 3 4 5 6; do printf .; sleep 0.2; done";
    Folder::new().run(&["--stall-seconds", "0.8", "--", "sh", "-c", line]).exits(0).is("pass", "exited");
}

#[test]
fn exit_2_is_overloaded() {
    Folder::new().run(&["--", "sh", "-c", "exit 2"]).exits(1).is("fail", "exited");
    Folder::new().run(&["--", "sh", "-c", "exit 3"]).exits(1).is("fail", "exited");
}

#[test]
fn env_missing_over_triggers_on_a_product_import_error() {
    let line =
        "echo \"E  ModuleNotFoundError: No module named 'shop'\"; echo '1 failed, 3 passed in 0.1s'; exit 1";
    Folder::new().run(&["--", "sh", "-c", line]).exits(1).is("fail", "exited");
}

#[test]
fn env_missing_under_triggers_on_the_words_of_dash() {
    Folder::new().run(&["--", "sh", "-c", "no-such-tool-here"]).exits(3).is("fault", "env_missing");
    let line = "no-such-tool-here || exit 1";
    Folder::new().run(&["--", "sh", "-c", line]).exits(3).is("fault", "env_missing");
}

#[test]
fn a_file_that_is_not_executable_has_no_record() {
    let folder = Folder::with_git(&[("tool", "true\n")]);
    folder.run(&["--bead-id", "b", "--", "./tool"]).exits(3).is("fault", "env_missing");
    assert_eq!(folder.ledger()[0]["data"]["gate"]["stop_reason"], json!("env_missing"));
}

#[test]
fn a_child_killed_by_a_signal_has_exit_code_minus_9() {
    let gate = Folder::new().run(&["--", "sh", "-c", "kill -9 $$"]).exits(1).is("fail", "signalled");
    assert_eq!((&gate["signal"], &gate["exit_code"]), (&json!(9), &json!(null)));
}

#[test]
fn one_huge_line_is_unbounded_in_the_tail() {
    let line = "head -c 5000000 /dev/zero | tr '\\0' x; exit 1";
    let got = Folder::new().run(&["--", "sh", "-c", line]);
    got.exits(1);
    assert!(got.out.len() < 100_000, "{}", got.out.len());
    assert_eq!(got.json()["output_bytes"], json!(5_000_000));
}

#[test]
fn one_invalid_byte_kills_the_reader() {
    let line = "printf 'a\\377b\\n'; sleep 0.2; echo after; exit 1";
    let gate = Folder::new().run(&["--stall-seconds", "2", "--", "sh", "-c", line]).exits(1).json();
    assert_eq!(gate["last_output_lines"], json!(["a\u{fffd}b", "after"]));
}

#[test]
fn there_is_no_term_grace() {
    let line = "trap 'echo cleaned; exit 0' TERM; while :; do sleep 0.05; done";
    let args = ["--timeout-seconds", "0.4", "--grace-seconds", "5", "--", "sh", "-c", line];
    let gate = Folder::new().run(&args).exits(3).is("fault", "timeout");
    assert_eq!(gate["last_output_lines"].as_array().unwrap().last(), Some(&json!("cleaned")));
}

#[test]
fn grandchildren_in_their_own_session_survive() {
    let folder = Folder::new();
    let line = "setsid sh -c 'echo $$ > pid; exec sleep 60' & sleep 60";
    let args = ["--timeout-seconds", "1", "--grace-seconds", "0.2", "--", "sh", "-c", line];
    folder.run(&args).exits(3).is("fault", "timeout");
    assert!(!is_alive(&folder.read("pid")));
}

#[test]
fn the_real_exit_code_of_a_fault_is_lost() {
    let line = "trap 'exit 7' TERM; while :; do sleep 0.05; done";
    let args = ["--timeout-seconds", "0.4", "--", "sh", "-c", line];
    let gate = Folder::new().run(&args).exits(3).is("fault", "timeout");
    assert_eq!(gate["exit_code"], json!(7));
}

#[test]
fn elapsed_is_quantised_by_a_poll() {
    let gate = Folder::new().run(&["--", "true"]).exits(0).json();
    assert!(gate["elapsed_seconds"].as_f64().unwrap() < 0.1, "{gate}");
}

#[test]
fn ambiguous_is_never_emitted() {
    let line =
        "printf 'Traceback (most recent call last):\\nModuleNotFoundError: No module named x\\n'; exit 1";
    Folder::new().run(&["--", "sh", "-c", line]).exits(3).is("fault", "ambiguous");
}

#[test]
fn there_is_no_lock_on_the_append() {
    let folder = Folder::with_git(&[]);
    let running: Vec<_> = (0..8).map(|_| folder.start(&["--bead-id", "b", "--", "true"])).collect();
    for child in running {
        assert!(child.wait_with_output().unwrap().status.success());
    }
    assert_eq!(folder.ledger().len(), 8);
}

#[test]
fn nothing_is_said_on_pass_or_fail() {
    assert_eq!(Folder::new().run(&["--", "true"]).exits(0).json()["status"], json!("pass"));
    assert_eq!(Folder::new().run(&["--", "false"]).exits(1).json()["status"], json!("fail"));
}

#[test]
fn the_tail_of_a_fault_is_empty_when_its_reader_died() {
    let line = "printf 'got \\377 so far'; sleep 60";
    let args = ["--stall-seconds", "0.5", "--grace-seconds", "0", "--", "sh", "-c", line];
    let gate = Folder::new().run(&args).exits(3).is("fault", "stall");
    assert_eq!(gate["last_output_lines"], json!(["got \u{fffd} so far"]));
}

#[test]
fn a_record_that_cannot_be_written_is_no_exit_code_of_a_verdict() {
    let folder = Folder::with_git(&[]);
    folder.write(".plantools", "in the way");
    let got = folder.run(&["--bead-id", "b", "--", "true"]);
    got.exits(74);
    assert!(got.err.contains(".plantools"), "{}", got.err);
}

#[test]
fn malformed_lines_of_the_audit_are_skipped_without_a_word() {
    let text = "[[gates]]\nid = \"g\"\ninvocation = \"true\"\n";
    let folder = Folder::with_git(&[("plantools.toml", text)]);
    let batch = ["--bead-id", "b", "--run-timestamp", "T"];
    folder.run(&[&["--all"][..], &batch].concat()).exits(0);
    let prove = || folder.run(&[&["proof"][..], &batch, &["--require", "g"]].concat());
    prove().exits(0);
    let ledger = folder.read(".plantools/ledger.ndjson");
    folder.write(".plantools/ledger.ndjson", &ledger[..ledger.len() - 20]);
    assert_eq!(prove().exits(1).json()["missing"][0]["reason"], json!("no record"), "half a record is none");
    folder.run(&[&["--all"][..], &batch].concat()).exits(0);
    prove().exits(0);
    assert!(
        folder.read(".plantools/ledger.ndjson").contains("\"type\":\"torn\""),
        "and that it was there is on record"
    );
}

#[test]
fn gate_ids_have_underscores_in_files_and_hyphens_in_records() {
    let text = "[meta]\nversion = \"1\"\n[[gates]]\nid = \"ruff_check\"\ninvocation = \"true\"\n";
    let folder = Folder::with_git(&[("fitter.toml", text)]);
    let config = ["--config", "fitter.toml"];
    folder.run(&[&config[..], &["--gate", "ruff-check"]].concat()).exits(0);
    folder.run(&[&["proof"][..], &config, &["--require", "ruff-check"]].concat()).exits(0);
}

#[test]
fn a_missing_program_and_a_failed_test_had_the_same_exit_code() {
    let folder = Folder::new();
    folder.run(&["--", "no-such-tool-here"]).exits(3).is("fault", "env_missing");
    folder.run(&["--", "false"]).exits(1).is("fail", "exited");
}
