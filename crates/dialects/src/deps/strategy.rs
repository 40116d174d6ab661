//! The strategy of a plan, without groups and chains.

use wire::plan::{Model, Strategy};

/// The dialect's default, for a plan that states no strategy.
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

/// A strategy that the plan states.
pub(crate) fn stated(model: Model, reason: &str) -> Strategy {
    Strategy { stated: true, reason: reason.to_owned(), ..unstated(model) }
}
