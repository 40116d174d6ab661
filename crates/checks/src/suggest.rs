//! Checks for tasks that state none, from what the task says and the repository shows. Nothing runs here.
//!
//! A suggestion must be false now and true when the task is done. So it asks for what the task names and the repository
//! lacks: a test file with the project's runner, a name in a file, a file, the absence of a file. What the task only
//! implies gives no suggestion.

mod names;
mod runners;

use names::{Deed, How, Named};
pub use runners::Project;
use std::collections::BTreeSet;
use wire::plan::clause::literal;
use wire::plan::suggestion::{Kind, Sure};
use wire::plan::{Criterion, FileUse};

/// What the repository shows; paths are as seen from its root.
pub trait Tree {
    /// Whether a file or folder exists.
    fn exists(&self, path: &str) -> bool;
    /// The content of a file, where it exists, is text and is not too large.
    fn text(&self, path: &str) -> Option<String>;
}

/// A task, as far as suggestions need it.
#[derive(Debug, Clone, Copy)]
pub struct Work<'t> {
    /// The task's title, without its id.
    pub title: &'t str,
    /// The task's section.
    pub body: &'t str,
    /// The files that it declares.
    pub files: &'t [FileUse],
    /// Its criteria.
    pub criteria: &'t [Criterion],
}

/// A check that a task could have.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Suggested {
    /// The command; its success is the check.
    pub command: String,
    /// The check in the grammar, where it is more than the command.
    pub check: String,
    /// What it looks at.
    pub kind: Kind,
    /// Why it fits the task.
    pub reason: String,
    /// How sure it is.
    pub sure: Sure,
}

/// The most checks that are suggested for one task.
const MOST: usize = 3;

/// What the checks of earlier tasks ask for: their work makes the same check true, so it says nothing about a later task.
#[derive(Debug, Clone, Default)]
pub struct Taken {
    commands: BTreeSet<String>,
    paths: BTreeSet<String>,
    /// The documents that the whole plan is made from: no task makes them.
    inputs: BTreeSet<String>,
    /// Tests that earlier tasks write for work that comes later: the command that runs them, their file, and the source file
    /// whose task they check.
    ahead: Vec<(String, String, String)>,
}

impl Taken {
    /// Before the first task; `plan` is the text of the plan, whose preface names the documents that it is made from.
    pub fn before_all(plan: &str) -> Self {
        let preface = plan.find("\n## ").and_then(|end| plan.get(..end)).unwrap_or_default();
        Self { inputs: names::paths_in(preface).into_iter().collect(), ..Self::default() }
    }

    /// The check of a task that writes a test file for later work: the file alone, since its tests must fail until then.
    fn write_ahead(&mut self, path: &str, source: &str, project: &Project) -> Vec<Suggested> {
        if self.paths.contains(path) {
            return Vec::new();
        }
        if let Some(run) = project.test_file(path) {
            self.ahead.push((run, path.to_owned(), source.to_owned()));
        }
        let reason = format!("the task writes {path}, whose tests fail until a later task makes {source}");
        vec![Suggested::of(format!("test -f {}", quote(path)), Kind::File, reason, Sure::Medium)]
    }

    /// The tests that earlier tasks wrote for one of these files.
    fn tests_ahead(&mut self, paths: &[String]) -> Vec<Suggested> {
        let is_here = |(_, _, source): &mut (String, String, String)| paths.contains(source);
        let here = self.ahead.extract_if(.., is_here);
        let check = |(run, test, source): (String, String, String)| {
            let reason = format!("an earlier task writes {test}, which checks {source}");
            Suggested::of(run, Kind::Test, reason, Sure::High)
        };
        here.map(check).collect()
    }

    /// Whether a name without a folder stands for a file that has one.
    fn is_short_name(&self, path: &str, all: &[String]) -> bool {
        let end = format!("/{path}");
        !path.contains('/') && self.paths.iter().chain(all).any(|other| other.ends_with(&end))
    }
}

/// The source files that a task makes: it names them, and they are not there.
pub fn makes(work: &Work<'_>, tree: &dyn Tree) -> Vec<String> {
    let mut paths = paths(work);
    paths.retain(|path| names::is_source(path) && !tree.exists(path));
    paths
}

