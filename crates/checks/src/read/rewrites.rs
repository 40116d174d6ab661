//! Why a criterion is unclear, and the legal forms that are offered for it, in the order in which they are tried.
//!
//! Every offer that stands in place of the command is read again before it is made; an offer that is not read as a check is dropped. The
//! last offer leaves the criterion to a person, which is always legal.

use super::draft::{Below, Draft, Region};
use super::meanings::{self, Meaning};
use crate::commands::class::{Classes, Nature};
use crate::commands::shell;
use crate::grammar::clauses;
use crate::grammar::titles;
use crate::grammar::tokens::Token;
use crate::labels::{self, Label};
use crate::located::{Located, Part, Role};
use crate::reading::{Offer, Reading, Unclear};
use crate::synonyms::{self, Synonyms};
use wire::plan::Clause;
use wire::plan::clause::{self, Op};

/// A text behind or below the command that is not understood.
pub(super) fn of_region(draft: &Draft, region: &Region, nature: &Nature, table: &Synonyms) -> Unclear {
    let is_note = matches!(region.kind, Some(Below::Text | Below::Item)) && !is_stated(&region.tokens);
    let mut meant = Vec::new();
    if !is_note {
        meant = meanings::of(&region.tokens, &draft.command, nature, table);
    }
    meant.push(Meaning::Person(region.text.clone()));
    let (key, _) = synonyms::key_of(clauses::trimmed(&region.tokens));
    let said = shortened(&region.text);
    let code = match region.kind {
        Some(Below::Comment) => "unclear-below",
        _ if is_note => "unclear-below",
        _ => "unclear-clause",
    };
    Unclear {
        command: Some(draft.command.clone()),
        code,
        message: format!("'{said}' is no clause of plantools-checks(7)"),
        group: format!("'{}'", shortened(&key)),
        offers: meant.iter().flat_map(|meaning| placed(draft, meaning, region.kind)).collect(),
        at: region.at,
        ..Unclear::default()
    }
}

/// A title that may mean something.
pub(super) fn of_title(
    draft: &Draft,
    word: Option<&str>,
    nature: &Nature,
    stated: &[Clause],
    table: &Synonyms,
) -> Unclear {
    let (message, group) = match word {
        Some(word) => (
            format!(
                "the title has '{word}', which may be part of the result: state it as a clause behind the command"
            ),
            "a number, a comparison or a negation in a title",
        ),
        None => (
            "the title may ask for more than exit 0: state the result as a clause behind the command"
                .to_owned(),
            "a title without a clause",
        ),
    };
    // Whether an unknown word affirms or denies only a person can say.
    let guessed = !(word.is_none() && nature.classes.has(Classes::QUIET));
    let mut meant = Vec::new();
    if stated.is_empty() && guessed {
        meant = meanings::of_title(&draft.title, &draft.command, nature, table);
    }
    let mut offers: Vec<Offer> = meant.iter().flat_map(|meaning| placed(draft, meaning, None)).collect();
    let title = draft.own_text.as_deref().and_then(|text| text.split('`').next()).unwrap_or("the title");
    offers.extend(placed(draft, &Meaning::Person(title.to_owned()), None));
    Unclear {
        command: Some(draft.command.clone()),
        code: "unclear-title",
        message,
        group: group.to_owned(),
        offers,
        at: draft.at,
        ..Unclear::default()
    }
}

/// Title and clauses, or two clauses, that cannot hold together.
pub(super) fn contradiction(draft: &Draft, stated: &[Clause]) -> Unclear {
    let said = clause::text(stated);
    Unclear {
        command: Some(draft.command.clone()),
        code: "unclear-clause",
        message: format!("these cannot hold together: {said}"),
        group: "clauses that cannot hold together".to_owned(),
        offers: placed(draft, &Meaning::Person(said), None),
        at: draft.at,
        ..Unclear::default()
    }
}

/// An arrow, or `Expected:`, with nothing behind it.
pub(super) fn nothing_stated(draft: &Draft) -> Unclear {
    Unclear {
        command: Some(draft.command.clone()),
        code: "unclear-clause",
        message: "nothing stands behind the arrow or `Expected:`: state the result".to_owned(),
        group: "an arrow without a result".to_owned(),
        offers: placed(draft, &Meaning::Person("no result is stated".to_owned()), None),
        at: draft.at,
        ..Unclear::default()
    }
}

