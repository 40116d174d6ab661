//! `no-new-dependencies`: manifests and lock files that changed although the task does not declare them.

use crate::builtin::Base;
use toolkit::Fail;

/// Files that declare the dependencies of a project.
const MANIFESTS: [&str; 28] = [
    "Cargo.toml",
    "Cargo.lock",
    "package.json",
    "package-lock.json",
    "npm-shrinkwrap.json",
    "yarn.lock",
    "pnpm-lock.yaml",
    "bun.lock",
    "bun.lockb",
    "deno.lock",
    "pyproject.toml",
    "poetry.lock",
    "uv.lock",
    "Pipfile",
    "Pipfile.lock",
    "setup.py",
    "setup.cfg",
    "requirements.txt",
    "go.mod",
    "go.sum",
    "Gemfile",
    "Gemfile.lock",
    "composer.json",
    "composer.lock",
    "pom.xml",
    "build.gradle",
    "build.gradle.kts",
    "Package.resolved",
];

/// The changed manifests that the task does not declare.
pub(crate) fn undeclared(base: &Base) -> Result<Vec<String>, Fail> {
    let mut changed =
        base.paths(&["diff", "--name-only", "-z", "--no-renames", "--no-ext-diff", &base.commit, "--"])?;
    changed.extend(base.untracked()?);
    let left_alone = base.left_alone()?;
    changed.retain(|path| !left_alone.contains(path));
    changed.retain(|path| {
        is_manifest(path) && !base.declared.iter().any(|own| own.trim_start_matches("./") == path)
    });
    changed.sort();
    Ok(changed)
}

fn is_manifest(path: &str) -> bool {
    let name = path.rsplit('/').next().unwrap_or(path);
    let requirements = name.strip_suffix(".txt").is_some_and(|stem| stem.starts_with("requirements"));
    requirements || MANIFESTS.contains(&name)
}
