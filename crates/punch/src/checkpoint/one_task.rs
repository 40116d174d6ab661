//! `punch mint`, `evaluate` and `checkpoint` for one named task, outside of the pipe.

use crate::args::{Args, Asking, Held, Show};
use crate::cards::row::What;
use crate::checkpoint::judge::Judge;
use crate::checkpoint::shop::Shop;
use crate::checkpoint::table;
use crate::evidence::case::{Case, checkpoint_command};
use crate::evidence::earlier;
use crate::evidence::mint::{self, Named};
use crate::evidence::scope::{Asked, Scope};
use crate::evidence::sealing::Sealing;
use dialects::PlanSnapshot;
use ledger::{Entry, Ledger};
use repo::tree::{OwnFiles, Tree};
use serde_json::json;
use std::path::Path;
use toolkit::cli::clock::Clock;
use toolkit::cli::tool;
use toolkit::files::root;
use toolkit::stream::output::Output;
use toolkit::{Exit, Fail};
use transcripts::table;
use wire::card::CardDoc;
use wire::order::{Card as Judged, CardStatus};
use wire::punch::Type;
use wire::{Level, RunId, TaskId, TreeHash};

/// One named task, and the facts about it.
pub(crate) struct Alone<'a> {
    shop: Shop,
    scope: Scope,
    clock: Clock,
    transcripts: Vec<Named>,
    asking: &'a Asking,
}

/// Whether a verdict is recorded.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Record {
    Yes,
    No,
}

impl<'a> Alone<'a> {
    /// Finds the attempt.
    pub(crate) fn new(
        args: &Args,
        held: &Held,
        asking: &'a Asking,
        task: &str,
        files: &[String],
    ) -> Result<Self, Fail> {
        let mut shop = Shop::open(&root::find(&asking.root)?, &held.config, &held.cards)?;
        shop.book.read_on()?;
        let clock = args.run.clock()?;
        let asked = Asked { task, plan: asking.plan.as_deref(), run: args.run.run.as_deref() };
        let scope = match Scope::find(&shop.book.records, asked)? {
            Some(scope) => scope,
            None => Scope::unheard(asked, args.run.run_id(&clock)?),
        };
        is_of_this_place(&shop, &scope)?;
        if let Some(client) = asking.client.as_deref()
            && !table().iter().any(|row| row.name == client)
        {
            let names: Vec<_> = table().iter().map(|row| row.name).collect();
            return Err(Fail::usage(format!(
                "no client is named '{client}'; there are {}",
                names.join(", ")
            )));
        }
        let named = |text: &String| {
            let mut named = mint::named(text, Path::new(""))?;
            named.session = asking.session.clone().or(named.session);
            named.client.clone_from(&asking.client);
            Ok::<_, Fail>(named)
        };
        let transcripts = files.iter().map(named).collect::<Result<_, _>>()?;
        Ok(Self { shop, scope, clock, transcripts, asking })
    }

    /// The card of the receipts that the project asks for, if any.
    pub(crate) fn receipts(&self) -> Option<String> {
        let receipts = &self.shop.config.receipts;
        (!receipts.rows.is_empty()).then(|| receipts.card.clone())
    }

    /// Judges the task by a card and prints the result; records it if requested.
    pub(crate) fn judge(
        &self,
        held: &Held,
        card: &str,
        record: Record,
        show: Show,
        out: &mut Output,
    ) -> Result<Exit, Fail> {
        let rules = held.card_of(&self.shop.cards, card)?;
        let mut judge = Judge::new(rules, &self.shop.home.root().display().to_string());
        if record == Record::Yes {
            judge.receipt(&checkpoint_command(&self.scope.task, card));
        }
        let field = self.field(&judge)?;
        let ground = || field.as_ref().map_or_else(OwnFiles::default, |field| field.ground.clone());
        let earlier = self.asks_for_earlier(&judge);
        let tree = (judge.asks_for_gates() || earlier).then(|| Tree::now(&self.shop.home, &ground()));
        let tree = tree.transpose()?.flatten();
        let case = Case {
            tree: tree.as_ref().map(|tree| &tree.hash),
            now: tree.as_ref().filter(|_| earlier),
            plan: field.as_ref().map(|field| &*field.plan),
            ..self.case()
        };
        let mut sealing = Sealing::new(&self.shop.home, &self.scope, &self.clock, &self.shop.redact);
        let writes = record == Record::Yes && !self.transcripts.is_empty();
        let finding = case.judge(judge, &mut |minted, named| {
            if writes { sealing.keep(minted, named) } else { Ok(()) }
        })?;
        if record == Record::Yes {
            let mut entries = Vec::new();
            if writes {
                sealing.files(&self.shop.book)?;
                entries.extend(sealing.seal(&finding.card.provenance)?);
            }
            entries.push(self.checkpoint(card, &finding.card, tree.map(|tree| tree.hash)));
            Ledger::new(self.shop.home.clone()).append_all(entries)?;
        }
        self.show(finding.card, show, out)
    }

