"""A folder to try a tool in: a repository, an empty home, an environment that holds nothing else."""

import os
import pathlib
import shutil
import signal
import subprocess
import tempfile
import time

HERE = pathlib.Path(__file__).resolve().parent
TOP = HERE.parent.parent
MARK = "CONFORMANCE_BENCH"


class Tool:
    """The tool on trial: a folder of commands."""

    def __init__(self, folder):
        self.folder = pathlib.Path(folder).resolve()
        self.orchestrate = self.folder / "orchestrate"

    def has(self, name):
        return (self.folder / name).exists()

    @staticmethod
    def newest():
        """The build of this checkout that was made last."""
        target = pathlib.Path(os.environ.get("CARGO_TARGET_DIR", TOP / "target"))
        builds = [target / kind for kind in ("debug", "release") if (target / kind / "plan-parse").exists()]
        return max(builds, key=lambda build: (build / "plan-parse").stat().st_mtime, default=None)


class Ended:
    """What came of a command."""

    def __init__(self, code, out, err, seconds):
        self.code, self.out, self.err, self.seconds = code, out, err, seconds

    def text(self):
        return (self.out + self.err).decode(errors="replace")


class Bench:
    """`repo/`, `home/` and `tmp/` in a folder that is removed at the end."""

    def __init__(self, tool, place=None):
        memory = "/dev/shm" if os.access("/dev/shm", os.W_OK) else None
        self.top = pathlib.Path(tempfile.mkdtemp(prefix="conformance-", dir=place or memory))
        self.tool = tool
        for name in ("repo", "home", "tmp"):
            (self.top / name).mkdir()
        self.repo = self.top / "repo"
        self.env = {
            "PATH": f"{tool.folder}:{os.environ['PATH']}",
            "PLANTOOLS_BIN": str(tool.folder),
            "HOME": str(self.top / "home"),
            "TMPDIR": str(self.top / "tmp"),
            "LC_ALL": "C.UTF-8",
            "GIT_CONFIG_NOSYSTEM": "1",
            "GIT_CONFIG_GLOBAL": "/dev/null",
            MARK: str(self.top),
        }

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.kill_all()
        subprocess.run(["chmod", "-R", "u+rwX", self.top], check=False, stderr=subprocess.DEVNULL)
        shutil.rmtree(self.top, ignore_errors=True)

    def write(self, name, data, mode=0o644):
        path = self.repo / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data if isinstance(data, bytes) else data.encode())
        path.chmod(mode)

    def start(self, *command, out=subprocess.DEVNULL, err=subprocess.DEVNULL, cwd=None, **more):
        """Starts a command in a group of its own."""
        env = {**self.env, **more}
        return subprocess.Popen(command, cwd=cwd or self.repo, env=env, stdin=subprocess.DEVNULL, stdout=out,
                                stderr=err, start_new_session=True)

    def run(self, *command, within=60, **more):
        """Runs a command to its end; one that does not end in time has the code None."""
        begun = time.monotonic()
        with tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as err:
            process = self.start(*command, out=out, err=err, **more)
            try:
                code = process.wait(within)
            except subprocess.TimeoutExpired:
                code = None
                self.kill_all()
                process.wait()
            out.seek(0)
            err.seek(0)
            return Ended(code, out.read(), err.read(), time.monotonic() - begun)

    def git(self, *args):
        done = self.run("git", *args)
        if done.code != 0:
            raise RuntimeError(f"git {' '.join(args)}: {done.text()}")
        return done.out.decode(errors="replace")

    def repository(self):
        self.git("init", "--quiet", "--initial-branch=main")
        self.git("config", "user.name", "Kit")
        self.git("config", "user.email", "kit@example.invalid")
        self.git("commit", "--quiet", "--allow-empty", "--message=start")

    def commit_all(self, message="plan"):
        self.git("add", "--all")
        self.git("commit", "--quiet", "--message", message)

    def subjects(self):
        return self.git("log", "--reverse", "--format=%s").splitlines()

    def orchestrate(self, *args, within=60, **more):
        return self.run(str(self.tool.orchestrate), *args, within=within, **more)

    def processes(self):
        """Every live process of this bench: by its environment, or by where it stands."""
        mark, found = f"{MARK}={self.top}".encode(), []
        for entry in pathlib.Path("/proc").iterdir():
            if not entry.name.isdigit():
                continue
            try:
                ours = mark in (entry / "environ").read_bytes().split(b"\0")
                ours = ours or os.readlink(entry / "cwd").startswith(str(self.top))
                dead = (entry / "stat").read_text(errors="replace").rsplit(")", 1)[1].split()[0] == "Z"
                if ours and not dead:
                    found.append((int(entry.name), (entry / "comm").read_text(errors="replace").strip()))
            except OSError:
                continue
        return found

    def kill_all(self):
        """A power cut: everything at once, and again until nothing is left."""
        deadline = time.monotonic() + 20
        while (left := self.processes()) and time.monotonic() < deadline:
            for pid, _ in left:
                try:
                    os.kill(pid, signal.SIGKILL)
                except OSError:
                    pass
            time.sleep(0.01)

    def outside(self):
        """What stands beside the repository."""
        kept = (path for name in ("home",) for path in (self.top / name).rglob("*"))
        files = {str(path.relative_to(self.top)): path.read_bytes() if path.is_file() else b"" for path in kept}
        files.update({path.name: b"" for path in self.top.iterdir()})
        return files
