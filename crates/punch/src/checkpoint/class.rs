//! What an unmet card means for the next attempt.
//!
//! | what happened | another attempt |
//! |---|---|
//! | the evidence cannot be read at the moment | unchanged, and this one does not count |
//! | rows are missing or broken | with the list in the prompt |
//! | the record contradicts the worker's claims | never: another reviewer must look |
//! | there is no evidence | not in this run: no action of a worker can change that |

use toolkit::Fail;
use wire::order::{Card, CardStatus, Category, Halt};

/// The result of a card.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Class {
    Met,
    Unmet,
    Contradicted,
    NoEvidence,
}

impl Class {
    pub(crate) fn of(card: &Card, contradicted: &[String]) -> Self {
        match card.status {
            _ if !contradicted.is_empty() => Self::Contradicted,
            CardStatus::Pass | CardStatus::None => Self::Met,
            CardStatus::Fail => Self::Unmet,
            CardStatus::NoEvidence => Self::NoEvidence,
        }
    }

    /// The corresponding halt.
    pub(crate) fn halt(self, card: &Card, contradicted: &[String]) -> Option<Halt> {
        let name = card.id.as_deref().unwrap_or_default();
        let (code, category, retry, message) = match self {
            Self::Met => return None,
            Self::Unmet => (
                "card-not-met",
                Category::CodeError,
                true,
                format!("card '{name}' is not met: {}", rows(card)),
            ),
            Self::Contradicted => {
                let what =
                    contradicted.iter().map(|command| format!("'{command}'")).collect::<Vec<_>>().join(", ");
                let message =
                    format!("the worker claims that {what} passed, and its own record shows that it failed");
                ("claim-contradicted", Category::CodeError, false, message)
            }
            Self::NoEvidence => {
                let message = format!("card '{name}' cannot be judged: {}", reason(card));
                ("no-evidence", Category::EnvError, false, message)
            }
        };
        Some(halt(code, category, retry, true, message))
    }
}

/// The halt for evidence that another process holds at the moment.
pub(crate) fn busy(fail: &Fail) -> Halt {
    halt("evidence-busy", Category::EnvError, true, false, format!("the evidence cannot be read now: {fail}"))
}

/// The halt for a card that differs from the one that judged earlier attempts.
pub(crate) fn changed(name: &str) -> Halt {
    let message =
        format!("card '{name}' changed after it was first asked for, and no one accepted the change");
    halt("card-changed", Category::PlanError, false, true, message)
}

fn halt(code: &str, category: Category, retry: bool, counts: bool, message: String) -> Halt {
    Halt { stage: crate::STAGE.into(), code: code.into(), category, message, retry, counts, not_before: None }
}

fn rows(card: &Card) -> String {
    let missing = card.missing.iter().map(|row| format!("{row} is missing"));
    let violations = card.violations.iter().map(|row| format!("{row} is more than allowed"));
    missing.chain(violations).collect::<Vec<_>>().join(", ")
}

/// Why there is no evidence.
pub(crate) fn reason(card: &Card) -> String {
    let reasons = card.provenance.get("reasons").and_then(|reasons| reasons.as_array());
    let reasons: Vec<&str> = reasons.into_iter().flatten().filter_map(|reason| reason.as_str()).collect();
    if reasons.is_empty() { "nothing was minted".to_owned() } else { reasons.join("; ") }
}
