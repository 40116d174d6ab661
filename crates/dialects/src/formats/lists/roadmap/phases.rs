//! The sections that describe phases: `### Phase 2.1: … (INSERTED)`.

use crate::deps::dangling::simple;
use crate::lists::chapters;
use crate::sections::units::{self, Rank};
use crate::sections::{Role, Sections};
use markdown::{Extent, Outline, marks};

/// One section.
pub(super) struct PhaseSection<'o> {
    /// The number without zeros.
    pub(super) number: String,
    /// The number as written.
    pub(super) id: String,
    pub(super) title: &'o str,
    pub(super) head: Extent,
    /// The heading and everything below it.
    pub(super) at: Extent,
    /// The text behind `**Depends on**:`.
    pub(super) waits: Option<Extent>,
    /// The text behind `**Plans**:`.
    pub(super) plans: Option<Extent>,
    /// The word behind `**Status**:`.
    pub(super) status: Option<Extent>,
    /// Whether it has a field or a box, so that it is more than a title.
    pub(super) is_filled: bool,
}

/// All such sections, in document order.
pub(super) fn find<'o>(outline: &'o Outline, sections: &Sections<'o>) -> Vec<PhaseSection<'o>> {
    let list = sections.list().iter();
    let list = list.filter(|section| {
        !matches!(section.role, Role::Order | Role::Design | Role::Notes | Role::Legend | Role::Examples)
    });
    list.filter_map(|section| {
        let unit =
            units::unit(marks::without_signs(section.title)).filter(|unit| unit.rank == Rank::Phase)?;
        if !unit.parted && !unit.title.is_empty() && !unit.title.starts_with('(') {
            return None;
        }
        let head = outline.headings_in(section.at).first()?.at;
        let own = section.own();
        let field = |names: &[&str]| {
            let mut lines = outline.lines_in(own).filter(|line| line.veil.is_none());
            lines.find_map(|line| value(outline, line.at, names))
        };
        let (waits, plans) = (field(WAITS), field(&["plans", "plan"]));
        let boxed = outline.items_in(section.at).iter().any(|item| item.mark.is_some() && !item.quoted);
        Some(PhaseSection {
            number: simple(&unit.id),
            id: unit.id,
            title: unit.title,
            head,
            at: section.at,
            waits,
            plans,
            status: chapters::own_status(outline, head, section.at),
            is_filled: boxed || waits.is_some() || plans.is_some() || field(&["goal"]).is_some(),
        })
    })
    .collect()
}

const WAITS: &[&str] = &["depends on", "dependencies", "dependency", "depends", "blocked by"];

/// The text behind one of the labels.
fn value(outline: &Outline, line: Extent, names: &[&str]) -> Option<Extent> {
    let text = outline.str(line);
    let (name, rest) = text.split_once([':', '：'])?;
    let name = name.trim_matches(['*', '_', '-', ' ', '\t']).to_lowercase();
    let rest = rest.trim_start_matches(['*', '_', ' ']);
    names.contains(&name.as_str()).then(|| Extent { start: line.end - rest.len(), end: line.end })
}
