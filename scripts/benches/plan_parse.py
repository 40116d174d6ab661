"""From Markdown to a plan: beside only counting a Markdown parser's events, at growing sizes, and on hostile files."""
import json
import os
import random
import subprocess

from benches import measure

WORDS = ("add parse lock write verify merge flush retry split render plan gate graph task node edge fix move test "
         "bench error state index cache limit stream token queue budget signal").split()
TASK_BYTES = 128


def rows(bench):
    against_peers(bench)
    growing(bench)
    pipe(bench)
    hostile(bench)


def against_peers(bench):
    tasks = bench.size(100_000, 20_000)
    events, cmark = counter(bench), bench.peer("cmark-gfm", apt="cmark-gfm")
    for dialect in GENERATORS:
        plan = plan_of(bench, dialect, tasks)
        parse = [bench.tool("plan-parse"), plan]
        few = plan_of(bench, dialect, 1_000)
        what = f"{dialect}, {tasks:,} tasks"
        bench.pair(what, parse, [events, plan], 2, "pulldown-cmark's events, counted",
                   memory_limit=8, input_bytes=os.path.getsize(plan),
                   count=([bench.tool("plan-parse"), few], [events, few]))
        if cmark:
            bench.pair(what, parse, [cmark, "-e", "table", "-e", "tasklist", plan], 0.5, "cmark-gfm")


def growing(bench):
    sizes = bench.size([1_000, 10_000, 100_000, 1_000_000], [1_000, 10_000, 100_000])
    for dialect in GENERATORS:
        bench.growth(f"{dialect}, tasks", sizes, lambda size: [bench.tool("plan-parse"), plan_of(bench, dialect, size)])


def pipe(bench):
    """The whole way from Markdown to orders, as a shell runs it."""
    plan = plan_of(bench, "checklist", 10_000)
    line = f"'{bench.tool('plan-parse')}' '{plan}' | '{bench.tool('dag-next')}' > /dev/null"
    took = [measure.spent(["sh", "-c", line])[0] for _ in range(bench.size(15, 5))]
    bench.limit("plan-parse | dag-next, 10,000 tasks", 1000 * min(took), "ms", 60)


def hostile(bench):
    """An answer or a clear error, and neither time nor memory without bound."""
    size = bench.size(200_000_000, 20_000_000)
    for name, part in HOSTILE.items():
        path = bench.file(f"hostile-{name}.md", lambda path: fill(path, part, size))
        took, peak = measure.spent([bench.tool("plan-parse"), path], ok=(0, 65))
        bench.limit(f"hostile, {name}, {size // 1_000_000} MB", took, "s", 60)
        bench.limit(f"hostile, {name}: peak memory", peak / 1e6, "MB", 20 * size / 1e6)
        os.unlink(path)


def counter(bench):
    """The program that only counts events."""
    told = subprocess.run(["cargo", "build", "--profile", "dist", "--quiet", "--package", "dialects", "--example", "events",
                           "--message-format", "json"], cwd=bench.root, check=True, stdout=subprocess.PIPE).stdout
    built = [json.loads(line).get("executable") for line in told.splitlines()]
    return next(path for path in built if path)


def plan_of(bench, dialect, tasks):
    return bench.file(f"{dialect}-{tasks}.md", lambda path: GENERATORS[dialect](path, tasks))


def checklist(path, tasks):
    chance = random.Random(1)
    with open(path, "w") as out:
        out.write("# Work\n")
        for number in range(1, tasks + 1):
            if number % 50 == 1:
                out.write(f"\n## Phase {number // 50 + 1}\n\n")
            text = f"- [{mark(chance)}] **{words(chance, 1)}** {words(chance, 10)} in `src/{words(chance, 1)}.rs`"
            out.write(text.ljust(TASK_BYTES - 1, ".")[:TASK_BYTES - 1] + "\n")


def plan_md(path, tasks):
    chance = random.Random(2)
    with open(path, "w") as out:
        out.write("# Work\n\n## TODOs\n\n")
        for number in range(1, tasks + 1):
            head = f"### [{mark(chance)}] TODO {number}: {words(chance, 3)}\n\n**Acceptance Criteria**:\n- [ ] "
            check = f": `make {words(chance, 1)}` → exit 0\n\n"
            room = TASK_BYTES - len(head.encode()) - len(check.encode())
            out.write(head + words(chance, 20)[:max(room, 1)].rstrip() + check)


GENERATORS = {"checklist": checklist, "plan-md": plan_md}

HOSTILE = {
    "deep lists": lambda row: "  " * (row % 2_000) + "- [ ] x\n",
    "quotes": lambda row: "> " * 500 + "- [ ] x\n",
    "backticks": lambda row: "`" * (row % 1_000 + 1) + "x",
    "pipes": lambda row: "|" * 1_000_000 + "\n" + "|-" * 500_000 + "\n",
    "brackets": lambda row: "[" * 100_000 + "\n",
    "fences": lambda row: "`" * (row % 50 + 3) + "\n- [ ] x\n",
    "stars": lambda row: "*a_ " * 1_000,
    "boxes": lambda row: "- [ ] a\n",
}


def fill(path, part, size):
    # Every kind repeats itself after so many rows.
    written, block = 0, "".join(part(row) for row in range(2 if len(part(0)) > 100_000 else 2_000))
    with open(path, "w") as out:
        while written < size:
            written += out.write(block[:size - written])


def mark(chance):
    return "x" if chance.random() < 0.4 else " "


def words(chance, count):
    return " ".join(chance.choice(WORDS) for _ in range(count))
