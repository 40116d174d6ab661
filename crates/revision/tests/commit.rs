//! What the build script tells cargo, in a checkout, in an archive, and inside the repository of another project.

#![expect(clippy::unwrap_used, reason = "what cannot be set up fails the test")]

use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::Command;
use tempfile::TempDir;

const ARCHIVE: &str = include_str!("../archive.txt");

/// The build script, and a checkout of one commit with the crate's folder in it.
struct Scene {
    folder: TempDir,
}

impl Scene {
    fn new() -> Self {
        let scene = Self { folder: tempfile::tempdir().unwrap() };
        let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("build.rs");
        let mut compiler = Command::new("rustc");
        compiler.args(["--edition", "2024", "-o"]).arg(scene.script()).arg(source);
        assert!(compiler.status().unwrap().success());
        scene.unpack("ours", ARCHIVE);
        scene.git("ours", &["init", "--quiet"]);
        scene.commit("ours");
        scene
    }

    fn script(&self) -> PathBuf {
        self.folder.path().join("script")
    }

    /// Lays the crate's folder out below a place.
    fn unpack(&self, place: &str, archive: &str) {
        let folder = self.folder.path().join(place).join("crates/revision");
        fs::create_dir_all(&folder).unwrap();
        fs::File::create(folder.join("archive.txt")).unwrap().write_all(archive.as_bytes()).unwrap();
    }

    fn git(&self, place: &str, words: &[&str]) -> String {
        let who = ["-c", "user.name=A", "-c", "user.email=a@example.invalid"];
        let said =
            Command::new("git").current_dir(self.folder.path().join(place)).args(who).args(words).output();
        let said = said.unwrap();
        assert!(said.status.success(), "{words:?}");
        String::from_utf8(said.stdout).unwrap()
    }

    fn commit(&self, place: &str) -> String {
        self.git(place, &["commit", "--quiet", "--allow-empty", "--message", "more"]);
        self.git(place, &["rev-parse", "--short=10", "HEAD"]).trim().to_owned()
    }

    /// What the script prints for cargo in a folder.
    fn told(&self, place: &str, variables: &[(&str, &str)]) -> String {
        let folder = self.folder.path().join(place).join("crates/revision");
        let mut script = Command::new(self.script());
        script.current_dir(folder).env_remove("PLANTOOLS_COMMIT").env("PROFILE", "release");
        String::from_utf8(script.envs(variables.iter().copied()).output().unwrap().stdout).unwrap()
    }
}

fn named(commit: &str) -> String {
    format!("cargo::rustc-env=PLANTOOLS_BUILT_FROM={commit}\n")
}

#[test]
fn a_checkout_names_its_commit_and_is_looked_at_again_after_the_next() {
    let scene = Scene::new();
    let commit = scene.commit("ours");
    let told = scene.told("ours", &[]);
    assert!(told.contains(&named(&commit)), "{told}");
    assert!(told.contains("/logs/HEAD\n"), "{told}");
    let next = scene.commit("ours");
    assert!(scene.told("ours", &[]).contains(&named(&next)));
    let given = scene.told("ours", &[("PLANTOOLS_COMMIT", "0123456789abcdef")]);
    assert!(given.contains(&named("0123456789")), "{given}");
}

#[test]
fn builds_for_development_name_none_and_are_not_built_anew() {
    let told = Scene::new().told("ours", &[("PROFILE", "debug")]);
    assert_eq!(told, "cargo::rerun-if-env-changed=PLANTOOLS_COMMIT\n");
}

#[test]
fn an_archive_names_its_commit_and_never_that_of_a_repository_around_it() {
    let scene = Scene::new();
    let whole = scene.git("ours", &["rev-parse", "HEAD"]);
    scene.unpack("ours/below", &whole);
    assert!(scene.told("ours/below", &[]).contains(&named(&whole[..10])));
    scene.unpack("ours/copy", ARCHIVE);
    let told = scene.told("ours/copy", &[]);
    assert!(!told.contains("rustc-env"), "{told}");
    assert_eq!(ARCHIVE.trim(), "$Format:%H$");
}
