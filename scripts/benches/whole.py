"""Plans carried to their end with a worker that adds a line to a file: what each task costs besides its work.

Processor time is that of all processes, of the user and of the system; the counts are those of one more task, by strace.
Beside it stands the floor, see floor/floor.c, and what make and ninja take for a target that does nothing.
"""
import os
import re
import resource
import shutil
import statistics
import subprocess
import time

FILES = 200
# Processor time of a task, in milliseconds, and how much more it may be in a long plan.
TARGETS = {1: 15, 4: 80}
GROWTH = 1.15
CALLS = "trace=execve,fsync,fdatasync,syncfs,openat,read,pread64,write,pwrite64"
COUNTS = {"processes": 8, "git processes": 2, "syncs": 6, "openings of the plan": 40, "bytes of the plan read": None,
          "reads of the whole ledger": 0.5, "bytes read and written": None}


def rows(bench):
    bench.tool("plan-parse")
    pipe(bench)
    hashes(bench)
    floor = least(bench)
    sizes = bench.size([50, 200, 1000, 5000], [20, 60])
    for jobs in (1, 4):
        points = [(tasks, whole(bench, tasks, jobs, floor)) for tasks in sizes]
        name = f"A task, {'one job' if jobs == 1 else f'{jobs} jobs'}, by the tasks of its plan"
        bench.curves.append({"what": name, "points": [{"size": n, "ms": ms, "memory_mb": 0} for n, ms in points]})
        few = points[0][1]
        for tasks, cpu in points[1:]:
            bench.limit(f"{tasks:,} tasks, {jobs} at once: processor time of each, beside that of few", cpu / few, "x", GROWTH)
        for tasks in (sizes[0], sizes[-1]):
            effects(bench, tasks, jobs)
    clone(bench)


def whole(bench, tasks, jobs, floor):
    """One criterion each, ticked, no commits; beside what builds as many targets that do nothing."""
    place = repository(bench, f"whole-{tasks}-{jobs}", tasks, apart=jobs > 1)
    start = time.perf_counter()
    run, cpu = spent(lambda: orchestrate(bench, place, "--jobs", str(jobs)))
    each, cpu = 1000 * (time.perf_counter() - start) / tasks, cpu / tasks
    ticked = (place / "PLAN.md").read_text().count("[x] TODO")
    name = f"{tasks:,} tasks, {jobs} at once"
    bench.limit(f"{name}: not ticked", tasks - ticked, "tasks", 0)
    if ticked < tasks:
        print(run.stdout[-2000:])
    bench.limit(f"{name}: each, besides its work", each, "ms", 60)
    bench.limit(f"{name}: processor time of each", cpu, "ms", TARGETS[jobs])
    if floor:
        bench.limit(f"{name}: processor time beside the floor", cpu / floor, f"x {floor:.1f} ms", TARGETS[jobs] / 8.5)
    if jobs == 1:
        beside(bench, place, tasks, each)
    shutil.rmtree(place)
    return cpu


