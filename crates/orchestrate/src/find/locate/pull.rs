//! The plan of a pull request, whose branch must be checked out.

use super::Located;
use crate::find::profile::quoted;
use crate::stop_reason::Stop;
use crate::tools::Tools;
use std::ffi::OsStr;
use std::path::Path;
use toolkit::cli::tool;
use toolkit::files::root;
use toolkit::{Exit, Fail};

/// The number in `7`, `#7` or the address of a pull request.
pub(crate) fn number(text: &str) -> Option<&str> {
    let is_number = |text: &&str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    let plain = text.strip_prefix('#').unwrap_or(text);
    let address = || {
        let rest = text.strip_prefix("https://").or_else(|| text.strip_prefix("http://"))?;
        let (_, rest) = rest.rsplit_once("/pull/")?;
        rest.split(|c: char| !c.is_ascii_digit()).next()
    };
    Some(plain).filter(is_number).or_else(|| address().filter(is_number))
}

/// The draft pull request of a branch, if there is one. Fails if GitHub has the repository and does not answer.
pub(crate) fn draft_of(tools: &Tools, branch: &str) -> Result<Option<String>, Stop> {
    if tools.whereis("pr-state").is_none() {
        return Ok(None);
    }
    let said = tools.ask("pr-state", ["draft", branch])?.success()?;
    if !said.err.trim_end().is_empty() {
        tool::note(said.err.trim_end());
    }
    Ok(Some(said.line()).filter(|number| !number.is_empty()))
}

/// The plan that the text of a pull request names.
pub(crate) fn plan_of(tools: &Tools, top: &Path, number: &str) -> Result<Located, Stop> {
    if let Some(amiss) = not_its_branch(tools, top, number)? {
        return Err(Fail::data("other-branch", amiss).into());
    }
    let name = tools.ask("pr-state", ["spec", number])?.success()?.line();
    let named = Path::new(&name);
    let plan = if named.exists() { named.to_path_buf() } else { top.join(named) };
    if !plan.exists() {
        let message = format!("pull request #{number} names '{name}', which is not there");
        return Err(Fail::new(Exit::NoInput, "no-plan", message).into());
    }
    let real = plan.canonicalize().map_err(|e| Fail::io(&plan, &e))?;
    let real_top = top.canonicalize().map_err(|e| Fail::io(top, &e))?;
    let inside = real.strip_prefix(&real_top).map_err(|_| {
        Fail::data("path-outside", format!("'{}' leaves '{}'", plan.display(), top.display()))
    })?;
    root::inside_as_it_is(&real_top, inside)?;
    Ok(Located { plan, pull: Some(number.to_owned()) })
}

/// Why commits and pushes made here would not reach a pull request, and the command that changes that.
pub(crate) fn not_its_branch(tools: &Tools, top: &Path, number: &str) -> Result<Option<String>, Stop> {
    let facts = tools.ask("pr-state", ["head", number])?.success()?.line();
    let mut facts = facts.lines();
    let mut fact = || facts.next().unwrap_or_default().to_owned();
    let (head, fork, owner, name) = (fact(), fact() == "true", fact(), fact());
    let branch = tools.git(top, &["branch", "--show-current"]).unwrap_or_default();
    if branch != head {
        let is_here = !fork
            && tools.git(top, &["show-ref", "--verify", "--quiet", &format!("refs/heads/{head}")]).is_some();
        let mend = if is_here {
            format!("git switch {}", quoted(OsStr::new(&head)))
        } else {
            format!("gh pr checkout {number}")
        };
        let out = if branch.is_empty() { "no branch".to_owned() } else { format!("'{branch}'") };
        return Ok(Some(format!(
            "pull request #{number} is branch '{head}', and {out} is checked out; run: {mend}"
        )));
    }
    let config = |key: &str| tools.git(top, &["config", key]);
    let remote = config(&format!("branch.{branch}.pushRemote"))
        .or_else(|| config("remote.pushDefault"))
        .or_else(|| config(&format!("branch.{branch}.remote")))
        .unwrap_or_else(|| "origin".to_owned());
    if let Some(to) = tools.git(top, &["rev-parse", "--symbolic-full-name", "@{push}"]) {
        let ours = format!("refs/remotes/{remote}/");
        let other = to.strip_prefix(&ours).or_else(|| to.starts_with("refs/heads/").then_some(to.as_str()));
        if let Some(other) = other.filter(|other| *other != head) {
            let upstream = quoted(OsStr::new(&format!("{remote}/{head}")));
            return Ok(Some(format!(
                "pull request #{number} is branch '{head}', and 'git push' goes to '{other}' of '{remote}'; run: \
                 git branch --set-upstream-to={upstream}"
            )));
        }
    }
    let url = tools.git(top, &["remote", "get-url", "--push", &remote]).unwrap_or(remote);
    let reaches = match owner_in(&url) {
        // Where an owner is not known, only a fork is known to be another repository.
        Some(whose) if !owner.is_empty() => whose.eq_ignore_ascii_case(&owner),
        _ => !fork,
    };
    if reaches {
        return Ok(None);
    }
    let place = if owner.is_empty() { "a fork that is gone".to_owned() } else { format!("'{owner}/{name}'") };
    let shown = match url.split_once("://") {
        Some((scheme, rest)) => format!("{scheme}://{}", rest.split_once('@').map_or(rest, |(_, rest)| rest)),
        None => url,
    };
    Ok(Some(format!(
        "pull request #{number} is in {place}, and 'git push' goes to '{shown}'; run: gh pr checkout {number}"
    )))
}

/// Who owns the repository at an address; `None` for a path.
fn owner_in(url: &str) -> Option<&str> {
    if url.starts_with(['/', '.']) || url.starts_with("file:") {
        return None;
    }
    let path = match url.split_once("://") {
        Some((_, rest)) => rest.split_once('/')?.1,
        None => url.split_once(':')?.1.trim_start_matches('/'),
    };
    path.split_once('/').map(|(owner, _)| owner).filter(|owner| !owner.is_empty())
}

#[cfg(test)]
mod tests {
    use super::{number, owner_in};

    #[test]
    fn a_pull_request_is_a_number_or_an_address() {
        assert_eq!((number("7"), number("#7")), (Some("7"), Some("7")));
        assert_eq!(number("https://github.com/a/b/pull/12/files"), Some("12"));
        assert_eq!((number("seven"), number("#"), number("https://github.com/a/b")), (None, None, None));
    }

    #[test]
    fn an_address_has_an_owner_and_a_path_has_none() {
        for url in
            ["https://github.com/Ann/shop.git", "git@github.com:Ann/shop", "ssh://git@github.com/Ann/shop"]
        {
            assert_eq!(owner_in(url), Some("Ann"), "{url}");
        }
        assert_eq!((owner_in("/srv/shop.git"), owner_in("../shop"), owner_in("origin")), (None, None, None));
    }
}
