//! Reads a criterion: finds its commands, gives each the text that belongs to it, and consumes every byte or calls the
//! criterion unclear.

mod blocks;
mod draft;
pub mod fenced;
pub mod labels;
pub mod located;
mod meanings;
pub mod reading;
mod rewrites;
pub mod rows;
mod skips;
mod texts;

use crate::commands::class::nature;
use crate::commands::{self, Shape};
use crate::grammar::tokens::{Token, TokenKind, tokens};
use crate::grammar::{clauses, titles};
use crate::labels::Label;
use crate::located::{Kind, Located, Part, Role};
use crate::reading::{Check, Reading, Unclear};
use crate::synonyms::Synonyms;
use draft::{Draft, Region};
use markdown::Extent;
use std::borrow::Cow;

/// What a criterion is: a check, several, unclear, or prose.
pub fn read(located: &Located<'_>, table: &Synonyms) -> Reading {
    read_with(located, table, true)
}

/// Whether a text denies, compares, counts or limits something, so that it may be part of a result.
pub fn denies_or_counts(text: &str) -> bool {
    tokens(text).iter().any(|token| titles::reserved(token).is_some())
}

/// Whether a text of one line may hold a check: a look that is cheaper than [`read`], and finds no fewer.
pub fn may_ask(text: &str) -> bool {
    let label = text.trim_start_matches(['*', '[', '(', ' ']);
    // The name of a label holds no code.
    let name = label.split('`').next().unwrap_or_default();
    name.is_empty()
        || memchr::memchr2(b':', WIDE_COLON, name.as_bytes()).is_some()
        || texts::may_hold_command(text)
}

/// The first byte of the wide colon.
const WIDE_COLON: u8 = 0xEF;

/// The same without offers, to find out whether an offer is legal.
fn reread(located: &Located<'_>, table: &Synonyms) -> Reading {
    read_with(located, table, false)
}

fn read_with(located: &Located<'_>, table: &Synonyms, offers: bool) -> Reading {
    let Some(first) = located.parts.first() else { return Reading::Prose };
    if matches!(first.kind, Kind::Cell { .. }) {
        return rows::read(located, table, offers);
    }
    if let Some(reason) = skips::whole(&first.text) {
        return Reading::Skip(reason);
    }
    // Nearly every criterion of the plans without checks ends here.
    let may_be_one = |part: &Part<'_>| match part.kind {
        Kind::Fence { .. } => true,
        _ => texts::may_hold_command(&part.text) || labels::label(&part.text).is_some(),
    };
    if !located.parts.iter().any(may_be_one) {
        return Reading::Prose;
    }
    let mut reader =
        Reader { role: located.role, table, titles: Vec::new(), drafts: Vec::new(), awaits: false, offers };
    for (number, part) in located.parts.iter().enumerate() {
        let done = match &part.kind {
            Kind::Fence { info } => reader.block(part, info),
            _ => reader.text(part, number == 0),
        };
        if let Err(unclear) = done {
            return reader.refused(*unclear);
        }
    }
    reader.finish()
}

/// A field of data that holds a bare command, and the field for its result if there is one.
pub fn read_field(command: &str, expected: Option<&str>, at: Extent, table: &Synonyms) -> Reading {
    let command = command.trim();
    if command.is_empty() {
        return Reading::Prose;
    }
    if let Some(reason) = skips::whole(command) {
        return Reading::Skip(reason);
    }
    let mut draft = Draft::commented(command, at);
    if draft.command.is_empty() {
        return Reading::Prose;
    }
    let expected = expected.map(str::trim).unwrap_or_default();
    if !expected.is_empty() {
        draft.regions.push(Region { tokens: tokens(expected), text: expected.to_owned(), at, kind: None });
    }
    let reader = Reader {
        role: Role::Criterion,
        table,
        titles: Vec::new(),
        drafts: vec![draft],
        awaits: false,
        offers: true,
    };
    reader.finish()
}

/// A fenced block of commands on its own: `info` is its info string.
pub fn read_block(info: &str, text: &str, at: Extent, table: &Synonyms) -> Reading {
    let kind = Kind::Fence { info: Cow::Borrowed(info) };
    read(&Located { role: Role::Criterion, parts: vec![Part { kind, text: Cow::Borrowed(text), at }] }, table)
}

type Step = Result<(), Box<Unclear>>;

struct Reader<'r> {
    role: Role,
    table: &'r Synonyms,
    /// The text before the first command.
    titles: Vec<Token>,
    drafts: Vec<Draft>,
    /// Whether `Expected:` stands alone, so that the next part is the result.
    awaits: bool,
    /// Whether rewrites are offered.
    offers: bool,
}

