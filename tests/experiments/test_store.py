"""Is a stored result whole or absent, whatever happens while it is written?"""

import errno
import os
import subprocess
import sys

import pytest

import twinplane
from twinplane import store as store_module
from twinplane.running import run_job

KEY = "ab" * 32
FILES = {"summary.json": b"{}", "timeline.csv": b"a\n1\n"}


def leftovers(store):
    return [p.name for p in store.folder.iterdir() if p.name.startswith(store_module.PART)]


def test_what_is_kept_is_found(store):
    store.keep(KEY, FILES, {})
    assert store.load(KEY).folder == store.path_of(KEY)
    assert store.load("cd" * 32) is None
    assert leftovers(store) == []


@pytest.mark.parametrize("damage", [
    lambda folder: (folder / "summary.json").write_bytes(b"{"),
    lambda folder: (folder / "timeline.csv").unlink(),
    lambda folder: (folder / "manifest.json").unlink(),
    lambda folder: (folder / "manifest.json").write_bytes(b'{"files": '),
], ids=["cut short", "file missing", "no manifest", "half a manifest"])
def test_a_damaged_result_is_noticed_and_replaced(store, damage):
    store.keep(KEY, FILES, {})
    damage(store.path_of(KEY))
    assert store.load(KEY) is None
    assert store.damaged == [KEY]
    store.keep(KEY, FILES, {})
    assert store.load(KEY) is not None


def test_a_full_disk_leaves_nothing_half_and_loses_nothing(store, monkeypatch):
    store.keep(KEY, FILES, {})
    real = store_module.write_durably

    def full(path, content):
        real(path, content[:1])
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(store_module, "write_durably", full)
    with pytest.raises(twinplane.StoreError, match="No space left on device.*next run continues"):
        store.keep("cd" * 32, FILES, {})
    with pytest.raises(twinplane.StoreError, match="No space left on device"):
        store_module.write_atomically(store.folder / "table.csv", b"12")
    monkeypatch.undo()
    assert leftovers(store) == [] and not (store.folder / "table.csv").exists()
    assert store.load(KEY) is not None and store.load("cd" * 32) is None


def test_what_a_dead_process_left_is_removed(store):
    child = subprocess.run([sys.executable, "-c", "import os; print(os.getpid())"], capture_output=True, text=True,
                           check=True)
    part = store.folder / f"{store_module.PART}{store_module.socket.gethostname()}-{child.stdout.strip()}-{KEY[:16]}"
    part.mkdir()
    (part / "summary.json").write_text("{")
    mine = store.folder / f"{store_module.PART}{store_module.socket.gethostname()}-{os.getpid()}-{KEY[:16]}"
    mine.mkdir()
    twinplane.Store(store.folder)
    assert leftovers(store) == [mine.name]


def test_two_writers_of_one_result_agree(store):
    first = store.keep(KEY, FILES, {})
    assert store.keep(KEY, FILES, {}).folder == first.folder
    assert leftovers(store) == []


def test_a_folder_that_cannot_be_used_is_named(tmp_path):
    (tmp_path / "file").write_text("")
    with pytest.raises(twinplane.StoreError, match="cannot use .*/file/store"):
        twinplane.Store(tmp_path / "file/store")


def test_the_address_changes_with_all_that_matters(tiny, program):
    base = tiny(1).job(program)["key"]
    assert base == tiny(1).job(program)["key"]
    other_program = twinplane.Program(program.path, program.version, "0" * 64)
    others = [tiny(2).job(program), tiny(1, requests=101).job(program), tiny(1).job(other_program),
              twinplane.Case(tiny(1).config, tiny(1).settings, seed=2).job(program)]
    assert len({base, *(job["key"] for job in others)}) == 5


def test_the_same_run_gives_the_same_bytes_but_for_the_clock(store, tiny, program, tmp_path):
    job = tiny(1).job(program)
    first = run_job(job, store)
    again = run_job(job, twinplane.Store(tmp_path / "other"))
    for name in ("timeline.csv", "latency.csv"):
        assert (first.folder / name).read_bytes() == (again.folder / name).read_bytes()
    assert first.summary["host"] == again.summary["host"]
