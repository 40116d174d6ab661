"""Power cuts: kills at moments that nobody chose, then running it again. What is left must be what a calm run leaves."""

import contextlib
import os
import random
import re
import shutil
import signal
import subprocess
import time

from bench import TOP, Bench
from disk import Disk

HEAD = """# Chain

## Dependency Graph

| TODO | Requires (Inputs) | Produces (Outputs) | Type |
|------|-------------------|--------------------|------|
{needs}

## Commit Strategy

| After TODO | Message | Files | Condition |
|------------|---------|-------|-----------|
{commits}

## TODOs

"""

TASK = """### [ ] TODO {n}: Make {name}

**Type**: work

**Outputs**:
- `{name}` (file): `{name}.txt` - it

```sh
sleep 0.1
echo done > {name}.txt
```

**Acceptance Criteria**:

*Functional:*
- [ ] It is done: `grep -c done {name}.txt` → 1

"""


class Story:
    """A plan to carry out: how its repository is laid out, and what orchestrate is told."""

    def __init__(self, name, args, make):
        self.name, self.args, self.make = name, args, make

    def bench(self, tool, place=None):
        bench = Bench(tool, place)
        self.make(bench)
        bench.git("init", "--quiet", "--initial-branch=main")
        bench.git("config", "user.name", "Kit")
        bench.git("config", "user.email", "kit@example.invalid")
        bench.commit_all("start")
        return bench


def tasks(needs):
    """A plan with a task for each name, which needs the results of others."""
    def make(bench):
        numbers = {name: number for number, name in enumerate(needs, 1)}
        needed = (f"| {n} | {', '.join(f'`todo-{numbers[on]}.{on}`' for on in needs[name]) or '-'} | `{name}` (file) | work |"
                  for name, n in numbers.items())
        commits = (f"| {n} | `feat: {name}` | `{name}.txt` | always |" for name, n in numbers.items())
        head = HEAD.format(needs="\n".join(needed), commits="\n".join(commits))
        bench.write("PLAN.md", head + "".join(TASK.format(n=n, name=name) for name, n in numbers.items()))
    return make


def example(name):
    def make(bench):
        folder = TOP / "tests/workflows" / name
        shutil.copytree(folder / "project", bench.repo, dirs_exist_ok=True, symlinks=True)
        shutil.copy(folder / "worker", bench.top / "home/worker")
    return make


def stories():
    shell = ["--worker", "shell", "PLAN.md"]
    found = [Story("small", shell, tasks({"a": "", "b": "a"})),
             Story("four at once", ["--jobs", "4", *shell], tasks({"a": "", "b": "", "c": "", "d": "", "e": "abcd"}))]
    for name, args in (("checklist", ["PLAN.md"]), ("execute", ["shop"]), ("orchestrate-runbook", ["tally"]),
                       ("execute", ["--jobs", "4", "shop"])):
        if (TOP / "tests/workflows" / name / "worker").exists():
            found.append(Story(f"{name}{', four at once' if '--jobs' in args else ''}", args, example(name)))
    return found


class Left:
    """What a run leaves: every file (digits masked, since times differ), and the subjects of the commits of work."""

    def __init__(self, bench):
        self.files = {}
        for path in sorted(bench.repo.rglob("*")):
            name = str(path.relative_to(bench.repo))
            # The audit and the issues tell of attempts: a cut adds one, and a worker whose watcher was killed has crashed.
            told = path.name in ("audit.md", "issues.md")
            if path.is_file() and not name.startswith((".git/", ".plantools/")) and not told:
                self.files[name] = re.sub(rb"[0-9]", b"#", path.read_bytes())
        self.subjects = sorted(name for name in bench.subjects() if "bookkeeping" not in name)

    def differs(self, other):
        for name in sorted(self.files.keys() | other.files.keys()):
            if self.files.get(name) != other.files.get(name):
                yield f"another {name}"
        if self.subjects != other.subjects:
            yield f"commits {self.subjects}, not {other.subjects}"


def calm(story, tool):
    """An undisturbed run: how long it takes and what it leaves."""
    with story.bench(tool) as bench:
        ended = bench.orchestrate(*story.args, within=120)
        if ended.code != 0:
            raise SystemExit(f"conformance: {story.name} does not even run undisturbed: {ended.text()[-800:]}")
        return ended.seconds, Left(bench)


def misses(story, tool, took, wanted, dice, power):
    """One run with one to three cuts, then one to the end; with `power` on a disk that forgets what was not synced."""
    kinds = ("power",) if power else ("all", "all", "one")
    cuts = [(dice.random(), dice.choice(kinds)) for _ in range(dice.choice((1, 1, 1, 2, 3)))]
    with contextlib.ExitStack() as stack:
        disk = stack.enter_context(Disk()) if power else None
        bench = stack.enter_context(story.bench(tool, disk and disk.place))
        if disk:
            disk.sync()
        for moment, what in cuts:
            cut(bench, story, took * moment, what, dice)
            if disk:
                disk.cut()
        ended = bench.orchestrate(*story.args, within=120)
        found = [] if ended.code == 0 else [f"exit {ended.code}: {ended.text()[-600:]}"]
        try:
            found += Left(bench).differs(wanted)
            if bench.git("status", "--porcelain"):
                found.append(f"the tree is not clean: {bench.git('status', '--porcelain')}")
        except RuntimeError as error:
            found.append(str(error))
        verify = bench.run(str(tool.folder / "punch"), "verify") if tool.has("punch") else None
        if verify and verify.code != 0:
            found.append(f"the ledger is not whole: {verify.text()[-200:]}")
        if power and (fsck := bench.run("git", "fsck", "--strict", "--no-dangling")).code != 0:
            found.append(f"the repository is not whole: {fsck.text()[-200:]}")
        if left := bench.processes():
            found.append(f"processes left: {left}")
        if found and tool.has("punch"):
            found.append(f"halts: {bench.run(str(tool.folder / 'punch'), 'list', '--type', 'halt').text()[-800:]}")
    said = ", ".join(f"{what} at {moment:.3f}" for moment, what in cuts)
    return [f"{story.name}, killed {said} of {took:.2f} s: {miss}" for miss in found]


def cut(bench, story, seconds, what, dice):
    process = bench.start(str(bench.tool.orchestrate), *story.args)
    try:
        process.wait(seconds)
    except subprocess.TimeoutExpired:
        pass
    if what == "one" and (alive := bench.processes()):
        # One process alone: the others are to notice, and to end in their own time.
        try:
            os.kill(dice.choice(alive)[0], signal.SIGKILL)
        except OSError:
            pass
        deadline = time.monotonic() + 10
        while process.poll() is None and time.monotonic() < deadline:
            time.sleep(0.02)
    bench.kill_all()
    process.wait()


def moments(tool, count, seed, power):
    """Every cut that is to be tried, as calls."""
    dice = random.Random(seed)
    told = [(story, *calm(story, tool)) for story in stories()[:count]]
    for number in range(count):
        story, took, wanted = told[number % len(told)]
        own = random.Random(dice.random())
        yield story.name, lambda s=story, t=took, w=wanted, o=own: misses(s, tool, t, w, o, power)


def names():
    """The names of the runs that are killed."""
    return [story.name for story in stories()]
