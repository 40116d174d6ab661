"""One run: a repository with the plan, a home folder of its own, the scripted server, and `orchestrate`."""

import contextlib
import json
import os
import re
import signal
import subprocess
import threading
import time
from pathlib import Path

from clients import Site
from server import Server
from story import COMMITS, PLAN, TASKS, script

ROOT = Path(__file__).resolve().parents[2]


class Missed(Exception):
    """What is not as it should be."""


class Run:
    """A run of the plan with one client; `close` leaves nothing behind but its folder."""

    def __init__(self, client, program, folder, *, faults=None, manner=None, hooks=False, whole=None, **worker):
        self.client, self.folder, self.drives = client, folder, whole is not None
        self.work, self.home = folder / "work", folder / "home"
        for place in (self.work, self.home, folder / "tmp"):
            place.mkdir(parents=True)
        self.log = folder / "requests.ndjson"
        self.server = Server(script(client, self.work, faults, manner), self.log)
        threading.Thread(target=self.server.serve_forever, daemon=True).start()
        site = Site(f"http://127.0.0.1:{self.server.port}", self.home, self.work)
        environment = client.settle(site)
        arguments = client.hook(site) if hooks and client.hook else []
        site.write(self.work / "PLAN.md", PLAN)
        settings = {"program": str(program), "permissions": "all", "model": client.model, "args": arguments}
        settings = whole or {**settings, **worker}
        site.write(self.work / "plantools.toml", toml(client.name, settings, environment))
        self.git("init", "--quiet", "--initial-branch=main")
        self.git("config", "user.name", "Demo")
        self.git("config", "user.email", "demo@example.invalid")
        self.git("add", "--all")
        self.git("commit", "--quiet", "--message=plan")

    def environment(self):
        tools = os.environ["PLANTOOLS_BIN"]
        ours = {
            "HOME": str(self.home),
            "PATH": f"{tools}:{os.environ['PATH']}",
            "TMPDIR": str(self.folder / "tmp"),
            "PLANTOOLS_BIN": tools,
            "NO_COLOR": "1",
            "GIT_CONFIG_NOSYSTEM": "1",
        }
        kept = {name: os.environ[name] for name in ("LANG", "LC_ALL", "TERM") if name in os.environ}
        return kept | ours

    def command(self, *words, check=True):
        """A command in the work tree: its output, and its exit code where it may be any."""
        done = subprocess.run(words, cwd=self.work, env=self.environment(), capture_output=True, text=True)
        if check and done.returncode:
            raise Missed(f"{words[0]} {words[1]}: exit {done.returncode}: {done.stderr.strip()[-200:]}")
        return done.stdout

    def git(self, *words):
        return self.command("git", *words)

    def start(self):
        """Starts `orchestrate` in a process group of its own."""
        words = [Path(os.environ["PLANTOOLS_BIN"]) / "orchestrate", "--worker", self.client.name, "PLAN.md"]
        with open(self.folder / "orchestrate.log", "ab") as log:
            return subprocess.Popen(
                words, cwd=self.work, env=self.environment(), stdout=log, stderr=log, start_new_session=True
            )

    def orchestrate(self):
        code = self.start().wait()
        if code:
            tail = (self.folder / "orchestrate.log").read_text().strip().splitlines()[-1:]
            raise Missed(f"orchestrate: exit {code}: {''.join(tail)}")

    def records(self, kind):
        """The data of the ledger's records of a type."""
        path = self.work / ".plantools/ledger.ndjson"
        lines = path.read_text().splitlines() if path.exists() else []
        return [record for record in map(json.loads, lines) if record["type"] == kind]

    def results(self):
        """What was saved of each attempt that came to an end."""
        paths = [record["data"]["result"]["path"] for record in self.records("attempt_end")]
        return [json.loads((self.work / path).read_text()) for path in paths]

    def served(self, fault):
        """How often the server made this fault."""
        lines = self.log.read_text().splitlines() if self.log.exists() else []
        return sum(1 for line in lines if json.loads(line).get("fault") == fault)

    def asked(self):
        """The tokens of all answers of the model, by task."""
        found = {}
        lines = self.log.read_text().splitlines() if self.log.exists() else []
        for line in map(json.loads, lines):
            conversation = (line.get("place") or "").partition(":")[0]
            if "spent" in line and conversation.isdigit():
                sums = found.setdefault(str(int(conversation) + 1), dict.fromkeys(line["spent"], 0))
                for name, count in line["spent"].items():
                    sums[name] += count
        return found

    def processes(self):
        """Every process with this run's home folder: the client and whatever it started."""
        found = {}
        for folder in Path("/proc").glob("[0-9]*"):
            try:
                variables = (folder / "environ").read_bytes().split(b"\0")
                name = os.readlink(folder / "exe")
            except OSError:
                continue
            if f"HOME={self.home}".encode() in variables:
                found[int(folder.name)] = Path(name).name
        return found

    def close(self):
        # What is killed may start another before it is gone.
        while processes := self.processes():
            for process in processes:
                with contextlib.suppress(ProcessLookupError):
                    os.kill(process, signal.SIGKILL)
            time.sleep(0.1)
        self.server.shutdown()
        self.server.server_close()


