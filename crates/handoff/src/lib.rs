//! `handoff`: what exactly does the worker need to know?
//!
//! In go orders, out come the same orders with `handoff`: a packet (everything as data) and a prompt
//! (everything as text), both files below `.plantools/work/`. Always true: the plan's own words are quoted,
//! never paraphrased; a reference that cannot be resolved is a halt, not a gap; what must not have changed
//! since the first attempt has not, or somebody accepted it on record.

mod args;
mod changes;
mod inputs;
mod packet;
mod prompt;
mod session;

use args::Args;
use dialects::Field;
use inputs::Resolved;
use std::path::Path;
use toolkit::output::Output;
use toolkit::root::Home;
use toolkit::stage::{Desk, carry, order_of, set};
use toolkit::{Exit, Fail, fs, redact::Redact, tool};
use wire::order::{Category, Halt, Handoff};
use wire::{Order, OrderLine, Plan, Task};

/// The command.
pub fn main() -> std::process::ExitCode {
    tool::main::<Args>()
}

/// The command line, for manual pages and completions.
pub fn command() -> clap::Command {
    <Args as clap::CommandFactory>::command()
}

const STAGE: &str = "handoff";

fn run(args: &Args, out: &mut Output) -> Result<Exit, Fail> {
    let desk = Desk::new(STAGE, &args.run)?;
    if args.prompt {
        return print_prompts(args, out);
    }
    carry(args.file.as_deref(), out, |line| hand_over(args, &desk, line))
}

/// `--prompt`: the prompts alone, for people; nothing is written.
fn print_prompts(args: &Args, out: &mut Output) -> Result<Exit, Fail> {
    let mut orders = toolkit::orders::Orders::new(toolkit::input::Input::open(args.file.as_deref())?);
    while let Some(toolkit::orders::Item::Order(line)) = orders.read()? {
        let order = order_of(&line)?;
        let sheet = Sheet::of(&order)?;
        let resolved = inputs::resolve(&sheet.task, &sheet.body, &sheet.outputs);
        out.text(&prompt::compose(&order, &sheet, &resolved))?;
    }
    Ok(Exit::Ok)
}

fn hand_over(args: &Args, desk: &Desk, line: &mut OrderLine) -> Result<(), Fail> {
    let order = order_of(line)?;
    let sheet = match Sheet::of(&order) {
        Err(fail) if fail.code == "plan-changed" => {
            return desk.halt(line, &order, &halt("plan-changed", Category::PlanError, fail.message));
        }
        other => other?,
    };
    if let Some(message) = changes::refuse(args, desk, &order, &sheet)? {
        return desk.halt(
            line,
            &order,
            &Halt { counts: false, ..halt("pin-changed", Category::PlanError, message) },
        );
    }
    let config = args.config.load(Path::new(&order.plan.root))?;
    if let Some((code, message)) = session::refuse(desk, &order, &sheet.plan, &config)? {
        return desk.halt(line, &order, &Halt { counts: false, ..halt(code, Category::PlanError, message) });
    }
    let resolved = inputs::resolve(&sheet.task, &sheet.body, &sheet.outputs);
    let redact = Redact::new(&config.redact.patterns)?;
    let handoff = write(&order, &sheet, &resolved, &redact)?;
    let unresolved = handoff.unresolved.clone();
    set(line, "handoff", &handoff)?;
    if let Some(first) = unresolved.first() {
        let message = format!("'{}' cannot be resolved: {}", first.reference, first.reason);
        let detail = serde_json::json!({ "unresolved": unresolved });
        return desk.halt_with(
            line,
            &order,
            &halt("unresolved-input", Category::PlanError, message),
            &detail,
        );
    }
    Ok(())
}

fn halt(code: &str, category: Category, message: String) -> Halt {
    Halt {
        stage: STAGE.into(),
        code: code.into(),
        category,
        message,
        retry: false,
        counts: true,
        not_before: None,
    }
}

/// The task as the plan has it now, its text, and what earlier tasks left.
pub(crate) struct Sheet {
    pub(crate) plan: Plan,
    pub(crate) task: Task,
    pub(crate) body: String,
    pub(crate) outputs: serde_json::Value,
    pub(crate) wisdom: Wisdom,
    pub(crate) blanked: String,
}

/// What earlier tasks left for later ones, as text.
#[derive(Default)]
pub(crate) struct Wisdom {
    pub(crate) learnings: String,
    pub(crate) issues: String,
    pub(crate) decisions: String,
}

impl Sheet {
    fn of(order: &Order) -> Result<Self, Fail> {
        let root = Path::new(&order.plan.root);
        let field = Field::of(&order.plan)?;
        let Some(task) = field.task(&order.task.id, &order.task.fingerprint).cloned() else {
            let message = format!("task '{}' is not in the plan as it was handed out", order.task.id);
            return Err(Fail::data("plan-changed", message));
        };
        let folder = dialects::context::dir(&order.plan.path, &order.plan.dialect);
        let text = |name: &str| -> Result<String, Fail> {
            let bytes = fs::read_if_there(&root.join(&folder).join(name))?;
            Ok(String::from_utf8_lossy(&bytes.unwrap_or_default()).into_owned())
        };
        let outputs = text("outputs.json")?;
        let outputs = if outputs.trim().is_empty() {
            serde_json::Value::Null
        } else {
            let place = format!("{folder}/outputs.json");
            serde_json::from_str(&outputs).map_err(|e| {
                Fail::data("bad-outputs", format!("no valid JSON: {e}")).at(place, e.line() as u64)
            })?
        };
        let wisdom = Wisdom {
            learnings: text("learnings.md")?,
            issues: text("issues.md")?,
            decisions: text("decisions.md")?,
        };
        let body = String::from_utf8_lossy(field.body(&task)).into_owned();
        let blanked = field.blanked();
        let plan = field.plan;
        Ok(Self { plan, task, body, outputs, wisdom, blanked })
    }
}

/// Writes packet and prompt, secrets masked.
fn write(order: &Order, sheet: &Sheet, resolved: &Resolved, redact: &Redact) -> Result<Handoff, Fail> {
    let root = Path::new(&order.plan.root);
    let home = Home::of(root)?;
    let folder = home.folder(&format!("work/{}/{}/{}", order.run, order.task.key, order.attempt))?;
    let prompt = redact.text(&prompt::compose(order, sheet, resolved));
    let packet = serde_json::to_string_pretty(&packet::compose(order, sheet, resolved))
        .map_err(|e| Fail::data("bad-packet", e.to_string()))?;
    Ok(Handoff {
        packet: fs::seal(root, &folder.join("packet.json"), redact.text(&packet).as_bytes())?,
        prompt: fs::seal(root, &folder.join("prompt.md"), prompt.as_bytes())?,
        inputs: resolved.values.clone(),
        unresolved: resolved.unresolved.clone(),
        left_out: Vec::new(),
    })
}