/// The checks that a task could have, the surest first, and the paths that it names. Tasks are given in the plan's order;
/// `later` are the source files that later tasks of the same phase make.
pub fn suggest(
    work: &Work<'_>,
    later: &[String],
    project: &Project,
    tree: &dyn Tree,
    taken: &mut Taken,
) -> (Vec<Suggested>, Vec<String>) {
    let named = names::named(work);
    let mut found: Vec<Suggested> = work.criteria.iter().filter_map(rewrite).collect();
    let deed = names::deed(work.title);
    let objects = names::objects(work.title);
    // Without a file as its object, it removes or moves something in a file.
    let is_within = matches!(deed, Deed::Remove | Deed::Move) && objects.is_empty();
    found.extend(taken.tests_ahead(&named.paths));
    for path in &named.paths {
        if taken.inputs.contains(path) || taken.is_short_name(path, &named.paths) {
            continue;
        }
        let is_object = matches!(deed, Deed::Remove | Deed::Move) && objects.contains(path);
        // A folder whose files are moved may stay.
        if deed == Deed::Move && is_object && path.ends_with('/') || deed == Deed::Remove && is_within {
            continue;
        }
        let waits = runners::is_test(path) && !tree.exists(path);
        let possible = if is_object && !path.ends_with('/') {
            tree.exists(path).then(|| removed(path)).into_iter().collect()
        } else if waits && let Some(source) = checked_by(path, later, &named.paths) {
            taken.write_ahead(path, source, project)
        } else {
            for_path(path, &named, project, tree, !taken.paths.contains(path))
        };
        // A task that runs or looks at something makes no file but a test.
        let is_made = |one: &Suggested| deed != Deed::Run || one.kind == Kind::Test;
        let mut possible = possible.into_iter().filter(is_made);
        found.extend(possible.find(|one| !taken.commands.contains(&one.command)));
    }
    // A test that is renamed is not there afterwards.
    let tests = named.tests.iter().filter(|_| !is_within);
    found.extend(tests.filter_map(|name| project.one_test(name)).map(|command| {
        Suggested::of(command, Kind::Test, "the task names this test".to_owned(), Sure::Medium)
    }));
    if deed == Deed::Run {
        found.extend(named.commands.iter().map(|command| {
            Suggested::of(command.clone(), Kind::Command, "the task runs this".to_owned(), Sure::Medium)
        }));
    }
    if deed == Deed::Run && found.is_empty() && names::runs_all_tests(work.title) {
        found.extend(project.all_tests().map(|command| {
            Suggested::of(command, Kind::Command, "the task runs the tests".to_owned(), Sure::Low)
        }));
    }
    found.sort_by_key(|one| std::cmp::Reverse(one.sure));
    found.retain(|one| taken.commands.insert(one.command.clone()));
    found.truncate(MOST);
    taken.paths.extend(named.paths.iter().cloned());
    (found, named.paths)
}

/// The paths that a task names, as files to make or to change.
pub fn paths(work: &Work<'_>) -> Vec<String> {
    names::named(work).paths
}

impl Suggested {
    fn of(command: String, kind: Kind, reason: String, sure: Sure) -> Self {
        Self { check: literal(&command), command, kind, reason, sure }
    }
}

/// The legal form of an unclear check.
fn rewrite(criterion: &Criterion) -> Option<Suggested> {
    let unclear = criterion.unclear.as_ref()?;
    let check = unclear.rewrite.clone()?;
    let command = criterion.command.clone()?;
    let sure = if unclear.equal { Sure::High } else { Sure::Medium };
    Some(Suggested { command, check, kind: Kind::Rewrite, reason: unclear.message.clone(), sure })
}

