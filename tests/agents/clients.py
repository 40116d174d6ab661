"""The clients: where each comes from, how it is led to our server, and the names of its tools."""

import json
import platform
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Callable


# As npm names it.
ARCH = {"x86_64": "x64", "aarch64": "arm64"}.get(platform.machine(), platform.machine())


@dataclass(frozen=True)
class Site:
    """Where a run happens."""

    base: str
    home: Path
    work: Path

    def write(self, path, value):
        """A settings file; a value that is no text is written as JSON."""
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(value if isinstance(value, str) else json.dumps(value, indent=1) + "\n")


@dataclass(frozen=True)
class Client:
    """A client."""

    name: str
    package: str
    version: str
    program: str
    model: str
    # Writes the settings and says which variables the worker gets.
    settle: Callable
    # The blocks with which a model writes a file and runs a command.
    write: Callable
    shell: Callable
    # Writes the settings of hooks that call `gate-run --hook`, and says which arguments they need.
    hook: Callable | None = None
    # How often the service is overloaded before it answers: more often than the client itself tries, where it ever
    # gives up.
    overloads: int = 3
    # Whether a session can be gone on with.
    resumes: bool = True
    # What the program calls its version, where its package has another.
    calls_itself: str = ""

    def folder(self, cache):
        return cache / f"{self.name}-{self.version}"

    def program_in(self, cache):
        return self.folder(cache) / "node_modules" / self.program.format(arch=ARCH)


# What the hooks answered, below the run's home folder.
HOOK_LOG = "hooks.log"
HOOK = {"type": "command", "command": f"gate-run --hook | tee -a ~/{HOOK_LOG}", "timeout": 120}


def claude(site):
    site.write(site.home / ".claude.json", {"hasCompletedOnboarding": True})
    # Without a sandbox it refuses to let root do everything.
    return {"ANTHROPIC_BASE_URL": site.base, "ANTHROPIC_API_KEY": "sk-ant-scripted", "IS_SANDBOX": "1"}


def claude_hook(site):
    on = {"Stop": [{"hooks": [HOOK]}], "PostToolUse": [{"matcher": "*", "hooks": [HOOK]}]}
    site.write(site.work / ".claude/settings.json", {"hooks": on})
    return []


def codex(site):
    site.write(
        site.home / ".codex/config.toml",
        f"""model = "gpt-5.5"
model_provider = "scripted"
check_for_update_on_startup = false

[model_providers.scripted]
name = "scripted"
base_url = "{site.base}/v1"
wire_api = "responses"
env_key = "SCRIPTED_API_KEY"
request_max_retries = 1
stream_max_retries = 1
supports_websockets = false

[analytics]
enabled = false

[projects."{site.work}"]
trust_level = "trusted"
""",
    )
    return {"SCRIPTED_API_KEY": "scripted"}


def codex_hook(site):
    on = {"Stop": [{"hooks": [HOOK]}], "PostToolUse": [{"matcher": ".*", "hooks": [HOOK]}]}
    site.write(site.home / ".codex/hooks.json", {"hooks": on})
    # Hooks that nobody confirmed at a terminal are left out without a word.
    return ["--dangerously-bypass-hook-trust"]


def codex_write(path, content):
    lines = "".join(f"+{line}\n" for line in content.splitlines())
    return {"custom": "apply_patch", "input": f"*** Begin Patch\n*** Add File: {path.name}\n{lines}*** End Patch\n"}


def opencode(site, name="opencode"):
    model = {"name": "scripted", "tool_call": True, "limit": {"context": 100000, "output": 8000}}
    provider = {
        "npm": "@ai-sdk/openai-compatible",
        "name": "ours",
        "options": {"baseURL": f"{site.base}/v1", "apiKey": "scripted"},
        "models": {"scripted": model},
    }
    settings = {"autoupdate": False, "share": "disabled", "provider": {"ours": provider}}
    settings |= {"model": "ours/scripted", "small_model": "ours/scripted"}
    site.write(site.home / f".config/{name}/{name}.json", settings)
    off = ["DISABLE_MODELS_FETCH", "DISABLE_LSP_DOWNLOAD", "DISABLE_DEFAULT_PLUGINS"]
    return {f"{name.upper()}_{word}": "1" for word in off}


