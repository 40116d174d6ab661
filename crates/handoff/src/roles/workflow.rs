//! Additions for a task of a `workflow` session: the path of its file, its package, and the steps before the work.

use crate::case::Case;
use crate::packet::context_package::{self, Package};
use crate::packet::{package_rules, variables};
use crate::prompt::block::Block;
use crate::prompt::quote::{below, code, code_or_fence, line};
use crate::prompt::rows::item;
use crate::prompt::slots::rank;
use crate::prompt::template::Slots;
use serde_json::Value;
use std::fmt::Write;
use toolkit::Fail;

/// Adds the package.
pub(crate) fn add(case: &Case<'_>, slots: &mut Slots) -> Result<(), Fail> {
    let package = Package::of(case)?;
    let packet = case.packet_path();
    let paths = context_package::paths(&case.order.plan.path, &case.sheet.task);
    for (name, slot) in [("task_json_path", "task_json"), ("workflow_dir", "workflow_dir")] {
        let path = paths.iter().find(|(key, _)| *key == name).map_or("", |(_, path)| path);
        slots.word(slot, code(if path.is_empty() { "." } else { path }));
    }
    let shown = paths
        .iter()
        .map(|(name, path)| format!("- {name}: {}", code(if path.is_empty() { "." } else { path })));
    slots.block(Block::parts("session_paths", rank::NEEDED, shown.collect()));
    let steps = variables::preparing(&case.sheet.task).iter().map(step).collect();
    slots.block(Block::parts("pre_analysis", rank::STEPS, steps).in_file(packet.clone()));
    let artifacts = package.artifact_paths().into_iter().map(|(name, path, priority)| {
        let priority = if priority.is_empty() { String::new() } else { format!(", {}", line(&priority)) };
        format!("- {} ({}{priority})", code(&path), line(&name))
    });
    slots.block(Block::parts("artifacts", rank::ELSEWHERE, artifacts.collect()).in_file(packet.clone()));
    slots
        .block(Block::parts("dependencies", rank::ELSEWHERE, dependencies(&package)).in_file(packet.clone()));
    slots.block(
        Block::parts("requirements", rank::NEEDED, requirements(&package.task)).in_file(packet.clone()),
    );
    let rules = package_rules::check(case, &package);
    let open = rules.iter().filter(|ruled| !ruled.missing.is_empty());
    let open = open.map(|ruled| format!("- {}: {}", ruled.rule, line(&ruled.missing.join("; "))));
    let open: Vec<String> = open.collect();
    if !open.is_empty() {
        let head = "It is not complete; do without what is missing, and say so if you cannot:\n".to_owned();
        slots.block(
            Block::parts("package_rules", rank::LISTS, std::iter::once(head).chain(open).collect())
                .in_file(packet),
        );
    }
    Ok(())
}

/// A step before the work, as in the task file.
fn step(step: &variables::Step) -> String {
    let mut out = format!("- {}", code(&step.name));
    if let Some(name) = &step.declares {
        // Writing to a string cannot fail; the same below.
        let _ = write!(out, ", output to {}", code(&format!("[{name}]")));
    }
    if !step.on_error.is_empty() {
        let _ = write!(out, ", on error: {}", line(&step.on_error));
    }
    for text in &step.does {
        let _ = write!(out, "\n  -{}", code_or_fence(text));
    }
    out
}

/// The earlier tasks, with their results for this one.
fn dependencies(package: &Package) -> Vec<String> {
    let text =
        |entry: &Value, key: &str| entry.get(key).and_then(Value::as_str).unwrap_or_default().to_owned();
    let row = |entry: &Value| {
        let head = format!("- {}: {}", code(&text(entry, "id")), line(&text(entry, "title")));
        match text(entry, "summary").as_str() {
            "" => format!("{head}; it left no summary"),
            summary => {
                let path = code(&text(entry, "summary_path"));
                format!("{head}; its summary, {path}:{}", below("markdown", summary))
            }
        }
    };
    package.dependencies.iter().map(row).collect()
}

fn requirements(file: &Value) -> Vec<String> {
    let list = ["/context/requirements", "/requirements"].iter().find_map(|at| file.pointer(at)?.as_array());
    let several = list.into_iter().flatten().filter_map(Value::as_str).map(item);
    let one = ["/description", "/context/description", "/context/task_description"];
    let one = one.iter().find_map(|at| file.pointer(at)?.as_str()).map(item);
    one.into_iter().chain(several).collect()
}
