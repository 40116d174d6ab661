"""How checks are worded. Each text of `wording/` stands in a plan of each form that can hold it, and is judged on trees in
which it holds and in which it does not: no box of the second kind may ever be ticked, whatever the words are."""

import json
import re
import shutil
import subprocess
import threading
import tomllib
import zlib
from collections import Counter
from concurrent.futures import ThreadPoolExecutor

from bench import HERE, Bench
from containers import CONTAINERS, USUAL

VERDICTS = ("judged", "unclear", "either", "prose", "skip")
BATCH = 32
KEYS = {"why", "verdict", "texts", "in", "holds", "fails", "open", "rewrite"}

CONFIG = """[defaults]
worker = "kit"

[workers.kit]
command = ["sh", "-c", "exec \\"$CONFORMANCE_WORKER\\""]
"""

PROOF = '\n[proof]\naccept = "gates"\nacts = "allow"\n'

# What the trees are made with: a file, a script that prints and exits so, a program on PATH that does.
STAGE = r"""set -e
file() { mkdir -p "$(dirname "$1")"; printf '%b\n' "$2" > "$1"; }
script() { file "$1.out" "$3"; file "$1.err" "${4-}"; [ -n "$3" ] || : > "$1.out"; [ -n "${4-}" ] || : > "$1.err"
  printf 'cat "%s.out"; cat "%s.err" >&2; exit %s\n' "$1" "$1" "$2" > "$1"; }
tool() { ( cd "$CONFORMANCE_BIN"; script "$CONFORMANCE_BIN/$1" "$2" "$3" "${4-}"
  { echo '#!/bin/sh'; cat "$1"; } > "$1.new"; mv "$1.new" "$1"; chmod +x "$1"; ); }
"""

WORKER = r"""#!/bin/sh
number=$(grep -o 'Case [0-9]*' | head -n 1 | tr -dc 0-9)
ls -A | grep -vxE '\.git|\.plantools|PLAN\.md|plantools\.toml' | while read -r name; do rm -rf "$name"; done
rm -rf "$CONFORMANCE_BIN"; mkdir "$CONFORMANCE_BIN"
sh "$CONFORMANCE_STAGES/$number" > /dev/null 2>&1
echo "$number" > .case
echo '{"status": "SUCCESS"}'
"""


class Case:
    """A criterion as it is written, what must come of it, and the trees in which it holds, does not hold, or cannot be told."""

    def __init__(self, group, text, told, verdict=None):
        self.group, self.text, self.why = group, text, told["why"]
        self.verdict = verdict or told.get("verdict", "judged")
        self.outcomes = {kind: told.get(kind, []) for kind in ("holds", "fails", "open")}
        names = told.get("in", USUAL)
        self.containers = [name for name in names if CONTAINERS[name].holds(text)]
        if self.verdict != "judged" and "plan-md" in self.containers:
            self.containers.append("plan-md-beside")
        self.name = f"{group}: " + text.replace("\n", "⏎")

    def draw(self):
        """A number that only the text decides, so that a choice stays the same when others come."""
        return zlib.crc32(self.text.encode())

    def quick(self):
        return self.draw() % 20 == 0

    def trees(self):
        return [(kind, stage) for kind, stages in self.outcomes.items() for stage in stages]


def all_checks():
    """Every case; a rewrite that an author would take is one more, and must be judged."""
    found, known = [], set()
    for path in sorted((HERE / "wording").rglob("*.toml")):
        for told in tomllib.loads(path.read_text())["cases"]:
            if told.keys() - KEYS or told.get("verdict", "judged") not in VERDICTS:
                raise SystemExit(f"conformance: {path.name}: a case has a key or a verdict that is not known: {told}")
            cases = [Case(path.stem, text, told) for text in told["texts"]]
            if rewrite := told.get("rewrite"):
                told = {key: value for key, value in told.items() if key != "in"}
                cases.append(Case(path.stem + " rewritten", rewrite, told, "judged"))
            for case in cases:
                key = (case.text, tuple(case.containers), str(case.outcomes))
                if key not in known:
                    known.add(key)
                    found.append(case)
    return found


