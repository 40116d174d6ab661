//! The tools of `orchestrate mcp`: each conducts the tools of the pipe and says what they said.

use crate::args::Wanted;
use crate::conductor::{run_id, words};
use crate::find::locate::{locate, places, top};
use crate::mcp::attempt::{Attempt, Came};
use crate::mcp::plan_watch::{PlanWatch, read};
use crate::mcp::schemas::{done_schema, plan_schema, task_schema};
use crate::stop_reason::Stop;
use crate::tools::{Said, Tools, Words};
use serde::Deserialize;
use serde_json::{Map, Value, json};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use toolkit::cli::env;
use toolkit::files::root;
use toolkit::stream::mcp::{Resource, Service, Tool, arguments};
use toolkit::{Exit, Fail};
use wire::event::{Event, What};
use wire::gate::Status;
use wire::history::Ran;
use wire::plan::suggestion::Suggestion;
use wire::report::{Line, Report};
use wire::status::StatusDoc;
use wire::{Gate, State};

/// The most tasks that an answer names.
const SHOWN: usize = 50;

/// One client's session.
pub(crate) struct Session {
    tools: Tools,
    top: PathBuf,
    /// The plan of the command line.
    fixed: Option<PathBuf>,
    /// The attempt that is under way.
    attempt: Option<Attempt>,
    watches: BTreeMap<PathBuf, PlanWatch>,
}

impl Service for Session {
    const NAME: &'static str = "plantools";
    const INSTRUCTIONS: &'static str = "Carries out a plan file with proof. plan_next says which task is ready, plan_task \
                                        hands it out with everything it needs, plan_check runs its checks, plan_done asks \
                                        for the tick: the checks are run, and the box is ticked and the work committed \
                                        only on evidence. Never edit a box, .plantools/ or plantools.toml, and never \
                                        commit for a task: both are undone or refused. When plan_done says that a task is \
                                        not done, go on with what is missing and call it again.";
    const TOOLS: &'static [Tool<Self>] = &[
        Tool {
            name: "plan_next",
            about: "Say which tasks of the plan are ready, what the others wait for, and which is handed out.",
            takes: plan_schema,
            act: Session::plan_next,
        },
        Tool {
            name: "plan_task",
            about: "Take a task: the next that is ready, or the one named. An attempt begins, and the answer is its \
                    prompt with everything that the work needs. Do the work, then call plan_check and plan_done.",
            takes: task_schema,
            act: Session::plan_task,
        },
        Tool {
            name: "plan_check",
            about: "Run the checks of a task as they are now and say what fails. Nothing is ticked and nothing is spent.",
            takes: task_schema,
            act: Session::plan_check,
        },
        Tool {
            name: "plan_done",
            about: "Say that the task that was taken is done. The checks are run; only if they prove it the box is ticked \
                    and the work committed. Otherwise the answer says what is missing, and the next attempt has begun.",
            takes: done_schema,
            act: Session::plan_done,
        },
        Tool {
            name: "plan_report",
            about: "Say where the plan stands and what happened, with the evidence for each tick.",
            takes: plan_schema,
            act: Session::plan_report,
        },
        Tool {
            name: "plan_suggest_checks",
            about: "Suggest checks for the tasks that have none, each tried: it must fail now. Nothing is written; a person \
                    takes them with: orchestrate checks PLAN",
            takes: plan_schema,
            act: Session::plan_suggest_checks,
        },
    ];
    const RESOURCES: &'static [Resource<Self>] = &[
        Resource {
            uri: "plantools://plan",
            name: "plan",
            about: "The plan's file",
            mime: "text/markdown",
            read: Session::plan_text,
        },
        Resource {
            uri: "plantools://report",
            name: "report",
            about: "Where the plan stands and what happened",
            mime: "text/markdown",
            read: Session::report_text,
        },
    ];
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct OfPlan {
    plan: Option<String>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct OfTask {
    plan: Option<String>,
    task: Option<String>,
}

/// What the agent says of its work: the fields of a worker's answer that it may use.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Done {
    plan: Option<String>,
    task: Option<String>,
    summary: String,
    #[serde(default)]
    outputs: Map<String, Value>,
    #[serde(default)]
    learnings: Vec<String>,
    #[serde(default)]
    issues: Vec<String>,
    /// Why the task cannot be done; a person is asked.
    blocked: Option<String>,
}

