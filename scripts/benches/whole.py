"""Plans carried to their end with a worker that adds a line to a file: what each task costs besides its work."""
import os
import re
import resource
import shutil
import statistics
import subprocess
import time

FILES = 200


def rows(bench):
    bench.tool("plan-parse")
    pipe(bench)
    hashes(bench)
    effects(bench)
    first = None
    for tasks in bench.size([50, 200, 1000], [20, 60]):
        cpu = whole(bench, tasks)
        if first is None:
            first = cpu
        else:
            bench.limit(f"{tasks:,} tasks: processor time of each, beside that of few tasks", cpu / first, "x", 1.15)


def whole(bench, tasks):
    """One criterion each, ticked, no commits; beside what builds as many targets that do nothing."""
    place = repository(bench, f"whole-{tasks}", tasks)
    start, before = time.perf_counter(), resource.getrusage(resource.RUSAGE_CHILDREN)
    run = orchestrate(bench, place)
    each = 1000 * (time.perf_counter() - start) / tasks
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    cpu = 1000 * (after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime) / tasks
    ticked = (place / "PLAN.md").read_text().count("[x] TODO")
    bench.limit(f"{tasks:,} tasks: not ticked", tasks - ticked, "tasks", 0)
    if ticked < tasks:
        print(run.stdout[-2000:])
    bench.limit(f"{tasks:,} tasks: each, besides its work", each, "ms", 60)
    bench.limit(f"{tasks:,} tasks: processor time of each", cpu, "ms", 15)
    beside(bench, place, tasks, each)
    shutil.rmtree(place)
    return cpu


def effects(bench):
    """What one more task does, counted by strace: the difference of two runs."""
    strace = bench.peer("strace", apt="strace")
    if not strace:
        return
    few, more = 5, 15
    counts = []
    for tasks in (few, more):
        place = repository(bench, f"effects-{tasks}", tasks)
        traces = bench.work / f"traces-{tasks}"
        traces.mkdir()
        orchestrate(bench, place, by=[strace, "-ff", "-qq", "-y", "-e", "trace=execve,fsync,fdatasync,syncfs,openat,read,pread64",
                                      "-o", str(traces / "t")])
        counts.append(counted(traces))
        shutil.rmtree(traces)
        shutil.rmtree(place)
    limits = {"processes": 8, "git processes": 2, "syncs": 6, "openings of the plan": 40, "bytes of the ledger read": 100_000}
    for what, limit in limits.items():
        bench.limit(f"{what} of each task", (counts[1][what] - counts[0][what]) / (more - few), "", limit)


def counted(traces):
    found = dict.fromkeys(["processes", "git processes", "syncs", "openings of the plan", "bytes of the ledger read"], 0)
    for trace in traces.iterdir():
        for line in trace.open(errors="replace"):
            call, target = line.split("(", 1)[0], line.split(",")[0]
            if call == "execve" and line.rstrip().endswith("= 0"):
                found["processes"] += 1
                found["git processes"] += target.endswith('/git"')
            elif call in ("fsync", "fdatasync", "syncfs"):
                found["syncs"] += 1
            elif call == "openat" and "/PLAN.md>" in line:
                found["openings of the plan"] += 1
            elif call in ("read", "pread64") and "ledger.ndjson" in target and (size := re.search(r"= (\d+)$", line.rstrip())):
                found["bytes of the ledger read"] += int(size[1])
    return found


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


def orchestrate(bench, place, by=(), **variables):
    return subprocess.run([*by, bench.tool("orchestrate"), "--worker", "shell", "PLAN.md"], cwd=place,
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


def repository(bench, name, tasks):
    place = bench.work / name
    place.mkdir()
    git = ["git", "-C", str(place), "-c", "user.name=bench", "-c", "user.email=bench@example.invalid"]
    subprocess.run([*git, "init", "--quiet"], check=True)
    for number in range(FILES):
        file = place / f"src/{number % 20}/file{number}.txt"
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(f"{number}\n" * 40)
    (place / "PLAN.md").write_text("# Work\n\n## TODOs\n\n" + "".join(
        f"### [ ] TODO {n}: part {n}\n\n**Type**: work\n\n**Steps**:\n- [ ] Add a line\n\n```sh\necho {n} >> made\n```\n\n"
        f"**Acceptance Criteria**:\n- [ ] `grep -qx {n} made` → exit 0\n\n" for n in range(1, tasks + 1)))
    (place / "made").write_text("")
    subprocess.run([*git, "add", "."], check=True)
    subprocess.run([*git, "commit", "--quiet", "-m", "start"], check=True)
    for key, value in (("user.name", "bench"), ("user.email", "bench@example.invalid")):
        subprocess.run([*git, "config", key, value], check=True)
    return place
