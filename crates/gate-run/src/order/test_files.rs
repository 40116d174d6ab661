//! Which files of a change are tests or say which tests run, and which commands run tests.

use crate::order::acts::{TARGET_RUNNERS, is_reader, run_in_the_end};

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

/// A program that runs tests.
struct TestRunner {
    /// Its names.
    names: &'static [&'static str],
    /// Whether it does nothing else; otherwise a word of its command line asks for tests.
    only_tests: bool,
    /// The files, besides the tests, that say which tests it runs and how: the end of a path, in which one `*` stands for
    /// any part of a name.
    settings: &'static [&'static str],
}

const fn only(names: &'static [&'static str], settings: &'static [&'static str]) -> TestRunner {
    TestRunner { names, only_tests: true, settings }
}

const fn among_others(names: &'static [&'static str], settings: &'static [&'static str]) -> TestRunner {
    TestRunner { names, only_tests: false, settings }
}

/// The runners, and what configures each. A new runner is a new row.
#[rustfmt::skip]
const RUNNERS: &[TestRunner] = &[
    only(&["ava"], &["ava.config.*"]),
    only(&["bats", "tap"], &[".taprc"]),
    only(&["behave"], &["behave.ini", ".behaverc"]),
    only(&["ctest"], &["CMakeLists.txt", "CTestTestfile.cmake", "CTestCustom.cmake", "CMakePresets.json"]),
    only(&["cypress"], &["cypress.config.*", "cypress.json"]),
    only(&["jest"], &["jest.config.*", "jest.setup.*", "babel.config.*", ".babelrc"]),
    only(&["karma"], &["karma.conf.*"]),
    only(&["mocha"], &[".mocharc.*", ".mocharc"]),
    only(&["nextest"], &[".config/nextest.toml"]),
    only(&["nosetests"], &[".noserc", "nose.cfg"]),
    only(&["nox"], &["noxfile.py"]),
    only(&["phpunit"], &["phpunit.xml", "phpunit.xml.dist", "phpunit.dist.xml"]),
    only(&["playwright"], &["playwright.config.*"]),
    only(&["py.test", "pytest"], &[
        "pytest.ini", ".pytest.ini", "pytest.toml", ".pytest.toml", "pyproject.toml", "setup.cfg", "tox.ini", "conftest.py",
        "pytest.py", "pytest/__init__.py", "pytest/__main__.py",
    ]),
    only(&["rspec"], &[".rspec", ".rspec-local"]),
    only(&["tox"], &["tox.ini", "tox.toml"]),
    only(&["unittest"], &[
        "sitecustomize.py", "usercustomize.py", "unittest.py", "unittest/__init__.py", "unittest/__main__.py",
    ]),
    only(&["vitest"], &["vitest.config.*", "vitest.workspace.*", "vite.config.*"]),
    among_others(&["bazel"], &["BUILD", "BUILD.bazel", ".bazelrc"]),
    among_others(&["bun"], &["bunfig.toml", "package.json"]),
    among_others(&["cargo"], &["Cargo.toml", ".cargo/config.toml", ".cargo/config"]),
    among_others(&["composer"], &["composer.json"]),
    among_others(&["deno"], &["deno.json", "deno.jsonc"]),
    among_others(&["dotnet"], &["*.csproj", "*.fsproj", "*.vbproj", "*.runsettings", "Directory.Build.props", "xunit.runner.json"]),
    among_others(&["go"], &["go.mod", "go.work"]),
    among_others(&["gradle", "gradlew"], &["build.gradle", "build.gradle.kts", "settings.gradle", "settings.gradle.kts", "gradle.properties"]),
    among_others(&["just"], &["justfile", "Justfile", ".justfile"]),
    among_others(&["make"], &["Makefile", "makefile", "GNUmakefile", "*.mk"]),
    among_others(&["mix"], &["mix.exs"]),
    among_others(&["mvn", "mvnw"], &["pom.xml", ".mvn/maven.config"]),
    among_others(&["node", "npm", "pnpm", "yarn"], &["package.json", "node.config.json", ".npmrc"]),
    among_others(&["nx"], &["nx.json", "project.json"]),
    among_others(&["rake"], &["Rakefile"]),
    among_others(&["swift"], &["Package.swift"]),
    among_others(&["turbo"], &["turbo.json"]),
];

impl TestRunner {
    fn is_called(&self, word: &str) -> bool {
        self.names.contains(&word.rsplit('/').next().unwrap_or(word))
    }

    fn is_set_by(&self, path: &str) -> bool {
        self.settings.iter().any(|pattern| {
            let depth = pattern.matches('/').count();
            let from = path.rmatch_indices('/').nth(depth).map_or(0, |(at, _)| at + 1);
            let end = &path[from..];
            match pattern.split_once('*') {
                Some((head, tail)) => {
                    end.len() > head.len() + tail.len() && end.starts_with(head) && end.ends_with(tail)
                }
                None => end == *pattern,
            }
        })
    }
}

/// Whether a file says which tests a runner runs, or takes the runner's place, and is no test itself. A command such as
/// `make test` may start any runner, so that the files of all count.
pub(crate) fn is_setting(path: &str) -> bool {
    !is_test(path) && RUNNERS.iter().any(|runner| runner.is_set_by(path))
}

/// Whether a file says what a command does: the target that it asks a program for is defined there, as that of `make lint` is
/// in `Makefile`; or the command names it, and its name says that it is a check.
pub(crate) fn defines(command: &str, path: &str) -> bool {
    run_in_the_end(command).iter().any(|words| {
        let asks = words.first().is_some_and(|first| {
            runs_targets(first)
                && RUNNERS.iter().any(|runner| runner.is_called(first) && runner.is_set_by(path))
        });
        asks || words.iter().any(|word| is_at(word, path)) && is_check_script(path)
    })
}

