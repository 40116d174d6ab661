"use strict";
// Everything that a plan or a worker wrote goes through `clean` and `textContent`; nothing is ever parsed as markup.
const data = JSON.parse(document.getElementById("data").textContent);
const report = data.report, tasks = report.tasks, numbers = report.numbers;
const at = new Map(tasks.map((task, i) => [task.id, i]));
const SIGN = { done: "✓", unverified: "?", overridden: "!", skipped: "–", running: "▶", failed: "✗", blocked: "■", human: "☞", waiting: "☞", pending: "○" };
const SAYS = { done: "done", unverified: "done, not verified", overridden: "done by decision", skipped: "skipped", running: "running", failed: "failed", blocked: "blocked", human: "waits for a person", waiting: "waits for acceptance", pending: "pending" };
const ROWS = 200, LANES = 200;

// Escape sequences of terminals are left out; other characters that nobody sees are shown by their number.
const clean = (text) => String(text ?? "")
  .replace(/\x1b\[[0-?]*[ -\/]*[@-~]|\x1b\][^\x07\x1b]*(?:\x07|\x1b\\)/g, "")
  .replace(/[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u200b-\u200f\u202a-\u202e\u2060-\u2069\ufeff]/g, (c) => `⟨${c.codePointAt(0).toString(16).padStart(4, "0")}⟩`);
const clip = (text, most) => { const all = clean(text); return all.length > most ? all.slice(0, most - 1) + "…" : all; };
const count = (n, noun) => `${n.toLocaleString("en")} ${noun}${n === 1 ? "" : "s"}`;
const time = (ms) => ms < 1000 ? `${Math.round(ms)} ms` : ms < 60000 ? `${(ms / 1000).toFixed(1)} s`
  : ms < 3600000 ? `${Math.floor(ms / 60000)} min ${Math.round(ms % 60000 / 1000)} s` : `${Math.floor(ms / 3600000)} h ${Math.round(ms % 3600000 / 60000)} min`;
const stamp = (text) => clean(text).replace("T", " ").replace(/(\.\d+)?Z$/, " UTC");
const LEVELS = ["proved", "passes", "reviewed", "already-true", "gates-only", "accepted", "unproved"];
const levels = (counts) => LEVELS.filter((level) => counts?.[level]).map((level) => `${counts[level]} ${level.replace("-", " ")}`).join(", ");
const percent = (part) => part == null ? "–" : `${Math.round(part * 100)} %`;

// An element; `null` children are left out, text is text.
function h(tag, attributes, ...children) {
  const node = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes ?? {})) {
    if (value == null || value === false) continue;
    if (name.startsWith("on")) node.addEventListener(name.slice(2), value);
    else node.setAttribute(name, value === true ? "" : value);
  }
  node.append(...children.flat().filter((child) => child != null));
  return node;
}
function s(tag, attributes, ...children) {
  const node = document.createElementNS("http://www.w3.org/2000/svg", tag);
  for (const [name, value] of Object.entries(attributes ?? {})) if (value != null) node.setAttribute(name, value);
  node.append(...children);
  return node;
}
const mono = (text) => h("span", { class: "mono" }, clean(text));
// What stands between backquotes is code.
const prose = (text) => text.split(/`([^`]+)`/).map((part, i) => i % 2 ? h("code", {}, part) : part);
const state = (stand) => h("span", { class: `state s-${stand}` }, h("i", { "aria-hidden": "true" }, SIGN[stand]), SAYS[stand]);
const link = (i) => h("a", { href: `#task/${encodeURIComponent(tasks[i].id)}` }, clip(tasks[i].id, 60));
const put = (id, ...children) => document.getElementById(id).replaceChildren(...children.flat().filter((child) => child != null));
const table = (heads, rows) => h("div", { class: "scroll" }, h("table", {},
  h("thead", {}, h("tr", {}, heads.map((head) => h("th", { scope: "col" }, head)))), h("tbody", {}, rows)));

