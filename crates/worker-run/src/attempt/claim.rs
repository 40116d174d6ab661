//! The claim on a task: the record that begins its attempt, written only if no other run was faster.
//!
//! A run that does not share its plan just writes the record. If runs share a plan, the record is written under the
//! ledger's lock, provided that the last hold on the task is still the one that the order was made after and has not
//! been renewed. All later records refer to the number of that record.

use crate::args::Args;
use crate::guard::own_records::Roll;
use config::Config;
use ledger::leases::{self, Beat};
use ledger::read_cache::Records;
use ledger::recorder::Recorder;
use ledger::{Entry, Head, Ledger};
use serde_json::{Value, json};
use std::cell::RefCell;
use std::collections::HashMap;
use std::path::Path;
use supervise::processes::{alive, start_time};
use toolkit::Fail;
use toolkit::files::root::Home;
use toolkit::stream::stage::set;
use wire::order::{Category, Halt, Hold, Owner, Worker};
use wire::punch::{Punch, SourceKind, Type};
use wire::{Order, OrderLine};

/// The claims of this process.
#[derive(Debug, Default)]
pub(crate) struct Claims {
    shared: bool,
    lease: Option<u64>,
    places: RefCell<HashMap<String, RootState>>,
    roll: Roll,
}

/// The state of one root.
#[derive(Debug)]
struct RootState {
    owner: Owner,
    beat: Option<Beat>,
    ledger: Ledger,
}

impl Claims {
    /// The claims for a command line.
    pub(crate) fn of(args: &Args) -> Self {
        Self { shared: args.shared, lease: args.lease, places: RefCell::default(), roll: Roll::default() }
    }

    /// Our own records, which no other process can add to; `None` if others share the plan and record too.
    pub(crate) fn roll(&self) -> Option<&Roll> {
        (!self.shared).then_some(&self.roll)
    }

    /// Renews the hold if it is time.
    pub(crate) fn renew(&self) {
        self.places.borrow_mut().values_mut().filter_map(|place| place.beat.as_mut()).for_each(Beat::renew);
    }

    /// This process, as named in records.
    pub(crate) fn owner(&self, order: &Order, config: &Config) -> Result<Owner, Fail> {
        self.at(order, config, |place| Ok(place.owner.clone()))
    }

    /// Passes the current records to a function.
    pub(crate) fn look<T>(
        &self,
        order: &Order,
        config: &Config,
        act: impl FnOnce(&[Punch]) -> Result<T, Fail>,
    ) -> Result<T, Fail> {
        self.at(order, config, |place| act(&place.ledger.read_of(&order.plan.path)?))
    }

    /// Whether another run was faster, checked without the lock: this avoids preparing a claim in vain.
    pub(crate) fn is_taken(&self, order: &Order, config: &Config) -> Result<Option<Halt>, Fail> {
        if !self.shared {
            return Ok(None);
        }
        self.at(order, config, |place| place.allows(order).map(Result::err))
    }

    /// Writes the record that begins an attempt or takes one over; returns a halt if another run was faster.
    pub(crate) fn take(
        &self,
        order: &Order,
        config: &Config,
        entry: Entry,
    ) -> Result<Result<Head, Halt>, Fail> {
        let taken = self.at(order, config, |place| {
            let ledger = place.ledger.clone();
            if self.shared {
                ledger.append_if(entry, || place.allows(order))
            } else {
                ledger.append(entry).map(Ok)
            }
        })?;
        if let Ok(head) = &taken {
            self.roll.order(&order.plan.path, &order.task.id);
            self.roll.line(head);
        }
        Ok(taken)
    }

    /// Writes a record about work under the hold with this number, if the hold still counts; otherwise returns why it
    /// does not.
    pub(crate) fn append(
        &self,
        order: &Order,
        hold: Option<&Hold>,
        entry: Entry,
    ) -> Result<Result<(), Halt>, Fail> {
        let ledger = Ledger::new(Home::of(Path::new(&order.plan.root))?);
        let Some(hold) = hold else { return ledger.append(entry).map(|_| Ok(())) };
        let done = ledger.append_if(entry, || Ok(self.still(order, hold)?.map_or(Ok(()), Err)))?;
        Ok(done.map(|_| ()))
    }

