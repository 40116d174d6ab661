//! `audit.md`: one line for each attempt that went through the pipe, from what was measured and not from what was said.

use wire::Order;
use wire::order::VerdictStatus;

/// The line of an order; none before a worker ran.
pub(crate) fn entry(order: &Order) -> Option<String> {
    let worker = order.worker.as_ref()?;
    let mut parts = vec![match &order.verdict {
        Some(verdict) => {
            let status = match verdict.status {
                VerdictStatus::Verified => "verified",
                VerdictStatus::Failed => "failed",
                VerdictStatus::Fault => "no verdict",
                VerdictStatus::Unproved => "unproved",
            };
            let covered = verdict.coverage;
            format!("{status} ({} ran, {} manual, {} skipped)", covered.ran, covered.manual, covered.skipped)
        }
        None => "not checked".to_owned(),
    }];
    if let Some(verdict) = order.verdict.as_ref().filter(|v| !v.mismatches.is_empty()) {
        parts.push(format!("claimed and not true: {}", verdict.mismatches.join(", ")));
    }
    parts.push(format!("worker '{}': {:?}, {:?}", worker.name, worker.status, worker.outcome).to_lowercase());
    parts.push(match worker.changed_files.len() {
        1 => "1 file changed".to_owned(),
        count => format!("{count} files changed"),
    });
    if let Some(halt) = &order.halt {
        parts.push(format!("halted by {} ({}): {}", halt.stage, halt.code, halt.message));
    }
    Some(format!("run {}, attempt {}: {}", order.run, order.attempt, parts.join("; ")))
}
