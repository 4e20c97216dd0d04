"""Does a sweep survive what happens on clusters: workers that die, none at all, a scheduler that goes away?"""

import contextlib
import json
import subprocess
import sys
import threading
import time

import pytest

import twinplane
from twinplane.sweeping import sweep


class Cluster:
    """A scheduler and workers, started separately on loopback as on a real cluster."""

    def __init__(self, folder):
        self.file = folder / "scheduler.json"
        self.processes = []
        self.scheduler = self._start("distributed.cli.dask_scheduler", "--host", "127.0.0.1", "--port", "0",
                                     "--no-dashboard", "--scheduler-file", self.file)
        self.workers = []
        self._wait(self.file.exists)
        self._wait(lambda: self.file.read_text().endswith("}"))
        self.address = json.loads(self.file.read_text())["address"]

    def add_worker(self):
        self.workers.append(self._start("distributed.cli.dask_worker", self.address, "--nthreads", "1", "--no-nanny",
                                        "--no-dashboard"))

    def _start(self, module, *arguments):
        process = subprocess.Popen([sys.executable, "-m", module, *map(str, arguments)], stdout=subprocess.DEVNULL,
                                   stderr=subprocess.DEVNULL, cwd=self.file.parent)
        self.processes.append(process)
        return process

    @staticmethod
    def _wait(condition, seconds=60):
        end = time.monotonic() + seconds
        while not condition():
            assert time.monotonic() < end, "the cluster did not start"
            time.sleep(0.05)

    def close(self):
        for process in reversed(self.processes):
            process.kill()
            process.wait()


@pytest.fixture
def cluster(tmp_path):
    with contextlib.closing(Cluster(tmp_path)) as started:
        yield started


def stored(store):
    return len(list(store.folder.glob("*/*/manifest.json")))


def when_stored(store, count, action):
    """Does `action` as soon as that many results are stored."""
    def watch():
        enough = False
        while not enough:
            time.sleep(0.01)
            with contextlib.suppress(OSError):  # a result changed its name while it was counted
                enough = stored(store) >= count
        action()

    thread = threading.Thread(target=watch, daemon=True)
    thread.start()
    return thread


def test_64_runs_survive_a_killed_worker_and_give_the_same_parquet_as_here(cluster, store, tiny, tmp_path):
    cases = [tiny(n, requests=400) for n in range(1, 65)]
    cluster.add_worker()
    cluster.add_worker()
    killer = when_stored(store, 10, cluster.workers[0].kill)
    far = sweep(cases, store=store.folder, scheduler=cluster.address, progress=False)
    killer.join(timeout=10)
    assert cluster.workers[0].wait(timeout=10) != 0 and cluster.workers[1].poll() is None
    here = sweep(cases, store=tmp_path / "here", workers=2, progress=False)
    far.write_parquet(tmp_path / "far.parquet")
    here.write_parquet(tmp_path / "here.parquet")
    assert len(far.frame) == 64
    assert (tmp_path / "far.parquet").read_bytes() == (tmp_path / "here.parquet").read_bytes()


def test_a_scheduler_that_cannot_be_reached_is_named_and_needed_only_for_missing_runs(store, tiny):
    done = sweep([tiny(1)], store=store.folder, progress=False)
    with pytest.raises(twinplane.SchedulerError, match="cannot reach the scheduler tcp://127.0.0.1:1:"):
        sweep([tiny(1), tiny(2)], store=store.folder, scheduler="tcp://127.0.0.1:1", progress=False)
    with pytest.raises(twinplane.SchedulerError, match="cannot reach the scheduler nowhere://x"):
        sweep([tiny(1), tiny(2)], store=store.folder, scheduler="nowhere://x", progress=False)
    again = sweep([tiny(1)], store=store.folder, scheduler="tcp://127.0.0.1:1", progress=False)
    assert again.frame.equals(done.frame)


def test_a_scheduler_without_workers_is_told(cluster, store, tiny):
    with pytest.raises(twinplane.SchedulerError, match="no workers for 1 s; 2 runs are left"):
        sweep([tiny(1), tiny(2)], store=store.folder, scheduler=cluster.address, patience_s=1, progress=False)


def test_a_lost_scheduler_loses_no_finished_run_and_the_next_sweep_continues(cluster, store, tiny):
    cases = [tiny(n, requests=400) for n in range(1, 33)]
    cluster.add_worker()
    when_stored(store, 3, cluster.scheduler.kill)
    with pytest.raises(twinplane.SchedulerError, match="lost the scheduler; .* the next run continues"):
        sweep(cases, store=store.folder, scheduler=cluster.address, patience_s=20, progress=False)
    kept = stored(store)
    assert 3 <= kept < 32
    again = sweep(cases, store=store.folder, workers=2, progress=False)
    assert len(again.frame) == 32 and stored(store) == 32


POISON = """#!/bin/sh
if [ "$1" = run ] && grep -q '^iodepth = 2$' config.toml; then kill -9 $PPID; fi
exec {program} "$@"
"""


def test_a_run_that_kills_its_workers_is_named_and_the_others_are_stored(store, tiny, program, tmp_path):
    script = tmp_path / "poison"
    script.write_text(POISON.format(program=program.path))
    script.chmod(0o755)
    with pytest.raises(twinplane.SweepError, match="(?s)1 of 4 runs failed.*depth=2: its worker died each time"):
        sweep([tiny(n) for n in (1, 2, 3, 4)], store=store.folder, program=script, workers=2, progress=False)
    assert stored(store) == 3


def test_a_worker_with_another_program_is_told(store, tiny, program, monkeypatch):
    foreign = twinplane.Program(program.path, program.version, "0" * 64)
    monkeypatch.setattr(twinplane.Program, "find", lambda path=None: foreign)
    with pytest.raises(twinplane.SweepError, match="another build"):
        sweep([tiny(1)], store=store.folder, progress=False)
