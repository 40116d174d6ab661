//! Programs that plans name, sorted.

/// Their name at the beginning of a code span, with arguments, makes it a command. Words that are as often something
/// else (`type`, `set`, `file`, `next`) are left out.
#[rustfmt::skip]
pub const PROGRAMS: &[&str] = &[
    "[", "[[", "act", "actionlint", "ag", "airflow", "alembic", "anchor", "ansible", "ansible-lint",
    "ansible-playbook", "apk", "apt", "apt-get", "artillery", "artisan", "ava", "awk", "aws", "az",
    "bandit", "base64", "basename", "bash", "bats", "bazel", "bc", "bd", "biome", "black", "brew",
    "buf", "bun", "bundle", "bundler", "bunx", "c8", "cabal", "cargo", "cat", "cc", "cd", "checkov",
    "chmod", "clang", "clang-format", "clang-tidy", "cmake", "cmp", "codespell", "comm", "composer",
    "coverage", "cp", "createdb", "crystal", "ctest", "curl", "cut", "cypress", "dart", "dbt", "deno",
    "df", "diff", "dig", "dirname", "django-admin", "dnf", "docker", "docker-compose", "dotnet",
    "drizzle-kit", "du", "dune", "echo", "egrep", "elixir", "emacs", "env", "erl", "esbuild", "eslint",
    "expr", "fd", "fgrep", "find", "firebase", "flake8", "flutter", "forge", "g++", "gawk", "gcc",
    "gcloud", "gem", "gh", "ghc", "git", "gleam", "go", "gofmt", "golangci-lint", "gradle", "gradlew",
    "grep", "grunt", "gulp", "gunicorn", "gzip", "hadolint", "hardhat", "hatch", "head", "helm", "hg",
    "hurl", "isort", "java", "javac", "jest", "jq", "julia", "just", "k6", "kill", "knip", "kotlin",
    "kotlinc", "ktlint", "kubectl", "lein", "lerna", "lhci", "lighthouse", "ln", "ls", "lsof", "lua",
    "make", "markdownlint", "md5sum", "mix", "mkdir", "mkdocs", "mktemp", "mocha", "mv", "mvn", "mvnw",
    "mypy", "mysql", "nano", "nc", "nest", "netlify", "newman", "ng", "nim", "ninja", "node", "nodemon",
    "nosetests", "nox", "npm", "npx", "nvim", "nvm", "nx", "nyc", "ocaml", "octave", "openspec",
    "openssl", "oxlint", "pandoc", "pdm", "perl", "pest", "pgrep", "php", "phpcs", "phpstan", "phpunit",
    "pip", "pip3", "pipenv", "pipx", "playwright", "plutil", "pnpm", "poe", "poetry", "pre-commit",
    "prettier", "printf", "prisma", "protoc", "ps", "psalm", "psql", "pylint", "pyright", "pytest",
    "python", "python3", "rails", "rake", "readlink", "realpath", "rebar3", "redis-cli", "redis-server",
    "rg", "rm", "rollup", "rscript", "rspec", "rsync", "rubocop", "ruby", "ruff", "runghc", "rustc",
    "rustfmt", "rustup", "rye", "sbt", "scala", "scp", "sed", "semgrep", "seq", "sh", "sha256sum",
    "shasum", "shellcheck", "shellspec", "shfmt", "sleep", "solc", "sort", "spark-submit",
    "sphinx-build", "sqlfluff", "sqlite3", "ss", "ssh", "stat", "staticcheck", "storybook", "stylelint",
    "supabase", "swift", "swiftc", "swiftlint", "systemctl", "tail", "tar", "tee", "terraform", "test",
    "tflint", "timeout", "touch", "tox", "tr", "tree", "trivy", "tsc", "tsup", "tsx", "turbo", "typos",
    "uniq", "unzip", "uv", "uvicorn", "uvx", "valgrind", "vercel", "vi", "vim", "vite", "vitest", "wc",
    "webpack", "wget", "which", "wrangler", "xargs", "xcodebuild", "xcodegen", "xcrun", "xmllint",
    "xxd", "yamllint", "yarn", "yq", "zig", "zip", "zsh",
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
