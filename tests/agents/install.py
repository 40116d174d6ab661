"""Installs clients from npm and PyPI, each in a folder of its own that has its version in its name.

    install.py CACHE [CLI…]

No install script is run: the programs come as packages for this machine.
"""

import json
import subprocess
import sys
from pathlib import Path

from clients import ARCH, named


def install(client, cache):
    folder = client.folder(cache)
    if client.program_in(cache).exists():
        return
    print(f"agents-demo: installing {client.name} {client.version}", file=sys.stderr)
    folder.mkdir(parents=True, exist_ok=True)
    if client.pypi:
        return from_pypi(client, folder)
    (folder / "package.json").write_text(json.dumps({"private": True}))
    words = ["npm", "install", "--no-audit", "--no-fund", "--ignore-scripts", "--loglevel=error"]
    package = f"{client.package.format(arch=ARCH)}@{client.version}"
    done = subprocess.run([*words, package], cwd=folder, stdout=subprocess.DEVNULL)
    program = client.program_in(cache)
    if done.returncode or not program.exists():
        sys.exit(f"agents-demo: {package} cannot be installed")
    # Packages of programs do not always say that they can be run.
    program.resolve().chmod(0o755)


def from_pypi(client, folder):
    package = f"{client.package}=={client.version}"
    make = [[sys.executable, "-m", "venv", "venv"], ["venv/bin/pip", "install", "--quiet", package]]
    for words in make:
        if subprocess.run(words, cwd=folder, stdout=subprocess.DEVNULL).returncode:
            sys.exit(f"agents-demo: {package} cannot be installed")


def main():
    for client in named(sys.argv[2:]):
        install(client, Path(sys.argv[1]))


if __name__ == "__main__":
    main()
