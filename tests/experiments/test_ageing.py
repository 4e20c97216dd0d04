"""Does the experiment ageing hold its runs against the right law, and would it notice a drive that ages otherwise?"""

import itertools

import pandas
import pytest
from scipy.stats import binom

from twinplane.experiments import ageing


@pytest.mark.parametrize("cell, types", [("slc", 1), ("tlc", 3), ("qlc", 4)])
@pytest.mark.parametrize("cycles, days, rate", [(4000, 0, 2.8e-4), (4000, 30, 5.6e-4), (0, 365, 1e-5 * (1 + (365 / 30) ** 0.5))])
def test_the_law_is_binomial_over_page_types(cell, types, cycles, days, rate):
    good = [binom.cdf(40, 8752, rate * 2 ** t) ** 4 for t in range(types)]
    assert ageing.failing(cell, cycles, days) == pytest.approx(1 - sum(good) / types, rel=1e-6, abs=1e-9)


def drive(**changed):
    """A row per point as a drive would give it that follows the law, but for what is `changed`."""
    rows = []
    for cell, code, cycles, days in itertools.product(ageing.CELLS, ageing.CODES, ageing.CYCLES, ageing.AGES):
        failing = 0.0 if cell == "slc" else ageing.failing(cell, cycles, days)
        row = {"cell": cell, "code": code, "cycles": cycles, "days": days, "seed": 1, "retried": failing,
               "failed": failing / (10 if code == "bch" else 100), "read_p99_ns": 1e5 * (1 + failing),
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
    ({"failed": lambda row: row["failed"] * (100 if row["code"] == "ldpc" else 1)}, "qlc, 4000 cycles, 365 days: reads"),
])
def test_a_drive_that_ages_otherwise_is_noticed(changed, what):
    assert any(name.startswith(what) for name in missed(drive(**changed)))