// ── The head ──
const settled = tasks.every((task) => ["done", "unverified", "overridden", "skipped"].includes(task.stand));
const stands = Object.keys(SIGN).filter((stand) => numbers.stands[stand] > 0);
const chosen = new Set();
{
  const bad = ["failed", "blocked", "human"].some((stand) => numbers.stands[stand] > 0);
  const verdict = settled ? ["done", "Complete"] : numbers.stands.running > 0 ? ["running", "Running"] : bad ? ["failed", "Stopped"] : ["pending", "Not finished"];
  put("verdict", h("span", { class: `verdict s-${verdict[0]}` }, h("span", { "aria-hidden": "true" }, SIGN[verdict[0]]), verdict[1]));
  const bar = h("div", { class: "bar", role: "img", "aria-label": stands.map((stand) => `${numbers.stands[stand]} ${SAYS[stand]}`).join(", ") });
  for (const stand of stands) {
    const part = h("span", { class: `f-${stand}`, title: `${numbers.stands[stand]} ${SAYS[stand]}` });
    part.style.flexGrow = numbers.stands[stand];
    bar.append(part);
  }
  put("progress", bar, h("div", { class: "legend", role: "group", "aria-label": "Show only tasks that are" }, stands.map((stand) => {
    const chip = h("button", { type: "button", class: `state chip s-${stand}`, "aria-pressed": "false" }, h("i", { "aria-hidden": "true" }, SIGN[stand]), `${numbers.stands[stand].toLocaleString("en")} ${SAYS[stand]}`);
    chip.addEventListener("click", () => {
      chosen.has(stand) ? chosen.delete(stand) : chosen.add(stand);
      chip.setAttribute("aria-pressed", chosen.has(stand));
      narrow();
    });
    return chip;
  })));
  const card = (name, value, note, mood) => h("div", { class: `card ${mood ?? ""}` }, h("dt", {}, name), h("dd", {}, value, note ? h("small", {}, note) : null));
  const done = numbers.stands.done, ledger = report.ledger;
  put("cards",
    card("Evidence", levels(numbers.levels) || `${done.toLocaleString("en")} of ${numbers.tasks.toLocaleString("en")} done`, `${numbers.waiting ? `waiting: ${levels(numbers.waiting)}; ` : ""}${numbers.passed.toLocaleString("en")} of ${count(numbers.criteria, "criterion").replace("criterions", "criteria")} passed${numbers.manual ? `, ${numbers.manual} for a person` : ""}`, done === numbers.tasks ? "good" : ""),
    card("Ticked at the first attempt", percent(numbers.first_pass_rate), `${numbers.first_pass} of ${numbers.tried} tried, ${count(numbers.attempts, "attempt")}`),
    card("False claims", numbers.false_claims.toLocaleString("en"), numbers.false_claims ? "said to pass, measured to fail" : "nothing claimed was refuted", numbers.false_claims ? "bad" : ""),
    card("Work and checks", time(numbers.worker_ms + numbers.gate_ms), `workers ${time(numbers.worker_ms)}, checks ${time(numbers.gate_ms)}`),
    card("Against the critical path", percent(numbers.efficiency), numbers.efficiency == null ? "nothing was run" : `took ${time(numbers.wall_ms)}, at best ${time(numbers.critical_ms)}`),
    card("Ledger", ledger?.ok ? "whole" : ledger ? count(ledger.problems?.length ?? 0, "problem") : "–", ledger ? `${count(ledger.records, "record")} checked` : null, ledger && !ledger.ok ? "bad" : "good"));
}

// ── What needs somebody ──
const spelled = (task, claim) => { const check = (task.checks ?? []).find((one) => one.id === claim); return check ? ` — ${check.text}` : ""; };
{
  const items = [];
  for (const [i, task] of tasks.entries()) {
    if (task.kind === "container") continue;
    const why = task.halt ? task.halt.message : task.stand === "unverified" ? "ticked, and nothing on record says why" : task.reason ?? "";
    if (["failed", "human", "unverified", "overridden"].includes(task.stand)) items.push(h("li", {}, state(task.stand), " ", link(i), " ", h("span", { class: "isolate" }, clip(task.title, 120)), why ? h("span", { class: "soft isolate" }, ` — ${clip(why, 300)}`) : null));
    for (const claim of task.false_claims ?? []) items.push(h("li", {}, h("span", { class: "state s-failed" }, "false claim"), " ", link(i), " ", h("span", { class: "isolate" }, clip(claim, 300)), h("span", { class: "soft isolate" }, prose(clip(spelled(task, claim), 300)))));
  }
  const named = new Set(["task "]);
  for (const item of report.open ?? []) if (![...named].some((start) => item.startsWith(start))) items.push(h("li", {}, h("span", { class: "state s-blocked" }, "open"), " ", h("span", { class: "isolate" }, clip(item, 600))));
  const shown = items.slice(0, 100);
  put("attention-body", items.length ? h("ul", { class: "open" }, shown, items.length > shown.length ? h("li", { class: "soft" }, `and ${items.length - shown.length} more: choose a state above`) : null)
    : h("p", { class: "soft" }, settled ? "Nothing: every task is settled and nothing claimed was refuted." : "Nothing yet."));
}