/// A command whose success says nothing; `stated` is what is said of it.
pub(super) fn says_nothing(
    draft: &Draft,
    code: &'static str,
    why: &str,
    nature: &Nature,
    stated: &[Clause],
) -> Unclear {
    let mut meant = Vec::new();
    match code {
        "always-succeeds" | "several-commands" => {
            let said = if stated.is_empty() { String::new() } else { clause::text(stated) };
            let weak = |clause: &Clause| matches!(clause, Clause::Exit { code: 0 } | Clause::TestsPass);
            let command = shell::unmasked(&draft.command).filter(|_| stated.iter().all(weak));
            meant.extend(command.map(|command| Meaning::Command(command, said)));
        }
        _ if nature.classes.has(Classes::COUNT) => {
            meant.push(Meaning::clause(&Clause::Number { op: Op::Ge, value: "1".to_owned() }));
        }
        // Whether the list should have entries only a person can say.
        _ if nature.classes.has(Classes::LIST) => {}
        _ if nature.classes.has(Classes::RUNNER)
            && !why.contains("does not end")
            && !why.contains("only lists") =>
        {
            meant.push(Meaning::clause(&Clause::TestsPass));
        }
        // What is installed or done is done where it succeeds; what is only printed is for a person to look at.
        _ => match shell::failing(&draft.command) {
            Some(command) => meant.push(Meaning::Command(command, String::new())),
            None if !why.contains("print")
                && !why.contains("does not end")
                && !why.contains("list")
                && !why.contains("any case")
                && !why.contains("finds nothing") =>
            {
                meant.push(Meaning::clause(&Clause::Exit { code: 0 }));
            }
            None => {}
        },
    }
    meant.push(Meaning::Person("its success says nothing".to_owned()));
    Unclear {
        command: Some(draft.command.clone()),
        code,
        message: format!("its success says nothing, since {why}: state what it must print"),
        group: why.to_owned(),
        offers: meant.iter().flat_map(|meaning| placed(draft, meaning, None)).collect(),
        at: draft.at,
        ..Unclear::default()
    }
}

/// A command without backquotes.
pub(super) fn bare(part: &Part<'_>, rest: &str) -> Unclear {
    let cut = [" → ", " -> ", " => ", " — "].iter().filter_map(|arrow| rest.find(arrow)).min();
    let (command, said) = rest.split_at_checked(cut.unwrap_or(rest.len())).unwrap_or((rest, ""));
    let head = label_of(&part.text);
    let mut offers = Vec::new();
    if cut.is_some() {
        // The arrow tells where the command ends.
        let text = format!("{head}{}{said}", clause::literal(command.trim()));
        offers.push(Offer { text, meant: "quote it".to_owned(), equal: true, whole: true });
    }
    offers.push(manual(&part.text));
    Unclear {
        code: "bare-command",
        message: "the command has no backquotes, so that its end cannot be told".to_owned(),
        group: "a command without backquotes".to_owned(),
        offers,
        at: part.at,
        ..Unclear::default()
    }
}

/// An arrow behind something that is no command by its looks.
pub(super) fn doubtful_command(text: &str, part: &Part<'_>) -> Unclear {
    let mut offers = Vec::new();
    // A prompt is no part of the command.
    if let Some(command) = ["$ ", "% ", "> "].iter().find_map(|prompt| text.strip_prefix(prompt)) {
        let text = part.text.replacen(text, command, 1);
        offers.push(Offer { text, meant: "leave out the prompt".to_owned(), equal: true, whole: true });
    }
    offers.push(manual(&part.text));
    let arrow = ["→", "⇒", "->", "=>"].iter().any(|arrow| part.text.contains(arrow));
    let (message, group) = if arrow {
        (
            format!("an arrow stands behind `{text}`, which does not look like a command"),
            "an arrow behind something that is no command",
        )
    } else {
        (format!("`{text}` is a command to run, or a thing to look at"), "a text that may be a command")
    };
    Unclear {
        code: "unclear-command",
        message,
        group: group.to_owned(),
        offers,
        at: part.at,
        ..Unclear::default()
    }
}

/// A fence in the line of a box, which Markdown takes for text.
pub(super) fn fence_in_line(part: &Part<'_>) -> Unclear {
    Unclear {
        code: "unclear-block",
        message: "a block begins in the line of a box, which makes it text: begin it on a line of its own"
            .to_owned(),
        group: "a block in the line of a box".to_owned(),
        offers: vec![manual(&part.text)],
        at: part.at,
        ..Unclear::default()
    }
}

/// Several commands whose words cannot be told apart; `both` is one command that runs them all.
pub(super) fn several(text: &str, at: markdown::Extent, both: Option<String>, message: &str) -> Unclear {
    let mut offers = Vec::new();
    if let Some(both) = both {
        let text = format!("{}{}", label_of(text), clause::literal(&both));
        offers.push(Offer { text, meant: format!("take as: {both}"), equal: false, whole: true });
    }
    offers.push(manual(text));
    Unclear {
        code: "several-commands",
        message: message.to_owned(),
        group: "several commands in one check".to_owned(),
        offers,
        at,
        ..Unclear::default()
    }
}

