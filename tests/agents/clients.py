"""The clients: where each comes from, how it is led to our server, and the names of its tools.

`NAME@VERSION` is an older version that a row names; its answers, tools or settings may be other ones.
"""

import json
import platform
import sys
from dataclasses import dataclass, field, replace
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
    # The blocks with which a model writes a file and runs a command; some clients only edit.
    write: Callable
    shell: Callable | None
    # Writes the settings of hooks that call `gate-run --hook`, and says which arguments they need.
    hook: Callable | None = None
    # How often the service is overloaded before it answers: more often than the client itself tries, where it ever
    # gives up.
    overloads: int = 3
    # Whether a session can be gone on with.
    resumes: bool = True
    # What the program calls its version, where its package has another.
    calls_itself: str = ""
    # The blocks with which a model says its last words.
    last: Callable = lambda text: [{"text": text}]
    # Whether it takes edits and commands from the text, and offers no tools.
    toolless: bool = False
    # Whether its record says what came from a cache.
    tells_cache: bool = True
    # Where its package is: npm, or PyPI.
    pypi: bool = False
    # What it cannot do, by the name of the run: the reason stands in the table.
    limits: dict = field(default_factory=dict)
    # Older versions, and what is other about them.
    older: dict = field(default_factory=dict)

    def folder(self, cache):
        return cache / f"{self.name}-{self.version}"

    def program_in(self, cache):
        return self.folder(cache) / ("venv" if self.pypi else "node_modules") / self.program.format(arch=ARCH)


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


def opencode(site):
    model = {"name": "scripted", "tool_call": True, "limit": {"context": 100000, "output": 8000}}
    provider = {
        "npm": "@ai-sdk/openai-compatible",
        "name": "ours",
        "options": {"baseURL": f"{site.base}/v1", "apiKey": "scripted"},
        "models": {"scripted": model},
    }
    settings = {"autoupdate": False, "share": "disabled", "provider": {"ours": provider}}
    settings |= {"model": "ours/scripted", "small_model": "ours/scripted"}
    site.write(site.home / ".config/opencode/opencode.json", settings)
    off = ["DISABLE_MODELS_FETCH", "DISABLE_LSP_DOWNLOAD", "DISABLE_DEFAULT_PLUGINS"]
    return {f"OPENCODE_{word}": "1" for word in off}


def kilo(site):
    opencode(site)
    (site.home / ".config/kilo").mkdir(parents=True)
    (site.home / ".config/opencode/opencode.json").rename(site.home / ".config/kilo/kilo.json")
    return {"KILO_DISABLE_MODELS_FETCH": "1", "KILO_DISABLE_LSP_DOWNLOAD": "1"}


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


def cline(site):
    ours = {"provider": "openai-compatible", "apiKey": "scripted", "model": "scripted", "baseUrl": f"{site.base}/v1"}
    known = {"openai-compatible": {"settings": ours, "updatedAt": "2026-01-01T00:00:00.000Z", "tokenSource": "manual"}}
    settings = {"version": 1, "lastUsedProvider": "openai-compatible", "modes": {}, "providers": known}
    site.write(site.home / ".cline/data/settings/providers.json", settings)
    return {}


def cline_2(site):
    mode = lambda name: {f"{name}ModeApiProvider": "openai", f"{name}ModeOpenAiModelId": "scripted"}
    settings = {**mode("act"), **mode("plan"), "openAiBaseUrl": f"{site.base}/v1", "welcomeViewCompleted": True}
    site.write(site.home / ".cline/data/globalState.json", settings)
    site.write(site.home / ".cline/data/secrets.json", {"openAiApiKey": "scripted"})
    return {}


def tagged(name, **parts):
    """A call in the text, as the second generation of Cline takes it from a model whose tools it does not know."""
    inner = "".join(f"<{part}>{text}</{part}>\n" for part, text in parts.items())
    return {"text": f"\n<{name}>\n{inner}</{name}>\n"}


def aider(site):
    # As people have it who use it: it keeps a cache and its history beside the code.
    site.write(site.work / ".gitignore", ".aider*\n")
    return {"OPENAI_API_KEY": "scripted", "OPENAI_API_BASE": f"{site.base}/v1"}


