//! A picture: layers of boxes, curved links, the critical path in a stronger line.
//!
//! It stands alone: no script, no font, no style sheet from elsewhere. Layer `n` is round `n` of a plan
//! without containers. Colours are written out for readers that know no style; where the page is dark, a style of its own
//! turns them round.

use crate::to::label::{clean, count, wrap};
use crate::to::look::{CRITICAL, CRITICAL_DARK, LOOKS, look};
use graph::{Critical, Flow, Graph, Layers, Places, Route, WIDTH};
use std::collections::HashSet;
use std::fmt::Write;
use wire::{Plan, Task};

/// Around the whole.
const MARGIN: i64 = 32;
/// Above the boxes, for title and legend.
const HEAD: i64 = 92;
/// The height of a line of text.
const LINE: i64 = 15;
/// The colour of most links.
const GREY: &str = "#8c96a3";
/// The characters that fit in a box.
const LETTERS: usize = 29;

/// The picture.
pub(crate) fn write(plan: &Plan, graph: &Graph) -> String {
    let titles: Vec<Vec<String>> = plan.tasks.iter().map(|task| wrap(&task.title, LETTERS, 3)).collect();
    let heights = titles.iter().map(|lines| 31 + LINE * i64::try_from(lines.len()).unwrap_or(0)).collect();
    let layers = graph.layers();
    let drawing = Drawing { graph, places: Places::new(graph, &layers, heights), layers };
    let critical = Critical::of(graph);
    let mut out = String::new();
    head(&mut out, plan, &drawing);
    for (thick, colour, width, arrow) in
        [(false, GREY, "1.3", "plan-link"), (true, CRITICAL, "2.8", "plan-critical")]
    {
        let _ =
            writeln!(out, "<g class=\"{arrow}\" fill=\"none\" stroke=\"{colour}\" stroke-width=\"{width}\">");
        drawing.links(&mut out, arrow, |route| critical.links(route.from, route.to) == thick);
        out.push_str("</g>\n");
    }
    for (task, i) in plan.tasks.iter().zip(0..) {
        drawing.node(&mut out, task, &titles[i as usize], i, critical.has(i));
    }
    out.push_str("</svg>\n");
    out
}

struct Drawing<'g> {
    graph: &'g Graph,
    layers: Layers,
    places: Places,
}

