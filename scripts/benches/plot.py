"""Draws growth curves as one SVG each: size and time, both on logarithmic axes."""
import html
import math
import re

WIDTH, HEIGHT, EDGE = 640, 400, 60


def draw(curves, folder):
    folder.mkdir(parents=True, exist_ok=True)
    for curve in curves:
        name = re.sub(r"[^a-z0-9]+", "-", curve["what"].lower()).strip("-")
        (folder / f"{name}.svg").write_text(picture(curve))


def picture(curve):
    points = [(p["size"], max(p["ms"], 1e-3)) for p in curve["points"]]
    xs, ys = span([p[0] for p in points]), span([p[1] for p in points])
    place = lambda p: (EDGE + (WIDTH - 2 * EDGE) * part(p[0], xs), HEIGHT - EDGE - (HEIGHT - 2 * EDGE) * part(p[1], ys))
    parts = [f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" font-family="sans-serif" font-size="12">',
             f'<rect width="{WIDTH}" height="{HEIGHT}" fill="#fff"/>',
             f'<text x="{WIDTH / 2}" y="24" text-anchor="middle" font-size="15">{html.escape(curve["what"])}</text>']
    for power in range(xs[0], xs[1] + 1):
        x, _ = place((10 ** power, 10 ** ys[0]))
        parts.append(f'<path d="M{x:.1f} {EDGE}V{HEIGHT - EDGE}" stroke="#ddd"/>'
                     f'<text x="{x:.1f}" y="{HEIGHT - EDGE + 18}" text-anchor="middle">{10 ** power:,}</text>')
    for power in range(ys[0], ys[1] + 1):
        _, y = place((10 ** xs[0], 10.0 ** power))
        parts.append(f'<path d="M{EDGE} {y:.1f}H{WIDTH - EDGE}" stroke="#ddd"/>'
                     f'<text x="{EDGE - 6}" y="{y + 4:.1f}" text-anchor="end">{10.0 ** power:g} ms</text>')
    line = " ".join("{:.1f},{:.1f}".format(*place(p)) for p in points)
    parts.append(f'<polyline points="{line}" fill="none" stroke="#1f6feb" stroke-width="2"/>')
    parts += ['<circle cx="{:.1f}" cy="{:.1f}" r="4" fill="#1f6feb"/>'.format(*place(p)) for p in points]
    return "\n".join(parts + ["</svg>"]) + "\n"


def span(values):
    low, high = math.floor(math.log10(min(values))), math.ceil(math.log10(max(values)))
    return low, max(high, low + 1)


def part(value, ends):
    return (math.log10(value) - ends[0]) / (ends[1] - ends[0])
