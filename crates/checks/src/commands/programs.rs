//! Programs that plans name, sorted.

/// Their name at the beginning of a code span, with arguments, makes it a command. Words that are as often something
/// else (`type`, `set`, `file`, `next`) are left out.
#[rustfmt::skip]
pub const PROGRAMS: &[&str] = &[
    "[", "[[", "act", "actionlint", "ag", "ansible", "ansible-playbook", "artisan", "awk", "aws", "az",
    "basename", "bash", "bats", "bazel", "bc", "bd", "biome", "black", "buf", "bun", "bundle", "bundler",
    "bunx", "cargo", "cat", "cd", "chmod", "cmake", "cmp", "comm", "composer", "coverage", "cp",
    "createdb", "ctest", "curl", "cut", "cypress", "dart", "deno", "df", "diff", "dig", "dirname",
    "docker", "docker-compose", "dotnet", "du", "echo", "egrep", "elixir", "env", "eslint", "expr", "fd",
    "fgrep", "find", "firebase", "flake8", "flutter", "gawk", "gcc", "gcloud", "gem", "gh", "git", "go",
    "gofmt", "golangci-lint", "gradle", "gradlew", "grep", "gzip", "hadolint", "head", "helm", "hg",
    "hurl", "isort", "java", "javac", "jest", "jq", "just", "kill", "kotlinc", "ktlint", "kubectl", "ln",
    "ls", "lsof", "lua", "make", "markdownlint", "md5sum", "mix", "mkdir", "mktemp", "mocha", "mv", "mvn",
    "mypy", "mysql", "nc", "ninja", "node", "nox", "npm", "npx", "nvm", "openssl", "perl", "pgrep", "php",
    "phpstan", "phpunit", "pip", "pip3", "pipx", "playwright", "plutil", "pnpm", "poetry", "prettier",
    "printf", "protoc", "ps", "psql", "pylint", "pyright", "pytest", "python", "python3", "rails", "rake",
    "readlink", "realpath", "redis-cli", "rg", "rm", "rspec", "rsync", "rubocop", "ruby", "ruff", "rustc",
    "rustfmt", "rustup", "scp", "sed", "seq", "sh", "sha256sum", "shasum", "shellcheck", "shfmt", "sleep",
    "sort", "sqlite3", "ss", "ssh", "stat", "staticcheck", "supabase", "swift", "swiftlint", "systemctl",
    "tail", "tar", "tee", "terraform", "test", "timeout", "touch", "tox", "tr", "tree", "tsc", "tsx",
    "turbo", "uniq", "unzip", "uv", "uvx", "vite", "vitest", "wc", "wget", "which", "xargs", "xcodebuild",
    "xcodegen", "xcrun", "xmllint", "yamllint", "yarn", "yq", "zip", "zsh",
];

/// What follows `go` where it is the program.
#[rustfmt::skip]
pub const GO: &[&str] = &[
    "build", "fmt", "generate", "install", "list", "mod", "run", "test", "tool", "vet", "work",
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_are_sorted_and_without_doubles() {
        for list in [PROGRAMS, GO] {
            assert!(list.windows(2).all(|pair| pair[0] < pair[1]));
        }
    }
}
