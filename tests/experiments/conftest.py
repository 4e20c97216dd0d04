"""Small runs and folders of their own for the tests of the package."""

import pathlib

import pytest

from twinplane import Case, Program, Store

ROOT = pathlib.Path(__file__).resolve().parents[2]
DEMO = str(ROOT / "platform/configs/demo.toml")


@pytest.fixture
def store(tmp_path):
    return Store(tmp_path / "store")


@pytest.fixture(scope="session")
def program():
    return Program.find()


@pytest.fixture
def tiny():
    """tiny(n): a run of a fraction of a second that differs from others by n."""
    def make(n=1, requests=100, **settings):
        chosen = {"host.mode": "closed", "workload.number_ios": requests, "workload.rw": "randrw",
                  "precondition.mode": "none", "host.iodepth": n}
        return Case(DEMO, chosen | settings, labels={"depth": n})
    return make
