//! Finds the commit, and says when to look again.
//!
//! Only builds with optimisation name it. A repository around an unpacked archive belongs to another project: its commit says
//! nothing about ours.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::Command;

/// As many letters as `git log` needs to tell it from all others, and some more.
const SHORT: usize = 10;

fn main() -> std::io::Result<()> {
    let mut said = vec!["rerun-if-env-changed=PLANTOOLS_COMMIT".to_owned()];
    if variable("PROFILE").is_some_and(|profile| profile == "release") {
        let (commit, watched) = find();
        said.extend(watched.iter().map(|path| format!("rerun-if-changed={}", path.display())));
        said.extend(commit.map(|commit| format!("rustc-env=PLANTOOLS_BUILT_FROM={commit}")));
    }
    let mut out = std::io::stdout().lock();
    said.iter().try_for_each(|line| writeln!(out, "cargo::{line}"))
}

#[expect(
    clippy::disallowed_methods,
    reason = "cargo speaks to a build script by its environment, before there is a toolkit"
)]
fn variable(name: &str) -> Option<String> {
    std::env::var(name).ok()
}

/// The commit, and the files that change when it does.
fn find() -> (Option<String>, Vec<PathBuf>) {
    let archive = PathBuf::from("archive.txt");
    let told = variable("PLANTOOLS_COMMIT").and_then(|text| short(&text));
    let written = || std::fs::read_to_string(&archive).ok().and_then(|text| short(&text));
    let mut watched = git_files();
    let commit = told.or_else(written).or_else(|| short(&git(&["rev-parse", "HEAD"])?));
    watched.push(archive);
    (commit, watched)
}

/// Only the name of a commit counts; the mark that git replaces in an archive is not one.
fn short(text: &str) -> Option<String> {
    let name = text.trim();
    let is_name = name.len() >= 4 && name.bytes().all(|byte| byte.is_ascii_hexdigit());
    is_name.then(|| name.chars().take(SHORT).collect())
}

/// The log of where HEAD was has a new line after each commit and each checkout; without it, HEAD and the branches.
fn git_files() -> Vec<PathBuf> {
    let there = |name: &str| {
        let path = PathBuf::from(git(&["rev-parse", "--git-path", name])?.trim_end());
        path.exists().then_some(path)
    };
    let log = there("logs/HEAD").map(|log| vec![log]);
    log.unwrap_or_else(|| ["HEAD", "refs/heads", "packed-refs"].into_iter().filter_map(there).collect())
}

/// What git says of the repository whose root is ours.
fn git(words: &[&str]) -> Option<String> {
    let ask = |words: &[&str]| {
        let output = Command::new("git").args(words).output().ok()?;
        output.status.success().then(|| String::from_utf8(output.stdout).ok())?
    };
    let root = ask(&["rev-parse", "--show-toplevel"])?;
    let ours = Path::new("../..").canonicalize().ok()?;
    let same = Path::new(root.trim_end_matches('\n')).canonicalize().ok()? == ours;
    if same { ask(words) } else { None }
}
