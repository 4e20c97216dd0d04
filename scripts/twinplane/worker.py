"""What a worker does: run the program once in a temporary folder and hand back its files.

Travels to the worker by value, so that a worker needs Dask and the program, and nothing else of this package.
Standard library only.
"""

import hashlib
import os
import pathlib
import subprocess
import tempfile


def stop_runs():
    """Ends the programs that this process has started; they report or vanish on SIGTERM."""
    import psutil  # comes with Dask

    for child in psutil.Process().children():
        child.terminate()


def execute(job):
    """Runs `job`. Returns ("done", {file name: bytes}) or ("failed", message).

    A failure that would come again is returned; what may pass (a full disk) is raised as OSError.
    """
    program = pathlib.Path(job["program"])
    try:
        found = hashlib.sha256(program.read_bytes()).hexdigest()
    except OSError as error:
        return "failed", (f"{os.uname().nodename}: cannot read {program}: {error.strerror}; the program must be at "
                          "the same path on every worker")
    if found != job["sha256"]:
        return "failed", f"{os.uname().nodename}: {program} is another build than the one that was asked for"
    with tempfile.TemporaryDirectory(prefix="twinplane-") as name:
        folder = pathlib.Path(name)
        for file, content in job["inputs"].items():
            (folder / file).write_bytes(content)
        done = subprocess.run([program, *job["arguments"], "--out", "out"], cwd=folder, capture_output=True, text=True,
                              check=False, env=dict(os.environ, SYSTEMC_DISABLE_COPYRIGHT_MESSAGE="1"))
        if done.returncode != 0:
            text = done.stderr.strip() or f"no message; exit status {done.returncode}"
            return "failed", text if done.returncode > 0 else f"killed by signal {-done.returncode}: {text}"
        written = [p for p in folder.iterdir() if p.name not in job["inputs"]] + list((folder / "out").iterdir())
        return "done", {p.name: p.read_bytes() for p in sorted(written) if p.is_file()}
