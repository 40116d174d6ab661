//! A command with all text that belongs to it, on its way to a check.

use super::{blocks, rewrites, skips};
use crate::commands::class::{Classes, Nature, nature};
use crate::grammar::clauses;
use crate::grammar::titles::{self, Title};
use crate::grammar::tokens::{Token, TokenKind};
use crate::located::{Part, Role};
use crate::reading::{Check, Unclear};
use crate::synonyms::Synonyms;
use markdown::Extent;
use wire::plan::Clause;

/// A command and its text.
#[derive(Debug, Clone, Default)]
pub(super) struct Draft {
    pub(super) command: String,
    pub(super) title: Vec<Token>,
    /// The texts that state results.
    pub(super) regions: Vec<Region>,
    /// Clauses that a block states.
    pub(super) clauses: Vec<Clause>,
    pub(super) at: Extent,
    /// The text of the part with the command, where this is the first command of it.
    pub(super) own_text: Option<String>,
    /// Where the command ends in it.
    pub(super) own_end: usize,
    /// Whether the words behind the next command may hold for this one.
    pub(super) shares_next: bool,
    /// Whether an arrow stands behind the command, and nothing behind the arrow.
    pub(super) dangles: bool,
}

/// A text that states results.
#[derive(Debug, Clone, Default)]
pub(super) struct Region {
    pub(super) tokens: Vec<Token>,
    pub(super) text: String,
    pub(super) at: Extent,
    /// What it is, where it stands below the command.
    pub(super) kind: Option<Below>,
}

/// A text below a command.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Below {
    /// Behind `Expected:`.
    Expected,
    Text,
    Item,
    Cell,
    Comment,
}

impl Draft {
    pub(super) fn new(command: String, at: Extent) -> Self {
        Self { command, at, ..Self::default() }
    }

    /// One command with the comment behind it, which states a result as one in a block does.
    pub(super) fn commented(text: &str, at: Extent) -> Self {
        let (command, comment) = blocks::comment_of(text);
        let mut draft = Self::new(command.trim().to_owned(), at);
        draft.regions.extend(comment.map(|comment| blocks::comment_region(comment, at)));
        draft
    }

    /// Adds the words behind the command in its own text.
    pub(super) fn region(&mut self, tokens: Vec<Token>, text: &str, part: &Part<'_>) {
        // A sign of joy behind the command is decoration.
        let joy = |token: &Token| matches!(token.kind, TokenKind::Sign(sign) if clauses::is_joy(sign));
        let is_empty = clauses::trimmed(&tokens).is_empty() || tokens.iter().all(joy);
        self.dangles = is_empty && tokens.iter().any(|token| token.kind == TokenKind::Arrow);
        if !is_empty {
            let start = tokens.first().map_or(0, |token| token.at.start);
            let said = text.get(start..).unwrap_or(text).to_owned();
            self.regions.push(Region { tokens, text: said, at: part.at, kind: None });
        }
    }

    /// Adds a block that shows the output.
    pub(super) fn printed(&mut self, part: &Part<'_>) -> Result<(), Box<Unclear>> {
        let nature = nature(&self.command);
        let judged_by_report = [Classes::RUNNER, Classes::LINTER, Classes::BUILDER, Classes::QUIET]
            .iter()
            .any(|class| nature.classes.has(*class));
        let text = part.text.trim_matches('\n').trim_end();
        if judged_by_report || text.trim().is_empty() || !self.clauses.is_empty() {
            return Err(Box::new(Unclear {
                command: Some(self.command.clone()),
                code: "unclear-below",
                message: "the block below the check is not the whole output of such a command".to_owned(),
                group: "a sample of the output below a check".to_owned(),
                offers: vec![rewrites::manual("a sample of the output")],
                at: part.at,
                ..Unclear::default()
            }));
        }
        let lines = || text.lines().map(|line| line.trim_end().to_owned());
        let has_gap = lines().any(|line| line.trim() == "..." || line.trim() == "…" || line.contains("[..]"));
        self.clauses.push(if has_gap {
            Clause::Console {
                lines: lines().map(|line| if line.trim() == "…" { "...".to_owned() } else { line }).collect(),
            }
        } else {
            Clause::Exactly { text: text.trim().to_owned() }
        });
        Ok(())
    }

    /// Whether anything is said about the result.
    pub(super) fn has_stated(&self) -> bool {
        !self.regions.is_empty() || !self.clauses.is_empty()
    }

    /// Whether what is said holds for several commands: a verb in the plural, or `all`, `both`.
    pub(super) fn is_shared(&self) -> bool {
        let [region] = self.regions.as_slice() else { return false };
        let words: Vec<&str> = clauses::trimmed(&region.tokens).iter().filter_map(Token::word).collect();
        let plural = |word: &&str| {
            matches!(
                *word,
                "pass" | "succeed" | "all" | "both" | "green" | "clean" | "통과" | "通过" | "成功"
            )
        };
        words.iter().any(plural) && region.tokens.iter().all(|token| token.literal().is_none())
    }

