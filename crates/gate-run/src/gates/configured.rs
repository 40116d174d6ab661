//! Runs gates of the configuration: all of them, not only up to the first failure.

use crate::args::Args;
use crate::builtin::Base;
use crate::gates::catalog::Catalog;
use crate::gates::one_command;
use crate::gates::recheck::Again;
use crate::gates::records::{Records, bind};
use crate::order::checks::bead_of;
use crate::order::guard::Guard;
use crate::order::known_failures;
use crate::restore;
use crate::run::budget::Budget;
use crate::run::check::Check;
use crate::run::logs::{self, Keep};
use crate::run::missing::Markers;
use crate::run::progress::Progress;
use crate::run::runner::{RunLocation, Runner};
use crate::run::{batch, outcome, retry};
use config::GateRule;
use dialects::PlanSnapshot;
use ledger::read_cache;
use ledger::{Ledger, unclear};
use repo::tree::OwnFiles;
use std::path::Path;
use std::time::SystemTime;
use toolkit::cli::tool;
use toolkit::files::redact::Redact;
use toolkit::files::root::{self, Home};
use toolkit::stream::output::Output;
use toolkit::{Exit, Fail};
use wire::Gate;
use wire::gate::{Status, StopReason};
use wire::plan::Criterion;

/// Runs the requested gates, records each, and returns the overall result.
pub(crate) fn run(args: &Args, out: &mut Output) -> Result<Exit, Fail> {
    let root = root::find(&args.cwd)?;
    let catalog = Catalog::load(&args.config, &root)?;
    let gates = catalog.chosen(args)?;
    let profile = catalog.profile(args.set.profile.as_deref())?;
    let watch = Progress::alone(args);
    let home = Home::of(&root)?;
    let mut bench = Bench::new(args, &catalog, &home, &watch)?;
    // A person's word about it is on record before the checks, which write no record.
    let whole = Whole::of(args, &root, &bench.records)?;
    let read = || args.plan.as_ref().map(|path| PlanSnapshot::at(path, &root, None)).transpose();
    let field = read()?;
    if let Some(bead) =
        field.as_ref().and_then(|field| bead_of(&field.plan)).filter(|_| args.bead_id.is_none())
    {
        bench.runner.place.bead = bead;
    }
    let guard = field.map(|field| Guard::of_end(&home, &field)).transpose()?;
    let records =
        if gates.is_empty() { read_cache::Records::default() } else { Ledger::new(home.clone()).read()? };
    let retries = args.alone.retries.or(profile.and_then(|p| p.max_retries)).unwrap_or(0);
    bench.runner.base = bench.runner.base.take().map(|base| base.for_plan(&home, &whole.plan));
    bench.plan.clone_from(&whole.plan);
    let budget = |gate| Budget::of(&args.budget, profile, &catalog.config, gate);
    let checks = gates.iter().map(|gate| {
        let own = budget(Some(gate));
        let fitted = restore::fitted_with(&records, &gate.id);
        Check::of_gate(gate, fitted.map_or(own, |fitted| fitted.applied(own, &catalog.config.defaults)))
    });
    let of_plan = whole.checks.iter().map(|check| Check::of_criterion(check, budget(None)));
    let checks: Vec<_> = checks.chain(of_plan).collect();
    let mut statuses = Vec::new();
    let mut tell = |gate: &Gate| {
        let mut gate = gate.clone();
        if args.plan.is_some() {
            let gates = std::slice::from_mut(&mut gate);
            known_failures::allow(&catalog, &home, &whole.plan, None, gates)?;
        }
        let gate = &gate;
        statuses.push(gate.status);
        match whole.checks.iter().chain(&whole.unclear).find(|check| check.id == gate.gate_id) {
            Some(check) => bench.records.of_plan(gate, &whole.plan, check)?,
            None => bench.records.gate(gate, catalog.written(&gate.gate_id))?,
        }
        one_command::say(args, gate);
        out.document(gate, args.show.pretty)
    };
    if args.set.jobs > 1 {
        batch::run(&bench, &checks, args, &mut tell)?;
    } else {
        bench.serial(&checks, retries, args.set.fail_fast, &mut tell)?;
    }
    for check in &whole.unclear {
        let no_verdict = outcome::fault(StopReason::Ambiguous, &unclear::words(check));
        let check = Check::of_criterion(check, budget(None));
        let gate = bench.runner.document(&check, &no_verdict, None, Vec::new(), None);
        tell(&gate)?;
    }
    let failed = statuses.iter().any(|status| *status != Status::Pass);
    let mut entries = Vec::new();
    if let Some(path) = args
        .plan
        .as_deref()
        .filter(|_| (catalog.rechecks() || is_recheck(args)) && !(args.set.fail_fast && failed))
    {
        let mut again = Again { args, catalog: &catalog, home: &home, bench: &mut bench, only: None };
        let (found, records) = again.run(path, out)?;
        statuses.extend(found);
        entries = records;
    }
    let touched = guard.map(|guard| guard.touched(read().ok().flatten().as_ref())).transpose();
    bench.records.append_all(entries)?;
    if let Some((halt, detail)) = touched?.flatten() {
        bench.records.halt(&whole.plan, &halt, &detail)?;
        tool::note(&format!("gate-run: {}", halt.message));
        statuses.push(Status::Fault);
    }
    if watch.is_over() {
        // A check that was not started has no verdict.
        statuses.push(Status::Fault);
    }
    Ok(one_command::exit_of(statuses.into_iter()))
}

