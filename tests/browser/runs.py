"""Makes folders as runs leave them: a plan, a ledger whose chain holds, and what workers saved."""
import hashlib
import json
import pathlib
import random
import subprocess
from datetime import datetime, timedelta, timezone

START = datetime(2026, 1, 31, 12, 0, 0, tzinfo=timezone.utc)
RUN = "r1"


class Task:
    """A task of a plan and what became of it."""

    def __init__(self, id, title, needs=(), ticked=False, checks=(("It is there", "test -f made.txt"),)):
        self.id, self.title, self.needs, self.ticked, self.checks = str(id), title, [str(n) for n in needs], ticked, checks


def plan_text(title, tasks):
    lines = [f"# {title}", "", "> A plan.", "", "## Dependency Graph", "",
             "| TODO | Requires (Inputs) | Produces (Outputs) | Type |", "|---|---|---|---|"]
    for task in tasks:
        needs = ", ".join(f"`todo-{n}.made`" for n in task.needs) or "-"
        lines.append(f"| {task.id} | {needs} | `made` (file) | work |")
    lines += ["", "## TODOs", ""]
    for task in tasks:
        lines += [f"### [{'x' if task.ticked else ' '}] TODO {task.id}: {task.title}", "", "**Type**: work", "",
                  "**Outputs**:", "- `made` (file): `made.txt`", "", "**Acceptance Criteria**:", "", "*Functional:*"]
        lines += [f"- [{'x' if task.ticked else ' '}] {text}: `{command}`" for text, command in task.checks]
        lines.append("")
    return "\n".join(lines)


class Run:
    """A folder with a plan, to which records are added in the order of the clock."""

    def __init__(self, folder, tools, title, tasks):
        self.folder, self.now, self.seq, self.head = pathlib.Path(folder), START, 0, "0" * 64
        self.folder.mkdir(parents=True)
        (self.folder / "PLAN.md").write_text(plan_text(title, tasks))
        parsed = subprocess.run([f"{tools}/plan-parse", "PLAN.md"], cwd=self.folder, check=True, capture_output=True)
        self.tasks = {task["id"]: task for task in json.loads(parsed.stdout)["tasks"]}
        (self.folder / ".plantools").mkdir()
        self.ledger = open(self.folder / ".plantools/ledger.ndjson", "w")

    def wait(self, seconds):
        self.now += timedelta(seconds=seconds)

    def record(self, kind, task, key, attempt=None, data=None, source="tool"):
        self.seq += 1
        line = {"schema": "punch/1", "seq": self.seq, "plan": "PLAN.md", "task": task,
                "fingerprint": self.tasks[task]["fingerprint"]}
        if attempt:
            line["attempt"] = attempt
        line |= {"run": RUN, "type": kind, "key": key, "observed_at": self.now.strftime("%Y-%m-%dT%H:%M:%SZ"),
                 "source": {"kind": source}, "trust": "observed", "data": data or {}, "prev": self.head}
        text = json.dumps(line, separators=(",", ":"), ensure_ascii=False)[:-1]
        self.head = hashlib.sha256(text.encode()).hexdigest()
        self.ledger.write(f'{text},"hash":"{self.head}"}}\n')

    def begin(self, task, attempt=1, prompt="Do it."):
        self.record("attempt_begin", task, "shell", attempt, {"worker": "shell"}, "supervisor")
        place = self.folder / f".plantools/work/{RUN}/{self.tasks[task]['key']}/{attempt}"
        place.mkdir(parents=True)
        (place / "prompt.md").write_text(prompt)
        return place

    def work(self, task, attempt=1, seconds=60, prompt="Do it.", claims=(), summary="", files=("made.txt",)):
        place = self.begin(task, attempt, prompt)
        self.wait(seconds)
        result = {"status": "SUCCESS", "outcome": "done", "name": "shell", "summary": summary, "claims": list(claims),
                  "duration_ms": seconds * 1000}
        (place / "result.json").write_text(json.dumps(result))
        (place / "stdout.log").write_text("working\n")
        data = {"status": "SUCCESS", "outcome": "done", "duration_ms": seconds * 1000, "changed_files": list(files)}
        self.record("attempt_end", task, "shell", attempt, data, "supervisor")

    def gate(self, task, number, attempt=1, passed=True, seconds=2.5, tail=(), command="test -f made.txt"):
        gate = {"run_timestamp": self.now.strftime("%Y-%m-%dT%H:%M:%SZ"), "elapsed_seconds": seconds, "gate_id": f"{task}:{number}",
                "invocation": command, "expect": "exit 0", "measured": "exit 0" if passed else "exit 1",
                "last_output_lines": list(tail), "log": f".plantools/logs/{RUN}/{task}-{number}.log"}
        self.wait(seconds)
        kind = "gate_pass" if passed else "gate_fail"
        self.record(kind, task, f"{task}:{number}", attempt, {"gate": gate}, "gate")

    def halt(self, task, attempt=1, message="checks failed", mismatches=(), counts=True):
        halt = {"stage": "gate-run", "code": "checks-failed", "category": "code_error", "message": message,
                "retry": True, "counts": counts}
        self.record("halt", task, "checks-failed", attempt, {"halt": halt, "detail": {"mismatches": list(mismatches)}})

    def tick(self, task, attempt=1):
        self.record("tick", task, task, attempt, {"tick": {"changed": True}})
        self.record("commit", task, hashlib.sha1(task.encode()).hexdigest(), None, {}, "git")

    def card(self, task, attempt=1):
        rows = [{"type": "command_exec", "pattern": "cargo test*", "rule": "required", "hits": 2, "ok": True},
                {"type": "command_exec", "pattern": "git push*", "rule": "forbidden", "hits": 0, "ok": True}]
        self.record("checkpoint", task, "held", attempt, {"card": {"id": "held", "status": "pass", "rows": rows}})

    def close(self):
        self.ledger.close()
        return self.folder


