"""Writes the tables of figures from a bench/1 document: every row into the page beside this file, the headlines into the
README. Each file has two marks, and what stands between them is replaced."""
import json
import pathlib
import re

BEGIN, END = "<!-- bench -->", "<!-- /bench -->"
PAGE = pathlib.Path(__file__).resolve().parent / "README.md"

# The rows that the README shows: the suite, and how the row begins.
HEADLINES = (
    ("startup", "--version"),
    ("plan-parse", "checklist, 100,000 tasks"),
    ("plan-parse", "plan-md, 100,000 tasks"),
    ("dag-next", "100,000 tasks, ~2.5 edges each: orders"),
    ("gate-run", "-- true, no ledger"),
    ("gate-run", "1 GiB, log (its first 64 MiB) and tail"),
    ("punch", "315 MB transcript, minted and checked"),
    ("checkbox", "1,000 ticks in a row"),
    ("run-report", "10,000 tasks, 1,000,000 records → html"),
    ("whole", "100 tasks: each, besides its work"),
)


def write(readme, document):
    """The page has every row, `readme` the first row with a peer for each headline."""
    rows = list(worst(json.loads(document.read_text())["rows"]))
    replace(PAGE, table(rows))
    replace(readme, headlines(rows))


def replace(file, text):
    before, _, rest = file.read_text().partition(BEGIN)
    _, mark, after = rest.partition(END)
    if not mark:
        raise SystemExit(f"bench: {file}: no '{BEGIN}' with '{END}' below it")
    file.write_text(f"{before}{BEGIN}\n{text}{END}{after}")


def headlines(rows):
    lines = ["| tool | work | measured | target |", "|---|---|---|---|"]
    for suite, begins in HEADLINES:
        named = [row for row in rows if row["suite"] == suite and work(row).startswith(begins)]
        for row in sorted(named, key=lambda row: "peak memory" in work(row))[:1]:
            lines.append(line(suite, work(row), measured(row), target(row)))
    return "\n".join(lines) + "\n"


def table(rows):
    """A line for each row; of rows that belong together only the worst is shown."""
    lines = ["| tool | work | measured | target | memory | instructions |", "|---|---|---|---|---|---|"]
    for row in rows:
        lines.append(line(row["suite"], work(row), measured(row), target(row), memory(row), instructions(row)))
    return "\n".join(lines) + "\n"


def line(*cells):
    return "| " + " | ".join(re.sub(r"\|", "\\\\|", cell) for cell in cells) + " |"


def work(row):
    return row.get("group") or row["what"]


def worst(rows):
    shown = {}
    for number, row in enumerate(rows):
        key = (row["suite"], row["group"]) if row.get("group") else number
        if key not in shown or value(row) > value(shown[key]):
            shown[key] = row
    return shown.values()


def value(row):
    return row.get("ratio", row.get("value"))


def measured(row):
    if "ratio" not in row:
        return f"{figure(row['value'])} {row['unit']}" + ("" if row["met"] else " (missed)")
    band = f"{figure(row['low'])}–{figure(row['high'])}"
    return f"{figure(row['ratio'])} × {row['peer']} ({band})" + ("" if row["met"] else " (missed)")


def target(row):
    return f"{'≥' if row.get('least') else '≤'} {figure(row['target'])}"


def memory(row):
    return f"{row['memory_mb']:.0f} MB" if row.get("memory_mb") else ""


def instructions(row):
    counted = row.get("instructions")
    return f"{figure(counted['ours'] / 1e6)} M, theirs {figure(counted['peer'] / 1e6)} M" if counted else ""


def figure(number):
    """Two digits that matter, and no power of ten."""
    if number == 0 or abs(number) >= 10:
        return f"{number:,.0f}"
    return f"{number:.2g}"