fn is_recheck(args: &Args) -> bool {
    args.set.when.as_deref() == Some(crate::RECHECK)
}

/// The runnable checks that a plan sets for the whole plan.
#[derive(Default)]
struct Whole {
    /// The plan's path relative to the root.
    plan: String,
    checks: Vec<Criterion>,
    /// Checks that are not understood: they have no verdict, and the plan is not complete without one.
    unclear: Vec<Criterion>,
}

impl Whole {
    /// Those that no person has settled. With `--unclear-note` a person settles the unclear ones now.
    fn of(args: &Args, root: &Path, desk: &Records) -> Result<Self, Fail> {
        let Some(path) = &args.plan else { return Ok(Self::default()) };
        let plan = dialects::open(path, root, None)?;
        if is_recheck(args) {
            return Ok(Self { plan: plan.source.path, ..Self::default() });
        }
        let goals = dialects::goals(&plan).into_iter().filter(|goal| !goal.checked);
        let name = plan.source.path;
        let records = Ledger::new(Home::of(root)?).read_of(&name)?;
        let checks = plan.gates.into_iter().chain(goals);
        let checks = checks.filter(|check| !unclear::is_settled(&records, &name, check));
        let (mut unclear, others): (Vec<_>, Vec<_>) = checks.partition(|check| check.holds().is_some());
        if let Some(reason) = &args.unclear_note {
            for check in unclear.drain(..) {
                desk.decided(&name, &check, reason)?;
            }
        }
        let runnable = others.into_iter().filter(|check| check.runnable && check.skip.is_none());
        Ok(Self { plan: name, checks: runnable.collect(), unclear })
    }
}

/// Runs and records gates in one root.
pub(crate) struct Bench<'a> {
    pub(crate) runner: Runner<'a>,
    pub(crate) records: Records,
    /// The plan whose end it is; empty where a person runs gates. Only then the files that checks write are sorted out.
    pub(crate) plan: String,
}

impl<'a> Bench<'a> {
    pub(crate) fn new(
        args: &Args,
        catalog: &Catalog,
        home: &Home,
        watch: &'a Progress,
    ) -> Result<Self, Fail> {
        let records = Records::new(args, home.clone())?;
        let folder = home.folder(&format!("logs/{}", records.run))?;
        logs::prune(home, &catalog.config.logs, &folder);
        let place = RunLocation {
            cwd: home.root().to_path_buf(),
            root: home.root().to_path_buf(),
            logs: Some(folder),
            bead: args.bead(),
            started: args.started()?,
        };
        let runner = Runner {
            place,
            watch,
            redact: Redact::of(&catalog.config.redact)?,
            markers: Markers::new(&catalog.config.defaults.env_markers)?,
            keep: Keep::of(&args.keep, &catalog.config.logs),
            base: Base::of(home, &args.set.base, Vec::new(), &catalog.config.suppressions)?,
        };
        Ok(Self { runner, records, plan: String::new() })
    }

    /// Runs one gate, bound to the tree that it ran on.
    pub(crate) fn one(&self, check: &Check, retries: u32) -> Result<Gate, Fail> {
        let mut before = self.records.tree()?;
        let began = SystemTime::now();
        let mut gate = retry::run(&self.runner, check, retries, &|| self.records.tree())?;
        let mut after = self.records.tree()?;
        if after != before
            && gate.fix.is_none()
            && self.records.settle(&self.plan, &OwnFiles::default(), began)?
        {
            after = self.records.tree()?;
            before.clone_from(&after);
        }
        // A fix is supposed to change files, so the tree of the last run counts.
        let before = if gate.fix.is_some() { after.clone() } else { before };
        bind(&mut gate, before.as_ref(), after.as_ref());
        Ok(gate)
    }

    fn serial(
        &self,
        checks: &[Check],
        retries: u32,
        fail_fast: bool,
        tell: &mut dyn FnMut(&Gate) -> Result<(), Fail>,
    ) -> Result<(), Fail> {
        for check in checks {
            if self.runner.watch.is_over() {
                break;
            }
            let gate = self.one(check, retries)?;
            tell(&gate)?;
            if fail_fast && gate.status != Status::Pass {
                break;
            }
        }
        Ok(())
    }
}

impl Catalog {
    /// Whether the checks of ticked tasks run again at the end; the default is yes.
    fn rechecks(&self) -> bool {
        self.config.defaults.recheck.unwrap_or(true)
    }

    /// The invocation of a gate as written in the file.
    pub(crate) fn written(&self, id: &str) -> &str {
        let gate = self.config.gates.iter().find(|gate: &&GateRule| gate.id == id);
        gate.map_or("", |gate| gate.invocation.as_str())
    }
}