impl Session {
    /// A session for a plan; without one each call names its plan, or the project has only one.
    pub(crate) fn new(mut tools: Tools, plan: Option<PathBuf>) -> Result<Self, Fail> {
        let top = top(&tools);
        let top = top.canonicalize().unwrap_or(top);
        // One run for the whole session: what it gave up stays given up until a person begins another.
        tools.run = Some(run_id(false)?);
        let mut session = Self { tools, top, fixed: None, attempt: None, watches: BTreeMap::new() };
        if let Some(plan) = plan {
            let wanted = Wanted { plan: Some(plan), ..Wanted::default() };
            let located = locate(&session.tools, &wanted).map_err(|stop| match stop {
                Stop::Fail(fail) => fail,
                Stop::Reason(_, sentence) => Fail::data("no-plan", sentence),
                Stop::Said(exit) => Fail::new(exit, "no-plan", "the plan cannot be found"),
            })?;
            let path = located.plan.canonicalize().map_err(|e| Fail::io(&located.plan, &e))?;
            session.fixed = Some(path);
        }
        // What is there now is what the agent finds; a plan that cannot be read is the answer of the first call.
        let _ = session.plan(None);
        Ok(session)
    }

    fn plan_next(&mut self, given: Value) -> Result<Value, Fail> {
        let OfPlan { plan } = arguments(given)?;
        let plan = self.plan(plan)?;
        let found = self.look(&plan)?;
        let status = self.status(&plan)?;
        let titles: BTreeMap<String, String> = read(&self.tools, &plan)?
            .tasks
            .into_iter()
            .map(|task| (task.id.to_string(), task.title))
            .collect();
        let named = |id: &wire::TaskId| json!({ "id": id, "title": titles.get(id.as_str()) });
        let waiting: Vec<Value> = status
            .waiting
            .iter()
            .take(SHOWN)
            .map(|one| json!({ "id": one.id, "title": one.title, "because": one.cause, "code": one.code }))
            .collect();
        let mut answer = json!({
            "plan": status.plan,
            "answer": status.answer,
            "ready": status.ready.iter().take(SHOWN).map(named).collect::<Vec<_>>(),
            "waiting": waiting,
            "states": status.states,
            "total": status.total,
        });
        if let Some(attempt) = &self.attempt {
            insert(&mut answer, "handed_out", json!(attempt.task));
        }
        Ok(with(answer, &found))
    }

    fn plan_task(&mut self, given: Value) -> Result<Value, Fail> {
        let OfTask { plan, task } = arguments(given)?;
        let plan = self.plan(plan)?;
        if let Some(attempt) = &self.attempt {
            let same = task.is_none() || task == attempt.task;
            if !same || attempt.plan != plan {
                let open = attempt.task.as_deref().unwrap_or_default();
                let message = format!(
                    "task {open} is handed out: finish it and call plan_done, or say why it is blocked"
                );
                return Err(Fail::data("task-open", message));
            }
            return Ok(prompt(attempt));
        }
        let found = self.look(&plan)?;
        let status = self.status(&plan)?;
        let id = match task {
            Some(id) => id,
            None => status.ready.first().map(ToString::to_string).ok_or_else(|| nothing_ready(&status))?,
        };
        if let Some(waiting) = status.waiting.iter().find(|one| one.id.as_str() == id) {
            return Err(Fail::data("not-ready", format!("task {id} is not handed out: {}", waiting.cause)));
        }
        let watch = self.watches.get(&plan);
        if watch.is_some_and(|watch| !watch.is_as_it_was(&self.tools, &id).unwrap_or(false)) {
            let message = format!(
                "task {id} asks for something else than at the start of this session: a person decides, and starts the \
                 session again"
            );
            return Err(Fail::data("plan-changed", message));
        }
        let attempt = self.attempt.insert(Attempt::begin(&self.tools, &plan, Some(&id))?);
        match attempt.wait()? {
            Came::Prompt => {
                attempt.news();
                Ok(with(prompt(attempt), &found))
            }
            Came::End(code, said) => {
                let events = attempt.rest();
                self.close()?;
                Err(not_begun(&id, code, &events, &said))
            }
        }
    }

