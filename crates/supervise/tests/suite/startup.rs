//! Commands that do not start, and the environment of commands that do.

use std::os::unix::fs::PermissionsExt;

use crate::harness::{Case, sh};
use supervise::Stop;

#[test]
fn a_missing_command_is_not_found() {
    let ended = Case::new(["no-such-command-here"]).run();
    assert_eq!((ended.stop, ended.exit_code), (Stop::NotFound, None));
    assert_eq!(
        ended.error.as_deref(),
        Some("'no-such-command-here': No such file or directory (os error 2)")
    );
}

#[test]
fn a_missing_interpreter_is_named_as_such() {
    let case = Case::new(["./script"]);
    case.folder().write("script", "#!/no/such/interpreter\n", 0o755);
    let ended = case.run();
    assert_eq!(ended.stop, Stop::NotFound);
    assert_eq!(ended.error.as_deref(), Some("'./script': its interpreter is not there"));
}

#[test]
fn a_file_without_the_execute_bit_is_not_executable() {
    let case = Case::new(["./script"]);
    case.folder().write("script", "#!/bin/sh\n", 0o644);
    let ended = case.run();
    assert_eq!(ended.stop, Stop::NotExecutable);
    assert_eq!(ended.error.as_deref(), Some("'./script': Permission denied (os error 13)"));
}

#[test]
fn a_folder_and_a_file_without_a_format_are_not_executable() {
    assert_eq!(Case::new(["/"]).run().stop, Stop::NotExecutable);
    let case = Case::new(["./noise"]);
    case.folder().write("noise", "\u{7}\u{7}\u{7}", 0o755);
    assert_eq!(case.run().stop, Stop::NotExecutable);
}

#[test]
fn a_missing_cwd_is_not_a_missing_command() {
    let ended = sh("true").set("cwd", "/no/such/folder").run();
    assert_eq!(ended.stop, Stop::BadCwd);
    assert_eq!(ended.error.as_deref(), Some("'/no/such/folder': No such file or directory (os error 2)"));
    let ended = sh("true").set("cwd", "/etc/passwd").run();
    assert_eq!(ended.stop, Stop::BadCwd);
}

#[test]
fn an_empty_command_a_missing_stdin_and_a_bad_log_are_spawn_errors() {
    assert_eq!(Case::new::<[&str; 0]>([]).run().stop, Stop::SpawnError);
    assert_eq!(sh("true").set("stdin", "/no/such/file").run().stop, Stop::SpawnError);
    assert_eq!(sh("true").set("stdout_log", "/no/such/folder/log").run().stop, Stop::SpawnError);
}

#[test]
fn a_log_is_private_and_never_written_through_a_link() {
    let (ended, folder) = sh("echo hello").log().run_kept();
    assert_eq!(ended.stop, Stop::Exited);
    assert_eq!(folder.read("out.log"), b"hello\n");
    let mode = std::fs::metadata(folder.path("out.log")).unwrap().permissions().mode();
    assert_eq!(mode & 0o777, 0o600);

    let case = sh("echo hello").log();
    case.folder().write("precious", "precious", 0o600);
    std::os::unix::fs::symlink("precious", case.folder().path("out.log")).unwrap();
    let (ended, folder) = case.run_kept();
    assert_eq!(ended.stop, Stop::SpawnError);
    assert_eq!(folder.read("precious"), b"precious");
}

#[test]
fn a_full_disk_loses_the_log_but_not_the_verdict() {
    let ended = sh("echo hello; exit 3").set("stdout_log", "/dev/full").run();
    assert_eq!((ended.stop, ended.exit_code, ended.tail.as_str()), (Stop::Exited, Some(3), "hello\n"));
    assert!(ended.truncated);
    assert_eq!(ended.log_error.as_deref(), Some("No space left on device (os error 28)"));
}

#[test]
fn streams_kept_apart_have_their_own_logs_and_digests() {
    let case = sh("echo out; echo err >&2");
    let stderr_log = case.folder().path("err.log");
    let (ended, folder) = case.log().set("stderr_log", stderr_log).run_kept();
    assert_eq!((folder.read("out.log"), folder.read("err.log")), (b"out\n".to_vec(), b"err\n".to_vec()));
    assert_eq!((ended.bytes, ended.stderr.as_ref().map(|stream| stream.bytes)), (4, Some(4)));
    assert_ne!(Some(ended.sha256), ended.stderr.map(|stream| stream.sha256));
    assert_eq!(ended.tail.len(), 8);
}

#[test]
fn merged_streams_keep_their_order() {
    let ended = sh("for i in 1 2 3; do echo o$i; echo e$i >&2; done").run();
    assert_eq!(ended.tail, "o1\ne1\no2\ne2\no3\ne3\n");
}

#[test]
fn stdin_can_be_a_file_and_the_environment_is_what_was_asked_for() {
    let case = sh("cat; printf '%s %s %s' \"$GIVEN\" \"${TAKEN-none}\" \"$PWD\"");
    case.folder().write("in", "from a file\n", 0o600);
    let (stdin, place) = (case.folder().path("in"), case.folder().path(""));
    let case =
        case.set("stdin", stdin).set("env_remove", ["TAKEN"]).env("GIVEN", "given").outside("TAKEN", "taken");
    let place = place.canonicalize().unwrap();
    let ended = case.run();
    assert_eq!(ended.tail, format!("from a file\ngiven none {}", place.display()));
}

#[test]
fn a_command_starts_with_clean_signals_no_terminal_and_three_descriptors() {
    let ended = Case::new(["grep", "-E", "^Sig(Blk|Ign)", "/proc/self/status"]).run();
    let masks: Vec<u64> =
        ended.tail.lines().map(|line| u64::from_str_radix(&line[8..], 16).unwrap()).collect();
    // What the caller ignores stays ignored (`nohup`), but for SIGPIPE, which Rust ignores itself.
    let own = std::fs::read_to_string("/proc/self/status").unwrap();
    let own = own.lines().find_map(|line| line.strip_prefix("SigIgn:\t")).unwrap();
    let inherited = u64::from_str_radix(own, 16).unwrap() & 0x7fff_efff;
    // 32 and 33 belong to the C library.
    assert_eq!(masks.iter().map(|mask| mask & 0x7fff_ffff).collect::<Vec<_>>(), [0, inherited], "{ended:?}");
    let ended = sh("ls /proc/self/fd | wc -l; (: </dev/tty) 2>/dev/null || echo no terminal").run();
    // The fourth is the folder that `ls` reads.
    assert_eq!(ended.tail, "4\nno terminal\n");
}
