//! Two scratch worktrees of the tree as it is now: one unchanged, and one with the placebo. A check never runs in the main
//! tree.

use crate::args::Args;
use crate::gates::catalog::Catalog;
use crate::run::budget::Budget;
use crate::run::check::Check;
use crate::run::logs::Keep;
use crate::run::missing::Markers;
use crate::run::progress::Progress;
use crate::run::runner::{RunLocation, Runner};
use crate::trial::rules;
use checks::commands::class::{Classes, nature};
use config::{Config, ConfigArgs};
use repo::git::{Call, Git};
use repo::tree::{OwnFiles, Tree};
use repo::{snapshot, worktree};
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::time::Duration;
use toolkit::Fail;
use toolkit::files::lock::Lock;
use toolkit::files::redact::Redact;
use toolkit::files::root::{Home, has_git, inside};
use toolkit::files::{fs, sha};
use wire::Gate;
use wire::gate::StopReason;
use wire::plan::suggestion::Suggestion;

/// How long the setup of a scratch tree may take where the configuration does not say.
const SETUP_SECONDS: u64 = 600;

/// Where a check runs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Scene {
    /// In the tree as it is now.
    Now,
    /// After an unrelated edit and an empty commit, with empty files at the task's paths.
    Placebo,
    /// After an unrelated edit and an empty commit.
    Unrelated,
}

/// A run, and the files that it changed.
pub(super) struct Ran {
    pub(super) gate: Gate,
    pub(super) wrote: Vec<String>,
}

/// The scratch trees of one repository.
pub(super) struct Bench<'w> {
    catalog: Catalog,
    now: Scratch<'w>,
    placebo: Scratch<'w>,
    _making: Lock,
}

impl<'w> Bench<'w> {
    pub(super) fn make(
        args: &Args,
        config: &ConfigArgs,
        root: &Path,
        watch: &'w Progress,
    ) -> Result<Self, Fail> {
        let home = Home::of(root)?;
        if !has_git(root) {
            let message =
                "checks are tried in scratch worktrees: make the folder a git repository (git init)";
            return Err(Fail::config("no-repository", message).in_file(root));
        }
        let catalog = Catalog::load(config, root)?;
        dialects::set_checks(&config::checks::at(root)?)?;
        let main = Git::new(home.clone());
        let head = main.head()?;
        let snap = snapshot::take(&main, head.as_deref())?;
        let making = worktree::making(&home, crate::STAGE)?;
        let make =
            |kind: &str| Scratch::make(args, &catalog.config, &home, watch, kind, head.as_deref(), &snap);
        let (now, placebo) = (make("now")?, make("placebo")?);
        placebo.edit()?;
        Ok(Self { now: now.settled()?, placebo: placebo.settled()?, catalog, _making: making })
    }

    pub(super) fn config(&self) -> &Config {
        &self.catalog.config
    }

    /// Runs a check, and takes back everything that it changed.
    pub(super) fn run(&self, scene: Scene, suggestion: &Suggestion, check: &Check) -> Result<Ran, Fail> {
        let scratch = if scene == Scene::Now { &self.now } else { &self.placebo };
        let made = if scene == Scene::Placebo { scratch.empty_files(suggestion)? } else { Vec::new() };
        let ran = scratch.run(suggestion, check);
        remove(scratch.home.root(), &made)?;
        ran
    }
}

/// One scratch tree.
pub(crate) struct Scratch<'w> {
    home: Home,
    git: Git,
    runner: Runner<'w>,
    main: Git,
    name: String,
    /// Its content as a commit, and its head, as every check finds them.
    state: String,
    head: Option<String>,
}

