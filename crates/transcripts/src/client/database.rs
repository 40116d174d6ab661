//! Databases of clients, opened read-only, including their write-ahead log.

use rusqlite::{Connection, OpenFlags};
use std::path::Path;
use toolkit::{Exit, Fail};

/// Opens a database read-only.
pub(crate) fn open(path: &Path) -> Result<Connection, Fail> {
    let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let connection = Connection::open_with_flags(path, flags).map_err(|error| fail(path, &error))?;
    // A client may be writing at this moment.
    connection.busy_timeout(std::time::Duration::from_secs(5)).map_err(|error| fail(path, &error))?;
    Ok(connection)
}

/// Whether the database has all these tables.
pub(crate) fn has_tables(path: &Path, names: &[&str]) -> bool {
    let Ok(connection) = open(path) else { return false };
    let sql = "select count(*) from sqlite_master where type = 'table' and name = ?1";
    names
        .iter()
        .all(|name| connection.query_row(sql, [name], |row| row.get::<_, i64>(0)).is_ok_and(|n| n > 0))
}

/// `?,?,?` for a list of this many values.
pub(crate) fn marks(count: usize) -> String {
    vec!["?"; count].join(",")
}

pub(crate) fn fail(path: &Path, error: &rusqlite::Error) -> Fail {
    use rusqlite::ErrorCode::{DatabaseBusy, DatabaseCorrupt, DatabaseLocked, NotADatabase};
    let (exit, code) = match error.sqlite_error_code() {
        Some(DatabaseBusy | DatabaseLocked) => (Exit::Busy, "database-busy"),
        Some(NotADatabase | DatabaseCorrupt) => (Exit::Data, "not-a-transcript"),
        _ => (Exit::Io, "database"),
    };
    Fail::new(exit, code, error.to_string().to_lowercase()).in_file(path)
}
