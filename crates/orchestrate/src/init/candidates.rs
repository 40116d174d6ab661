//! The checks that a project offers, found by its files.

use serde_json::Value;
use std::path::Path;

/// A check that may become a gate.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Candidate {
    pub(crate) id: String,
    /// Whether it tests the work itself, and so may prove a task.
    pub(crate) is_test: bool,
    pub(crate) command: String,
    /// The command that mends what it finds.
    pub(crate) fix: Option<String>,
}

/// All candidates. Each language has its own; recipes only add what no language has.
pub(crate) fn find(top: &Path) -> Vec<Candidate> {
    let mut found = Found { top, candidates: Vec::new() };
    found.rust();
    found.javascript();
    found.python();
    found.golang();
    found.recipes("just", &["justfile", ".justfile", "Justfile"]);
    found.recipes("make", &["Makefile", "makefile", "GNUmakefile"]);
    if found.has("commands.toml") {
        found.add("", "commands", "gate-run --config commands.toml --all", None);
    }
    found.candidates
}

struct Found<'a> {
    top: &'a Path,
    candidates: Vec<Candidate>,
}

impl Found<'_> {
    fn has(&self, name: &str) -> bool {
        self.top.join(name).exists()
    }

    fn text(&self, name: &str) -> String {
        let bytes =
            toolkit::files::fs::read_if_there(&self.top.join(name)).ok().flatten().unwrap_or_default();
        String::from_utf8_lossy(&bytes).into_owned()
    }

    /// Whether a folder has a file like this.
    fn has_like(&self, folder: &str, start: &str, end: &str) -> bool {
        let names = toolkit::files::fs::names(&self.top.join(folder)).unwrap_or_default();
        names.iter().any(|name| name.starts_with(start) && name.ends_with(end))
    }

    fn add(&mut self, language: &str, kind: &str, command: &str, fix: Option<&str>) {
        let is_taken = |id: &str| self.candidates.iter().any(|candidate| candidate.id == id);
        let id = match (is_taken(kind), language) {
            (false, _) => kind.to_owned(),
            (true, "") => return,
            (true, language) => format!("{language}-{kind}"),
        };
        let (command, fix) = (command.to_owned(), fix.map(str::to_owned));
        self.candidates.push(Candidate { id, is_test: kind == "test", command, fix });
    }

    fn rust(&mut self) {
        if self.has("Cargo.toml") {
            self.add("rust", "format", "cargo fmt --all --check", Some("cargo fmt --all"));
            self.add("rust", "lint", "cargo clippy --all-targets --quiet -- --deny warnings", None);
            self.add("rust", "test", "cargo test --quiet", None);
        }
    }

    fn javascript(&mut self) {
        if !self.has("package.json") {
            return;
        }
        let runner = if self.has("pnpm-lock.yaml") {
            "pnpm"
        } else if self.has("yarn.lock") {
            "yarn"
        } else if self.has_like(".", "bun.lock", "") {
            "bun"
        } else {
            "npm"
        };
        let package: Value = serde_json::from_str(&self.text("package.json")).unwrap_or_default();
        for script in ["format:check", "lint", "typecheck", "build", "test"] {
            if package.pointer("/scripts").and_then(|scripts| scripts.get(script)).is_some() {
                let kind = script.split(':').next().unwrap_or(script);
                self.add("js", kind, &format!("{runner} run {script}"), None);
            }
        }
    }

    fn python(&mut self) {
        if !["pyproject.toml", "setup.py", "setup.cfg"].iter().any(|name| self.has(name)) {
            return;
        }
        let runner = if self.has("uv.lock") {
            "uv run "
        } else if self.has("poetry.lock") {
            "poetry run "
        } else if self.has(".venv/bin/python") {
            ".venv/bin/"
        } else {
            ""
        };
        let project = self.text("pyproject.toml");
        let has_table = |name: &str| project.lines().any(|line| line.starts_with(&format!("[tool.{name}")));
        if has_table("ruff") || self.has("ruff.toml") {
            self.add(
                "python",
                "format",
                &format!("{runner}ruff format --check ."),
                Some(&format!("{runner}ruff format .")),
            );
            self.add("python", "lint", &format!("{runner}ruff check ."), None);
        }
        if has_table("mypy") || self.has("mypy.ini") {
            self.add("python", "types", &format!("{runner}mypy ."), None);
        }
        let names_pytest = project.contains("pytest") || self.text("setup.cfg").contains("pytest");
        if names_pytest
            || ["pytest.ini", "conftest.py", "tests/conftest.py"].iter().any(|name| self.has(name))
        {
            self.add("python", "test", &format!("{runner}pytest -q"), None);
        } else if ["test", "tests", "."].iter().any(|folder| self.has_like(folder, "test_", ".py")) {
            let runner = if runner.is_empty() { "python3 -m " } else { runner };
            self.add("python", "test", &format!("{runner}unittest discover"), None);
        }
    }

    fn golang(&mut self) {
        if self.has("go.mod") {
            self.add("go", "format", "test -z \"$(gofmt -l .)\"", Some("gofmt -w ."));
            self.add("go", "lint", "go vet ./...", None);
            self.add("go", "test", "go test ./...", None);
        }
    }

    /// The usual recipes of make or just: check, lint, test.
    fn recipes(&mut self, program: &str, files: &[&str]) {
        let Some(file) = files.iter().find(|file| self.has(file)) else { return };
        let text = self.text(file);
        for name in ["check", "lint", "test"] {
            let is_it = |line: &str| {
                let rest = line.strip_prefix('@').unwrap_or(line).strip_prefix(name);
                rest.is_some_and(|rest| rest.is_empty() || rest.starts_with([' ', ':']))
            };
            if text.lines().any(is_it) {
                self.add("", name, &format!("{program} {name}"), None);
            }
        }
    }
}