class Reading:
    """What the tool makes of one case in one container: its order, and what was said of it."""

    def __init__(self, container, order, said, refused=False):
        self.container, self.order, self.said, self.refused = container, order, said, refused

    def unclear(self):
        return [{**one, **(one.get("offer") or {})} for one in self.said if one.get("code") == "unclear-check"]

    def is_step(self):
        return CONTAINERS[self.container].step

    def is_work(self):
        """Whether it is a step of the work here, with no check in it."""
        checks = self.order["task"].get("criteria", []) if self.order else []
        return CONTAINERS[self.container].step and not any(one.get("command") for one in checks)

    def key(self):
        """Equal for two readings that ask the same."""
        if self.order is None:
            return "none"
        criteria = self.order["task"].get("criteria", [])
        kept = [{key: value for key, value in one.items() if key not in LABELS} for one in criteria]
        return json.dumps(without_spans(kept), sort_keys=True)


# What a criterion has besides what it asks.
LABELS = {"id", "text", "title", "source", "boxed", "category"}


def without_spans(value):
    if isinstance(value, dict):
        return {key: without_spans(one) for key, one in value.items() if key not in ("span", "line")}
    return [without_spans(one) for one in value] if isinstance(value, list) else value


class Desk:
    """A repository with a plan of each container, in which the trees are made one after the other."""

    def __init__(self, tool):
        self.bench = Bench(tool)
        self.bin = self.bench.top / "bin"
        self.bin.mkdir()
        self.bench.env["PATH"] = f"{self.bin}:{self.bench.env['PATH']}"
        self.bench.env["CONFORMANCE_BIN"] = str(self.bin)
        self.bench.repository()
        self.bench.write("plantools.toml", CONFIG)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.bench.__exit__()

    def tool(self, name):
        return str(self.bench.tool.folder / name)

    def parse(self, container, texts, folder):
        """The readings of these texts in one container, by number."""
        place = f"plans/{folder}/{container}"
        for name, text in CONTAINERS[container].plan(texts).items():
            self.bench.write(f"{place}/{name}", text)
        return self.read(container, place)

    def parse_all(self, container, texts):
        """The same, and where the plan of all texts is refused, one plan for each."""
        found, _ = self.parse(container, texts, "first")
        if found is None:
            found = {}
            for number, text in texts:
                alone, said = self.parse(container, [(number, text)], f"alone-{number}")
                found |= alone if alone is not None else {number: Reading(container, None, [{"message": said}], refused=True)}
        return found

    def read(self, container, place):
        told = CONTAINERS[container]
        path = f"{place}/plan" if "{n}" in told.file else f"{place}/{told.file}"
        ended = self.bench.run(self.tool("plan-parse"), "--lint", "--error-format=json", path, within=60)
        if not ended.out.strip():
            return None, ended.text()[-400:]
        plan = json.loads(ended.out)
        saved = self.bench.top / "tmp/plan.json"
        saved.write_bytes(ended.out)
        asked = self.bench.run(self.tool("dag-next"), "--strategy", "parallel", "--jobs", "99999", str(saved), within=60)
        orders = [json.loads(line) for line in asked.out.splitlines()]
        orders = {one["task"]["id"]: one for one in orders if one["schema"] == "order/1"}
        readings = {}
        for task in plan["tasks"]:
            if found := re.search(r"Case (\d+)", task["title"]):
                said = [one for one in plan.get("diagnostics", []) if one.get("task") == task["id"]]
                readings[int(found[1])] = Reading(container, orders.get(task["id"]), said)
        return readings, asked.err.decode(errors="replace")[-300:]

    def stage(self, script):
        """Makes the tree in which a case is judged."""
        for path in self.bench.repo.iterdir():
            if path.name not in (".git", "plans", "plantools.toml"):
                shutil.rmtree(path) if path.is_dir() and not path.is_symlink() else path.unlink()
        shutil.rmtree(self.bin)
        self.bin.mkdir()
        done = subprocess.run(["sh", "-c", STAGE + script], cwd=self.bench.repo, env=self.bench.env, check=False,
                              capture_output=True)
        if done.returncode != 0:
            raise SystemExit(f"conformance: a tree cannot be made: {script}: {done.stderr.decode()}")

    def judge(self, order):
        """ticks, fails or open: what the checks of an order come to here."""
        if order is None:
            return "open", "refused, or no task"
        order = {**order, "plan": {**order["plan"], "root": str(self.bench.repo)}}
        orders = self.bench.top / "tmp/orders"
        end = {"schema": "end/1", "answer": "more", "orders": 1}
        orders.write_text(json.dumps(order) + "\n" + json.dumps(end) + "\n")
        ended = self.bench.run(self.tool("gate-run"), "--json-only", "--timeout-seconds", "20", str(orders), within=40)
        for line in ended.out.splitlines():
            came = json.loads(line)
            if came.get("schema") == "order/1" and "verdict" in came:
                verdict = came["verdict"]
                each = [f"{one['id']} {one['status']} {one.get('reason', '')}" for one in verdict.get("criteria", [])]
                why = f"{verdict['status']}: {'; '.join(each)}"
                if "halt" not in came:
                    return "ticks", why
                return ("fails" if verdict["status"] == "failed" else "open"), why
        return "open", ended.text()[-300:]


