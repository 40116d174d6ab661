//! A repository with a plan whose tasks are ticked on proof.

use std::os::unix::fs::PermissionsExt;
use std::path::PathBuf;
use std::process::{Command, Output, Stdio};
use tempfile::TempDir;
use toolkit::ledger::{Entry, Ledger};
use toolkit::root::Home;
use toolkit::tree::Tree;
use wire::order::Order;
use wire::punch::Type;

pub(crate) struct Repo {
    pub(crate) folder: TempDir,
}

impl Repo {
    /// A repository with one commit, and a plan with these rows of a Commit Strategy and as many tasks as there are ids.
    pub(crate) fn with(rows: &str, ids: &[&str]) -> Self {
        let repo = Self::unborn(rows, ids);
        repo.git(&["add", "PLAN.md"]);
        repo.git(&["commit", "--quiet", "--message=start"]);
        repo
    }

    /// The same before its first commit.
    pub(crate) fn unborn(rows: &str, ids: &[&str]) -> Self {
        let repo = Self { folder: tempfile::Builder::new().prefix("commit-run-").tempdir().unwrap() };
        repo.git(&["init", "--quiet", "--initial-branch=main"]);
        repo.git(&["config", "user.name", "Test"]);
        repo.git(&["config", "user.email", "test@example.invalid"]);
        repo.write("PLAN.md", plan(rows, ids));
        repo
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    #[expect(clippy::disallowed_methods, reason = "what a test sets up needs no atomic replacement")]
    pub(crate) fn write(&self, name: &str, bytes: impl AsRef<[u8]>) -> &Self {
        let path = self.path(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, bytes).unwrap();
        self
    }

    pub(crate) fn hook(&self, name: &str, text: &str) {
        self.write(&format!(".git/hooks/{name}"), format!("#!/bin/sh\n{text}\n"));
        let mode = std::fs::Permissions::from_mode(0o755);
        std::fs::set_permissions(self.path(&format!(".git/hooks/{name}")), mode).unwrap();
    }

    pub(crate) fn text(&self, name: &str) -> String {
        std::fs::read_to_string(self.path(name)).unwrap_or_else(|e| panic!("{name}: {e}"))
    }

    pub(crate) fn command(&self, program: &str, args: &[&str]) -> Command {
        let mut command = Command::new(program);
        command.args(args).current_dir(self.folder.path()).stdin(Stdio::null());
        command
            .env("GIT_CONFIG_NOSYSTEM", "1")
            .env("GIT_CONFIG_GLOBAL", "/dev/null")
            .env("LC_ALL", "C.UTF-8");
        command.env("PLANTOOLS_NOW", "2026-01-31T12:00:00Z").env("PLANTOOLS_RUN", "r1");
        command
    }

    #[track_caller]
    pub(crate) fn git(&self, args: &[&str]) -> String {
        let output = self.command("git", args).output().unwrap();
        assert!(output.status.success(), "git {args:?}: {}", String::from_utf8_lossy(&output.stderr));
        String::from_utf8_lossy(&output.stdout).into_owned()
    }

    pub(crate) fn run(&self, args: &[&str]) -> Got {
        Got::of(&self.command(env!("CARGO_BIN_EXE_commit-run"), args).output().unwrap())
    }

    pub(crate) fn home(&self) -> Home {
        Home::of(&self.folder.path().canonicalize().unwrap()).unwrap()
    }

    pub(crate) fn field(&self) -> dialects::Field {
        let root = self.folder.path().canonicalize().unwrap();
        dialects::Field::at(&root.join("PLAN.md"), &root, None).unwrap()
    }

    /// Ticks a task on the tree that is there now, as `checkbox` would after an attempt that changed these files.
    pub(crate) fn tick(&self, id: &str, changed: &[&str]) -> Order {
        let order = self.order(id);
        let tree = Tree::now(&self.home(), &self.field().ground).unwrap().unwrap();
        let files: serde_json::Map<String, serde_json::Value> = changed
            .iter()
            .map(|path| ((*path).to_owned(), tree.entries.get(*path).cloned().unwrap_or_default().into()))
            .collect();
        let mut end = entry(&order, Type::AttemptEnd);
        end.data = serde_json::json!({ "changed_files": changed });
        let mut tick = entry(&order, Type::Tick);
        tick.tree = Some(tree.hash);
        tick.data = serde_json::json!({ "files": files });
        Ledger::new(self.home()).append_all(vec![end, tick]).unwrap();
        let plan =
            self.text("PLAN.md").replace(&format!("### [ ] TODO {id}:"), &format!("### [x] TODO {id}:"));
        self.write("PLAN.md", plan);
        order
    }

    /// Puts on record that an attempt which changed these files ended in a halt of this code.
    pub(crate) fn halted(&self, id: &str, changed: &[&str], code: &str) {
        let mut end = entry(&self.order(id), Type::AttemptEnd);
        end.data = serde_json::json!({ "changed_files": changed });
        let mut halt = entry(&self.order(id), Type::Halt);
        code.clone_into(&mut halt.key);
        Ledger::new(self.home()).append_all(vec![end, halt]).unwrap();
    }

    pub(crate) fn order(&self, id: &str) -> Order {
        let field = self.field();
        let task = field.plan.tasks.iter().find(|task| task.id.as_str() == id).cloned().unwrap();
        let source = &field.plan.source;
        let order = serde_json::json!({
            "schema": "order/1", "run": "r1", "task": task, "attempt": 1, "why": { "ready": "no dependencies" },
            "plan": { "path": source.path, "dialect": source.dialect, "root": source.root },
        });
        serde_json::from_value(order).unwrap()
    }

    /// The tool as a stage, with this order.
    pub(crate) fn stage(&self, order: &Order, args: &[&str]) -> Got {
        self.write(".git/order", serde_json::to_string(order).unwrap() + "\n");
        self.run(&[args, &[".git/order"]].concat())
    }

    /// The files of the last commit.
    pub(crate) fn committed(&self) -> Vec<String> {
        let text = self.git(&["show", "--format=", "--name-only", "--no-renames", "HEAD"]);
        text.lines().filter(|l| !l.is_empty()).map(str::to_owned).collect()
    }

    pub(crate) fn subjects(&self) -> Vec<String> {
        self.git(&["log", "--reverse", "--format=%s"]).lines().map(str::to_owned).collect()
    }
}

pub(crate) fn plan(rows: &str, ids: &[&str]) -> String {
    let tasks: Vec<String> = ids
        .iter()
        .map(|id| format!("### [ ] TODO {id}: Task {id}\n\n**Type**: work\n\n**Acceptance Criteria**:\n\n*Functional:*\n- [ ] `test -e .`\n\n"))
        .collect();
    let tasks = tasks.concat();
    format!(
        "# Small\n\n## Commit Strategy\n\n| After TODO | Message | Files | Condition |\n|---|---|---|---|\n{rows}\n\n## TODOs\n\n{tasks}"
    )
}

fn entry(order: &Order, kind: Type) -> Entry {
    Entry {
        plan: order.plan.path.clone(),
        task: Some(order.task.id.clone()),
        fingerprint: Some(order.task.fingerprint.clone()),
        attempt: Some(1),
        ..Entry::new(order.run.clone(), kind, order.task.id.to_string(), "2026-01-31T12:00:00Z".to_owned())
    }
}

/// What came of a command.
#[derive(Debug)]
pub(crate) struct Got {
    pub(crate) code: i32,
    pub(crate) out: String,
    pub(crate) err: String,
}

impl Got {
    fn of(output: &Output) -> Self {
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        Self {
            code: output.status.code().unwrap_or(-1),
            out: text(&output.stdout),
            err: text(&output.stderr),
        }
    }

    #[track_caller]
    pub(crate) fn exits(&self, code: i32) -> &Self {
        assert_eq!(self.code, code, "{self:?}");
        self
    }

    #[track_caller]
    pub(crate) fn says(&self, text: &str) -> &Self {
        assert!(self.err.contains(text) || self.out.contains(text), "no '{text}' in {self:?}");
        self
    }
}
