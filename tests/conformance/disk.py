"""A disk whose power can be cut: an ext4 file system in a file, and what that file holds at a moment.

What was written and not synced is in the memory of the kernel and not in the file, so a copy of the file, mounted in its
place, is what a machine finds that lost its power then: unsynced data are lost or torn, unsynced names too. The file system
keeps data and names in no order beyond what was asked for.
"""

import os
import pathlib
import shutil
import subprocess
import tempfile

# Nothing is written by itself before five minutes are over, and no kindness is shown to files that are replaced unsynced.
OPTIONS = "loop,data=writeback,commit=300,noauto_da_alloc"


class Disk:
    """A mounted file system, and the file that it is in."""

    def __init__(self):
        memory = "/dev/shm" if os.access("/dev/shm", os.W_OK) else None
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="conformance-disk-", dir=memory))
        self.place, self.image, self.cuts = self.folder / "mounted", self.folder / "image-0", 0
        self.place.mkdir()
        with open(self.image, "wb") as image:
            image.truncate(96 << 20)
        run("mkfs.ext4", "-q", "-F", "-O", "^metadata_csum", self.image)
        self.mount()

    @staticmethod
    def fails():
        """Why there can be no such disk here, if so."""
        if os.geteuid() != 0:
            return "only root may mount"
        try:
            with Disk():
                return None
        except (OSError, subprocess.CalledProcessError) as error:
            return f"a file system in a file cannot be mounted: {error}"

    def __enter__(self):
        return self

    def __exit__(self, *_):
        subprocess.run(["umount", self.place], check=False, stderr=subprocess.DEVNULL)
        shutil.rmtree(self.folder, ignore_errors=True)

    def mount(self):
        run("mount", "-o", OPTIONS, self.image, self.place)

    def sync(self):
        """Everything so far is on the disk."""
        run("sync", "-f", self.place)

    def cut(self):
        """The power fails and comes back. Every process on the disk must have ended."""
        self.cuts += 1
        found = self.folder / f"image-{self.cuts}"
        run("cp", "--sparse=always", self.image, found)
        run("umount", self.place)
        self.image.unlink()
        self.image = found
        self.mount()


def run(*command):
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
