//! A folder with a plan, a ledger that our tools could have written, and the program.

use serde_json::{Value, json};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use tempfile::TempDir;
use toolkit::ledger::{Entry, Ledger};
use toolkit::root::Home;
use toolkit::tree::Tree;
use wire::punch::{SourceKind, Trust, Type};
use wire::{Fingerprint, TreeHash};

pub(crate) const PLAN: &str = "# Plan\n\n- [ ] 1. Make it\n  - [ ] it is there: `test -f made`\n";

/// A temporary repository.
pub(crate) struct Bench {
    folder: TempDir,
    pub(crate) fingerprint: Fingerprint,
}

/// What the program said.
#[derive(Debug)]
pub(crate) struct Got {
    pub(crate) code: i32,
    pub(crate) out: String,
    pub(crate) err: String,
}

impl Got {
    #[track_caller]
    pub(crate) fn exits(self, code: i32) -> Self {
        assert_eq!(self.code, code, "{self:?}");
        self
    }

    #[track_caller]
    pub(crate) fn says(self, words: &str) -> Self {
        assert!(self.err.contains(words) || self.out.contains(words), "no '{words}' in {self:?}");
        self
    }

    pub(crate) fn json(&self) -> Value {
        serde_json::from_str(self.out.lines().next().unwrap_or_default()).unwrap()
    }
}

impl Bench {
    /// A repository with a plan and one commit.
    pub(crate) fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let bench = Self { folder, fingerprint: Fingerprint::default() };
        bench.git(&["init", "--quiet", "--initial-branch=main"]);
        bench.git(&["config", "user.name", "Test"]);
        bench.git(&["config", "user.email", "test@example.invalid"]);
        bench.write("PLAN.md", PLAN);
        bench.git(&["add", "."]);
        bench.git(&["commit", "--quiet", "--message=start"]);
        let field = dialects::Field::at(&bench.path("PLAN.md"), &bench.root(), None).unwrap();
        let task = field.plan.tasks.iter().find(|task| task.id.as_str() == "1").unwrap();
        Self { fingerprint: task.fingerprint.clone(), ..bench }
    }

    pub(crate) fn root(&self) -> PathBuf {
        self.folder.path().canonicalize().unwrap()
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.root().join(name)
    }

    pub(crate) fn write(&self, name: &str, text: &str) -> PathBuf {
        let path = self.folder.path().join(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(&path, text).unwrap();
        path
    }

    pub(crate) fn git(&self, args: &[&str]) {
        let done = Command::new("git").args(args).current_dir(self.folder.path()).status().unwrap();
        assert!(done.success(), "{args:?}");
    }

    pub(crate) fn punch(&self, args: &[&str]) -> Got {
        self.punch_with(args, "")
    }

    pub(crate) fn punch_with(&self, args: &[&str], input: &str) -> Got {
        use std::io::Write;
        let mut child = Command::new(env!("CARGO_BIN_EXE_punch"))
            .args(args)
            .current_dir(self.folder.path())
            .env("PLANTOOLS_NOW", "2026-01-31T12:00:00Z")
            .env("HOME", self.folder.path().join("home"))
            .env_remove("CLAUDE_CONFIG_DIR")
            .env("SOME_TOKEN", "a-secret-value-of-the-environment")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        // A command that reads nothing may be gone by now.
        let _ = child.stdin.take().unwrap().write_all(input.as_bytes());
        let got = child.wait_with_output().unwrap();
        let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap();
        Got { code: got.status.code().unwrap(), out: text(got.stdout), err: text(got.stderr) }
    }

    pub(crate) fn home(&self) -> Home {
        Home::of(&self.root()).unwrap()
    }

    pub(crate) fn ledger(&self) -> Ledger {
        Ledger::new(self.home())
    }

    /// The ledger's text.
    pub(crate) fn text(&self) -> String {
        std::fs::read_to_string(self.ledger().path()).unwrap()
    }

    pub(crate) fn set_text(&self, text: &str) {
        std::fs::write(self.ledger().path(), text).unwrap();
    }

    /// The tree as `gate-run` would bind a check to it.
    pub(crate) fn tree(&self) -> TreeHash {
        let field = dialects::Field::at(&self.path("PLAN.md"), &self.root(), None).unwrap();
        Tree::now(&self.home(), &field.ground).unwrap().unwrap().hash
    }

    /// A record about the first attempt at task 1 in run r1.
    pub(crate) fn entry(&self, kind: Type, key: &str) -> Entry {
        Entry {
            plan: "PLAN.md".into(),
            task: Some("1".into()),
            fingerprint: Some(self.fingerprint.clone()),
            attempt: Some(1),
            run: "r1".into(),
            kind,
            key: key.into(),
            observed_at: "2026-01-31T12:00:00Z".into(),
            tree: None,
            source: SourceKind::Supervisor,
            source_path: None,
            trust: Trust::Observed,
            data: Value::Null,
            source_hash: None,
        }
    }

    pub(crate) fn append(&self, entry: Entry) {
        self.ledger().append(entry).unwrap();
    }

    /// An attempt that began and ended.
    pub(crate) fn attempt(&self, changed: &[&str]) {
        self.append(self.entry(Type::AttemptBegin, "shell"));
        let mut end = self.entry(Type::AttemptEnd, "shell");
        end.tree = Some(self.tree());
        end.data = json!({ "outcome": "done", "changed_files": changed });
        self.append(end);
    }

    /// A check that `gate-run` made on the tree that is there now.
    pub(crate) fn gate(&self, kind: Type, key: &str) {
        let mut entry = self.entry(kind, key);
        (entry.source, entry.tree) = (SourceKind::Gate, Some(self.tree()));
        self.append(entry);
    }

    /// Commits with the trailer that `commit-run` writes.
    pub(crate) fn anchor(&self) {
        let head = self.ledger().head().unwrap().unwrap();
        let trailer = format!("Ledger-Head: {}:{}", head.seq, head.hash);
        self.git(&["commit", "--quiet", "--allow-empty", "--message=work", &format!("--message={trailer}")]);
    }
}

/// A transcript of plain events, one call a line: name and target, or name, target and result.
pub(crate) fn events(bench: &Bench, name: &str, calls: &[(&str, &str, Option<i32>)]) -> PathBuf {
    let lines = calls.iter().enumerate().map(|(number, (tool, target, exit))| {
        let mut event = json!({ "name": tool, "id": format!("c{number}"), "target": target });
        if let Some(exit) = exit {
            event["exit_code"] = json!(exit);
            event["ok"] = json!(*exit == 0);
        }
        format!("{event}\n")
    });
    bench.write(name, &lines.collect::<String>())
}

/// A path as an argument.
pub(crate) fn shown(path: &Path) -> &str {
    path.to_str().unwrap()
}
