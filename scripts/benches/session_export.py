"""How long a session of 100,000 thoughts takes: its summary beside jq, its verdict beside the digest of the same file."""
import json
import random

STAGES = ["Problem Definition", "Research", "Analysis", "Synthesis"]
WORDS = 'because therefore plan error check the a of parse retry "quoted" line\nbreak → naïve state lock budget verify'

# The thinking server's own summary, as jq would make it.
SUMMARY = """{totalThoughts: (.thoughts | length),
  stages: (reduce .thoughts[].stage as $s ({}; .[$s] += 1)),
  timeline: [.thoughts[] | {number: .thoughtNumber, stage}],
  branches: (reduce (.thoughts[].branchId | values) as $b ({}; .[$b] += 1)),
  revisionCount: ([.thoughts[] | select(.isRevision)] | length),
  topTags: (reduce .thoughts[].tags[] as $t ({}; .[$t] += 1) | to_entries | sort_by(-.value) | .[:5])}"""


def rows(bench):
    count = bench.size(100_000, 20_000)
    path = bench.file(f"task-x-prep-2026-01-31-{count}.json", lambda path: make(path, count))
    tool = bench.tool("session-export")
    if bench.peer("jq", apt="jq"):
        bench.pair(f"summary of {count:,} thoughts", [tool, "summary", path], ["jq", "-c", SUMMARY, path], 0.25, "jq")
    bench.pair(f"verify {count:,} thoughts", [tool, "verify", path], ["sha256sum", path], 1.3, "sha256sum")
    sizes = [1_000, 10_000, 100_000] if not bench.quick else [1_000, 10_000]
    files = {size: bench.file(f"s-{size}.json", lambda path, size=size: make(path, size)) for size in sizes}
    bench.growth("verify", sizes, lambda size: [tool, "verify", files[size]])


def make(path, count):
    """An export of version 2 in the thinking server's own layout that passes as a preparation, about 750 bytes a thought."""
    chance = random.Random(8)
    words = WORDS.split(" ")
    thoughts = [thought(chance, words, number, count) for number in range(1, count + 1)]
    stages = {stage: sum(t["stage"] == stage for t in thoughts) for stage in [*STAGES, "Conclusion"]}
    export = {"version": 2, "thoughts": thoughts, "lastUpdated": "2026-01-31T12:00:00", "exportedAt": "2026-01-31T12:00:00",
              "metadata": {"totalThoughts": count, "stages": stages}}
    path.write_text(json.dumps(export, indent=2, ensure_ascii=False))


def thought(chance, words, number, count):
    last = number == count
    one = {
        "thought": " ".join(chance.choice(words) for _ in range(60)),
        "thoughtNumber": number,
        "totalThoughts": count,
        "nextThoughtNeeded": not last,
        "stage": "Conclusion" if last else STAGES[number % 4],
        "tags": [["approach", "evidence", "interpretation", "x"][number % 4], f"t{number % 50}"],
        "axiomsUsed": [],
        "assumptionsChallenged": [],
        "timestamp": f"2026-01-{1 + number * 28 // (count + 1):02}T00:00:00.000000",
        "id": f"{chance.getrandbits(128):032x}",
    }
    if number % 13 == 0:
        one |= {"isRevision": True, "revisesThoughtNumber": number - 1}
    elif number % 9 == 0:
        one |= {"branchFromThought": number - 1, "branchId": f"b{number}"}
    return one