// ── The graph ──
const nodes = new Map();
function drawGraph() {
  const drawing = data.drawing;
  if (!drawing) return drawLayers();
  const svg = s("svg", { width: drawing.width, height: drawing.height, viewBox: `0 0 ${drawing.width} ${drawing.height}`, role: "group", "aria-label": "Tasks in layers, each after what it waits for" });
  const tips = s("defs");
  for (const name of ["", " on"]) tips.append(s("marker", { id: name ? "tip-on" : "tip", viewBox: "0 0 8 8", refX: 7, refY: 4, orient: "auto", markerUnits: "userSpaceOnUse", markerWidth: name ? 11 : 8, markerHeight: name ? 11 : 8 }, s("path", { class: `tip${name}`, d: "M0 0.5L8 4L0 7.5z" })));
  svg.append(tips);
  for (const wanted of [0, 1]) for (const [x1, y1, x2, y2, critical, part, end] of drawing.links) {
    if (critical !== wanted) continue;
    const [bx, by] = drawing.down ? [0, (y2 - y1) / 2] : [(x2 - x1) / 2, 0];
    const [sx, sy] = end ? (drawing.down ? [0, 9] : [9, 0]) : [0, 0];
    const tail = end ? `L${x2 - sx / 4} ${y2 - sy / 4}` : "";
    svg.append(s("path", { class: `link${critical ? " on" : ""}${part ? " part" : ""}`, d: `M${x1} ${y1}C${x1 + bx} ${y1 + by} ${x2 - bx} ${y2 - by} ${x2 - sx} ${y2 - sy}${tail}`, "marker-end": end ? `url(#tip${critical ? "-on" : ""})` : null }));
  }
  for (const [i, [x, y, height]] of drawing.boxes.entries()) {
    const task = tasks[i];
    const node = s("g", { class: `node n-${task.stand}${task.critical ? " on" : ""}${task.kind === "container" ? " part" : ""}`, tabindex: 0, role: "link", "data-task": i, "aria-label": `${clip(task.id, 60)} ${clip(task.title, 120)}, ${SAYS[task.stand]}${task.critical ? ", on the critical path" : ""}` });
    // What is too long for the box ends at its border.
    const inner = s("svg", { x, y, width: drawing.box - 6, height });
    node.append(s("rect", { x, y, width: drawing.box, height, rx: 8 }), inner);
    inner.append(s("text", { class: "id", x: 10, y: 19 }, `${SIGN[task.stand]} ${clip(task.id, 16)}`));
    const note = s("text", { class: "note", x: drawing.box - 10, y: 19, "text-anchor": "end" }, task.attempts > 1 ? `${task.attempts} attempts` : task.worker_ms + task.gate_ms > 0 ? time(task.worker_ms + task.gate_ms) : "");
    inner.append(note);
    for (const [n, line] of wrap(clean(task.title), 29, 2).entries()) inner.append(s("text", { x: 10, y: 37 + n * 15 }, line));
    node.append(s("title", {}, `${clip(task.id, 60)}: ${clip(task.title, 300)} (${SAYS[task.stand]})`));
    const open = () => { location.hash = `#task/${encodeURIComponent(task.id)}`; };
    node.addEventListener("click", open);
    node.addEventListener("keydown", (event) => { if (event.key === "Enter" || event.key === " ") { event.preventDefault(); open(); } });
    nodes.set(i, node);
    svg.append(node);
  }
  const frame = h("div", { class: "drawn", tabindex: "0", role: "region", "aria-label": "Graph" }, svg);
  put("graph-body", frame);
  const size = (scale) => { svg.setAttribute("width", drawing.width * scale); svg.setAttribute("height", drawing.height * scale); };
  const fit = () => Math.min(1, Math.max(.08, frame.clientWidth / drawing.width, 0));
  put("graph-tools", [["Fit", fit], ["100 %", () => 1]].map(([name, scale]) => h("button", { type: "button", class: "plain", onclick: () => size(scale()) }, name)));
  // At first as small as can still be read, with the beginning of the critical path in sight; then as asked for.
  const scale = Math.max(.6, fit());
  size(scale);
  const first = drawing.boxes.find((_, i) => tasks[i].critical) ?? drawing.boxes[0];
  if (first) frame.scrollTo((first[0] + drawing.box / 2) * scale - frame.clientWidth / 2, first[1] * scale - frame.clientHeight / 3);
}
// A plan of thousands of tasks is told layer by layer; a layer leads to its rows in the table.
function drawLayers() {
  const layers = [];
  data.layers.forEach((layer, i) => { if (layer != null) (layers[layer] ??= []).push(i); });
  put("graph-body", h("div", { class: "body layers" }, h("p", { class: "soft" }, `${count(tasks.length, "task")} in ${count(layers.length, "layer")}: each layer waits for the ones above it. Choose one to see its tasks.`),
    layers.slice(0, 500).map((members, layer) => {
      const bar = h("div", { class: "bar", role: "img", "aria-label": `layer ${layer + 1}` });
      for (const stand of Object.keys(SIGN)) {
        const n = members.filter((i) => tasks[i].stand === stand).length;
        if (!n) continue;
        const part = h("span", { class: `f-${stand}`, title: `${n} ${SAYS[stand]}` });
        part.style.flexGrow = n;
        bar.append(part);
      }
      bar.style.width = `${Math.max(6, 100 * members.length / Math.max(...layers.map((l) => l.length)))}%`;
      return h("div", { class: "layer", "data-layer": layer }, h("button", { type: "button", class: "plain", onclick: () => { only = only === layer ? null : layer; narrow(); document.getElementById("tasks").scrollIntoView(); } }, `${layer + 1}: ${count(members.length, "task")}`), bar);
    })));
}
function wrap(text, width, most) {
  const lines = [""];
  for (const word of clip(text, 400).split(/\s+/)) {
    const last = lines[lines.length - 1];
    if (last && last.length + 1 + word.length > width) lines.push(word); else lines[lines.length - 1] = last ? `${last} ${word}` : word;
    if (lines.length > most) break;
  }
  if (lines.length > most) { lines.length = most; lines[most - 1] += " …"; }
  return lines.map((line) => clip(line, width));
}