def toml(name, settings, environment):
    """The configuration; strings and lists of strings are written alike in JSON and TOML."""
    lines = [f"[workers.{name}]"] + [f"{key} = {json.dumps(value)}" for key, value in settings.items()]
    lines += [f"[workers.{name}.env]"] + [f"{key} = {json.dumps(value)}" for key, value in environment.items()]
    return "\n".join(lines) + "\n"


def wait_for(what, condition, process=None, seconds=300):
    """Waits until something is true, while a process lives that is to make it so."""
    end = time.monotonic() + seconds
    while not condition():
        if process and process.poll() is not None:
            raise Missed(f"{what} never came: orchestrate: exit {process.returncode}")
        if time.monotonic() > end:
            raise Missed(f"waited {seconds} s for {what}")
        time.sleep(0.2)


def check(run):
    """Everything that must hold when a plan was carried to its end, whatever happened on the way."""
    boxes = run.git("show", "HEAD:PLAN.md").count("### [x] TODO")
    expect("boxes ticked", boxes, len(TASKS))
    subjects = run.git("log", "--format=%s").splitlines()
    expect("commits", [subjects.count(subject) for subject in COMMITS], [1, 1, 1])
    expect("left in the tree", run.git("status", "--porcelain"), "")
    run.command("punch", "verify")
    expect("processes left", run.processes(), {})
    return transcripts(run)


def expect(what, found, wanted):
    if found != wanted:
        raise Missed(f"{what}: {found}, not {wanted}")


def transcripts(run):
    """The client's own records of the attempts that did the tasks: their files, and the calls minted from them."""
    last = {record["task"]: record for record in run.records("attempt_end")}
    expect("tasks", sorted(last), [str(number) for number, _ in enumerate(TASKS, 1)])
    names, calls = set(), 0
    for record in last.values():
        result = json.loads((run.work / record["data"]["result"]["path"]).read_text())
        path = result.get("transcript") or "nothing"
        # Of an agent that we drive, what we print is the record.
        if path.endswith("stdout.log") != run.drives or not (run.work / path).exists():
            raise Missed(f"task {record['task']}: its record is {path}")
        if not run.drives:
            expect("the model", run.client.model.endswith(result.get("runtime_model_reported") or "unknown"), True)
        session = ["--session", result["session_id"]]
        run.command("punch", "mint", "--task", record["task"], *session, str(run.work / path))
        minted = run.command("punch", "list", "--minted", "--task", record["task"])
        kinds = [json.loads(line)["type"] for line in minted.splitlines()]
        made = sum(kind in ("tool_call", "command_exec") for kind in kinds)
        if made < (2 if run.client.shell else 1):
            raise Missed(f"task {record['task']}: {made} calls in {path}")
        # A second attempt finds the file there, and some clients then refuse to write it: only the first task is sure.
        if record["task"] == "1" and run.client.shell:
            cards(run, record["task"])
        calls += made
        names.add(Path(path).suffix)
    return f"{calls} calls ({', '.join(sorted(names))})"


def tokens(run):
    """The tokens in the report are those that the model counted, for each task and in all; so are those in the traces."""
    asked = run.asked()
    if not run.client.tells_cache:
        asked = {task: {**used, "cached": 0} for task, used in asked.items()}
    report = json.loads(run.command("run-report", "--final", "--format", "json", "PLAN.md"))
    told = {}
    for task in report["tasks"]:
        for attempt in task.get("history", []):
            sums = told.setdefault(task["id"], {"input": 0, "cached": 0, "output": 0})
            for name, count in (attempt.get("tokens") or {}).items():
                sums[name] += count
    expect("tokens of each task", told, asked)
    whole = {name: sum(used[name] for used in asked.values()) for name in ("input", "output", "cached")}
    expect("tokens of the plan", report["numbers"].get("tokens"), whole)
    traces = run.command("run-report", "--final", "--format", "otlp", "PLAN.md")
    found = re.findall(r'"gen_ai.usage.input_tokens", *"value": *{"intValue": *"?(\d+)', traces)
    expect("tokens in the traces", sum(map(int, found)), whole["input"])
    cost = report["numbers"].get("cost")
    money = f", ${cost:.4f}" if cost is not None else ""
    cached = f"{whole['cached']} cached" if run.client.tells_cache else "cache not told"
    return f"{whole['input']} in ({cached}), {whole['output']} out{money}"


CARD = """[cards.by-hand]
required = ["kind:shell"]
forbidden = ["kind:spawn"]
"""


def cards(run, task):
    """What was minted meets the card of who works by hand, and breaks that of who may only hand work out."""
    file = run.folder / "by-hand.toml"
    file.write_text(CARD)
    met = json.loads(run.command("punch", "evaluate", "--cards", str(file), task, "by-hand", check=False))["card"]
    expect(f"task {task}: the card by-hand", (met["status"], met.get("missing")), ("pass", None))
    broken = json.loads(run.command("punch", "evaluate", task, "process-orchestrate", check=False))["card"]
    expect(f"task {task}: the card process-orchestrate", broken["status"], "fail")
    if not any(row.startswith(("kind:edit", "kind:write")) for row in broken.get("violations", [])):
        raise Missed(f"task {task}: process-orchestrate forbids edits, and found no edit: {broken}")
