//! Commands that act on more than the tree: they deploy, migrate, publish, push, apply, install or start something.
//!
//! Such a check never runs before the work, and after it only with the project's or a person's permission.

/// What a command does that acts.
#[rustfmt::skip]
const VERBS: &[&str] = &[
    "apply", "deploy", "destroy", "install", "migrate", "provision", "publish", "push", "release", "restart",
    "rollback", "start", "uninstall", "upload",
];

/// Programs that run a target of the project, whose name says what it does: `make deploy-staging`, `npm run db:migrate`.
#[rustfmt::skip]
pub(crate) const TARGET_RUNNERS: &[&str] = &[
    "ant", "bun", "composer", "gradle", "gradlew", "invoke", "just", "make", "gmake", "mage", "mvn", "mvnw", "npm",
    "nx", "pnpm", "poe", "rails", "rake", "task", "turbo", "yarn", "mix", "artisan", "manage.py",
];

/// Programs that only read, whatever their operands are called.
#[rustfmt::skip]
const READERS: &[&str] = &[
    "[", "[[", "ag", "awk", "basename", "cat", "cd", "cksum", "cmp", "comm", "command", "cut", "diff", "dirname", "du",
    "echo", "egrep", "expr", "false", "fgrep", "file", "find", "grep", "head", "jq", "ls", "md5sum", "nl", "od", "printf",
    "pwd", "readlink", "realpath", "rg", "sed", "sha1sum", "sha256sum", "sort", "stat", "strings", "tail", "test", "tr",
    "tree", "true", "type", "uniq", "wc", "which", "xxd", "yq",
];

/// Programs with another word for it: the program, and the word among its operands.
const OTHERS: &[(&str, &str)] = &[
    ("alembic", "upgrade"),
    ("alembic", "downgrade"),
    ("docker", "run"),
    ("docker", "up"),
    ("docker-compose", "up"),
    ("flyway", "clean"),
    ("gh", "create"),
    ("helm", "upgrade"),
    ("kubectl", "create"),
    ("kubectl", "delete"),
    ("npm", "i"),
    ("npm", "ci"),
    ("prisma", "db"),
    ("systemctl", "stop"),
];

/// Subcommands that only look or build: what follows is a name.
const ONLY_LOOKS: &[&str] =
    &["bench", "build", "check", "clippy", "diff", "doc", "lint", "log", "show", "status", "test", "vet"];

/// Programs whose every use acts.
const ALWAYS: &[&str] = &["ansible-playbook", "scp", "rsync", "ssh"];

/// Options with which a command only says what it would do.
const HARMLESS: &[&str] = &["--help", "--dry-run", "--version", "--check"];

/// The part of a command that acts; `None` if no part does.
pub(crate) fn acting(command: &str) -> Option<String> {
    simple_commands(command).into_iter().find_map(|words| act(&words))
}

/// What a simple command does that acts. A shell line that it runs, as `sh -c LINE` does, is a command of its own.
fn act(words: &[String]) -> Option<String> {
    let words = unwrapped(words);
    if let Some(line) = shell_line(words) {
        return acting(line);
    }
    is_act(words).then(|| words.join(" "))
}

/// The shell line that a command runs: that of `sh -c LINE`.
fn shell_line(words: &[String]) -> Option<&str> {
    let (program, rest) = words.split_first()?;
    let line = rest.iter().position(|word| is_line_option(word)).and_then(|at| rest.get(at + 1))?;
    (is_interpreter(base(program)) && base(program).ends_with("sh")).then_some(line)
}

/// The commands that a shell line runs in the end: without assignments and wrappers, and those of `sh -c LINE` in its place.
pub(crate) fn run_in_the_end(line: &str) -> Vec<Vec<String>> {
    let mut commands = Vec::new();
    for words in simple_commands(line) {
        let words = unwrapped(&words);
        match shell_line(words) {
            Some(line) => commands.extend(run_in_the_end(line)),
            None => commands.push(words.to_vec()),
        }
    }
    commands
}

