"""Writes the table of the README from a bench/1 document, between its two marks."""
import json
import re

BEGIN, END = "<!-- bench -->", "<!-- /bench -->"


def write(readme, document):
    text = readme.read_text()
    before, _, rest = text.partition(BEGIN)
    _, mark, after = rest.partition(END)
    if not mark:
        raise SystemExit(f"bench: {readme}: no '{BEGIN}' with '{END}' below it")
    readme.write_text(f"{before}{BEGIN}\n{table(json.loads(document.read_text()))}{END}{after}")


def table(document):
    """A line for each row; of rows that belong together only the worst is shown."""
    lines = ["| tool | work | measured | target | memory | instructions |", "|---|---|---|---|---|---|"]
    for row in worst(document["rows"]):
        what = row.get("group") or row["what"]
        cells = [row["suite"], what, measured(row), target(row), memory(row), instructions(row)]
        lines.append("| " + " | ".join(re.sub(r"\|", "\\\\|", cell) for cell in cells) + " |")
    return "\n".join(lines) + "\n"


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
