"""The plan of the demo, and what the model says while it is carried out."""

import json
from dataclasses import dataclass

PLAN = """# A greeting in three steps

## Dependency Graph

| TODO | Requires (Inputs) | Produces (Outputs) | Type |
|------|-------------------|--------------------|------|
| 1 | - | `names` (file) | work |
| 2 | `todo-1.names` | `script` (file) | work |
| 3 | `todo-2.script` | `greeting` (file) | work |

## Commit Strategy

| After TODO | Message | Files | Condition |
|------------|---------|-------|-----------|
| 1 | `feat: the names` | `names.txt` | always |
| 2 | `feat: the script` | `greet.sh` | always |
| 3 | `feat: the greeting` | `greeting.txt` | always |

## TODOs

### [ ] TODO 1: Write the names

**Type**: work

**Outputs**:
- `names` (file): `names.txt`

**Acceptance Criteria**:

*Functional:*
- [ ] The names are there: `grep -c . names.txt` → 2

### [ ] TODO 2: Write the script

**Type**: work

**Inputs**:
- `names` (file): `${todo-1.outputs.names}`

**Outputs**:
- `script` (file): `greet.sh`

**Acceptance Criteria**:

*Functional:*
- [ ] It greets: `sh greet.sh` → `Hello, Ada!`

### [ ] TODO 3: Keep the greeting

**Type**: work

**Inputs**:
- `script` (file): `${todo-2.outputs.script}`

**Outputs**:
- `greeting` (file): `greeting.txt`

**Acceptance Criteria**:

*Functional:*
- [ ] It is kept: `cat greeting.txt` → `Hello, Grace!`
"""

# In the words with which `worker-run` asks once more; a client may have lost its last turn by then.
REMINDER = "holds no answer that can be read"

COMMITS = ["feat: the names", "feat: the script", "feat: the greeting"]


@dataclass(frozen=True)
class Task:
    """A task: how a prompt for it is known, what is written, what is run, and what is answered."""

    match: str
    file: str
    content: str
    command: str
    output: str
    criterion: str
    # What the file holds after the command, where a client only edits.
    result: str = ""


TASKS = [
    Task("TODO 1: Write the names", "names.txt", "Ada\nGrace\n", "cat names.txt", "names", "grep -c . names.txt"),
    Task(
        "TODO 2: Write the script",
        "greet.sh",
        'while read -r name; do echo "Hello, $name!"; done < names.txt\n',
        "sh greet.sh",
        "script",
        "sh greet.sh",
    ),
    Task(
        "TODO 3: Keep the greeting",
        "greeting.txt",
        "Hello, Ada!\n",
        "sh greet.sh > greeting.txt",
        "greeting",
        "cat greeting.txt",
        "Hello, Ada!\nHello, Grace!\n",
    ),
]


def answer(number, task):
    """What a worker is asked to end with."""
    claim = {"id": f"{number}:1", "category": "functional", "command": task.criterion, "status": "PASS"}
    said = {"status": "SUCCESS", "summary": f"wrote {task.file}", "outputs": {task.output: task.file}}
    return "All done.\n\n```json\n" + json.dumps({**said, "acceptance_criteria": [claim]}) + "\n```\n"


def script(client, folder, faults=None, manner=None):
    """The script for a client's vocabulary. `faults` has a fault for the second turn of a task, by its number. A `hasty`
    model ends its turn before it has done anything, and goes on when it is held up; a `forgetful` one leaves the answer
    out until it is asked for it once more."""
    conversations = []
    for number, task in enumerate(TASKS, 1):
        last = client.last(answer(number, task))
        if client.shell is None:
            edit = client.write(folder / task.file, task.result or task.content)
            turns = [[{"text": f"I write {task.file}."}, edit, *last]]
        else:
            turns = [
                [{"text": f"I write {task.file}."}, client.write(folder / task.file, task.content)],
                [client.shell(task.command)],
            ]
        if number in (faults or {}):
            turns[-1] = {**faults[number], "then": turns[-1]}
        if manner == "hasty":
            turns.insert(0, [{"text": "There is nothing to do, I think."}])
        if client.shell is not None:
            turns.append([{"text": "All done, I think."}] if manner == "forgetful" else last)
        # A client that only edits shows its model whole files, the plan among them: the prompt's own head is no part of it.
        match = task.match if client.shell else "# " + task.match.replace("TODO", "Task")
        conversations.append({"match": match, "turns": turns, "replies": {REMINDER: last}})
    return {"conversations": conversations, "toolless": client.toolless}
