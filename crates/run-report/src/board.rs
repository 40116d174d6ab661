//! The board: the state of the plan in a given number of columns and lines. Pure: the same report gives the same
//! lines.

pub(crate) mod events;
pub(crate) mod follow;
pub(crate) mod ndjson;
pub(crate) mod plan_watch;
pub(crate) mod screen;

use crate::final_report::figures::evidence;
use crate::plain_text::{count, plain, span};
use crate::survey::estimate;
use wire::Level;
use wire::report::{Line, Report, Stand};

/// The style of a line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Look {
    Plain,
    Strong,
    Soft,
    Of(Stand),
    /// The selected line.
    Chosen(Stand),
}

/// A line of the board, no wider than the given width.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Row {
    pub(crate) text: String,
    pub(crate) look: Look,
}

/// Live data that the board shows beside the report.
pub(crate) struct Live<'l> {
    /// Now, in milliseconds.
    pub(crate) now: i64,
    /// The last line that a task's worker printed.
    pub(crate) said: &'l dyn Fn(&Line) -> Option<String>,
}

/// The order of the list: tasks that need attention or make progress come first.
const ORDER: [Stand; 10] = [
    Stand::Running,
    Stand::Failed,
    Stand::Human,
    Stand::Waiting,
    Stand::Blocked,
    Stand::Unverified,
    Stand::Pending,
    Stand::Overridden,
    Stand::Done,
    Stand::Skipped,
];

/// The tasks in the order of the list, as indices into the report.
pub(crate) fn order(report: &Report) -> Vec<usize> {
    let is_work = |i: &usize| report.tasks[*i].kind != wire::plan::Kind::Container;
    let rank = |i: &usize| ORDER.iter().position(|&stand| stand == report.tasks[*i].stand);
    let mut order: Vec<usize> = (0..report.tasks.len()).filter(is_work).collect();
    order.sort_by_key(rank);
    order
}

/// The upper part: title, bar, counts, estimate, running tasks.
pub(crate) fn head(report: &Report, live: &Live<'_>, width: usize) -> Vec<Row> {
    let row = |text: String, look: Look| Row { text: fit(&text, width), look };
    let title = if report.title.is_empty() { &report.plan } else { &report.title };
    let mut rows = vec![row(plain(title), Look::Strong), row(bar(report, width), Look::Plain)];
    rows.push(row(counts(report), Look::Plain));
    rows.push(row(estimate::words(report), Look::Soft));
    for line in report.tasks.iter().filter(|line| line.stand == Stand::Running) {
        rows.push(row(running(line, live.now), Look::Of(Stand::Running)));
        if let Some(said) = (live.said)(line) {
            rows.push(row(format!("    {}", plain(&said)), Look::Soft));
        }
    }
    rows
}

/// A window of the list, with one line selected.
pub(crate) fn list(
    report: &Report,
    order: &[usize],
    window: std::ops::Range<usize>,
    chosen: Option<usize>,
    width: usize,
) -> Vec<Row> {
    let shown = order.iter().enumerate().take(window.end).skip(window.start);
    shown
        .map(|(n, &i)| {
            let line = &report.tasks[i];
            let look = if chosen == Some(n) { Look::Chosen(line.stand) } else { Look::Of(line.stand) };
            Row { text: task(line, width), look }
        })
        .collect()
}

