"""A plan of a thousand tasks carried to its end with a worker that does nothing: what each task costs besides its work."""
import os
import shutil
import statistics
import subprocess
import time

FILES = 200


def rows(bench):
    bench.tool("plan-parse")
    pipe(bench)
    hashes(bench)
    for tasks in bench.size([100, 1000], [20, 60]):
        whole(bench, tasks)


def whole(bench, tasks):
    """One criterion each, ticked, no commits; beside what builds as many targets that do nothing."""
    place = repository(bench, f"whole-{tasks}", tasks)
    start = time.perf_counter()
    run = orchestrate(bench, place)
    each = 1000 * (time.perf_counter() - start) / tasks
    ticked = (place / "PLAN.md").read_text().count("[x] TODO")
    bench.limit(f"{tasks:,} tasks: not ticked", tasks - ticked, "tasks", 0)
    if ticked < tasks:
        print(run.stdout[-2000:])
    bench.limit(f"{tasks:,} tasks: each, besides its work", each, "ms", 60 + 0.03 * tasks)
    beside(bench, place, tasks, each)
    shutil.rmtree(place)


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
                        (60 + 0.03 * tasks) / 1.2)


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


def orchestrate(bench, place, **variables):
    return subprocess.run([bench.tool("orchestrate"), "--worker", "shell", "PLAN.md"], cwd=place,
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
        f"### [ ] TODO {n}: part {n}\n\n**Type**: work\n\n**Steps**:\n- [ ] Do nothing\n\n```sh\ntrue\n```\n\n"
        f"**Acceptance Criteria**:\n- [ ] Part {n}: `test -d src` → exit 0\n\n" for n in range(1, tasks + 1)))
    subprocess.run([*git, "add", "."], check=True)
    subprocess.run([*git, "commit", "--quiet", "-m", "start"], check=True)
    for key, value in (("user.name", "bench"), ("user.email", "bench@example.invalid")):
        subprocess.run([*git, "config", key, value], check=True)
    return place
