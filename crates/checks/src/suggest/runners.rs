//! The test runners of a project, from its manifests and lock files, and where it has none yet from the words of its plan.

use super::{Tree, quote};

/// How the tests of a project are run, by the extension of the test file.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Project {
    runners: Vec<(&'static [&'static str], Runner)>,
}

/// How the tests to run are named for a runner.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Runner {
    /// The command takes the file.
    File(String),
    /// The command takes the file's name without its extension, which is that of the class.
    Class(&'static str),
    /// A file in `tests/` is a target of its own; other files are modules.
    Cargo,
    /// The command takes the folder.
    Go,
}

impl Project {
    /// Looks at the manifests; `plan` is the text of the plan, which may name a runner that is yet to be installed.
    pub fn of(tree: &dyn Tree, plan: &str) -> Self {
        let text = |path: &str| tree.text(path).unwrap_or_default();
        let has = |path: &str| tree.exists(path);
        let plan = plan.to_lowercase();
        let names = |word: &str| plan.contains(word);
        let mut runners: Vec<(&'static [&'static str], Runner)> = Vec::new();
        let mut add =
            |extensions, runner: Option<Runner>| runners.extend(runner.map(|one| (extensions, one)));
        add(&["py"], python(tree, names("pytest")).map(Runner::File));
        add(SCRIPTS, script(tree, &plan).map(Runner::File));
        let rspec = if text("Gemfile").contains("rspec") { "bundle exec rspec" } else { "rspec" };
        add(&["rb"], (rspec != "rspec" || names("rspec")).then(|| Runner::File(rspec.to_owned())));
        let phpunit = text("composer.json").contains("phpunit") || names("phpunit");
        add(&["php"], phpunit.then(|| Runner::File("vendor/bin/phpunit".to_owned())));
        let pubspec = text("pubspec.yaml");
        let dart = if pubspec.contains("flutter") { "flutter test" } else { "dart test" };
        add(&["dart"], (!pubspec.is_empty()).then(|| Runner::File(dart.to_owned())));
        add(&["exs"], has("mix.exs").then(|| Runner::File("mix test".to_owned())));
        add(&["rs"], (has("Cargo.toml") || names("cargo test")).then_some(Runner::Cargo));
        add(&["go"], (has("go.mod") || names("go test")).then_some(Runner::Go));
        add(
            &["swift"],
            (has("Package.swift") || names("swift test")).then_some(Runner::Class("swift test --filter ")),
        );
        let gradle = has("build.gradle") || has("build.gradle.kts") || names("gradlew");
        add(&["java", "kt"], has("pom.xml").then_some(Runner::Class("mvn -q test -Dtest=")));
        add(&["java", "kt"], gradle.then_some(Runner::Class("./gradlew test --tests ")));
        let dotnet = has("global.json") || names("dotnet test") || names("xunit");
        add(&["cs"], dotnet.then_some(Runner::Class("dotnet test --filter ")));
        Self { runners }
    }

    fn runner(&self, extension: &str) -> Option<&Runner> {
        self.runners.iter().find(|(all, _)| all.contains(&extension)).map(|(_, runner)| runner)
    }

    /// The command that runs one test file; `None` where the project has no runner for it.
    pub(super) fn test_file(&self, path: &str) -> Option<String> {
        let (folder, name) = path.rsplit_once('/').unwrap_or(("", path));
        let (stem, extension) = name.rsplit_once('.')?;
        match self.runner(extension)? {
            Runner::File(run) => Some(format!("{run} {}", quote(path))),
            Runner::Class(run) => Some(format!("{run}{}", quote(stem))),
            Runner::Cargo => {
                let is_target = folder.rsplit('/').next() == Some("tests");
                is_target.then(|| format!("cargo test --test {}", quote(stem)))
            }
            Runner::Go if folder.is_empty() => Some("go test .".to_owned()),
            Runner::Go => Some(format!("go test {}", quote(&format!("./{folder}/")))),
        }
    }

    /// The command that runs all tests; `None` where the project has no runner, or several.
    pub(super) fn all_tests(&self) -> Option<String> {
        let all = |runner: &Runner| match runner {
            Runner::File(run) => Some(run.clone()),
            Runner::Cargo => Some("cargo test".to_owned()),
            Runner::Go => Some("go test ./...".to_owned()),
            Runner::Class(_) => None,
        };
        let mut found = self.runners.iter().map(|(_, runner)| all(runner));
        found.next().flatten().filter(|_| found.next().is_none())
    }

    /// The command that runs one test by its name; `None` where no runner of the project can select it, or several could.
    pub(super) fn one_test(&self, name: &str) -> Option<String> {
        let name = quote(name);
        let select = |extension: &str| match (extension, self.runner(extension)?) {
            ("py", Runner::File(run)) => Some(format!("{run} -k {name}")),
            (_, Runner::Cargo) => Some(format!("cargo test {name}")),
            (_, Runner::Go) => Some(format!("go test -run {name} ./...")),
            _ => None,
        };
        let mut found = ["py", "rs", "go"].into_iter().filter_map(select);
        found.next().filter(|_| found.next().is_none())
    }
}

