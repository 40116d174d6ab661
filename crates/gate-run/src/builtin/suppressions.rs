//! `no-new-suppressions`: added lines that silence a checker.

use crate::builtin::Base;
use regex::RegexSet;
use repo::git::Call;
use std::collections::{HashMap, HashSet};
use toolkit::Fail;

/// In the code itself.
const IN_CODE: [&str; 11] = [
    r"#\s*type:\s*ignore",
    r"#\s*noqa",
    r"#!?\[\s*allow\s*\(",
    r"\beslint-disable",
    r"@ts-(ignore|nocheck)",
    r"#\s*pylint:\s*disable",
    r"//\s*nolint",
    r"\bbiome-ignore\b",
    r"@SuppressWarnings\b",
    r"#\s*rubocop:disable",
    r"#\s*mypy:\s*ignore-errors",
];

/// In the configuration of a checker: a global ignore.
const IN_CONFIG: [&str; 6] = [
    r"^\s*[\w.-]*(ignore|exclude|disable)[\w.-]*\s*[=:]",
    r"\bignore_(errors|missing_imports)\s*=\s*[Tt]rue",
    r#"[=:]\s*["']?(off|allow)["']?\s*[,}]?\s*$"#,
    r#"level\s*=\s*"allow""#,
    r#""skipLibCheck"\s*:\s*true"#,
    r"^\s*-D\s",
];

/// Configuration files of checkers, by name prefix.
const CONFIGS: [&str; 18] = [
    "pyproject.toml",
    "ruff.toml",
    ".ruff.toml",
    "setup.cfg",
    "tox.ini",
    "mypy.ini",
    ".mypy.ini",
    ".flake8",
    ".pylintrc",
    "pylintrc",
    ".eslintrc",
    "eslint.config.",
    ".eslintignore",
    "tsconfig",
    "clippy.toml",
    "Cargo.toml",
    "biome.json",
    ".golangci.",
];

/// Text files that only mention such words.
const PROSE: [&str; 4] = [".md", ".rst", ".txt", ".adoc"];

/// Larger files are not source code.
const LARGEST: u64 = 1 << 20;

/// Each added suppression as `path: line`.
pub(crate) fn added(base: &Base) -> Result<Vec<String>, Fail> {
    let rules = Rules::new(&base.rule.patterns)?;
    let diff =
        ["diff", "-U0", "--no-color", "--no-ext-diff", "--no-textconv", "--no-renames", &base.commit, "--"];
    let diff = base.git.run(&Call::of(&diff))?.out;
    let left_alone = base.left_alone()?;
    let mut found = rules.in_diff(&String::from_utf8_lossy(&diff), &left_alone);
    for path in base.untracked()?.into_iter().filter(|path| !left_alone.contains(path)) {
        let file = base.git.home().root().join(&path);
        if std::fs::symlink_metadata(&file).is_ok_and(|m| m.is_file() && m.len() <= LARGEST) {
            let bytes = toolkit::files::fs::read_if_there(&file)?.unwrap_or_default();
            let text = String::from_utf8_lossy(&bytes);
            found.extend(text.lines().filter(|l| rules.apply(&path, l)).map(|l| shown(&path, l)));
        }
    }
    Ok(found)
}

struct Rules {
    code: RegexSet,
    config: RegexSet,
}

impl Rules {
    fn new(own: &[String]) -> Result<Self, Fail> {
        let set = |patterns: Vec<&str>| {
            RegexSet::new(patterns)
                .map_err(|e| Fail::config("bad-suppressions", format!("[suppressions]: {e}")))
        };
        let code = if own.is_empty() { IN_CODE.to_vec() } else { own.iter().map(String::as_str).collect() };
        Ok(Self { code: set(code)?, config: set(IN_CONFIG.to_vec())? })
    }

    fn apply(&self, path: &str, line: &str) -> bool {
        let name = path.rsplit('/').next().unwrap_or(path);
        if PROSE.iter().any(|end| name.ends_with(end)) {
            return false;
        }
        let is_config = CONFIGS.iter().any(|config| name.starts_with(config));
        self.code.is_match(line) || (is_config && self.config.is_match(line))
    }

    /// Lines that a diff adds, without lines that only move within their file and without skipped files.
    fn in_diff(&self, diff: &str, left_alone: &HashSet<String>) -> Vec<String> {
        let mut path = String::new();
        let mut gone: HashMap<String, u32> = HashMap::new();
        let mut found = Vec::new();
        let mut here: Vec<String> = Vec::new();
        let mut settle = |path: &str, gone: &mut HashMap<String, u32>, here: &mut Vec<String>| {
            for line in here.drain(..) {
                match gone.get_mut(line.trim()) {
                    Some(left) if *left > 0 => *left -= 1,
                    _ => found.push(shown(path, &line)),
                }
            }
            gone.clear();
        };
        let mut in_hunk = false;
        for line in diff.lines() {
            if line.starts_with("diff --git ") {
                settle(&path, &mut gone, &mut here);
                in_hunk = false;
            } else if line.starts_with("@@ ") {
                in_hunk = true;
            } else if let Some(name) = line.strip_prefix("+++ ").filter(|_| !in_hunk) {
                let name = name.trim_matches('"').trim_start_matches("b/");
                name.trim_end_matches('\t').clone_into(&mut path);
            } else if let Some(added) = line.strip_prefix('+').filter(|_| in_hunk) {
                let counts = !left_alone.contains(&path) && self.apply(&path, added);
                here.extend(counts.then(|| added.to_owned()));
            } else if let Some(removed) = line.strip_prefix('-').filter(|_| in_hunk) {
                *gone.entry(removed.trim().to_owned()).or_default() += 1;
            }
        }
        settle(&path, &mut gone, &mut here);
        found
    }
}

fn shown(path: &str, line: &str) -> String {
    format!("{path}: {}", line.trim())
}

#[cfg(test)]
mod tests {
    use super::Rules;
    use std::collections::HashSet;

    #[test]
    fn only_what_is_new_counts() {
        let rules = Rules::new(&[]).unwrap();
        let diff = "diff --git a/a.py b/a.py\n--- a/a.py\n+++ b/a.py\n@@ -1,2 +1,3 @@\n-x = 1  # noqa\n+    x = 1  # noqa\n+y = 2  # type: ignore\n+z = 3\n";
        assert_eq!(rules.in_diff(diff, &HashSet::new()), ["a.py: y = 2  # type: ignore"]);
    }

    #[test]
    fn a_global_ignore_counts_in_a_checkers_configuration_only() {
        let rules = Rules::new(&[]).unwrap();
        assert!(rules.apply("pyproject.toml", "ignore = [\"E501\"]"));
        assert!(rules.apply("web/.eslintrc.json", "  \"no-unused-vars\": \"off\","));
        assert!(!rules.apply("src/a.py", "ignore = [1]"));
        assert!(!rules.apply("README.md", "write # noqa here"));
    }
}
