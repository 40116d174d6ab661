//! `punch --hook`: one answer to the hooks of Claude Code, Codex and Gemini, which share one envelope.
//!
//! A call that the card forbids is refused before it happens, with exit 2 and the reason on standard error: that is
//! the one form that all three obey. An agent that wants to stop with rows missing is sent back once; when
//! `stop_hook_active` says that it was held up before, it may go, and the checkpoint from outside decides. Nothing is
//! written down: not the event, not the environment.

use crate::args::{Args, Held};
use crate::card::Card;
use crate::case::Case;
use crate::class;
use crate::deed::{Deed, Moment};
use crate::judge::Judge;
use crate::mint::Named;
use crate::row::{Row, Use};
use crate::scope::Scope;
use crate::shop::Shop;
use serde::Deserialize;
use serde_json::value::RawValue;
use std::path::{Path, PathBuf};
use toolkit::config::ConfigArgs;
use toolkit::input::Input;
use toolkit::{Exit, Fail, root, tool};
use transcripts::Call;
use wire::order::CardStatus;

/// What a hook is told; fields come and go between clients and versions.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct Event {
    hook_event_name: String,
    tool_name: String,
    tool_input: Option<Box<RawValue>>,
    cwd: Option<PathBuf>,
    transcript_path: Option<PathBuf>,
    /// Set where an agent below the main one asks.
    agent_id: Option<String>,
    stop_hook_active: bool,
}

/// What is to happen.
enum Answer {
    Go,
    /// Not so, and why.
    No(String),
}

/// Reads one event and answers it.
pub(crate) fn run(args: &Args) -> Result<Exit, Fail> {
    let answer = match read(&Input::open(None)?.bytes()?) {
        Ok(event) => answer(args, &event)?,
        Err(why) => Answer::No(why),
    };
    match answer {
        Answer::Go => Ok(Exit::Ok),
        Answer::No(why) => {
            tool::note(&format!("punch: {why}"));
            // The clients' own word for "blocked"; what went wrong otherwise has other codes, which let the call pass.
            Ok(Exit::Usage)
        }
    }
}

fn read(bytes: &[u8]) -> Result<Event, String> {
    if !bytes.trim_ascii_start().starts_with(b"{") {
        return Err("the hook's input is no event, so nothing is known about the call".to_owned());
    }
    let event = serde_json::from_slice(bytes).or_else(|e| {
        let mended = transcripts::mended(bytes).ok_or(e)?;
        serde_json::from_slice(&mended)
    });
    event.map_err(|e| format!("the hook's input is no event, so nothing is known about the call: {e}"))
}

/// An event held against every card of a configuration.
pub(crate) fn try_event(bytes: &[u8], cards: &[Card]) {
    let Ok(event) = read(bytes) else { return };
    for card in cards {
        before(card, &event, &transcripts::Kinds::default(), Path::new("/"));
    }
}

fn answer(args: &Args, event: &Event) -> Result<Answer, Fail> {
    let folder = event.cwd.clone().unwrap_or_else(|| PathBuf::from("."));
    let root = root::find(&folder)?;
    let held = Held {
        cards: args.cards.clone(),
        pre_exit: true,
        config: ConfigArgs { config: args.config.clone() },
    };
    match event.hook_event_name.as_str() {
        "PreToolUse" | "BeforeTool" => {
            let config = held.config.load(&root)?;
            let cards = crate::card::Cards::load(&config, &held.cards)?;
            let Some(name) = args.card.clone().or(config.defaults.card.clone()) else {
                return Ok(Answer::Go);
            };
            Ok(before(&held.card_of(&cards, &name)?, event, &crate::shop::kinds(&config)?, &root))
        }
        "Stop" | "AfterAgent" if !event.stop_hook_active => {
            let shop = Shop::open(&root, &held.config, &held.cards)?;
            let Some(name) = args.card.clone().or(shop.config.defaults.card.clone()) else {
                return Ok(Answer::Go);
            };
            stop(&shop, held.card_of(&shop.cards, &name)?, event)
        }
        _ => Ok(Answer::Go),
    }
}

/// Refuses a call that a row forbids.
fn before(card: &Card, event: &Event, kinds: &transcripts::Kinds, root: &Path) -> Answer {
    let input = event.tool_input.as_ref().map_or("{}", |input| input.get());
    let mut call = Call::of_hook(&event.tool_name, input);
    kinds.mark(&mut call);
    call.agent = event.agent_id.clone().unwrap_or_default();
    let deed = Deed::of(&call, Moment::default());
    let root = root.display().to_string();
    let forbids = |row: &&Row| row.enforced && row.used() == Use::Forbidden && row.hit(&deed, &root);
    match card.rows.iter().find(forbids) {
        None => Answer::Go,
        Some(row) => {
            let why = row.description.as_ref().map(|text| format!(" ({text})")).unwrap_or_default();
            Answer::No(format!(
                "card '{}' forbids {}{why}: '{}' is refused",
                card.name,
                row.shown(),
                call.name
            ))
        }
    }
}

/// Sends an agent back that has rows missing. Without a record to look at there is nothing to say.
fn stop(shop: &Shop, card: Card, event: &Event) -> Result<Answer, Fail> {
    let Some(path) = event.transcript_path.clone() else { return Ok(Answer::Go) };
    // Checks are run when the worker has ended: their rows are not its to meet now.
    let mut card = card;
    for row in card.rows.iter_mut().filter(|row| row.origin() == crate::row::Origin::Ledger) {
        row.enforced = false;
    }
    let scope = Scope::default();
    let transcripts = [Named { path, session: None, client: None }];
    let case = Case {
        home: &shop.home,
        scope: &scope,
        book: &shop.book,
        kinds: &shop.kinds,
        transcripts: &transcripts,
        claims: &[],
        tree: None,
        now: None,
        plan: None,
        batch: None,
    };
    let judge = Judge::new(card, &shop.home.root().display().to_string());
    let card = case.judge(judge, &mut |_, _| Ok(()))?.card;
    Ok(match card.status {
        CardStatus::Fail => {
            let halt = class::Class::of(&card, &[]).halt(&card, &[]);
            Answer::No(halt.map(|halt| halt.message).unwrap_or_default())
        }
        _ => Answer::Go,
    })
}