    fn plan_check(&mut self, given: Value) -> Result<Value, Fail> {
        let OfTask { plan, task } = arguments(given)?;
        let plan = self.plan(plan)?;
        let open = self.attempt.as_ref().filter(|attempt| attempt.plan == plan);
        let id = task.or_else(|| open.and_then(|attempt| attempt.task.clone()));
        let id = id.ok_or_else(|| Fail::data("no-task", "no task is handed out: name one"))?;
        let mut check = words(&["gate-run", "task", &id]);
        check.push(plan.into());
        let said = self.tools.pipe(&[check])?;
        let answers = [Exit::Ok, Exit::No, Exit::NoVerdict];
        let is_answer = Exit::from_code(said.code).is_some_and(|exit| answers.contains(&exit));
        if !is_answer || said.out.is_empty() {
            return Err(failed(&said));
        }
        let gates: Vec<Gate> = said
            .out
            .split(|byte| *byte == b'\n')
            .filter_map(|line| serde_json::from_slice(line).ok())
            .collect();
        let is_passed = said.code == 0;
        let passed = gates.iter().filter(|gate| gate.status == Status::Pass).count();
        Ok(json!({
            "task": id,
            "pass": is_passed,
            "passed": passed,
            "failed": gates.iter().filter(|gate| gate.status != Status::Pass).map(shown_gate).collect::<Vec<_>>(),
        }))
    }

    fn plan_done(&mut self, given: Value) -> Result<Value, Fail> {
        let done: Done = arguments(given)?;
        let plan = self.plan(done.plan.clone())?;
        let none = || Fail::data("no-task", "no task is handed out: call plan_task first");
        let attempt = self.attempt.as_mut().filter(|attempt| attempt.plan == plan).ok_or_else(none)?;
        let id = attempt.task.clone().unwrap_or_default();
        if done.task.as_ref().is_some_and(|named| *named != id) {
            return Err(Fail::data("task-open", format!("task {id} is handed out, and no other")));
        }
        let number = number_of(attempt);
        let timed_out = attempt.is_over();
        if !timed_out {
            attempt.answer(&answer_of(&done));
        }
        let came = attempt.wait()?;
        let events = match came {
            Came::Prompt => attempt.news(),
            Came::End(..) => attempt.rest(),
        };
        let again = matches!(came, Came::Prompt).then(|| prompt(attempt));
        if again.is_none() {
            self.close()?;
        }
        let ours = |event: &&Event| event.task.as_ref().is_some_and(|task| task.as_str() == id);
        let last = |what: What| events.iter().rev().filter(ours).find(|event| event.event == what);
        let is_ticked = last(What::Tick).is_some_and(|tick| tick.state == Some(State::Completed));
        let line = self.line(&plan, &id);
        let mut answer = json!({ "task": id, "attempt": number, "done": is_ticked });
        if let Some(commit) = last(What::Commit).and_then(|event| event.commit.clone()) {
            insert(&mut answer, "commit", json!(commit));
        }
        if let Some(level) = line.as_ref().filter(|_| is_ticked).and_then(|line| line.level) {
            insert(&mut answer, "level", json!(level));
        }
        if !is_ticked {
            let checks = line.map(|line| missing(&line, number)).unwrap_or_default();
            insert(&mut answer, "missing", json!(checks));
            let halts = events.iter().filter(ours).filter(|event| event.event == What::Halt);
            let halts: Vec<Value> =
                halts.map(|halt| json!({ "code": halt.code, "because": halt.message })).collect();
            insert(&mut answer, "refused", json!(halts));
        }
        if timed_out {
            insert(&mut answer, "note", json!("the time of this attempt was over before you answered"));
        }
        if let Came::End(code, said) = &came {
            let end = events.iter().rev().find(|event| event.event == What::End);
            if !is_ticked {
                let because =
                    end.and_then(|end| end.message.clone()).unwrap_or_else(|| said.trim().to_owned());
                insert(
                    &mut answer,
                    "ended",
                    json!({ "exit": code, "because": because, "next": end.and_then(|end| end.next.clone()) }),
                );
            } else if let Some(end) = self.end_of_plan(&plan)? {
                insert(&mut answer, "plan", end);
            }
        }
        if let Some(again) = again {
            insert(&mut answer, "again", again);
        }
        Ok(answer)
    }

