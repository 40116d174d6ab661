//! The ORCHESTRATION COMPLETE report.

use super::figures::{evidence, false_claims, figures, is_complete, made_true, sign, standing, words};
use crate::plain_text::plain;
use std::collections::BTreeMap;
use std::fmt::Write;
use wire::Plan;
use wire::report::{Report, Stand};

const RULE: &str = "═══════════════════════════════════════════════════════════";

/// The report of a whole plan.
pub(crate) fn write(_: &Plan, report: &Report) -> String {
    let title = match is_complete(report) {
        true if report.open.is_empty() => "ORCHESTRATION COMPLETE",
        // Every task is done, but something else is open.
        true => "ORCHESTRATION INCOMPLETE",
        false => "ORCHESTRATION STOPPED",
    };
    let numbers = report.numbers.clone().unwrap_or_default();
    let of = |stand| standing(&numbers, stand);
    let mut out = String::new();
    // Writing to a string cannot fail; the same below.
    let _ = write!(
        out,
        "{RULE}\n                    {title}\n{RULE}\n\nPLAN: {}\nMODE: {}\n",
        plain(&report.plan),
        plain(report.mode.as_deref().unwrap_or("Local"))
    );
    let found = evidence(&numbers);
    if !found.is_empty() {
        let _ = writeln!(out, "EVIDENCE: {found}");
    }
    out.push('\n');
    out.push_str("TASK SUMMARY:\n");
    figure(&mut out, "Total TODOs", numbers.tasks);
    figure(&mut out, "Completed", of(Stand::Done) + of(Stand::Unverified) + of(Stand::Overridden));
    figure(&mut out, "Failed", of(Stand::Failed));
    for (name, stand) in [
        ("Not verified", Stand::Unverified),
        ("Overridden", Stand::Overridden),
        ("Skipped", Stand::Skipped),
        ("Blocked", Stand::Blocked),
        ("Waiting for a person", Stand::Human),
        ("Waiting for acceptance", Stand::Waiting),
        ("Not begun", Stand::Pending),
        ("Running", Stand::Running),
    ] {
        // The first two are always shown: a zero is information.
        if of(stand) > 0 || matches!(stand, Stand::Unverified | Stand::Overridden) {
            figure(&mut out, name, of(stand));
        }
    }
    out.push('\n');
    figure(&mut out, "Acceptance Criteria", numbers.criteria);
    figure(&mut out, "Verified & Checked", numbers.passed);
    figure(&mut out, "Left to a person", numbers.manual);
    out.push_str("\nTASKS:\n");
    for line in &report.tasks {
        let name = format!("{} {} {}", sign(line.stand), plain(line.id.as_str()), plain(&line.title));
        let _ = writeln!(out, "   {name} ({})", words(report, line));
        for made in made_true(line) {
            let _ = writeln!(out, "       {made}");
        }
    }
    out.push('\n');
    list(&mut out, "FILES MODIFIED", &report.files);
    list(&mut out, "LEARNINGS ACCUMULATED", &report.learnings);
    list(&mut out, "ISSUES DISCOVERED", &report.issues);
    list(&mut out, "ACCEPTANCE CRITERIA", &categories(report));
    let claims = false_claims(report);
    if !claims.is_empty() {
        list(&mut out, "CLAIMED AND NOT TRUE", &claims);
    }
    let deferred = report.goals.iter().filter_map(|goal| Some((&goal.text, goal.deferred.as_ref()?)));
    let deferred: Vec<_> = deferred.map(|(text, why)| format!("{text} ({why})")).collect();
    if !deferred.is_empty() {
        list(&mut out, "DEFERRED", &deferred);
    }
    if !report.open.is_empty() {
        list(&mut out, "STILL OPEN", &report.open);
    }
    list(&mut out, "FIGURES", &figures(report));
    let _ = writeln!(out, "{RULE}");
    out
}

/// Each category with its verdict over all tasks: a pass only if all of it passed.
fn categories(report: &Report) -> Vec<String> {
    let mut found: BTreeMap<String, BTreeMap<&str, u32>> = BTreeMap::new();
    for check in report.tasks.iter().flat_map(|line| &line.checks) {
        let name = if check.category.is_empty() { "other" } else { &check.category };
        *found.entry(capital(&plain(name))).or_default().entry(&check.status).or_default() += 1;
    }
    let told = |(name, by): (String, BTreeMap<&str, u32>)| {
        let all: u32 = by.values().sum();
        let passed = by.get("pass").copied().unwrap_or(0);
        let failed = by.get("fail").or(by.get("fault")).copied().unwrap_or(0);
        let rest: Vec<String> = by
            .iter()
            .filter(|(status, _)| **status != "pass")
            .map(|(status, n)| format!("{n} {status}"))
            .collect();
        match () {
            () if passed == all => format!("{name}: PASS (all TODOs)"),
            () if failed > 0 => format!("{name}: FAIL ({passed} of {all} passed, {})", rest.join(", ")),
            () if passed == 0 => format!("{name}: NOT MEASURED ({})", rest.join(", ")),
            () if by.contains_key("open") => {
                format!("{name}: OPEN ({passed} of {all} passed, {})", rest.join(", "))
            }
            () => format!("{name}: PASS ({passed} of {all}, {})", rest.join(", ")),
        }
    };
    let mut found: Vec<_> = found.into_iter().collect();
    found.sort_by_key(|(name, _)| ORDER.iter().position(|known| known == name).unwrap_or(ORDER.len()));
    found.into_iter().map(told).collect()
}

/// The categories in the order of the source's report; others follow by name.
const ORDER: [&str; 3] = ["Functional", "Static", "Runtime"];

fn capital(word: &str) -> String {
    let mut chars = word.chars();
    chars.next().map_or_else(String::new, |first| first.to_uppercase().chain(chars).collect())
}

fn figure(out: &mut String, name: &str, value: u32) {
    let _ = writeln!(out, "   {:<24}{value:>4}", format!("{name}:"));
}

fn list(out: &mut String, name: &str, items: &[String]) {
    let _ = writeln!(out, "{name}:");
    if items.is_empty() {
        out.push_str("   (none)\n");
    }
    for item in items {
        let _ = writeln!(out, "   - {}", plain(item));
    }
    out.push('\n');
}
