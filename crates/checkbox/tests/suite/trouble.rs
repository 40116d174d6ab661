//! Full disks, folders without write permission, missing files: a clear error, and nothing lost.

use crate::place::{Got, Place};
use std::fs::{self, Permissions};
use std::os::unix::fs::{PermissionsExt, symlink};
use std::os::unix::process::CommandExt;
use std::process::Command;

const PLAN: &str = "- [ ] 1. one\n";
const TICK: [&str; 5] = ["tick", "1", "--reason", "r", "PLAN.md"];

#[test]
fn a_full_disk_is_an_error_and_the_file_is_as_it_was() {
    let place = Place::with(PLAN);
    let disk = place.path("disk");
    fs::create_dir(&disk).unwrap();
    let mounted = Command::new("mount").args(["-t", "tmpfs", "-o", "size=64k", "none"]).arg(&disk).status();
    if !mounted.is_ok_and(|status| status.success()) {
        eprintln!("only root can make a small disk; tests/suite/crash.rs fails every write instead");
        return;
    }
    // The mark gets longer, so that the whole file must be replaced.
    place.write("disk/PLAN.md", "- [] 1. one\n");
    place.write("disk/filler", vec![b'x'; 40 << 10]);
    drop(place.other("sh", &["-c", "dd if=/dev/zero of=disk/rest bs=1k 2>/dev/null; true"]).status());
    let got = place.run(&["tick", "1", "--reason", "r", "disk/PLAN.md"]);
    let now = place.text("disk/PLAN.md");
    fs::remove_file(place.path("disk/rest")).unwrap();
    fs::remove_file(place.path("disk/filler")).unwrap();
    let again = place.run(&["tick", "1", "--reason", "r", "disk/PLAN.md"]);
    let then = place.text("disk/PLAN.md");
    let unmounted = Command::new("umount").arg(&disk).status();
    got.exits(74).says("no space left");
    assert_eq!(now, "- [] 1. one\n");
    again.exits(0);
    assert_eq!(then, "- [x] 1. one\n");
    assert!(unmounted.is_ok_and(|status| status.success()));
}

#[test]
fn a_file_that_may_not_be_written_is_refused_before_anything_happens() {
    let place = Place::with(PLAN);
    fs::set_permissions(place.path("PLAN.md"), Permissions::from_mode(0o444)).unwrap();
    let got = as_somebody(&place, &TICK);
    got.exits(74).says("permission denied");
    assert_eq!(place.text("PLAN.md"), PLAN);
}

#[test]
fn a_folder_that_may_not_be_written_is_refused_before_anything_happens() {
    let place = Place::with(PLAN);
    fs::set_permissions(place.root(), Permissions::from_mode(0o555)).unwrap();
    let got = as_somebody(&place, &TICK);
    fs::set_permissions(place.root(), Permissions::from_mode(0o755)).unwrap();
    got.exits(74).says("permission denied");
    assert_eq!(place.text("PLAN.md"), PLAN);
}

#[test]
fn a_plan_of_somebody_else_that_cannot_keep_its_owner_is_refused() {
    if !is_root() {
        return;
    }
    // Every user may write it, but the new file would belong to us.
    let place = Place::with("- [] 1. one\n");
    fs::set_permissions(place.path("PLAN.md"), Permissions::from_mode(0o666)).unwrap();
    fs::set_permissions(place.root(), Permissions::from_mode(0o777)).unwrap();
    as_somebody(&place, &TICK).exits(74).says("not permitted");
    assert_eq!(place.text("PLAN.md"), "- [] 1. one\n");
    // Writing one byte in place does not change the owner.
    place.write("PLAN.md", PLAN);
    as_somebody(&place, &TICK).exits(0);
    assert_eq!(place.text("PLAN.md"), "- [x] 1. one\n");
}

#[test]
fn a_plan_that_is_a_folder_or_gone_is_said() {
    let place = Place::with(PLAN);
    place.run(&["tick", "1", "--reason", "r", "GONE.md"]).exits(66);
    fs::create_dir(place.path("EMPTY.md")).unwrap();
    place.run(&["tick", "1", "--reason", "r", "EMPTY.md"]).exits(65);
    symlink("nowhere", place.path("LINK.md")).unwrap();
    place.run(&["tick", "1", "--reason", "r", "LINK.md"]).exits(66);
}

#[test]
fn a_plan_that_goes_or_becomes_a_folder_before_its_order_comes_halts_nothing_silently() {
    let place =
        Place::with("### [ ] TODO 1: One\n\n**Acceptance Criteria**:\n\n*Functional:*\n- [ ] `test -e .`\n");
    let order = place.proved("PLAN.md", "1");
    fs::remove_file(place.path("PLAN.md")).unwrap();
    place.stage(std::slice::from_ref(&order)).exits(66);
    fs::create_dir(place.path("PLAN.md")).unwrap();
    place.stage(&[order]).exits(65);
}

#[test]
fn a_lock_that_a_dead_process_left_is_nobodys_lock() {
    let place = Place::with(PLAN);
    place.run(&TICK).exits(0);
    let locks: Vec<_> = fs::read_dir(place.path(".plantools/locks")).unwrap().flatten().collect();
    assert!(!locks.is_empty());
    place.write("PLAN.md", PLAN);
    place.run(&TICK).exits(0);
}

/// The tool as a user to whom permission bits apply: another user if we are root.
fn as_somebody(place: &Place, args: &[&str]) -> Got {
    if !is_root() {
        return place.run(args);
    }
    // Other users may not have access to the folder of cargo's build.
    let folder = tempfile::tempdir().unwrap();
    let copy = folder.path().join("checkbox");
    fs::set_permissions(folder.path(), Permissions::from_mode(0o755)).unwrap();
    // A process of its own copies it: a file that we hold open for writing while another test forks cannot be executed.
    let copied = Command::new("cp").arg(env!("CARGO_BIN_EXE_checkbox")).arg(&copy).status();
    assert!(copied.unwrap().success());
    if place.root().metadata().unwrap().permissions().mode() & 0o777 == 0o700 {
        fs::set_permissions(place.root(), Permissions::from_mode(0o777)).unwrap();
    }
    let mut command = place.other(copy.to_str().unwrap(), args);
    Got::from(&command.uid(65534).gid(65534).output().unwrap(), std::time::Duration::ZERO)
}

fn is_root() -> bool {
    use std::os::unix::fs::MetadataExt;
    fs::metadata("/proc/self").is_ok_and(|m| m.uid() == 0)
}