impl<'w> Scratch<'w> {
    pub(crate) fn make(
        args: &Args,
        config: &Config,
        main: &Home,
        watch: &'w Progress,
        kind: &str,
        head: Option<&str>,
        snap: &str,
    ) -> Result<Self, Fail> {
        let what = format!("{}\0{kind}\0try", std::process::id());
        let name = format!("try-{kind}-{}", &sha::hex(what.as_bytes())[..8]);
        let main = Git::new(main.clone());
        let base = head.unwrap_or(snap);
        let tree = worktree::make(&main, &name, base)?;
        let root = worktree::path_of(main.home().root(), &tree)?;
        let home = Home::of(&root)?;
        let place =
            RunLocation { cwd: root.clone(), root, logs: None, bead: args.bead(), started: args.started()? };
        let runner = Runner {
            place,
            watch,
            redact: Redact::of(&config.redact)?,
            markers: Markers::new(&config.defaults.env_markers)?,
            keep: Keep::End,
            base: None,
        };
        let git = Git::new(home.clone());
        let scratch = Self { home, git, runner, main, name, state: snap.to_owned(), head: None };
        // Uncommitted changes stay uncommitted, so that git says the same about them.
        let changed = snapshot::changed(&scratch.git, base, snap)?.into_iter().map(|(path, _)| path);
        snapshot::put(&scratch.git, base, snap, &changed.collect::<Vec<_>>())?;
        if let Some(setup) = &config.worktree.setup {
            let limit = Duration::from_secs(config.worktree.setup_seconds.unwrap_or(SETUP_SECONDS));
            let budget = Budget { timeout: Some(limit), ..Budget::of(&args.budget, None, config, None) };
            scratch.runner.run(&Check::of_line("setup".to_owned(), setup, budget))?;
        }
        Ok(scratch)
    }

    /// Remembers the tree as every check is to find it.
    fn settled(mut self) -> Result<Self, Fail> {
        self.head = self.git.head()?;
        self.state = snapshot::take(&self.git, self.head.as_deref())?;
        Ok(self)
    }

    /// The part of the placebo that has nothing to do with any task: an empty commit, a new file in the index, another one
    /// outside of it, and a blank line at the end of a text.
    fn edit(&self) -> Result<(), Fail> {
        let head = self.git.head()?;
        if let Some(head) = &head {
            let tree = snapshot::tree_of(&self.git, head)?;
            let commit = snapshot::commit(&self.git, &tree, &[head], "placebo")?;
            self.git.run(&Call::of(&["update-ref", "HEAD", &commit]))?;
        }
        let mark = sha::hex(self.name.as_bytes());
        let names = [format!("unrelated-{}.txt", &mark[..8]), format!("unrelated-{}.txt", &mark[8..16])];
        for name in &names {
            fs::create(&self.home.root().join(name), b"placebo\n")?;
        }
        self.git.run(&Call::of(&["add", "--force", "--", &names[0]]))?;
        let listed = self.git.run(&Call::of(&["ls-files", "-z"]))?.out;
        let listed = String::from_utf8_lossy(&listed).into_owned();
        let is_text = |path: &&str| {
            [".md", ".txt", ".rst"].iter().any(|end| path.ends_with(end))
                && !names.iter().any(|name| name == path)
        };
        if let Some(text) = listed.split('\0').find(is_text) {
            let path = self.home.root().join(text);
            if path.symlink_metadata().is_ok_and(|about| about.is_file()) {
                fs::append(&path, b"\n")?;
            }
        }
        Ok(())
    }

    fn run(&self, suggestion: &Suggestion, check: &Check) -> Result<Ran, Fail> {
        let mut check = self.with_target(check);
        check.env.extend(rules::offline());
        let mut ran = self.run_once(suggestion, &check)?;
        let text = ran.gate.last_output_lines.join("\n");
        // Installed packages are not in git, and a check that needs them says so.
        if ran.gate.stop_reason == StopReason::EnvMissing || rules::network_in(&text).is_some() {
            let linked = self.link_packages()?;
            if !linked.is_empty() {
                let again = self.run_once(suggestion, &check);
                linked.iter().try_for_each(|link| fs::remove(link))?;
                ran = again?;
            }
        }
        let here = self.home.root().to_string_lossy().into_owned();
        let main = self.main.home().root().to_string_lossy().into_owned();
        for line in &mut ran.gate.last_output_lines {
            *line = line.replace(&here, &main);
        }
        Ok(ran)
    }

    /// Runs a check of the plan here, with the packages of the main tree where it lacks them.
    pub(crate) fn judge(&self, check: &Check) -> Result<Gate, Fail> {
        let check = self.with_target(check);
        let gate = self.runner.run(&check)?;
        if gate.stop_reason != StopReason::EnvMissing || self.link_packages()?.is_empty() {
            return Ok(gate);
        }
        self.runner.run(&check)
    }

