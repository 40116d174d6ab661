#!/usr/bin/env python3
"""client.py SERVER [ARG...]: a whole preparation by the official client of the Model Context Protocol.

Runs in the folder that is the repository: thoughts, summary, export, import, and the errors that must be errors. Ends
with 0 when everything held. Needs the package `mcp`, of either generation.
"""
import asyncio
import json
import pathlib
import sys

from mcp import ClientSession, StdioServerParameters
from mcp.client.stdio import stdio_client

PREP = ".kilocode/thinking/task-core-1-prep-2026-01-31.json"
NEXT = ".kilocode/thinking/execution-core-1-subtask-1-2026-01-31.json"
THOUGHTS = [
    ("Interpretation A: the reader is slow", "Problem Definition", ["interpretation"], {}),
    ("Interpretation B: the file is large", "Problem Definition", ["interpretation"],
     {"branch_from_thought": 1, "branch_id": "interp-b"}),
    ("Both were measured", "Research", ["evidence"], {"axioms_used": ["measure first"]}),
    ("Approach 1: read less", "Analysis", ["approach-candidate"], {}),
    ("Approach 2: read once", "Analysis", ["approach-candidate"], {"assumptions_challenged": ["it must be read"]}),
    ("Approach 2 wins on both", "Synthesis", ["comparison"], {}),
    ("Decision: read once. Rationale: it is exact. Success criteria: half the time; same output. "
     "Risk: memory. Mitigation: a window.", "Conclusion", ["decision"], {}),
    ("Implementation subtasks:\n1. Read once — files: [src/read.rs] — success: `make test`\n2. Measure — files: [bench]",
     "Conclusion", ["subtask-plan"], {}),
]


async def preparation(session, modern):
    async def call(name, fails=False, **arguments):
        answer = await session.call_tool(name, arguments)
        failed = getattr(answer, "is_error", None)
        failed = answer.isError if failed is None else failed
        assert failed == fails, f"{name}: {answer}"
        structured = getattr(answer, "structured_content", None) or getattr(answer, "structuredContent", None)
        assert structured == json.loads(answer.content[0].text), f"{name}: {answer}"
        return structured

    names = {tool.name for tool in (await session.list_tools()).tools}
    assert names == {"process_thought", "generate_summary", "export_session", "import_session", "clear_history"}, names

    await call("clear_history")
    assert (await call("generate_summary"))["summary"] == "No thoughts recorded yet"
    await call("import_session", fails=True, file_path="nowhere.json")
    await call("export_session", fails=True, file_path=PREP)
    for number, (thought, stage, tags, more) in enumerate(THOUGHTS, 1):
        answer = await call("process_thought", thought=thought, thought_number=number, total_thoughts=len(THOUGHTS),
                            next_thought_needed=number < len(THOUGHTS), stage=stage, tags=tags, **more)
        assert answer["thoughtAnalysis"]["context"] == {"thoughtHistoryLength": number, "currentStage": stage}
    await call("process_thought", fails=True, thought="x", thought_number=2, total_thoughts=9,
               next_thought_needed=True, stage="Analysis")
    await call("process_thought", fails=True, thought="x", thought_number=9, total_thoughts=9,
               next_thought_needed=True, stage="Daydream")

    summary = (await call("generate_summary"))["summary"]
    assert summary["currentStage"] == "Conclusion" and summary["completionStatus"]["hasAllStages"], summary
    assert summary["chosenApproach"]["approach"] == "read once", summary
    assert summary["successCriteria"] == ["half the time", "same output"], summary
    assert summary["risks"] == [{"risk": "memory", "mitigation": "a window"}], summary

    await call("export_session", fails=True, file_path="../outside.json")
    await call("export_session", file_path=PREP)
    assert pathlib.Path(PREP).is_file(), "the file is not where the workflow expects it"

    await call("clear_history")
    await call("export_session", fails=True, file_path=NEXT)
    await call("import_session", file_path=PREP)
    for number, stage in enumerate(["Analysis", "Conclusion"], 1):
        await call("process_thought", thought=f"About to edit, {stage}", thought_number=number, total_thoughts=2,
                   next_thought_needed=number < 2, stage=stage, tags=["execution", "subtask-1"])
    link = await call("export_session", file_path=NEXT)
    assert link["chain"]["parent"]["path"] == pathlib.Path(PREP).name, link

    pathlib.Path("broken.json").write_text('{"thoughts": [')
    await call("import_session", fails=True, file_path="broken.json")
    assert pathlib.Path("broken.json").read_text() == '{"thoughts": [', "the caller's file was touched"
    after = (await call("generate_summary"))["summary"]
    assert after["totalThoughts"] == len(THOUGHTS) + 2, after
    if modern:
        print("modern", end=" ")


async def main():
    server = StdioServerParameters(command=sys.argv[1], args=sys.argv[2:])
    async with stdio_client(server) as (read, write):
        async with ClientSession(read, write) as session:
            await session.initialize()
            await preparation(session, False)
    try:
        from mcp import Client
    except ImportError:
        return
    # The newer client asks first whether the server needs no handshake.
    for path in [PREP, NEXT]:
        pathlib.Path(path).unlink()
    async with Client(stdio_client(server)) as client:
        await preparation(client, True)


asyncio.run(main())
print("held")
