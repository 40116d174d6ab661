//! JSON Schemas of every contract, for `xtask` and the tests; no tool links this.

use schemars::generate::SchemaSettings;
use schemars::{JsonSchema, Schema};

/// Every contract with its name.
pub fn all() -> Vec<(&'static str, Schema)> {
    vec![
        (crate::plan::SCHEMA, of::<crate::Plan>(crate::plan::SCHEMA)),
        (crate::plan::ticks::SCHEMA, of::<crate::plan::ticks::Ticks>(crate::plan::ticks::SCHEMA)),
        (crate::facts::SCHEMA, of::<crate::facts::Facts>(crate::facts::SCHEMA)),
        (crate::order::SCHEMA, of::<crate::Order>(crate::order::SCHEMA)),
        (crate::end::SCHEMA, of::<crate::End>(crate::end::SCHEMA)),
        (crate::event::SCHEMA, of::<crate::event::Event>(crate::event::SCHEMA)),
        (crate::gate::SCHEMA, of::<crate::Gate>(crate::gate::SCHEMA)),
        (crate::punch::SCHEMA, of::<crate::Punch>(crate::punch::SCHEMA)),
        (crate::session::SCHEMA, of::<crate::Session>(crate::session::SCHEMA)),
        (crate::verify::SCHEMA, of::<crate::verify::VerifyDoc>(crate::verify::SCHEMA)),
        (crate::chain::SCHEMA, of::<crate::chain::ChainDoc>(crate::chain::SCHEMA)),
        (crate::chain::RESUME, of::<crate::chain::ResumeDoc>(crate::chain::RESUME)),
        (crate::chain::LINK, of::<crate::chain::LinkDoc>(crate::chain::LINK)),
        (crate::live::SCHEMA, of::<crate::live::LiveDoc>(crate::live::SCHEMA)),
        (crate::result::SCHEMA, of::<crate::result::ResultDoc>(crate::result::SCHEMA)),
        (crate::interchange::SCHEMA, of::<crate::interchange::Interchange>(crate::interchange::SCHEMA)),
        (crate::failure::SCHEMA, of::<crate::Failure>(crate::failure::SCHEMA)),
        (crate::status::SCHEMA, of::<crate::status::StatusDoc>(crate::status::SCHEMA)),
        (crate::rounds::SCHEMA, of::<crate::rounds::RoundsDoc>(crate::rounds::SCHEMA)),
        (crate::reconcile::SCHEMA, of::<crate::reconcile::Reconcile>(crate::reconcile::SCHEMA)),
        (crate::graph::SCHEMA, of::<crate::graph::GraphDoc>(crate::graph::SCHEMA)),
        (crate::tick::SCHEMA, of::<crate::tick::TickDoc>(crate::tick::SCHEMA)),
        (crate::inherit::SCHEMA, of::<crate::inherit::Inherit>(crate::inherit::SCHEMA)),
        (crate::proof::SCHEMA, of::<crate::proof::ProofDoc>(crate::proof::SCHEMA)),
        (crate::restoration::SCHEMA, of::<crate::restoration::RestorationDoc>(crate::restoration::SCHEMA)),
        (crate::card::SCHEMA, of::<crate::card::CardDoc>(crate::card::SCHEMA)),
        (crate::lint::SCHEMA, of::<crate::lint::LintDoc>(crate::lint::SCHEMA)),
        (
            crate::plan::suggestion::SCHEMA,
            of::<crate::plan::suggestion::Suggestion>(crate::plan::suggestion::SCHEMA),
        ),
        (crate::attestation::SCHEMA, of::<crate::attestation::Statement>(crate::attestation::SCHEMA)),
        (crate::attestation::FIT, of::<crate::attestation::FitDoc>(crate::attestation::FIT)),
        (crate::report::SCHEMA, of::<crate::report::Report>(crate::report::SCHEMA)),
    ]
}

/// The schema of one type, with everything inline, so that several can stand in one document.
fn of<T: JsonSchema>(name: &str) -> Schema {
    let settings = SchemaSettings::draft2020_12().for_serialize().with(|s| s.inline_subschemas = true);
    let mut schema = settings.into_generator().into_root_schema_for::<T>();
    schema.insert("title".to_owned(), name.into());
    // A statement of in-toto has our part as its predicate.
    for place in ["/properties/schema", "/properties/predicate/properties/schema"] {
        if let Some(property) = schema.pointer_mut(place).and_then(|p| p.as_object_mut()) {
            property.insert("const".to_owned(), name.into());
        }
    }
    schema
}