def aider_write(path, text):
    return {"text": f"\n{path.name}\n```\n<<<<<<< SEARCH\n=======\n{text}>>>>>>> REPLACE\n```\n"}


CLIENTS = [
    Client(
        name="claude",
        package="@anthropic-ai/claude-code",
        version="2.1.328",
        program="@anthropic-ai/claude-code-linux-{arch}/claude",
        model="claude-sonnet-4-5",
        settle=claude,
        write=lambda path, text: {"tool": "Write", "input": {"file_path": str(path), "content": text}},
        shell=lambda line: {"tool": "Bash", "input": {"command": line, "description": "run it"}},
        hook=claude_hook,
        overloads=6,
        older={"2.1.197": {}},
    ),
    Client(
        name="codex",
        package="@openai/codex",
        version="0.169.0",
        program=".bin/codex",
        model="gpt-5.5",
        settle=codex,
        write=codex_write,
        shell=lambda line: {"tool": "exec_command", "input": {"cmd": line}},
        hook=codex_hook,
        overloads=3,
        older={"0.115.0": {"hook": None}},
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
        older={"1.1.53": {}},
    ),
    Client(
        name="kilo",
        # Its own package names a version of this one that is not there.
        package="@kilocode/cli-linux-{arch}",
        version="7.7.9",
        program="@kilocode/cli-linux-{arch}/bin/kilo",
        model="ours/scripted",
        settle=kilo,
        write=lambda path, text: {"tool": "write", "input": {"filePath": str(path), "content": text}},
        shell=lambda line: {"tool": "bash", "input": {"command": line, "description": "run it"}},
        older={"7.0.33": {}},
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
        older={"0.30.0": {}},
    ),
    Client(
        name="goose",
        package="@aaif/goose-binary-linux-{arch}",
        version="1.52.0",
        program="@aaif/goose-binary-linux-{arch}/bin/goose",
        model="scripted",
        settle=goose,
        write=lambda path, text: {"tool": "write", "input": {"path": str(path), "content": text}},
        shell=lambda line: {"tool": "shell", "input": {"command": line}},
        older={"0.20.1": {"calls_itself": "1.34.0", "tells_cache": False}},
    ),
    Client(
        name="cline",
        package="cline",
        version="3.0.65",
        program=".bin/cline",
        model="scripted",
        settle=cline,
        write=lambda path, text: {"tool": "editor", "input": {"path": str(path), "new_text": text}},
        shell=lambda line: {"tool": "run_commands", "input": {"commands": [line]}},
        # It asks its model to go on until the model calls this.
        last=lambda text: [{"tool": "submit_and_exit", "input": {"summary": text, "verified": True}}],
        resumes=False,
        older={
            "2.18.0": {
                "settle": cline_2,
                "toolless": True,
                "write": lambda path, text: tagged("write_to_file", path=path.name, content=f"\n{text}\n"),
                "shell": lambda line: tagged("execute_command", command=line, requires_approval="false"),
                "last": lambda text: [tagged("attempt_completion", result=text)],
            }
        },
    ),
    Client(
        name="aider",
        package="aider-chat",
        pypi=True,
        version="0.86.2",
        program="bin/aider",
        model="openai/scripted",
        settle=aider,
        write=aider_write,
        shell=None,
        toolless=True,
        resumes=False,
        tells_cache=False,
        older={"0.82.3": {}},
    ),
]


def named(names):
    """The clients of these names; all of them, in their current versions, where none is given. `older` stands for the
    older versions of all."""
    known = {client.name: client for client in CLIENTS}
    for client in CLIENTS:
        known |= {f"{client.name}@{version}": replace(client, version=version, **other) for version, other in client.older.items()}
    if names == ["older"]:
        return [client for name, client in known.items() if "@" in name]
    unknown = [name for name in names if name not in known]
    if unknown:
        print(f"agents-demo: no client is named '{unknown[0]}'; there are {', '.join(known)}", file=sys.stderr)
        sys.exit(2)
    return [known[name] for name in names] or CLIENTS