class Score:
    """What was counted."""

    def __init__(self):
        self.counts, self.lock = Counter(), threading.Lock()

    def add(self, what, times=1):
        with self.lock:
            self.counts[what] += times

    def rows(self):
        count = self.counts
        others = count["does not hold"] + count["cannot be told"]
        yield "false ticks", [f"{count['false']} of {others} outcomes that do not hold"] if count["false"] else []
        share = 100 * count["honest fail"] / max(1, count["holds"])
        yield "honest outcomes judged fail", [f"{count['honest fail']} of {count['holds']} ({share:.1f} %)"] if share > 1 else []

    def text(self):
        return "\n".join(f"     {number:6} {what}" for what, number in sorted(self.counts.items()) if number)


def expected(case, container):
    """What each kind of outcome may come to, in the order holds, fails, open."""
    if case.verdict in ("prose", "skip"):
        only = {"ticks"} if container == "plan-md-beside" else {"open"}
        return {"holds": only, "fails": only, "open": only}
    if case.verdict == "unclear":
        return {kind: {"open"} for kind in ("holds", "fails", "open")}
    wanted = {"holds": {"ticks"}, "fails": {"fails", "open"}, "open": {"open"}}
    if case.verdict == "either":
        wanted = {"holds": {"ticks", "open"}, "fails": {"fails", "open"}, "open": {"fails", "open"}}
    return wanted


