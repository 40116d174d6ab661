//! From the bytes of a file to a checked plan.

use crate::{Outline, Plan, checks, dialect};
use std::fs;
use std::path::Path;
use toolkit::{Exit, Fail, sha};
use wire::plan::{SCHEMA, Severity, Source, SourceFile};

/// The text of a plan.
#[derive(Debug, Clone, Copy)]
pub struct Text<'a> {
    /// The file as seen from the root.
    pub path: &'a str,
    /// Its bytes, as they are on disk.
    pub bytes: &'a [u8],
}

/// Reads a plan: finds its dialect, reads it, checks what must hold for every plan.
///
/// What is wrong with the tasks themselves comes back as diagnostics ([`errors`] turns them into a failure); a
/// text that is no plan, or a plan without a task, is a failure at once.
pub fn read(text: &Text, dialect: Option<&str>) -> Result<Plan, Fail> {
    let outline = Outline::new(text);
    let dialect = dialect::choose(&outline, dialect)?;
    let mut plan = (dialect.read)(&outline);
    let sha256 = sha::hex(text.bytes);
    SCHEMA.clone_into(&mut plan.schema);
    plan.source = Source {
        path: text.path.to_owned(),
        dialect: dialect.name.to_owned(),
        files: vec![SourceFile { path: text.path.to_owned(), sha256: sha256.clone() }],
        sha256,
        root: String::new(),
    };
    checks::check(&mut plan)?;
    Ok(plan)
}

/// Reads the plan in a file; its path is given as seen from `root`.
pub fn open(file: &Path, root: &Path, dialect: Option<&str>) -> Result<Plan, Fail> {
    if file.is_dir() {
        let message = "is a folder: no dialect that is a folder can be read yet";
        return Err(Fail::data("is-a-folder", message).in_file(file));
    }
    let bytes = fs::read(file).map_err(|error| Fail::io(file, &error))?;
    let path = from_root(file, root);
    let mut plan = read(&Text { path: &path, bytes: &bytes }, dialect)?;
    plan.source.root = root.to_string_lossy().into_owned();
    Ok(plan)
}

/// The first error among the diagnostics as a failure, with how many more there are.
pub fn errors(plan: &Plan) -> Option<Fail> {
    let mut errors = plan.diagnostics.iter().filter(|found| found.severity == Severity::Error);
    let first = errors.next()?;
    let more = match errors.count() {
        0 => String::new(),
        1 => " (and 1 more error)".to_owned(),
        n => format!(" (and {n} more errors)"),
    };
    let code = checks::code_word(&first.code);
    Some(Fail::new(Exit::Data, code, format!("{}{more}", first.message)).at(first.path.clone(), first.line))
}

fn from_root(file: &Path, root: &Path) -> String {
    let full = |path: &Path| fs::canonicalize(path).unwrap_or_else(|_| path.to_path_buf());
    // The file's own name is kept even where it is a link: spans and ticks concern the plan as it was named.
    let folder = file.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let named = file.file_name().map_or_else(|| full(file), |name| full(folder).join(name));
    let seen = named.strip_prefix(full(root)).unwrap_or(file);
    seen.to_string_lossy().into_owned()
}
