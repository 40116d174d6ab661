//! The reports of a runbook: its orchestrator's final message, and its progress file.

use super::figures::{bullets, false_claims, figures, is_complete, place, standing};
use crate::plain_text::{count, plain};
use crate::survey::{self, OpenedPlan};
use config::profile::Profile;
use config::stop_words;
use std::fmt::Write;
use std::path::Path;
use toolkit::Fail;
use toolkit::files::root::{Home, inside};
use toolkit::files::{fs, lock};
use wire::Plan;
use wire::history::Attempt;
use wire::plan::Kind;
use wire::report::{Line, Report, Stand};

/// The orchestrator's final message.
pub(crate) fn completion(plan: &Plan, report: &Report) -> String {
    let mut out = String::new();
    // A step that waits for another has not failed.
    let told = |line: &&Line| !matches!(line.stand, Stand::Pending | Stand::Blocked);
    for line in report.tasks.iter().filter(told) {
        let place = place(report, line).map_or_else(String::new, |place| format!(" ({place})"));
        let _ = writeln!(out, "{}{place}", step(line));
    }
    let numbers = report.numbers.clone().unwrap_or_default();
    let (done, all) = steps(report);
    let reviews = Reviews::of(plan, report);
    if !is_complete(report) {
        let blocked = report.tasks.iter().find(|line| is_failed(line));
        let at = blocked.map_or_else(String::new, |line| format!(" at {}", name(line)));
        let _ = write!(out, "\n**Execution Stopped**{at}\n\n{done} of {} completed.\n", count(all, "step"));
    } else if let Some(open) = reviews.open.first() {
        let _ = write!(
            out,
            "\n**Execution Stopped** at the reviews\n\nAll {} completed; {}.\n",
            count(done, "step"),
            plain(open)
        );
    } else if let Some(open) = report.open.first() {
        let _ = write!(
            out,
            "\n**Execution Stopped** at the end\n\nAll {} completed; {}.\n",
            count(done, "step"),
            plain(open)
        );
    } else {
        let _ =
            write!(out, "\n**Execution Complete**\n\nAll {} completed successfully.\n", count(done, "step"));
    }
    if let Some(line) = report.tasks.iter().find(|line| is_failed(line)) {
        stopped(&mut out, plan, line, report);
    }
    let unproved = standing(&numbers, Stand::Unverified) + standing(&numbers, Stand::Overridden);
    if unproved > 0 {
        let _ = writeln!(out, "\n{} done without proof.", count(unproved, "step"));
    }
    let reports = reports(plan, report);
    if !reports.is_empty() {
        out.push_str("\nReports:\n");
        bullets(&mut out, &reports);
    }
    if !reviews.there.is_empty() {
        out.push_str("\nReviews:\n");
        bullets(&mut out, &reviews.there);
    }
    out.push_str("\nCreated artifacts:\n");
    let there: Vec<String> = report.files.iter().filter(|path| is_there(plan, path)).cloned().collect();
    bullets(&mut out, &there);
    let claims = false_claims(report);
    if !claims.is_empty() {
        out.push_str("\nClaimed and not true:\n");
        bullets(&mut out, &claims);
    }
    out.push_str("\nFigures:\n");
    bullets(&mut out, &figures(report));
    if is_complete(report) && reviews.open.is_empty() && report.open.is_empty() {
        let _ = writeln!(out, "\nNext action: {}", next(plan));
    }
    out
}

fn is_tdd(plan: &Plan) -> bool {
    plan.extra.get("type").is_some_and(|kind| kind == "tdd")
}

/// The reports of the steps that were written, each with the diagnostic of its step.
fn reports(plan: &Plan, report: &Report) -> Vec<String> {
    let mut out = Vec::new();
    for line in &report.tasks {
        out.extend(line.report.clone().filter(|path| is_there(plan, path)));
        let diagnostic = diagnostic(plan, line);
        if is_there(plan, &diagnostic) {
            out.push(format!("{diagnostic} (escalation)"));
        }
    }
    out
}

/// Where the diagnostic of a step stands.
fn diagnostic(plan: &Plan, line: &Line) -> String {
    let key = wire::ids::key_of(line.id.as_str()).replace('.', "-");
    in_folder(plan, &format!("reports/step-{key}-diagnostic.md"))
}

/// A name in the folder of the runbook, as seen from the root.
fn in_folder(plan: &Plan, name: &str) -> String {
    let path = plan.source.path.trim_end_matches('/');
    let folder = if Path::new(path).extension().is_some() {
        path.rsplit_once('/').map_or("", |(folder, _)| folder)
    } else {
        path
    };
    if folder.is_empty() || folder == "." { name.to_owned() } else { format!("{folder}/{name}") }
}

fn is_there(plan: &Plan, path: &str) -> bool {
    inside(Path::new(&plan.source.root), path).is_ok_and(|path| path.is_file())
}

