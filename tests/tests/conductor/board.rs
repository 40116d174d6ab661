//! The live board in a real terminal: tmux at two sizes and resized meanwhile, its keys, and what it leaves behind.
//!
//! Where there is no tmux, only what needs none is tried, and standard error says so.

use pipeline_tests::{Bench, DEMO_PLAN, bench, until};
use std::fmt::Write;
use std::time::{Duration, Instant};

/// A plan of so many tasks whose first waits for a file, so that the board can be looked at meanwhile.
fn plan(tasks: usize) -> String {
    let mut text = "# Slow \u{1b}[31mplan\n\n## TODOs\n".to_owned();
    for n in 1..=tasks {
        let body = if n == 1 {
            "printf 'first line\\n\\033[2Jsecond line\\n'\nwhile [ ! -f go ]; do sleep 0.1; done\necho last words"
        } else {
            "true"
        };
        // Writing to a string cannot fail.
        let _ = write!(
            text,
            "\n### [ ] TODO {n}: Task number {n}\n\n**Type**: work\n\n**Steps**:\n- [ ] Do\n\n```sh\n{body}\necho done > {n}.txt\n```\n\n\
             **Acceptance Criteria**:\n\n*Functional:*\n- [ ] It is there: `test -f {n}.txt`\n"
        );
    }
    text
}

/// A terminal with a shell in it.
struct Terminal<'b> {
    bench: &'b Bench,
    name: String,
}

impl<'b> Terminal<'b> {
    fn new(bench: &'b Bench, wide: u32, high: u32) -> Option<Self> {
        if bench.sh("command -v tmux").run().status != 0 {
            bench.sh("echo 'board: tmux is not here: the board is not tried in a terminal' >&2").run();
            return None;
        }
        let name = format!("{}/tmux-{wide}", bench.outside().display());
        let terminal = Self { bench, name };
        let size = format!("-x {wide} -y {high}");
        terminal.tmux(&format!("-f /dev/null new-session -d -s t {size} 'PS1=\"ready> \" exec bash --norc'"));
        terminal.shows(&["ready>"]);
        Some(terminal)
    }

    fn tmux(&self, command: &str) -> String {
        let line = format!("tmux -S '{}' {command}", self.name);
        self.bench.sh(&line).env("TERM", "xterm-256color").run().exits(0).out()
    }

    fn keys(&self, keys: &str) {
        self.tmux(&format!("send-keys -t t {keys}"));
    }

    /// Waits until the screen shows all of these; fails with what it shows instead.
    #[track_caller]
    fn shows(&self, wanted: &[&str]) {
        self.comes(|screen| wanted.iter().all(|text| screen.contains(text)), &format!("{wanted:?}"));
    }

    /// Waits until the screen is as wanted: a look may fall between two strokes of the pen.
    #[track_caller]
    fn comes(&self, wanted: impl Fn(&str) -> bool, what: &str) {
        let deadline = Instant::now() + Duration::from_secs(60);
        loop {
            let screen = self.screen();
            if wanted(&screen) {
                return;
            }
            assert!(Instant::now() < deadline, "no {what} on the screen:\n{screen}");
            std::thread::sleep(Duration::from_millis(50));
        }
    }

    fn screen(&self) -> String {
        self.tmux("capture-pane -p -t t")
    }
}

impl Drop for Terminal<'_> {
    fn drop(&mut self) {
        // A server that has ended with its shell is as gone as it should be.
        self.bench.sh(&format!("tmux -S '{}' kill-server", self.name)).run();
    }
}

#[test]
fn the_board_follows_a_run_and_leaves_the_terminal_as_it_was() {
    for (wide, high, other) in [(80, 24, "-x 200 -y 60"), (200, 60, "-x 80 -y 24")] {
        let bench = bench!(empty);
        bench.write("PLAN.md", plan(40)).commit_all("the plan");
        let Some(terminal) = Terminal::new(&bench, wide, high) else { return };
        terminal
            .keys("'stty -g > before; run-report --follow PLAN.md; echo ended $?; stty -g > after' Enter");
        terminal.shows(&["40 pending"]);
        let run = bench.sh("plan-parse -q PLAN.md | dag-next --only 1 | handoff | worker-run --worker shell | gate-run | checkbox | run-report");
        let mut run = run.start();
        terminal.shows(&["1 running", "second line", "▶ 1 Task number 1 · attempt 1 · worker shell"]);
        terminal.shows(&["0 % done", "no estimate yet", "q close (the run goes on)"]);
        let titled =
            |screen: &str| screen.lines().next().is_some_and(|line| line.starts_with("Slow  [31mplan"));
        terminal.comes(titled, "title");

        terminal.tmux(&format!("resize-window -t t {other}"));
        let columns: usize = other.split(' ').nth(1).unwrap().parse().unwrap();
        terminal.shows(&["─".repeat(columns).as_str(), "q close (the run goes on)"]);
        terminal.comes(
            |screen| screen.lines().last().is_some_and(|line| line.contains("q close (the run goes on)")),
            "last line",
        );

        // The last task comes into sight, and the log of the first opens and closes.
        terminal.keys("G");
        terminal.shows(&["Task number 40", "40/40"]);
        terminal.keys("g Enter");
        terminal.shows(&["first line", "esc back"]);
        terminal.keys("Escape");
        terminal.shows(&["q close (the run goes on)"]);

        bench.write("go", "");
        terminal.shows(&["1 done", "2 % done"]);
        terminal.keys("C-c");
        terminal.shows(&["ended 0"]);
        terminal.comes(
            |screen| screen.contains("ready>") && !screen.contains("q close (the run goes on)"),
            "old screen",
        );
        until(|| bench.path("after").exists());
        assert_eq!(bench.text("before"), bench.text("after"), "the terminal is as it was");
        assert_eq!(
            terminal.tmux("display -p -t t '#{cursor_flag} #{alternate_on} #{wrap_flag}'").trim(),
            "1 0 1"
        );
        run.stderr();
    }
}

