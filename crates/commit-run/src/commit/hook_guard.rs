//! Saves everything that a commit could change besides itself, and restores it afterwards: hooks are programs, and
//! may write anywhere.

use crate::commit::Request;
use repo::git::{Call, Git, nul_separated};
use std::path::PathBuf;
use toolkit::files::fs;
use toolkit::{Exit, Fail};

/// The named files and their entries in the index, as they were before a commit.
pub(crate) struct Guard<'a> {
    git: &'a Git,
    /// What is committed; its tree is the one before, with each file as it was proved.
    request: &'a Request<'a>,
    /// Every path that was not clean before.
    dirty: Vec<String>,
    head: Option<String>,
    entries: Vec<u8>,
    copies: Vec<(PathBuf, PathBuf)>,
}

impl<'a> Guard<'a> {
    /// Saves everything that may have to be restored.
    pub(crate) fn new(git: &'a Git, request: &'a Request<'a>) -> Result<Self, Fail> {
        let root = git.home().root();
        let folder = git.home().folder("tmp")?;
        let mut copies = Vec::new();
        for (number, name) in request.files.iter().enumerate() {
            let path = root.join(name);
            if path.symlink_metadata().is_ok_and(|m| m.is_file()) {
                let copy = fs::sibling(&folder.join(format!("before-{number}")));
                fs::copy(&path, &copy)?;
                copies.push((path, copy));
            }
        }
        let listed = git.run(&Call::of(&["ls-files", "-z", "-s"]))?;
        let dirty = git.changed()?;
        Ok(Self { git, request, dirty, head: git.head()?, entries: listed.out, copies })
    }

    /// Whether a commit contains only named files, each as it was proved; otherwise what differs.
    pub(crate) fn check(&self, commit: &str) -> Result<Result<(), String>, Fail> {
        let args = ["diff-tree", "-r", "-z", "--root", "--no-commit-id", "--no-renames", commit];
        let answer = self.git.run(&Call::of(&args))?;
        let mut fields = answer.out.split(|b| *b == 0).filter(|f| !f.is_empty());
        while let (Some(what), Some(path)) = (fields.next(), fields.next()) {
            let path = String::from_utf8_lossy(path).into_owned();
            if !self.request.files.contains(&path) {
                return Ok(Err(format!(
                    "a commit hook put '{path}' into the commit, which the plan does not name"
                )));
            }
            // `:old-mode new-mode old-object new-object letter`
            let what = String::from_utf8_lossy(what).into_owned();
            let mut words = what.split_whitespace().skip(1);
            let (mode, object) = (words.next().unwrap_or_default(), words.nth(1).unwrap_or_default());
            let committed = (mode != "000000").then(|| format!("{mode} {object} 0"));
            if committed.as_deref() != self.request.tree.at(&path) && !self.is_by_stages(&path, object)? {
                return Ok(Err(format!(
                    "a commit hook changed '{path}'; what was committed is not what was checked"
                )));
            }
        }
        Ok(Ok(()))
    }

    /// Whether one of our stages may have changed a named file, so that this object was committed.
    fn is_by_stages(&self, path: &str, object: &str) -> Result<bool, Fail> {
        let root = self.git.home().root();
        let Some((_, copy)) = self.copies.iter().find(|(file, _)| *file == root.join(path)) else {
            return Ok(false);
        };
        let committed = self.git.ask(&Call::of(&["cat-file", "blob", object]))?;
        Ok(committed.status.success() && (self.request.by_stages)(path, &fs::read(copy)?, &committed.out))
    }

    /// The named files that a hook has changed on disk, if it has changed nothing else: then it has formatted the work.
    pub(crate) fn formatted(&self) -> Result<Vec<String>, Fail> {
        let since = self.git.changed()?;
        if since.iter().any(|path| !self.dirty.contains(path) && !self.request.files.contains(path)) {
            return Ok(Vec::new());
        }
        let root = self.git.home().root();
        let mut found = Vec::new();
        for (path, copy) in &self.copies {
            // A file that is gone was not formatted.
            let Some(now) = fs::read_if_there(path)? else { return Ok(Vec::new()) };
            let (then, name) = (fs::read(copy)?, path.strip_prefix(root).unwrap_or(path).to_string_lossy());
            if now != then && !(self.request.by_stages)(&name, &then, &now) {
                found.push(name.into_owned());
            }
        }
        Ok(found)
    }