/// A bar of the tasks: `█` proved, `▓` done on weaker evidence, `x` failed, `░` the rest.
fn bar(report: &Report, width: usize) -> String {
    let all = report.numbers.as_ref().map_or(0, |numbers| numbers.tasks) as usize;
    let of = |stands: &[Stand]| -> usize {
        let numbers = report.numbers.as_ref();
        let count = |stand: &Stand| numbers.and_then(|n| n.stands.get(stand.word())).copied().unwrap_or(0);
        stands.iter().map(|stand| count(stand) as usize).sum()
    };
    let room = width.saturating_sub(24).clamp(10, 100);
    let proved =
        report.numbers.as_ref().and_then(|n| n.levels.get(Level::Proved.word())).copied().unwrap_or(0);
    let done = of(&[Stand::Done, Stand::Unverified, Stand::Overridden, Stand::Skipped]);
    let proved = (proved as usize).min(done);
    let rest = done - proved;
    let failed = of(&[Stand::Failed, Stand::Human, Stand::Blocked]);
    let cells = |n: usize| (n * room).checked_div(all).unwrap_or(0);
    let parts = [("█", cells(proved)), ("▓", cells(rest)), ("x", cells(failed))];
    let used: usize = parts.iter().map(|(_, n)| n).sum();
    let drawn: String = parts.iter().map(|(sign, n)| sign.repeat(*n)).collect();
    let percent = (100 * done).checked_div(all).unwrap_or(0);
    format!("[{drawn}{}] {percent} % done", "░".repeat(room.saturating_sub(used)))
}

fn counts(report: &Report) -> String {
    let Some(numbers) = &report.numbers else { return String::new() };
    let of = |stand: &Stand| numbers.stands.get(stand.word()).copied().unwrap_or(0);
    let stands: Vec<String> =
        Stand::ALL.iter().filter(|s| of(s) > 0).map(|s| format!("{} {}", of(s), s.word())).collect();
    let claims = match numbers.false_claims {
        0 => String::new(),
        n => format!(", {}", count(n, "false claim")),
    };
    let levels = match evidence(numbers) {
        levels if levels.is_empty() => levels,
        levels => format!(" ({levels})"),
    };
    format!(
        "{} of {}: {}{levels}; {}{claims}",
        numbers.tasks,
        plain(&report.plan),
        stands.join(", "),
        count(numbers.attempts, "attempt")
    )
}

fn running(line: &Line, now: i64) -> String {
    let attempt = line.history.last();
    let begun = attempt.and_then(|a| toolkit::cli::clock::millis(a.begun_at.as_deref()?));
    let since = begun.map_or(0, |begun| u64::try_from(now - begun).unwrap_or(0));
    let what = match attempt {
        Some(attempt) if attempt.ended_at.is_some() => {
            format!("being checked, {} run", count(attempt.gates.len() as u64, "check"))
        }
        Some(attempt) if attempt.host.is_empty() => format!("worker {}", plain(&attempt.worker)),
        Some(attempt) => format!("worker {} on {}", plain(&attempt.worker), plain(&attempt.host)),
        None => String::new(),
    };
    let number = attempt.map_or(1, |attempt| attempt.number);
    let name = format!("{} {}", plain(line.id.as_str()), plain(&line.title));
    format!("▶ {} · attempt {number} · {what} · {}", cut(&name, 60), span(since / 1000 * 1000))
}

fn task(line: &Line, width: usize) -> String {
    let sign = match line.stand {
        Stand::Done => "✓",
        Stand::Unverified => "?",
        Stand::Overridden => "!",
        Stand::Skipped => "-",
        Stand::Running => "▶",
        Stand::Failed => "✗",
        Stand::Blocked => "■",
        Stand::Human | Stand::Waiting => "☞",
        Stand::Pending => "·",
    };
    let checks = if line.criteria > 0 { format!("{}/{}", line.passed, line.criteria) } else { String::new() };
    let attempts = if line.attempts > 0 { format!("{}×", line.attempts) } else { String::new() };
    let took = match line.worker_ms + line.gate_ms {
        0 => String::new(),
        ms => span(ms),
    };
    let tail = format!(" {:>10} {checks:>7} {attempts:>4} {took:>12}", line.stand.word());
    let why = line.halt.as_ref().map(|halt| format!(" — {}", plain(&halt.message))).unwrap_or_default();
    let name = format!("{sign} {} {}{why}", cut(&plain(line.id.as_str()), 16), plain(&line.title));
    let room = width.saturating_sub(columns(&tail));
    format!("{}{tail}", fit(&name, room))
}

