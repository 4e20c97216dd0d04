"""A guest's session once more, without the guest: the report must be the same, byte for byte."""

import pathlib
import re
import shutil
import subprocess

WALL_CLOCK = re.compile(rb'"(wall_s|requests_per_wall_s|peak_rss_bytes)": [^,}]*')
COMPARED = ["summary.json", "timeline.csv", "latency.csv"]


def file_of(out):
    return pathlib.Path(out) / "session"


def findings(program, out):
    """What differs when the session that was recorded in this folder is repeated; takes the session away."""
    again = pathlib.Path(out) / "again"
    done = subprocess.run([program, "run", "--replay-session", str(file_of(out)), "--out", str(again)], capture_output=True, text=True, check=False)
    if done.returncode != 0:
        return [f"the session cannot be repeated: {done.stderr}"]
    found = [f"{name} is another one when the session is repeated" for name in COMPARED
             if WALL_CLOCK.sub(b"", (pathlib.Path(out) / name).read_bytes()) != WALL_CLOCK.sub(b"", (again / name).read_bytes())]
    if not found:
        shutil.rmtree(again)
        file_of(out).unlink()
    return found
