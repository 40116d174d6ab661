//! The committed JSON Schemas, as text, for `--json-schema`.
//!
//! `cargo xtask generate` writes them from the types; a test fails if they are stale.

#[cfg(feature = "schema")]
pub mod schema;

macro_rules! schemas {
    ($($name:ident = $file:literal;)*) => {
        $(
            #[doc = concat!("The schema of `", $file, "`.")]
            pub const $name: &str = include_str!(concat!("../schema/", $file, ".json"));
        )*
    };
}

schemas! {
    PLAN = "plan.1";
    TICKS = "ticks.1";
    FACTS = "facts.1";
    ORDER = "order.1";
    END = "end.1";
    EVENT = "event.1";
    GATE = "gate.1";
    PUNCH = "punch.1";
    SESSION = "session.1";
    VERIFY = "verify.1";
    CHAIN = "chain.1";
    RESUME = "resume.1";
    LINK = "link.1";
    LIVE = "live.1";
    RESULT = "result.1";
    INTERCHANGE = "interchange.1";
    FAILURE = "failure.1";
    STATUS = "status.1";
    ROUNDS = "rounds.1";
    GRAPH = "graph.1";
    TICK = "tick.1";
    INHERIT = "inherit.1";
    REPORT = "report.1";
    RECONCILE = "reconcile.1";
    PROOF = "proof.1";
    RESTORATION = "restoration.1";
    CARD = "card.1";
    LINT = "lint.1";
    SUGGESTION = "suggestion.1";
    ATTESTATION = "attestation.1";
    FIT = "fit.1";
}
