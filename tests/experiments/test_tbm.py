"""Does the experiment tbm compare what belongs together?"""

import pandas
import pytest

from twinplane.experiments import tbm
from twinplane.experiments.tbm_claims import every_cell, gains
from twinplane.experiments.tbm_figures import ceiling


def labels(cases):
    return {tuple(case.labels.items()) for case in cases}


def test_the_quick_grid_is_part_of_the_full_one():
    assert labels(tbm.grid(True)) < labels(tbm.grid(False))


def test_without_real_traces_only_their_runs_are_missing(monkeypatch, tmp_path):
    monkeypatch.setenv("TWINPLANE_TRACES", str(tmp_path))
    alone = tbm.grid(False)
    assert not any(case.trace for case in alone)
    (tmp_path / tbm.TRACES["rsrch_1"][0]).write_bytes(b"")
    more = labels(tbm.grid(False)) - labels(alone)
    assert {dict(one)["workload"] for one in more} == {"rsrch_1"}


def test_cells_that_cannot_differ_are_run_once_and_shown_each():
    cases = tbm.grid(False)
    runs = [(tuple(sorted(case.all_settings().items())), case.trace, case.profile) for case in cases]
    assert len(set(runs)) == len(runs)
    shown = every_cell(pandas.DataFrame([case.labels for case in cases]))
    cells = shown[(shown["workload"] == "zipf") & (shown["seed"] == 2)].groupby(["base", "tbm"])
    assert set(cells.size()) == {3 * 2 * 2}
    assert not shown.drop(columns="volume").duplicated().any()


@pytest.mark.parametrize("waf, planes", [(1, 2), (1.35, 2), (5, 4)])
def test_only_the_hosts_programs_become_faster(waf, planes):
    found = ceiling(waf, planes, 64, tR=0, tBERS=0, transfer=0)
    assert found == pytest.approx(100 * (waf / (waf - 1 + 1 / planes) - 1))


def test_a_window_adds_up_requests_and_time_of_its_rounds():
    def one(requests, nanoseconds, share):
        return {"reads": 0, "writes": requests, "simulated_ns": nanoseconds, "bytes_written": 2**29,
                "latency_mean_ns": 2e6, "page_ratio": 2.0, "gc": {"invocations": 5, "pages_moved": 20},
                "multiplane": {"host_program": share, "host_read": None, "erase": 1.0}}

    found = tbm.window("late", [one(10, 1e9, 0.5), one(30, 1e9, 0.7)])
    assert found["late_iops"] == pytest.approx(20)
    assert found["late_program"] == pytest.approx(0.6)
    assert found["late_moved"] == pytest.approx(4)
    assert found["late_collections"] == pytest.approx(10)
    assert found["late_read"] is None and tbm.window("end", [])["end_iops"] is None


def test_gains_pair_runs_of_one_seed():
    def run(twin, seed, iops):
        return {"drive": "1 page, 4 planes", "workload": "uniform", "base": "d", "tbm": twin, "bac": False, "pair": "off",
                "moves": "single", "frontier": "shared", "volume": 10 if twin else 4, "seed": seed,
                "late_iops": iops, "late_latency_ms": 1.0, "late_collections": 1.0, "end_iops": None,
                "end_latency_ms": None, "end_collections": None}

    frame = pandas.DataFrame([run(False, 1, 100.0), run(False, 2, 200.0), run(True, 2, 300.0), run(True, 1, 110.0)])
    row = gains(frame).iloc[0]
    assert (row["seeds"], row["lowest_late_gain"], row["highest_late_gain"]) == (2, pytest.approx(10), pytest.approx(50))
    assert row["late_gain"] == pytest.approx(30)