/// `-c`, alone or with other options: `-ec`, `-lc`.
fn is_line_option(word: &str) -> bool {
    word.strip_prefix('-').is_some_and(|letters| {
        letters.ends_with('c') && letters.chars().all(|letter| letter.is_ascii_alphabetic())
    })
}

/// The words of the command that is run in the end: without assignments, and without programs that run another one.
fn unwrapped(words: &[String]) -> &[String] {
    let mut rest = words;
    while let Some((first, after)) = rest.split_first() {
        let name = base(first);
        if is_assignment(first) || is_wrapper(name) {
            rest = after;
        } else if WITH_OPERANDS.contains(&name) {
            let is_own = |word: &&String| {
                word.starts_with('-') || word.starts_with(|c: char| c.is_ascii_digit()) || is_assignment(word)
            };
            // `command -v make` only looks.
            if name == "command" && after.first().is_some_and(|word| word.starts_with('-')) {
                return rest;
            }
            rest = &after[after.iter().take_while(is_own).count()..];
        } else {
            return rest;
        }
    }
    rest
}

/// The name of a program without its folder.
fn base(program: &str) -> &str {
    program.rsplit('/').next().unwrap_or(program)
}

fn is_act(words: &[String]) -> bool {
    let mut words = words.iter().map(String::as_str);
    let Some(program) = words.next() else { return false };
    let rest: Vec<&str> = words.collect();
    if rest.iter().any(|word| HARMLESS.iter().any(|option| word.starts_with(option))) {
        return false;
    }
    let name = base(program);
    if is_reader(name) {
        return false;
    }
    if ALWAYS.contains(&name) || says_verb(name) {
        return true;
    }
    let operands: Vec<&str> = rest.iter().copied().filter(|word| !word.starts_with('-')).collect();
    let runs_targets = TARGET_RUNNERS.contains(&name);
    // `python manage.py migrate`, `sh scripts/deploy.sh`: the script is the program.
    let script = operands.first().filter(|word| is_interpreter(name) && word.contains('.'));
    if let Some(script) = script {
        let words: Vec<String> =
            rest.iter().skip_while(|word| *word != script).map(|w| (*w).to_owned()).collect();
        return is_act(&words);
    }
    if is_interpreter(name) {
        return false;
    }
    let is_target = |word: &&str| !word.contains('=') && !word.contains('/') && says_verb(word);
    // `kubectl -n prod apply`: the value of an option may stand first. `cargo test deploy` names a test.
    let depth = if operands.first().is_some_and(|word| ONLY_LOOKS.contains(word)) { 0 } else { 2 };
    operands.iter().take(depth).any(|word| VERBS.contains(word))
        || runs_targets && operands.iter().any(is_target)
        || OTHERS.iter().any(|(program, word)| *program == name && operands.iter().take(2).any(|o| o == word))
}

/// Whether a command does nothing but read files: what it says does not depend on anything that git ignores.
pub(crate) fn only_reads(command: &str) -> bool {
    let reads = |words: &Vec<String>| unwrapped(words).first().is_some_and(|program| is_reader(program));
    simple_commands(command).iter().all(reads)
}

/// Whether a program only reads, whatever its operands are called.
pub(crate) fn is_reader(program: &str) -> bool {
    READERS.contains(&base(program))
}

/// Whether a part of a name is a verb: `deploy.sh`, `db:migrate`, `deploy-staging`.
fn says_verb(name: &str) -> bool {
    let stem = name.split('.').next().unwrap_or(name);
    stem.split(['-', '_', ':']).any(|part| {
        let part = part.to_ascii_lowercase();
        VERBS.contains(&part.as_str()) || part.strip_prefix("re").is_some_and(|again| VERBS.contains(&again))
    })
}

fn is_interpreter(name: &str) -> bool {
    let bare = name.trim_end_matches(|c: char| c.is_ascii_digit() || c == '.');
    matches!(
        bare,
        "sh" | "bash" | "zsh" | "dash" | "python" | "node" | "ruby" | "perl" | "php" | "deno" | "tsx"
    )
}