/// The reviews that follow the steps of a test-driven runbook.
#[derive(Default)]
struct Reviews {
    /// Those that were written.
    there: Vec<String>,
    /// Why the reviews are not done.
    open: Vec<String>,
}

impl Reviews {
    /// The reviews of a runbook whose steps are done; other runbooks have none.
    fn of(plan: &Plan, report: &Report) -> Self {
        let mut reviews = Self::default();
        if !is_tdd(plan) || !is_complete(report) {
            return reviews;
        }
        let halts = Self::halts(plan).unwrap_or_default();
        for name in ["vet-review", "tdd-process-review"] {
            let path = in_folder(plan, &format!("reports/{name}.md"));
            if let Some(halt) = halts.iter().find(|(report, _)| *report == path).map(|(_, halt)| halt) {
                let says = if is_there(plan, &path) { "says" } else { "is missing" };
                reviews.open.push(format!("the review {path} {says}: {}", quoted(halt)));
                reviews.there.extend(Some(path.clone()).filter(|path| is_there(plan, path)));
                continue;
            }
            let file = inside(Path::new(&plan.source.root), &path).ok();
            let text = file.and_then(|file| fs::read_if_there(&file).ok().flatten());
            let Some(text) = text.map(|bytes| String::from_utf8_lossy(&bytes).into_owned()) else {
                reviews.open.push(format!("the review {path} is missing"));
                continue;
            };
            let unfixable = Profile::of_dialect(&plan.source.dialect)
                .ok()
                .and_then(|profile| stop_words::unfixable_in(profile, &text).into_iter().next());
            reviews.open.extend(unfixable.map(|words| format!("the review {path} says: {words}")));
            reviews.there.push(path);
        }
        reviews
    }
}

impl Reviews {
    /// The reports of the reviews that stopped, each with the reason: the reviews are a runbook of their own.
    fn halts(plan: &Plan) -> Result<Vec<(String, String)>, Fail> {
        let root = Path::new(&plan.source.root);
        let run = lock::of_run(&Home::of(root)?, &root.join(&plan.source.path))?;
        let name = run.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let file = root.join(".plantools/reviews").join(name).join("runbook.md");
        if !file.is_file() {
            return Ok(Vec::new());
        }
        let lines = survey::of(&OpenedPlan::at(&file)?, None)?.tasks;
        Ok(lines.into_iter().filter_map(|line| Some((line.report?, line.halt?.message))).collect())
    }
}

fn next(plan: &Plan) -> &'static str {
    // Reviews of its own follow the steps of a test-driven runbook.
    if is_tdd(plan) {
        "commit what the reviews left"
    } else {
        "delegate to vet-fix-agent to review the changes, then commit"
    }
}

/// `Step 1.2`, `Phase 1 checkpoint`.
fn name(line: &Line) -> String {
    let id = plain(line.id.as_str());
    id.strip_prefix("checkpoint-")
        .map_or_else(|| format!("Step {id}"), |phase| format!("Phase {phase} checkpoint"))
}

/// `✓ Step 1: name - completed`.
fn step(line: &Line) -> String {
    let name = match line.kind {
        Kind::Checkpoint => plain(&line.title),
        _ => format!("{}: {}", name(line), plain(&line.title)),
    };
    match line.stand {
        Stand::Done => format!("✓ {name} - completed"),
        Stand::Unverified => format!("? {name} - marked completed, no proof on record"),
        Stand::Overridden => {
            format!(
                "? {name} - completed by decision: {}",
                plain(line.reason.as_deref().unwrap_or("no reason"))
            )
        }
        Stand::Skipped => format!("- {name} - skipped"),
        Stand::Running => format!("▶ {name} - running"),
        Stand::Human => format!("✗ {name} - waits for a person{}", why(line)),
        Stand::Blocked => format!("✗ {name} - blocked{}", why(line)),
        Stand::Failed => format!("✗ {name} - failed{}", why(line)),
        Stand::Waiting => format!("☞ {name} - waits for acceptance{}", why(line)),
        Stand::Pending => format!("· {name} - not begun"),
    }
}

fn why(line: &Line) -> String {
    cause(line).map_or_else(String::new, |cause| format!(": {}", plain(cause)))
}

/// Why it was given up, else why its last attempt failed.
fn cause(line: &Line) -> Option<&str> {
    let given_up = line.reason.as_deref().filter(|_| line.stand == Stand::Failed);
    given_up.or_else(|| line.halt.as_ref().map(|halt| halt.message.as_str()))
}

fn is_failed(line: &Line) -> bool {
    matches!(line.stand, Stand::Failed | Stand::Human)
}

/// The halts whose message says what is needed.
const NEEDS: [&str; 4] = ["blocked", "design", "unfixable", "unexpected"];

/// The worker's own words in a message that quotes them.
fn quoted(message: &str) -> &str {
    let words = message.split_once('"').and_then(|(_, rest)| rest.rsplit_once('"')).map(|(words, _)| words);
    words.filter(|words| !words.is_empty()).unwrap_or(message)
}

