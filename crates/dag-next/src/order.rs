//! The orders of a round, with each task's own bytes in them.

use crate::choose::pick::{Picked, Table};
use serde::Serialize;
use toolkit::Fail;
use toolkit::stream::input::MAX_LINE;
use wire::order::{LastHold, PlanRef};

/// One line for each task that is handed out.
pub(crate) fn lines(table: &Table<'_>, picked: &Picked) -> Result<String, Fail> {
    let source = &table.sheet.source;
    let plan = PlanRef {
        path: source.path.clone(),
        dialect: source.dialect.clone(),
        root: source.root.clone(),
        sha256: source.sha256.clone(),
    };
    let head =
        format!(r#"{{"schema":"order/1","run":{},"plan":{},"task":"#, json(table.terms.run)?, json(&plan)?);
    let critical = table.view.chains(true).on_critical_path();
    let mut out = String::new();
    for &i in &picked.ready {
        let begin = out.len();
        out.push_str(&head);
        line(&mut out, table, i, &picked.rule, critical[i])?;
        if (out.len() - begin) as u64 > MAX_LINE {
            let id = &*table.item(i).id;
            let message = format!("the order of task '{id}' would be a line longer than 4 MiB");
            return Err(Fail::data("line-too-long", message));
        }
    }
    Ok(out)
}

/// The rest of an order, from the task on.
fn line(out: &mut String, table: &Table<'_>, i: usize, rule: &str, critical: bool) -> Result<(), Fail> {
    let ready = table.order(i, rule, critical);
    // A plan that was indented for people has line breaks between its tokens, and nowhere else.
    out.extend(table.sheet.raw(table.item(i))?.split(['\n', '\r']));
    let attempt = json(&ready.attempt)?;
    for (name, value) in [
        ("attempt", Some(attempt)),
        ("why", Some(json(&ready.why)?)),
        ("resume", ready.resume.as_ref().map(json).transpose()?),
        ("last_failure", ready.last_failure.as_ref().map(json).transpose()?),
        ("mend", Some(&table.standing(i).mend).filter(|mend| !mend.is_empty()).map(json).transpose()?),
        ("last_hold", last_hold(table, i).as_ref().map(json).transpose()?),
        ("follow", table.given.follow.then(|| "true".to_owned())),
    ] {
        if let Some(value) = value {
            for part in [",\"", name, "\":", &value] {
                out.push_str(part);
            }
        }
    }
    out.push_str("}\n");
    Ok(())
}

/// Where others carry out the same plan: the claim that the order comes after.
fn last_hold(table: &Table<'_>, i: usize) -> Option<LastHold> {
    let hold = table.standing(i).hold.as_ref().filter(|_| table.given.shared)?;
    Some(LastHold { number: hold.number, beat: (table.terms.last_beat)(&hold.owner) })
}

fn json(value: &impl Serialize) -> Result<String, Fail> {
    serde_json::to_string(value).map_err(|e| Fail::data("bad-order", e.to_string()))
}
