"""Is an interrupted experiment one message, with nothing left behind?"""

import os
import pathlib
import signal
import subprocess
import sys
import time

import psutil
import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
SAID = "experiments: interrupted; finished runs are stored, the next run continues with them\n"


@pytest.fixture
def experiment(tmp_path):
    """The quick fidelity runs, in a session of their own as in a terminal, once a tenth of them is done."""
    words = [sys.executable, "-m", "twinplane.experiments", "fidelity", "--quick", "--store", tmp_path / "store",
             "--out", tmp_path / "out"]
    env = dict(os.environ, PYTHONPATH=str(ROOT / "scripts"))
    process = subprocess.Popen(words, cwd=ROOT, env=env, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                               start_new_session=True)
    yield process
    if process.poll() is None:
        os.killpg(process.pid, signal.SIGKILL)


def is_left_of(session, process):
    try:
        return os.getsid(process.pid) == session and process.status() != psutil.STATUS_ZOMBIE
    except (psutil.NoSuchProcess, ProcessLookupError):  # ended meanwhile
        return False


def left_of(session):
    return [p for p in psutil.process_iter() if is_left_of(session, p)]


@pytest.mark.parametrize("stop", [lambda p: os.killpg(p.pid, signal.SIGINT),  # what a terminal's Ctrl-C does
                                  lambda p: p.send_signal(signal.SIGTERM)], ids=["ctrl-c", "sigterm"])
def test_an_interrupted_experiment_is_one_message(experiment, stop, tmp_path):
    shown = experiment.stderr.readline()
    assert shown.startswith("fidelity: ["), shown
    stop(experiment)
    out, err = experiment.communicate(timeout=100)
    assert (experiment.returncode, out) == (130, ""), err
    assert err.endswith(SAID) and "Traceback" not in err
    assert all(line.startswith("fidelity: [") for line in err.splitlines()[:-1]), err
    deadline = time.monotonic() + 20
    while left_of(experiment.pid) and time.monotonic() < deadline:
        time.sleep(0.1)
    assert not left_of(experiment.pid)
    assert list((tmp_path / "store").glob("*/*/summary.json"))