impl Drawing<'_> {
    /// The links that are wanted, piece by piece; what several links share is drawn once.
    fn links(&self, out: &mut String, arrow: &str, wanted: impl Fn(&Route<'_>) -> bool) {
        let mut drawn = HashSet::new();
        for route in self.layers.routes().filter(wanted) {
            let part = self.graph.parent(route.from) == Some(route.to);
            let ends = route.bends.iter().copied().chain([route.to]);
            for (from, to) in std::iter::once(route.from).chain(route.bends.iter().copied()).zip(ends) {
                let dash = if part { " stroke-dasharray=\"5 4\"" } else { "" };
                if drawn.insert((from, to, part)) {
                    self.link(out, (from, to), dash, arrow);
                }
                if to >= self.graph.len() && drawn.insert((to, to, part)) {
                    let [start, end] = self.places.ports(to).map(|(x, y)| (MARGIN + x, HEAD + y));
                    let _ = writeln!(out, "<path{dash} d=\"M{} {}L{} {}\"/>", start.0, start.1, end.0, end.1);
                }
            }
        }
    }

    /// From where one vertex is left to where another is reached.
    fn link(&self, out: &mut String, (from, to): (u32, u32), dash: &str, arrow: &str) {
        let [_, start] = self.places.ports(from);
        let [end, _] = self.places.ports(to);
        let task = to < self.graph.len();
        // An arrow points straight at its box and ends just before the border.
        let (stop, tip) = if task { (9, 2) } else { (0, 0) };
        let (bow, stop, tip) = match self.places.flow {
            Flow::Right => (((end.0 - start.0) / 2, 0), (stop, 0), (tip, 0)),
            Flow::Down => ((0, (end.1 - start.1) / 2), (0, stop), (0, tip)),
        };
        let [x1, y1] = [MARGIN + start.0, HEAD + start.1];
        let [x2, y2] = [MARGIN + end.0, HEAD + end.1];
        let _ = write!(out, "<path{dash} d=\"M{x1} {y1}C{} {} ", x1 + bow.0, y1 + bow.1);
        let _ = write!(out, "{} {} {} {}", x2 - bow.0, y2 - bow.1, x2 - stop.0, y2 - stop.1);
        if task {
            let _ = write!(out, "L{} {}\" marker-end=\"url(#{arrow})", x2 - tip.0, y2 - tip.1);
        }
        out.push_str("\"/>\n");
    }

    fn node(&self, out: &mut String, task: &Task, title: &[String], i: u32, critical: bool) {
        let look = look(task.state);
        let height = self.places.heights[i as usize];
        let (x, y) = self.places.corner(i);
        let (x, y) = (MARGIN + x, HEAD + y);
        let id = escape(task.id.as_str());
        let _ = writeln!(out, "<g><title>{id}: {} ({})</title>", escape(&task.title), look.name);
        let class = if critical { " plan-on" } else { "" };
        let (line, width) = if critical { (CRITICAL, "2.4") } else { (look.line, "1.4") };
        let dash = if self.graph.is_container(i) { " stroke-dasharray=\"6 4\"" } else { "" };
        let _ = write!(out, "<rect class=\"plan-{}{class}\" x=\"{x}\" y=\"{y}\" ", look.state.word());
        let _ = write!(out, "width=\"{WIDTH}\" height=\"{height}\" rx=\"8\" ");
        let _ = writeln!(out, "fill=\"{}\" stroke=\"{line}\" stroke-width=\"{width}\"{dash}/>", look.fill);
        let short = wrap(task.id.as_str(), 18, 1).concat();
        let _ = write!(
            out,
            "<text x=\"{}\" y=\"{}\" font-weight=\"600\">{}</text>",
            x + 10,
            y + 19,
            escape(&short)
        );
        let _ = write!(out, "<text x=\"{}\" y=\"{}\" font-size=\"10\" ", x + WIDTH - 10, y + 19);
        let _ =
            writeln!(out, "class=\"plan-note\" text-anchor=\"end\" fill=\"#57606a\">{}</text>", look.name);
        for (line, n) in title.iter().zip(0..) {
            let _ =
                writeln!(out, "<text x=\"{}\" y=\"{}\">{}</text>", x + 10, y + 36 + n * LINE, escape(line));
        }
        out.push_str("</g>\n");
    }
}

/// Everything before the links: size, background, title and legend.
fn head(out: &mut String, plan: &Plan, drawing: &Drawing<'_>) {
    let width = (drawing.places.width + 2 * MARGIN).max(720);
    let height = drawing.places.height + HEAD + MARGIN;
    let title = if plan.title.is_empty() { "Plan".to_owned() } else { escape(&plan.title) };
    let _ = write!(
        out,
        "<svg xmlns=\"http://www.w3.org/2000/svg\" role=\"img\" class=\"plan\" width=\"{width}\" height=\"{height}\" "
    );
    let _ =
        write!(out, "viewBox=\"0 0 {width} {height}\" font-family=\"'Helvetica Neue', Arial, sans-serif\" ");
    let _ = writeln!(out, "font-size=\"12\" fill=\"#1f2328\">\n<title>{title}</title>");
    style(out);
    out.push_str("<defs>\n");
    for (name, colour, size) in [("plan-link", GREY, 8), ("plan-critical", CRITICAL, 11)] {
        let _ =
            write!(out, "<marker id=\"{name}\" viewBox=\"0 0 8 8\" refX=\"7\" refY=\"4\" orient=\"auto\" ");
        let _ = write!(out, "markerUnits=\"userSpaceOnUse\" markerWidth=\"{size}\" markerHeight=\"{size}\">");
        let _ =
            writeln!(out, "<path class=\"{name}-tip\" d=\"M0 0.5L8 4L0 7.5z\" fill=\"{colour}\"/></marker>");
    }
    let _ =
        writeln!(out, "</defs>\n<rect class=\"plan-page\" width=\"100%\" height=\"100%\" fill=\"#fbfcfd\"/>");
    let shown = wrap(&plan.title, usize::try_from(width / 10).unwrap_or(60), 1).concat();
    let _ = writeln!(
        out,
        "<text x=\"{MARGIN}\" y=\"36\" font-size=\"18\" font-weight=\"600\">{}</text>",
        escape(&shown)
    );
    legend(out, plan, drawing);
}

