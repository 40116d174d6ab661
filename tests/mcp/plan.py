#!/usr/bin/env python3
"""plan.py SERVER [ARG...]: a plan of three tasks by the official client of the Model Context Protocol.

Runs in a repository with the plan of `tests/agents/story.py`. The agent ticks a box itself, claims what is not so, edits
the plan while a task is handed out, and does the work. Ends with 0 when every tick is proved and no lie ticked anything.
Needs the package `mcp`.
"""
import asyncio
import json
import pathlib
import sys

from mcp import ClientSession, StdioServerParameters
from mcp.client.stdio import stdio_client

PLAN = pathlib.Path("PLAN.md")
NAMES = {"plan_next", "plan_task", "plan_check", "plan_done", "plan_report", "plan_suggest_checks"}


def boxes():
    return PLAN.read_text().count("### [x] TODO")


async def carry_out(session):
    async def call(name, fails=False, **arguments):
        answer = await session.call_tool(name, arguments)
        failed = getattr(answer, "is_error", None)
        failed = answer.isError if failed is None else failed
        assert failed == fails, f"{name}: {answer}"
        return json.loads(answer.content[0].text)

    assert {tool.name for tool in (await session.list_tools()).tools} == NAMES
    uris = {str(one.uri) for one in (await session.list_resources()).resources}
    assert uris == {"plantools://plan", "plantools://report"}, uris
    said = await call("plan_next")
    assert [one["id"] for one in said["ready"]] == ["1"] and said["total"] == 3, said

    # A box that is ticked by hand is open again, and named.
    text = PLAN.read_text()
    PLAN.write_text(text.replace("### [ ] TODO 1", "### [x] TODO 1"))
    said = await call("plan_next")
    assert "the box of task 1" in said["found"][0] and boxes() == 0, said

    # What waits is not handed out; without a task there is nothing to be done.
    assert (await call("plan_task", fails=True, task="3"))["code"] == "not-ready"
    assert (await call("plan_done", fails=True, summary="done"))["code"] == "no-task"
    taken = await call("plan_task")
    assert taken["task"] == "1" and taken["attempt"] == 1 and "Write the names" in taken["prompt"], taken
    assert (await call("plan_task", fails=True, task="2"))["code"] == "task-open"
    assert (await call("plan_next"))["handed_out"] == "1"

    # The lie: nothing was done.
    check = await call("plan_check")
    assert not check["pass"] and check["failed"][0]["command"].startswith("grep -c"), check
    lie = await call("plan_done", summary="wrote the names", outputs={"names": "names.txt"})
    assert not lie["done"] and boxes() == 0, lie
    assert lie["missing"][0]["command"].startswith("grep -c") and lie["again"]["attempt"] == 2, lie

    pathlib.Path("names.txt").write_text("Ada\nGrace\n")
    assert (await call("plan_check"))["pass"]
    assert boxes() == 0, "a check ticks nothing"
    truth = await call("plan_done", summary="wrote the names", outputs={"names": "names.txt"})
    assert truth["done"] and truth["commit"] and truth["level"] == "proved" and boxes() == 1, truth

    # A weaker criterion while the task is handed out: put back, and the attempt refused.
    await call("plan_task", task="2")
    text = PLAN.read_text()
    PLAN.write_text(text.replace("`sh greet.sh` → `Hello, Ada!`", "`true`"))
    cheat = await call("plan_done", summary="wrote the script", outputs={"script": "greet.sh"})
    assert not cheat["done"] and boxes() == 1 and "→ `Hello, Ada!`" in PLAN.read_text(), cheat
    if "again" not in cheat:
        await call("plan_task", task="2")
    pathlib.Path("greet.sh").write_text('while read -r name; do echo "Hello, $name!"; done < names.txt\n')
    truth = await call("plan_done", summary="wrote the script", outputs={"script": "greet.sh"})
    assert truth["done"] and boxes() == 2, truth

    await call("plan_task")
    pathlib.Path("greeting.txt").write_text("Hello, Ada!\nHello, Grace!\n")
    truth = await call("plan_done", summary="kept it", outputs={"greeting": "greeting.txt"})
    assert truth["done"] and boxes() == 3 and truth["plan"]["done"], truth
    report = await call("plan_report")
    assert report["open"] == [], report
    read = await session.read_resource("plantools://plan")
    assert "### [x] TODO 3" in read.contents[0].text


async def main():
    server = StdioServerParameters(command=sys.argv[1], args=sys.argv[2:])
    async with stdio_client(server) as (read, write):
        async with ClientSession(read, write) as session:
            await session.initialize()
            await carry_out(session)


asyncio.run(main())
print("held")