def small(folder, tools):
    """Five tasks: proved, proved after a false claim, failed, blocked, decided by a person."""
    tasks = [Task(1, "Set up the configuration", ticked=True), Task(2, "Parse the configuration", [1], True),
             Task(3, "Serve requests", [2]), Task(4, "Measure the load", [3]), Task(5, "Write the guide", [1], True)]
    run = Run(folder, tools, "Small service", tasks)
    run.work("1", summary="Wrote the defaults.")
    run.gate("1", 1)
    run.card("1")
    run.tick("1")
    run.work("2", seconds=95, claims=[{"id": "2:1", "status": "PASS", "description": "It is there"}])
    run.gate("2", 1, passed=False, tail=["error: cannot find made.txt", "1 check failed"])
    run.halt("2", message="checks failed: 2:1", mismatches=["2:1"])
    run.work("2", 2, seconds=40)
    run.gate("2", 1, 2)
    run.tick("2", 2)
    for attempt in (1, 2, 3):
        run.work("3", attempt, seconds=120)
        run.gate("3", 1, attempt, passed=False, tail=["assertion failed: left == right"])
        run.halt("3", attempt, message="checks failed: 3:1")
    run.wait(3600 * 9)
    run.record("override", "5", "tick", None, {"reason": "read it on paper"}, "human")
    return run.close()


def long(folder, tools, count=10_000, wave=100):
    """A plan in waves of a hundred, each task proved by its first attempt."""
    tasks = [Task(n, f"Make part {n}", [n - wave] if n > wave else [], True) for n in range(1, count + 1)]
    run = Run(folder, tools, "A long plan", tasks)
    for task in tasks:
        run.record("attempt_begin", task.id, "shell", 1, {"worker": "shell"}, "supervisor")
        run.wait(1)
        run.record("attempt_end", task.id, "shell", 1, {"status": "SUCCESS", "outcome": "done", "duration_ms": 1000}, "supervisor")
        run.gate(task.id, 1)
        run.tick(task.id)
    return run.close()


