//! Which files of a change are tests, and which commands run tests.

use crate::order::acts::simple_commands;

/// Whether a path is a test by the conventions of the known runners: its folder or its name says so.
pub(crate) fn is_test(path: &str) -> bool {
    let mut parts: Vec<&str> = path.split('/').collect();
    let name = parts.pop().unwrap_or_default();
    let folder = |part: &&str| {
        let part = part.trim_matches('_');
        matches!(part, "test" | "tests" | "spec" | "specs" | "e2e")
            || matches!(part, "testdata" | "test-data" | "test_data" | "golden" | "goldens")
            || matches!(part, "fixture" | "fixtures" | "mock" | "mocks" | "snapshot" | "snapshots")
            || matches!(part, "test-fixtures" | "test_fixtures")
    };
    let stem = name.split('.').next().unwrap_or(name);
    let words: Vec<&str> = stem.split(['_', '-']).collect();
    let ends = |word: &str| words.len() > 1 && words.last() == Some(&word);
    let begins = words.len() > 1 && words.first() == Some(&"test");
    let infix = name.split('.').rev().skip(1).any(|part| matches!(part, "test" | "spec" | "cy"));
    let camel = ["Test", "Tests", "Spec"].iter().any(|end| stem.len() > end.len() && stem.ends_with(end));
    parts.iter().any(folder)
        || begins
        || ends("test")
        || ends("tests")
        || ends("spec")
        || infix && name.matches('.').count() > 1
        || camel
        || matches!(name, "conftest.py" | "test.sh" | "test.py" | "tests.py" | "test.js" | "tests.rs")
}

/// The endings of files with code.
#[rustfmt::skip]
const CODE: &[&str] = &[
    "bash", "c", "cc", "cjs", "clj", "cpp", "cs", "css", "cxx", "dart", "el", "erl", "ex", "exs", "fs", "go", "gradle",
    "groovy", "h", "hpp", "hs", "html", "java", "jl", "js", "jsx", "kt", "kts", "less", "lua", "m", "mjs", "ml", "mm", "nim",
    "php", "pl", "pm", "ps1", "py", "pyx", "r", "rb", "rs", "s", "sass", "scala", "scss", "sh", "sql", "svelte", "swift",
    "tcl", "tf", "ts", "tsx", "v", "vb", "vue", "zig", "zsh",
];

/// Whether a path is code by its ending, or a program without one.
pub(crate) fn is_code(path: &str) -> bool {
    let name = path.rsplit('/').next().unwrap_or(path);
    match name.trim_start_matches('.').rsplit_once('.') {
        Some((_, ending)) => CODE.contains(&ending.to_ascii_lowercase().as_str()),
        None => true,
    }
}

/// Programs that run tests and do nothing else.
#[rustfmt::skip]
const RUNNERS: &[&str] = &[
    "ava", "bats", "behave", "ctest", "cypress", "jest", "karma", "mocha", "nextest", "nosetests", "nox", "phpunit",
    "playwright", "py.test", "pytest", "rspec", "tap", "tox", "unittest", "vitest",
];

/// Whether a command may run tests, whatever the change will be: one that names a script may.
pub(crate) fn may_run_tests(command: &str) -> bool {
    runs_tests(command, &[]) || simple_commands(command).iter().flatten().any(|word| is_test(word))
}

/// Whether a command runs tests: its program or its target is one for tests, or it names a test file of the change.
pub(crate) fn runs_tests(command: &str, changed: &[String]) -> bool {
    let target = |word: &str| {
        let stem = word.split('.').next().unwrap_or(word);
        stem.split(['-', '_', ':']).any(|part| matches!(part, "test" | "tests" | "check" | "spec"))
    };
    simple_commands(command).iter().any(|words| {
        let is_runner = |word: &String| RUNNERS.contains(&word.rsplit('/').next().unwrap_or(word));
        let asks = |word: &String| !word.starts_with('-') && !word.contains('/') && target(word);
        let names =
            |word: &String| changed.iter().any(|path| word.trim_start_matches("./").starts_with(path));
        let known = |word: &String| {
            let name = word.rsplit('/').next().unwrap_or(word);
            matches!(
                name,
                "bazel"
                    | "bun"
                    | "cargo"
                    | "composer"
                    | "deno"
                    | "dotnet"
                    | "go"
                    | "gradle"
                    | "gradlew"
                    | "just"
                    | "make"
                    | "mix"
                    | "mvn"
                    | "mvnw"
                    | "node"
                    | "npm"
                    | "nx"
                    | "pnpm"
                    | "rake"
                    | "swift"
                    | "turbo"
                    | "yarn"
            )
        };
        let (first, rest) = words.split_first().map_or((None, &[][..]), |(first, rest)| (Some(first), rest));
        words.iter().any(is_runner)
            || words.iter().any(names)
            || first.is_some_and(known) && rest.iter().any(asks)
            || rest.iter().any(|word| word == "--test")
    })
}

#[cfg(test)]
mod tests {
    use super::{is_test, runs_tests};

    #[test]
    fn tests_are_known_by_their_folder_or_name() {
        for path in [
            "tests/test_a.py",
            "test_a.py",
            "pkg/a_test.go",
            "src/a.test.ts",
            "src/a.spec.js",
            "src/ATest.java",
            "spec/a_spec.rb",
            "tests/conftest.py",
            "crates/a/tests/b.rs",
            "src/__tests__/a.js",
            "test-run.sh",
        ] {
            assert!(is_test(path), "{path}");
        }
        for path in
            ["src/a.py", "contest.py", "latest.js", "src/testing.rs", "attest/a.go", "a.ts", "protest.md"]
        {
            assert!(!is_test(path), "{path}");
        }
    }

    #[test]
    fn commands_that_run_tests() {
        let new = ["tests/check.sh".to_owned()];
        for command in [
            "pytest -q",
            "python3 -m pytest tests/test_a.py",
            "cargo test -p a",
            "npm test",
            "npm run test:unit",
            "make check",
            "go test ./...",
            "sh tests/check.sh",
            "node --test",
            "cargo nextest run",
            "./gradlew test",
        ] {
            assert!(runs_tests(command, &new), "{command}");
        }
        for command in ["test -f a", "grep -q test a", "cargo build", "sh run.sh", "ls tests"] {
            assert!(!runs_tests(command, &new), "{command}");
        }
    }
}