// ── The timeline ──
const ms = (text) => text ? Date.parse(text) : NaN;
// Beginning, end and pieces of each attempt. Records know the second; what was measured knows better.
function pieces(attempt) {
  const begin = ms(attempt.begun_at);
  if (Number.isNaN(begin)) return null;
  const out = [{ kind: "worker", from: begin, to: begin + attempt.worker_ms, name: `worker ${clean(attempt.worker)}: ${time(attempt.worker_ms)}` }];
  let end = Math.max(begin + attempt.worker_ms, ms(attempt.ended_at) || 0);
  if (!attempt.ended_at && attempt.result === "open" && data.now) { end = Math.max(end, ms(data.now)); out[0].to = end; }
  for (const gate of attempt.gates ?? []) {
    const from = Math.max(end, ms(gate.at) || end);
    end = from + gate.ms;
    out.push({ kind: gate.status, from, to: end, name: `check ${clip(gate.id, 60)} ${gate.status}: ${time(gate.ms)}` });
  }
  return { begin, end, out };
}
const work = tasks.map((task) => (task.history ?? []).map((attempt) => ({ attempt, ...pieces(attempt) })).filter((one) => one.out));
const ends = work.map((attempts) => Math.max(...attempts.map((one) => one.end)));
// Time in which nothing ran is cut short, so that a night between two runs does not hide both.
const axis = (() => {
  const spans = work.flat().map((one) => [one.begin, Math.max(one.end, one.begin + 1)]).sort((a, b) => a[0] - b[0]);
  const merged = [];
  for (const [from, to] of spans) { const last = merged[merged.length - 1]; if (last && from <= last[1]) last[1] = Math.max(last[1], to); else merged.push([from, to]); }
  const busy = merged.reduce((sum, [from, to]) => sum + to - from, 0);
  const short = Math.max(busy * .02, 1);
  const parts = [];
  let x = 0;
  merged.forEach(([from, to], i) => {
    if (i) { const gap = from - merged[i - 1][1], long = gap > Math.max(busy * .1, 60000); parts.push({ from: merged[i - 1][1], to: from, x, width: long ? short : gap, cut: long }); x += long ? short : gap; }
    parts.push({ from, to, x, width: to - from });
    x += to - from;
  });
  const total = x || 1;
  // The first part that ends at or after a time; parts come in the order of the clock.
  const partAt = (t) => { let low = 0, high = parts.length - 1; while (low < high) { const middle = (low + high) >> 1; if (t <= parts[middle].to) high = middle; else low = middle + 1; } return parts[low]; };
  const place = (t) => { const part = partAt(t); if (!part) return 0; const inner = part.to > part.from ? (Math.max(t, part.from) - part.from) / (part.to - part.from) : 0; return 100 * (part.x + Math.min(1, inner) * part.width) / total; };
  return { cuts: parts.filter((part) => part.cut), place, total, from: merged[0]?.[0], to: merged[merged.length - 1]?.[1] };
})();
const lanes = new Map();
let lanePage = 0;
function drawTimeline() {
  if (axis.from === undefined) { put("timeline-body", h("p", { class: "body soft" }, "No attempt is on record.")); return; }
  const order = shown().slice().sort((a, b) => (work[a][0]?.begin ?? Infinity) - (work[b][0]?.begin ?? Infinity) || a - b);
  const pages = Math.max(1, Math.ceil(order.length / LANES));
  lanePage = Math.min(lanePage, pages - 1);
  lanes.clear();
  const scale = h("div", { class: "track", "aria-hidden": "true" });
  const label = (t, x) => { const mark = h("span", {}, stamp(new Date(t).toISOString()).slice(x > 0 && axis.to - axis.from < 86400000 ? 11 : 0, 19)); mark.style.left = `${x}%`; return mark; };
  scale.append(label(axis.from, 0), label(axis.to, 100));
  const list = h("div", { class: "lanes", tabindex: "0", role: "list", "aria-label": "Attempts of each task" }, h("div", { class: "lane scale" }, h("span", {}), scale));
  for (const i of order.slice(lanePage * LANES, (lanePage + 1) * LANES)) list.append(lane(i));
  put("timeline-body", list, pages > 1 ? pager(lanePage, pages, order.length, LANES, (page) => { lanePage = page; drawTimeline(); }) : null);
}
function lane(i) {
  const task = tasks[i], track = h("div", { class: "track" });
  const piece = (kind, from, to, title, text) => { const node = h("span", { class: kind, title }, text ?? ""); const left = axis.place(from); node.style.left = `${left}%`; if (text == null) node.style.width = `${Math.max(0, axis.place(to) - left)}%`; track.append(node); };
  for (const part of axis.cuts) piece("gap", part.from, part.to, `nothing ran for ${time(part.to - part.from)}`);
  const before = (task.depends_on ?? []).map((id) => at.get(id)).filter((d) => d !== undefined && ends[d] > 0);
  const ready = Math.max(axis.from, ...before.map((d) => ends[d]));
  const first = work[i][0]?.begin;
  if (first > ready) piece("waited", ready, first, `waited ${time(first - ready)}${before.length ? ` after ${clip(tasks[before.reduce((a, b) => ends[a] >= ends[b] ? a : b)].id, 60)} was done` : ""}`);
  for (const { attempt, end, out } of work[i]) {
    for (const one of out) piece(one.kind, one.from, one.to, one.name);
    if (attempt.result === "halted") piece("halted", end, end, clip(attempt.halt?.message ?? "halted", 200), "✗");
    if (attempt.result === "ticked") piece("ticked", end, end, "ticked", "✓");
  }
  const spoken = work[i].map(({ attempt }) => `attempt ${attempt.number} ${attempt.result}, worker ${time(attempt.worker_ms)}, checks ${time(attempt.gate_ms)}`).join("; ") || "not begun";
  const node = h("div", { class: "lane", role: "listitem", "data-task": i },
    h("button", { type: "button", class: "name", title: clip(task.title, 300), "aria-label": `${clip(task.id, 60)} ${clip(task.title, 120)}: ${spoken}`, onclick: () => { location.hash = `#task/${encodeURIComponent(task.id)}`; } },
      h("b", { class: "isolate" }, clip(task.id, 16)), h("span", { class: "isolate soft" }, clip(task.title, 60))), track);
  lanes.set(i, node);
  return node;
}