#[test]
fn a_run_goes_on_when_its_board_is_closed_and_says_so() {
    for (wide, high) in [(80, 24), (120, 40)] {
        let bench = bench!(empty);
        bench.write("PLAN.md", plan(2)).commit_all("the plan");
        let Some(terminal) = Terminal::new(&bench, wide, high) else { return };
        terminal.keys("'orchestrate --worker shell PLAN.md; echo ended $?' Enter");
        terminal.shows(&["1 running", "q close (the run goes on)"]);
        terminal.keys("q");
        terminal.shows(&["orchestrate: the board is closed; the run goes on"]);
        bench.write("go", "");
        terminal.shows(&["ended 0"]);
        assert_eq!(bench.boxes("PLAN.md"), (2, 0));
    }
}

#[test]
fn elsewhere_each_event_is_a_line_and_the_end_is_an_answer() {
    let bench = bench!(empty);
    bench.write("PLAN.md", plan(2)).write("go", "").commit_all("the plan");
    let follow = bench.sh("run-report --follow PLAN.md > ../home/events; echo $? > ../home/answer").start();
    let line = "run-report --follow --format ndjson PLAN.md > ../home/lines; echo $? > ../home/last";
    let lines = bench.sh(line).start();
    until(|| bench.outside().join("home/events").metadata().is_ok_and(|m| m.len() > 0));
    bench.command("orchestrate").args(["--worker", "shell", "PLAN.md"]).run().exits(0);
    until(|| bench.outside().join("home/answer").metadata().is_ok_and(|m| m.len() > 0));
    let events = bench.text("../home/events");
    let said: Vec<&str> = events.lines().map(|l| l.split_once("Z ").map_or(l, |(_, rest)| rest)).collect();
    assert_eq!(said[0], "following PLAN.md: 2 tasks: 2 pending");
    let wanted = [
        "1 Task number 1: ▶ attempt 1 begins, worker shell",
        "1 Task number 1: · check 1:1 passed",
        "2 Task number 2: ✓ ticked",
    ];
    for line in wanted {
        assert!(said.contains(&line), "{line}: {events}");
    }
    assert_eq!(*said.last().unwrap(), "done: 2 tasks: 2 done");
    assert_eq!(bench.text("../home/answer").trim(), "4");
    until(|| bench.outside().join("home/last").metadata().is_ok_and(|m| m.len() > 0));
    assert_eq!(bench.text("../home/last").trim(), "4");
    let told = bench.text("../home/lines");
    let events: Vec<serde_json::Value> = told.lines().map(|l| serde_json::from_str(l).unwrap()).collect();
    let ticks = events.iter().filter(|event| event["event"] == "tick" && event["state"] == "completed");
    assert_eq!(ticks.map(|event| event["task"].as_str().unwrap()).collect::<Vec<_>>(), ["1", "2"], "{told}");
    assert_eq!(events.first().unwrap()["event"], "run", "{told}");
    assert_eq!(events.last().unwrap()["answer"], "done", "{told}");
    drop((follow, lines));
}

#[test]
fn once_prints_the_board_and_answers() {
    let bench = bench!(demo);
    let got = bench.command("run-report").args(["--once", DEMO_PLAN]).run().exits(0).out();
    assert!(got.contains("6 pending; 0 attempts") && got.contains("· Final Verification"), "{got}");
    bench.orchestrate(&[]).run().exits(0);
    let got = bench.command("run-report").args(["--once", DEMO_PLAN]).run().exits(4).out();
    assert!(got.contains("100 % done") && got.contains("✓ 2 Greet"), "{got}");
}