def try_case(desk, case, readings, score):
    """Judges one case in all its containers; yields what is not as it must be."""
    groups = {}
    for reading in readings:
        groups.setdefault((reading.key(), reading.container == "plan-md-beside"), []).append(reading)
    if len({key for key, beside in groups if not beside}) > 1:
        score.add("cases that are read differently in different containers")
    for kind, script in case.trees():
        desk.stage(script)
        for same in groups.values():
            came, why = desk.judge(same[0].order)
            where = ", ".join(one.container for one in same)
            times = len(same)
            score.add({"holds": "holds", "fails": "does not hold", "open": "cannot be told"}[kind], times)
            score.add(f"{case.verdict}, {kind}: {came}", times)
            if came in expected(case, same[0].container)[kind]:
                continue
            tree = f"{kind} [{script}] in {where}: {why}"
            if came == "ticks" and kind != "holds":  # the worst that can happen
                score.add("false", times)
                yield f"a false tick, {tree}"
            elif came == "ticks":
                score.add("guessed", times)
                yield f"ticked, and the text is {case.verdict}, {tree}"
            elif came == "fails" and kind == "holds":
                score.add("honest fail", times)
                yield f"honest, and judged fail, {tree}"
            elif came == "fails" and kind == "fails":
                score.add("guessed", times)
                yield f"judged fail, and the text is {case.verdict}, {tree}"
            elif came == "fails":
                score.add("judged what cannot be told", times)
                yield f"judged fail, and it has not looked, {tree}"
            elif not all(one.is_step() for one in same):
                score.add("not judged", times)
                yield f"not judged, {tree}"
    unsaid = [reading.container for reading in readings if not reading.unclear() and not reading.refused and not reading.is_work()]
    if unsaid and case.verdict == "unclear":
        score.add("unclear, and not said", len(unsaid))
        yield f"unclear-check is not said in {', '.join(unsaid)}"


def try_offers(desk, cases, readings, score):
    """Takes every rewrite that was offered, and judges the text that comes of it."""
    for container in ("checklist", "plan-md"):
        offers = {}
        for number, case in enumerate(cases):
            reading = readings[number].get(container) if case.verdict in ("unclear", "either") else None
            said = reading.unclear() if reading else []
            offered = [one for one in said if one.get("rewrite")]
            if offered:
                offers[number] = offered
            elif said:
                why = said[0].get("reason", said[0].get("message"))
                yield case, [f"no rewrite is offered in {container}: {why}"]
            score.add("unclear with an offer" if offered else "unclear without an offer", len(said) > 0)
        taken, said = take(desk, container, cases, offers) if offers else ({}, "")
        for number, offered in offers.items():
            case, wrong = cases[number], []
            reading = taken.get(number) if taken else None
            for kind, script in case.trees():
                desk.stage(script)
                came, why = desk.judge(reading.order if reading else None)
                # An offer that leaves the text to a person is no verdict.
                if (came == "ticks") != (kind == "holds") and not (came == "open" and leaves(offered[0]["rewrite"])):
                    offer = f"the offer [{offered[0]['rewrite']}], taken in {container}"
                    wrong.append(f"{offer}, {kind} [{script}]: {came}, {why} {said}")
            left = "offers that leave it to a person" if leaves(offered[0]["rewrite"]) else "offers judged rightly"
            score.add("offers judged wrongly" if wrong else left)
            yield case, wrong


def leaves(rewrite):
    return "skip a person judges" in rewrite or "(manual:" in rewrite


def take(desk, container, cases, offers):
    """Edits the bytes that each offer names; where it names none, the offer is the whole text."""
    if all("span" in one for offered in offers.values() for one in offered):
        name = CONTAINERS[container].file
        data = (desk.bench.repo / f"plans/first/{container}" / name).read_bytes()
        edits = [(one["span"], one["rewrite"]) for offered in offers.values() for one in offered]
        for span, text in sorted(edits, key=lambda edit: edit[0]["start"], reverse=True):
            data = data[: span["start"]] + text.encode() + data[span["end"] :]
        desk.bench.write(f"plans/taken/{container}/{name}", data)
        return desk.read(container, f"plans/taken/{container}")
    return desk.parse(container, [(number, offered[0]["rewrite"]) for number, offered in offers.items()], "taken")


