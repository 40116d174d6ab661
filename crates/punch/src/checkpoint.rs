//! `punch checkpoint` as a stage: orders in, the same orders with `card` out.
//!
//! The worker's own record is minted, sealed and judged by the card in one pass; the verdict is recorded before the
//! line is written. An order that was halted before is judged too, and not halted again.

pub(crate) mod class;
pub(crate) mod judge;
pub(crate) mod one_task;
pub(crate) mod shop;
pub(crate) mod table;

use crate::args::Held;
use crate::cards::card::Card as Rules;
use crate::cards::pattern::{Form, Pattern};
use crate::cards::row::What;
use crate::checkpoint::class::Class;
use crate::checkpoint::judge::Judge;
use crate::checkpoint::shop::Shop;
use crate::evidence::case::{Case, Finding, checkpoint_command, mint_command};
use crate::evidence::earlier;
use crate::evidence::mint::{self, Named};
use crate::evidence::scope::Scope;
use crate::evidence::sealing::Sealing;
use dialects::PlanSnapshot;
use ledger::level;
use ledger::pins::ACCEPT;
use ledger::proof::ProofContext;
use ledger::recorder::Recorder;
use repo::tree::Tree;
use repo::worktree;
use serde_json::{Value, json};
use std::path::Path;
use toolkit::files::root::inside;
use toolkit::stream::stage::{order_of, set};
use toolkit::{Exit, Fail};
use wire::order::{Card, CardStatus};
use wire::punch::{Punch, Type};
use wire::{Level, Order, OrderLine};

/// The stage, with everything shared between orders.
pub(crate) struct Stage<'s> {
    desk: Recorder,
    held: &'s Held,
    asked: Asked<'s>,
    shop: Option<Shop>,
}

/// The request on the command line.
pub(crate) struct Asked<'s> {
    /// The name of the card.
    card: Option<&'s str>,
    /// The tasks that it applies to.
    tasks: Option<Pattern>,
}

impl<'s> Asked<'s> {
    pub(crate) fn of(card: Option<&'s str>, tasks: Option<&str>) -> Result<Self, Fail> {
        let tasks = tasks.map(|glob| Pattern::new(glob, Form::Glob)).transpose()?;
        Ok(Self { card, tasks })
    }

    /// The card that applies to a task.
    fn card(&self, task: &str, usual: Option<&String>) -> Option<String> {
        let meant = self.tasks.as_ref().is_none_or(|tasks| tasks.matches(task));
        self.card.map(str::to_owned).filter(|_| meant).or_else(|| usual.cloned())
    }
}

impl<'s> Stage<'s> {
    pub(crate) fn new(desk: Recorder, held: &'s Held, asked: Asked<'s>) -> Self {
        Self { desk, held, asked, shop: None }
    }

    /// Judges one order by its card and sets `card`.
    pub(crate) fn order(&mut self, line: &mut OrderLine) -> Result<(), Fail> {
        let order = order_of(line)?;
        self.open(Path::new(&order.plan.root))?;
        let Some(shop) = &mut self.shop else { return Ok(()) };
        let asked = self.asked.card(order.task.id.as_str(), shop.config.defaults.card.as_ref());
        let Some(name) = asked else {
            return set(line, "card", &Card { status: CardStatus::None, ..Card::default() });
        };
        shop.book.read_on()?;
        let rules = self.held.card_of(&shop.cards, &name)?;
        let Some(shop) = &self.shop else { return Ok(()) };
        let scope = Scope::of(&order);
        if is_changed(&shop.book.records, &scope, &rules) {
            set(
                line,
                "card",
                &Card { id: Some(name.clone()), status: CardStatus::NoEvidence, ..Card::default() },
            )?;
            return self.refuse(line, &order, &class::changed(&name), &Value::Null);
        }
        let finding = match self.judge(shop, &order, &scope, rules) {
            Err(fail) if fail.exit == Exit::Busy => {
                let provenance = json!({ "reasons": [fail.to_string()] });
                let status = CardStatus::NoEvidence;
                set(line, "card", &Card { id: Some(name), status, provenance, ..Card::default() })?;
                return self.refuse(line, &order, &class::busy(&fail), &Value::Null);
            }
            other => other?,
        };
        set(line, "card", &finding.card)?;
        let class = Class::of(&finding.card, &finding.contradicted);
        match class.halt(&finding.card, &finding.contradicted) {
            None => Ok(()),
            Some(halt) => self.refuse(line, &order, &halt, &detail(&finding)),
        }
    }

    /// Halts an order; an order that was halted before has already used its attempt.
    fn refuse(
        &self,
        line: &mut OrderLine,
        order: &Order,
        halt: &wire::order::Halt,
        detail: &Value,
    ) -> Result<(), Fail> {
        if order.halt.is_some() { Ok(()) } else { self.desk.halt_with(line, order, halt, detail) }
    }

    fn open(&mut self, root: &Path) -> Result<(), Fail> {
        match &mut self.shop {
            Some(shop) if shop.home.root() == root => Ok(()),
            shop => {
                *shop = Some(Shop::open(root, &self.held.config, &self.held.cards)?);
                Ok(())
            }
        }
    }

