//! The strategy of a plan that states none.

use wire::plan::{Model, Strategy};

/// The dialect's default.
pub(crate) fn unstated(model: Model) -> Option<Strategy> {
    Some(Strategy {
        model,
        stated: false,
        reason: "the dialect's default".to_owned(),
        parallel: Vec::new(),
        serial: Vec::new(),
        critical_path: Vec::new(),
    })
}

/// What the plan itself states.
pub(crate) fn stated(model: Model, reason: &str) -> Option<Strategy> {
    unstated(model).map(|strategy| Strategy { stated: true, reason: reason.to_owned(), ..strategy })
}
