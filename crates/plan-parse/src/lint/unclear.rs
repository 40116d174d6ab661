//! Checks that are not understood: each holds its task's box until it is rewritten or a person takes it on.

use super::{Finding, LintContext};
use wire::plan::Offer;

/// Every unclear check, with the rewrite that would make it clear.
pub(crate) fn checks(ground: &LintContext) -> Vec<Finding> {
    let found = dialects::unclear(ground.plan).into_iter();
    found
        .map(|found| {
            let unclear = found.unclear;
            let offer = Offer {
                criterion: found.criterion.id.clone(),
                rewrite: unclear.rewrite.clone(),
                group: unclear.group.clone(),
                equal: unclear.equal,
                span: unclear.span.clone(),
            };
            let rewrite =
                unclear.rewrite.as_deref().map(|text| format!("; write: {text}")).unwrap_or_default();
            Finding::offered(found.task, format!("{}{rewrite}", unclear.message), offer)
        })
        .collect()
}
