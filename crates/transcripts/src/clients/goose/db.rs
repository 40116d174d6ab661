//! goose: the database, with tables `sessions` and `messages`.
//!
//! Messages of a sub-agent are stored before the answer of the call that started it; this order is kept.

use crate::Source;
use crate::calls::record::keep;
use crate::client::database::{fail, has_tables, marks, open};
use crate::client::{no_session, several};
use crate::clients::goose::{Block, Model, Reader};
use crate::json::lenient::{Items, Maybe};
use crate::json::mend;
use rusqlite::{Connection, OptionalExtension, params_from_iter};
use std::path::Path;
use toolkit::Fail;
use wire::order::Tokens;

pub(crate) fn is_ours(path: &Path) -> bool {
    has_tables(path, &["sessions", "messages"])
}

pub(crate) fn read(source: &Source<'_>, reader: &mut Reader<'_>) -> Result<(), Fail> {
    let bad = |error| fail(source.path, &error);
    let database = open(source.path)?;
    let root = match source.session {
        Some(session) => {
            id_of(&database, session).map_err(bad)?.ok_or_else(|| no_session(source.path, session))?
        }
        None => only_root(&database, source.path)?,
    };
    session(&database, &root, reader).map_err(bad)?;
    let family = family(&database, root).map_err(bad)?;
    for id in &family {
        tokens(&database, id, reader).map_err(bad)?;
    }
    rows(&database, &family, reader).map_err(bad)
}

fn only_root(database: &Connection, path: &Path) -> Result<String, Fail> {
    let bad = |error| fail(path, &error);
    let sql = "select count(*), min(id) from sessions where session_type <> 'sub_agent'";
    let (count, id): (i64, Option<String>) =
        database.query_row(sql, [], |row| Ok((row.get(0)?, row.get(1)?))).map_err(bad)?;
    id.filter(|_| count == 1).ok_or_else(|| several(path, count))
}

/// The session with this id, or the only session with this name.
fn id_of(database: &Connection, session: &str) -> rusqlite::Result<Option<String>> {
    let by_id = "select id from sessions where id = ?1";
    let by_name = "select min(id) from sessions where name = ?1 having count(*) = 1";
    for sql in [by_id, by_name] {
        if let Some(id) = database.query_row(sql, [session], |row| row.get(0)).optional()? {
            return Ok(Some(id));
        }
    }
    Ok(None)
}

/// Reads the session's own fields.
fn session(database: &Connection, id: &str, reader: &mut Reader<'_>) -> rusqlite::Result<()> {
    let sql = "select goose_mode, model_config_json, accumulated_cost from sessions where id = ?1";
    database.query_row(sql, [id], |row| {
        let model: Option<String> = row.get(1)?;
        let model: Model<'_> = serde_json::from_str(model.as_deref().unwrap_or_default()).unwrap_or_default();
        keep(&mut reader.record.model, model.model_name.get());
        reader.record.mode = row.get(0)?;
        reader.record.cost = row.get(2)?;
        Ok(())
    })?;
    reader.record.session_id = Some(id.to_owned());
    Ok(())
}

/// Adds a session's tokens; earlier versions have fewer columns for them.
fn tokens(database: &Connection, id: &str, reader: &mut Reader<'_>) -> rusqlite::Result<()> {
    let sql = "select * from sessions where id = ?1";
    let used = database.query_row(sql, [id], |row| {
        let count = |name: &str| {
            let number = row.get::<_, Option<i64>>(name).ok().flatten().unwrap_or_default();
            u64::try_from(number).unwrap_or_default()
        };
        Ok(Tokens {
            input: count("accumulated_input_tokens"),
            output: count("accumulated_output_tokens"),
            cached: count("accumulated_cache_read_tokens"),
        })
    });
    reader.record.used(used.optional()?);
    Ok(())
}

/// The session and, recursively, the sessions that its answers name.
fn family(database: &Connection, root: String) -> rusqlite::Result<Vec<String>> {
    let sql = "select content_json from messages where session_id = ?1 order by id";
    let mut statement = database.prepare(sql)?;
    let mut family = vec![root];
    let mut next = 0;
    while let Some(id) = family.get(next).cloned() {
        next += 1;
        let mut rows = statement.query([&id])?;
        while let Some(row) = rows.next()? {
            let blocks: Items<Maybe<Block<'_>>> =
                serde_json::from_slice(row.get_ref(0)?.as_bytes()?).unwrap_or_default();
            for child in blocks.objects().filter_map(Block::child) {
                if !family.contains(&child) {
                    family.push(child);
                }
            }
        }
    }
    Ok(family)
}

fn rows(database: &Connection, family: &[String], reader: &mut Reader<'_>) -> rusqlite::Result<()> {
    let marks = marks(family.len());
    let sql = format!(
        "select session_id, role, content_json, created_timestamp from messages
         where session_id in ({marks}) order by id"
    );
    let mut statement = database.prepare(&sql)?;
    let mut rows = statement.query(params_from_iter(family))?;
    let mut number = 0;
    while let Some(row) = rows.next()? {
        number += 1;
        let session = row.get_ref(0)?.as_str()?;
        let main = family.first().is_some_and(|root| root == session);
        reader.agent = if main { String::new() } else { session.to_owned() };
        let own = row.get_ref(1)?.as_str()? == "assistant";
        let at = row.get::<_, Option<i64>>(3)?.map(|seconds| seconds.to_string());
        let mut room = Vec::new();
        match mend::read(row.get_ref(2)?.as_bytes()?, &mut room) {
            Some(blocks) => reader.blocks(number, own, at.as_deref(), &blocks),
            None => reader.record.unknown += 1,
        }
    }
    Ok(())
}
