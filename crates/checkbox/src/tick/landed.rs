//! Work that was landed from its own tree: whether it is still in the main tree unchanged.

use crate::tick::Refusal;
use repo::git::{Call, Git};
use repo::landing::Landing;
use repo::tree::Tree;
use std::collections::HashMap;
use toolkit::Fail;
use toolkit::files::root::Home;
use wire::Order;

/// The code word if it was undone.
pub(crate) const LOST: &str = "landing-lost";
/// The code word if it was changed.
pub(crate) const MOVED: &str = "tree-moved";

/// Whether several runs share the plan, so that another may undo the landing.
pub(crate) fn is_shared(order: &Order) -> bool {
    order.land.is_some() && order.worker.as_ref().is_some_and(|w| w.hold.is_some())
}

/// The landing of an order's work, or why it must not be ticked: it was undone.
pub(crate) fn of(order: &Order, home: &Home) -> Result<Result<Option<Landing>, Refusal>, Fail> {
    if order.land.as_ref().is_none_or(|land| land.skipped.is_some()) && !is_shared(order) {
        return Ok(Ok(None));
    }
    let landing = Landing::read(home)?.filter(|landing| landing.is_of(order));
    if landing.is_none() && is_shared(order) {
        let message = "its work was taken back before its checks had passed: its turn had run out".to_owned();
        return Ok(Err((LOST, message)));
    }
    Ok(Ok(landing))
}

/// Why it must not be ticked, whatever the checks' results: a file differs from what was landed, so the checks were
/// about another file.
pub(crate) fn moved(
    landing: Option<&Landing>,
    home: &Home,
    now: Option<&Tree>,
) -> Result<Option<Refusal>, Fail> {
    let Some((landing, now)) = landing.filter(|landing| !landing.files.is_empty()).zip(now) else {
        return Ok(None);
    };
    let listed = Git::new(home.clone()).run(&Call::of(&["ls-tree", "-r", "-z", &landing.after]))?.out;
    let listed = String::from_utf8_lossy(&listed).into_owned();
    // `mode type object`, a tab, and the path.
    let came: HashMap<&str, String> = listed
        .split('\0')
        .filter_map(|entry| entry.split_once('\t'))
        .filter_map(|(what, path)| {
            let mut words = what.split(' ');
            Some((path, format!("{} {} 0", words.next()?, words.nth(1)?)))
        })
        .collect();
    let differs = |path: &&String| came.get(path.as_str()) != now.entries.get(path.as_str());
    Ok(landing.files.iter().find(differs).map(|path| {
        let when = "after the work was brought in, and before its checks";
        (MOVED, format!("'{path}' changed in the main tree {when}"))
    }))
}
