"""What people write behind a box: lies, whose boxes must stay open, and truths, which must be ticked. One plan each."""

import re
import tomllib

from bench import HERE, Bench

FILES = {"README": "hi\n", "three": "a\nb\nc\n", "percent": "TOTAL 10.95%\n", "many": "1,600\n", "lint": "error: bad\n"}

TASK = """### [ ] TODO {n}: Number {n}

**Acceptance Criteria**:

*Functional:*
- [ ] {text}

"""

WORKER = "#!/bin/sh\ncat > /dev/null\necho '{\"status\": \"SUCCESS\"}'\n"

CONFIG = """[defaults]
worker = "kit"

[workers.kit]
command = ["sh", "-c", "exec \\"$CONFORMANCE_WORKER\\""]
"""


def all_checks():
    told = tomllib.loads((HERE / "checks.toml").read_text())
    return {"lie": told["lies"], "truth": told["truths"]}


def misses(tool, kind, texts):
    """Carries out a plan with a task for each text; yields each with what is wrong about its box."""
    with Bench(tool) as bench:
        bench.repository()
        for name, text in FILES.items():
            bench.write(name, text)
        bench.write("plantools.toml", CONFIG)
        bench.write("PLAN.md", "# Checks\n\n## TODOs\n\n" +
                    "".join(TASK.format(n=n, text=text) for n, text in enumerate(texts, 1)))
        bench.commit_all()
        worker = bench.top / "home/worker"
        worker.write_text(WORKER)
        worker.chmod(0o755)
        ended = bench.orchestrate("--worker", "kit", "--max-attempts", "1", "PLAN.md", within=240,
                                  CONFORMANCE_WORKER=str(worker))
        plan = (bench.repo / "PLAN.md").read_text()
        for number, text in enumerate(texts, 1):
            ticked = re.search(rf"^### \[x\] TODO {number}:", plan, re.MULTILINE) is not None
            wanted = kind == "truth"
            said = [] if ticked == wanted else ["its box is ticked" if ticked else f"its box is open: {why(ended, number)}"]
            yield f"{kind}: {text.splitlines()[0]}", said
        done = (ended.code == 0) == (kind == "truth")
        yield f"the plan of every {kind}", [] if done else [f"exit {ended.code}: {ended.text()[-600:]}"]


def why(ended, number):
    found = re.search(rf"^ *{number}:\d+ .*$", ended.text(), re.MULTILINE)
    return found.group().strip() if found else "no reason given"