    fn judge(&self, shop: &Shop, order: &Order, scope: &Scope, rules: Rules) -> Result<Finding, Fail> {
        let transcripts = transcripts(order, shop.home.root())?;
        let worker = order.worker.as_ref();
        let asks = |what: &What| rules.rows.iter().any(|row| row.what == *what);
        let earlier = asks(&What::Path) && earlier::any(&shop.book, scope);
        let field = (earlier || asks(&What::Child)).then(|| PlanSnapshot::of(&order.plan)).transpose()?;
        let place = worktree::place(order)?;
        let now = match field.as_ref().filter(|_| earlier) {
            Some(field) => Tree::now(&place, &field.ground)?,
            None => None,
        };
        let level = if rules.rows.iter().any(|row| matches!(row.what, What::Level(_))) {
            self.level(shop, order)?
        } else {
            None
        };
        let case = Case {
            level,
            home: &shop.home,
            scope,
            book: &shop.book,
            kinds: &shop.kinds,
            transcripts: &transcripts,
            claims: worker.map_or(&[], |worker| &worker.claims),
            tree: order.verdict.as_ref().and_then(|verdict| verdict.tree.as_ref()),
            now: now.as_ref(),
            plan: field.as_ref().map(|field| &*field.plan),
            batch: None,
        };
        let mut sealing = Sealing::new(&shop.home, scope, &self.desk.clock, &shop.redact);
        // Paths in a worker's record refer to the tree that it worked in.
        let mut judge = Judge::new(rules, &place.root().to_string_lossy());
        judge.receipt(&checkpoint_command(&scope.task, &judge.card.name.clone()));
        if !transcripts.is_empty() {
            judge.receipt(&mint_command(&scope.task));
        }
        let mut finding = case.judge(judge, &mut |minted, named| sealing.keep(minted, named))?;
        let mismatches = order.verdict.iter().flat_map(|verdict| &verdict.mismatches);
        finding.contradicted.extend(mismatches.cloned());
        let mut entries = Vec::new();
        if !transcripts.is_empty() {
            sealing.files(&shop.book)?;
            entries.extend(sealing.seal(&finding.card.provenance)?);
        }
        let mut entry = self.desk.entry(order, Type::Checkpoint, finding.card.id.clone().unwrap_or_default());
        entry.tree = order.verdict.as_ref().and_then(|verdict| verdict.tree.clone());
        entry.data = json!({ "card": finding.card });
        if let Some(parent) = &order.task.parent {
            entry.data["parent"] = json!(parent);
        }
        entries.push(entry);
        if Class::of(&finding.card, &finding.contradicted) == Class::Contradicted {
            let mut entry = self.desk.entry(order, Type::Escalation, "claim-contradicted");
            entry.data = json!({ "contradicted": finding.contradicted });
            entries.push(entry);
        }
        self.desk.ledger(order)?.append_all(entries)?;
        Ok(finding)
    }
}

impl Stage<'_> {
    /// The level of evidence that the ledger has for the task of an order.
    fn level(&self, shop: &Shop, order: &Order) -> Result<Option<Level>, Fail> {
        let field = PlanSnapshot::of(&order.plan)?;
        let Some(task) = field.handed_out(order) else { return Ok(None) };
        let profile = shop.config.profile(&order.plan.dialect)?;
        let ground = ProofContext::new(&shop.config, &profile, shop.home.root());
        let tree = Tree::now(&worktree::place(order)?, &field.ground)?;
        let records = self.desk.ledger(order)?.read_of(&order.plan.path)?;
        let view = tree.as_ref().map(Tree::view);
        Ok(Some(level::of(&records, &order.plan.path, &task, &order.run, view, ground).level))
    }
}

/// Details for the next prompt.
fn detail(finding: &Finding) -> Value {
    json!({
        "missing": finding.card.missing, "violations": finding.card.violations, "mismatches": finding.contradicted,
    })
}

/// The worker's own record, if the order names one: below the root, or in the client's own folder.
fn transcripts(order: &Order, root: &Path) -> Result<Vec<Named>, Fail> {
    let Some(worker) = &order.worker else { return Ok(Vec::new()) };
    let Some(name) = &worker.transcript else { return Ok(Vec::new()) };
    if !Path::new(name).is_absolute() {
        inside(root, name.rsplit_once('#').map_or(name, |(path, _)| path))?;
    }
    let mut named = mint::named(name, root)?;
    named.session = named.session.or_else(|| worker.session_id.clone());
    Ok(vec![named])
}

/// Whether the card differs from the one that judged this plan's earlier work, without a person's acceptance since.
fn is_changed(records: &[(u64, Punch)], scope: &Scope, rules: &Rules) -> bool {
    let mine = records.iter().rev().map(|(_, punch)| punch).filter(|punch| punch.plan == scope.plan);
    for punch in mine {
        if punch.kind == Type::Override && punch.key == ACCEPT {
            return false;
        }
        let digest = punch.data.pointer("/card/provenance/card_sha256").and_then(Value::as_str);
        if let (Type::Checkpoint, true, Some(digest)) = (punch.kind, punch.key == rules.name, digest) {
            return digest != rules.digest;
        }
    }
    false
}
