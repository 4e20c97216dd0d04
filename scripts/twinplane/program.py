"""The simulator's executable: where it is, which one it is, and what it makes of a configuration."""

import hashlib
import os
import pathlib
import subprocess
from dataclasses import dataclass

from twinplane.errors import ProgramError, RunError

ROOT = pathlib.Path(__file__).resolve().parents[2]
VARIABLE = "TWINPLANE_PROGRAM"


def environment():
    return dict(os.environ, SYSTEMC_DISABLE_COPYRIGHT_MESSAGE="1")


@dataclass(frozen=True)
class Program:
    """One build of `twinplane`; results belong to a version and the bytes of the executable."""

    path: pathlib.Path
    version: str
    sha256: str

    @classmethod
    def find(cls, path=None):
        """`path`, else $TWINPLANE_PROGRAM, else the release build of this tree."""
        chosen = pathlib.Path(path or os.environ.get(VARIABLE) or ROOT / "build/release/twinplane").resolve()
        try:
            content = chosen.read_bytes()
            done = subprocess.run([chosen, "--version"], capture_output=True, text=True, check=True, env=environment())
        except (OSError, subprocess.CalledProcessError) as error:
            raise ProgramError(f"cannot run {chosen}: {error}. Build it with: cmake --preset release && cmake --build "
                               f"--preset release --target twinplane; or set {VARIABLE}") from error
        return cls(chosen, done.stdout.strip(), hashlib.sha256(content).hexdigest())

    def dump(self, files, settings):
        """The resolved configuration as TOML; the program's complaint becomes a RunError."""
        command = [self.path, "config", "--dump"]
        for file in files:
            command += ["-c", file]
        for key, value in settings.items():
            command += ["--set", f"{key}={value}"]
        done = subprocess.run(command, capture_output=True, text=True, check=False, env=environment())
        if done.returncode != 0:
            raise RunError(done.stderr.strip() or f"{self.path} config ended with status {done.returncode}")
        return done.stdout
