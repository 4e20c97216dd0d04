"""Does the experiment broms ask the program, for all that it says, and judge the answers as the paper's sections do?"""

import io
import os
import subprocess

import pandas
import pytest

import twinplane
from twinplane.experiments import broms, broms_model
from twinplane.experiments.broms_metrics import lowest_of, of_part, over_model
from twinplane.experiments.experiment import MET, REPRODUCED
from twinplane.experiments.outcome import Outcome
from twinplane.report import render_page


@pytest.fixture(scope="module")
def quick(tmp_path_factory):
    """The quick experiment, run once. It takes longer than all tests of the other experiments: in the weekly tests only."""
    if "TWINPLANE_DEEP_TESTS" not in os.environ:
        pytest.skip("the weekly tests run the quick form of BROMS")
    return twinplane.sweep(broms.grid(True), broms.metrics, store=tmp_path_factory.mktemp("store"), workers=2, progress=False)


def labels(cases):
    return {tuple(case.labels.items()) for case in cases}


def asked(program, **options):
    """What the program prints, straight from it."""
    words = [word for name, value in options.items() for word in (f"--{name.replace('_', '-')}", str(value))]
    done = subprocess.run([program.path, "cost-model", *words], capture_output=True, text=True, check=True)
    return pandas.read_csv(io.StringIO(done.stdout))


def test_the_quick_grid_is_part_of_the_full_one():
    assert labels(broms.grid(True)) < labels(broms.grid(False))


def test_no_table_takes_what_it_assumes_from_the_programs_defaults(quick):
    for case, result in zip(quick.cases, quick.results):
        if not isinstance(case, twinplane.CostCase):
            continue  # tests/experiments/test_assumed.py
        named = {name for name in case.settings if name not in ("at", "best")}
        taken = set(result.summary["inputs"])
        assert taken - named <= {"whole-pages"} | ({"hot-capacity"} if "hot-blocks" in named else set()), case.name()


def test_the_frame_has_a_row_for_each_division_as_the_program_prints_it(quick, program):
    rows = quick.frame[(quick.frame["part"] == "figure 5") & (quick.frame["hot_writes"] == 0.5)
                       & (quick.frame["misplaced"] == 0.2)].reset_index(drop=True)
    at = ",".join(str(u) for u in rows["hot_utilisation"])
    printed = asked(program, hot_writes=0.5, misplaced=0.2, at=at)
    assert len(rows) > 15
    pandas.testing.assert_frame_equal(rows[list(printed.columns)], printed)


def test_the_effect_of_misplaced_data_is_that_of_the_tables(quick, program):
    effect = broms_model.effects(quick.frame)
    without, half = (asked(program, misplaced=part, at="0.68,0.96")["overall_us"] for part in (0, 0.5))
    for i, utilisation in enumerate((0.68, 0.96)):
        assert effect[utilisation] / 2 == pytest.approx(half[i] / without[i] - 1, rel=1e-6)


def test_the_papers_optimum_and_bound_are_found(quick):
    verdicts = {claim.what: claim.verdict for claim in broms.claims(quick.frame, True)}
    for what in ("ST1: hot utilisation of the least cost, measured beside predicted", "ST1: measured cost", "ST1: gap to the model",
                 "least hot utilisation", "cost over the hot utilisation", "hot utilisation of the least cost, 30 % hot writes"):
        assert verdicts[what] == REPRODUCED
    assert verdicts["ST1: measured cost over predicted, at its lowest"] == MET  # 1.00 to 1.06


def test_a_curve_that_has_two_bottoms_is_no_bathtub(quick):
    frame = quick.frame.copy()
    curve = frame.index[(frame["part"] == "figure 4") & ~frame["whole_pages"]]
    frame.loc[curve[3], "overall_us"] = frame.loc[curve[2], "overall_us"] + 1
    assert not next(c for c in broms.claims(frame, True) if c.what == "cost over the hot utilisation").holds


