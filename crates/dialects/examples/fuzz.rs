//! Reads damaged plans for a while and looks for a broken law.
//!
//! `cargo run --release -p dialects --example fuzz -- SECONDS [SEEDDIR] [NUMBER]`
//!
//! Each text is a seed (a piece of a plan below, or a file of SEEDDIR) with a few random changes. Laws: no panic; every
//! span lies in the file; a mark replaced by itself is the identity; a tick changes one state and no fingerprint; no
//! line that looks like a task is unaccounted for. The first text that breaks one is kept in the folder for
//! temporary files, and the exit is 1. NUMBER seeds the changes, so that a run can be repeated.

use dialects::{Outline, Taken, Text, blanked, body, explain, read, set_mark, unchecked};
use std::io::Write;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::{Duration, Instant};
use wire::Plan;

fn main() -> ExitCode {
    let mut words = std::env::args().skip(1);
    let seconds = words.next().and_then(|word| word.parse().ok()).unwrap_or(10);
    let seeds = seeds(words.next().as_deref().map(Path::new));
    let mut chance = Chance(words.next().and_then(|word| word.parse().ok()).unwrap_or(1));
    let end = Instant::now() + Duration::from_secs(seconds);
    let (mut runs, mut plans, mut slowest) = (0u64, 0u64, Duration::ZERO);
    // A panic is reported once, by us.
    std::panic::set_hook(Box::new(|_| {}));
    while Instant::now() < end {
        let bytes = mutate(&seeds, &mut chance);
        let began = Instant::now();
        let luck = chance.next();
        let outcome = catch_unwind(AssertUnwindSafe(|| try_one(&bytes, luck)));
        slowest = slowest.max(began.elapsed());
        runs += 1;
        match outcome {
            Ok(Ok(is_plan)) => plans += u64::from(is_plan),
            Ok(Err(law)) => return broken(&law, &bytes, runs),
            Err(_) => return broken("it panics", &bytes, runs),
        }
    }
    let line =
        format!("{runs} texts, {plans} plans, {} seeds, slowest {slowest:?}: no law broken", seeds.len());
    let _ = writeln!(std::io::stdout(), "{line}");
    ExitCode::SUCCESS
}

/// Whether the text is a plan; the law that it breaks is the error.
fn try_one(bytes: &[u8], luck: usize) -> Result<bool, String> {
    let text = Text { path: "PLAN.md", bytes };
    if let Some(dialect) = dialects::table().get(luck % dialects::table().len()) {
        let _ = read(&text, Some(dialect.name));
    }
    if let Ok(plan) = unchecked(&text, None) {
        accounted(&text, &plan)?;
    }
    let Ok(plan) = read(&text, None) else { return Ok(false) };
    inside(&plan, bytes)?;
    let boxes: Vec<usize> = (0..plan.tasks.len()).filter(|at| plan.tasks[*at].mark.is_some()).collect();
    for round in 0..boxes.len().min(3) {
        tick(&plan, bytes, boxes[(luck + round * 7) % boxes.len()])?;
    }
    Ok(true)
}

fn accounted(text: &Text, plan: &Plan) -> Result<(), String> {
    if !matches!(plan.source.dialect.as_str(), "plan-md" | "checklist") {
        return Ok(());
    }
    let lost = explain(&Outline::new(text), plan).into_iter().find(|account| account.taken == Taken::Unknown);
    lost.map_or(Ok(()), |account| Err(format!("line {} is unaccounted for: {}", account.line, account.text)))
}

fn inside(plan: &Plan, bytes: &[u8]) -> Result<(), String> {
    let tasks = plan.tasks.iter().flat_map(|task| std::iter::once(&task.span).chain(task.mark.as_ref()));
    let criteria = plan.tasks.iter().flat_map(|task| &task.criteria).chain(&plan.gates).map(|c| &c.span);
    for span in tasks.chain(criteria).chain(plan.notes.iter().map(|note| &note.span)) {
        if span.start > span.end || span.end > bytes.len() as u64 {
            return Err(format!("a span is outside the file: {span:?}"));
        }
    }
    Ok(())
}

fn tick(plan: &Plan, bytes: &[u8], index: usize) -> Result<(), String> {
    let task = &plan.tasks[index];
    let Some(mark) = &task.mark else { return Ok(()) };
    if let Ok(same) = str::from_utf8(body(bytes, mark))
        && set_mark(bytes, mark, same) != bytes
    {
        return Err(format!("the mark of '{}' is not the bytes of its span", task.id));
    }
    if body(bytes, mark) != b" " {
        return Ok(());
    }
    let ticked = set_mark(bytes, mark, "x");
    let after = read(&Text { path: "PLAN.md", bytes: &ticked }, None).map_err(|fail| fail.to_string())?;
    if after.source.dialect != plan.source.dialect || after.tasks.len() != plan.tasks.len() {
        return Err(format!("ticking '{}' makes another plan", task.id));
    }
    for (number, (old, new)) in plan.tasks.iter().zip(&after.tasks).enumerate() {
        if old.fingerprint != new.fingerprint || old.id != new.id || old.depends_on != new.depends_on {
            return Err(format!("ticking '{}' changes task '{}'", task.id, old.id));
        }
        if number != index && old.state != new.state {
            return Err(format!("ticking '{}' changes the state of '{}'", task.id, old.id));
        }
    }
    let same = blanked(plan, "PLAN.md", bytes) == blanked(&after, "PLAN.md", &ticked);
    if same { Ok(()) } else { Err(format!("ticking '{}' changes the blanked text", task.id)) }
}