// ── The table ──
const columns = [
  ["State", (i) => Object.keys(SIGN).indexOf(tasks[i].stand), (i) => state(tasks[i].stand)],
  ["Task", (i) => i, (i) => h("button", { type: "button", class: "open-task isolate" }, clip(tasks[i].id, 60))],
  ["Title", (i) => clean(tasks[i].title).slice(0, 200).toLowerCase(), (i) => h("span", { class: "isolate" }, clip(tasks[i].title, 200), tasks[i].critical ? h("span", { class: "soft", title: "on the critical path" }, " ◆") : null), "title"],
  ["Attempts", (i) => tasks[i].attempts, (i) => tasks[i].attempts ? String(tasks[i].attempts) : "", "n"],
  ["Checks", (i) => tasks[i].criteria ? tasks[i].passed / tasks[i].criteria : -1, (i) => tasks[i].criteria ? `${tasks[i].passed}/${tasks[i].criteria}` : "", "n"],
  ["Worker", (i) => tasks[i].worker_ms, (i) => tasks[i].attempts ? time(tasks[i].worker_ms) : "", "n"],
  ["Checking", (i) => tasks[i].gate_ms, (i) => tasks[i].gate_ms ? time(tasks[i].gate_ms) : "", "n"],
  ["Commit", (i) => tasks[i].commit ?? "", (i) => tasks[i].commit ? mono(tasks[i].commit.slice(0, 8)) : ""],
];
if (tasks.some((task) => task.phase)) columns.splice(3, 0, ["Phase", (i) => tasks[i].phase ?? "", (i) => clip(tasks[i].phase ?? "", 40)]);
let sortBy = 1, upwards = true, page = 0, only = null;
const words = tasks.map((task) => `${task.id} ${clean(task.title).slice(0, 500)} ${task.phase ?? ""} ${task.commit ?? ""} ${task.agent ?? ""}`.toLowerCase());
function shown() {
  const asked = document.getElementById("find").value.trim().toLowerCase().split(/\s+/).filter(Boolean);
  return tasks.map((_, i) => i).filter((i) => (!chosen.size || chosen.has(tasks[i].stand)) && (only === null || data.layers[i] === only) && asked.every((word) => words[i].includes(word)));
}
function drawTable() {
  const [, key] = columns[sortBy];
  const keys = new Map();
  const rows = shown();
  for (const i of rows) keys.set(i, key(i));
  rows.sort((a, b) => { const x = keys.get(a), y = keys.get(b); return (x < y ? -1 : x > y ? 1 : 0) * (upwards ? 1 : -1) || a - b; });
  const pages = Math.max(1, Math.ceil(rows.length / ROWS));
  page = Math.min(page, pages - 1);
  const head = columns.map(([name, , , kind], c) => h("th", { scope: "col", class: kind, "aria-sort": c === sortBy ? (upwards ? "ascending" : "descending") : "none" },
    h("button", { type: "button", onclick: () => { upwards = c === sortBy ? !upwards : true; sortBy = c; drawTable(); } }, name)));
  const body = rows.slice(page * ROWS, (page + 1) * ROWS).map((i) => h("tr", { "data-task": i, onclick: () => { location.hash = `#task/${encodeURIComponent(tasks[i].id)}`; } },
    columns.map(([name, , cell, kind]) => h("td", { class: kind, "data-label": ["State", "Task", "Title"].includes(name) ? null : name }, cell(i)))));
  put("tasks-body", h("div", { class: "scroll" }, h("table", { class: "tasks" }, h("thead", {}, h("tr", {}, head)), h("tbody", {}, body))),
    pages > 1 ? pager(page, pages, rows.length, ROWS, (next) => { page = next; drawTable(); document.getElementById("tasks").scrollIntoView(); }) : null,
    rows.length ? null : h("p", { class: "body soft" }, "No task matches."));
  put("tasks-count", rows.length === tasks.length ? count(rows.length, "task") : `${rows.length.toLocaleString("en")} of ${count(tasks.length, "task")}`);
  return rows;
}
function pager(now, pages, all, size, go) {
  return h("div", { class: "pager" }, h("button", { type: "button", class: "plain", disabled: now === 0, onclick: () => go(now - 1) }, "Earlier"),
    h("span", {}, `${(now * size + 1).toLocaleString("en")}–${Math.min(all, (now + 1) * size).toLocaleString("en")} of ${all.toLocaleString("en")}`),
    h("button", { type: "button", class: "plain", disabled: now === pages - 1, onclick: () => go(now + 1) }, "Later"));
}
function narrow() {
  page = 0; lanePage = 0;
  const left = new Set(drawTable());
  for (const [i, node] of nodes) node.classList.toggle("off", !left.has(i));
  drawTimeline();
}

