//! Work that was brought in from a tree of its own: whether it is still in the main tree as it came.

use crate::tick::Refusal;
use toolkit::git::Git;
use toolkit::landing::Landing;
use toolkit::root::Home;
use toolkit::{Fail, snapshot};
use wire::Order;

/// The code word where it was taken back.
pub(crate) const LOST: &str = "landing-lost";
/// The code word where somebody changed it.
pub(crate) const MOVED: &str = "tree-moved";

/// Whether several runs share the plan, so that another may take it back.
pub(crate) fn is_shared(order: &Order) -> bool {
    order.land.is_some() && order.worker.as_ref().is_some_and(|w| w.hold.is_some())
}

/// Why it must not be ticked, whatever the checks said: then they were about something else.
pub(crate) fn refusal(order: &Order, home: &Home) -> Result<Option<Refusal>, Fail> {
    let Some(land) = &order.land else { return Ok(None) };
    let landing = Landing::read(home)?.filter(|landing| landing.is_of(order));
    let Some(landing) = landing else {
        let message = "its work was taken back before it was proved: its turn had run out".to_owned();
        return Ok(is_shared(order).then_some((LOST, message)));
    };
    if land.skipped.is_some() {
        return Ok(None);
    }
    let git = Git::new(home.clone());
    let now = snapshot::take(&git, git.head()?.as_deref())?;
    let changed = snapshot::changed(&git, &landing.after, &now)?;
    let moved = changed.into_iter().map(|(path, _)| path).find(|path| landing.files.contains(path));
    let message = |path| {
        format!("'{path}' changed in the main tree after the work was brought in, and before its checks")
    };
    Ok(moved.map(|path| (MOVED, message(path))))
}
