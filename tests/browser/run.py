"""Opens the page of `run-report` in a headless Chromium and looks at it as a person would.

usage: run.py TOOLS [PICTURES]    TOOLS is the folder of the built tools; PICTURES is where screenshots are left

Exit 0: everything holds. 1: something does not, named on stderr. 77: there is no browser here, and none can be had.
"""
import pathlib
import shutil
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
import chromium  # noqa: E402  (the folder is known only here)
import runs  # noqa: E402

FAILED = []


def check(what, holds, seen=""):
    if not holds:
        FAILED.append(what)
        print(f"browser: {what}: {str(seen)[:400]}", file=sys.stderr)


def page(tools, folder):
    path = folder / "report.html"
    made = subprocess.run([f"{tools}/run-report", "--final", "PLAN.md", "--format", "html", "--now", "2026-02-01T00:00:00Z"],
                          cwd=folder, check=True, capture_output=True)
    path.write_bytes(made.stdout)
    return path


def whole(name, browser, path, count):
    """What must hold of every page."""
    browser.open(path)
    check(f"{name}: nothing on the console", not browser.said, browser.said)
    check(f"{name}: nothing is asked for from elsewhere", browser.asked == [path.resolve().as_uri()], browser.asked)
    check(f"{name}: nothing was run", browser.run("window.pwned === undefined && !document.querySelector('img, iframe, object')"))
    check(f"{name}: only our own scripts", browser.run("document.scripts.length") == 2)
    check(f"{name}: the graph has every task", browser.run("document.querySelectorAll('#graph .node').length") == count)
    check(f"{name}: the timeline has every task", browser.run("document.querySelectorAll('#timeline .lane[data-task]').length") == count)
    check(f"{name}: the table has every task", browser.run("document.querySelectorAll('#tasks tbody tr').length") == count)
    for wide in (1440, 390):
        browser.open(path, wide=wide, high=844)
        check(f"{name}: no scrolling sideways at {wide}", browser.run("document.documentElement.scrollWidth") <= wide,
              browser.run("document.documentElement.scrollWidth"))


def ease(browser, path):
    """A page of ten thousand tasks opens and filters without a pause: the time that its own thread spends is counted, since
    what else the machine does is nobody's fault."""
    browser.call("Performance.enable", timeDomain="threadTicks")
    spent = lambda: next(m["value"] for m in browser.call("Performance.getMetrics")["metrics"] if m["name"] == "TaskDuration")
    browser.open(path)
    check("long: it opens", spent() < 3, spent())
    check("long: nothing on the console", not browser.said, browser.said)
    check("long: its layers are there", browser.run("document.querySelectorAll('#graph .layer').length") == 100)
    for text, wanted in [("part 99", None), ("part", 10_000), ("no such", 0)]:
        before = spent()
        find("long", browser, text)
        check(f"long: '{text}' is found at once", spent() - before < 0.4, spent() - before)
        shown = browser.run("document.getElementById('tasks-count').textContent").split(" ")[0]
        check(f"long: '{text}' is found", wanted is None or shown == f"{wanted:,}", shown)
    browser.open(path, hash="#task/9999")
    check("long: a link leads to its task", browser.run("document.querySelector('dialog[open] h2').textContent.startsWith('9999 ·')"))


def find(name, browser, text):
    browser.run(f"(() => {{ const find = document.getElementById('find'); find.value = {text!r}; find.dispatchEvent(new Event('input')); }})()")
    browser.until("!document.getElementById('tasks-count').textContent.startsWith('?')")
    browser.run("new Promise((done) => setTimeout(done, 250))")
    return browser.run("[...document.querySelectorAll('#tasks tbody tr')].map((row) => Number(row.dataset.task))")