/// Extensions of JavaScript and TypeScript.
const SCRIPTS: &[&str] = &["ts", "tsx", "js", "jsx", "mjs", "mts", "cjs"];

fn python(tree: &dyn Tree, is_named: bool) -> Option<String> {
    let manifests =
        ["pyproject.toml", "setup.cfg", "tox.ini", "pytest.ini", "requirements.txt", "requirements-dev.txt"];
    let mentions = manifests.iter().any(|file| tree.text(file).is_some_and(|text| text.contains("pytest")));
    let has_hooks = ["conftest.py", "tests/conftest.py"].iter().any(|file| tree.exists(file));
    if !(mentions || has_hooks || is_named) {
        return None;
    }
    let run = if tree.exists("uv.lock") {
        "uv run pytest -q"
    } else if tree.exists("poetry.lock") {
        "poetry run pytest -q"
    } else {
        "pytest -q"
    };
    Some(run.to_owned())
}

fn script(tree: &dyn Tree, plan: &str) -> Option<String> {
    let manifest = tree.text("package.json").unwrap_or_default();
    let is_bun = tree.exists("bun.lock") || tree.exists("bun.lockb");
    let run = if tree.exists("pnpm-lock.yaml") {
        "pnpm exec"
    } else if tree.exists("yarn.lock") {
        "yarn run"
    } else if is_bun {
        "bunx"
    } else {
        "npx"
    };
    let has =
        |name: &str| manifest.contains(&format!("\"{name}\"")) || manifest.contains(&format!("{name} "));
    let runners = [
        ("vitest", "vitest run"),
        ("jest", "jest"),
        ("mocha", "mocha"),
        ("@playwright/test", "playwright test"),
    ];
    let found = runners.iter().find(|(name, _)| has(name));
    if let Some((_, command)) = found {
        return Some(format!("{run} {command}"));
    }
    if manifest.contains("node --test") {
        return Some("node --test".to_owned());
    }
    if manifest.contains("bun test") || (is_bun && manifest.is_empty()) {
        return Some("bun test".to_owned());
    }
    if tree.exists("deno.json") || tree.exists("deno.jsonc") {
        return Some("deno test".to_owned());
    }
    if !manifest.is_empty() && !manifest.contains("\"test\"") {
        return None;
    }
    let planned =
        [("vitest", "vitest run"), ("playwright", "playwright test"), ("jest", "jest"), ("mocha", "mocha")];
    planned.iter().find(|(name, _)| plan.contains(name)).map(|(_, command)| format!("{run} {command}"))
}

/// Whether a file holds tests, by the conventions of its language.
pub(super) fn is_test(path: &str) -> bool {
    let name = path.rsplit('/').next().unwrap_or(path);
    let Some((stem, extension)) = name.rsplit_once('.') else { return false };
    let in_tests = path.split('/').rev().skip(1).any(|part| part == "tests");
    let last = stem.rsplit('.').next().filter(|last| *last != stem).unwrap_or_default();
    match extension {
        "py" => stem.starts_with("test_") || stem.ends_with("_test"),
        "rs" => in_tests && stem != "mod",
        "rb" => stem.ends_with("_spec") || stem.ends_with("_test"),
        "go" | "dart" | "exs" => stem.ends_with("_test"),
        "php" | "java" | "kt" | "cs" | "swift" => stem.ends_with("Test") || stem.ends_with("Tests"),
        _ => SCRIPTS.contains(&extension) && matches!(last, "test" | "spec" | "e2e"),
    }
}