    fn plan_report(&mut self, given: Value) -> Result<Value, Fail> {
        let OfPlan { plan } = arguments(given)?;
        let plan = self.plan(plan)?;
        let found = self.look(&plan)?;
        let report: Report = said(self.tools.pipe(&[report_words(&plan, "json")])?)?.json()?;
        let text = said(self.tools.pipe(&[report_words(&plan, "text")])?)?.line();
        Ok(with(json!({ "plan": report.plan, "open": report.open, "report": text }), &found))
    }

    fn plan_suggest_checks(&mut self, given: Value) -> Result<Value, Fail> {
        let OfPlan { plan } = arguments(given)?;
        let plan = self.plan(plan)?;
        let mut suggest = words(&["plan-parse", "--suggest"]);
        suggest.push(plan.clone().into());
        let said = said(self.tools.pipe(&[suggest, words(&["gate-run", "try"])])?)?;
        let lines = said.out.split(|byte| *byte == b'\n');
        let suggestions = lines.filter_map(|line| serde_json::from_slice::<Suggestion>(line).ok());
        let shown = |one: Suggestion| {
            let (fit, why) = one.trial.map_or((false, String::new()), |trial| (trial.fit, trial.message));
            json!({ "task": one.task, "title": one.title, "check": one.check, "fit": fit, "because": why })
        };
        let take = format!("orchestrate checks {}", crate::find::profile::quoted(plan.as_os_str()));
        Ok(
            json!({ "suggestions": suggestions.map(shown).collect::<Vec<_>>(), "a_person_takes_them_with": take }),
        )
    }

    fn plan_text(&mut self) -> Result<String, Fail> {
        let plan = self.plan(None)?;
        if plan.is_dir() {
            let mut parse = words(&["plan-parse", "--quiet"]);
            parse.push(plan.into());
            return Ok(said(self.tools.pipe(&[parse])?)?.line());
        }
        Ok(String::from_utf8_lossy(&toolkit::files::fs::read(&plan)?).into_owned())
    }

    fn report_text(&mut self) -> Result<String, Fail> {
        let plan = self.plan(None)?;
        Ok(said(self.tools.pipe(&[report_words(&plan, "md")])?)?.line())
    }

