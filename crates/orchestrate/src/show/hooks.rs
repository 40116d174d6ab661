//! `[hooks]` of plantools.toml: commands that run at the events of a run.
//!
//! A hook is bounded in time and output by `gate-run`, runs beside the run, and cannot fail it: one that fails is named
//! once, one that is late is ended, and what waits for its turn when the run is over is left out.

use crate::tools::Tools;
use config::HooksRule;
use std::collections::{HashSet, VecDeque};
use std::path::{Path, PathBuf};
use std::process::{Child, Stdio};
use std::time::{Duration, Instant};
use toolkit::Exit;
use toolkit::cli::tool;
use wire::State;
use wire::event::{Event, Step, What};

/// How long a hook may take where the configuration does not say.
const TIMEOUT: u64 = 10;
/// How many run at the same time.
const AT_ONCE: usize = 4;
/// How many may wait for their turn.
const WAITING: usize = 1000;
/// How long the end of a run waits beyond the time of one hook.
const PATIENCE: Duration = Duration::from_secs(5);
/// The most that an event may be long: the system passes it on as one word.
const LONGEST: usize = 100_000;

/// The line that hands the event over; both are values of variables.
const LINE: &str = r#"printf '%s\n' "$PLANTOOLS_EVENT" | sh -c "$PLANTOOLS_HOOK""#;

/// The hooks of a run.
pub(crate) struct Hooks<'t> {
    tools: &'t Tools,
    rule: HooksRule,
    root: PathBuf,
    waiting: VecDeque<(&'static str, String, String)>,
    running: Vec<(&'static str, Child)>,
    /// Whether something was said to wait for a person.
    needs_person: bool,
    named: HashSet<&'static str>,
    left_out: usize,
}

impl<'t> Hooks<'t> {
    pub(crate) fn new(tools: &'t Tools, rule: HooksRule, root: &Path) -> Self {
        Self {
            tools,
            rule,
            root: root.to_owned(),
            waiting: VecDeque::new(),
            running: Vec::new(),
            needs_person: false,
            named: HashSet::new(),
            left_out: 0,
        }
    }

    /// Whether any event has a hook.
    pub(crate) fn any(&self) -> bool {
        let rule = &self.rule;
        [&rule.attempt_end, &rule.tick, &rule.halt, &rule.needs_person, &rule.end]
            .iter()
            .any(|hook| hook.is_some())
    }

    /// Tells the hooks of an event.
    pub(crate) fn tell(&mut self, event: &Event) {
        let is_end = event.event == What::End && event.exit.is_some();
        let waits = match event.event {
            What::Halt => event.retry == Some(false),
            What::End => is_end && event.exit == Some(Exit::Stuck.code()) && !self.needs_person,
            _ => false,
        };
        self.needs_person |= waits;
        let ended = event.event == What::Attempt && event.step == Some(Step::End);
        let ticked = event.event == What::Tick && event.state == Some(State::Completed);
        let rule = &self.rule;
        let told = [
            ("attempt_end", ended, &rule.attempt_end),
            ("tick", ticked, &rule.tick),
            ("halt", event.event == What::Halt, &rule.halt),
            ("needs_person", waits, &rule.needs_person),
            ("end", is_end, &rule.end),
        ];
        let lines: Vec<(&'static str, String)> =
            told.into_iter().filter_map(|(name, so, line)| so.then_some((name, line.clone()?))).collect();
        if lines.is_empty() {
            return self.go_on();
        }
        let Ok(text) = serde_json::to_string(event) else { return };
        for (name, line) in lines {
            if self.waiting.len() >= WAITING || text.len() > LONGEST {
                self.left_out += 1;
            } else {
                self.waiting.push_back((name, line, text.clone()));
            }
        }
        self.go_on();
    }

    /// Looks at those that run, and starts those whose turn it is.
    pub(crate) fn go_on(&mut self) {
        let mut failed = Vec::new();
        self.running.retain_mut(|(name, child)| match child.try_wait() {
            Ok(None) => true,
            Ok(Some(status)) if status.success() => false,
            _ => {
                failed.push(*name);
                false
            }
        });
        for name in failed {
            self.name(name);
        }
        while self.running.len() < AT_ONCE {
            let Some((name, line, event)) = self.waiting.pop_front() else { break };
            match self.start(&line, &event) {
                Ok(child) => self.running.push((name, child)),
                Err(_) => self.name(name),
            }
        }
    }

    /// Lets those that run come to their end, and leaves out those that do not begin in time.
    pub(crate) fn finish(&mut self) {
        let end = Instant::now() + Duration::from_secs(self.seconds()) + PATIENCE;
        while !(self.running.is_empty() && self.waiting.is_empty()) && Instant::now() < end {
            self.go_on();
            std::thread::sleep(Duration::from_millis(5));
        }
        self.left_out += self.waiting.len();
        for (name, mut child) in std::mem::take(&mut self.running) {
            let _ = child.kill();
            let _ = child.wait();
            self.name(name);
        }
        if self.left_out > 0 {
            tool::note(&format!("orchestrate: {} calls of hooks were left out", self.left_out));
        }
    }

    fn seconds(&self) -> u64 {
        self.rule.timeout_seconds.unwrap_or(TIMEOUT)
    }

    fn start(&self, line: &str, event: &str) -> std::io::Result<Child> {
        let seconds = self.seconds().to_string();
        let mut command = self.tools.command("gate-run".as_ref());
        command.args([
            "--no-log",
            "--json-only",
            "--stall-seconds",
            "0",
            "--grace-seconds",
            "1",
            "--timeout-seconds",
            &seconds,
        ]);
        command.arg("--cwd").arg(&self.root);
        for (name, value) in [("PLANTOOLS_EVENT", event), ("PLANTOOLS_HOOK", line)] {
            command.arg("--env").arg(format!("{name}={value}"));
        }
        command.args(["--", "sh", "-c", LINE]);
        command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null()).spawn()
    }

    /// Names a hook that failed, once.
    fn name(&mut self, name: &'static str) {
        if self.named.insert(name) {
            tool::note(&format!("orchestrate: the hook '{name}' failed; the run goes on"));
        }
    }
}