/// The text in exactly `width` columns: cut with an ellipsis, or padded.
pub(crate) fn fit(text: &str, width: usize) -> String {
    let text = cut(text, width);
    let used = columns(&text);
    text + &" ".repeat(width.saturating_sub(used))
}

/// The text in at most `width` columns.
pub(crate) fn cut(text: &str, width: usize) -> String {
    if columns(text) <= width {
        return text.to_owned();
    }
    let mut out = String::new();
    let mut used = 0;
    for c in text.chars() {
        if used + room(c) + 1 > width {
            break;
        }
        used += room(c);
        out.push(c);
    }
    if width > 0 {
        out.push('…');
    }
    out
}

/// How many columns a text takes on a terminal.
pub(crate) fn columns(text: &str) -> usize {
    text.chars().map(room).sum()
}

/// Chinese, Japanese, Korean and pictograms take two columns, combining marks none.
fn room(c: char) -> usize {
    match c {
        '\u{300}'..='\u{36f}' | '\u{200b}'..='\u{200d}' | '\u{fe00}'..='\u{fe0f}' => 0,
        '\u{1100}'..='\u{115f}'
        | '\u{2e80}'..='\u{a4cf}'
        | '\u{ac00}'..='\u{d7a3}'
        | '\u{f900}'..='\u{faff}'
        | '\u{ff00}'..='\u{ff60}'
        | '\u{1f300}'..='\u{1faff}'
        | '\u{20000}'..='\u{3ffff}' => 2,
        _ => 1,
    }
}

#[cfg(test)]
mod tests {
    use super::{Live, bar, columns, cut, fit, head, list, order};
    use std::collections::BTreeMap;
    use wire::report::{Line, Numbers, Report, Stand};

    fn report() -> Report {
        let line = |id: &str, title: &str, stand: Stand| Line {
            id: id.into(),
            title: title.into(),
            stand,
            ..Line::default()
        };
        let stands = BTreeMap::from([("done".to_owned(), 1), ("failed".to_owned(), 1)]);
        Report {
            title: "Plan\u{1b}[31m".into(),
            plan: "PLAN.md".into(),
            numbers: Some(Numbers { tasks: 4, stands, ..Numbers::default() }),
            tasks: vec![
                line("1", "done", Stand::Done),
                line(
                    "2",
                    "任务任务任务任务任务任务任务任务任务任务任务任务任务任务任务任务任务任务",
                    Stand::Running,
                ),
                line("3", "broken\nin two", Stand::Failed),
                line("4", "next", Stand::Pending),
            ],
            ..Report::default()
        }
    }

    #[test]
    fn no_line_is_wider_than_the_terminal() {
        let report = report();
        let live = Live { now: 0, said: &|_| Some("x".repeat(500)) };
        for width in [20, 80, 200] {
            let rows = head(&report, &live, width);
            let all = list(&report, &order(&report), 0..9, Some(1), width);
            for row in rows.iter().chain(&all) {
                assert!(columns(&row.text) <= width.max(40), "{width}: {:?}", row.text);
                assert!(!row.text.contains(char::is_control), "{:?}", row.text);
            }
        }
    }

    #[test]
    fn what_moves_or_needs_somebody_comes_first() {
        assert_eq!(order(&report()), [1, 2, 3, 0]);
    }

    #[test]
    fn the_bar_tells_proved_from_done() {
        assert_eq!(bar(&report(), 44), "[▓▓▓▓▓xxxxx░░░░░░░░░░] 25 % done");
    }

    #[test]
    fn wide_letters_count_twice() {
        assert_eq!(cut("任务任务", 5), "任务…");
        assert_eq!(fit("任", 4), "任  ");
        assert_eq!(cut("abc", 3), "abc");
    }
}