    /// Undoes a commit and leaves the files as they are.
    pub(crate) fn undo_keeping_files(&self, commit: &str) -> Result<(), Fail> {
        let why = "commit-run: taken back";
        match &self.head {
            Some(head) => self.git.run(&Call::of(&["update-ref", "-m", why, "HEAD", head, commit]))?,
            None => self.git.run(&Call::of(&["update-ref", "-m", why, "-d", "HEAD", commit]))?,
        };
        self.put_back_index()
    }

    /// Undoes a commit: the branch, the index entries of the named files, and the files themselves.
    pub(crate) fn undo(&self, commit: &str) -> Result<(), Fail> {
        let added = self.added(commit)?;
        self.undo_keeping_files(commit)?;
        let root = self.git.home().root();
        added.iter().try_for_each(|path| fs::remove(&root.join(path)))?;
        self.put_back_files()
    }

    /// The files that a hook has made and put into the commit: git knew nothing of them, and does not ignore them.
    fn added(&self, commit: &str) -> Result<Vec<String>, Fail> {
        let args = [
            "diff-tree",
            "-r",
            "-z",
            "--root",
            "--no-commit-id",
            "--no-renames",
            "--diff-filter=A",
            "--name-only",
        ];
        let listed = self.git.run(&Call::of(&[&args[..], &[commit]].concat()))?.out;
        let mut added: Vec<String> = String::from_utf8_lossy(&listed)
            .split('\0')
            .filter(|path| !path.is_empty())
            .map(str::to_owned)
            .collect();
        added.retain(|path| {
            !self.request.files.contains(path) && !self.dirty.contains(path) && !self.is_listed(path)
        });
        let is_ignored = |path: &String| {
            let said = self.git.ask(&Call::of(&["check-ignore", "--quiet", "--no-index", "--", path]))?;
            Ok::<_, Fail>(said.status.success())
        };
        let mut kept = Vec::new();
        for path in added {
            let is_there = self.git.home().root().join(&path).symlink_metadata().is_ok();
            if is_there && !is_ignored(&path)? {
                kept.push(path);
            }
        }
        Ok(kept)
    }

    /// Restores the named files and the clean files that a hook changed. A file that both the user and a hook
    /// changed cannot be restored, and is reported.
    pub(crate) fn put_back_files(&self) -> Result<(), Fail> {
        for (path, copy) in &self.copies {
            let (now, then) = (fs::read_if_there(path)?, fs::read(copy)?);
            let name = path.strip_prefix(self.git.home().root()).unwrap_or(path).to_string_lossy();
            let by_stages = now.as_ref().is_some_and(|now| (self.request.by_stages)(&name, &then, now));
            if now.as_ref() != Some(&then) && !by_stages {
                let scratch = self.git.home().folder("tmp")?;
                fs::replace(path, &then, &scratch)?;
            }
        }
        let since = self.git.changed()?;
        let moved: Vec<&String> =
            since.iter().filter(|p| !self.dirty.contains(p) && self.is_listed(p)).collect();
        if !moved.is_empty() {
            let args = ["checkout-index", "--force", "-z", "--stdin"];
            self.git.run(&Call::of(&args).input(&nul_separated(&moved)))?;
        }
        Ok(())
    }

    /// Removes the copies.
    pub(crate) fn close(self) -> Result<(), Fail> {
        self.copies.iter().try_for_each(|(_, copy)| fs::remove(copy))
    }

    fn is_listed(&self, path: &str) -> bool {
        let mut entries = self.entries.split(|b| *b == 0);
        entries.any(|entry| entry.splitn(2, |b| *b == b'\t').nth(1) == Some(path.as_bytes()))
    }

    fn put_back_index(&self) -> Result<(), Fail> {
        let mut input = Vec::new();
        for name in self.request.files {
            let own = |entry: &&[u8]| entry.splitn(2, |b| *b == b'\t').nth(1) == Some(name.as_bytes());
            let old: Vec<&[u8]> = self.entries.split(|b| *b == 0).filter(own).collect();
            // Mode 0 removes a path from the index.
            if old.is_empty() {
                input.extend_from_slice(format!("0 {}\t{name}\0", "0".repeat(40)).as_bytes());
            }
            for entry in old {
                input.extend_from_slice(entry);
                input.push(0);
            }
        }
        let answer = self.git.ask(&Call::of(&["update-index", "-z", "--index-info"]).input(&input))?;
        if answer.status.success() {
            return Ok(());
        }
        let said = answer.err.lines().next().unwrap_or_default().to_owned();
        Err(Fail::new(Exit::Io, "git-failed", format!("the index could not be put back: {said}")))
    }
}
