"""Does every run of an experiment say where its planes' time went, and is anything else the same?"""

import dataclasses

import pytest

from twinplane import CostCase, experiments
from twinplane.experiments.plane_time import KEY, PREFIX, account_is_exact, is_exact, measure, with_account
from twinplane.result import standard_metrics
from twinplane.sweeping import sweep


@pytest.fixture
def runs(store, tiny):
    """The same run without the account and with it."""
    cases = [tiny(1)]
    return [sweep(c, measure(standard_metrics), store=store.folder, workers=1, progress=False) for c in (cases, with_account(cases))]


@pytest.mark.parametrize("name", experiments.MODULES)
def test_every_run_of_every_experiment_keeps_the_account(name):
    cases = with_account(experiments.load(name).grid(True))
    assert all(case.settings.get(KEY) is True for case in cases if not isinstance(case, CostCase))


def test_the_account_changes_nothing_else(runs):
    without, kept = ({key: value for key, value in done.results[0].summary.items()
                      if key not in ("plane_time", "accounts", "config", "time")} for done in runs)
    assert without == kept
    columns = runs[0].frame.columns.drop("run")
    assert runs[0].frame[columns].equals(runs[1].frame[columns])
    assert runs[0].results[0].latency().equals(runs[1].results[0].latency())
    timelines = [done.results[0].timeline() for done in runs]
    assert timelines[0].equals(timelines[1][timelines[0].columns])


def test_shares_of_the_time_are_columns_of_a_run(runs):
    shares = runs[1].frame.filter(like=PREFIX)
    assert shares.shape[1] == 24
    assert shares.sum(axis=1).iloc[0] == pytest.approx(1, abs=1e-12)
    assert runs[0].frame.filter(like=PREFIX).empty


def test_a_lost_picosecond_is_found(runs):
    result = runs[1].results[0]
    account = result.summary["plane_time"]
    lost = account | {"causes_ns": account["causes_ns"] | {"no_work": account["causes_ns"]["no_work"] + 0.001}}
    wrong = dataclasses.replace(result, summary=result.summary | {"plane_time": lost})
    assert is_exact(result) and not is_exact(wrong)
    claim = account_is_exact([result, wrong])
    assert claim.found == 1 and claim.broken
    assert not account_is_exact([result]).broken


def test_a_run_without_the_account_does_not_count_as_exact(runs):
    assert account_is_exact(runs[0].results).broken
