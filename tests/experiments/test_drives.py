"""Does the experiment drives judge a drive by its class's sheets, and would it notice pauses, tails and wrong data?"""

import pandas
import pytest

from twinplane.experiments import drives

#: A drive in the middle of the sheets: read kIOPS, write kIOPS, read and write MB/s.
FOUND = {
    "QD1 read": (12, 0, 50, 0), "QD1 write": (0, 60, 0, 240), "sequential read": (50, 0, 6600, 0), "sequential write": (0, 35, 0, 4200),
    "random read": (1000, 0, 4100, 0), "random read, core free": (1400, 0, 5700, 0), "steady random write": (0, 120, 0, 490),
    "steady random write, 3 a day": (0, 290, 0, 1190), "steady random write, collected by need": (0, 130, 0, 530),
    "steady 70/30": (100, 40, 400, 160)}


def drive(changes=None):
    rows = []
    for test, (reads, writes, read_mb, write_mb) in FOUND.items():
        row = {"test": test, "seed": 1, "read_iops": 1e3 * reads, "write_iops": 1e3 * writes, "read_mb_per_s": read_mb,
               "write_mb_per_s": write_mb, "read_mean_ns": 80e3, "write_mean_ns": 16e3, "read_p99_ns": 1e5, "write_p99_ns": 4e4,
               "read_p99_9_ns": 1e5, "write_p99_9_ns": 1e5, "waf": 4.0, "read_count": 1, "pause_ms": 2.0, "mismatches": 0, "violations": 0}
        rows.append(row | (changes or {}).get(test, {}))
    rows += [{"test": test, "seed": 1, "at_ms": 5.0 * n, "write_p99_us": 900.0} for test in drives.COLLECTED for n in range(4)]
    return pandas.DataFrame(rows)


def missed(frame):
    return [c.what for c in drives.claims(frame, False) if not c.holds]


def test_a_drive_of_the_class_is_believed():
    assert missed(drive()) == []


@pytest.mark.parametrize("test, changed, what", [
    ("random read", {"read_iops": 430e3}, "random read"),
    ("steady random write", {"write_iops": 60e3}, "steady random write, one"),
    ("steady random write, 3 a day", {"write_iops": 190e3}, "three drive writes a day to one"),
    ("steady random write", {"write_p99_9_ns": 2e5}, "p99.9 of steady writes"),
    ("steady random write", {"pause_ms": 12.0}, "longest time without a completion"),
    ("steady random write, collected by need", {"write_iops": 170e3}, "IOPS that pacing leaves"),
    ("QD1 read", {"mismatches": 1}, "wrong data"),
    ("QD1 read", {"read_mean_ns": 60e3}, "read at depth 1"),
])
def test_a_drive_that_is_not_is_noticed(test, changed, what):
    assert any(name.startswith(what) for name in missed(drive({test: changed})))


def test_figures_show_the_sheets_and_the_steady_state():
    assert [figure.name for figure in drives.figures(drive())] == ["sheets", "pacing"]
