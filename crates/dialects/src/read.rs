//! From the bytes of a file to a checked plan.

use crate::outline::BOM;
use crate::{Dialect, Folder, Outline, Plan, Shape, beside, bounds, checks, dialect, halves, lost, whole};
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

impl Text<'_> {
    /// Whether its name says that it is TOML, which may begin with any word.
    pub(crate) fn is_toml(&self) -> bool {
        Path::new(self.path).extension().is_some_and(|own| own.eq_ignore_ascii_case("toml"))
    }
}

/// What is asked of a reader beyond the plan itself.
#[derive(Debug, Clone, Default)]
pub struct Ask {
    /// Read it as this dialect instead of looking.
    pub dialect: Option<String>,
    /// Which of several sessions.
    pub session: Option<String>,
    /// Tasks whose own files are to be read too.
    pub load: Vec<String>,
    /// Whether what a run needs must be there.
    pub prepared: bool,
}

impl Ask {
    /// Only a dialect, if any.
    pub fn dialect(name: Option<&str>) -> Self {
        Self { dialect: name.map(str::to_owned), ..Self::default() }
    }
}

/// Reads a plan: finds its dialect, reads it, checks what must hold for every plan.
///
/// What is wrong with the tasks themselves comes back as diagnostics ([`errors`] turns them into a failure); a
/// text that is no plan, or a plan without a task, is a failure at once.
pub fn read(text: &Text, dialect: Option<&str>) -> Result<Plan, Fail> {
    checked(unchecked(text, dialect)?)
}

/// The same before it is checked, so that a plan without a task can be looked into.
pub fn unchecked(text: &Text, dialect: Option<&str>) -> Result<Plan, Fail> {
    let data = |shape: &Shape| match shape {
        Shape::Data { detect, .. } => Some(detect(text)),
        _ => None,
    };
    // Data is looked at first where it looks like data, so that a large file is not taken apart as Markdown; and where
    // it does not, no reader of data looks for its keys in all of a Markdown text. A list of boxes begins like data
    // too: a dialect that can be both is data only where it says so itself.
    let only_data =
        |dialect: &Dialect| !dialect.shapes.iter().any(|shape| matches!(shape, Shape::Markdown { .. }));
    if is_data(text) {
        match dialect::choose(dialect, text.path, data) {
            Ok((dialect, shape @ Shape::Data { read, .. }))
                if data(shape) > Some(0) || only_data(dialect) =>
            {
                return Ok(finish(read(text)?, dialect, text.path, vec![file_of(text)]));
            }
            Err(fail) if fail.code == "ambiguous-dialect" => return Err(fail),
            _ => {}
        }
    }
    bounds::check(text)?;
    let outline = Outline::new(text);
    let (dialect, shape) = dialect::choose(dialect, text.path, |shape| match shape {
        Shape::Markdown { detect, .. } => Some(detect(&outline)),
        Shape::Data { .. } => dialect.is_some().then_some(0),
        Shape::Folder { .. } => None,
    })?;
    let (mut plan, file) = match shape {
        // The digest of a long file is made meanwhile.
        Shape::Markdown { read, .. } if text.bytes.len() > LONG => {
            halves::both(|| read(&outline), || file_of(text))
        }
        Shape::Markdown { read, .. } => (read(&outline), file_of(text)),
        Shape::Data { read, .. } => (read(text)?, file_of(text)),
        Shape::Folder { .. } => return Err(Fail::data("not-a-plan", "is no folder").at(text.path, 1)),
    };
    if matches!(shape, Shape::Markdown { .. }) {
        whole::read(&outline, &mut plan);
        lost::tell(&outline, &mut plan);
    }
    Ok(finish(plan, dialect, text.path, vec![file]))
}

/// A file of at least so many bytes is worth a second thread.
const LONG: usize = 1 << 20;

/// Whether a text begins as data does, or has the name of data that may begin with any word.
fn is_data(text: &Text) -> bool {
    let bytes = text.bytes.strip_prefix(BOM).unwrap_or(text.bytes);
    let first = bytes.iter().find(|byte| !byte.is_ascii_whitespace());
    matches!(first, Some(b'{' | b'[')) || text.is_toml()
}

/// Reads the plan in a file or folder; its path is given as seen from `root`.
pub fn open(file: &Path, root: &Path, dialect: Option<&str>) -> Result<Plan, Fail> {
    open_with(file, root, &Ask::dialect(dialect))
}

/// Reads the plan in a file or folder, with more to ask.
pub fn open_with(file: &Path, root: &Path, ask: &Ask) -> Result<Plan, Fail> {
    let path = from_root(file, root);
    let mut plan = if file.is_dir() {
        read_folder(&Folder::new(file, &path), &file.to_string_lossy(), ask)?
    } else {
        let bytes = fs::read(file).map_err(|error| Fail::io(file, &error))?;
        let mut plan = read(&Text { path: &path, bytes: &bytes }, ask.dialect.as_deref())?;
        beside::take(&mut plan, file, root, ask)?;
        plan
    };
    plan.source.root = root.to_string_lossy().into_owned();
    Ok(plan)
}

/// Reads a folder; `named` is what the caller called it, for the one that is the root and so has no path from there.
fn read_folder(folder: &Folder, named: &str, ask: &Ask) -> Result<Plan, Fail> {
    let shown = if folder.path.is_empty() { named } else { &folder.path };
    let (dialect, shape) = dialect::choose(ask.dialect.as_deref(), shown, |shape| match shape {
        Shape::Folder { detect, .. } => Some(detect(folder)),
        _ => None,
    })?;
    let Shape::Folder { read, .. } = shape else {
        return Err(Fail::data("not-a-plan", "is a folder").at(shown, 1));
    };
    let plan = read(folder, ask)?;
    // A reader may lead to a folder further down: then that is the plan.
    let path = if plan.source.path.is_empty() { folder.path.clone() } else { plan.source.path.clone() };
    checked(finish(plan, dialect, &path, folder.opened()))
}

/// The plan with nothing that must not be.
fn checked(mut plan: Plan) -> Result<Plan, Fail> {
    checks::check(&mut plan)?;
    Ok(plan)
}

/// What all plans have: a schema, and where they came from.
fn finish(mut plan: Plan, dialect: &Dialect, path: &str, files: Vec<SourceFile>) -> Plan {
    SCHEMA.clone_into(&mut plan.schema);
    let sha256 = match files.as_slice() {
        [one] => one.sha256.clone(),
        several => several.iter().fold(sha::Hasher::new(), |h, f| h.with(f.sha256.as_bytes())).finish(),
    };
    plan.source = Source {
        path: path.to_owned(),
        dialect: dialect.name.to_owned(),
        files,
        sha256,
        root: String::new(),
    };
    plan
}

fn file_of(text: &Text) -> SourceFile {
    SourceFile { path: text.path.to_owned(), sha256: sha::hex(text.bytes) }
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
