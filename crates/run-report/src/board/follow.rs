//! Follows a plan that is being carried out: a board on a terminal, a line for each event elsewhere.

use crate::board::events;
use crate::board::plan_watch::PlanWatch;
use crate::board::screen::{Key, Screen};
use crate::board::{self, Live, Look, Row};
use std::fs::File;
use std::io::{Read, Seek, SeekFrom};
use std::path::Path;
use std::time::Duration;
use toolkit::cli::clock::{Clock, millis};
use toolkit::cli::signals::Signals;
use toolkit::files::root::inside;
use toolkit::stream::output::Output;
use toolkit::{Exit, Fail};
use wire::report::{Line, Report};

/// How often plan and ledger are read, in milliseconds.
pub(crate) const LOOK: i64 = 250;
/// How much of the end of a log is read.
const TAIL: u64 = 64 << 10;
/// The width of a board that is printed once.
const WIDE: usize = 100;

/// Follows a plan until the user quits or, without a terminal, until everything is done.
pub(crate) fn follow(path: &Path, clock: &Clock, out: &mut Output) -> Result<Exit, Fail> {
    let signals = Signals::take();
    let watch = PlanWatch::new(path)?;
    if Screen::is_there() { on_screen(watch, clock, &signals) } else { by_line(watch, &signals, out) }
}

/// Prints the board once.
pub(crate) fn once(path: &Path, clock: &Clock, out: &mut Output) -> Result<Exit, Fail> {
    let watch = PlanWatch::new(path)?;
    let report = watch.report();
    let live = Live { now: now(clock), said: &|line| last_said(&watch, line) };
    let rows = board::head(&report, &live, WIDE);
    let order = board::order(&report);
    let list = board::list(&report, &order, 0..order.len(), None, WIDE);
    let gap = Row { text: String::new(), look: Look::Plain };
    for row in rows.iter().chain([&gap]).chain(&list) {
        out.text(row.text.trim_end())?;
        out.text("\n")?;
    }
    Ok(answer(&report))
}

fn by_line(mut watch: PlanWatch, signals: &Signals, out: &mut Output) -> Result<Exit, Fail> {
    let report = watch.report();
    out.line(&events::begin(&report))?;
    while !signals.no_new_work() {
        let mut lines = Vec::new();
        let names: Vec<String> =
            watch.ground.plan.tasks.iter().map(|t| format!("{} {}", t.id, t.title)).collect();
        watch.refresh(&mut |news| {
            let Some(task) = news.task else { return };
            let name = names.get(task).map_or("", String::as_str);
            lines.extend(events::line(news.record, name));
        })?;
        for line in &lines {
            out.line(line)?;
        }
        let report = watch.report();
        if answer(&report) == Exit::Done {
            out.line(&events::end(&report))?;
            return Ok(Exit::Done);
        }
        std::thread::sleep(Duration::from_millis(LOOK.unsigned_abs()));
    }
    Ok(Exit::Ok)
}

/// The selected line and the visible part of the list.
#[derive(Default)]
struct Selection {
    chosen: usize,
    top: usize,
    /// The task whose log is open, and the distance from its end.
    log: Option<(usize, usize)>,
}

fn on_screen(mut watch: PlanWatch, clock: &Clock, signals: &Signals) -> Result<Exit, Fail> {
    let mut screen = Screen::take()?;
    let mut place = Selection::default();
    while !signals.no_new_work() {
        watch.refresh(&mut |_| ())?;
        let report = watch.report();
        let order = board::order(&report);
        let (width, height) = screen.size();
        let rows = match place.log {
            Some((task, back)) => log_rows(&watch, &report.tasks[task], back, width, height),
            None => board_rows(&watch, &report, &order, &mut place, clock, (width, height)),
        };
        screen.show(&rows)?;
        match screen.key(LOOK) {
            Key::Quit if place.log.is_none() => break,
            Key::Suspend => {
                // Gives the screen back, stops with everything that the shell started together, and goes on from here.
                drop(screen);
                let _ = rustix::process::kill_current_process_group(rustix::process::Signal::TSTP);
                screen = Screen::take()?;
            }
            key => place.turn(key, &order, height.saturating_sub(8).max(1)),
        }
    }
    Ok(Exit::Ok)
}

