//! What once broke a law of a fuzz target keeps it now, and every target can be built: `scripts/fuzz` looks for more.

#![expect(
    clippy::disallowed_methods,
    clippy::expect_used,
    reason = "the targets write into a folder in memory, and one that cannot has failed"
)]

#[path = "../fuzz/src/answers.rs"]
mod answers;
#[path = "../fuzz/src/checks_law.rs"]
mod checks_law;
#[path = "../fuzz/src/contracts.rs"]
mod contracts;
#[path = "../fuzz/src/folder.rs"]
mod folder;
#[path = "../fuzz/src/plans.rs"]
mod plans;
#[path = "../fuzz/src/sessions.rs"]
mod sessions;
#[path = "../fuzz/src/settings.rs"]
mod settings;
#[path = "../fuzz/src/targets.rs"]
mod targets;
#[path = "../fuzz/src/transcripts.rs"]
mod transcripts;

use pipeline_tests::workspace;
use std::fs;

#[test]
fn what_once_broke_a_law_keeps_it_now() {
    let mut tried = 0;
    for entry in fs::read_dir(workspace().join("tests/fuzz/found")).unwrap().flatten() {
        let name = entry.file_name().to_string_lossy().into_owned();
        let fits = |target: &&targets::Target| name.starts_with(&format!("{}-", target.0));
        // Of two that fit the longer name is meant.
        let table = targets::table();
        let target = table.iter().filter(fits).max_by_key(|target| target.0.len());
        let (_, target) = target.unwrap_or_else(|| panic!("'{name}' names no target"));
        target(&fs::read(entry.path()).unwrap());
        tried += 1;
    }
    assert!(tried > 0, "nothing was found");
}

#[test]
fn every_target_takes_any_bytes() {
    for (name, target) in targets::table() {
        for bytes in
            [&b""[..], b"{}", b"[]", b"# x\n\n- [ ] y\n", b"\xff\xfe\0\n", b"==> a\n{}\n==> b/c\n- [ ] x\n"]
        {
            assert!(std::panic::catch_unwind(|| target(bytes)).is_ok(), "{name}: {bytes:?}");
        }
    }
}