    /// The plan that a call is about. The first look at it is kept.
    fn plan(&mut self, named: Option<String>) -> Result<PathBuf, Fail> {
        if env::is_below_attempt() {
            let message =
                "this agent is a worker and has its task already: do it, and answer as the prompt says";
            return Err(Fail::new(Exit::No, "inside-attempt", message));
        }
        let plan = match (named, &self.fixed) {
            (None, Some(fixed)) => fixed.clone(),
            (None, None) => self.only_plan()?,
            (Some(named), fixed) => {
                let own =
                    Path::new(&named).strip_prefix(&self.top).ok().and_then(Path::to_str).unwrap_or(&named);
                let path = root::inside(&self.top, own)?;
                let path = path.canonicalize().map_err(|e| Fail::io(&path, &e))?;
                if fixed.as_ref().is_some_and(|fixed| *fixed != path) {
                    let message = format!("this session is about another plan than '{named}'");
                    return Err(Fail::data("other-plan", message));
                }
                path
            }
        };
        if !self.watches.contains_key(&plan) {
            self.watches.insert(plan.clone(), PlanWatch::begin(&self.tools, &plan)?);
        }
        Ok(plan)
    }

    /// The plan of the task that is handed out, else the only one of the project.
    fn only_plan(&self) -> Result<PathBuf, Fail> {
        if let Some(attempt) = &self.attempt {
            return Ok(attempt.plan.clone());
        }
        let found = places::plans(&self.tools, &self.top);
        match found.as_slice() {
            [one] => {
                let path = self.top.join(one);
                path.canonicalize().map_err(|e| Fail::io(&path, &e))
            }
            [] => Err(Fail::data("no-plan", "no plan was found here: name one with 'plan'")),
            several => {
                let names: Vec<String> = several.iter().map(|path| path.display().to_string()).collect();
                Err(Fail::data("several-plans", format!("name one with 'plan': {}", names.join(", "))))
            }
        }
    }

    /// What changed in the plan since the last call. While a task is handed out, its run guards the plan.
    fn look(&mut self, plan: &Path) -> Result<Vec<String>, Fail> {
        if self.attempt.is_some() {
            return Ok(Vec::new());
        }
        let tools = &self.tools;
        self.watches.get_mut(plan).map_or(Ok(Vec::new()), |watch| watch.look(tools))
    }

    fn status(&self, plan: &Path) -> Result<StatusDoc, Fail> {
        let mut parse = words(&["plan-parse", "--quiet"]);
        parse.push(plan.into());
        let said = self.tools.pipe(&[parse, words(&["dag-next", "--status"])])?;
        if said.out.is_empty() { Err(failed(&said)) } else { said.json() }
    }

    /// What the report says about a task.
    fn line(&self, plan: &Path, id: &str) -> Option<Line> {
        let report: Report = self.tools.pipe(&[report_words(plan, "json")]).ok()?.json().ok()?;
        report.tasks.into_iter().find(|line| line.id.as_str() == id)
    }

    /// Forgets the attempt; what its run left in the plan is as it should be.
    fn close(&mut self) -> Result<(), Fail> {
        let Some(attempt) = self.attempt.take() else { return Ok(()) };
        let tools = &self.tools;
        self.watches.get_mut(&attempt.plan).map_or(Ok(()), |watch| watch.take_in(tools))
    }

    /// What closes a plan whose every task is done: the checks of the end, the last commit.
    fn end_of_plan(&mut self, plan: &Path) -> Result<Option<Value>, Fail> {
        if self.status(plan)?.answer != wire::Answer::Done {
            return Ok(None);
        }
        let mut end = Attempt::begin(&self.tools, plan, None)?;
        let came = end.wait()?;
        let Came::End(code, said) = came else {
            // A task was opened again by the checks of the end; the next plan_task hands it out.
            return Ok(Some(json!({ "done": false, "because": "a task is open again" })));
        };
        let events = end.rest();
        drop(end);
        if let Some(watch) = self.watches.get_mut(plan) {
            watch.take_in(&self.tools)?;
        }
        let last = events.iter().rev().find(|event| event.event == What::End);
        let because = last.and_then(|end| end.message.clone()).unwrap_or_else(|| said.trim().to_owned());
        let next = last.and_then(|end| end.next.clone());
        Ok(Some(json!({ "done": code == 0, "exit": code, "because": because, "next": next })))
    }
}