fn is_assignment(word: &str) -> bool {
    let name = word.split_once('=').map(|(name, _)| name);
    name.is_some_and(|name| !name.is_empty() && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_'))
}

/// Programs that run another one.
fn is_wrapper(word: &str) -> bool {
    matches!(word, "exec" | "nohup" | "!" | "(" | "{" | "npx" | "bunx" | "uvx" | "then" | "do")
}

/// Programs that run another one behind options and numbers of their own: `timeout -k 5 60 make deploy`.
#[rustfmt::skip]
const WITH_OPERANDS: &[&str] = &[
    "chronic", "command", "doas", "env", "flock", "ionice", "nice", "setsid", "stdbuf", "sudo", "time", "timeout",
    "xargs",
];

/// The words of each simple command of a shell line. Quotes are kept together; what a substitution runs counts too.
pub(crate) fn simple_commands(line: &str) -> Vec<Vec<String>> {
    let mut commands = vec![Vec::new()];
    let mut word = String::new();
    let mut quote = None;
    let mut chars = line.chars().peekable();
    let end_word = |word: &mut String, commands: &mut Vec<Vec<String>>| {
        if !word.is_empty()
            && let Some(last) = commands.last_mut()
        {
            last.push(std::mem::take(word));
        }
    };
    while let Some(c) = chars.next() {
        match (quote, c) {
            (Some(open), c) if c == open => quote = None,
            (None, '\'' | '"') => quote = Some(c),
            (None | Some('"'), '\\') => word.extend(chars.next()),
            (None | Some('"'), '$') if chars.peek() == Some(&'(') => {
                chars.next();
                end_word(&mut word, &mut commands);
                commands.push(Vec::new());
                quote = None;
            }
            (None, c) if c.is_whitespace() && c != '\n' => end_word(&mut word, &mut commands),
            (None, ';' | '|' | '&' | '\n' | '(' | ')' | '`') => {
                end_word(&mut word, &mut commands);
                commands.push(Vec::new());
            }
            (_, c) => word.push(c),
        }
    }
    end_word(&mut word, &mut commands);
    commands.retain(|words| !words.is_empty());
    commands
}

#[cfg(test)]
mod tests {
    use super::acting;

    #[test]
    fn what_acts_is_known_by_its_verb() {
        for command in [
            "make deploy",
            "make -C infra deploy-staging ENV=prod",
            "npm run db:migrate",
            "npm publish",
            "npm install && npm test",
            "git push origin main",
            "kubectl apply -f k8s/",
            "terraform -chdir=infra apply -auto-approve",
            "./scripts/deploy.sh staging",
            "sh scripts/deploy.sh",
            "python manage.py migrate",
            "docker compose up -d",
            "cargo publish",
            "sudo systemctl restart api",
            "test -f x && make deploy",
            "echo $(make deploy)",
            "FOO=1 make install",
            "bin/server start",
            "timeout 60 make deploy",
            "timeout -k 5 60s make deploy",
            "sh -c 'make deploy'",
            "bash -ec \"cd infra && make deploy\"",
            "command make deploy",
            "nice -n 5 make deploy",
            "make redeploy",
            "env -i FOO=1 make deploy",
            "echo infra | xargs -n 1 make deploy -C",
            "pip install -e .",
        ] {
            assert!(acting(command).is_some(), "{command}");
        }
    }

    #[test]
    fn what_only_names_it_does_not_act() {
        for command in [
            "grep -q deploy README.md",
            "test -f scripts/deploy.sh",
            "cat docs/install.md | head",
            "pytest tests/test_deploy.py",
            "python -m pytest tests/test_migrate.py",
            "cargo build --release",
            "cargo test deploy",
            "make test",
            "git log push",
            "npm test",
            "echo 'git push'",
            "sh -n scripts/deploy.sh --dry-run",
            "kubectl apply --dry-run=client -f k8s/",
            "terraform plan",
            "go test ./...",
            "git diff --check",
            "make check DEPLOY=no",
            "command -v deploy",
            "sh -c 'grep -q deploy README.md'",
            "timeout 60 pytest tests/test_deploy.py",
            "make reporting",
        ] {
            assert_eq!(acting(command), None, "{command}");
        }
    }
}
