//! Commands whose success says nothing: they only print, install, rewrite, serve, or are for a person.

use super::class::has_short;

const PRINTS: &str = "it only prints";
const INSTALLS: &str = "it installs and checks nothing";
const WRITES: &str = "it rewrites files and checks nothing";
const SERVES: &str = "it does not end by itself";
const ACTS: &str = "it does something and checks nothing";
const PERSON: &str = "it is for a person";
const NULL: &str = "it succeeds where it finds nothing, without -e";
pub(super) const LISTS: &str = "it only lists what it would run";

/// Programs with one reason, whatever their arguments are.
#[rustfmt::skip]
const PROGRAMS: &[(&[&str], &str)] = &[
    (&["echo", "printf", "pwd", "date", "sleep", "true", ":", "clear", "history", "whoami", "env", "wc", "cd", "export", "tree", "du",
       "df", "ps", "find", "head", "tail", "tee", "sort", "uniq", "seq", "yes", "awk", "gawk", "basename", "dirname", "realpath", "cut",
       "tr", "paste", "nl", "od", "xxd", "hexdump", "strings", "rev", "tac", "fold", "fmt", "column", "uname", "hostname", "id", "uptime",
       "free", "printenv", "locale", "mktemp", "umask", "ulimit", "jobs", "times", "hash", "alias", "let", "set", "read", "unset",
       "base64", "md5", "lsof", "ss", "netstat", "ifconfig", "dig", "nslookup", "host", "numfmt", "shuf", "factor", "tput", "cal", "bc",
       "dc", "trap", "source"], PRINTS),
    (&["nodemon", "live-server", "http-server", "serve", "webpack-dev-server", "uvicorn", "gunicorn", "hypercorn", "streamlit",
       "http.server", "SimpleHTTPServer", "redis-server", "postgres", "mysqld", "mongod", "nginx", "caddy"], SERVES),
    (&["vim", "vi", "nvim", "nano", "emacs", "code", "open", "xdg-open", "less", "more", "man"], PERSON),
    (&["mkdir", "chmod", "chown", "touch", "rm", "cp", "mv", "ln", "kill", "killall", "pkill", "rsync", "scp", "ssh", "tar", "unzip",
       "zip", "createdb", "dropdb"], ACTS),
];

/// Programs that install where a word of [`INSTALL`] follows.
#[rustfmt::skip]
const INSTALLERS: &[&str] = &[
    "npm", "pnpm", "yarn", "bun", "pip", "pip3", "pipx", "poetry", "uv", "bundle", "composer", "gem", "brew", "apt", "apt-get", "dnf", "yum",
    "apk", "pacman", "conda", "choco", "winget", "rustup", "nvm", "asdf", "mise", "pod", "dotnet",
];

const INSTALL: &[&str] =
    &["install", "i", "add", "ci", "update", "upgrade", "sync", "get", "require", "link", "restore"];

/// Why the success of a command says nothing, by its words.
pub(super) fn says_nothing(words: &[&str]) -> Option<&'static str> {
    let (program, args) = words.split_first()?;
    let first = args.iter().find(|arg| !arg.starts_with('-')).copied().unwrap_or_default();
    let has = |flag: &str| args.contains(&flag);
    if let Some((_, why)) = PROGRAMS.iter().find(|(names, _)| names.contains(program)) {
        return Some(why);
    }
    if *program == "yarn" && args.is_empty() || INSTALLERS.contains(program) && INSTALL.contains(&first) {
        return Some(INSTALLS);
    }
    if is_constant(words) {
        return Some("it is true in any case");
    }
    match *program {
        "jq" | "yq" => (!has_short(args, 'e') && !has("--exit-status") && first != "empty").then_some(NULL),
        "ls" if first.is_empty() => Some(PRINTS),
        "readlink" if has_short(args, 'f') || has_short(args, 'm') => Some(PRINTS),
        "sha256sum" | "sha1sum" | "shasum" | "md5sum" | "b2sum" | "cksum" => {
            (!has_short(args, 'c') && !has("--check")).then_some(PRINTS)
        }
        "xargs" => matches!(first, "" | "echo" | "printf").then_some(PRINTS),
        "docker" | "podman"
            if matches!(first, "ps" | "images" | "logs" | "stats" | "top" | "info" | "version") =>
        {
            Some(PRINTS)
        }
        "kubectl" | "oc" if matches!(first, "get" | "describe" | "logs" | "top" | "config" | "explain") => {
            Some(PRINTS)
        }
        "terraform" | "tofu" if matches!(first, "plan" | "show" | "output" | "state" | "graph") => {
            Some(PRINTS)
        }
        "npm" | "pnpm" | "yarn" if lists_packages(args, first) => Some(PRINTS),
        "pip" | "pip3" | "brew" | "gem" | "conda" if matches!(first, "list" | "freeze" | "config") => {
            Some(PRINTS)
        }
        "curl" if !has_short(args, 'f') && !has("--fail") && !has("--fail-with-body") => {
            Some("without -f it succeeds whatever the server answers")
        }
        "git" => git(args, first),
        "yarn" | "npm" | "pnpm" | "bun" if is_server_target(args) => Some(SERVES),
        "cargo" | "go" | "mix" => of_toolchain(program, args, first),
        "vite" if !matches!(first, "build" | "test") => Some(SERVES),
        "next" | "nuxt" | "astro" | "remix" | "ng" | "tauri" | "expo" | "wrangler" | "firebase"
        | "supabase" => matches!(first, "dev" | "start" | "serve" | "emulators:start").then_some(SERVES),
        "flask" | "rails" | "manage.py" => {
            matches!(first, "run" | "server" | "s" | "runserver").then_some(SERVES)
        }
        "docker" | "docker-compose" | "podman" if has("up") => Some(ACTS),
        "tsc" | "jest" | "vitest" | "webpack" if has("--watch") || has("-w") => Some(SERVES),
        _ => rewrites(program, args, first),
    }
}