def misses(tool, cases, jobs):
    """Tries every case; yields its name and what is wrong, and at the end the counts."""
    if not tool.has("gate-run"):
        yield from through(tool, cases, len(cases))
        return
    score = Score()
    batches = [cases[start : start + BATCH] for start in range(0, len(cases), BATCH)]
    with ThreadPoolExecutor(jobs) as pool:
        for rows in pool.map(lambda batch: try_batch(tool, batch, score), batches):
            yield from rows
    yield from through(tool, cases, max(20, len(cases) // 20))
    yield from score.rows()
    print(score.text(), flush=True)


def try_batch(tool, cases, score):
    """Tries a few cases in a repository of their own: a small tree is judged sooner."""
    with Desk(tool) as desk:
        readings = [{} for _ in cases]
        for container in CONTAINERS:
            texts = [(number, case.text) for number, case in enumerate(cases) if container in case.containers]
            found = desk.parse_all(container, texts) if texts else {}
            for number, _ in texts:
                readings[number][container] = found.get(number) or Reading(container, None, [])
        configure(desk.bench)
        desk.bench.commit_all()
        rows = [(case.name, list(try_case(desk, case, [*readings[number].values()], score))) for number, case in enumerate(cases)]
        rows += [("offer: " + case.name, wrong) for case, wrong in try_offers(desk, cases, readings, score) if wrong]
    return rows


def configure(bench):
    """Lets the weakest level tick, where the tool knows levels."""
    bench.write("plantools.toml", CONFIG + PROOF)
    folder = bench.tool.folder
    asked = bench.run("sh", "-c", f"printf -- '- [ ] a\\n  - Verify: `true`\\n' | '{folder}/plan-parse' | '{folder}/dag-next'")
    if asked.code == 78:
        bench.write("plantools.toml", CONFIG)


def through(tool, cases, most):
    """Some of them from end to end: of those that do not hold, or are unclear, no box may be ticked, and the others must be."""
    usual = [case for case in cases if "checklist" in case.containers and "sleep" not in str(case.outcomes)]
    usual.sort(key=Case.draw)

    def rows_of(container, verdicts, kinds):
        chosen = [case for case in usual if case.verdict in verdicts]
        return [(case, container, stage) for case in chosen for stage in [one for kind, one in case.trees() if kind in kinds][:1]]

    runs = {
        "hold": rows_of("checklist", ("judged",), ("holds",)),
        "do not hold": rows_of("checklist", ("judged", "either", "unclear"), ("fails",)),
        "are unclear beside one that holds": rows_of("checklist-beside", ("unclear",), ("holds", "fails")),
    }
    runs = {title: rows[:most] for title, rows in runs.items()}
    for title, rows in runs.items():
        if not rows:
            continue
        with Bench(tool) as bench:
            bench.repository()
            stages = bench.top / "home/stages"
            stages.mkdir()
            for number, (_, _, script) in enumerate(rows):
                (stages / str(number)).write_text(STAGE + script)
            configure(bench)
            texts = [(number, case.text) for number, (case, _, _) in enumerate(rows)]
            bench.write("PLAN.md", CONTAINERS[rows[0][1]].plan(texts)["PLAN.md"])
            bench.write("../home/worker", WORKER, 0o755)
            bench.commit_all()
            place = bench.top / "bin"
            place.mkdir()
            ended = bench.orchestrate("--worker", "kit", "--max-attempts", "1", "PLAN.md", within=60 + 3 * len(rows),
                                      CONFORMANCE_WORKER=str(bench.top / "home/worker"), CONFORMANCE_BIN=str(place),
                                      CONFORMANCE_STAGES=str(stages), PATH=f"{place}:{bench.env['PATH']}")
            plan = (bench.repo / "PLAN.md").read_text()
        wrong = []
        for number, (case, _, script) in enumerate(rows):
            ticked = re.search(rf"^- \[x\] Case {number}$", plan, re.MULTILINE) is not None
            if ticked != (title == "hold"):
                wrong.append(f"{'ticked' if ticked else 'open'}: {case.name} [{script}]")
        yield f"end to end: {len(rows)} that {title} (exit {ended.code})", wrong


def groups():
    """The groups of texts with how many there are, for the list of cases."""
    told = {}
    for case in all_checks():
        told.setdefault((case.group, case.why), []).append(case)
    return [(group, f"{why}: {len(cases)} texts, {cases[0].verdict}") for (group, why), cases in told.items()]
