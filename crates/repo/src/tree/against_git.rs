//! What this process sees without git against what git says: the same, or nothing at all.

use super::{Seen, by_git, described, look};
use crate::git::Git;
use std::collections::BTreeSet;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::Path;
use testbench::{git, write};
use toolkit::files::fs;
use toolkit::files::root::Home;

/// A name, and what makes a tree like that of the usual one.
type Case<'c> = (&'c str, &'c dyn Fn(&Path));

fn repository() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    git(folder.path(), &["init", "--quiet"]);
    write(folder.path(), "a.txt", "one\n");
    write(folder.path(), "dir/b.txt", "two\n");
    write(folder.path(), ".gitignore", "*.log\nout/\n!keep.log\n");
    git(folder.path(), &["add", "--all"]);
    git(folder.path(), &["commit", "--quiet", "--message", "start"]);
    folder
}

/// The tree without git, and with it.
fn both(root: &Path) -> (Option<Seen>, Seen) {
    let at = Git::new(Home::of(root).unwrap());
    let own = look::look(&at, &BTreeSet::new()).unwrap();
    let own = own.map(|own| Seen { files: own.entries.iter().map(described).collect(), ..Seen::default() });
    let mut by_git = by_git::look(&at).unwrap();
    by_git.files.retain(|(path, _)| !path.starts_with(".plantools/"));
    (own, by_git)
}

/// Compares twice: with nothing known, and with what the first look left.
fn assert_same(root: &Path, what: &str) {
    for time in ["first", "second"] {
        let (own, by_git) = both(root);
        let own = own.unwrap_or_else(|| panic!("{what}: git was asked ({time})"));
        assert_eq!(own.files, by_git.files, "{what} ({time})");
        assert!(by_git.within.is_empty(), "{what} ({time})");
    }
}

/// Only git can tell, or what it says is the same.
fn assert_asks(root: &Path, what: &str) {
    assert!(both(root).0.is_none(), "{what}: git was not asked");
}

#[test]
fn a_plain_tree_is_the_same() {
    let run = |root: &Path, args: &[&str]| {
        git(root, args);
    };
    let cases: [Case<'_>; 22] = [
        ("clean", &|_| {}),
        ("edited", &|root| write(root, "a.txt", "two\n")),
        ("new", &|root| write(root, "new/c d.txt", "x")),
        ("ignored", &|root| write(root, "x.log", "x")),
        ("negated", &|root| write(root, "dir/keep.log", "x")),
        ("deleted", &|root| std::fs::remove_file(root.join("dir/b.txt")).unwrap()),
        ("executable", &|root| {
            std::fs::set_permissions(root.join("a.txt"), PermissionsExt::from_mode(0o755)).unwrap();
        }),
        ("link", &|root| symlink("nowhere", root.join("link")).unwrap()),
        ("folder became a link", &|root| {
            std::fs::rename(root.join("dir"), root.join("other")).unwrap();
            symlink("other", root.join("dir")).unwrap();
        }),
        ("file became a folder", &|root| {
            std::fs::remove_file(root.join("a.txt")).unwrap();
            write(root, "a.txt/x", "y");
        }),
        ("tracked although ignored", &|root| {
            write(root, "out/deep/x.log", "1");
            write(root, "out/deep/y.log", "1");
            run(root, &["add", "--force", "out/deep/x.log"]);
            write(root, "out/deep/x.log", "2");
        }),
        ("an ignored folder became a link", &|root| {
            write(root, "out/x", "1");
            run(root, &["add", "--force", "out/x"]);
            std::fs::rename(root.join("out"), root.join("elsewhere.log")).unwrap();
            symlink("elsewhere.log", root.join("out")).unwrap();
        }),
        ("removed from the index", &|root| run(root, &["rm", "--quiet", "--cached", "a.txt"])),
        ("named only", &|root| {
            write(root, "n", "1");
            run(root, &["add", "--intent-to-add", "n"]);
        }),
        ("assumed unchanged", &|root| {
            run(root, &["update-index", "--assume-unchanged", "a.txt"]);
            write(root, "a.txt", "two\n");
        }),
        ("not in the worktree", &|root| {
            run(root, &["update-index", "--skip-worktree", "a.txt", "dir/b.txt"]);
            write(root, "a.txt", "two\n");
            std::fs::remove_file(root.join("dir/b.txt")).unwrap();
        }),
        ("version 4", &|root| run(root, &["update-index", "--index-version", "4"])),
        ("excluded by the repository", &|root| {
            write(root, ".git/info/exclude", "/new\n");
            write(root, "new", "x");
            write(root, "dir/new", "x");
        }),
        ("excluded by a setting", &|root| {
            run(root, &["config", "core.excludesFile", "rules"]);
            write(root, "rules", "n?w\n!dir/new\n");
            write(root, "new", "x");
            write(root, "dir/new", "x");
        }),
        ("attributes about ends of lines, files without them", &|root| {
            write(root, ".gitattributes", "* text=auto eol=lf\n");
        }),
        ("automatic ends of lines, files without them", &|root| {
            run(root, &["config", "core.autocrlf", "input"]);
        }),
        ("carriage returns, and nothing about them", &|root| write(root, "a.txt", "one\r\n")),
    ];
    for (what, change) in cases {
        let folder = repository();
        change(folder.path());
        assert_same(folder.path(), what);
    }
}

