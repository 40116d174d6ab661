//! What goes through pipes and into the ledger. Laws: no panic; what a stage does not own passes byte for byte; a document
//! that was read and written is read as the same.

use crate::folder;
use ledger::chain::Chain;
use serde::{Serialize, de::DeserializeOwned};
use std::fmt::Debug;
use std::sync::LazyLock;
use toolkit::stream::input::check_schema;
use wire::order::{FIELDS, SCHEMA};
use wire::{End, Failure, Gate, Order, OrderLine, Plan, Punch, Session};

/// A plan whose tasks the records of a ledger may be about.
static PLAN: LazyLock<Plan> = LazyLock::new(|| {
    let bytes = b"# P\n\n## TODOs\n\n### [ ] TODO 1: a\n\n### [ ] TODO 2: b\n";
    dialects::read(&markdown::Text { path: "PLAN.md", bytes }, None).expect("a plan")
});

/// A line of a stream.
pub(crate) fn order(bytes: &[u8]) {
    let _ = check_schema(bytes, &[SCHEMA, wire::end::SCHEMA]);
    let Ok(text) = str::from_utf8(bytes) else { return };
    same::<End>(bytes);
    let Ok(mut line) = OrderLine::parse(text) else { return };
    let _ = line.order();
    let Ok(all) = serde_json::from_str::<serde_json::Value>(line.text()) else { return };
    let names: Vec<String> = all.as_object().into_iter().flatten().map(|(name, _)| name.clone()).collect();
    let before: Vec<_> = names.iter().map(|name| line.raw(name).map(str::to_owned)).collect();
    line.set("verdict", &1).expect("a field can be set");
    for (name, raw) in names.iter().zip(before) {
        if !FIELDS.contains(&name.as_str()) && name != "halt" {
            assert_eq!(line.raw(name).map(str::to_owned), raw, "the foreign field '{name}' is another");
        }
    }
    assert_eq!(line.raw("verdict"), Some("1"));
}

/// A `plan/1` document, as `dag-next` takes it.
pub(crate) fn plan(bytes: &[u8]) {
    same::<Plan>(bytes);
    dag_next::outside::plan(bytes);
}

/// Every other document that some tool reads.
pub(crate) fn document(bytes: &[u8]) {
    same::<Order>(bytes);
    same::<Punch>(bytes);
    same::<Gate>(bytes);
    same::<Failure>(bytes);
    same::<Session>(bytes);
}

/// A ledger: walked, followed, reported.
pub(crate) fn ledger(bytes: &[u8]) {
    let mut chain = Chain::default();
    for line in bytes.split_inclusive(|byte| *byte == b'\n') {
        chain.take(line, &mut |_| {});
    }
    chain.end(&mut |_| {});
    folder::with(|root| {
        let path = root.join("ledger.ndjson");
        std::fs::write(&path, bytes).expect("a file in memory");
        run_report::outside::ledger(&path, &PLAN);
        punch::outside::ledger(&path);
    });
}

fn same<T: Serialize + DeserializeOwned + Debug>(bytes: &[u8]) {
    let Ok(read) = serde_json::from_slice::<T>(bytes) else { return };
    let text = serde_json::to_string(&read).expect("what was read can be written");
    let again: T = serde_json::from_str(&text)
        .unwrap_or_else(|error| panic!("what was written cannot be read: {error}: {text}"));
    assert_eq!(format!("{read:?}"), format!("{again:?}"), "written and read it is another");
}
