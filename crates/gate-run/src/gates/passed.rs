//! Looks up in the ledger whether gates have a current pass.
//!
//! A pass counts if it is the latest record of its gate in this batch, if `gate-run` observed it, if the tree is
//! still the one that it ran on, and if the configuration still has the same invocation.

use crate::args::Args;
use crate::gates::catalog::{Catalog, same};
use crate::gates::records::Records;
use config::ConfigArgs;
use ledger::Ledger;
use ledger::{proof, verdict};
use toolkit::files::root::{self, Home};
use toolkit::stream::output::Output;
use toolkit::{Exit, Fail};
use wire::proof::{Lack, ProofDoc, SCHEMA};
use wire::punch::{Punch, Type};

/// Answers for every required gate.
pub(crate) fn run(
    args: &Args,
    require: &[String],
    config: &ConfigArgs,
    out: &mut Output,
) -> Result<Exit, Fail> {
    let root = root::find(&args.cwd)?;
    let home = Home::of(&root)?;
    let catalog = Catalog::load(config, &root)?;
    let records = Ledger::new(home.clone()).read()?;
    let tree = Records::new(args, home)?.tree()?;
    let mut missing = Vec::new();
    for id in require.iter().filter(|id| !id.is_empty()) {
        let last = records.iter().rev().find(|record| is_about(record, id, args));
        let reason = match last {
            None => "no record",
            Some(record) if record.kind == Type::GateFail => "failed",
            Some(record) if record.kind == Type::GateFault => "no verdict",
            Some(record) if record.tree != tree => "stale: the tree has changed",
            Some(record) if !is_of(&catalog, id, record) => "stale: the configuration has another invocation",
            Some(_) => continue,
        };
        missing.push(Lack { gate_id: id.clone(), reason: reason.to_owned() });
    }
    let passed = missing.is_empty();
    let document = ProofDoc {
        schema: SCHEMA.to_owned(),
        bead_id: args.bead_id.clone(),
        run_timestamp: args.run_timestamp.clone(),
        passed,
        required: require.to_vec(),
        missing,
        tree,
    };
    out.document(&document, args.show.pretty)?;
    Ok(if passed { Exit::Ok } else { Exit::No })
}

/// Whether a record is our verdict on this gate, in the named batch.
pub(crate) fn is_about(record: &Punch, id: &str, args: &Args) -> bool {
    let said = |name: &str| record.data.pointer(&format!("/gate/{name}")).and_then(|value| value.as_str());
    let batch = |asked: &Option<String>, name| asked.is_none() || asked.as_deref() == said(name);
    verdict::is_verdict(record.kind)
        && verdict::is_observed(record)
        && record.key.strip_prefix("gate:").is_some_and(|gate| same(gate, id))
        && batch(&args.bead_id, "bead_id")
        && batch(&args.run_timestamp, "run_timestamp")
}

fn is_of(catalog: &Catalog, id: &str, record: &Punch) -> bool {
    let gate = catalog.config.gates.iter().find(|gate| same(&gate.id, id));
    gate.is_some_and(|gate| record.source_hash.as_deref() == Some(&proof::digest(&gate.invocation, "")))
}
