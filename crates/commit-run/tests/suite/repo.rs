//! A repository with a plan whose tasks are ticked on proof.

use ledger::{Entry, Ledger};
use repo::tree::Tree;
pub(crate) use testbench::Got;
use testbench::{Folder, NOW};
use toolkit::files::root::Home;
use wire::order::Order;
use wire::punch::Type;

pub(crate) struct Repo {
    folder: Folder,
}

impl std::ops::Deref for Repo {
    type Target = Folder;

    fn deref(&self) -> &Folder {
        &self.folder
    }
}

impl Repo {
    /// A repository with one commit, and a plan with these rows of a Commit Strategy and one task for each id.
    pub(crate) fn with(rows: &str, ids: &[&str]) -> Self {
        let repo = Self::unborn(rows, ids);
        repo.git(&["add", "PLAN.md"]);
        repo.git(&["commit", "--quiet", "--message=start"]);
        repo
    }

    /// An empty folder without git.
    pub(crate) fn without_git() -> Self {
        Self { folder: Folder::new("commit-run-") }
    }

    /// The same before its first commit.
    pub(crate) fn unborn(rows: &str, ids: &[&str]) -> Self {
        let repo = Self { folder: Folder::repository("commit-run-") };
        repo.write("PLAN.md", plan(rows, ids));
        repo
    }

    pub(crate) fn hook(&self, name: &str, text: &str) {
        self.program(&format!(".git/hooks/{name}"), &format!("#!/bin/sh\n{text}\n"));
    }

    pub(crate) fn run(&self, args: &[&str]) -> Got {
        Got::of(self.command(env!("CARGO_BIN_EXE_commit-run"), args))
    }

    pub(crate) fn home(&self) -> Home {
        Home::of(self.root()).unwrap()
    }

    pub(crate) fn field(&self) -> dialects::PlanSnapshot {
        dialects::PlanSnapshot::at(&self.path("PLAN.md"), self.root(), None).unwrap()
    }

    /// Ticks a task on the current tree, as `checkbox` would after an attempt that changed these files.
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

    /// Records that an attempt which changed these files ended in a halt with this code.
    pub(crate) fn halted(&self, id: &str, changed: &[&str], code: &str) {
        let mut end = entry(&self.order(id), Type::AttemptEnd);
        end.data = serde_json::json!({ "changed_files": changed });
        let mut halt = entry(&self.order(id), Type::Halt);
        code.clone_into(&mut halt.key);
        Ledger::new(self.home()).append_all(vec![end, halt]).unwrap();
    }

    pub(crate) fn order(&self, id: &str) -> Order {
        serde_json::from_value(testbench::order(&self.field().plan, id)).unwrap()
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
        ..Entry::new(order.run.clone(), kind, order.task.id.to_string(), NOW.to_owned())
    }
}
