//! Random trees: a commit never contains a file that the row does not name, and the user's changes and staged files
//! are the same before and after.

use crate::repo::Repo;
use std::collections::BTreeMap;

/// Pseudo-random numbers, the same every time.
struct Dice(u64);

impl Dice {
    fn roll(&mut self, sides: u64) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % sides
    }
}

const FOLDERS: [&str; 5] = ["", "src/", "src/deep/", "docs/", "odd name/"];
const NAMES: [&str; 6] = ["a.rs", "b.rs", "c.txt", "-dash", "quote's \"x\".md", "*star?.rs"];
const PATTERNS: [&str; 8] =
    ["src/", "src/*.rs", "**/*.rs", "docs/c.txt", "*.txt", "odd name", "src/{a,b}.rs", "*star?.rs"];

#[test]
fn what_the_row_does_not_name_is_never_touched() {
    let full = std::env::var_os("PLANTOOLS_FULL").and_then(|n| n.to_str()?.parse().ok());
    let cases: u64 = full.unwrap_or(6);
    for seed in 1..=cases {
        one_case(seed);
    }
}

fn one_case(seed: u64) {
    let mut dice = Dice(seed);
    let patterns: Vec<&str> = PATTERNS.into_iter().filter(|_| dice.roll(3) == 0).collect();
    let cell: Vec<String> = patterns.iter().map(|p| format!("`{p}`")).collect();
    let cell = if cell.is_empty() { "`nothing.here`".to_owned() } else { cell.join(", ") };
    let repo = Repo::with(&format!("| 1 | `feat: it` | {cell} | always |"), &["1"]);
    let mut all: Vec<String> = Vec::new();
    for folder in FOLDERS {
        all.extend(NAMES.iter().filter(|_| dice.roll(2) == 0).map(|name| format!("{folder}{name}")));
    }
    let tracked: Vec<&String> = all.iter().filter(|_| dice.roll(3) > 0).collect();
    for path in &tracked {
        repo.write(path, format!("first {path}\n"));
        repo.git(&["add", "--", &format!(":(literal){path}")]);
    }
    repo.git(&["commit", "-q", "--allow-empty", "-m", "files"]);
    change(&repo, &mut dice, seed, &all, &tracked);
    let changed: Vec<&str> = all.iter().map(String::as_str).collect();
    let order = repo.tick("1", &changed);
    let before = state(&repo);
    let head = repo.git(&["rev-parse", "HEAD"]);
    let got = repo.stage(&order, &[]);
    got.exits(0);
    let after = state(&repo);
    let made = repo.git(&["rev-parse", "HEAD"]) != head;
    let committed = if made { committed(&repo) } else { Vec::new() };
    for path in &committed {
        assert!(
            patterns.iter().any(|p| names(p, path)),
            "seed {seed}: '{path}' is not named by {patterns:?}"
        );
    }
    for (path, was) in &before {
        // A named file is committed as it is on disk, whatever part of it was staged.
        if path == "PLAN.md" || patterns.iter().any(|p| names(p, path)) {
            continue;
        }
        assert_eq!(Some(was), after.get(path), "seed {seed}: '{path}' was moved; committed {committed:?}");
    }
    assert!(after.keys().all(|path| before.contains_key(path)), "seed {seed}: something new");
    // Named files that differ are committed as they are on disk.
    let named = all.iter().filter(|path| patterns.iter().any(|p| names(p, path)));
    for path in named.filter(|path| before.contains_key(*path)) {
        let left =
            after.get(path).is_some_and(|(staged, unstaged, _)| !staged.is_empty() || !unstaged.is_empty());
        assert!(!left || got.out.contains("commit-refused"), "seed {seed}: '{path}' was left out: {got:?}");
    }
}

/// Changes, stages and removes files as a user may have before a commit.
fn change(repo: &Repo, dice: &mut Dice, seed: u64, all: &[String], tracked: &[&String]) {
    for path in all {
        let literal = format!(":(literal){path}");
        match dice.roll(7) {
            0 => drop(repo.write(path, format!("changed {seed}\n"))),
            1 => {
                repo.write(path, format!("staged {seed}\n"));
                repo.git(&["add", "--", &literal]);
            }
            2 => {
                repo.write(path, format!("staged {seed}\n"));
                repo.git(&["add", "--", &literal]);
                repo.write(path, format!("and changed {seed}\n"));
            }
            3 if tracked.contains(&path) => drop(std::fs::remove_file(repo.path(path))),
            4 if tracked.contains(&path) => drop(repo.git(&["rm", "-q", "--cached", "--", &literal])),
            5 => {
                repo.write(path, format!("to be added {seed}\n"));
                repo.git(&["add", "--intent-to-add", "--", &literal]);
            }
            _ => {}
        }
    }
}

/// For each path that differs from HEAD: the staged change, the unstaged change, and the content on disk.
fn state(repo: &Repo) -> BTreeMap<String, (String, String, Option<Vec<u8>>)> {
    let mut out = BTreeMap::new();
    let status = repo.git(&["status", "--porcelain", "-z", "--untracked-files=all", "--no-renames"]);
    for entry in status.split('\0').filter(|e| e.len() > 3) {
        let path = entry[3..].to_owned();
        if path.starts_with("context/") {
            continue;
        }
        let literal = format!(":(literal){path}");
        let staged = repo.git(&["diff", "--cached", "--", &literal]);
        let untracked = entry.starts_with("??").then(|| "untracked".to_owned());
        let unstaged = untracked.unwrap_or_else(|| repo.git(&["diff", "--", &literal]));
        out.insert(path.clone(), (staged, unstaged, std::fs::read(repo.path(&path)).ok()));
    }
    out
}

fn committed(repo: &Repo) -> Vec<String> {
    let text = repo.git(&["show", "-z", "--format=", "--name-only", "--no-renames", "HEAD"]);
    text.split('\0').filter(|l| !l.is_empty()).map(str::to_owned).collect()
}

/// The patterns as a person reads them, independent of the tool's own matching.
fn names(pattern: &str, path: &str) -> bool {
    let file = path.rsplit('/').next().unwrap_or(path);
    let ends = |with: &str| file.strip_suffix(with).is_some();
    match pattern {
        "src/" => path.starts_with("src/"),
        "src/*.rs" => path.starts_with("src/") && !path[4..].contains('/') && ends(".rs"),
        "**/*.rs" => ends(".rs"),
        "docs/c.txt" => path == "docs/c.txt",
        "*.txt" => !path.contains('/') && ends(".txt"),
        "odd name" => path.starts_with("odd name/"),
        "src/{a,b}.rs" => matches!(path, "src/a.rs" | "src/b.rs"),
        "*star?.rs" => !path.contains('/') && file.contains("star") && ends(".rs"),
        _ => false,
    }
}
