"""Asks dag-next about every plan below a folder and says what does not hold; exit 1 when something does not.

usage: python3 scripts/corpora/next.py FOLDER BIN      BIN is the folder of plan-parse and dag-next

On every plan: the totals by state add up; each open task is ready, running, or explained down to a task that waits for
no other; --why says the same as --status; stepping through the plan with many jobs hands every task out once, after all
that it depends on, and never two at once that declare the same file.
"""
import collections
import json
import os
import pathlib
import posixpath
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor

SETTLED = {"completed", "skipped"}
EXITS = {"more": 0, "done": 4, "stuck": 5, "wait": 6}


class Broken(Exception):
    """Something that must hold does not."""


def main():
    top, tools = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2])
    places = sorted(path for path in top.rglob("*") if path.is_file() or path.is_dir())
    count = collections.Counter()
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        for path, found in zip(places, pool.map(lambda path: one(path, tools), places)):
            count.update(found["count"])
            if found["broken"]:
                print(f"{path.relative_to(top)}: {found['broken']}")
    print(", ".join(f"{count[name]} {name}" for name in
                    ["plans", "tasks", "waiting tasks explained", "rounds stepped", "held back by files", "broken"]))
    return 1 if count["broken"] or not count["plans"] else 0


def one(path, tools):
    """Everything about one file or folder."""
    count = collections.Counter()
    parsed = subprocess.run([tools / "plan-parse", "--quiet", path], capture_output=True, check=False)
    if parsed.returncode != 0:
        return {"count": count, "broken": None}
    plan = json.loads(parsed.stdout)
    # A ledger that happens to stand beside the plan is not the question.
    plan["source"]["root"] = ""
    count["plans"] += 1
    count["tasks"] += len(plan["tasks"])
    try:
        explained(plan, tools, count)
        stepped(plan, tools, count)
    except Broken as broken:
        count["broken"] += 1
        return {"count": count, "broken": str(broken)}
    return {"count": count, "broken": None}


def ask(plan, tools, *args, exits=(0,)):
    got = subprocess.run([tools / "dag-next", *args], input=json.dumps(plan).encode(), capture_output=True, check=False)
    if got.returncode not in exits:
        raise Broken(f"{' '.join(args)}: exit {got.returncode}: {got.stderr.decode(errors='replace').strip()}")
    return got.returncode, [json.loads(line) for line in got.stdout.splitlines()]


def explained(plan, tools, count):
    """Totals, and a reason for every task that waits."""
    code, [status] = ask(plan, tools, "--status", exits=EXITS.values())
    if EXITS[status["answer"]] != code:
        raise Broken(f"answer '{status['answer']}' with exit {code}")
    if not sum(status["states"].values()) == status["total"] == len(plan["tasks"]):
        raise Broken(f"totals do not add up: {status['states']} of {status['total']}")
    waiting = {task["id"]: task for task in status["waiting"]}
    parents = {task.get("parent") for task in plan["tasks"]}
    for task in plan["tasks"]:
        is_open = task["state"] not in SETTLED and task["id"] not in parents
        if is_open and task["id"] not in waiting and task["id"] not in status["ready"]:
            raise Broken(f"task '{task['id']}' is neither ready nor explained")
    for name, task in waiting.items():
        root = waiting.get((task.get("chain") or [name])[-1])
        if not task["cause"] or bool(task.get("waits_for")) != bool(task.get("chain")):
            raise Broken(f"task '{name}' waits without a cause: {task}")
        if root and root.get("waits_for"):
            raise Broken(f"task '{name}' is explained by '{root['id']}', which waits itself")
    for name in list(waiting)[:2] + list(waiting)[-1:]:
        _, [why] = ask(plan, tools, "--why", name, exits=EXITS.values())
        if why["waiting"] != [waiting[name]]:
            raise Broken(f"--why {name} says something else than --status")
    count["waiting tasks explained"] += len(waiting)


def stepped(plan, tools, count):
    """The whole plan by steps: every task once, after what it depends on, and no file twice at once."""
    tasks = {task["id"]: task for task in plan["tasks"]}
    children = collections.defaultdict(list)
    for task in plan["tasks"]:
        if task.get("parent") in tasks:
            children[task["parent"]].append(task["id"])
    given = set()

    def settled(name, depth=0):
        below = [child for child in children[name] if not tasks[child].get("optional")]
        if children[name] and depth < len(tasks):
            return all(settled(child, depth + 1) for child in below)
        return tasks[name]["state"] in SETTLED

    while True:
        _, lines = ask(plan, tools, "--strategy", "parallel", "--jobs", "1000")
        orders, end = lines[:-1], lines[-1]
        if not orders:
            break
        names = [order["task"]["id"] for order in orders]
        for name in names:
            early = [other for other in tasks[name].get("depends_on", []) if not settled(other)]
            if name in given or early and not any(other == tasks[name].get("parent") for other in early):
                raise Broken(f"task '{name}' is handed out twice or before {early}")
        meet = overlap([tasks[name] for name in names])
        if meet:
            raise Broken(f"tasks {meet} are handed out together")
        _, [status] = ask(plan, tools, "--status", "--strategy", "parallel", exits=EXITS.values())
        count["held back by files"] += sum("declares" in task["cause"] and not task.get("chain") for task in status["waiting"])
        count["rounds stepped"] += 1
        for name in names:
            given.add(name)
            tasks[name]["state"] = "completed"
    left = [name for name in tasks if not settled(name) and not tasks[name].get("optional")]
    if end["answer"] == "done" and left or end["answer"] != "done" and not left:
        raise Broken(f"'{end['answer']}' with {len(left)} tasks left")
    _, [status] = ask(plan, tools, "--status", exits=EXITS.values())
    if status["ready"]:
        raise Broken(f"something is ready and was never handed out: {status['ready'][:3]}")


def overlap(tasks):
    """Two tasks that declare the same file, or a folder and something in it; found the slow and plain way."""
    taken = []
    for task in tasks:
        paths = {posixpath.normpath(file["path"].strip()) for file in task.get("files", [])
                 if file.get("action") != "read" and file["path"].strip()}
        for path in paths:
            for other, name in taken:
                if name != task["id"] and (path == other or (path + "/").startswith(other + "/")
                                           or (other + "/").startswith(path + "/")):
                    return name, task["id"], path
        taken.extend((path, task["id"]) for path in paths)
    return None


if __name__ == "__main__":
    sys.exit(main())
