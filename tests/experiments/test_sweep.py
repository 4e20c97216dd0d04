"""Does a sweep run each case once, keep what it has, and tell what failed?"""

import dataclasses
import re

import pandas
import pytest
from conftest import DEMO

import twinplane


def test_nothing_runs_twice(store, tiny, monkeypatch):
    cases = [tiny(1), tiny(2), tiny(1)]
    first = twinplane.sweep(cases, store=store.folder, workers=2, progress=False)
    assert first.frame["depth"].tolist() == [1, 2, 1]
    assert first.results[0] is first.results[2]
    monkeypatch.setattr("twinplane.sweeping.cluster", None)  # there is none to run anything
    again = twinplane.sweep(cases, store=store.folder, progress=False)
    pandas.testing.assert_frame_equal(first.frame, again.frame)


def test_parquet_does_not_depend_on_the_order_of_the_runs(store, tiny, tmp_path):
    cases = [tiny(n) for n in (1, 2, 3)]
    twinplane.sweep(cases[2:], store=store.folder, progress=False)
    twinplane.sweep(cases, store=store.folder, workers=1, progress=False).write_parquet(tmp_path / "a.parquet")
    twinplane.sweep(cases, store=tmp_path / "other", workers=2, progress=False).write_parquet(tmp_path / "b.parquet")
    assert (tmp_path / "a.parquet").read_bytes() == (tmp_path / "b.parquet").read_bytes()
    assert pandas.read_parquet(tmp_path / "a.parquet")["depth"].tolist() == [1, 2, 3]


def test_a_half_written_result_is_run_again(store, tiny):
    done = twinplane.sweep([tiny(1), tiny(2)], store=store.folder, workers=1, progress=False)
    summary = done.results[0].folder / "summary.json"
    summary.write_bytes(summary.read_bytes()[:100])
    again = twinplane.sweep([tiny(1), tiny(2)], store=store.folder, progress=False)
    pandas.testing.assert_frame_equal(done.frame, again.frame)


def test_a_run_that_fails_does_not_stop_the_others(store, tiny, tmp_path):
    trace = tmp_path / "bad.csv"
    trace.write_text("this is no trace\n")
    bad = twinplane.Case(tiny(1).config, trace=str(trace), labels={"depth": "bad"})
    wanted = "(?s)1 of 3 runs failed; the other 2 are stored.*depth=bad.*bad.csv"
    with pytest.raises(twinplane.SweepError, match=wanted):
        twinplane.sweep([tiny(1), bad, tiny(2)], store=store.folder, workers=1, progress=False)
    assert len(list(store.folder.glob("*/*/summary.json"))) == 2


def test_a_wrong_configuration_is_told_before_anything_runs(store, tiny):
    with pytest.raises(twinplane.RunError, match="ftl.victm: unknown key"):
        twinplane.sweep([tiny(1), tiny(2, **{"ftl.victm": "rga"})], store=store.folder, progress=False)
    assert not list(store.folder.glob("*/*"))


def test_grid_combines_axes_with_the_first_slowest():
    cases = twinplane.grid("c.toml", {"host.mode": "closed"}, seeds=(1, 2), axes={
        "depth": ("host.iodepth", [1, 2]), "tR": ("nand.tR", [["1us", "2us"]])})
    assert [c.labels for c in cases][:2] == [{"depth": 1, "tR": "1us,2us", "seed": 1}, {"depth": 1, "tR": "1us,2us",
                                                                                       "seed": 2}]
    assert len(cases) == 4 and cases[3].settings == {"host.mode": "closed", "host.iodepth": 2,
                                                     "nand.tR": ["1us", "2us"]}


def state_of(tmp_path, name, seed):
    """A drive that was kept."""
    folder = tmp_path / f"{name}-run"
    kept = twinplane.run(DEMO, store=folder, options=("--save-state", name), seed=seed, precondition__mode="fill", precondition__overwrite="1%",
                         geometry__blocks_per_plane=8, workload__number_ios=10)
    return kept.folder / name


def test_a_file_that_an_option_writes_is_kept_with_the_result(store, tmp_path):
    assert state_of(tmp_path, "aged.drive", 1).stat().st_size > 0
    with pytest.raises(twinplane.RunError, match="expected a plain name"):
        twinplane.run(DEMO, store=store.folder, options=("--save-end", str(tmp_path / "x.drive")))


@pytest.mark.parametrize("axes, wanted", [
    ({"a": ("run.seed", [1, 2])}, "run.seed is what `seeds` sets"),
    ({"seed": ("ftl.victim", ["greedy", "rga"])}, 'axis "seed": a grid has a label of that name'),
    ({"a": ("ftl.victim", ["rga"]), "b": ("ftl.victim", ["greedy"])}, 'axes "a" and "b" both set ftl.victim'),
    ({"a": ("host.iodepth", [1, 1, 4])}, 'axis "a": 1 is given more than once'),
    ({"a": ["greedy"]}, "expected a key and its values"),
])
def test_axes_that_do_not_say_what_is_run_are_errors(axes, wanted):
    with pytest.raises(twinplane.RunError, match=re.escape(wanted)):
        twinplane.grid("c.toml", axes=axes)


def test_seeds_that_are_equal_are_an_error():
    with pytest.raises(twinplane.RunError, match="seeds: 1 is given more than once"):
        twinplane.grid("c.toml", axes={"a": ("host.iodepth", [1])}, seeds=(1, 1))


def test_a_result_belongs_to_the_content_of_the_files_that_its_options_read(store, tmp_path):
    path = tmp_path / "x.drive"
    keys = []
    for seed in (1, 2, 1):
        path.write_bytes(state_of(tmp_path, f"{seed}.drive", seed).read_bytes())
        case = twinplane.Case(DEMO, {"geometry.blocks_per_plane": 8, "precondition.mode": "fill", "precondition.overwrite": "1%",
                                     "run.seed": seed}, options=("--load-state", str(path)), seed=seed)
        described = case.job(twinplane.Program.find())["described"]["workload"]["files"]
        keys.append(tuple(described.values()))
    assert keys[0] == keys[2] != keys[1]


def test_an_axis_named_like_a_metric_is_an_error(store, tiny):
    case = dataclasses.replace(tiny(1), labels={"waf": 1})
    with pytest.raises(twinplane.SweepError, match="'waf' is also the name of a metric"):
        twinplane.sweep([case], store=store.folder, progress=False)


def test_warnings_are_a_column_and_are_counted(store, tiny, capsys):
    never_written = dataclasses.replace(tiny(2), settings=tiny(2).settings | {"workload.rw": "randread"})
    written = dataclasses.replace(tiny(3), settings=tiny(3).settings | {"workload.rw": "randwrite"})
    done = twinplane.sweep([never_written, written], store=store.folder, workers=1)
    assert done.frame["warnings"].tolist() == [1, 0]
    assert "1 of 2 runs warn (column `warnings`), for example: " in capsys.readouterr().err


def test_seeds_that_change_nothing_are_told(store, tiny, capsys):
    ordered = tiny(1).settings | {"workload.rw": "write", "precondition.mode": "none"}
    twinplane.sweep([dataclasses.replace(tiny(1), settings=ordered, seed=s) for s in (1, 2)], store=store.folder, workers=1)
    assert "seeds 1 and 2 give the same results" in capsys.readouterr().err
    random = ordered | {"workload.rw": "randread", "host.iodepth": 8, "precondition.mode": "fill"}
    twinplane.sweep([dataclasses.replace(tiny(1), settings=random, seed=s) for s in (1, 2)], store=store.folder, workers=1)
    assert "give the same results" not in capsys.readouterr().err
