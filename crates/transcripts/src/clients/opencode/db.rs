//! opencode from 1.2 and Kilo CLI: the database, with tables `session`, `message` and `part`.

use crate::Source;
use crate::client::database::{fail, has_tables, marks, open};
use crate::client::{no_session, several};
use crate::clients::opencode::{Info, Part, Reader, Session};
use crate::json::lenient::Word;
use crate::json::mend;
use rusqlite::{Connection, params_from_iter};
use std::collections::HashMap;
use std::path::Path;
use toolkit::Fail;

pub(crate) fn is_ours(path: &Path) -> bool {
    has_tables(path, &["session", "message", "part"])
}

pub(crate) fn read(source: &Source<'_>, reader: &mut Reader<'_>) -> Result<(), Fail> {
    let database = open(source.path)?;
    let family = family(&database, source)?;
    rows(&database, &family, reader).map_err(|error| fail(source.path, &error))
}

/// The requested session and those below it: id and parent.
type Family = HashMap<String, Option<String>>;

fn family(database: &Connection, source: &Source<'_>) -> Result<Family, Fail> {
    let bad = |error| fail(source.path, &error);
    let root = match source.session {
        Some(id) => id.to_owned(),
        None => only_root(database, source.path)?,
    };
    let sql = "with recursive family(id, parent_id) as (
        select id, parent_id from session where id = ?1
        union select session.id, session.parent_id from session join family on session.parent_id = family.id
    ) select id, parent_id from family";
    let mut statement = database.prepare(sql).map_err(bad)?;
    let rows = statement.query_map([&root], |row| Ok((row.get(0)?, row.get(1)?))).map_err(bad)?;
    let family = rows.collect::<Result<Family, _>>().map_err(bad)?;
    if family.is_empty() { Err(no_session(source.path, &root)) } else { Ok(family) }
}

fn only_root(database: &Connection, path: &Path) -> Result<String, Fail> {
    let bad = |error| fail(path, &error);
    let sql = "select id from session where parent_id is null limit 2";
    let mut statement = database.prepare(sql).map_err(bad)?;
    let ids = statement.query_map([], |row| row.get(0)).map_err(bad)?;
    let ids = ids.collect::<Result<Vec<String>, _>>().map_err(bad)?;
    let sql = "select count(*) from session where parent_id is null";
    let count: i64 = database.query_row(sql, [], |row| row.get(0)).map_err(bad)?;
    match <[String; 1]>::try_from(ids) {
        Ok([only]) => Ok(only),
        Err(_) => Err(several(path, count)),
    }
}

fn rows(database: &Connection, family: &Family, reader: &mut Reader<'_>) -> rusqlite::Result<()> {
    let marks = marks(family.len());
    let sql = format!(
        "select part.session_id, part.message_id, part.data, message.data from part
         left join message on message.id = part.message_id
         where part.session_id in ({marks}) order by part.id"
    );
    let mut statement = database.prepare(&sql)?;
    let mut rows = statement.query(params_from_iter(family.keys()))?;
    let mut number = 0;
    let mut latest = String::new();
    let mut own = false;
    while let Some(row) = rows.next()? {
        number += 1;
        let session = row.get_ref(0)?.as_str()?;
        let parent = family.get(session).and_then(Option::as_deref);
        reader.session(&Session {
            id: Word::from(session),
            parent: parent.map(Word::from).unwrap_or_default(),
        });
        let message = row.get_ref(1)?.as_str()?;
        if message != latest {
            message.clone_into(&mut latest);
            let data = row.get_ref(3)?.as_bytes_or_null()?.unwrap_or_default();
            own = mend::read::<Info<'_>>(data, &mut Vec::new()).is_some_and(|info| reader.info(&info));
        }
        let mut room = Vec::new();
        match mend::read::<Part<'_>>(row.get_ref(2)?.as_bytes()?, &mut room) {
            Some(part) => reader.part(number, own, &part),
            None => reader.record.unknown += 1,
        }
    }
    Ok(())
}
