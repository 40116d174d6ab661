//! `plantools link`: thirteen names for one executable.

#![expect(clippy::unwrap_used, reason = "a folder that cannot be read is a failed test")]

use std::path::Path;
use std::process::{Command, Output};
use testbench::{temporary, write_file};

fn plantools(words: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_plantools")).args(words).output().unwrap()
}

fn names(folder: &Path) -> usize {
    std::fs::read_dir(folder).unwrap().count()
}

#[test]
fn every_name_is_its_tool_and_can_be_taken_away() {
    let folder = temporary("link-");
    let bin = folder.path().join("bin");
    let to = bin.to_str().unwrap();
    for _ in 0..2 {
        let got = plantools(&["link", to]);
        assert!(got.status.success(), "{got:?}");
        assert_eq!(names(&bin), 13);
    }
    let version = Command::new(bin.join("dag-next")).arg("--version").output().unwrap();
    assert!(String::from_utf8_lossy(&version.stdout).starts_with("dag-next "), "{version:?}");
    write_file(&bin.join("mine"), b"kept");
    assert!(plantools(&["link", "--remove", to]).status.success());
    assert_eq!(names(&bin), 1);
}

#[test]
fn a_file_of_that_name_is_not_replaced() {
    let folder = temporary("link-");
    write_file(&folder.path().join("punch"), b"mine");
    let got = plantools(&["link", folder.path().to_str().unwrap()]);
    assert_eq!(got.status.code(), Some(65), "{got:?}");
    assert!(String::from_utf8_lossy(&got.stderr).contains("no link to plantools: remove it"), "{got:?}");
    assert_eq!(names(folder.path()), 1);
}

#[test]
fn a_folder_must_be_named() {
    for words in [&["link"][..], &["link", "--remove"], &["link", "a", "b"]] {
        assert_eq!(plantools(words).status.code(), Some(2), "{words:?}");
    }
}