def gemini(site):
    site.write(
        site.home / ".gemini/settings.json",
        {
            "security": {"auth": {"selectedType": "gemini-api-key"}},
            "privacy": {"usageStatisticsEnabled": False},
            "general": {"enableAutoUpdate": False, "enableAutoUpdateNotification": False},
        },
    )
    return {"GEMINI_API_KEY": "scripted", "GOOGLE_GEMINI_BASE_URL": site.base}


def gemini_hook(site):
    path = site.home / ".gemini/settings.json"
    # Its clock counts milliseconds.
    on = {"AfterAgent": [{"hooks": [{**HOOK, "timeout": 120000}]}]}
    site.write(path, json.loads(path.read_text()) | {"hooks": on, "hooksConfig": {"enabled": True}})
    return []


def goose(site):
    provider = {"GOOSE_PROVIDER": "openai", "GOOSE_MODEL": "scripted"}
    return {**provider, "OPENAI_HOST": site.base, "OPENAI_API_KEY": "scripted"}


CLIENTS = [
    Client(
        name="claude",
        package="@anthropic-ai/claude-code",
        version="2.1.325",
        program="@anthropic-ai/claude-code-linux-{arch}/claude",
        model="claude-sonnet-4-5",
        settle=claude,
        write=lambda path, text: {"tool": "Write", "input": {"file_path": str(path), "content": text}},
        shell=lambda line: {"tool": "Bash", "input": {"command": line, "description": "run it"}},
        hook=claude_hook,
        overloads=6,
    ),
    Client(
        name="codex",
        package="@openai/codex",
        version="0.166.0",
        program=".bin/codex",
        model="gpt-5.5",
        settle=codex,
        write=codex_write,
        shell=lambda line: {"tool": "exec_command", "input": {"cmd": line}},
        hook=codex_hook,
        overloads=3,
    ),
    Client(
        name="opencode",
        package="opencode-ai",
        version="1.18.33",
        program="opencode-linux-{arch}/bin/opencode",
        model="ours/scripted",
        settle=opencode,
        write=lambda path, text: {"tool": "write", "input": {"filePath": str(path), "content": text}},
        shell=lambda line: {"tool": "bash", "input": {"command": line, "description": "run it"}},
    ),
    Client(
        name="gemini",
        package="@google/gemini-cli",
        version="0.61.0",
        program=".bin/gemini",
        model="gemini-2.5-pro",
        settle=gemini,
        write=lambda path, text: {"tool": "write_file", "input": {"file_path": str(path), "content": text}},
        shell=lambda line: {"tool": "run_shell_command", "input": {"command": line, "description": "run it"}},
        hook=gemini_hook,
        resumes=False,
    ),
    Client(
        name="goose",
        package="@aaif/goose-binary-linux-{arch}",
        version="0.20.1",
        program="@aaif/goose-binary-linux-{arch}/bin/goose",
        model="scripted",
        settle=goose,
        write=lambda path, text: {"tool": "write", "input": {"path": str(path), "content": text}},
        shell=lambda line: {"tool": "shell", "input": {"command": line}},
        calls_itself="1.34.0",
    ),
    Client(
        name="kilo",
        package="@kilocode/cli",
        version="7.7.7",
        program="@kilocode/cli-linux-{arch}/bin/kilo",
        model="ours/scripted",
        settle=lambda site: opencode(site, "kilo"),
        write=lambda path, text: {"tool": "write", "input": {"filePath": str(path), "content": text}},
        shell=lambda line: {"tool": "bash", "input": {"command": line, "description": "run it"}},
    ),
]


def named(names):
    """The clients of these names; all of them where none is given."""
    known = {client.name: client for client in CLIENTS}
    unknown = [name for name in names if name not in known]
    if unknown:
        print(f"agents-demo: no client is named '{unknown[0]}'; there are {', '.join(known)}", file=sys.stderr)
        sys.exit(2)
    return [known[name] for name in names or known]
