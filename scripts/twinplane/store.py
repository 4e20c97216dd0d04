"""Results on disk, addressed by what produced them.

    STORE/ab/abcdef.../summary.json timeline.csv latency.csv ... manifest.json

A result's folder appears under its name in one rename when it is complete. The manifest, with size and hash of every
file, tells a whole result from a damaged one; a damaged one is set aside and its run repeated.
"""

import errno
import hashlib
import json
import os
import pathlib
import shutil
import socket

from twinplane.errors import StoreError
from twinplane.program import ROOT
from twinplane.result import Result

VARIABLE = "TWINPLANE_STORE"
PART = ".part-"


def is_running(pid):
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        return True
    return True


def write_durably(path, content):
    with open(path, "wb") as file:
        file.write(content)
        file.flush()
        os.fsync(file.fileno())


def write_atomically(path, content):
    """`path` holds either what it held before or all of `content`."""
    path = pathlib.Path(path)
    part = path.with_name(f"{PART}{os.getpid()}-{path.name}")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        write_durably(part, content)
        part.replace(path)
    except OSError as error:
        part.unlink(missing_ok=True)
        raise StoreError(f"cannot write {path}: {error.strerror}") from error


class Store:
    """A folder of results; several processes may use it at a time."""

    def __init__(self, folder=None):
        """`folder`, else $TWINPLANE_STORE, else out/store of this tree."""
        self.folder = pathlib.Path(folder or os.environ.get(VARIABLE) or ROOT / "out/store").resolve()
        self.damaged = []  # keys that were found damaged
        try:
            self.folder.mkdir(parents=True, exist_ok=True)
            self._sweep_parts()
        except OSError as error:
            raise StoreError(f"cannot use {self.folder} for results: {error.strerror}") from error

    def path_of(self, key):
        return self.folder / key[:2] / key

    def load(self, key):
        """The result, or None when there is none or only a damaged one."""
        folder = self.path_of(key)
        if not folder.is_dir():
            return None
        if self._is_whole(folder):
            return Result.load(key, folder)
        self.damaged.append(key)
        self._discard(folder)
        return None

    def keep(self, key, files, described):
        """Stores `files` ({name: bytes}) and returns the result; all of it or nothing."""
        final = self.path_of(key)
        part = self.folder / f"{PART}{socket.gethostname()}-{os.getpid()}-{key[:16]}"
        manifest = {"described": described, "files": {
            n: {"bytes": len(c), "sha256": hashlib.sha256(c).hexdigest()} for n, c in sorted(files.items())}}
        try:
            shutil.rmtree(part, ignore_errors=True)
            part.mkdir(parents=True)
            for name, content in files.items():
                write_durably(part / name, content)
            write_durably(part / "manifest.json", json.dumps(manifest, indent=1, sort_keys=True).encode())
            final.parent.mkdir(exist_ok=True)
            self._publish(part, final)
        except OSError as error:
            shutil.rmtree(part, ignore_errors=True)
            raise StoreError(f"cannot keep a result in {self.folder}: {error.strerror}. Results stored before are "
                             "whole; the next run continues with them") from error
        return Result.load(key, final)

    @staticmethod
    def _publish(part, final):
        try:
            part.rename(final)
        except OSError as error:
            if error.errno not in (errno.EEXIST, errno.ENOTEMPTY):
                raise
            shutil.rmtree(part)  # another process finished the same run first

    @staticmethod
    def _is_whole(folder):
        try:
            manifest = json.loads((folder / "manifest.json").read_text())
            for name, expected in manifest["files"].items():
                if hashlib.sha256((folder / name).read_bytes()).hexdigest() != expected["sha256"]:
                    return False
            return "summary.json" in manifest["files"]
        except (OSError, ValueError, KeyError, TypeError):
            return False

    def _discard(self, folder):
        aside = self.folder / f"{PART}{socket.gethostname()}-{os.getpid()}-damaged-{folder.name[:16]}"
        try:
            folder.rename(aside)
            shutil.rmtree(aside)
        except OSError as error:
            raise StoreError(f"cannot remove the damaged result {folder}: {error.strerror}") from error

    def _sweep_parts(self):
        """Removes what processes of this machine left unfinished when they died."""
        own = f"{PART}{socket.gethostname()}-"
        for path in sorted(self.folder.glob(own + "*")):
            pid = path.name[len(own):].split("-", 1)[0]
            if pid.isdigit() and not is_running(int(pid)):
                shutil.rmtree(path, ignore_errors=True)
