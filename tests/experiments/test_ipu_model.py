"""Does the drive with an SLC-mode cache do what mapping and collection alone would do?"""

import subprocess

import pytest

import twinplane
from slc_cache_model import replay as model
from twinplane.experiments import ipu
from twinplane.experiments.ipu_cases import BASE, PLANES, RATIOS, replay, trace_options

# Beside the share by which the drive may be off: it collects while the host goes on, and parts of a large request are programmed
# as their dies become free, so MGA packs them in another order.
COUNTED = {"slc_programs": ("programs", 0.06), "slc_erases": ("erases", 0.05),
           "evicted_pages": ("evicted", 0.1), "in_page_disturbed": ("in page disturbed", 0.12)}


@pytest.fixture(scope="module")
def trace(program, tmp_path_factory):
    file = tmp_path_factory.mktemp("trace") / "usr_0.csv"
    subprocess.run([program.path, "trace", "generate", file, "--profile", "usr_0", *trace_options("usr_0", BASE | {"ratio": "1"}), "--seed", "1",
                    "--to", "columns"], check=True, capture_output=True)
    return file


@pytest.fixture(scope="module")
def both(trace, tmp_path_factory):
    """both(scheme): metrics of the drive, counts of the model."""
    _, blocks, pages = RATIOS["1"]
    cases = [replay("usr_0", scheme, 1, ratio="1") for scheme in ("Baseline", "MGA", "IPU")]
    done = twinplane.sweep(cases, ipu.metrics, store=tmp_path_factory.mktemp("store"), workers=2, progress=False)
    rows = done.frame.set_index("scheme").to_dict("index")
    return lambda scheme: (rows[scheme], model(trace, scheme, PLANES, blocks, pages // 2))


@pytest.mark.parametrize("scheme", ("Baseline", "MGA", "IPU"))
def test_it_programs_evicts_and_erases_as_the_model_does(both, scheme):
    drive, counts = both(scheme)
    off = {name: (drive[name], counts[theirs]) for name, (theirs, allowed) in COUNTED.items()
           if drive[name] != pytest.approx(counts[theirs], rel=allowed)}
    assert not off
    _, _, pages = RATIOS["1"]
    assert drive["utilisation"] == pytest.approx(counts["used"] / counts["erases"] / (pages // 2 * 4), abs=0.02)


def test_updates_are_taken_by_the_levels_of_the_model(both):
    drive, counts = both("IPU")
    updates = sum(counts[f"level {level}"] for level in (1, 2, 3))
    for level, name in enumerate(("work", "monitor", "hot"), 1):
        assert drive[f"{name}_share"] == pytest.approx(counts[f"level {level}"] / updates, abs=0.03)
    assert drive["in_page"] == pytest.approx(counts["in page"] / updates, abs=0.03)


@pytest.mark.parametrize("scheme", ("MGA", "IPU"))
def test_reads_suffer_what_the_model_says(both, scheme):
    """Errors are read where the model has them: the growth of the rate is that of the mean partial program suffered."""
    drive, counts = both(scheme)
    grown = drive["error_rate"] / both("Baseline")[0]["error_rate"] - 1
    assert grown == pytest.approx(0.35714286 / 3 * counts["suffered"] / counts["read"], rel=0.15)