/// The colours where the page is dark. Every name begins with `plan`, so that a page that holds the picture keeps its own.
fn style(out: &mut String) {
    out.push_str("<style>@media (prefers-color-scheme: dark) {\n");
    out.push_str(".plan{fill:#e6edf3}.plan-page{fill:#0d1117}.plan .plan-note{fill:#9198a1}\n");
    for look in &LOOKS {
        let (fill, line) = look.dark;
        let _ = writeln!(out, ".plan-{}{{fill:{fill};stroke:{line}}}", look.state.word());
    }
    let _ = writeln!(out, ".plan-link{{stroke:#6e7681}}.plan-link-tip{{fill:#6e7681}}");
    let _ = writeln!(
        out,
        ".plan-critical,.plan-on{{stroke:{CRITICAL_DARK}}}.plan-critical-tip{{fill:{CRITICAL_DARK}}}"
    );
    out.push_str("}</style>\n");
}

/// The states that there are, how many tasks have them, and the critical path.
fn legend(out: &mut String, plan: &Plan, drawing: &Drawing<'_>) {
    let rounds = drawing.graph.view().chains(false).length();
    let mut x = MARGIN;
    for look in &LOOKS {
        let number = plan.tasks.iter().filter(|task| task.state == look.state).count();
        if number > 0 {
            let _ = write!(
                out,
                "<rect class=\"plan-{}\" x=\"{x}\" y=\"51\" width=\"14\" height=\"14\" rx=\"3\" fill=\"{}\" ",
                look.state.word(),
                look.fill
            );
            let _ = write!(out, "stroke=\"{}\" stroke-width=\"1.4\"/>", look.line);
            let _ = writeln!(out, "<text x=\"{}\" y=\"62\">{number} {}</text>", x + 20, look.name);
            let letters = look.name.len() + number.to_string().len();
            x += 42 + 13 * i64::try_from(letters).unwrap_or(0) / 2;
        }
    }
    let _ = write!(
        out,
        "<path class=\"plan-critical\" d=\"M{x} 58H{}\" stroke=\"{CRITICAL}\" stroke-width=\"2.8\"/>",
        x + 22
    );
    let _ = writeln!(
        out,
        "<text x=\"{}\" y=\"62\">critical path: {}</text>",
        x + 28,
        count(rounds as usize, "task")
    );
}

/// For text and attributes of XML; characters that XML forbids are left out, like other invisible ones.
fn escape(text: &str) -> String {
    clean(text).replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}

#[cfg(test)]
mod tests {
    use super::write;
    use crate::to::samples::{hostile, small};

    #[test]
    fn the_small_plan_as_a_picture() {
        let (plan, graph) = small();
        let svg = write(&plan, &graph);
        assert!(svg.starts_with("<svg xmlns=\"http://www.w3.org/2000/svg\" role=\"img\""));
        assert!(svg.contains("<title>2.a: Left (pending)</title>") && svg.contains("critical path: 3 tasks"));
        assert_eq!(svg.matches("rx=\"8\"").count(), 4);
        assert_eq!(svg.matches("<path stroke-dasharray").count(), 1);
    }

    #[test]
    fn tags_balance_whatever_the_labels_say() {
        let (plan, graph) = hostile();
        let svg = write(&plan, &graph);
        for tag in ["g", "text", "title", "svg", "marker"] {
            let opened = svg.matches(&format!("<{tag} ")).count() + svg.matches(&format!("<{tag}>")).count();
            assert_eq!(opened, svg.matches(&format!("</{tag}>")).count(), "{tag}");
        }
        assert!(!svg.contains(|c: char| c.is_control() && c != '\n') && !svg.contains("<b>"));
    }
}
