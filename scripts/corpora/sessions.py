"""Lays out sessions that are kept as single files with long names, as the folders that they were.

usage: sessions.py FOLDER TARGET: OWNER__active__WFS-x__task__ID.json becomes TARGET/sessions/OWNER/.workflow/active/WFS-x/.task/ID.json
"""
import pathlib
import re
import shutil
import sys

NAME = re.compile(r"(?P<owner>.+?)__(?P<place>active|archives)__(?P<session>WFS-.+?)__(?P<rest>.+)")
FOLDERS = {"task": ".task", "summary": ".summaries", "process": ".process"}

source, target = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2])
for file in sorted(source.rglob("*__WFS-*")):
    found = NAME.fullmatch(file.name)
    if not found or re.search(r"\.old\d+$", file.name):
        continue
    *folders, name = found["rest"].split("__")
    place = target / "sessions" / found["owner"] / ".workflow" / found["place"] / found["session"]
    place = place.joinpath(*(FOLDERS.get(folder, folder) for folder in folders))
    place.mkdir(parents=True, exist_ok=True)
    shutil.copyfile(file, place / name)
