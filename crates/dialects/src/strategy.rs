//! The strategy of a plan, without groups and chains.

use wire::plan::{Model, Strategy};

/// The dialect's default, where the plan states none.
pub(crate) fn unstated(model: Model) -> Strategy {
    Strategy {
        model,
        stated: false,
        reason: "the dialect's default".to_owned(),
        parallel: Vec::new(),
        serial: Vec::new(),
        critical_path: Vec::new(),
    }
}

/// What the plan itself states.
pub(crate) fn stated(model: Model, reason: &str) -> Strategy {
    Strategy { stated: true, reason: reason.to_owned(), ..unstated(model) }
}
