//! A folder with a plan, a ledger such as our tools write, and the program.

use ledger::{Entry, Ledger};
use repo::tree::Tree;
use serde_json::{Value, json};
use std::path::{Path, PathBuf};
use testbench::{Folder, Got, NOW};
use toolkit::files::root::Home;
use wire::punch::{SourceKind, Trust, Type};
use wire::{Fingerprint, TreeHash};

pub(crate) const PLAN: &str = "# Plan\n\n- [ ] 1. Make it\n  - [ ] it is there: `test -f made`\n";

/// A temporary repository.
pub(crate) struct Bench {
    folder: Folder,
    pub(crate) fingerprint: Fingerprint,
}

impl std::ops::Deref for Bench {
    type Target = Folder;

    fn deref(&self) -> &Folder {
        &self.folder
    }
}

impl Bench {
    /// A repository with a plan and one commit.
    pub(crate) fn new() -> Self {
        let folder = Folder::repository("punch-");
        folder.write("PLAN.md", PLAN).commit_all("start");
        let field = dialects::PlanSnapshot::at(&folder.path("PLAN.md"), folder.root(), None).unwrap();
        let task = field.plan.tasks.iter().find(|task| task.id.as_str() == "1").unwrap();
        Self { fingerprint: task.fingerprint.clone(), folder }
    }

    /// Writes a file and gives its path.
    pub(crate) fn write(&self, name: &str, text: &str) -> PathBuf {
        self.folder.write(name, text).path(name)
    }

    pub(crate) fn punch(&self, args: &[&str]) -> Got {
        self.punch_with(args, "")
    }

    pub(crate) fn punch_with(&self, args: &[&str], input: &str) -> Got {
        let mut command = self.command(env!("CARGO_BIN_EXE_punch"), args);
        command.env("HOME", self.path("home")).env_remove("CLAUDE_CONFIG_DIR").env_remove("PLANTOOLS_RUN");
        command.env("SOME_TOKEN", "a-secret-value-of-the-environment");
        Got::fed(command, input)
    }

    pub(crate) fn home(&self) -> Home {
        Home::of(self.root()).unwrap()
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
        let field = dialects::PlanSnapshot::at(&self.path("PLAN.md"), self.root(), None).unwrap();
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
            observed_at: NOW.into(),
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

    /// A result of `gate-run` on the current tree.
    pub(crate) fn gate(&self, kind: Type, key: &str) {
        let mut entry = self.entry(kind, key);
        (entry.source, entry.tree) = (SourceKind::Gate, Some(self.tree()));
        self.append(entry);
    }

    /// Commits with the trailer that `commit-run` writes.
    pub(crate) fn anchor(&self) {
        let trailer = format!("Ledger-Head: {}", self.ledger().anchor().unwrap().unwrap());
        self.git(&["commit", "--quiet", "--allow-empty", "--message=work", &format!("--message={trailer}")]);
    }
}

/// A transcript of plain events, one call per line: name and target, or name, target and result.
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