def test_its_page_shows_calls_that_can_be_repeated(quick, program, tmp_path):
    outcome = Outcome(broms.EXPERIMENT, True, program, quick)
    page = render_page(outcome, tmp_path / "page").read_text()
    assert outcome.git in page and "figure-6" in {figure.name for figure in outcome.figures}
    assert "twinplane cost-model --pages-per-block 256 --read 75us" in (tmp_path / "page/commands.txt").read_text()


def test_a_wrong_option_is_told_in_the_programs_words(store):
    wrong = twinplane.CostCase(settings={"hot-writes": 2}, labels={"part": "x"})
    with pytest.raises(twinplane.SweepError, match="cost-model: --hot-writes: expected a share from 0 to 1"):
        twinplane.sweep([wrong], broms.metrics, store=store.folder, progress=False)


def test_a_table_is_kept_and_not_asked_for_again(store, monkeypatch):
    case = twinplane.CostCase(settings={"best": True, "whole-pages": False}, labels={"part": "x"})
    assert case.command() == "twinplane cost-model --best --out DIR"
    first = twinplane.sweep([case], broms.metrics, store=store.folder, progress=False)
    monkeypatch.setattr("twinplane.sweeping.run_job", None)  # there is none to ask
    again = twinplane.sweep([case], broms.metrics, store=store.folder, progress=False)
    pandas.testing.assert_frame_equal(first.frame, again.frame)
    assert len(first.frame) == 1 and first.frame["hot_utilisation"][0] == pytest.approx(0.8689, abs=1e-4)


def test_the_lowest_cost_is_found_between_the_points_of_the_models_own_curve(program):
    """How far off is the estimate that figure 6 rests on, where the answer is known?"""
    for theta in (0.3, 0.5, 0.7):
        told = {"pages_per_block": 64, "hot_writes": theta, "misplaced": 0}
        curve = asked(program, at="0.70,0.74,0.78,0.82,0.86,0.90,0.94", **told)
        best = subprocess.run([program.path, "cost-model", "--best", "--pages-per-block", "64", "--hot-writes", str(theta),
                               "--misplaced", "0"], capture_output=True, text=True, check=True)
        wanted = pandas.read_csv(io.StringIO(best.stdout))["hot_utilisation"][0]
        assert lowest_of(curve["hot_utilisation"], curve["overall_us"]) == pytest.approx(wanted, abs=0.002)


def test_the_drives_of_figure_6_hold_the_data_that_the_model_was_asked_about(quick):
    """Their partitions are as full as their labels say, and cost about what the model predicts."""
    rows = over_model(quick.frame, "figure 6", "figure 6, model")
    assert len(rows) == 7 and rows["predicted_us"].notna().all()
    assert rows["ratio"].between(0.98, 1.3).all()
    assert rows["written_hot"].between(0.29, 0.31).all()
    assert (rows["hot_filled"] > rows["point"]).all(), "what collection keeps erased holds no data"


def test_broms_and_combo_start_from_the_same_drive_and_load(quick):
    for part in ("starts", "open", "grid", "profile"):
        cases = [case for case in quick.cases if case.labels["part"] == part]
        pairs = {}
        for case in cases:
            named = {key: value for key, value in case.settings.items() if key not in ("ftl.policy", "ftl.regions")}
            pairs.setdefault((case.labels["start"], case.labels["load"], case.labels["hot_writes"]), []).append(named)
        assert pairs and all(len(both) == 2 and both[0] == both[1] for both in pairs.values()), part


def test_the_number_of_a_start_moves_with_the_runs(quick):
    """A claim that holds whatever the runs say is none."""
    frame = quick.frame.copy()
    slow = (frame["part"] == "starts") & (frame["policy"] == "BROMS")
    frame.loc[slow, "cost_us"] *= 4
    wanted = "hm: cost of a page write, ComboFTL = 0"
    holds = {label: next(c for c in broms.claims(f, True) if c.what == wanted).holds
             for label, f in (("measured", quick.frame), ("spoilt", frame))}
    assert holds == {"measured": True, "spoilt": False}
    assert len(of_part(frame, "starts")) == 6