    /// Whether the title asks to run or to verify something.
    pub(super) fn has_asking_title(&self) -> bool {
        self.title.iter().any(|token| verifies(token) || runs(token))
    }

    /// Whether a step asks for the check: a result is stated, or the title asks to verify.
    pub(super) fn is_asked(&self, table: &Synonyms) -> bool {
        let nature = nature(&self.command);
        let stated = self.has_stated()
            && (self.has_asking_title() || self.regions.iter().any(|region| region.kind.is_some()))
            || self.regions.iter().any(|region| stated(region, &nature, table).is_some());
        let pure = nature.vacuous.is_none() && nature.masked.is_none();
        // A command with an arrow behind it is never prose.
        let arrow = |region: &Region| {
            region.kind.is_none() && region.tokens.first().is_some_and(|first| first.kind == TokenKind::Arrow)
        };
        let stated = stated || self.dangles || self.regions.iter().any(arrow);
        // To run what neither tests nor looks is work: ``Run `npm run codegen` ``.
        let judges = [Classes::RUNNER, Classes::LINTER, Classes::BUILDER, Classes::CHECKER, Classes::QUIET]
            .iter()
            .any(|class| nature.classes.has(*class));
        // An id or a label before it says nothing: ``AC7: Run `make test` ``.
        let mut pieces = self.title.split(|token| token.is(':')).map(titles::without_id);
        let first = pieces.find_map(<[Token]>::first);
        // The label of a check, as some formats have it: ``Run: `x` ``.
        let is_label = matches!(self.title.as_slice(), [word, colon] if runs(word) && colon.is(':'));
        let asked = first.is_some_and(verifies) || (judges || is_label) && first.is_some_and(runs);
        stated || !self.clauses.is_empty() || pure && asked
    }

    /// The check, if all of its text is understood.
    pub(super) fn check(&self, role: Role, table: &Synonyms) -> Result<Check, Box<Unclear>> {
        let is_step = role == Role::Step;
        let is_red = self.regions.first().map_or_else(|| speaks_of_failure(&self.title), begins_with_failure);
        if is_step && is_red {
            let said =
                self.regions.first().map_or("the step is to see it fail", |region| region.text.as_str());
            return Ok(self.left_out(before_the_change(said)));
        }
        let skip = |region: &Region| {
            let may_skip = matches!(region.kind, None | Some(Below::Expected | Below::Cell));
            may_skip.then(|| skips::behind(text_behind(region))).flatten()
        };
        if let Some(reason) = self.regions.first().and_then(skip) {
            return Ok(self.left_out(reason));
        }
        let nature = nature(&self.command);
        let mut clauses = self.clauses.clone();
        for region in &self.regions {
            if let Some(reason) = skip(region) {
                return Ok(self.left_out(reason));
            }
            match stated(region, &nature, table) {
                Some(own) => clauses.extend(own),
                None => return Err(Box::new(rewrites::of_region(self, region, &nature, table))),
            }
        }
        if self.dangles && !self.has_stated() {
            return Err(Box::new(rewrites::nothing_stated(self)));
        }
        match titles::read(&self.title, !clauses.is_empty(), &nature, table) {
            Title::Nothing => {}
            Title::Clauses(own) => {
                let own = own.into_iter().filter(|clause| !clauses.contains(clause)).collect::<Vec<_>>();
                clauses.splice(0..0, own);
            }
            // The name of a step tells what is done: `fix the failing test`.
            Title::Reserved(word) if is_step && word == "failing" => {}
            Title::Reserved(word) => {
                return Err(Box::new(rewrites::of_title(self, Some(&word), &nature, &clauses, table)));
            }
            Title::Unknown => return Err(Box::new(rewrites::of_title(self, None, &nature, &clauses, table))),
        }
        self.weighed(clauses, &nature)
    }

