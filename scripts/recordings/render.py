"""Lines with the second at which they came, on standard input, as an SVG that shows them in that order."""

import html
import sys
import textwrap

WIDTH, ROW, LEFT, TOP = 110, 17, 16, 38
COLOURS = {"$": "#8ec07c", "✓": "#b8bb26", "✗": "#fb4934", "#": "#83a598", "⚠": "#fabd2f"}


def rows(stream):
    """Each line with its time, broken where the picture ends."""
    for line in stream:
        seconds, _, text = line.rstrip("\n").partition(" ")
        for part in textwrap.wrap(text, WIDTH, subsequent_indent="    ", drop_whitespace=False) or [""]:
            yield float(seconds), part


def without_report(shown):
    """Leaves out what stands between the rules of the final report, and says so."""
    rules = [index for index, (_, text) in enumerate(shown) if text.startswith("═══")]
    if len(rules) < 3:
        return shown
    first, last = rules[0], rules[-1]
    return [*shown[:first], (shown[first][0], f"  ⋮ the report: {last - first + 1} lines"), *shown[last + 1 :]]


def main():
    shown = without_report(list(rows(sys.stdin)))
    end = max(seconds for seconds, _ in shown) or 1
    # Whatever the machine's pace was, the film takes about ten seconds.
    pace = min(1.0, 10 / end) if end > 10 else max(1.0, 6 / end)
    width, height = LEFT * 2 + int(WIDTH * 7.85), TOP + ROW * len(shown) + 12
    print(f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}" height="{height}">')
    print("<title>A run of scripts/demo</title>")
    print("<style>text{font:13px ui-monospace,Menlo,Consolas,monospace;fill:#ebdbb2;white-space:pre}")
    print(".r{opacity:0;animation:s .01s linear forwards}@keyframes s{to{opacity:1}}")
    print("@media (prefers-reduced-motion:reduce){.r{opacity:1;animation:none}}</style>")
    print(f'<rect width="{width}" height="{height}" rx="8" fill="#1d2021"/>')
    for index, colour in enumerate(["#fb4934", "#fabd2f", "#b8bb26"]):
        print(f'<circle cx="{20 + 18 * index}" cy="17" r="5" fill="{colour}"/>')
    for index, (seconds, text) in enumerate(shown):
        colour = COLOURS.get(text.strip()[:1])
        fill = f' style="animation-delay:{seconds * pace:.2f}s{";fill:" + colour if colour else ""}"'
        print(f'<text class="r" x="{LEFT}" y="{TOP + ROW * (index + 1) - 4}"{fill}>{html.escape(text)}</text>')
    print("</svg>")


main()
