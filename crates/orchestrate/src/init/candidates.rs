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
    if found.has("tox.ini") {
        found.add("python", "test", "tox -q", None);
    }
    if found.has(".pre-commit-config.yaml") {
        found.add("", "pre-commit", "pre-commit run --all-files", None);
    }
    found.workflows();
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

    /// The commands of CI workflows that check something, where no other candidate is the same.
    fn workflows(&mut self) {
        let folder = ".github/workflows";
        let names = toolkit::files::fs::names(&self.top.join(folder)).unwrap_or_default();
        let is_workflow = |name: &&String| [".yml", ".yaml"].iter().any(|end| name.ends_with(end));
        let texts = names.iter().filter(is_workflow).map(|name| self.text(&format!("{folder}/{name}")));
        let commands: Vec<String> =
            texts.flat_map(|text| run_lines(&text)).filter(|line| checks(line)).collect();
        for command in commands {
            let same = |known: &Candidate| bare(&known.command) == bare(&command);
            if self.candidates.iter().any(same) {
                continue;
            }
            let words: Vec<&str> =
                command.split_whitespace().filter(|word| !word.starts_with('-')).take(3).collect();
            let plain = |c: char| if c.is_ascii_alphanumeric() { c } else { '-' };
            let name: String = words.join("-").chars().map(plain).collect();
            let id = format!("ci-{}", name.trim_matches('-'));
            if self.candidates.iter().all(|known| known.id != id) {
                let is_test = words.iter().any(|word| word.contains("test"));
                self.candidates.push(Candidate { id, is_test, command, fix: None });
            }
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

/// Commands that check something, by how they begin.
#[rustfmt::skip]
const CHECKS: &[&str] = &[
    "black --check", "bundle exec rspec", "bundle exec rubocop", "cargo clippy", "cargo fmt --check", "cargo fmt --all --check",
    "cargo test", "composer test", "ctest", "deno lint", "deno test", "dotnet test", "eslint", "flake8", "flutter test", "go test",
    "go vet", "golangci-lint run", "just check", "just lint", "just test", "make check", "make lint", "make test", "mix test",
    "mvn test", "mvn verify", "mypy", "nox", "npm run", "npm test", "npx eslint", "npx jest", "npx tsc", "npx vitest", "phpunit",
    "pnpm run", "pnpm test", "poetry run", "pre-commit run", "pytest", "python -m pytest", "python -m unittest", "python3 -m pytest",
    "ruff check", "ruff format --check", "shellcheck", "swift test", "tox", "uv run", "yarn lint", "yarn test", "./gradlew check",
    "./gradlew test",
];

/// Whether a command of a workflow checks something and means the same outside of it.
fn checks(command: &str) -> bool {
    let acts = ["install", "build", "deploy", "publish", "release", "start", "dev"];
    let plain = !command.contains(['$', '|', '>', ';', '&', '\'', '\\']);
    let begins = |check: &&&str| {
        command.strip_prefix(**check).is_some_and(|rest| rest.is_empty() || rest.starts_with(' '))
    };
    plain
        && CHECKS.iter().any(|check| begins(&check))
        && !command.split([' ', ':', '-']).any(|word| acts.contains(&word))
}

/// The lines that a workflow runs: behind `run:`, or indented below `run: |`.
fn run_lines(text: &str) -> Vec<String> {
    let mut found = Vec::new();
    let mut block: Option<usize> = None;
    for line in text.lines() {
        let indent = line.len() - line.trim_start().len();
        let bare = line.trim().trim_start_matches("- ");
        if block.is_some_and(|outer| indent <= outer && !line.trim().is_empty()) {
            block = None;
        }
        if block.is_some() {
            found.push(bare.to_owned());
        } else if let Some(command) = bare.strip_prefix("run:").map(str::trim) {
            match command {
                "|" | "|-" | ">" | ">-" => block = Some(indent),
                command => found.push(command.trim_matches(['"', '\'']).to_owned()),
            }
        }
    }
    found
}

/// A command without what does not change what it checks.
fn bare(command: &str) -> String {
    let quiet = ["-q", "--quiet", "-v", "--verbose"];
    let words = command.split_whitespace().filter(|word| !quiet.contains(word));
    words.collect::<Vec<_>>().join(" ").replace("npm run test", "npm test")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn commands_of_workflows_are_found_where_they_check_something() {
        let text = "jobs:\n  a:\n    steps:\n      - run: npm ci\n      - name: x\n        run: npm run lint\n      - run: |\n          cargo test --all\n          echo done > x\n          pytest -q tests\n      - run: \"make deploy\"\n      - run: go test ${{ matrix.x }}\n";
        let found: Vec<String> = run_lines(text).into_iter().filter(|line| checks(line)).collect();
        assert_eq!(found, ["npm run lint", "cargo test --all", "pytest -q tests"]);
    }
}