// ── One task ──
const verdictOf = (status) => h("span", { class: status === "pass" ? "ok" : status === "fail" || status === "fault" ? "no" : "meh" }, { pass: "✓ pass", fail: "✗ fail", fault: "✗ no verdict", skip: "– skipped", manual: "☞ for a person", decided: "! decided", open: "○ not run" }[status] ?? clean(status));
function showTask(i) {
  const task = tasks[i], dialog = document.getElementById("task");
  const last = task.history?.[task.history.length - 1];
  const after = tasks.map((_, j) => j).filter((j) => (tasks[j].depends_on ?? []).includes(task.id));
  const ids = (list) => list.length ? list.slice(0, 60).flatMap((j, n) => [n ? ", " : "", link(j)]).concat(list.length > 60 ? [` and ${list.length - 60} more`] : []) : null;
  const fact = (name, value) => value == null || value === "" ? null : [h("dt", {}, name), h("dd", { class: "isolate" }, value)];
  const body = [
    h("dl", { class: "facts" },
      fact("State", h("span", {}, state(task.stand), task.level ? ` ${task.level.replace("_", " ")}` : "", task.critical ? " on the critical path" : "")),
      fact("Why", task.reason ? clean(task.reason) : null),
      fact("Phase", clean(task.phase ?? "")), fact("Agent", clean(task.agent ?? "")),
      fact("Waits for", ids((task.depends_on ?? []).map((id) => at.get(id)).filter((j) => j !== undefined))), fact("Needed by", ids(after)),
      fact("Attempts", task.attempts ? `${task.attempts}, workers ${time(task.worker_ms)}, checks ${time(task.gate_ms)}` : "none"),
      fact("Commit", task.commit ? mono(task.commit) : null), fact("Session", task.session ? mono(task.session) : null),
      fact("Report", task.report ? mono(task.report) : null), fact("Files", task.files?.length ? task.files.slice(0, 200).flatMap((file, n) => [n ? ", " : "", mono(file)]) : null)),
    task.outdated ? h("p", { class: "soft" }, `${count(task.outdated, "record")} about an earlier text of this task count for nothing.`) : null,
    task.halt ? h("p", { class: "warn" }, `${clean(task.halt.stage)} said no: ${clean(task.halt.message)}`) : null,
    task.false_claims?.length ? h("p", { class: "warn" }, `Claimed as passed, measured as failed: ${task.false_claims.map(clean).join(", ")}`) : null,
    ...criteria(task, last), ...card(task.card),
  ];
  if (task.punches) body.push(h("h3", {}, "Punches"), h("p", {}, Object.entries(task.punches).map(([kind, n]) => `${n} ${kind.replaceAll("_", " ")}`).join(", ")));
  if (task.history?.length) {
    body.push(h("h3", {}, "Attempts"), task.older ? h("p", { class: "soft" }, `${count(task.older, "older attempt")} not shown.`) : "");
    for (const attempt of [...task.history].reverse()) body.push(told(attempt, attempt === last));
  }
  const prompt = data.prompts[i];
  if (prompt != null || last?.prompt) body.push(h("h3", {}, "Prompt"), prompt != null ? h("details", {}, h("summary", {}, "What the worker was told"), h("div", {}, h("pre", { tabindex: "0" }, clean(prompt)))) : h("p", {}, "It is at ", mono(last.prompt), "."));
  put("task", h("div", { class: "head" }, h("h2", { id: "task-title", tabindex: "-1" }, h("span", { class: "isolate" }, `${clip(task.id, 60)} · ${clip(task.title, 1000)}`)),
    h("button", { type: "button", class: "plain", onclick: () => dialog.close() }, "Close")), h("div", { class: "body" }, body.filter((one) => one !== "")));
  if (!dialog.open) dialog.showModal();
  dialog.scrollTop = 0;
  document.getElementById("task-title").focus();
  document.title = `${clip(task.id, 40)} · ${clip(report.title || report.plan, 80)}`;
}
function criteria(task, last) {
  const claims = new Map((last?.claims ?? []).map((claim) => [claim.id, claim]));
  const said = (id, text) => claims.get(id) ?? (last?.claims ?? []).find((claim) => claim.description && text.includes(claim.description));
  const rows = (task.checks ?? []).map((check) => {
    const claim = said(check.id, check.text);
    if (claim) claims.delete(claim.id);
    const lie = claim?.status === "PASS" && check.status === "fail";
    return h("tr", {}, h("td", { class: "mono" }, clip(check.id, 40)), h("td", { class: "isolate" }, prose(clip(check.text, 600))), h("td", {}, claim ? h("span", { class: lie ? "no" : "" }, clean(claim.status) + (lie ? " (false)" : "")) : h("span", { class: "soft" }, "–")),
      h("td", {}, check.before ? h("div", { class: "soft isolate" }, `before: ${clip(check.before.status, 10)}, ${clip(check.before.measured ?? "", 200)}`) : null, verdictOf(check.status), check.measured ? h("div", { class: "soft isolate" }, clip(check.measured, 300)) : null));
  });
  const other = [...claims.values()].map((claim) => h("tr", {}, h("td", { class: "mono" }, clip(claim.id, 40)), h("td", { class: "isolate" }, clip(claim.description || claim.command || "", 300)), h("td", {}, clean(claim.status)), h("td", { class: "soft" }, "no criterion of the plan")));
  return rows.length + other.length ? [h("h3", {}, "Criteria: what the worker said, what was measured"), table(["", "Criterion", "Worker", "Measured"], [...rows, ...other])] : [];
}
function card(found) {
  if (!found || found.status === "none") return [];
  const rows = (found.rows ?? []).map((row) => h("tr", {}, h("td", {}, clean(row.rule)), h("td", { class: "mono" }, `${clean(row.type)}: ${clip(row.pattern, 200)}`), h("td", { class: "n" }, String(row.hits)), h("td", {}, h("span", { class: row.ok ? "ok" : "no" }, row.ok ? "✓" : "✗"))));
  return [h("h3", {}, `Punch card ${clean(found.id ?? "")}: `, h("span", { class: found.status === "pass" ? "ok" : "no" }, clean(found.status).replace("_", " "))), table(["Rule", "Punch", "Hits", ""], rows)];
}
function told(attempt, open) {
  const gates = (attempt.gates ?? []).map((gate) => h("tr", {}, h("td", { class: "mono" }, clip(gate.id, 40)), h("td", {}, verdictOf(gate.status), h("div", { class: "soft" }, time(gate.ms))),
    h("td", {}, gate.command ? mono(clip(gate.command, 500)) : null, gate.expect || gate.measured ? h("div", { class: "soft isolate" }, [gate.expect ? `wanted ${clip(gate.expect, 200)}` : "", gate.measured ? `got ${clip(gate.measured, 200)}` : ""].filter(Boolean).join(", ")) : null,
      gate.tail?.length ? h("pre", { tabindex: "0", "aria-label": "last lines of the output" }, gate.tail.map(clean).join("\n")) : null, gate.log && gate.status !== "pass" ? h("div", { class: "soft" }, "all of it: ", mono(gate.log)) : null)));
  const result = { ticked: "ticked", halted: "refused", ended: "ended, nothing decided", open: "not ended" }[attempt.result];
  return h("details", { open }, h("summary", {}, `Attempt ${attempt.number}: ${result}, ${time(attempt.worker_ms + attempt.gate_ms)}`), h("div", {},
    h("p", { class: "soft" }, [`worker ${clean(attempt.worker)}`, attempt.host ? `on ${clean(attempt.host)}` : "", attempt.worktree ? `in ${clean(attempt.worktree)}` : "", attempt.taken_over_by ? `taken over by ${clean(attempt.taken_over_by)}` : "", attempt.begun_at ? `began ${stamp(attempt.begun_at)}` : "", attempt.outcome ? `outcome ${clean(attempt.outcome)}` : "", attempt.said ? `it said ${clean(attempt.said)}` : "", attempt.tokens ? `tokens ${attempt.tokens.input} in, ${attempt.tokens.output} out, ${attempt.tokens.cached} cached` : "", attempt.cost != null ? `cost ${attempt.cost.toFixed(2)}` : "", `run ${clean(attempt.run)}`].filter(Boolean).join(" · ")),
    attempt.halt ? h("p", { class: "warn" }, `${clean(attempt.halt.stage)}: ${clean(attempt.halt.message)}`) : null,
    attempt.summary ? h("p", { class: "isolate" }, clean(attempt.summary)) : null,
    attempt.claims?.length ? h("p", { class: "isolate" }, "The worker said: ", attempt.claims.slice(0, 50).map((claim, n) => [n ? ", " : "", h("span", { class: attempt.false_claims?.includes(claim.id) ? "no" : "" }, `${clip(claim.id || claim.description, 80)} ${clip(claim.status, 40)}${attempt.false_claims?.includes(claim.id) ? ", which was false" : ""}`)]).flat()) : null,
    gates.length ? table(["Check", "Verdict", "Command and output"], gates) : null,
    attempt.changed_files?.length ? h("p", {}, "Changed: ", attempt.changed_files.slice(0, 100).flatMap((file, n) => [n ? ", " : "", mono(file)])) : null,
    attempt.log ? h("p", { class: "soft" }, "Output: ", mono(attempt.log)) : null));
}