impl Reader<'_> {
    /// A paragraph, a line or an item.
    fn text(&mut self, part: &Part<'_>, is_first: bool) -> Step {
        let text = part.text.trim();
        let label = labels::label(text);
        if let Some((Label::Note, remark)) = label
            && !is_first
        {
            if !self.states(remark) && !self.is_only_demand(remark) {
                return Ok(());
            }
            self.result(part, text, draft::Below::Text);
            return Ok(());
        }
        if let Some((Label::Expected, rest)) = label
            && !self.drafts.is_empty()
        {
            self.awaits = rest.is_empty();
            if !rest.is_empty() {
                self.result(part, rest, draft::Below::Expected);
            }
            return Ok(());
        }
        if std::mem::take(&mut self.awaits) {
            self.result(part, text, draft::Below::Text);
            return Ok(());
        }
        let all = tokens(text);
        let code = all.first().is_some_and(|first| matches!(first.kind, TokenKind::Code(_)));
        if (text.starts_with("```") || text.starts_with("~~~")) && !code {
            return Err(Box::new(rewrites::fence_in_line(part)));
        }
        // ``Verify: ```sh``: what stands behind a label is no block either.
        let behind = label.map_or(text, |(_, rest)| rest);
        let fenced = behind.starts_with("```") || behind.starts_with("~~~");
        let found = texts::commands(&all, label.is_some_and(|(label, _)| label == Label::Run));
        match found {
            texts::Found::None if fenced => return Err(Box::new(rewrites::fence_in_line(part))),
            // A criterion that is a script and nothing else: to run, or a file to make.
            texts::Found::None if is_first && self.role == Role::Criterion && rows::only_script(&all) => {
                return Err(Box::new(rewrites::doubtful_command(text.trim_matches('`'), part)));
            }
            texts::Found::None => {}
            texts::Found::Several(both) => {
                let said =
                    "the words between several commands may belong to either: write one command a check";
                return Err(Box::new(rewrites::several(text, part.at, both, said)));
            }
            texts::Found::Doubtful(text) => return Err(Box::new(rewrites::doubtful_command(&text, part))),
            texts::Found::Commands(commands) => {
                for (at, command) in commands.into_iter().enumerate() {
                    let mut draft = Draft::commented(&command.text, part.at);
                    draft.title.clone_from(&self.titles);
                    draft.title.extend(command.title);
                    draft.shares_next = command.shares_next;
                    draft.own_text = (at == 0).then(|| text.to_owned());
                    draft.own_end = command.end;
                    draft.region(command.after, text, part);
                    self.drafts.push(draft);
                }
                return Ok(());
            }
        }
        if let Some((Label::Run | Label::Verify, rest)) = label
            && !rest.is_empty()
            && !rest.contains('`')
            && commands::shape(rest) == Shape::Command
        {
            return self.bare(part, rest);
        }
        // The name of a program alone: it starts, or it is the name of a thing.
        if let Some((Label::Run | Label::Verify, rest)) = label
            && commands::programs::PROGRAMS.binary_search(&rest).is_ok()
        {
            return Err(Box::new(rewrites::doubtful_command(rest, part)));
        }
        if self.drafts.is_empty() {
            self.titles.extend(all);
            self.titles.push(Token { kind: TokenKind::Sign(':'), at: Extent::default() });
            return Ok(());
        }
        let kind = if part.kind == Kind::Item { draft::Below::Item } else { draft::Below::Text };
        self.result(part, text, kind);
        Ok(())
    }

    /// Whether a remark demands a result of a command that has none stated.
    fn is_only_demand(&self, remark: &str) -> bool {
        labels::demands_result(remark) && self.drafts.last().is_some_and(|draft| !draft.has_stated())
    }

    /// Whether a remark is nothing but the result of the last command: `Note: must fail`.
    fn states(&self, remark: &str) -> bool {
        let Some(draft) = self.drafts.last() else { return false };
        clauses::parse(&tokens(remark), &nature(&draft.command), self.table)
            .is_some_and(|found| !found.is_empty())
    }

    /// A command without backquotes behind a label.
    fn bare(&mut self, part: &Part<'_>, rest: &str) -> Step {
        let arrow = [" → ", " ⇒ ", " -> ", " => "].iter().any(|arrow| rest.contains(arrow));
        if let Some(command) = commands::bare(rest).filter(|command| command == rest && !arrow) {
            let mut draft = Draft::commented(&command, part.at);
            draft.title.clone_from(&self.titles);
            self.drafts.push(draft);
            return Ok(());
        }
        Err(Box::new(rewrites::bare(part, rest)))
    }

    /// A text that states the result of the last command.
    fn result(&mut self, part: &Part<'_>, text: &str, kind: draft::Below) {
        let Some(draft) = self.drafts.last_mut() else { return };
        draft.regions.push(Region {
            tokens: tokens(text),
            text: text.to_owned(),
            at: part.at,
            kind: Some(kind),
        });
    }

    /// A fenced block.
    fn block(&mut self, part: &Part<'_>, info: &str) -> Step {
        let awaits = std::mem::take(&mut self.awaits);
        // What stands behind the language is text of the criterion.
        if let Some((_, more)) = info.trim().split_once(|c: char| c.is_whitespace() || matches!(c, ',' | '{'))
        {
            self.titles.extend(tokens(more));
            self.titles.push(Token { kind: TokenKind::Sign(':'), at: Extent::default() });
        }
        match blocks::kind(info, &part.text, awaits, !self.drafts.is_empty()) {
            blocks::Block::Console => {
                for (command, clauses) in blocks::console(part)? {
                    let mut draft = Draft::new(command, part.at);
                    draft.title.clone_from(&self.titles);
                    draft.clauses = clauses;
                    self.drafts.push(draft);
                }
                Ok(())
            }
            blocks::Block::Commands => {
                for mut draft in blocks::commands(part)? {
                    let own = std::mem::replace(&mut draft.title, self.titles.clone());
                    draft.title.extend(own);
                    self.drafts.push(draft);
                }
                Ok(())
            }
            blocks::Block::Output => match self.drafts.last_mut() {
                Some(draft) => draft.printed(part),
                None => Ok(()),
            },
            blocks::Block::Other if self.drafts.is_empty() => Ok(()),
            blocks::Block::Other => Err(Box::new(Unclear {
                code: "unclear-below",
                message: "a block below the check is neither a command nor an output".to_owned(),
                group: "a block below a check".to_owned(),
                offers: vec![rewrites::manual("a block")],
                at: part.at,
                ..Unclear::default()
            })),
        }
    }

    fn finish(mut self) -> Reading {
        if self.drafts.is_empty() {
            return Reading::Prose;
        }
        if let Some(last) = self.drafts.last_mut().filter(|_| self.awaits) {
            last.dangles = true;
        }
        let asked = |draft: &Draft| draft.is_asked(self.table);
        // The title of several commands stands before the first, what they must give behind the last.
        let together = || {
            self.drafts.first().is_some_and(Draft::has_asking_title)
                && self.drafts.iter().any(Draft::has_stated)
        };
        if self.role == Role::Step && !self.drafts.iter().any(asked) && !together() {
            return Reading::Prose;
        }
        if let Err(unclear) = self.share() {
            return self.refused(*unclear);
        }
        let mut checks: Vec<Check> = Vec::with_capacity(self.drafts.len());
        // Of several commands none is the one that fails before the change.
        let role = if self.drafts.len() > 1 { Role::Criterion } else { self.role };
        for draft in &self.drafts {
            match draft.check(role, self.table) {
                Ok(check) => checks.push(check),
                Err(unclear) => return self.refused(*unclear),
            }
        }
        if checks.len() > 1 {
            return Reading::Checks(checks);
        }
        checks.pop().map_or(Reading::Prose, Reading::Check)
    }

    /// `a` and `b` pass: the words behind the last command belong to each where they say so.
    fn share(&mut self) -> Step {
        for at in (0..self.drafts.len().saturating_sub(1)).rev() {
            let (before, after) = self.drafts.split_at_mut(at + 1);
            let (Some(own), Some(next)) = (before.last_mut(), after.first()) else { continue };
            if own.shares_next && next.has_stated() {
                if !next.is_shared() {
                    return Err(Box::new(draft::shared(own, next)));
                }
                own.regions.clone_from(&next.regions);
            }
        }
        Ok(())
    }

    fn refused(&self, mut unclear: Unclear) -> Reading {
        // A step whose result is stated is a check, whatever its name says.
        let stated = self.drafts.iter().any(Draft::has_stated);
        if self.role == Role::Step
            && !stated
            && unclear.code != "unclear-clause"
            && unclear.code != "unclear-below"
        {
            return Reading::Prose;
        }
        if let [only] = self.drafts.as_slice()
            && unclear.command.is_none()
        {
            unclear.command = Some(only.command.clone());
        }
        if self.offers {
            rewrites::offer(&mut unclear, self.role, self.table);
        }
        Reading::Unclear(unclear)
    }
}

#[cfg(test)]
mod tests;
