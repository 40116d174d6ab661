"""Hostile plans: each is a file or folder of `plans/`, and `plans.toml` says what must be made of it."""

import json
import shutil
import tomllib

from bench import HERE


def all_plans():
    """Every case by its name; a file without expectations, or the other way round, is a mistake of the kit."""
    cases = tomllib.loads((HERE / "plans.toml").read_text())
    there = {path.name for path in (HERE / "plans").iterdir()}
    if there != set(cases):
        raise SystemExit(f"conformance: plans/ and plans.toml differ: {sorted(there ^ set(cases))}")
    return cases


def misses(bench, name, case):
    """Lets the tool read one plan; says everything that is not as it must be."""
    source, copy = HERE / "plans" / name, bench.repo / name
    if source.is_dir():
        shutil.copytree(source, copy)
    else:
        shutil.copyfile(source, copy)
    before = bench.outside()
    ended = bench.run(str(bench.tool.folder / "plan-parse"), "--error-format=json", name, within=20)
    found = list(judge(case, ended))
    if "ready" in case and bench.tool.has("dag-next"):
        found += judge_ready(bench, case, ended)
    if not source.is_dir() and source.read_bytes() != copy.read_bytes():
        found.append("the plan was changed")
    if bench.outside() != before:
        found.append("something was written outside")
    return found, ended.seconds


def judge(case, ended):
    wanted = case.get("exit", 0)
    if ended.code != wanted:
        yield f"exit {ended.code}, not {wanted}: {ended.text()[-300:]}"
        return
    if wanted != 0:
        code = case.get("code")
        if code and f'"code":"{code}"' not in ended.err.decode(errors="replace"):
            yield f"not said as '{code}': {ended.err.decode(errors='replace')[-300:]}"
        if not ended.err.strip():
            yield "refused without a word"
        return
    plan = json.loads(ended.out)
    if plan.get("schema") != "plan/1":
        yield f"schema {plan.get('schema')!r}, not 'plan/1'"
    got = [told(task) for task in plan["tasks"]]
    if got != case.get("tasks"):
        yield f"tasks {got}\n  not {case.get('tasks')}"
    if "dialect" in case and plan["source"]["dialect"] != case["dialect"]:
        yield f"read as {plan['source']['dialect']}, not {case['dialect']}"
    codes = {found["code"] for found in plan.get("diagnostics", [])}
    if missing := set(case.get("codes", [])) - codes:
        yield f"not said: {sorted(missing)}; only {sorted(codes)}"


def judge_ready(bench, case, parsed):
    """What may run now: phases, waves and parents count besides what a task says it waits for."""
    (bench.top / "tmp/plan.json").write_bytes(parsed.out)
    asked = bench.run(str(bench.tool.folder / "dag-next"), "--jobs", "99", str(bench.top / "tmp/plan.json"))
    lines = [json.loads(line) for line in asked.out.splitlines()]
    ready = [line["task"]["id"] for line in lines if line["schema"] == "order/1"]
    return [] if ready == case["ready"] else [f"ready {ready}, not {case['ready']}: {asked.err.decode()[-200:]}"]


def told(task):
    """A task in one line, as `plans.toml` has it."""
    needs = "".join(f" {need}" for need in task.get("depends_on", []))
    return f"{task['id']} {task['state']}" + (f" <{needs}" if needs else "")