    /// Why work under this hold no longer counts, if it does not.
    pub(crate) fn still(&self, order: &Order, hold: &Hold) -> Result<Option<Halt>, Fail> {
        let records = match self.places.borrow().get(&order.plan.root) {
            Some(place) => place.ledger.read_of(&order.plan.path)?,
            None => Records::default(),
        };
        Ok(leases::still(&records, order, hold.number).err().map(lost))
    }

    /// The hold given by the record with this number.
    pub(crate) fn hold(&self, number: u64, owner: &Owner) -> Option<Hold> {
        self.shared.then(|| Hold { number, owner: owner.clone() })
    }

    /// Takes over the saved result of a run that has ended: it is checked under a hold of our own. Returns why not if
    /// another run was faster.
    pub(crate) fn take_over(
        &self,
        desk: &Recorder,
        config: &Config,
        line: &mut OrderLine,
        order: &Order,
    ) -> Result<Option<Halt>, Fail> {
        let (true, Some(worker)) = (self.shared, &order.worker) else { return Ok(None) };
        let owner = self.owner(order, config)?;
        let mut entry = desk.entry(order, Type::Takeover, worker.name.clone());
        entry.source = SourceKind::Supervisor;
        entry.data = data_of(&owner);
        match self.take(order, config, entry)? {
            Ok(head) => {
                let hold = self.hold(head.seq, &owner);
                set(line, "worker", &Worker { hold, ..worker.clone() })?;
                Ok(None)
            }
            Err(halt) => Ok(Some(halt)),
        }
    }

    fn at<T>(
        &self,
        order: &Order,
        config: &Config,
        act: impl FnOnce(&mut RootState) -> Result<T, Fail>,
    ) -> Result<T, Fail> {
        let mut places = self.places.borrow_mut();
        if !places.contains_key(&order.plan.root) {
            let home = Home::of(Path::new(&order.plan.root))?;
            let lease = self.lease.or(config.defaults.lease_seconds).unwrap_or(leases::LEASE_SECONDS);
            let owner = leases::owner(start_time(std::process::id()), self.shared.then_some(lease));
            let beat = if self.shared { Some(Beat::begin(&home, &owner)?) } else { None };
            let place = RootState { owner, beat, ledger: Ledger::new(home) };
            places.insert(order.plan.root.clone(), place);
        }
        match places.get_mut(&order.plan.root) {
            Some(place) => act(place),
            // It was inserted just above.
            None => Err(Fail::data("bad-order", "the order's root is gone")),
        }
    }
}

impl RootState {
    /// Whether the last hold on the task is the one that the order was made after, and was not renewed.
    fn allows(&self, order: &Order) -> Result<Result<(), Halt>, Fail> {
        let standing = leases::standing_of(&self.ledger.read_of(&order.plan.path)?, order);
        let known = order.last_hold.clone().unwrap_or_default();
        let Some(last) = &standing.hold else { return Ok(Ok(())) };
        if last.number != known.number {
            let Owner { host, pid, .. } = &last.owner;
            let message = format!("process {pid} on '{host}' was quicker: its number is {}", last.number);
            return Ok(Err(claimed(message)));
        }
        let Some(held) = standing.held() else { return Ok(Ok(())) };
        let home = Home::of(Path::new(&order.plan.root))?;
        let runs = || held.owner.start_time.is_some_and(|start| alive(held.owner.pid, start));
        let gone = leases::is_here(&held.owner) && !runs();
        if gone || leases::beat_of(&home, &held.owner) == known.beat {
            return Ok(Ok(()));
        }
        let message = format!("process {} on '{}' is at it after all", held.owner.pid, held.owner.host);
        Ok(Err(Halt { code: leases::STILL.into(), ..claimed(message) }))
    }
}

/// An owner in the form of a record, to be completed by the caller.
pub(crate) fn data_of(owner: &Owner) -> Value {
    serde_json::to_value(owner).unwrap_or_else(|_| json!({}))
}

/// Another run has the task; that run has recorded it.
fn claimed(message: String) -> Halt {
    Halt {
        stage: crate::STAGE.into(),
        code: leases::CLAIMED.into(),
        category: Category::Unknown,
        message,
        retry: true,
        counts: false,
        not_before: None,
    }
}

fn lost(message: String) -> Halt {
    Halt { code: leases::LOST.into(), ..claimed(message) }
}
