//! A round that changes nothing is not repeated.

use ledger::leases;
use std::collections::HashMap;
use wire::order::Halt;
use wire::punch::{Punch, Type};
use wire::{RunId, TaskId};

/// The tasks that this run has handed out twice in vain, each with the last refusal: no worker started for any task of
/// the plan, nothing was ticked and nothing was decided between the two or since.
pub(crate) fn refused_twice(records: &[Punch], plan: &str, run: &RunId) -> HashMap<TaskId, String> {
    let of_plan = records.iter().rev().filter(|record| record.plan == plan);
    let halts = of_plan
        .take_while(|record| !is_progress(record.kind))
        .filter(|record| record.kind == Type::Halt && record.run == *run);
    let mut found: HashMap<TaskId, (u32, String)> = HashMap::new();
    for record in halts {
        let halt: Option<Halt> = record.data.get("halt").and_then(|v| serde_json::from_value(v.clone()).ok());
        let halt = halt.filter(|halt| !leases::is_elsewhere(&halt.code));
        if let (Some(task), Some(halt)) = (&record.task, halt) {
            found.entry(task.clone()).or_insert((0, halt.message)).0 += 1;
        }
    }
    found.retain(|_, (times, _)| *times > 1);
    let said = |message| format!("refused twice, and no worker started: {message}");
    found.into_iter().map(|(task, (_, message))| (task, said(message))).collect()
}

/// Whether a record means that the next round finds something else than the last one did.
fn is_progress(kind: Type) -> bool {
    matches!(
        kind,
        Type::AttemptBegin
            | Type::AttemptEnd
            | Type::Takeover
            | Type::ChildSpawn
            | Type::ChildComplete
            | Type::Restoration
            | Type::Escalation
            | Type::Tick
            | Type::Untick
            | Type::Commit
            | Type::Override
            | Type::Skip
    )
}
