//! `punch --hook`: one answer to the hooks of Claude Code, Codex and Gemini, which share one envelope.
//!
//! A call that the card forbids is refused before it happens, with exit 2 and the reason on standard error: the only
//! form that all three obey. An agent that wants to stop with rows missing is sent back once; if `stop_hook_active`
//! says that it was stopped before, it may go, and the checkpoint from outside decides. Nothing is stored: neither
//! the event nor the environment.

use crate::args::{Args, Held};
use crate::cards::card::Card;
use crate::cards::row::{Row, Use};
use crate::checkpoint::class;
use crate::checkpoint::judge::Judge;
use crate::checkpoint::shop::Shop;
use crate::evidence::case::Case;
use crate::evidence::deed::{Deed, Moment};
use crate::evidence::mint::Named;
use crate::evidence::scope::Scope;
use config::ConfigArgs;
use serde::Deserialize;
use serde_json::value::RawValue;
use std::path::{Path, PathBuf};
use toolkit::cli::tool;
use toolkit::files::root;
use toolkit::stream::input::Input;
use toolkit::{Exit, Fail};
use transcripts::Call;
use wire::order::CardStatus;

/// The input of a hook; fields vary between clients and versions.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct Event {
    hook_event_name: String,
    tool_name: String,
    tool_input: Option<Box<RawValue>>,
    cwd: Option<PathBuf>,
    transcript_path: Option<PathBuf>,
    /// Set if a sub-agent asks.
    agent_id: Option<String>,
    stop_hook_active: bool,
}

/// The decision.
enum Answer {
    Go,
    /// Refused, and why.
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
            // The clients' exit code for "blocked"; other failures have other codes, which let the call pass.
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

/// Checks an event against every card of a configuration.
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
            let cards = crate::cards::card::Cards::load(&config, &held.cards)?;
            let Some(name) = args.card.clone().or(config.defaults.card.clone()) else {
                return Ok(Answer::Go);
            };
            Ok(before(&held.card_of(&cards, &name)?, event, &crate::checkpoint::shop::kinds(&config)?, &root))
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

/// Sends back an agent with missing rows. Without a record there is no decision.
fn stop(shop: &Shop, card: Card, event: &Event) -> Result<Answer, Fail> {
    let Some(path) = event.transcript_path.clone() else { return Ok(Answer::Go) };
    // Checks run after the worker has ended, so it cannot satisfy their rows now.
    let mut card = card;
    for row in card.rows.iter_mut().filter(|row| row.origin() == crate::cards::row::Origin::Ledger) {
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
        level: None,
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