fn broken(law: &str, bytes: &[u8], runs: u64) -> ExitCode {
    let path = std::env::temp_dir().join(format!("dialects-fuzz-{}", std::process::id()));
    let kept = std::fs::File::create(&path).and_then(|mut file| file.write_all(bytes));
    let place = if kept.is_ok() { path.display().to_string() } else { "nowhere".to_owned() };
    let _ = writeln!(std::io::stdout(), "text {runs}: {law}; kept in {place}");
    ExitCode::FAILURE
}

/// Pieces that plans are made of; damaged texts are put together from them too.
const PIECES: &[&str] = &[
    "### [ ] TODO 1: do\n",
    "### [x] TODO 2a: do ✅ 2026-04-15\n",
    "#### [~] P0-2b: do — **removed**\n",
    "- [ ] ",
    "- [x] ",
    "> - [ ] quoted\n",
    "  - [ ] nested\n",
    "**Type**: work\n",
    "**Steps**:\n",
    "**Acceptance Criteria**:\n",
    "*Static:*\n",
    "**Inputs**:\n- `a` (file): `${todo-1.outputs.a}`\n",
    "**Outputs**:\n- `a` (file): `a.txt`\n",
    "**Verify**:\n```yaml\n",
    "commands:\n  - run: \"x\"\n    expect: \"exit 0\"\n",
    "```\n",
    "~~~\n",
    "<!--\n",
    "-->\n",
    "---\n",
    "# Title\n",
    "## TODOs\n",
    "## Dependency Graph\n\n",
    "## Commit Strategy\n\n",
    "## Parallelization\n\n",
    "\u{feff}",
    "\r\n",
    "\r",
    "\t",
    "    ",
    "| TODO | Requires | Produces |\n|--|--|--|\n| 1 | todo-2~5, all | `a` |\n",
    "`",
    "~~",
    "\\|",
    "→",
    "한국어",
    "\0",
    "[",
    "]",
    "| After TODO | Message | Files | Condition |\n|--|--|--|--|\n| 1+2 | `m` | `a, b/*` | always |\n",
    "`test -f a` → exit 0\n",
    "| A | TODO 3 → 4 → 5, Group A |\n",
    "1. [ ] ",
    "[]",
    "[?]",
    "## Phase 1: x\n",
    "### Step 1.2: x\n",
    "{\"a\":",
    "[[[[",
];

fn mutate(seeds: &[Vec<u8>], chance: &mut Chance) -> Vec<u8> {
    let mut bytes = seeds.get(chance.below(seeds.len())).cloned().unwrap_or_default();
    for _ in 0..=chance.below(6) {
        let at = chance.below(bytes.len() + 1);
        let to = (at + chance.below(64)).min(bytes.len());
        match chance.below(9) {
            0 => bytes.truncate(at.max(1)),
            1 => drop(bytes.drain(at..to)),
            2 => {
                let twice = bytes.get(at..to).unwrap_or_default().to_vec();
                bytes.splice(at..at, twice);
            }
            3 => {
                let other = seeds.get(chance.below(seeds.len())).map_or(&[][..], Vec::as_slice);
                let from = chance.below(other.len() + 1);
                let until = (from + chance.below(400)).min(other.len());
                bytes.splice(at..at, other.get(from..until).unwrap_or_default().iter().copied());
            }
            4 => bytes = String::from_utf8_lossy(&bytes).replace('\n', "\r\n").into_bytes(),
            5 => {
                let byte = u8::try_from(chance.below(256)).unwrap_or(0);
                bytes.splice(at..to.min(at + 1), [byte]);
            }
            _ => {
                let piece = PIECES.get(chance.below(PIECES.len())).copied().unwrap_or_default();
                bytes.splice(at..at, piece.bytes());
            }
        }
    }
    bytes
}

/// The seeds: a few pieces, and every file of the folder that is not too long.
fn seeds(folder: Option<&Path>) -> Vec<Vec<u8>> {
    let mut seeds = vec![PIECES.concat().into_bytes()];
    let mut left: Vec<PathBuf> = folder.into_iter().map(Path::to_path_buf).collect();
    while let Some(path) = left.pop() {
        if let Ok(entries) = std::fs::read_dir(&path) {
            left.extend(entries.flatten().map(|entry| entry.path()));
        } else if let Ok(bytes) = std::fs::read(&path)
            && bytes.len() < 64 << 10
        {
            seeds.push(bytes);
        }
    }
    seeds.sort();
    seeds.dedup();
    seeds
}

/// Numbers that look random (xorshift).
struct Chance(u64);

impl Chance {
    fn next(&mut self) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        usize::try_from(self.0 >> 16).unwrap_or(0)
    }

    fn below(&mut self, limit: usize) -> usize {
        self.next() % limit.max(1)
    }
}
