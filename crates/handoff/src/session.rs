//! The chain of thinking sessions, before any worker starts: whole, of this task, and begun by a preparation that is
//! what it must be.

use sessions::{Place, Ready, position};
use std::path::Path;
use toolkit::Fail;
use toolkit::config::Config;
use toolkit::stage::Desk;
use wire::{Order, Plan};

/// Why no worker may start; nothing where one may, or where the plan keeps no sessions.
pub(crate) fn refuse(
    desk: &Desk,
    order: &Order,
    plan: &Plan,
    config: &Config,
) -> Result<Option<(&'static str, String)>, Fail> {
    let Ok(place) = Place::of(plan, Path::new(&order.plan.root))? else { return Ok(None) };
    Ok(match place.ready(position(plan, &order.task), config.sessions, &desk.clock.now())? {
        Ready::Yes(_) => None,
        Ready::No { code, message } => Some((code, message)),
    })
}