/// The failure, the attempts, what is needed, and the completed steps.
fn stopped(out: &mut String, plan: &Plan, line: &Line, report: &Report) {
    let halt = line.halt.as_ref();
    let done: Vec<String> =
        report.tasks.iter().filter(|l| l.stand.is_settled()).map(|l| plain(l.id.as_str())).collect();
    let diagnostic = Some(diagnostic(plan, line)).filter(|path| is_there(plan, path));
    let needed = match halt {
        // The worker or the diagnostician said it, behind the word that stopped the step.
        Some(halt) if NEEDS.contains(&halt.code.as_str()) => plain(quoted(&halt.message)),
        Some(halt) if halt.retry && line.stand != Stand::Human && line.reason.is_none() => {
            "another attempt".to_owned()
        }
        _ => cause(line).map_or_else(|| "a person".to_owned(), |cause| format!("a person: {}", plain(cause))),
    };
    let needed = diagnostic.map_or(needed.clone(), |path| format!("{needed} (see {})", plain(&path)));
    let _ = write!(
        out,
        "\n- What failed: {}{}\n- What was attempted: {}\n- What is needed: {needed}\n- Completed steps: {}\n",
        name(line),
        why(line),
        attempted(line),
        if done.is_empty() { "none".to_owned() } else { done.join(", ") }
    );
}

/// Each attempt with its worker and its end; of a diagnosis that mended something, what it says.
fn attempted(line: &Line) -> String {
    let told = |attempt: &Attempt| {
        let mended = attempt.summary.trim();
        let is_mended = mended.get(..6).is_some_and(|start| start.eq_ignore_ascii_case("fixed:"));
        let halt = attempt.halt.as_ref().filter(|_| !is_mended).map(|halt| plain(&halt.message));
        let end = halt.unwrap_or_else(|| if is_mended { plain(mended) } else { "not ended".to_owned() });
        format!("attempt {} by {}: {end}", attempt.number, plain(&attempt.worker))
    };
    let all: Vec<String> = line.history.iter().map(told).collect();
    if all.is_empty() { "nothing".to_owned() } else { all.join("; ") }
}

/// The progress file in the form of the source.
pub(crate) fn progress(plan: &Plan, report: &Report) -> String {
    let title = if report.title.is_empty() { &report.plan } else { &report.title };
    let blocked = report.tasks.iter().find(|line| is_failed(line));
    let status = match blocked {
        Some(_) => "Blocked",
        None if is_complete(report) => "Completed",
        None => "In Progress",
    };
    let started = report.tasks.iter().filter_map(|line| line.begun_at.as_deref()).min().unwrap_or("not yet");
    let mut out = format!(
        "# Runbook Execution Progress\n\n**Runbook**: {}\n**Started**: {started}\n**Status**: {status}\n\n## Step Execution\n\n",
        plain(title)
    );
    for line in report.tasks.iter().filter(|line| line.stand.is_settled() || is_failed(line)) {
        entry(&mut out, plan, line, place(report, line));
    }
    let failed = report.tasks.iter().filter(|line| is_failed(line)).count();
    let current = blocked.map_or_else(|| status.to_owned(), |line| format!("Blocked on {}", name(line)));
    let _ = write!(
        out,
        "\n## Summary\n\nSteps completed: {}/{}\nSteps failed: {failed}\nCurrent status: {current}\n",
        steps(report).0,
        steps(report).1
    );
    out
}

fn entry(out: &mut String, plan: &Plan, line: &Line, place: Option<String>) {
    let (sign, word) = match line.stand {
        Stand::Done => ("✓", "Completed"),
        Stand::Unverified => ("✓", "Completed (no proof on record)"),
        Stand::Overridden => ("✓", "Completed (by decision)"),
        Stand::Skipped => ("✓", "Skipped"),
        _ => ("✗", "Failed"),
    };
    let at = line.last_at.as_deref().unwrap_or("an unknown time");
    let _ = writeln!(out, "- {sign} {}: {} - {word} at {at}", name(line), plain(&line.title));
    if let Some(report) = line.report.as_ref().filter(|path| is_there(plan, path)) {
        let _ = writeln!(out, "  - Report: {}", plain(report));
    }
    if let Some(place) = place {
        let _ = writeln!(out, "  - Carried out {place}");
    }
    if is_failed(line) {
        if let Some(halt) = &line.halt {
            let _ = writeln!(out, "  - Error: {}", plain(&halt.message));
        }
        if line.stand == Stand::Human {
            out.push_str("  - Escalated to: user\n");
        }
    }
}

/// How many steps are done, and how many there are. A checkpoint is no step.
fn steps(report: &Report) -> (u32, u32) {
    let steps =
        || report.tasks.iter().filter(|line| !matches!(line.kind, Kind::Container | Kind::Checkpoint));
    let done = steps().filter(|line| line.stand.is_settled()).count();
    (survey::figures::count(done), survey::figures::count(steps().count()))
}
