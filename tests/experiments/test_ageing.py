"""Does the experiment ageing hold its runs against the right law, and would it notice a drive that ages otherwise?"""

import itertools

import numpy
import pandas
import pytest
from scipy.stats import binom

from twinplane.experiments import ageing


@pytest.mark.parametrize("cell, types", [("slc", 1), ("tlc", 3), ("qlc", 4)])
@pytest.mark.parametrize("cycles, days, rate", [(4000, 0, 2.8e-4), (4000, 30, 5.6e-4), (0, 365, 1e-5 * (1 + (365 / 30) ** 0.5))])
def test_the_law_is_binomial_over_page_types(cell, types, cycles, days, rate):
    good = [binom.cdf(40, 8752, rate * 2 ** t) ** 4 for t in range(types)]
    assert ageing.failing(cell, "bch", cycles, days) == pytest.approx(1 - sum(good) / types, rel=1e-6, abs=1e-9)


def drive(**changed):
    """A row per point as a drive would give it that follows the law, but for what is `changed`."""
    rows = []
    for cell, code, cycles, days in itertools.product(ageing.CELLS, ageing.CODES, ageing.CYCLES, ageing.AGES):
        failing = 0.0 if cell == "slc" else ageing.failing(cell, code, cycles, days)
        row = {"cell": cell, "code": code, "cycles": cycles, "days": days, "seed": 1, "retried": failing,
               "senses": ageing.further_senses(cell, code, cycles, days), "failed": ageing.lost(cell, code, cycles, days), "read_p99_ns": 1e5 * (1 + failing),
               "mismatches": 0, "violations": 0}
        rows.append(row | {k: v(row) for k, v in changed.items()})
    return pandas.DataFrame(rows)


def missed(frame):
    return [c.what for c in ageing.claims(frame, False) if not c.holds]


def test_a_drive_that_follows_the_law_is_believed():
    assert missed(drive()) == []


@pytest.mark.parametrize("changed, what", [
    ({"mismatches": lambda row: row["seed"]}, "wrong data"),
    ({"retried": lambda row: row["retried"] * 0.9}, "tlc, 4000 cycles"),
    ({"retried": lambda row: 0.0001 if row["cell"] == "slc" else row["retried"]}, "slc: share"),
    ({"read_p99_ns": lambda row: 1e5 + row["cycles"] - 1000 * row["days"] ** 0.5}, "p99 of reads"),
    ({"failed": lambda row: 0.2 if row["code"] == "ldpc" else row["failed"]}, "qlc, 4000 cycles, 365 days: reads"),
    ({"failed": lambda row: row["failed"] * 1.1}, "qlc, BCH, 4000 cycles, 365 days: reads"),
    ({"senses": lambda row: row["senses"] * 1.1}, "tlc, LDPC, 4000 cycles, 365 days: further"),
])
def test_a_drive_that_ages_otherwise_is_noticed(changed, what):
    assert any(name.startswith(what) for name in missed(drive(**changed)))


@pytest.mark.parametrize("cell, types", [("tlc", 3), ("qlc", 4)])
def test_each_further_sense_draws_anew_at_its_rate_and_with_what_its_code_corrects(cell, types):
    """Against draws: a read takes senses until one of them has no codeword beyond what can be corrected."""
    random = numpy.random.default_rng(1)
    for code, senses in (("bch", [(0.8 ** n, 40) for n in range(5)]), ("ldpc", [(1, 40), (0.8, 40), (0.8, 60), (0.8, 80), (0.8, 100)])):
        reads = 40_000
        rates = 2.8e-4 * (1 + (365 / 30) ** 0.5) * 2.0 ** random.integers(types, size=reads)
        left, further = numpy.ones(reads, bool), 0
        for i, (part, corrects) in enumerate(senses):
            left &= (random.binomial(8752, part * rates[:, None], (reads, 4)) > corrects).any(axis=1)
            further += left.sum() if i + 1 < len(senses) else 0
        assert ageing.further_senses(cell, code, 4000, 365) == pytest.approx(further / reads, abs=0.03)
        assert ageing.lost(cell, code, 4000, 365) == pytest.approx(left.mean(), abs=0.008)


def test_the_page_shows_retries_over_cycles_and_over_age():
    names = [figure.name for figure in ageing.figures(drive())]
    assert names == ["p99", "retries", "senses", "errors", "retention"]
