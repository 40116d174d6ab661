//! `conductor`: a tracks.md of Conductor, one box for each track with a link to its folder.
//!
//! A track is a heading `## [ ] Track: …` or an item `- [ ] **Track: …**`; its id is the folder of its link. `~` means in
//! progress.

use crate::criteria::locate::{self, Purpose};
use crate::deps::{named, strategy};
use crate::dialect::{PLAIN, SURE};
use crate::lists::items;
use crate::read::fingerprint;
use crate::states::decoration;
use crate::{Dialect, Plan, Shape};
use markdown::{Extent, Outline, links};
use memchr::memmem;
use wire::plan::Model;
use wire::{Task, TaskId, ids};

/// The row in the table.
pub(crate) const DIALECT: Dialect = Dialect {
    name: "conductor",
    about: "tracks.md of Conductor: tracks with a link to their folder",
    model: Model::Sequential,
    shapes: &[Shape::Markdown { detect, read }],
    ..PLAIN
};

/// What the link of a track leads into.
const FOLDERS: [&str; 2] = ["tracks/", "archive/"];

/// A box and everything up to the next.
struct Track {
    at: Extent,
    mark: Extent,
    line: Extent,
}

fn detect(outline: &Outline) -> u32 {
    let linked = FOLDERS.iter().any(|folder| memmem::find(outline.bytes, folder.as_bytes()).is_some());
    let tracks = if linked { tracks(outline) } else { Vec::new() };
    let named = |track: &Track| title(outline.str(track.line)).1;
    let linked = |track: &Track| folder(outline, track).is_some();
    let told = tracks.iter().filter(|track| linked(track) || named(track)).count();
    if tracks.is_empty() || told * 2 <= tracks.len() || !tracks.iter().any(linked) {
        return 0;
    }
    // A boxed heading is a task of another format, unless it is a track with its folder.
    let heads = outline.headings.iter().filter(|head| head.mark.is_some() && !head.inner);
    let mut heads = heads.map(|head| outline.str(head.at));
    let all = heads.all(|text| text.contains("Track"));
    if all { SURE } else { 64 }
}

/// The outermost boxes of headings and items.
fn tracks(outline: &Outline) -> Vec<Track> {
    let heads = outline.headings.iter().filter(|head| head.atx && !head.inner);
    let heads = heads.filter_map(|head| {
        let mark = head.mark?;
        Some((head.at.start, mark, outline.trimmed(Extent { start: mark.end + 1, end: head.at.end })))
    });
    let items = outline.items.iter().filter(|item| !item.quoted && item.depth == 0);
    let items = items.filter_map(|item| Some((item.at.start, item.mark?, items::line_of(outline, item))));
    let mut found: Vec<(usize, Extent, Extent)> = heads.chain(items).collect();
    found.sort_unstable_by_key(|(start, ..)| *start);
    // A track ends before the next box, heading or rule.
    let rules = outline.headings.iter().filter(|head| head.atx && !head.inner).map(|head| head.at.start);
    let mut ends: Vec<usize> =
        found.iter().map(|(start, ..)| *start).chain(rules).chain([outline.bytes.len()]).collect();
    ends.sort_unstable();
    found
        .into_iter()
        .map(|(start, mark, line)| {
            let next = ends.partition_point(|end| *end <= start);
            let end = ends.get(next).copied().unwrap_or(outline.bytes.len());
            let text = outline.str(Extent { start, end });
            let cut = text.find("\n---").unwrap_or(text.len());
            Track { at: outline.trimmed(Extent { start, end: start + cut }), mark, line }
        })
        .collect()
}

/// The title, and whether it says that it is a track.
fn title(text: &str) -> (String, bool) {
    let bare = text.trim().trim_start_matches(['*', '_']);
    let rest = bare.strip_prefix("Track:").or_else(|| bare.strip_prefix("Track "));
    let title = decoration::without(rest.unwrap_or(bare).trim()).into_owned();
    let bold = title.matches("**").count() % 2 == 1;
    let title = if bold { title.replacen("**", "", 1) } else { title };
    (title.trim_matches([' ', '_']).to_owned(), rest.is_some())
}

/// The folder that the link of a track leads to.
fn folder(outline: &Outline, track: &Track) -> Option<(String, String)> {
    let text = outline.str(track.at);
    let link = links::links(text)
        .into_iter()
        .map(|link| text.get(link.target.start..link.target.end).unwrap_or_default());
    let target = link.into_iter().find(|target| FOLDERS.iter().any(|folder| target.contains(folder)))?;
    let path = target.split('#').next().unwrap_or_default().trim_end_matches('/');
    let path =
        path.strip_suffix(".md").and_then(|path| path.rsplit_once('/')).map_or(path, |(folder, _)| folder);
    let name =
        path.rsplit('/').next().filter(|name| !name.is_empty() && !matches!(*name, "tracks" | "archive"))?;
    Some((name.to_owned(), target.to_owned()))
}

fn read(outline: &Outline) -> Plan {
    let tracks = tracks(outline);
    let mut plan = Plan { title: markdown::outline::title(outline), ..Plan::default() };
    plan.strategy = Some(strategy::unstated(Model::Sequential));
    let folders: Vec<Option<(String, String)>> = tracks.iter().map(|track| folder(outline, track)).collect();
    let own: Vec<Option<&str>> =
        folders.iter().map(|folder| folder.as_ref().map(|(name, _)| name.as_str())).collect();
    for ((track, id), folder) in tracks.iter().zip(named::ids(&own)).zip(&folders) {
        let state = items::state(outline, track.mark, track.line, &mut plan.diagnostics);
        let mut task = Task {
            key: ids::key_of(&id),
            id: TaskId(id),
            title: title(outline.str(track.line)).0,
            state,
            state_from: Some(outline.place(track.mark.start)),
            references: folder.iter().map(|(_, target)| target.clone()).collect(),
            span: outline.span(track.at),
            mark: Some(outline.span(track.mark)),
            fingerprint: fingerprint::with_boxes(outline, track.at, &[track.mark], track.line, &[]),
            ..Task::default()
        };
        let below = Extent { start: track.line.end, end: track.at.end.max(track.line.end) };
        locate::add(&mut task, "", locate::find(outline, below, Purpose::Description, &[]));
        plan.tasks.push(task);
    }
    items::hidden(outline, &mut plan.diagnostics);
    plan
}