/// Leaves a text to a person.
pub(super) fn manual(text: &str) -> Offer {
    let label = label_of(text);
    let rest = text.trim().get(label.len()..).unwrap_or_default();
    Offer {
        text: format!("{label}(manual: {})", plain(rest)),
        meant: PERSON.to_owned(),
        equal: false,
        whole: false,
    }
}

/// What the offer that leaves a criterion to a person is called.
pub(super) const PERSON: &str = "leave it to a person";

/// Makes the first offer that is legal.
pub(super) fn offer(unclear: &mut Unclear, role: Role, table: &Synonyms) {
    let offers = std::mem::take(&mut unclear.offers);
    let at = unclear.at;
    let is_legal = |offer: &Offer| {
        let located = Located { role, ..Located::text(&offer.text, at) };
        !offer.whole
            || matches!(
                super::reread(&located, table),
                Reading::Check(_) | Reading::Checks(_) | Reading::Skip(_)
            )
    };
    let Some(offer) = offers.into_iter().find(is_legal) else { return };
    unclear.group = format!("{}: {}", unclear.group, offer.meant);
    unclear.equal = offer.equal;
    unclear.rewrite = Some(offer.text);
}

/// The offers that put a meaning in the place of what is not understood.
fn placed(draft: &Draft, meaning: &Meaning, kind: Option<Below>) -> Vec<Offer> {
    let whole = |text: Option<String>, meant: String, equal: bool| {
        text.map(|text| Offer { text, meant, equal, whole: true })
    };
    let below = |text: String, meant: String, equal: bool| {
        let text = match kind {
            Some(Below::Cell) => text.replace('|', "\\|"),
            _ => format!("Expected: {text}"),
        };
        vec![Offer { text, meant, equal, whole: false }]
    };
    let inside = matches!(kind, None | Some(Below::Comment));
    match meaning {
        Meaning::Clauses { text, equal } => {
            let meant = format!("take as: {text}");
            if !inside {
                return below(text.clone(), meant, *equal);
            }
            let with_title = draft.own(true).map(|own| format!("{own} → {text}"));
            let alone = draft.own(false).map(|own| format!("{own} → {text}"));
            let offers = [with_title, alone].into_iter();
            offers.filter_map(|offer| whole(offer, meant.clone(), *equal)).collect()
        }
        Meaning::Command(command, said) => {
            let result = if said.is_empty() { String::new() } else { format!(" → {said}") };
            let meant = format!("take as: {command}{result}");
            let text = draft.own_text.as_deref().filter(|_| inside).map(label_of);
            let text = text.map(|label| format!("{label}{}{result}", clause::literal(command)));
            whole(text, meant, false).into_iter().collect()
        }
        Meaning::Person(words) => {
            let text = format!("skip a person judges: {}", plain(words));
            if !inside {
                return below(text, PERSON.to_owned(), false);
            }
            // A comment within the command would still state something.
            match draft.own(kind.is_none()) {
                Some(own) => {
                    whole(Some(format!("{own} → {text}")), PERSON.to_owned(), false).into_iter().collect()
                }
                None => vec![manual(&draft.command)],
            }
        }
    }
}

impl Draft {
    /// The criterion's own text up to the end of its command, with its title or only with its label.
    fn own(&self, with_title: bool) -> Option<String> {
        let text = self.own_text.as_deref()?;
        if with_title {
            return text.get(..self.own_end).map(str::to_owned);
        }
        Some(format!("{}{}", label_of(text), clause::literal(&self.command)))
    }
}

/// The label at the beginning of a text, with what separates it from the rest.
fn label_of(text: &str) -> &str {
    let text = text.trim();
    match labels::label(text) {
        Some((Label::Verify | Label::Run, rest)) => text.get(..text.len() - rest.len()).unwrap_or_default(),
        _ => "",
    }
}

/// Words without code and arrows, for a reason.
fn plain(words: &str) -> String {
    let bare = words.replace(['`', '→', '⇒', '\n', '|', '(', ')'], " ").replace("->", " ").replace("=>", " ");
    let bare = bare.split_whitespace().collect::<Vec<_>>().join(" ");
    let bare = bare.trim_matches([':', '-', '—', ' ', '.', ',']);
    if bare.contains(char::is_alphanumeric) { bare.to_owned() } else { "the result".to_owned() }
}

/// Whether a text below a command speaks of a result rather than of what the check is for.
fn is_stated(said: &[Token]) -> bool {
    said.iter().any(|token| {
        titles::reserved(token).is_some()
            || token.literal().is_some()
            || token.kind == crate::grammar::tokens::TokenKind::Arrow
    })
}

fn shortened(text: &str) -> String {
    let mut short: String = text.trim().chars().take(60).collect();
    if short.len() < text.trim().len() {
        short.push('…');
    }
    short
}