    /// Mints and seals, and prints the record of the seal.
    pub(crate) fn mint(&self, out: &mut Output) -> Result<Exit, Fail> {
        if self.transcripts.is_empty() {
            return Err(Fail::usage("no transcript is named (see --help)"));
        }
        let rules = crate::cards::card::Card::of("", &config::cards::CardRule::default())?;
        let judge = Judge::new(rules, "");
        let mut sealing = Sealing::new(&self.shop.home, &self.scope, &self.clock, &self.shop.redact);
        let finding = self.case().judge(judge, &mut |minted, named| sealing.keep(minted, named))?;
        let calls = finding.card.provenance["calls"].as_u64().unwrap_or_default();
        sealing.files(&self.shop.book)?;
        let seal = if calls == 0 { None } else { sealing.seal(&finding.card.provenance)? };
        let Some(seal) = seal else {
            tool::note(&format!(
                "punch: nothing was minted: {}",
                crate::checkpoint::class::reason(&finding.card)
            ));
            return Ok(Exit::NoVerdict);
        };
        out.line(&Ledger::new(self.shop.home.clone()).append_shown(seal)?)?;
        Ok(Exit::Ok)
    }

    fn case(&self) -> Case<'_> {
        Case {
            home: &self.shop.home,
            scope: &self.scope,
            book: &self.shop.book,
            kinds: &self.shop.kinds,
            transcripts: &self.transcripts,
            claims: &[],
            tree: None,
            now: None,
            plan: None,
            level: self.ticked_at(),
            batch: self.asking.run_timestamp.as_deref(),
        }
    }

    /// The level of evidence of the task's last tick.
    fn ticked_at(&self) -> Option<Level> {
        let mut ticks = self.shop.book.records.iter().rev().map(|(_, punch)| punch);
        ticks.find(|p| p.kind == Type::Tick && self.scope.is_about(p)).and_then(ledger::level::of_tick)
    }

    /// Whether the card has rows that edits of earlier attempts may satisfy.
    fn asks_for_earlier(&self, judge: &Judge) -> bool {
        let asks = judge.card.rows.iter().any(|row| row.what == What::Path);
        asks && earlier::any(&self.shop.book, &self.scope)
    }

    /// The plan, if the card needs it and it exists.
    fn field(&self, judge: &Judge) -> Result<Option<PlanSnapshot>, Fail> {
        let needed = judge.asks_for_gates()
            || self.asks_for_earlier(judge)
            || judge.card.rows.iter().any(|row| row.what == What::Child);
        let path = self.shop.home.root().join(&self.scope.plan);
        if !needed || self.scope.plan.is_empty() || !path.exists() {
            return Ok(None);
        }
        PlanSnapshot::at(&path, self.shop.home.root(), None).map(Some)
    }

    fn checkpoint(&self, name: &str, card: &Judged, tree: Option<TreeHash>) -> Entry {
        let mut data = json!({ "card": card });
        if let Some(parent) = &self.asking.parent {
            data["parent"] = json!(TaskId::from(parent.as_str()));
        }
        Entry {
            plan: self.scope.plan.clone(),
            task: Some(self.scope.task.clone()),
            fingerprint: self.scope.fingerprint.clone(),
            attempt: self.scope.attempt,
            tree,
            data,
            ..Entry::new(self.scope.run.clone(), Type::Checkpoint, name, self.clock.now())
        }
    }

    fn show(&self, card: Judged, show: Show, out: &mut Output) -> Result<Exit, Fail> {
        let exit = match card.status {
            CardStatus::Pass | CardStatus::None => Exit::Ok,
            CardStatus::Fail => Exit::No,
            CardStatus::NoEvidence => Exit::NoVerdict,
        };
        if show.format.is_text() {
            out.shown(&table::table(&card))?;
            return Ok(exit);
        }
        let document = CardDoc {
            schema: wire::card::SCHEMA.to_owned(),
            plan: self.scope.plan.clone(),
            task: self.scope.task.clone(),
            run: RunId(self.scope.run.to_string()),
            attempt: self.scope.attempt,
            card,
        };
        out.document(&document, show.pretty)?;
        Ok(exit)
    }
}

/// A ledger of another plan proves nothing here: its records must be about a task that this plan still has.
fn is_of_this_place(shop: &Shop, scope: &Scope) -> Result<(), Fail> {
    let Some(fingerprint) = scope.fingerprint.as_ref().filter(|_| !scope.plan.is_empty()) else {
        return Ok(());
    };
    let root = shop.home.root();
    let line =
        shop.book.records.iter().rev().find(|(_, punch)| scope.is_about(punch)).map_or(0, |(line, _)| *line);
    let refuse = |message: String| {
        let path = Ledger::new(shop.home.clone()).path();
        Fail::data("other-plan", message).at(path.display().to_string(), line)
    };
    let path = root.join(&scope.plan);
    if !path.exists() {
        return Err(refuse(format!("is about plan '{}', which is not here", scope.plan)));
    }
    let field = PlanSnapshot::at(&path, root, None)?;
    if field.task(&scope.task, fingerprint).is_some() {
        return Ok(());
    }
    Err(refuse(format!("is about task '{}' as it does not stand in '{}' now", scope.task, scope.plan)))
}
