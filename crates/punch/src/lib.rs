//! `punch`: what was really done, and was it allowed?
//!
//! As a stage (`punch checkpoint`) orders go in and come out with `card`. Alone it lists the ledger and walks its
//! chain. Always true: evidence is what our own stages and the client's own record wrote, never what a worker
//! says; nothing to judge by is "no evidence", never a pass; without a card the order passes on and says so.

mod args;
mod card;
mod evidence;
mod ledger;

use args::{Args, Command};
use toolkit::config::ConfigArgs;
use toolkit::output::Output;
use toolkit::stage::{Desk, carry, order_of, set};
use toolkit::{Exit, Fail, tool};
use wire::OrderLine;
use wire::order::{Card, CardStatus, Category, Halt};
use wire::punch::Type;

/// The command.
pub fn main() -> std::process::ExitCode {
    tool::main::<Args>()
}

/// The command line, for manual pages and completions.
pub fn command() -> clap::Command {
    <Args as clap::CommandFactory>::command()
}

const STAGE: &str = "punch";

fn run(args: &Args, out: &mut Output) -> Result<Exit, Fail> {
    match &args.command {
        Some(Command::Checkpoint { file, card, config }) => {
            let desk = Desk::new(STAGE, &args.run)?;
            carry(file.as_deref(), out, |line| checkpoint(&desk, config, card.as_deref(), line))
        }
        Some(Command::List { folder, task, kind, of_run, text }) => {
            let wanted =
                ledger::Wanted { task: task.as_deref(), kind: kind.as_deref(), run: of_run.as_deref() };
            ledger::list(folder, &wanted, *text, out)
        }
        Some(Command::Verify { folder }) => ledger::verify(folder, out),
        None => Err(Fail::usage("say what to do: checkpoint, list or verify (see --help)")),
    }
}

/// Judges one order by its card and sets `card`.
fn checkpoint(
    desk: &Desk,
    config: &ConfigArgs,
    asked: Option<&str>,
    line: &mut OrderLine,
) -> Result<(), Fail> {
    let order = order_of(line)?;
    let config = config.load(std::path::Path::new(&order.plan.root))?;
    let Some(name) = asked.map(str::to_owned).or_else(|| config.defaults.card.clone()) else {
        return set(line, "card", &Card { status: CardStatus::None, ..Card::default() });
    };
    let rule = config.cards.get(&name).ok_or_else(|| {
        let known: Vec<_> = config.cards.keys().map(String::as_str).collect();
        Fail::data("unknown-card", format!("there is no card '{name}'; cards are {}", known.join(", ")))
    })?;
    let ledger = desk.ledger(&order)?;
    let evidence = evidence::gather(&order, &ledger.read()?)?;
    let card = card::judge(&name, rule, &evidence);
    let mut entry = desk.entry(&order, Type::Checkpoint, name.clone());
    entry.tree = order.verdict.as_ref().and_then(|v| v.tree.clone());
    entry.data = serde_json::json!({ "card": card });
    ledger.append(entry)?;
    let refused = (card.status != CardStatus::Pass).then(|| refusal(&name, &card));
    set(line, "card", &card)?;
    match refused {
        Some(halt) => desk.halt(line, &order, &halt),
        None => Ok(()),
    }
}

fn refusal(name: &str, card: &Card) -> Halt {
    let what = card.missing.iter().map(|m| format!("{m} is missing"));
    let what = what
        .chain(card.violations.iter().map(|v| format!("{v} is forbidden")))
        .collect::<Vec<_>>()
        .join(", ");
    let what = if what.is_empty() { "there is no evidence".to_owned() } else { what };
    Halt {
        stage: STAGE.into(),
        code: "card-not-met".into(),
        category: Category::CodeError,
        message: format!("card '{name}' is not met: {what}"),
        retry: true,
        counts: true,
        not_before: None,
    }
}