def ways(name, browser, path):
    """Filter, sort, deep link, keyboard, screen reader."""
    browser.open(path)
    # A commit's name may have the number too.
    rows = find(name, browser, "PART 99")
    check(f"{name}: the filter finds", 98 in rows and len(rows) < 30, rows)
    check(f"{name}: the graph shows what was found", browser.run("document.querySelectorAll('#graph .node:not(.off)').length") == len(rows))
    check(f"{name}: nothing is found where nothing is", find(name, browser, "no such thing") == [])
    find(name, browser, "")
    browser.run("[...document.querySelectorAll('th button')].find((b) => b.textContent === 'Worker').click()")
    browser.run("[...document.querySelectorAll('th button')].find((b) => b.textContent === 'Worker').click()")
    sorted_ = browser.run("[...document.querySelectorAll('#tasks tbody tr')].slice(0, 3).map((row) => JSON.parse(document.getElementById('data').textContent).report.tasks[row.dataset.task].worker_ms)")
    check(f"{name}: the table sorts", sorted_ == sorted(sorted_, reverse=True) and sorted_[0] > 0, sorted_)
    check(f"{name}: the order is told", browser.run("document.querySelector('th[aria-sort=descending]').textContent") == "Worker")
    browser.run("[...document.querySelectorAll('.chip')].find((chip) => chip.textContent.includes('failed')).click()")
    rows = browser.run("[...document.querySelectorAll('#tasks tbody tr')].every((row) => row.textContent.includes('failed'))")
    check(f"{name}: a state can be chosen", rows and browser.run("document.querySelectorAll('#tasks tbody tr').length") > 0)
    browser.open(path, hash="#task/42")
    check(f"{name}: a link leads to its task", browser.run("document.querySelector('dialog[open] h2').textContent.startsWith('42 ·')"))
    browser.key("j")
    browser.until("document.querySelector('dialog[open] h2').textContent.startsWith('43 ·')")
    browser.key("Escape")
    browser.until("!document.querySelector('dialog[open]')")
    browser.open(path)
    browser.key("/")
    check(f"{name}: '/' leads to the search", browser.run("document.activeElement.id") == "find")
    for _ in range(3):
        browser.key("Tab")
    check(f"{name}: tab goes on", browser.run("document.activeElement !== document.body && document.activeElement.id !== 'find'"))
    browser.run("document.querySelector('#graph .node').focus()")
    browser.key("Enter")
    browser.until("document.querySelector('dialog[open]')")
    browser.open(path)
    names = browser.names()
    for role, wanted in [("heading", "Timeline"), ("navigation", "Parts of this report"), ("searchbox", "Find tasks by id, title, phase, agent or commit"), ("columnheader", "Title")]:
        check(f"{name}: a screen reader hears {role} {wanted}", any(r == role and n.startswith(wanted) for r, n in names))
    dumb = [r for r, n in names if r in ("button", "link", "searchbox") and not n.strip()]
    check(f"{name}: everything that can be pressed has a name", not dumb, dumb)


def detail(browser, path):
    browser.open(path, hash="#task/2")
    text = browser.run("document.querySelector('dialog').innerText")
    for wanted in ("2:1 PASS, which was false", "Attempt 1: refused", "Attempt 2: ticked", "cannot find made.txt", "Claimed as passed, measured as failed: 2:1", "What the worker was told"):
        check(f"small: the task tells '{wanted}'", wanted in text or wanted in browser.run("document.querySelector('dialog').textContent"), text)
    browser.open(path, hash="#task/1")
    check("small: the task tells its card", "cargo test*" in browser.run("document.querySelector('dialog').textContent"))


def traps(browser, path):
    for id in range(1, 6):
        browser.open(path, hash=f"#task/{id}")
        check(f"hostile: task {id} opens", browser.run("Boolean(document.querySelector('dialog[open]'))"))
        browser.run("document.querySelectorAll('details').forEach((one) => one.open = true)")
        check(f"hostile: task {id} runs nothing", browser.run("window.pwned === undefined") and not browser.said, browser.said)
        text = browser.run("document.body.innerText")
        check(f"hostile: task {id} shows no hidden characters", not any(c in text for c in "\u202e\u2066\x1b\x07"), id)
    browser.open(path, hash="#task/%3Cscript%3Ewindow.pwned=1%3C/script%3E")
    check("hostile: a link to nothing is nothing", browser.run("window.pwned === undefined && !document.querySelector('dialog[open]')"))


def main():
    tools = str(pathlib.Path(sys.argv[1]).resolve())
    found = chromium.find()
    if not found:
        print("browser: no Chromium is here; install the package chromium-headless-shell, or set CHROMIUM", file=sys.stderr)
        return 77
    folder = pathlib.Path(tempfile.mkdtemp(prefix="plantools-pages-"))
    browser = chromium.Browser(found)
    try:
        pages = {name: page(tools, make(folder / name, tools)) for name, make in
                 [("small", runs.small), ("many", runs.many), ("hostile", runs.hostile)]}
        for name, count in [("small", 5), ("many", 150), ("hostile", 5)]:
            whole(name, browser, pages[name], count)
        ways("many", browser, pages["many"])
        detail(browser, pages["small"])
        traps(browser, pages["hostile"])
        ease(browser, page(tools, runs.long(folder / "long", tools)))
        if len(sys.argv) > 2:
            pictures(browser, pages, pathlib.Path(sys.argv[2]))
    finally:
        browser.close()
        shutil.rmtree(folder)
    return 1 if FAILED else 0


def pictures(browser, pages, folder):
    folder.mkdir(parents=True, exist_ok=True)
    for name, path in pages.items():
        for wide, high, dark in [(1440, 900, False), (1440, 900, True), (390, 844, False), (390, 844, True)]:
            look = f"{name}-{wide}-{'dark' if dark else 'light'}"
            browser.open(path, wide=wide, high=high, dark=dark)
            tall = min(browser.run("document.documentElement.scrollHeight"), 6000)
            browser.call("Emulation.setDeviceMetricsOverride", width=wide, height=tall, deviceScaleFactor=1, mobile=wide < 600)
            browser.run("new Promise((done) => setTimeout(done, 400))")
            browser.picture(folder / f"{look}.png", whole=False)
            browser.open(path, wide=wide, high=1400 if wide > 600 else high, dark=dark, hash="#task/2")
            browser.picture(folder / f"{look}-task.png", whole=False)


if __name__ == "__main__":
    sys.exit(main())