#[test]
fn names_and_bytes_are_taken_as_they_are() {
    use std::ffi::OsStr;
    use std::os::unix::ffi::OsStrExt;
    let folder = repository();
    let root = folder.path();
    for name in [&b"\xff\xfe"[..], b"new\nline", b"-dash", b" space ", b"quo\"te", b"\xc3\xa4", b"*"] {
        fs::create(&root.join(OsStr::from_bytes(name)), name).unwrap();
    }
    write(root, &format!("{}x", "d/".repeat(200)), "");
    assert_same(root, "names");
    fs::create(&root.join("large"), &vec![7; 300_000]).unwrap();
    fs::create(&root.join("empty"), b"").unwrap();
    assert_same(root, "sizes");
}

#[test]
fn git_is_asked_where_only_git_can_tell() {
    let run = |root: &Path, args: &[&str]| {
        git(root, args);
    };
    let cases: [Case<'_>; 19] = [
        ("filter", &|root| write(root, ".gitattributes", "*.txt filter=x\n")),
        ("ident", &|root| write(root, ".git/info/attributes", "*.txt ident\n")),
        ("encoding", &|root| write(root, "dir/.gitattributes", "*.txt working-tree-encoding=UTF-16\n")),
        ("attributes of an ignored file", &|root| {
            write(root, "out/.gitattributes", "* filter=x\n");
            write(root, "out/x", "1");
            run(root, &["add", "--force", "out/x"]);
        }),
        ("attributes that the index still has", &|root| {
            write(root, ".gitattributes", "*.txt text\n");
            run(root, &["add", ".gitattributes"]);
            std::fs::remove_file(root.join(".gitattributes")).unwrap();
        }),
        ("automatic ends of lines", &|root| {
            run(root, &["config", "core.autocrlf", "true"]);
            write(root, "a.txt", "one\r\n");
        }),
        ("ends of lines by an attribute", &|root| {
            write(root, ".gitattributes", "*.txt eol=crlf\n");
            write(root, "a.txt", "one\r\n");
        }),
        ("split index", &|root| run(root, &["update-index", "--split-index"])),
        ("repository within", &|root| run(root, &["init", "--quiet", "within"])),
        ("submodule", &|root| {
            run(root, &["init", "--quiet", "within"]);
            run(&root.join("within"), &["commit", "--quiet", "--allow-empty", "--message", "x"]);
            run(root, &["-c", "advice.addEmbeddedRepo=false", "add", "within"]);
        }),
        ("conflict", &|root| {
            let entry = "100644 e69de29bb2d1d6434b8b29ae775ad8c2e48c5391";
            let text = format!("0 {} 0\ta.txt\n{entry} 1\ta.txt\n{entry} 2\ta.txt\n", "0".repeat(40));
            write(root, ".git/entries", &text);
            let shell = "git update-index --index-info < .git/entries";
            let status = std::process::Command::new("sh").args(["-c", shell]).current_dir(root).status();
            assert!(status.unwrap().success());
        }),
        ("no executable bit", &|root| run(root, &["config", "core.fileMode", "false"])),
        ("no links", &|root| run(root, &["config", "core.symlinks", "false"])),
        ("letters of any case", &|root| run(root, &["config", "core.ignoreCase", "true"])),
        ("a worktree elsewhere", &|root| run(root, &["config", "core.worktree", ".."])),
        ("rules that are a link", &|root| {
            std::fs::remove_file(root.join(".gitignore")).unwrap();
            symlink("a.txt", root.join(".gitignore")).unwrap();
        }),
        ("a damaged index", &|root| write(root, ".git/index", "DIRC")),
        ("a name that is git's elsewhere", &|root| write(root, "dir/.GIT", "x")),
        ("a folder that is git's elsewhere", &|root| write(root, "git~1/x", "x")),
    ];
    for (what, change) in cases {
        let folder = repository();
        change(folder.path());
        let at = Git::new(Home::of(folder.path()).unwrap());
        assert!(look::look(&at, &BTreeSet::new()).unwrap().is_none(), "{what}: git was not asked");
    }
}