/// The checks for one path that the task names, the best first. `is_first` says that no earlier task names it: only then
/// the mere existence of the file says something.
fn for_path(path: &str, named: &Named, project: &Project, tree: &dyn Tree, is_first: bool) -> Vec<Suggested> {
    let quoted = quote(path);
    let missing = format!("the task names {path}, which does not exist");
    if let Some((folder, rest)) = path.split_once("/.../") {
        let find = format!("test -n \"$(find {} -path {})\"", quote(folder), quote(&format!("*/{rest}")));
        return is_first.then(|| Suggested::of(find, Kind::File, missing, Sure::Low)).into_iter().collect();
    }
    if let Some(folder) = path.strip_suffix('/') {
        let is_new = is_first && !tree.exists(folder);
        let check = || Suggested::of(format!("test -d {quoted}"), Kind::File, missing, Sure::Low);
        return is_new.then(check).into_iter().collect();
    }
    let mut possible = Vec::new();
    let is_new = !tree.exists(path);
    let text = tree.text(path).unwrap_or_default();
    let guard = if is_new { format!("test -f {quoted} && ") } else { String::new() };
    if runners::is_test(path)
        && let Some(run) = project.test_file(path)
    {
        if is_new && is_first {
            let reason = format!("the task makes the test file {path}");
            possible.push(Suggested::of(run.clone(), Kind::Test, reason, Sure::High));
        }
        for name in named.identifiers.iter().filter(|name| !text.contains(*name)) {
            let reason = format!("the task adds a test with {name} to {path}");
            let command = format!("{guard}grep -qw {} {quoted} && {run}", quote(name));
            possible.push(Suggested::of(command, Kind::Test, reason, Sure::Medium));
        }
        return possible;
    }
    let candidates = named.names_for(path).into_iter();
    for (name, how) in candidates.filter(|(name, how)| !how.is_in(name, &text)) {
        if how == How::Defined && !(is_new && is_first) {
            continue;
        }
        let command = format!("{guard}grep {} {quoted}", how.search(name, path));
        let what = if is_new { "does not exist" } else { "does not contain it" };
        let reason = format!("the task names {name} and {path}, which {what}");
        possible.push(Suggested::of(command, Kind::Name, reason, Sure::Medium));
    }
    if is_new && is_first {
        possible.push(Suggested::of(format!("test -f {quoted}"), Kind::File, missing, Sure::Low));
    }
    possible
}

/// The source file of a later task that a test file checks: one that the test is called after, else the last. A task that
/// makes source files itself is what its tests check.
fn checked_by<'l>(test: &str, later: &'l [String], own: &[String]) -> Option<&'l String> {
    if own.iter().any(|path| names::is_source(path)) {
        return None;
    }
    let name = test.rsplit('/').next().unwrap_or(test);
    let stem = name.split('.').next().unwrap_or(name);
    let stem = stem.trim_start_matches("test_").trim_end_matches("_test").trim_end_matches("_spec");
    let stem = stem.trim_end_matches("Tests").trim_end_matches("Test");
    let like = later.iter().filter(|path| names::likeness(path, stem) > 0);
    like.max_by_key(|path| names::likeness(path, stem)).or(later.last())
}

fn removed(path: &str) -> Suggested {
    let reason = format!("the task removes {path}");
    Suggested::of(format!("test ! -e {}", quote(path)), Kind::Removed, reason, Sure::High)
}