def many(folder, tools, count=150):
    """As many tasks as a large plan has, in every state."""
    dice = random.Random(7)
    verbs, nouns = ["Build", "Check", "Move", "Describe", "Tune"], ["the parser", "the cache", "the login", "the index", "the export"]
    tasks = []
    for n in range(1, count + 1):
        near = range(max(1, n - 14), n) if n > 6 else []
        needs = sorted(dice.sample(near, min(len(near), dice.choice([1, 1, 1, 2, 2]))))
        title = f"{dice.choice(verbs)} {dice.choice(nouns)} of part {n}"
        tasks.append(Task(n, title, needs, checks=[("It is there", "test -f made.txt"), ("It runs", "sh test.sh")]))
    ok = set()
    for task in tasks:
        if all(need in ok for need in task.needs) and int(task.id) < count * .8 and (dice.random() < .9 or int(task.id) < count * .5):
            ok.add(task.id)
            task.ticked = True
    run = Run(folder, tools, "A large plan", tasks)
    for task in tasks:
        if not task.ticked and not (all(need in ok for need in task.needs) and int(task.id) < count * .8):
            continue
        if int(task.id) % 50 == 0:
            run.wait(7200)
        attempt = 1
        while dice.random() < .15 or (not task.ticked and attempt < 3):
            run.work(task.id, attempt, seconds=dice.randint(20, 300))
            run.gate(task.id, 1, attempt)
            run.gate(task.id, 2, attempt, passed=False, tail=["FAILED test_part", f"expected 3, got {dice.randint(4, 9)}"])
            run.halt(task.id, attempt, message=f"checks failed: {task.id}:2", mismatches=[f"{task.id}:2"] if dice.random() < .3 else [])
            attempt += 1
        if task.ticked and task.id != "77":
            run.work(task.id, attempt, seconds=dice.randint(20, 300))
            run.gate(task.id, 1, attempt)
            run.gate(task.id, 2, attempt, seconds=dice.uniform(1, 30))
            run.tick(task.id, attempt)
    return run.close()


TRAP = "<script>window.pwned=1</script><img src=x onerror=window.pwned=1>\"'`</script><!--&lt;{{title}}"
WEIRD = f"{TRAP} \x1b[31mred\x1b[0m \x1b]0;title\x07 \u202eright to left\u202c \u2066iso\u2069 \x00\x07 \u2028 javascript:window.pwned=1"


def hostile(folder, tools):
    """Everything that a plan or a worker could write to break out of a page."""
    line = WEIRD.replace("\x00", "").replace("\u2028", " ")
    long = "x" * (1 << 20)
    tasks = [Task(1, f"{line}", ticked=True, checks=[(line.replace("`", "'"), "test -f made.txt")]),
             Task(2, f"A title of a megabyte {long}", [1]), Task(3, "العربية עברית \u202e نص " + TRAP, [1]),
             Task(4, "任务 " * 50, [2, 3]), Task(5, "&lt;b&gt; %3Cscript%3E \\u003cscript\\u003e", [1])]
    run = Run(folder, tools, f"Hostile {line}", tasks)
    run.work("1", prompt=WEIRD + long, summary=WEIRD, files=[f"{TRAP}.txt", "made.txt"],
             claims=[{"id": "1:1", "status": WEIRD, "description": WEIRD, "command": WEIRD}])
    run.gate("1", 1, command=WEIRD, tail=[WEIRD])
    run.tick("1")
    run.work("2", prompt=WEIRD, summary=long)
    run.gate("2", 1, passed=False, tail=[long, WEIRD, "\x1b[2J\x1b[H"], command=long)
    run.halt("2", message=WEIRD + long, mismatches=[WEIRD, long])
    run.record("override", "5", "tick", None, {"reason": WEIRD}, "human")
    return run.close()
