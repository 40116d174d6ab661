"""How long dag-next takes to say what may run, from plan/1 to orders, beside tsort on the bare edges."""
import json
import random

TASKS = 100_000
WORDS = "add parse lock write verify merge flush retry split render plan gate graph task node edge fix move test".split()


def rows(bench):
    tool = bench.tool("dag-next")
    orders = [tool, "--now", "2026-01-01T00:00:00Z", "--run", "bench"]
    tsort = bench.peer("tsort", apt="coreutils")
    tasks = bench.size(TASKS, TASKS // 5)
    plan, edges = files(bench, f"random-{tasks}", lambda: scattered(tasks))
    few, few_edges = files(bench, "random-1000", lambda: scattered(1_000))
    against(bench, f"{tasks:,} tasks, ~2.5 edges each: orders", [*orders, plan], [tsort, edges], plan,
            count=([*orders, few], [tsort, few_edges]))
    full, _ = files(bench, f"full-{tasks}", lambda: scattered(tasks), full=True)
    against(bench, "the same as plan-parse writes it: orders", [*orders, full], [tsort, edges], full, target=1.5)
    against(bench, "the same: status, with a reason for each task", [*orders, "--status", plan], [tsort, edges], plan, target=2.0)
    bench.pair("the same: rounds and critical path", [*orders, "--rounds", plan], [*orders, plan], 1.2, "its own orders")
    dense, dense_edges = files(bench, f"dense-{tasks}", lambda: layered(tasks))
    against(bench, f"{tasks:,} tasks, 10 edges each: orders", [*orders, dense], [tsort, dense_edges], dense)
    for shape, make, ok in [("chain", chain, 0), ("star", star, 0), ("loop", loop, 65)]:
        bent, _ = files(bench, f"{shape}-{tasks}", lambda make=make: make(tasks))
        # Eight megabytes of stack, whatever the machine allows.
        small = ["sh", "-c", 'ulimit -s 8192; exec "$@"', "sh", *orders, bent]
        bench.pair(f"{shape} of {tasks:,}", small, [*orders, plan], 1.5, "its own random graph", ok=(ok,))
    line, line_edges = files(bench, "chain-5000", lambda: chain(5000))
    against(bench, "chain of 5,000: orders", [*orders, line], [tsort, line_edges], line, rounds=45)
    sizes = bench.size([1_000, 10_000, 100_000, 1_000_000], [1_000, 10_000, 100_000])
    named = {size: files(bench, f"random-{size}", lambda size=size: scattered(size))[0] for size in sizes}
    bench.growth("dag-next: orders", sizes, lambda size: [*orders, named[size]])
    bench.growth("dag-next: status", sizes, lambda size: [*orders, "--status", named[size]])
    bench.growth("dag-next: rounds", sizes, lambda size: [*orders, "--rounds", named[size]])


def against(bench, what, ours, tsort, plan, target=1.0, rounds=15, count=None):
    """Ours beside tsort; memory at most eight times the input. A child counts with what this process had when it began
    it, so that nothing below 64 MB can be told."""
    if tsort[0] is None:
        return
    allowed = max(8 * bench.work.joinpath(plan).stat().st_size, 64_000_000)
    bench.pair(what, ours, tsort, target, "tsort", rounds=rounds, memory_limit=allowed, count=count)


# Graphs: for each task the numbers of those that it depends on, and whether it is done.

def scattered(count):
    """Mostly local dependencies; the first two fifths are done."""
    dice = random.Random(7)
    for number in range(count):
        wanted = min(number, dice.choice([0, 1, 2, 3, 4, 5]))
        near = lambda: dice.randrange(max(0, number - 200), number) if dice.random() < 0.9 else dice.randrange(number)
        yield sorted({near() for _ in range(wanted)}), number < count * 2 // 5


def layered(count, width=1_000, links=10):
    for number in range(count):
        first = (number // width - 1) * width
        yield sorted({first + (number * 7 + link * 13) % width for link in range(links)}) if first >= 0 else [], False


def chain(count):
    return (([number - 1] if number else [], False) for number in range(count))


def loop(count):
    return (([(number or count) - 1], False) for number in range(count))


def star(count):
    for number in range(count):
        yield ([] if number == 0 else [0] if number < count - 1 else list(range(1, count - 1))), False


def files(bench, name, graph, full=False):
    """The same graph as plan/1, with what the question needs or all that plan-parse writes, and as pairs for tsort."""
    def plan(path):
        dice = random.Random(7)
        with open(path, "w") as out:
            source = {"path": "PLAN.md", "dialect": "plan-md", "sha256": "", "root": str(bench.work)}
            out.write(f'{{"schema":"plan/1","source":{json.dumps(source)},"title":"bench","tasks":[')
            for number, (before, done) in enumerate(graph()):
                task = {"id": name_of(number), "title": " ".join(dice.choices(WORDS, k=6)),
                        "state": "completed" if done else "pending"}
                if before:
                    task["depends_on"] = [name_of(other) for other in before]
                if full:
                    span = {"path": "PLAN.md", "line": number + 1, "start": 64 * number, "end": 64 * number + 63}
                    task.update(key=name_of(number), kind="work", span=span, fingerprint=f"fp1:{number:064x}")
                out.write("," * bool(number) + json.dumps(task, separators=(",", ":")))
            out.write("]}\n")

    def edges(path):
        with open(path, "w") as out:
            for number, (before, _) in enumerate(graph()):
                out.write(f"{name_of(number)} {name_of(number)}\n")
                out.writelines(f"{name_of(other)} {name_of(number)}\n" for other in before)

    return bench.file(f"{name}.json", plan), bench.file(f"{name}.txt", edges)


def name_of(number):
    return f"T{number:07d}"
