//! How many checks of real plans are judged as they stand, and how many a few answers would make clear.
//!
//! A criterion counts if it has a command or is unclear. A rewrite that is equal by the table needs no answer; beyond
//! that a person answers at most [`ANSWERS`] groups of one plan.

use std::collections::{BTreeMap, HashMap};
use std::io::{self, Write};
use wire::Plan;
use wire::plan::Criterion;

/// The number of groups of one plan that a person answers.
const ANSWERS: usize = 10;

/// The counts of all plans.
#[derive(Default)]
pub(crate) struct Clarity {
    all: usize,
    judged: usize,
    equal: usize,
    answered: usize,
    left: usize,
    groups: BTreeMap<String, usize>,
    samples: Vec<String>,
}

impl Clarity {
    /// Counts the criteria of one plan; with `name`, keeps a line for each of them.
    pub(crate) fn add(&mut self, path: &str, plan: &Plan, name: bool) {
        let goals = plan.notes.iter().flat_map(|note| &note.checks);
        let own = plan.tasks.iter().flat_map(|task| &task.criteria);
        let mut open: HashMap<&str, usize> = HashMap::new();
        for criterion in own.chain(&plan.gates).chain(goals).filter(|c| c.skip.is_none()) {
            if criterion.command.is_none() && criterion.unclear.is_none() {
                continue;
            }
            self.all += 1;
            self.samples.extend(name.then(|| line(path, criterion)));
            match &criterion.unclear {
                None => self.judged += 1,
                Some(unclear) => {
                    *self.groups.entry(unclear.group.clone()).or_default() += 1;
                    if unclear.equal {
                        self.equal += 1;
                    } else if unclear.rewrite.as_deref().is_some_and(is_judged) {
                        *open.entry(&unclear.group).or_default() += 1;
                    } else {
                        self.left += 1;
                    }
                }
            }
        }
        let mut sizes: Vec<usize> = open.into_values().collect();
        sizes.sort_unstable_by(|a, b| b.cmp(a));
        self.answered += sizes.iter().take(ANSWERS).sum::<usize>();
        self.left += sizes.iter().skip(ANSWERS).sum::<usize>();
    }

    /// Prints the counts, and the most common groups.
    pub(crate) fn print(&self, out: &mut impl Write) -> io::Result<()> {
        let share = |count: usize| {
            100.0 * f64::from(u32::try_from(count).unwrap_or(u32::MAX))
                / f64::from(u32::try_from(self.all.max(1)).unwrap_or(u32::MAX))
        };
        let clear = self.judged + self.equal + self.answered;
        writeln!(
            out,
            "checks with a command: {}; judged as they stand: {} ({:.1} %); after equal rewrites and {ANSWERS} answers a \
             plan: {clear} ({:.1} %); left: {}",
            self.all,
            self.judged,
            share(self.judged),
            share(clear),
            self.left
        )?;
        let mut groups: Vec<(&String, &usize)> = self.groups.iter().collect();
        groups.sort_by(|a, b| b.1.cmp(a.1));
        for (group, count) in groups.into_iter().take(40) {
            writeln!(out, "  {count:>6}  {group}")?;
        }
        self.samples.iter().try_for_each(|line| writeln!(out, "{line}"))
    }
}

/// Whether a rewrite states a clause, or leaves a place for the one that a person states for its group.
fn is_judged(rewrite: &str) -> bool {
    !rewrite.contains("(manual: ")
}

/// A criterion in one line: where it stands, how it is read, its text.
fn line(path: &str, criterion: &Criterion) -> String {
    let text = criterion.text.replace('\n', "⏎");
    let command = criterion.command.as_deref().unwrap_or_default().replace('\n', "⏎");
    let read = match &criterion.unclear {
        None => format!("JUDGED\t{command}\t{}", criterion.required()),
        Some(unclear) => format!(
            "UNCLEAR{}\t{command}\t{}\t{}\t{}",
            if unclear.equal { "=" } else { "" },
            unclear.code,
            unclear.group,
            unclear.rewrite.as_deref().unwrap_or("-").replace('\n', "⏎")
        ),
    };
    format!("{path}:{}\t{}\t{read}\t{text}", criterion.span.line, criterion.category)
}