    /// The check with these clauses, if they agree and say more than the command does by itself.
    fn weighed(&self, clauses: Vec<Clause>, nature: &Nature) -> Result<Check, Box<Unclear>> {
        if !clauses::agree(&clauses) {
            return Err(Box::new(rewrites::contradiction(self, &clauses)));
        }
        let weak =
            clauses.iter().all(|clause| matches!(clause, Clause::Exit { code: 0 } | Clause::TestsPass));
        if let Some(why) = nature.masked
            && clauses.iter().all(|clause| {
                matches!(
                    clause,
                    Clause::Exit { .. } | Clause::TestsPass | Clause::Fails | Clause::Within { .. }
                )
            })
        {
            return Err(Box::new(rewrites::says_nothing(self, "always-succeeds", why, nature, &clauses)));
        }
        let lines = self.command.lines().filter(|line| !line.trim_end().ends_with('\\')).count();
        if lines > 1
            && clauses.iter().any(|clause| matches!(clause, Clause::Fails | Clause::Exit { code: 1.. }))
        {
            return Err(Box::new(rewrites::says_nothing(
                self,
                "several-commands",
                "any of its lines may be the one that fails",
                nature,
                &clauses,
            )));
        }
        // A word such as `succeeds` says no more than the exit status, which says nothing; `exit 0` is asked for in so many
        // words.
        let judged = [Classes::RUNNER, Classes::LINTER, Classes::BUILDER]
            .iter()
            .any(|class| nature.classes.has(*class));
        let in_words = !judged && weak && !self.regions.iter().any(|region| states_status(&region.tokens));
        if let Some(why) = nature.vacuous
            && (clauses.is_empty() || in_words)
        {
            return Err(Box::new(rewrites::says_nothing(self, "says-nothing", why, nature, &clauses)));
        }
        // Exit 0 is what no clause means.
        let only_exit = weak
            && clauses.iter().all(|clause| *clause == Clause::Exit { code: 0 })
            && nature.vacuous.is_none();
        let clauses = if only_exit { Vec::new() } else { clauses };
        Ok(Check { command: self.command.clone(), clauses, skip: None, at: self.at })
    }

    fn left_out(&self, reason: String) -> Check {
        Check { command: self.command.clone(), clauses: Vec::new(), skip: Some(reason), at: self.at }
    }
}

/// Whether a word asks to verify something.
fn verifies(token: &Token) -> bool {
    token.word().is_some_and(|word| {
        matches!(
            word,
            "verify"
                | "confirm"
                | "check"
                | "validate"
                | "ensure"
                | "expect"
                | "verification"
                | "검증"
                | "확인"
                | "验证"
                | "検証"
                | "確認"
        )
    })
}

/// Whether a word asks to run something.
fn runs(token: &Token) -> bool {
    matches!(token.word(), Some("run" | "rerun" | "re-run" | "execute"))
}

/// The clauses that a text states.
fn stated(region: &Region, nature: &Nature, table: &Synonyms) -> Option<Vec<Clause>> {
    // Without a separator a literal behind the command may be anything: ``the flag of `cli x` (`--all`)``.
    let first = region.tokens.iter().find(|token| !token.is('('));
    if region.kind.is_none() && first.is_some_and(|first| first.literal().is_some()) {
        return None;
    }
    let found = clauses::parse(&region.tokens, nature, table)?;
    // A cell for the result with nothing in it that is a clause.
    if region.kind == Some(Below::Cell) && found.is_empty() {
        return None;
    }
    // Below a command, a text that says nothing is no result.
    (!found.is_empty() || region.kind.is_none()).then_some(found)
}

/// Whether a text has the exit status as a number.
fn states_status(said: &[Token]) -> bool {
    said.iter().any(|token| {
        matches!(token.kind, TokenKind::Number(_))
            || token.literal().is_some_and(|text| text.starts_with("exit"))
    })
}

fn text_behind(region: &Region) -> &str {
    region.text.trim_start_matches(['→', '⇒', ':', '-', '—', '>', '=', ' '])
}

fn begins_with_failure(region: &Region) -> bool {
    let words = clauses::trimmed(&region.tokens);
    // `— Expected: FAIL` in the command's own line.
    let label = |token: &&Token| token.word().is_some_and(|word| matches!(word, "expected" | "expect"));
    let first = words.iter().find(|token| !matches!(token.kind, TokenKind::Sign(_)) && !label(token));
    first.and_then(Token::word).is_some_and(|word| {
        matches!(word, "fail" | "fails" | "failed" | "failure" | "fails:" | "실패" | "失败" | "失敗")
    })
}

fn speaks_of_failure(title: &[Token]) -> bool {
    title
        .iter()
        .filter_map(Token::word)
        .any(|word| matches!(word, "fail" | "fails" | "red" | "실패" | "失败" | "失敗"))
}

/// A check that fails before the change passes after it, so that it cannot be judged later.
fn before_the_change(said: &str) -> String {
    format!("{}: {}", wire::plan::BEFORE_ONLY, said.trim().trim_start_matches(['→', '⇒', ':', '—', ' ']))
}

/// Words behind several commands that may belong to the last one alone.
pub(super) fn shared(first: &Draft, last: &Draft) -> Unclear {
    let said =
        "the result behind several commands may belong to the last one alone: write one command a check";
    rewrites::several(first.own_text.as_deref().unwrap_or(&last.command), last.at, None, said)
}