// ── The rest ──
{
  const list = (items) => h("ul", {}, items.map((item) => h("li", { class: "isolate" }, clip(item, 1000))));
  const parts = [];
  if (report.gates?.length) parts.push(h("h3", {}, "Checks of the whole"), table(["Check", "Verdict", "Command"], report.gates.map((gate) => h("tr", {}, h("td", { class: "mono" }, clip(gate.id, 60)), h("td", {}, verdictOf(gate.status)), h("td", {}, mono(clip(gate.command ?? "", 300)), gate.tail?.length ? h("pre", { tabindex: "0" }, gate.tail.map(clean).join("\n")) : null)))));
  if (report.hosts?.length) parts.push(h("h3", {}, "Machines"), table(["Host", "Attempts", "Done", "Taken over"], report.hosts.slice(0, 500).map((host) => h("tr", {}, h("td", {}, mono(clip(host.name, 200))), h("td", { class: "n" }, String(host.attempts)), h("td", { class: "n" }, String(host.done)), h("td", { class: "n" }, String(host.takeovers ?? 0))))));
  if (report.goals?.length) parts.push(h("h3", {}, "What the plan calls done"), h("ul", {}, report.goals.map((goal) => h("li", { class: "isolate" }, h("span", { class: goal.checked ? "ok" : "soft" }, goal.checked ? "✓ " : "○ "), clip(goal.text, 1000)))));
  for (const [name, items] of [["Learnings", report.learnings], ["Issues", report.issues]]) if (items?.length) parts.push(h("h3", {}, name), list(items));
  if (report.changes?.length) parts.push(h("h3", {}, "Files"), table(["File", "", "Lines"], report.changes.slice(0, 500).map((change) => h("tr", {}, h("td", {}, mono(change.path)), h("td", {}, clean(change.action)), h("td", { class: "n" }, change.added != null ? `+${change.added} −${change.removed}` : "")))));
  else if (report.files?.length) parts.push(h("h3", {}, "Files"), list(report.files.slice(0, 500)));
  if (!parts.length) parts.push(h("p", { class: "soft" }, "Nothing is on record."));
  put("whole-body", parts);
  const ledger = report.ledger ?? { records: 0, ok: true };
  put("ledger-body", h("p", {}, h("span", { class: ledger.ok ? "ok" : "no" }, ledger.ok ? "✓ The chain holds." : "✗ The records cannot be trusted."), ` ${count(ledger.records, "record")}${ledger.head ? ", each carrying the hash of the one before" : ""}; ${count(ledger.seals ?? 0, "sealed punch file")} with ${count(ledger.punches ?? 0, "punch").replace("punchs", "punches")}; ${count(ledger.anchors ?? 0, "commit")} ${ledger.anchors === 1 ? "vouches" : "vouch"} for it.`),
    ledger.head ? h("p", { class: "soft" }, "Last record ", mono(ledger.head)) : null,
    ledger.problems?.length ? h("ul", {}, ledger.problems.map((problem) => h("li", { class: "isolate" }, clip(problem, 500)))) : null);
}