fn git(args: &[&str], first: &str) -> Option<&'static str> {
    let has = |flag: &str| args.contains(&flag);
    match first {
        "status" | "log" | "show" | "branch" | "tag" | "remote" | "config" | "stash" | "ls-files"
        | "rev-parse" | "shortlog" | "blame" | "describe" | "reflog" | "rev-list" | "ls-tree"
        | "for-each-ref" => (!has("--verify") && !has("--error-unmatch")).then_some(PRINTS),
        "diff" => (!has("--exit-code") && !has("--quiet") && !has("--check")).then_some(PRINTS),
        "add" | "commit" | "push" | "pull" | "fetch" | "checkout" | "switch" | "merge" | "rebase"
        | "init" | "clone" | "mv" | "rm" | "reset" | "restore" | "worktree" | "cherry-pick" => Some(ACTS),
        _ => None,
    }
}

fn of_toolchain(program: &str, args: &[&str], first: &str) -> Option<&'static str> {
    let has = |flag: &str| args.contains(&flag);
    match (program, first) {
        ("cargo", "install" | "add" | "update" | "fetch" | "init" | "new" | "clean")
        | ("go", "get" | "install" | "clean")
        | ("mix", "deps.get") => Some(INSTALLS),
        ("go", "mod") => (!has("verify")).then_some(INSTALLS),
        ("cargo", "fmt") => (!has("--check")).then_some(WRITES),
        ("cargo", "clippy") => has("--fix").then_some(WRITES),
        ("go", "fmt") | ("cargo", "fix") => Some(WRITES),
        ("cargo", "tree" | "metadata" | "search" | "info") | ("go", "list" | "env" | "version" | "doc") => {
            Some(PRINTS)
        }
        ("cargo", "watch") => Some(SERVES),
        _ => None,
    }
}

/// Whether a test is one of a word that is no question: `test 1`, `[ yes ]`, `true`.
pub(super) fn is_constant(words: &[&str]) -> bool {
    match words {
        ["true" | ":"] => true,
        ["test", word] | ["[" | "[[", word, "]" | "]]"] => !word.starts_with('-') && !word.contains('$'),
        _ => false,
    }
}

/// Whether a runner, a linter or a builder is asked for a list, its version or its help, and does nothing.
pub(super) fn only_lists(words: &[&str]) -> bool {
    let Some((program, args)) = words.split_first() else { return false };
    args.iter().any(|arg| {
        matches!(
            *arg,
            "--version"
                | "--help"
                | "-h"
                | "--collect-only"
                | "--co"
                | "--no-run"
                | "--list"
                | "--listTests"
                | "--list-tests"
                | "--dry-run"
                | "--just-print"
        )
    }) || matches!(*program, "make" | "gmake" | "ninja") && has_short(args, 'n')
}

/// `npm run` without a target, `npm ls`.
fn lists_packages(args: &[&str], first: &str) -> bool {
    let names = args.iter().filter(|arg| !arg.starts_with('-')).count();
    matches!(first, "ls" | "list" | "outdated" | "view" | "info" | "why" | "root" | "prefix" | "config")
        || matches!(first, "run" | "run-script") && names == 1
}

/// Formatters and linters that write.
fn rewrites(program: &str, args: &[&str], first: &str) -> Option<&'static str> {
    let has = |flag: &str| args.contains(&flag);
    let checks = args
        .iter()
        .any(|arg| arg.starts_with("--check") || matches!(*arg, "-c" | "--diff" | "--list-different"));
    let fixes = ["--fix", "--write", "-a", "-A", "--autocorrect"].iter().any(|flag| has(flag));
    match program {
        "gofmt" | "goimports" => Some(if has_short(args, 'w') { WRITES } else { PRINTS }),
        "prettier" => (!checks && !has_short(args, 'l')).then_some(WRITES),
        "black" | "isort" | "rustfmt" => (!checks).then_some(WRITES),
        "ruff" if first == "format" => (!checks).then_some(WRITES),
        "eslint" | "ruff" | "biome" | "stylelint" | "rubocop" | "swiftlint" => fixes.then_some(WRITES),
        "terraform" | "tofu" if first == "fmt" => (!has("-check")).then_some(WRITES),
        "sed" => Some(if has_short(args, 'i') || has("--in-place") { WRITES } else { PRINTS }),
        _ => None,
    }
}

/// `npm run dev`, `npm start`, `pnpm tauri dev`.
fn is_server_target(args: &[&str]) -> bool {
    args.iter().filter(|arg| !arg.starts_with('-')).any(|arg| {
        let name = arg.split(':').next().unwrap_or_default();
        matches!(name, "dev" | "start" | "serve" | "watch" | "preview" | "storybook")
    })
}
