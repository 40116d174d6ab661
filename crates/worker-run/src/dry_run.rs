//! What starts nothing: `--worker-dry-run` prints the exact command line of each order, for people to read and to paste;
//! `--preflight` checks that every open task of a plan has a worker.

use crate::adapters::adapter::Reports;
use crate::args::{Args, Use};
use crate::attempt::choose_worker::{self, Choice, How, Worker};
use crate::attempt::job;
use crate::attempt::job::session_id;
use crate::isolate::sandbox;
use config::Config;
use std::ffi::OsStr;
use std::fmt::Write as _;
use std::path::Path;
use supervise::{Job, Stdin};
use toolkit::files::root::Home;
use toolkit::stream::input::Input;
use toolkit::stream::orders::{Item, Orders};
use toolkit::stream::output::Output;
use toolkit::stream::stage::order_of;
use toolkit::{Exit, Fail};
use wire::order::{Handoff, PlanRef};
use wire::plan::Kind;
use wire::{Order, Plan, Task};

/// Prints one line for each order; starts nothing and writes nothing.
pub(crate) fn print(args: &Args, out: &mut Output) -> Result<Exit, Fail> {
    if args.sandbox {
        sandbox::available()?;
    }
    let mut orders = Orders::new(Input::open(args.file.as_deref())?);
    while let Some(Item::Order(line)) = orders.read()? {
        let order = order_of(&line)?;
        let root = Path::new(&order.plan.root);
        let config = args.config.load(root)?;
        choose_worker::startable(args, &config)?;
        let text = match choose_worker::choose(args, &config, &order, || Ok(order.attempt.saturating_sub(1)))?
        {
            Choice::User => format!("# task {}: the next stop of its route is a person", order.task.id),
            Choice::Worker(worker) if matches!(worker.how, How::Shell) => {
                format!("# task {}: the sh blocks of its section, each by sh -eu", order.task.id)
            }
            Choice::Worker(worker) => {
                let folder = format!("work/{}/{}/{}", order.run, order.task.key, order.attempt);
                let folder = Home::of(root)?.path(&folder);
                let job = job::of(
                    args,
                    &order,
                    &worker,
                    &[],
                    &folder,
                    &session_id(&order),
                    Path::new(&order.plan.root),
                )?;
                job.map(|job| command_line(&job)).unwrap_or_default()
            }
        };
        out.line(&text)?;
    }
    Ok(Exit::Ok)
}

/// Chooses a worker for every open task of a plan, so that a missing one is known before the first worker starts.
pub(crate) fn preflight(args: &Args) -> Result<Exit, Fail> {
    let plan: Plan = Input::open(args.file.as_deref())?.document(wire::plan::SCHEMA)?;
    let config = args.config.load(Path::new(&plan.source.root))?;
    choose_worker::startable(args, &config)?;
    let source = plan.source;
    let reference =
        PlanRef { path: source.path, dialect: source.dialect, root: source.root, sha256: source.sha256 };
    let is_open =
        |task: &Task| !task.state.is_settled() && !matches!(task.kind, Kind::Container | Kind::Human);
    let restores = !config.profile(&reference.dialect)?.restore.is_empty();
    for (at, task) in plan.tasks.into_iter().filter(|task| is_open(task) && !task.optional).enumerate() {
        let order = Order {
            schema: wire::order::SCHEMA.to_owned(),
            plan: reference.clone(),
            task,
            attempt: 1,
            ..Order::default()
        };
        if let Choice::Worker(worker) = choose_worker::choose(args, &config, &order, || Ok(0))? {
            reports(args, &config, &worker)?;
        }
        // Any of its gates may need the Fitter.
        if at == 0 && restores {
            let handoff = Handoff { template: choose_worker::FITTER.to_owned(), ..Handoff::default() };
            let order = Order { handoff: Some(handoff), ..order };
            choose_worker::choose(args, &config, &order, || Ok(0))?;
        }
    }
    Ok(Exit::Ok)
}

/// Refuses a worker that reports nothing against a budget of the run.
fn reports(args: &Args, config: &Config, worker: &Worker) -> Result<(), Fail> {
    let name = &worker.name;
    let own = match &worker.how {
        How::Shell => return Ok(()),
        // What a record holds that the configuration names is known only when it is there.
        How::Command { .. } if worker.rule.transcript.is_some() => Reports::Cost,
        _ => worker.adapter.reports,
    };
    if args.reports.contains(&Use::Tokens) && own == Reports::Nothing {
        let message = format!(
            "the worker '{name}' reports no tokens, so no budget of tokens can be kept: use --budget-attempts or \
             --budget-time, or name its record with 'transcript' below [workers.{name}]"
        );
        return Err(Fail::data("reports-no-tokens", message));
    }
    let has_price = [worker.wanted.as_deref(), Some(name)]
        .into_iter()
        .flatten()
        .any(|row| config.prices.contains_key(row));
    if args.reports.contains(&Use::Cost) && own != Reports::Cost {
        let price = format!("[prices.{name}]\ninput = DOLLARS\noutput = DOLLARS");
        let next = match own {
            Reports::Nothing => {
                "use --budget-attempts or --budget-time, or name its record with 'transcript'".to_owned()
            }
            _ if has_price => return Ok(()),
            _ => format!(
                "use --budget-tokens, or say in plantools.toml what a million tokens cost, for example:\n{price}"
            ),
        };
        let message = format!("the worker '{name}' reports no cost, so no budget of it can be kept: {next}");
        return Err(Fail::data("reports-no-cost", message));
    }
    Ok(())
}

fn command_line(job: &Job) -> String {
    let mut text = format!("cd {} &&", quoted(job.cwd.as_os_str()));
    for (name, value) in &job.env {
        let _ = write!(text, " {}={}", name.to_string_lossy(), quoted(value));
    }
    for word in &job.argv {
        let _ = write!(text, " {}", quoted(word));
    }
    if let Stdin::File(path) = &job.stdin {
        let _ = write!(text, " < {}", quoted(path.as_os_str()));
    }
    text
}

/// A word quoted for a shell.
fn quoted(word: &OsStr) -> String {
    let word = word.to_string_lossy();
    let plain = |c: char| c.is_ascii_alphanumeric() || "_-./:=@%+,".contains(c);
    if !word.is_empty() && word.chars().all(plain) {
        return word.into_owned();
    }
    format!("'{}'", word.replace('\'', r"'\''"))
}
