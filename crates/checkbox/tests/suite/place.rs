//! A folder with a plan, and the tool in it.

use std::os::unix::process::ExitStatusExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::sync::OnceLock;
use tempfile::TempDir;
use toolkit::ledger::{Entry, Ledger, NO_HASH, hash_of, split_hash};
use toolkit::proof;
use toolkit::root::Home;
use wire::order::Order;
use wire::punch::{SourceKind, Type};

/// The run that every record of these tests belongs to.
pub(crate) const RUN: &str = "r1";

/// A temporary folder without git.
pub(crate) struct Place {
    pub(crate) folder: TempDir,
}

impl Place {
    /// With this text as its `PLAN.md`; in memory where that can be had, since these tests are not about how fast a disk
    /// syncs.
    pub(crate) fn with(plan: impl AsRef<[u8]>) -> Self {
        let memory = Path::new("/dev/shm");
        let in_memory = tempfile::Builder::new().prefix("checkbox-").tempdir_in(memory);
        Self { folder: in_memory.unwrap_or_else(|_| on_disk()) }.filled(plan)
    }

    /// The same on disk, where programs may be run.
    pub(crate) fn on_disk(plan: impl AsRef<[u8]>) -> Self {
        Self { folder: on_disk() }.filled(plan)
    }

    fn filled(self, plan: impl AsRef<[u8]>) -> Self {
        self.write("PLAN.md", plan);
        self
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

    pub(crate) fn bytes(&self, name: &str) -> Vec<u8> {
        std::fs::read(self.path(name)).unwrap_or_else(|e| panic!("{name}: {e}"))
    }

    pub(crate) fn text(&self, name: &str) -> String {
        String::from_utf8(self.bytes(name)).unwrap()
    }

    /// The tool with these arguments, not started.
    pub(crate) fn command(&self, args: &[&str]) -> Command {
        self.other(env!("CARGO_BIN_EXE_checkbox"), args)
    }

    pub(crate) fn other(&self, program: &str, args: &[&str]) -> Command {
        let mut command = Command::new(program);
        command.args(args).current_dir(self.folder.path()).stdin(Stdio::null());
        command.env("PLANTOOLS_NOW", "2026-01-31T12:00:00Z").env("PLANTOOLS_RUN", RUN);
        command
    }

    #[track_caller]
    pub(crate) fn run(&self, args: &[&str]) -> Got {
        Got::of(&self.command(args).output().unwrap())
    }

    /// The tool as a stage, with these orders as a file.
    pub(crate) fn stage(&self, orders: &[Order]) -> Got {
        self.stage_with(orders, &[])
    }

    pub(crate) fn stage_with(&self, orders: &[Order], args: &[&str]) -> Got {
        let lines: String = orders.iter().map(|order| serde_json::to_string(order).unwrap() + "\n").collect();
        self.write("orders", lines);
        self.run(&[args, &["orders"]].concat())
    }

    /// The order of a task of the plan, as `dag-next` would make it.
    pub(crate) fn order(&self, plan: &str, id: &str) -> Order {
        let root = self.folder.path().canonicalize().unwrap();
        let plan = dialects::open(&root.join(plan), &root, None).unwrap();
        let task = plan.tasks.iter().find(|task| task.id.as_str() == id).cloned().unwrap();
        let source = &plan.source;
        let order = serde_json::json!({
            "schema": "order/1", "run": RUN, "task": task, "attempt": 1, "why": { "ready": "no dependencies" },
            "plan": { "path": source.path, "dialect": source.dialect, "root": root, "sha256": source.sha256 },
        });
        serde_json::from_value(order).unwrap()
    }

    /// The order with a pass on record for each of its checks.
    pub(crate) fn proved(&self, plan: &str, id: &str) -> Order {
        let order = self.order(plan, id);
        let checks = order.task.criteria.iter().filter(|c| c.runnable);
        let records =
            checks.map(|c| record(&order, Type::GatePass, &c.id, Some(proof::digest_of(c)))).collect();
        self.ledger().append_all(records).unwrap();
        order
    }

    pub(crate) fn ledger(&self) -> Ledger {
        Ledger::new(Home::of(&self.folder.path().canonicalize().unwrap()).unwrap())
    }

    /// Fails unless the ledger's chain is whole, a torn line and its record apart; gives the number of records.
    #[track_caller]
    pub(crate) fn chain(&self) -> usize {
        let text = std::fs::read_to_string(self.ledger().path()).unwrap_or_default();
        let mut before = NO_HASH.to_owned();
        let lines = text.lines().filter_map(|line| Some((line, split_hash(line)?)));
        let mut count = 0;
        for (line, (body, hash)) in lines.filter(|(line, _)| line.starts_with("{\"schema\"")) {
            assert_eq!(hash_of(body), hash, "{line}");
            assert!(body.contains(&format!("\"prev\":\"{before}\"")), "the chain is broken at {line}");
            hash.clone_into(&mut before);
            count += 1;
        }
        count
    }
}

fn on_disk() -> TempDir {
    tempfile::Builder::new().prefix("checkbox-").tempdir().unwrap()
}

/// A record about an order, seen by `gate-run`.
pub(crate) fn record(order: &Order, kind: Type, key: &str, digest: Option<String>) -> Entry {
    Entry {
        plan: order.plan.path.clone(),
        task: Some(order.task.id.clone()),
        fingerprint: Some(order.task.fingerprint.clone()),
        attempt: Some(1),
        source: SourceKind::Gate,
        source_hash: digest,
        ..Entry::new(order.run.clone(), kind, key, "2026-01-31T12:00:00Z".to_owned())
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
    pub(crate) fn of(output: &Output) -> Self {
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        let code = output.status.code().unwrap_or_else(|| 128 + output.status.signal().unwrap_or(0));
        Self { code, out: text(&output.stdout), err: text(&output.stderr) }
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

/// The helper that trips a program at a system call, built once.
pub(crate) fn trip() -> &'static Path {
    static BUILT: OnceLock<(TempDir, PathBuf)> = OnceLock::new();
    let (_, path) = BUILT.get_or_init(|| {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("trip");
        let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/suite/trip.c");
        let built =
            Command::new("cc").arg("-o").arg(&path).arg(source).output().expect("cc, which links Rust too");
        assert!(built.status.success(), "{}", String::from_utf8_lossy(&built.stderr));
        (folder, path)
    });
    path
}

/// How often the long tests repeat themselves: a few times, or as often as `PLANTOOLS_FULL` says.
pub(crate) fn rounds(few: usize) -> usize {
    std::env::var_os("PLANTOOLS_FULL").and_then(|n| n.to_str()?.parse().ok()).unwrap_or(few)
}