/// Whether a command may be defined by a file of the tree, see [`defines`].
pub(crate) fn may_be_defined(command: &str) -> bool {
    let is_script = |word: &String| is_check_script(word);
    run_in_the_end(command)
        .iter()
        .any(|words| words.first().is_some_and(|first| runs_targets(first)) || words.iter().any(is_script))
}

/// Whether a command names a file.
pub(crate) fn names(command: &str, path: &str) -> bool {
    run_in_the_end(command).iter().flatten().any(|word| is_at(word, path))
}

/// Whether a word of a command may be this file, from whatever folder of the tree.
fn is_at(word: &str, path: &str) -> bool {
    let word = word.trim_start_matches("./");
    path.strip_suffix(word).is_some_and(|folder| folder.is_empty() || folder.ends_with('/'))
}

/// Whether a program runs targets that the project defines.
fn runs_targets(word: &str) -> bool {
    TARGET_RUNNERS.contains(&word.rsplit('/').next().unwrap_or(word))
}

/// Whether a script is one that checks, by a word of its name.
fn is_check_script(path: &str) -> bool {
    let name = path.rsplit('/').next().unwrap_or(path);
    let stem = name.split('.').next().unwrap_or(name);
    let says = |word: &str| matches!(word, "check" | "checks" | "lint" | "smoke" | "validate" | "verify");
    path.contains(['.', '/']) && is_code(path) && stem.split(['_', '-']).any(says)
}

/// Whether a command may run tests, whatever the change will be: one that names a script may.
pub(crate) fn may_run_tests(command: &str) -> bool {
    let names_test = |words: &Vec<String>| {
        words.first().is_some_and(|first| !is_reader(first)) && words.iter().any(|word| is_test(word))
    };
    runs_tests(command, &[]) || run_in_the_end(command).iter().any(names_test)
}

/// Whether a command runs tests: its program or its target is one for tests, or it names a test file of the change. A program
/// that only reads the file, as `grep` does, runs no test.
pub(crate) fn runs_tests(command: &str, changed: &[String]) -> bool {
    let target = |word: &str| {
        let stem = word.split('.').next().unwrap_or(word);
        stem.split(['-', '_', ':']).any(|part| matches!(part, "test" | "tests" | "check" | "spec"))
    };
    run_in_the_end(command).iter().any(|words| {
        let is_of = |word: &String, only_tests: bool| {
            RUNNERS.iter().any(|runner| runner.only_tests == only_tests && runner.is_called(word))
        };
        let asks = |word: &String| !word.starts_with('-') && !word.contains('/') && target(word);
        let names =
            |word: &String| changed.iter().any(|path| word.trim_start_matches("./").starts_with(path));
        let (first, rest) = words.split_first().map_or((None, &[][..]), |(first, rest)| (Some(first), rest));
        first.is_some_and(|first| {
            !is_reader(first)
                && (words.iter().any(|word| is_of(word, true) || names(word))
                    || is_of(first, false) && rest.iter().any(asks)
                    || rest.iter().any(|word| word == "--test"))
        })
    })
}

#[cfg(test)]
mod tests {
    use super::{defines, is_setting, is_test, runs_tests};

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
    fn settings_of_runners_are_known_by_their_name() {
        for path in [
            "pytest.ini",
            "pkg/pyproject.toml",
            "setup.cfg",
            "jest.config.js",
            "web/vitest.config.mts",
            "package.json",
            "Cargo.toml",
            "crates/a/Cargo.toml",
            ".config/nextest.toml",
            "a/.cargo/config.toml",
            "Makefile",
            "build/rules.mk",
            "App.csproj",
        ] {
            assert!(is_setting(path), "{path}");
        }
        for path in [
            "conftest.py",
            "tests/pytest.ini",
            "my-pytest.ini",
            "jest.config.",
            "nextest.toml",
            "config.toml",
            "src/package.json.md",
            ".mk",
            "src/lib.rs",
        ] {
            assert!(!is_setting(path), "{path}");
        }
    }

    #[test]
    fn a_command_is_defined_by_the_file_of_its_target_or_by_a_script_that_checks() {
        for (command, path) in [
            ("make lint", "Makefile"),
            ("cd web && npm run build", "web/package.json"),
            ("CI=1 timeout 60 make lint", "GNUmakefile"),
            ("bash -c 'make lint'", "Makefile"),
            ("sh check.sh", "check.sh"),
            ("cd sub && sh check.sh", "sub/check.sh"),
            ("./scripts/verify-output.py a", "scripts/verify-output.py"),
        ] {
            assert!(defines(command, path), "{command}: {path}");
        }
        for (command, path) in [
            ("make lint", "package.json"),
            ("cargo clippy", "Cargo.toml"),
            ("sh run.sh", "run.sh"),
            ("sh check.sh", "src/recheck.sh"),
            ("grep -q make Makefile", "Makefile"),
            ("python3 app.py", "app.py"),
        ] {
            assert!(!defines(command, path), "{command}: {path}");
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
        for command in [
            "test -f a",
            "grep -q test a",
            "grep -c test_two tests/check.sh",
            "test ! -e tests/check.sh",
            "grep -q pytest tox.ini",
            "cargo build",
            "sh run.sh",
            "ls tests",
        ] {
            assert!(!runs_tests(command, &new), "{command}");
        }
    }
}