def spent(act):
    """What it returns, and the processor time of all processes that it waits for, in milliseconds."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    result = act()
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return result, 1000 * (after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime)


def least(bench):
    """Processor time of a task that only has the effects; None without a compiler."""
    compiler = bench.peer("cc", apt="gcc")
    if not compiler:
        return None
    tasks, place, program = bench.size(200, 50), repository(bench, "floor", 50), bench.work / "floor-program"
    source = bench.root / "scripts/benches/floor/floor.c"
    static = [compiler, "-O2", "-static", "-o", program, source]
    if subprocess.run(static, capture_output=True, check=False).returncode != 0:
        static.remove("-static")
        subprocess.run(static, check=True)
    _, cpu = spent(lambda: subprocess.run([program, str(tasks)], cwd=place, check=True))
    shutil.rmtree(place)
    print(f"     the floor: {cpu / tasks:.1f} ms of a processor a task")
    return cpu / tasks


def effects(bench, tasks, jobs):
    """What one more task does, counted by strace: the difference of two runs in plans of this length."""
    strace = bench.peer("strace", apt="strace")
    if not strace:
        return
    few, more = 5, 15
    counts = []
    for attempts in (few, more):
        place = repository(bench, f"effects-{tasks}-{jobs}-{attempts}", max(tasks, more), apart=jobs > 1)
        traces = bench.work / "traces"
        traces.mkdir()
        orchestrate(bench, place, "--jobs", str(jobs), "--budget-attempts", str(attempts),
                    by=[strace, "-ff", "-qq", "-y", "-e", CALLS, "-o", str(traces / "t")])
        counts.append(counted(traces, (place / ".plantools/ledger.ndjson").stat().st_size))
        shutil.rmtree(traces)
        shutil.rmtree(place)
    for what, limit in COUNTS.items():
        each = (counts[1][what] - counts[0][what]) / (more - few)
        if limit is None or jobs > 1:
            print(f"     {tasks:,} tasks, {jobs} at once: {what} of each task: {each:,.1f}")
        else:
            bench.limit(f"{tasks:,} tasks: {what} of each task", each, "", limit)


def counted(traces, ledger):
    found = dict.fromkeys(COUNTS, 0)
    for trace in traces.iterdir():
        # What one process reads of the ledger at a time: a whole read has nearly all of it.
        read = 0
        for line in trace.open(errors="replace"):
            call, target = line.split("(", 1)[0], line.split(",")[0]
            size = re.search(r"= (\d+)$", line.rstrip())
            if call == "execve" and line.rstrip().endswith("= 0"):
                found["processes"] += 1
                found["git processes"] += target.endswith('/git"')
            elif call in ("fsync", "fdatasync", "syncfs"):
                found["syncs"] += 1
            elif call == "openat" and "/PLAN.md>" in line:
                found["openings of the plan"] += 1
            elif call in ("read", "pread64", "write", "pwrite64") and size:
                found["bytes read and written"] += int(size[1])
                if call.endswith("d") or call == "pread64":
                    found["bytes of the plan read"] += int(size[1]) if "/PLAN.md>" in target else 0
                    read += int(size[1]) if "ledger.ndjson" in target else 0
        found["reads of the whole ledger"] += read // max(1, ledger)
    return found


def clone(bench):
    """A tree that was checked out a moment ago beside one that is older than the run."""
    files, tasks = bench.size(5000, 500), bench.size(20, 5)
    took = {}
    for name, age in (("aged", 3600), ("fresh", 0)):
        place = repository(bench, f"clone-{name}", tasks, files)
        if age:
            for path in place.rglob("src/**/*.txt"):
                os.utime(path, (time.time() - age,) * 2)
            subprocess.run(["git", "-C", str(place), "update-index", "--refresh"], check=True, stdout=subprocess.DEVNULL)
            # The time of a change cannot be set: it has to pass.
            time.sleep(2)
        _, took[name] = spent(lambda: orchestrate(bench, place))
        shutil.rmtree(place)
    bench.limit(f"a fresh clone of {files:,} files beside an aged one", took["fresh"] / took["aged"], "x", 1.1)


def beside(bench, place, tasks, each):
    """A target that does nothing is one process, unchecked and unrecorded: about 1.2 ms."""
    (place / "Makefile").write_text("all:" + "".join(f" t{n}" for n in range(tasks)) + "\n"
                                    + "".join(f"t{n}:\n\t@true\n" for n in range(tasks)) + ".PHONY: all\n")
    (place / "build.ninja").write_text("rule nothing\n command = true\n"
                                       + "".join(f"build t{n}: nothing\n" for n in range(tasks)))
    engines = {"make -j1": [bench.peer("make", apt="make"), "-s", "-j1", "all"],
               "ninja -j1": [bench.peer("ninja", apt="ninja-build"), "--quiet", "-j1"]}
    for name, command in engines.items():
        if command[0]:
            start = time.perf_counter()
            subprocess.run(command, cwd=place, stdout=subprocess.DEVNULL, check=True)
            target = 1000 * (time.perf_counter() - start) / tasks
            bench.limit(f"{tasks:,} tasks: each, beside a target that does nothing", each / target, f"x {name}",
                        60 / 1.2)


def hashes(bench):
    """How often the tree is looked at for one more task: git is counted by a double that goes before it."""
    double, seen = bench.work / "double", bench.work / "seen"
    double.mkdir()
    (double / "git").write_text(f'#!/bin/sh\ncase "$*" in *" ls-files -z -c -o "*) echo >>"{seen}" ;; esac\n'
                                f'exec "{shutil.which("git")}" "$@"\n')
    (double / "git").chmod(0o755)
    counts = []
    for tasks in (5, 15):
        place = repository(bench, f"hashes-{tasks}", tasks)
        seen.write_text("")
        orchestrate(bench, place, PATH=f"{double}:{os.environ['PATH']}")
        counts.append(len(seen.read_text().splitlines()))
    bench.limit("looks at the tree for each task", (counts[1] - counts[0]) / 10, "looks", 4)


def orchestrate(bench, place, *options, by=(), **variables):
    return subprocess.run([*by, bench.tool("orchestrate"), "--worker", "shell", *options, "PLAN.md"], cwd=place,
                          env={**os.environ, "PLANTOOLS_BIN": os.path.dirname(bench.tool("plan-parse")), **variables},
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False)


def pipe(bench):
    """Eleven processes that have nothing left to do."""
    place = repository(bench, "pipe", 1)
    plan = place / "PLAN.md"
    plan.write_text(plan.read_text().replace("[ ] TODO", "[x] TODO"))
    stages = ["plan-parse PLAN.md", "dag-next", "handoff", "worker-run --worker shell", "gate-run", "punch checkpoint",
              "session-export", "context-save", "checkbox", "commit-run", "run-report"]
    line = " | ".join(f"'{bench.tool(stage.split()[0])}' {' '.join(stage.split()[1:])}" for stage in stages)
    took = []
    for _ in range(bench.size(31, 9)):
        start = time.perf_counter()
        subprocess.run(["sh", "-c", line], cwd=place, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=False)
        took.append(1000 * (time.perf_counter() - start))
    bench.limit("the pipe itself, nothing to do", statistics.median(took), "ms", 12)


def repository(bench, name, tasks, files=FILES, apart=False):
    """Tasks that run at once write files of their own: work on one file would not merge."""
    made = (lambda n: f"made{n}") if apart else (lambda _: "made")
    place = bench.work / name
    place.mkdir()
    git = ["git", "-C", str(place), "-c", "user.name=bench", "-c", "user.email=bench@example.invalid"]
    subprocess.run([*git, "init", "--quiet"], check=True)
    for number in range(files):
        file = place / f"src/{number % 20}/file{number}.txt"
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(f"{number}\n" * 40)
    (place / "PLAN.md").write_text("# Work\n\n## TODOs\n\n" + "".join(
        f"### [ ] TODO {n}: part {n}\n\n**Type**: work\n\n**Steps**:\n- [ ] Add a line\n\n```sh\necho {n} >> {made(n)}\n```\n\n"
        f"**Acceptance Criteria**:\n- [ ] `grep -qx {n} {made(n)}` → exit 0\n\n" for n in range(1, tasks + 1)))
    (place / "made").write_text("")
    # A commit is git's own cost.
    (place / "plantools.toml").write_text('[commit]\neach = "plan"\n')
    subprocess.run([*git, "add", "."], check=True)
    subprocess.run([*git, "commit", "--quiet", "-m", "start"], check=True)
    for key, value in (("user.name", "bench"), ("user.email", "bench@example.invalid")):
        subprocess.run([*git, "config", key, value], check=True)
    return place
