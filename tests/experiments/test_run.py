"""Does one run give typed results, and the program's own words when it is wrong?"""

import pytest

import twinplane
from conftest import DEMO, ROOT


def test_a_run_gives_typed_results_and_frames(store):
    result = twinplane.run(DEMO, store=store.folder, host__mode="closed", workload__number_ios=200,
                           workload__rw="randwrite", precondition__mode="none")
    assert result.write.count == 200
    assert result.write.min_ns <= result.write.p50_ns <= result.write.p99_ns <= result.write.max_ns
    assert result.summary["ftl"]["page_ratio"] == pytest.approx(result.summary["nand"]["programs"]["total"] / 200)
    assert result.waf == pytest.approx(2 * result.summary["ftl"]["page_ratio"])  # 4 KiB each, in pages of 8 KiB
    assert result.latency().query("op == 'write'")["cumulative"].iloc[-1] == 1
    timeline = result.timeline()
    seconds = (timeline["end_us"] - timeline["start_us"]) / 1e6
    assert (timeline["write_iops"] * seconds).sum() == pytest.approx(200, rel=1e-3)


def test_a_trace_is_replayed(store):
    result = twinplane.run(DEMO, trace=ROOT / "traces/demo.csv.zst", store=store.folder, host__max_requests=300)
    assert result.read.count + result.write.count == 300


@pytest.mark.parametrize("profile", ["prxy_0", ROOT / "traces/profiles/prxy_0.toml"])
def test_a_profile_is_a_workload_by_name_or_file(store, profile):
    result = twinplane.run(DEMO, profile=profile, store=store.folder, options=("--requests", "200"))
    assert result.summary["workload"]["requests"] == 200
    assert result.summary["workload"]["source"] == "prxy_0"


def test_the_programs_message_is_the_error(store):
    with pytest.raises(twinplane.RunError, match="number_io: unknown key; did you mean workload.number_ios"):
        twinplane.run(DEMO, store=store.folder, workload__number_io=1)
    with pytest.raises(twinplane.RunError, match="none.toml: cannot read the configuration"):
        twinplane.run("none.toml", store=store.folder)
    with pytest.raises(twinplane.RunError, match="none.csv: cannot read the file"):
        twinplane.run(DEMO, trace="none.csv", store=store.folder)


def test_an_error_during_the_run_is_the_error(store, tmp_path):
    trace = tmp_path / "bad.csv"
    trace.write_text("this is no trace\n")
    with pytest.raises(twinplane.RunError, match="bad.csv"):
        twinplane.run(DEMO, trace=trace, store=store.folder)


def test_a_missing_program_is_named(tmp_path):
    with pytest.raises(twinplane.ProgramError, match="cannot run .*/nothing.*cmake --build"):
        twinplane.Program.find(tmp_path / "nothing")


def test_settings_are_written_as_the_program_wants_them(tiny, program):
    dump = program.dump([DEMO], twinplane.Case(settings={"nand.tR": ("1us", "2us", "3us"), "nand.pac": False,
                                                         "host.time_scale": 0.5}).all_settings())
    assert 'tR = ["1us", "2us", "3us"]' in dump and "pac = false" in dump and "time_scale = 0.5" in dump
