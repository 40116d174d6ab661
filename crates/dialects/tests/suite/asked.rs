//! What a criterion asks for, in one line.

use wire::plan::Criterion;

/// `COMMAND → CLAUSES`, `? COMMAND` where it is unclear, `skip`, or `prose`.
pub(crate) fn asked(criterion: &Criterion) -> String {
    let command = criterion.command.as_deref().unwrap_or_default();
    match criterion {
        _ if criterion.skip.is_some() => "skip".to_owned(),
        _ if criterion.unclear.is_some() => format!("? {command}").trim_end().to_owned(),
        _ if criterion.runnable => format!("{command} → {}", criterion.required()),
        _ => "prose".to_owned(),
    }
}

/// The same for all criteria of a list.
pub(crate) fn all(criteria: &[Criterion]) -> Vec<String> {
    criteria.iter().map(asked).collect()
}