// ── Ways around ──
const find = document.getElementById("find");
let waiting = 0;
find.addEventListener("input", () => { clearTimeout(waiting); waiting = setTimeout(narrow, 120); });
document.getElementById("theme").addEventListener("click", () => {
  const root = document.documentElement, dark = root.dataset.theme ? root.dataset.theme === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
  root.dataset.theme = dark ? "light" : "dark";
});
document.addEventListener("keydown", (event) => {
  const typing = event.target instanceof HTMLInputElement || event.ctrlKey || event.metaKey || event.altKey;
  const dialog = document.getElementById("task");
  if (event.key === "/" && !typing && !dialog.open) { event.preventDefault(); find.focus(); }
  if (dialog.open && !typing && (event.key === "j" || event.key === "k")) {
    const next = current + (event.key === "j" ? 1 : -1);
    if (tasks[next]) location.hash = `#task/${encodeURIComponent(tasks[next].id)}`;
  }
});
let current = -1;
function route() {
  const dialog = document.getElementById("task");
  if (!location.hash.startsWith("#task/")) { if (dialog.open) dialog.close(); return; }
  let id = location.hash.slice(6);
  try { id = decodeURIComponent(id); } catch { /* taken as it stands */ }
  current = at.get(id) ?? -1;
  if (current >= 0) showTask(current); else if (dialog.open) dialog.close();
}
document.getElementById("task").addEventListener("close", () => {
  document.title = clip(report.title || report.plan, 120);
  if (location.hash.startsWith("#task/")) history.replaceState(null, "", location.pathname + location.search + "#tasks");
});
document.getElementById("task").addEventListener("click", (event) => { if (event.target.id === "task") event.target.close(); });
window.addEventListener("hashchange", route);
drawGraph();
narrow();
route();
document.documentElement.dataset.ready = "yes";
