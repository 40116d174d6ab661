//! What only a person at a terminal sees.

use crate::harness::Folder;
use rustix::pty::{OpenptFlags, grantpt, openpt, ptsname, unlockpt};
use std::fs::{File, OpenOptions};
use std::io::Read;
use std::process::{Command, Stdio};

/// Both sides of a terminal: the person's, and the program's.
fn terminal() -> (File, File) {
    let master = openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY).unwrap();
    grantpt(&master).and_then(|()| unlockpt(&master)).unwrap();
    let name = ptsname(&master, Vec::new()).unwrap();
    let slave = OpenOptions::new().read(true).write(true).open(name.to_str().unwrap()).unwrap();
    (File::from(master), slave)
}

/// What a command shows on a terminal as its stderr.
fn shown(mut command: Command) -> String {
    let (mut person, program) = terminal();
    let mut child = command.stdout(Stdio::null()).stderr(program).spawn().unwrap();
    // Our copy keeps the other side open; without it the terminal ends with the program.
    drop(command);
    let mut text = Vec::new();
    // The end of a terminal is an error on Linux.
    let _ = person.read_to_end(&mut text);
    child.wait().unwrap();
    String::from_utf8_lossy(&text).into_owned()
}

#[test]
fn a_person_hears_that_a_silent_check_still_runs_and_how_it_ended() {
    let folder = Folder::new();
    let args = ["--gate-id", "slow", "--heartbeat-seconds", "0.4", "--", "sleep", "1.6"];
    let said = shown(folder.command(&args));
    assert!(said.contains("gate-run: slow: still running after "), "{said}");
    assert!(said.contains("gate-run: slow: pass, exit 0 ("), "{said}");
    let quiet = shown(folder.command(&["--heartbeat-seconds", "0", "--", "sleep", "0.6"]));
    assert!(!quiet.contains("still running"), "{quiet}");
    assert_eq!(shown(folder.command(&[&["--json-only"][..], &args].concat())), "");
}

#[test]
fn several_at_once_are_each_told_of() {
    let gate = |id: &str| format!("[[gates]]\nid = \"{id}\"\ninvocation = \"sleep 1.6; echo end of {id}\"\n");
    let folder = Folder::with_git(&[("plantools.toml", &format!("{}{}", gate("a"), gate("b")))]);
    let said = shown(folder.command(&["--all", "--jobs", "2", "--heartbeat-seconds", "0.4"]));
    assert!(
        said.contains("gate-run: a: still running") && said.contains("gate-run: b: still running"),
        "{said}"
    );
    let got = folder.run(&["--all", "--jobs", "2", "--pass-through"]);
    got.exits(0);
    assert!(got.err.contains("end of a\n") && got.err.contains("end of b\n"), "{}", got.err);
}

#[test]
fn without_a_terminal_nothing_is_said() {
    let args = ["--heartbeat-seconds", "0.2", "--", "sleep", "0.8"];
    assert_eq!(Folder::new().run(&args).exits(0).err, "");
}
