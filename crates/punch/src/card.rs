//! A card: rows of `type:pattern`, required or forbidden.

use crate::evidence::Evidence;
use serde_json::json;
use toolkit::config::CardRule;
use wire::order::{Card, CardRow, CardStatus};

/// Judges evidence by a card.
pub(crate) fn judge(name: &str, rule: &CardRule, evidence: &Evidence) -> Card {
    let row = |text: &String, required: bool| {
        let (kind, pattern) = text.split_once(':').unwrap_or((text.as_str(), "*"));
        let hits =
            evidence.deeds.iter().filter(|d| d.kind == kind && matches(pattern, &d.key)).count() as u64;
        CardRow {
            kind: kind.to_owned(),
            pattern: pattern.to_owned(),
            rule: if required { "required" } else { "forbidden" }.to_owned(),
            hits,
            ok: (hits > 0) == required,
        }
    };
    let rows: Vec<CardRow> = rule
        .required
        .iter()
        .map(|t| row(t, true))
        .chain(rule.forbidden.iter().map(|t| row(t, false)))
        .collect();
    let broken = |rule: &str| -> Vec<String> {
        rows.iter().filter(|r| !r.ok && r.rule == rule).map(|r| format!("{}:{}", r.kind, r.pattern)).collect()
    };
    let (missing, violations) = (broken("required"), broken("forbidden"));
    let status = match () {
        () if evidence.deeds.is_empty() => CardStatus::NoEvidence,
        () if missing.is_empty() && violations.is_empty() => CardStatus::Pass,
        () => CardStatus::Fail,
    };
    let provenance = json!({
        "ledger_records": evidence.recorded, "transcript_calls": evidence.minted, "transcript": evidence.transcript,
    });
    Card { id: Some(name.to_owned()), status, missing, violations, rows, provenance }
}

/// `*` stands for anything.
fn matches(pattern: &str, text: &str) -> bool {
    let mut parts = pattern.split('*');
    let first = parts.next().unwrap_or_default();
    let Some(mut rest) = text.strip_prefix(first) else { return false };
    let parts: Vec<&str> = parts.collect();
    let Some((last, middle)) = parts.split_last() else { return rest.is_empty() };
    for part in middle {
        match rest.find(part) {
            Some(at) => rest = &rest[at + part.len()..],
            None => return false,
        }
    }
    rest.ends_with(last)
}

#[cfg(test)]
mod tests {
    use super::{judge, matches};
    use crate::evidence::{Deed, Evidence};
    use toolkit::config::CardRule;
    use wire::order::CardStatus;

    #[test]
    fn stars_stand_for_anything() {
        assert!(
            matches("*", "") && matches("a*c", "abc") && matches("edit*", "edit_file") && matches("x", "x")
        );
        assert!(!matches("a*c", "ab") && !matches("x", "xy") && !matches("ab*ba", "aba"));
    }

    #[test]
    fn no_evidence_is_never_a_pass() {
        let rule = CardRule { required: vec![], forbidden: vec!["tool_call:edit*".into()] };
        assert_eq!(judge("c", &rule, &Evidence::default()).status, CardStatus::NoEvidence);
        let deeds = vec![Deed { kind: "tool_call".into(), key: "edit_file".into() }];
        let card = judge("c", &rule, &Evidence { deeds, ..Evidence::default() });
        assert_eq!((card.status, card.violations.len()), (CardStatus::Fail, 1));
    }
}
