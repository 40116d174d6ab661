//! A folder with a plan, and the tool in it.

use ledger::proof;
use ledger::{Entry, Ledger, NO_HASH, hash_of, split_hash};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::OnceLock;
use tempfile::TempDir;
pub(crate) use testbench::Got;
use testbench::{Folder, NOW};
use toolkit::files::root::Home;
use wire::order::Order;
use wire::punch::{SourceKind, Type};

/// A temporary folder without git.
pub(crate) struct Place {
    folder: Folder,
}

impl std::ops::Deref for Place {
    type Target = Folder;

    fn deref(&self) -> &Folder {
        &self.folder
    }
}

impl Place {
    /// With this text as its `PLAN.md`.
    pub(crate) fn with(plan: impl AsRef<[u8]>) -> Self {
        Self { folder: Folder::new("checkbox-") }.filled(plan)
    }

    /// The same on disk.
    pub(crate) fn on_disk(plan: impl AsRef<[u8]>) -> Self {
        Self { folder: Folder::on_disk("checkbox-") }.filled(plan)
    }

    fn filled(self, plan: impl AsRef<[u8]>) -> Self {
        self.write("PLAN.md", plan);
        self
    }

    /// The tool with these arguments, not started.
    pub(crate) fn command(&self, args: &[&str]) -> Command {
        self.folder.command(env!("CARGO_BIN_EXE_checkbox"), args)
    }

    pub(crate) fn other(&self, program: &str, args: &[&str]) -> Command {
        self.folder.command(program, args)
    }

    #[track_caller]
    pub(crate) fn run(&self, args: &[&str]) -> Got {
        Got::of(self.command(args))
    }

    /// The tool with this on its standard input.
    #[track_caller]
    pub(crate) fn fed(&self, args: &[&str], input: &str) -> Got {
        Got::fed(self.command(args), input)
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
        let plan = dialects::open(&self.path(plan), self.root(), None).unwrap();
        serde_json::from_value(testbench::order(&plan, id)).unwrap()
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
        Ledger::new(Home::of(self.root()).unwrap())
    }

    /// Fails unless the ledger's chain is intact, except for a torn line and its record; returns the number of
    /// records.
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

/// A record about an order, seen by `gate-run`.
pub(crate) fn record(order: &Order, kind: Type, key: &str, digest: Option<String>) -> Entry {
    Entry {
        plan: order.plan.path.clone(),
        task: Some(order.task.id.clone()),
        fingerprint: Some(order.task.fingerprint.clone()),
        attempt: Some(1),
        source: SourceKind::Gate,
        source_hash: digest,
        ..Entry::new(order.run.clone(), kind, key, NOW.to_owned())
    }
}

/// The helper that stops a program at a system call, built once.
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

/// How often the long tests repeat: a few times, or as often as `PLANTOOLS_FULL` says.
pub(crate) fn rounds(few: usize) -> usize {
    std::env::var_os("PLANTOOLS_FULL").and_then(|n| n.to_str()?.parse().ok()).unwrap_or(few)
}