/// What is handed out, with what to do about it.
fn prompt(attempt: &Attempt) -> Value {
    json!({
        "task": attempt.task,
        "attempt": number_of(attempt),
        "prompt": attempt.handed.as_ref().map(|handed| handed.prompt.as_str()),
        "then": "Do the work in this tree, call plan_check until it passes, then plan_done in the place of an answer in JSON.",
    })
}

/// The number of the attempt, from its mark.
fn number_of(attempt: &Attempt) -> u32 {
    let mark = attempt.handed.as_ref().map(|handed| handed.attempt.as_str()).unwrap_or_default();
    mark.rsplit('/').next().and_then(|number| number.parse().ok()).unwrap_or(0)
}

/// The answer of a worker, in the words of the agent.
fn answer_of(done: &Done) -> String {
    let status = if done.blocked.is_some() { "ERROR" } else { "SUCCESS" };
    let mut answer = json!({
        "status": status,
        "summary": done.summary,
        "outputs": done.outputs,
        "learnings": done.learnings,
        "issues": done.issues,
    });
    if let Some(why) = &done.blocked {
        insert(
            &mut answer,
            "error",
            json!({ "code": "blocked", "message": why, "retry_recommended": false }),
        );
    }
    format!("{answer}\n")
}

/// The checks of an attempt that did not pass.
fn missing(line: &Line, number: u32) -> Vec<Value> {
    let attempt = line.history.iter().rev().find(|attempt| attempt.number == number);
    let gates = attempt.map(|attempt| attempt.gates.as_slice()).unwrap_or_default();
    gates.iter().filter(|ran| ran.status != "pass").map(shown_ran).collect()
}

fn shown_ran(ran: &Ran) -> Value {
    json!({
        "check": ran.id, "status": ran.status, "command": ran.command, "wanted": ran.expect, "came": ran.measured,
        "output": ran.tail,
    })
}

fn shown_gate(gate: &Gate) -> Value {
    json!({
        "check": gate.gate_id, "status": gate.status, "command": gate.invocation, "wanted": gate.expect,
        "came": gate.measured, "output": gate.last_output_lines,
    })
}

fn nothing_ready(status: &StatusDoc) -> Fail {
    let why = match status.waiting.first() {
        Some(waiting) => format!("no task is ready; task {}: {}", waiting.id, waiting.cause),
        None => "every task is done".to_owned(),
    };
    Fail::data("nothing-ready", why)
}

/// Why a task was not handed out, in the words of the stage that refused it.
fn not_begun(id: &str, code: i32, events: &[Event], said: &str) -> Fail {
    let words = |what: What| events.iter().rev().find(|event| event.event == what)?.message.clone();
    let said = Some(said.trim().to_owned()).filter(|said| !said.is_empty());
    let why =
        words(What::Halt).or(said).or_else(|| words(What::End)).unwrap_or_else(|| format!("exit {code}"));
    Fail::data("not-handed-out", format!("task {id} was not handed out: {why}"))
}

fn report_words(plan: &Path, format: &str) -> Words {
    let mut report = words(&["run-report", "--final", "--format", format]);
    report.push(plan.into());
    report
}

/// What a tool said, if it ended with 0; else its own message.
pub(crate) fn said(said: Said) -> Result<Said, Fail> {
    if said.code == 0 { Ok(said) } else { Err(failed(&said)) }
}

fn failed(said: &Said) -> Fail {
    let exit = Exit::from_code(said.code).unwrap_or(Exit::Unavailable);
    Fail::new(exit, "tool-failed", said.err.trim())
}

fn insert(answer: &mut Value, name: &str, value: Value) {
    if let Some(map) = answer.as_object_mut() {
        map.insert(name.to_owned(), value);
    }
}

/// The answer with what was found about the plan.
fn with(mut answer: Value, found: &[String]) -> Value {
    if !found.is_empty() {
        insert(&mut answer, "found", json!(found));
    }
    answer
}
