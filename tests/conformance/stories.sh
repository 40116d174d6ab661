# What every story starts from: a list of two tasks, each of which writes a file, and a worker that does what it is told.
# A story may define any of these again. `setup` runs before the plan is committed, `before` after it, `meanwhile` while the
# worker of the first task is at work, `between` between two runs, and `after` at the end: there each line must succeed.
set -u

plan() {
  printf '# Todo\n\n'
  for n in 1 2; do printf -- '- [ ] Write %s.txt\n  Verify: `grep -qx done %s.txt`\n' "$n" "$n"; done
}

# The configuration; its arguments are further lines.
usual() {
  printf '[defaults]\nworker = "kit"\nmax_attempts = 1\n\n[workers.kit]\ncommand = ["%s/worker"]\n' "$CONFORMANCE_HOME"
  printf '%s\n' "$@"
}

config() { usual; }

setup() { :; }
before() { :; }
between() { :; }
after() { :; }

# What the worker does; $name is the file that the title of its task names.
work() { echo 'done' > "$name"; }
answer() { echo '{"status":"SUCCESS"}'; }

worker() {
  cat > "$CONFORMANCE_HOME/prompt"
  name=$(grep -o 'Write [^ ]*' "$CONFORMANCE_HOME/prompt" | head -n 1 | cut -c 7-)
  if [ "$(type -t meanwhile)" = function ] && [ "$name" = 1.txt ] && [ ! -e "$CONFORMANCE_HOME/go" ]; then
    touch "$CONFORMANCE_HOME/began"
    while [ ! -e "$CONFORMANCE_HOME/go" ]; do sleep 0.02; done
  fi
  work
  answer
}

# Writes an executable: its name, then its text on standard input.
program() { mkdir -p "$(dirname "$1")"; cat > "$1"; chmod +x "$1"; }

. "$CONFORMANCE_STORY"
case $1 in
  files) plan > TODO.md; config > plantools.toml ;;
  after) set -eE; trap 'echo "not so: $BASH_COMMAND" >&2' ERR; after ;;
  worker) worker ;;
  *) set -e; "$1" ;;
esac