    /// The check with the main tree's folder for what Cargo builds.
    fn with_target(&self, check: &Check) -> Check {
        let mut check = check.clone();
        let target = self.main.home().root().join("target");
        if target.is_dir() {
            check.env.push(("CARGO_TARGET_DIR".to_owned(), target.to_string_lossy().into_owned()));
        }
        check
    }

    fn run_once(&self, suggestion: &Suggestion, check: &Check) -> Result<Ran, Fail> {
        let tree = || Tree::now(&self.home, &OwnFiles::default());
        let before = tree()?;
        let gate = self.runner.run(check)?;
        let after = tree()?;
        let mut wrote = match (&before, &after) {
            (Some(before), Some(after)) if before.hash != after.hash => after.changed_since(before),
            _ => Vec::new(),
        };
        if !wrote.is_empty() {
            self.restore()?;
        }
        let is_product = |path: &String| {
            let is_new = before.as_ref().is_some_and(|before| before.at(path).is_none());
            is_new && !suggestion.paths.contains(path)
        };
        // The caches of a test runner are no work, and say nothing about it.
        if nature(&suggestion.command).classes.has(Classes::RUNNER) && wrote.iter().all(is_product) {
            wrote.clear();
        }
        let head = self.git.head()?;
        if head != self.head {
            wrote.push("HEAD".to_owned());
            if let Some(head) = &self.head {
                self.git.run(&Call::of(&["update-ref", "HEAD", head]))?;
            }
        }
        Ok(Ran { gate, wrote })
    }

    /// Gives every file its content before the checks.
    fn restore(&self) -> Result<(), Fail> {
        let now = snapshot::take(&self.git, self.head.as_deref())?;
        let changed = snapshot::changed(&self.git, &now, &self.state)?.into_iter().map(|(path, _)| path);
        snapshot::put(&self.git, &now, &self.state, &changed.collect::<Vec<_>>())
    }

    /// Makes the files and folders that the task or the check names, where they are missing; the new paths, outer ones
    /// first.
    fn empty_files(&self, suggestion: &Suggestion) -> Result<Vec<PathBuf>, Fail> {
        let root = self.home.root();
        let mut made = Vec::new();
        let named = suggestion.paths.iter().cloned().chain(rules::operands(&suggestion.command));
        for name in named {
            let is_folder = name.ends_with('/') || suggestion.command.contains(&format!("test -d {name}"));
            // The task leaves out a part of the path.
            let name = name.trim_end_matches('/').replace("/.../", "/placebo/");
            let Ok(path) = inside(root, &name) else { continue };
            let above: Vec<PathBuf> = path.ancestors().skip(1).map(Path::to_path_buf).collect();
            if path.exists() || above.iter().any(|folder| folder.is_file()) {
                continue;
            }
            let new = above.into_iter().filter(|folder| folder.starts_with(root) && !folder.exists());
            let mut folders: Vec<PathBuf> = new.collect();
            folders.reverse();
            if is_folder {
                folders.push(path.clone());
            }
            for folder in &folders {
                fs::folder(folder)?;
            }
            made.extend(folders);
            if !is_folder {
                fs::create(&path, b"")?;
                made.push(path);
            }
        }
        Ok(made)
    }

    /// Links the folders of installed packages into the tree; the links that are new.
    fn link_packages(&self) -> Result<Vec<PathBuf>, Fail> {
        let main = self.main.home().root();
        let mut linked = Vec::new();
        for name in ["node_modules", ".venv", "venv", "vendor", "_build", "deps"] {
            let (from, to) = (main.join(name), self.home.root().join(name));
            if from.is_dir() && to.symlink_metadata().is_err() {
                symlink(&from, &to).map_err(|e| Fail::io(&to, &e))?;
                linked.push(to);
            }
        }
        Ok(linked)
    }
}

/// Removes what was made for a placebo; a folder in which a check left something goes with it.
fn remove(root: &Path, made: &[PathBuf]) -> Result<(), Fail> {
    for path in made.iter().rev().filter(|path| path.starts_with(root)) {
        if path.is_dir() { fs::remove_folder(path)? } else { fs::remove(path)? }
    }
    Ok(())
}

impl Drop for Scratch<'_> {
    fn drop(&mut self) {
        // One that cannot be removed is stale, and the next run removes it.
        let _ = worktree::remove(&self.main, &self.name);
    }
}
