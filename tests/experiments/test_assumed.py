"""Do the runs of papers name all that their results depend on?"""

import tomllib

import pytest

from twinplane import Case, CostCase, experiments
from twinplane.case import flat_keys
from twinplane.experiments.papers import ASSUMED, FREE, inherited

PAPERS = [name for name in experiments.MODULES if experiments.load(name).paper]


def simulations(name, quick=True):
    """Runs of a drive; what a CostCase names is tested in test_broms.py."""
    return [case for case in experiments.load(name).grid(quick) if not isinstance(case, CostCase)]


@pytest.fixture(scope="module")
def registry(program):
    return flat_keys(tomllib.loads(program.dump([], {})))


@pytest.mark.parametrize("quick", (True, False))
@pytest.mark.parametrize("name", PAPERS)
def test_no_run_of_a_paper_takes_what_it_assumes_from_the_defaults(name, quick, registry):
    missing = {}
    for case in simulations(name, quick):
        for key in inherited(case, registry):
            missing.setdefault(key, case.name())
    assert not missing, "name them in configs/assumed.toml (a new key: with the value that changes nothing)"


def test_the_papers_are_all_there():
    """An experiment that is not held to it answers a question of its own."""
    assert set(experiments.MODULES) - set(PAPERS) == {"fidelity", "design-space", "ageing", "power-loss", "firmware-cost", "drives"}


@pytest.mark.parametrize("lost", ("cpu.cost.map_lookup", "dram.bandwidth", "host.mode", "ftl.victim", "nand.tPROG"))
def test_a_key_that_nobody_names_is_found(lost, registry, tmp_path):
    case = experiments.load("papa").grid(True)[0]
    named = {key: value for key, value in case.named_keys().items() if key != lost}
    without = Case((), named, profile="prxy_0")
    assert inherited(without, registry) == [lost]


def test_a_key_that_is_new_is_found(registry):
    """Parity, metadata: whatever the program learns."""
    for name in PAPERS:
        for case in simulations(name)[:1]:
            assert inherited(case, registry | {"ftl.parity": "none", "waves.colour": "red"}) == ["ftl.parity"]


def test_a_run_without_trace_or_profile_names_its_workload(registry):
    case = experiments.load("papa").grid(True)[0]
    found = inherited(Case(case.config, case.settings), registry)
    assert {"workload.rw", "workload.bs", "workload.number_ios"} == set(found)


def test_the_depth_is_named_where_it_counts(registry):
    case = experiments.load("papa").grid(True)[0]
    closed = {key: value for key, value in case.settings.items() if key != "host.iodepth"}
    assert inherited(Case(case.config, closed, profile="prxy_0"), registry) == ["host.iodepth"]
    assert inherited(Case(case.config, closed | {"host.mode": "open"}, profile="prxy_0"), registry) == []


def test_what_is_free_and_what_is_assumed_exists(registry):
    assert set(FREE) <= set(registry)
    assert set(flat_keys(tomllib.loads(open(ASSUMED).read()))) <= set(registry)
