"""Does every run of an experiment say where its planes' time went, and is anything else the same?"""

import dataclasses

import pandas
import pytest

from twinplane import CostCase, experiments
from twinplane.experiments.plane_time import KEY, PREFIX, account_is_exact, is_exact, measure, with_account
from twinplane.experiments.why import areas, stacks, why_figure, with_accounts
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
    # a table of the cost model has no planes, and an image does not tell what waits for them
    assert all((KEY in case.settings) != (isinstance(case, CostCase) or bool(case.firmware)) for case in cases)


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
    causes = runs[1].results[0].summary["plane_time"]["causes_ns"]
    assert len(causes) > 20 and list(shares.columns) == [PREFIX + cause for cause in causes]
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


def test_every_cause_is_drawn_once(runs):
    drawn = [column for _, columns, _ in areas() for column in columns]
    kept = [column for column in runs[1].frame.columns if column.startswith(PREFIX)]
    assert sorted(drawn) == sorted(kept)


def test_a_bar_is_as_high_as_its_planes_time_per_request(runs):
    frame = with_accounts(runs[1].frame).assign(bar="all")
    summary = runs[1].results[0].summary
    requests = summary["host"]["read"]["count"] + summary["host"]["write"]["count"]
    height = stacks(frame, "bar", ()).sum(axis=1)["all"]
    assert height == pytest.approx(summary["plane_time"]["total_ns"] / requests / 1e6)
    without = stacks(frame, "bar", ("imbalance", "no_work")).sum(axis=1)["all"]
    left_out = summary["plane_time"]["causes_ns"]["imbalance"] + summary["plane_time"]["causes_ns"]["no_work"]
    assert without == pytest.approx(height - left_out / requests / 1e6)
    assert with_accounts(runs[0].frame).empty


def test_a_bar_is_the_mean_of_its_seeds(runs):
    one = runs[1].frame.assign(bar="all")
    slow = one.assign(planes_us_per_request=3 * one["planes_us_per_request"])
    both = pandas.concat([one, slow])
    assert stacks(both, "bar", ()).sum(axis=1)["all"] == pytest.approx(2 * one["planes_us_per_request"].iloc[0] / 1e3)
    assert why_figure("why", "Caption.", {"panel": both}, "bar").name == "why"