/// A word of a shell command: as it is, or in single quotes.
fn quote(word: &str) -> String {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "_-./+@%=:".contains(c);
    if !word.is_empty() && !word.starts_with('-') && word.chars().all(is_plain) {
        return word.to_owned();
    }
    let word = if word.starts_with('-') { format!("./{word}") } else { word.to_owned() };
    format!("'{}'", word.replace('\'', "'\\''"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeMap;

    struct Files(BTreeMap<&'static str, &'static str>);

    impl Tree for Files {
        fn exists(&self, path: &str) -> bool {
            self.0.keys().any(|file| *file == path || file.starts_with(&format!("{path}/")))
        }
        fn text(&self, path: &str) -> Option<String> {
            self.0.get(path).map(|text| (*text).to_owned())
        }
    }

    fn commands(title: &str, files: &[(&'static str, &'static str)]) -> Vec<String> {
        let tree = Files(files.iter().copied().collect());
        let project = Project::of(&tree, "");
        let work = Work { title, body: "", files: &[], criteria: &[] };
        suggest(&work, &[], &project, &tree, &mut Taken::default())
            .0
            .into_iter()
            .map(|one| one.command)
            .collect()
    }

    #[test]
    fn a_task_that_makes_a_file_with_a_name_gets_a_check_that_an_empty_file_does_not_meet() {
        for (title, command) in [
            (
                "Create User model in src/models/user.py",
                "test -f src/models/user.py && grep -qiE '(class|def) +\\w*User' src/models/user.py",
            ),
            ("Add `parse_date` to src/dates.rs", "test -f src/dates.rs && grep -qw parse_date src/dates.rs"),
            ("Implement POST /api/users in `app/(api)/users/route.ts`", "test -f 'app/(api)/users/route.ts'"),
            ("Configure linting in .eslintrc.json", "test -f .eslintrc.json"),
            ("Create the folder structure src/ and `tests/unit/`", "test -d tests/unit/"),
        ] {
            assert_eq!(commands(title, &[]).first().map(String::as_str), Some(command), "{title}");
        }
    }

    #[test]
    fn a_call_gives_its_name_and_no_word_is_guessed_beside_code() {
        for (title, command) in [
            (
                "Implement `lookup(code)` in shop/codes.py",
                "test -f shop/codes.py && grep -qw lookup shop/codes.py",
            ),
            (
                "Add `apply(cart, discount)` to `shop/tax.py`",
                "test -f shop/tax.py && grep -qw apply shop/tax.py",
            ),
        ] {
            assert_eq!(commands(title, &[]).first().map(String::as_str), Some(command), "{title}");
        }
    }

    #[test]
    fn a_new_test_file_runs_with_the_runner_of_the_project() {
        let pytest = [("pyproject.toml", "[tool.pytest.ini_options]\n")];
        assert_eq!(
            commands("Contract test for login in tests/contract/test_login.py", &pytest),
            ["pytest -q tests/contract/test_login.py"]
        );
        let vitest = [("package.json", r#"{"devDependencies":{"vitest":"1"}}"#), ("pnpm-lock.yaml", "")];
        assert_eq!(commands("Write src/login.test.ts", &vitest), ["pnpm exec vitest run src/login.test.ts"]);
        let cargo = [("Cargo.toml", "[package]\nname = \"x\"\n")];
        assert_eq!(commands("Add tests/login.rs", &cargo), ["cargo test --test login"]);
        let go = [("go.mod", "module x\n")];
        assert_eq!(commands("Add internal/auth/login_test.go", &go), ["go test ./internal/auth/"]);
    }

    #[test]
    fn what_is_there_already_is_not_suggested() {
        let there = [("src/user.py", "class User: pass\n")];
        assert!(commands("Create User model in src/user.py", &there).is_empty());
        assert_eq!(commands("Add `Admin` to src/user.py", &there), ["grep -qw Admin src/user.py"]);
    }

    #[test]
    fn removed_and_moved_files_must_be_gone() {
        let there = [("old.txt", "x"), ("src/a.ts", "x")];
        assert_eq!(commands("Delete old.txt", &there), ["test ! -e old.txt"]);
        assert_eq!(commands("Move src/a.ts to lib/a.ts", &there), ["test ! -e src/a.ts", "test -f lib/a.ts"]);
        assert_eq!(commands("Move all files from `src/old/` to `src/new/`", &there), ["test -d src/new/"]);
    }

    #[test]
    fn what_is_removed_from_a_file_or_renamed_in_it_leaves_the_file() {
        let there =
            [("tests/test_one.py", "def test_one(): pass\n"), ("shelf/__init__.py", "def parse(): pass\n")];
        for title in [
            "Rename test_one to test_import in tests/test_one.py",
            "Remove the unused import from shelf/__init__.py",
            "Delete dead code in shelf/__init__.py",
        ] {
            assert!(commands(title, &there).is_empty(), "{title}: {:?}", commands(title, &there));
        }
        assert_eq!(
            commands("Move parse from shelf/__init__.py to shelf/parse.py", &there),
            ["test -f shelf/parse.py && grep -qiE '(class|def) +\\w*parse' shelf/parse.py"]
        );
        assert_eq!(
            commands("Remove the old file tests/test_one.py", &there),
            ["test ! -e tests/test_one.py"]
        );
    }

    #[test]
    fn tests_that_are_written_first_check_the_task_that_makes_their_source() {
        let tree = Files([("pyproject.toml", "pytest")].into_iter().collect());
        let project = Project::of(&tree, "");
        let mut taken = Taken::default();
        let mut of = |title: &str, later: &[&str]| -> Vec<String> {
            let work = Work { title, body: "", files: &[], criteria: &[] };
            let later: Vec<String> = later.iter().map(|path| (*path).to_owned()).collect();
            let found = suggest(&work, &later, &project, &tree, &mut taken).0;
            found.into_iter().map(|one| one.command).collect()
        };
        let later = ["src/member.py", "src/loans.py"];
        assert_eq!(
            of("Unit test for Member in tests/test_member.py", &later),
            ["test -f tests/test_member.py"]
        );
        assert_eq!(of("Contract test in tests/test_api.py", &later), ["test -f tests/test_api.py"]);
        let member = of("Create Member model in src/member.py", &later[1..]);
        assert_eq!(member.first().map(String::as_str), Some("pytest -q tests/test_member.py"));
        let loans = of("Implement loans in src/loans.py", &[]);
        assert_eq!(loans.first().map(String::as_str), Some("pytest -q tests/test_api.py"));
        // A test of what is there already passes at once.
        assert_eq!(
            of("Unit test for parsing in tests/test_parse.py", &[]),
            ["pytest -q tests/test_parse.py"]
        );
    }

    #[test]
    fn a_later_task_in_the_same_file_needs_a_name_of_its_own() {
        let tree = Files([("pyproject.toml", "pytest")].into_iter().collect());
        let project = Project::of(&tree, "");
        let mut taken = Taken::default();
        let mut of = |title: &str| -> Vec<String> {
            let work = Work { title, body: "", files: &[], criteria: &[] };
            let found = suggest(&work, &[], &project, &tree, &mut taken).0;
            found.into_iter().map(|one| one.command).collect()
        };
        assert_eq!(
            of("Unit test: an order is saved in tests/test_order.py"),
            ["pytest -q tests/test_order.py"]
        );
        assert!(of("Unit test: an order expires in tests/test_order.py").is_empty());
        assert_eq!(
            of("Unit test: error_message is set in tests/test_order.py"),
            [
                "test -f tests/test_order.py && grep -qw error_message tests/test_order.py && pytest -q tests/test_order.py"
            ]
        );
        assert_eq!(of("Create src/order.py"), ["test -f src/order.py"]);
        assert!(of("Polish src/order.py").is_empty());
    }

    #[test]
    fn a_command_counts_where_the_task_is_to_run_it() {
        assert_eq!(commands("Run linting: `ruff check .` - no errors", &[]), ["ruff check ."]);
        assert!(commands("Document `ruff check .` in the guide", &[]).is_empty());
        let cargo = [("Cargo.toml", "[package]\n")];
        assert_eq!(commands("Run all tests and fix failures", &cargo), ["cargo test"]);
        assert!(commands("Run all tests and fix failures", &[]).is_empty());
        assert!(commands("Run the linter", &cargo).is_empty());
    }

    #[test]
    fn what_a_task_only_reads_gives_no_check() {
        for title in [
            "Run quickstart.md validation manually",
            "Confirm all keys exist in both `en/` and `pl/` files",
            "Verify the exports of src/index.ts",
        ] {
            assert!(commands(title, &[]).is_empty(), "{title}: {:?}", commands(title, &[]));
        }
        for (title, command) in [
            ("Create src/a.sql per data-model.md", "test -f src/a.sql"),
            ("Write src/b.sql as described in `docs/b.md`", "test -f src/b.sql"),
            ("Create main.ts entry point in apps/src/main.ts", "test -f apps/src/main.ts"),
        ] {
            assert_eq!(commands(title, &[]), [command], "{title}");
        }
    }

    #[test]
    fn the_documents_of_the_preface_are_made_by_no_task() {
        let tree = Files(BTreeMap::new());
        let project = Project::of(&tree, "");
        let mut taken =
            Taken::before_all("# Tasks\n\n**Prerequisites**: plan.md, research.md\n\n## Phase 1\n");
        let work = Work { title: "Update research.md", body: "", files: &[], criteria: &[] };
        assert!(suggest(&work, &[], &project, &tree, &mut taken).0.is_empty());
    }

    #[test]
    fn prose_products_and_addresses_are_no_files() {
        for title in [
            "Set up the Next.js project with Node.js 20.11 and TypeScript",
            "Read https://example.com/a/b.html, e.g. the part on v1.2.3",
            "Support and/or input/output, 24/7",
            "Create project structure per implementation plan",
            "Update <feature>/spec.md and specs/*/plan.md",
            "Fix ../outside.txt and /etc/passwd and ~/x.txt",
        ] {
            assert!(commands(title, &[]).is_empty(), "{title}: {:?}", commands(title, &[]));
        }
    }
}