impl Selection {
    fn turn(&mut self, key: Key, order: &[usize], page: usize) {
        let last = order.len().saturating_sub(1);
        if let Some((task, back)) = self.log {
            self.log = match key {
                Key::Back | Key::Quit => None,
                Key::Up => Some((task, back + 1)),
                Key::Down => Some((task, back.saturating_sub(1))),
                Key::PageUp => Some((task, back + page)),
                Key::PageDown => Some((task, back.saturating_sub(page))),
                Key::End => Some((task, 0)),
                _ => self.log,
            };
            return;
        }
        self.chosen = match key {
            Key::Up => self.chosen.saturating_sub(1),
            Key::Down => self.chosen + 1,
            Key::PageUp => self.chosen.saturating_sub(page),
            Key::PageDown => self.chosen + page,
            Key::Home => 0,
            Key::End => last,
            _ => self.chosen,
        }
        .min(last);
        if key == Key::Open {
            self.log = order.get(self.chosen).map(|&task| (task, 0));
        }
    }
}

fn board_rows(
    watch: &PlanWatch,
    report: &Report,
    order: &[usize],
    place: &mut Selection,
    clock: &Clock,
    (width, height): (usize, usize),
) -> Vec<Row> {
    let live = Live { now: now(clock), said: &|line| last_said(watch, line) };
    let mut rows = board::head(report, &live, width);
    // Many workers must not push the list off the screen.
    rows.truncate(height / 2);
    rows.push(Row { text: "─".repeat(width), look: Look::Soft });
    let room = height.saturating_sub(rows.len() + 1).max(1);
    place.chosen = place.chosen.min(order.len().saturating_sub(1));
    place.top = place.top.min(place.chosen).max((place.chosen + 1).saturating_sub(room));
    rows.extend(board::list(report, order, place.top..place.top + room, Some(place.chosen), width));
    while rows.len() + 1 < height {
        rows.push(Row { text: String::new(), look: Look::Plain });
    }
    let at = format!("{}/{}", place.chosen + 1, order.len());
    let keys = format!(" ↑↓ choose   enter log   space/b page   q close (the run goes on)   {at}");
    rows.push(Row { text: board::fit(&keys, width), look: Look::Soft });
    rows
}

/// The end of a task's log, `back` lines up.
fn log_rows(watch: &PlanWatch, line: &Line, back: usize, width: usize, height: usize) -> Vec<Row> {
    let path = line.history.last().and_then(|attempt| attempt.log.clone());
    let text = path.as_deref().and_then(|path| tail(watch, path)).unwrap_or_default();
    let lines: Vec<String> = text.lines().map(crate::plain_text::plain).collect();
    let room = height.saturating_sub(2).max(1);
    let end = lines.len().saturating_sub(back).max(room.min(lines.len()));
    let shown = &lines[end.saturating_sub(room)..end];
    let title =
        format!("{} {}: {}", line.id, line.title, path.unwrap_or_else(|| "no attempt yet".to_owned()));
    let mut rows =
        vec![Row { text: board::fit(&crate::plain_text::plain(&title), width), look: Look::Strong }];
    rows.extend(shown.iter().map(|line| Row { text: board::cut(line, width), look: Look::Plain }));
    while rows.len() + 1 < height {
        rows.push(Row { text: String::new(), look: Look::Plain });
    }
    rows.push(Row { text: board::fit(" ↑↓ scroll   G end   esc back", width), look: Look::Soft });
    rows
}

/// The last line that a task's worker printed.
fn last_said(watch: &PlanWatch, line: &Line) -> Option<String> {
    let text = tail(watch, line.history.last()?.log.as_deref()?)?;
    text.lines().rev().find(|line| !line.trim().is_empty()).map(str::to_owned)
}

fn tail(watch: &PlanWatch, path: &str) -> Option<String> {
    let mut file = File::open(inside(&watch.ground.root, path).ok()?).ok()?;
    let length = file.metadata().ok()?.len();
    file.seek(SeekFrom::Start(length.saturating_sub(TAIL))).ok()?;
    let mut bytes = Vec::new();
    Read::take(file, TAIL).read_to_end(&mut bytes).ok()?;
    Some(String::from_utf8_lossy(&bytes).into_owned())
}

fn now(clock: &Clock) -> i64 {
    millis(&clock.now()).unwrap_or(0)
}

/// Done when every task is settled.
pub(crate) fn answer(report: &Report) -> Exit {
    if report.tasks.iter().all(|line| line.stand.is_settled()) { Exit::Done } else { Exit::Ok }
}