#[test]
fn repositories_of_other_kinds_are_the_same_or_left_to_git() {
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path();
    git(root, &["init", "--quiet", "--object-format=sha256"]);
    write(root, "a.txt", "one\n");
    assert_asks(root, "sha256");

    let folder = repository();
    let root = folder.path();
    git(root, &["sparse-checkout", "set", "--sparse-index", "dir"]);
    let (own, by_git) = both(root);
    assert!(own.is_none_or(|own| own.files == by_git.files), "sparse");

    let folder = repository();
    git(folder.path(), &["worktree", "add", "--quiet", "--detach", "../linked"]);
    let linked = folder.path().parent().unwrap().join("linked");
    write(&linked, "new.txt", "x");
    assert_same(&linked, "a linked worktree");
    std::fs::remove_dir_all(linked).unwrap();

    let folder = tempfile::tempdir().unwrap();
    git(folder.path(), &["init", "--quiet"]);
    write(folder.path(), "a", "x");
    assert_same(folder.path(), "before the first commit");
}

/// Numbers that look random and are the same in every run.
struct Numbers(u64);

impl Numbers {
    fn below(&mut self, limit: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        usize::try_from(self.0 >> 33).unwrap() % limit
    }

    fn of<'t>(&mut self, texts: &[&'t str]) -> &'t str {
        texts[self.below(texts.len())]
    }
}

#[test]
fn ignore_rules_mean_what_they_mean_to_git() {
    let parts = ["a", "b", "ab", "abc", "a.b", "x y", "[", "#a", "!b", "a]"];
    let bits = [
        "a",
        "b",
        "ab",
        "*",
        "**",
        "?",
        "/",
        "/",
        "[ab]",
        "[!a]",
        "[a-c]",
        "[^b]*",
        ".b",
        "\\a",
        "\\*",
        "[",
        "]",
        " ",
        "\\ ",
        "[[:alpha:]]",
        "[[:space:]]",
        "[]a]",
        "#",
        "!",
        "[a-",
        "\\",
    ];
    for seed in 0..40 {
        let mut numbers = Numbers(seed);
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path();
        git(root, &["init", "--quiet"]);
        let path = |numbers: &mut Numbers| {
            let depth = 1 + numbers.below(3);
            (0..depth).map(|_| numbers.of(&parts)).collect::<Vec<_>>().join("/")
        };
        for _ in 0..30 {
            let path = root.join(path(&mut numbers));
            let made = std::fs::create_dir_all(path.parent().unwrap());
            if made.is_ok() && !path.exists() {
                fs::create(&path, b"x").unwrap();
            }
        }
        if seed % 3 == 0 {
            git(root, &["add", "--force", "--all"]);
        }
        for place in ["", "a/", "b/", "ab/"] {
            let lines = (0..=numbers.below(4)).map(|_| {
                let sign = numbers.of(&["", "", "", "!", "/"]);
                let text: String = (0..=numbers.below(4)).map(|_| numbers.of(&bits)).collect();
                format!("{sign}{text}{}", numbers.of(&["", "", "/", "  ", "\r"]))
            });
            let lines = lines.collect::<Vec<_>>().join("\n");
            if root.join(place).is_dir() {
                write(root, &format!("{place}.gitignore"), &lines);
            }
        }
        assert_same(root, &format!("seed {seed}"));
    }
}
