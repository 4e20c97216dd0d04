"""Does the experiment drives judge each drive by its class's sheets, and would it notice pauses, tails and wrong data?"""

import pandas
import pytest

from twinplane.experiments import drives

#: Drives in the middle of the sheets: read kIOPS, write kIOPS, read and write MB/s.
FIRST = {
    "QD1 read": (12, 0, 50, 0), "QD1 write": (0, 60, 0, 240), "sequential read": (50, 0, 6600, 0), "sequential write": (0, 35, 0, 4200),
    "random read": (1000, 0, 4100, 0), "random read, core free": (1400, 0, 5700, 0), "steady random write": (0, 120, 0, 490),
    "steady random write, 3 a day": (0, 290, 0, 1190), "steady random write, collected by need": (0, 130, 0, 530),
    "steady 70/30": (100, 40, 400, 160)}
OF_ALL = {test: FIRST[test] for test in drives.OF_ALL}
CLIENT = OF_ALL | {"QD1 read": (16.6, 0, 68, 0), "sequential read": (47, 0, 6190, 0), "random read at depth 8": (125.4, 0, 514, 0),
                   "random read at depth 32": (400.5, 0, 1640, 0), "random read at depth 64": (590, 0, 2417, 0),
                   "random read at depth 64, core free": (800, 0, 3300, 0), "sequential write into the cache": (0, 38, 0, 5010)}
FOUND = {
    "enterprise_tlc_gen4": (FIRST, 80e3, 16e3),
    "enterprise_tlc_gen5": (OF_ALL | {"sequential read": (80, 0, 10600, 0), "sequential write": (0, 50, 0, 6500),
                                      "random read": (1800, 0, 7400, 0), "steady random write": (0, 200, 0, 820)}, 72e3, 12e3),
    "enterprise_qlc_gen4": (OF_ALL | {"sequential read": (56, 0, 7400, 0), "sequential write": (0, 24, 0, 3200),
                                      "random read": (930, 0, 3800, 0)}, 80e3, 16e3),
    "client_tlc_gen4": (CLIENT, 60e3, 10e3),
}


def found(changes=None, changed="enterprise_tlc_gen4"):
    rows = []
    for drive, (tests, read_ns, write_ns) in FOUND.items():
        for test, (reads, writes, read_mb, write_mb) in tests.items():
            row = {"drive": drive, "test": test, "seed": 1, "read_iops": 1e3 * reads, "write_iops": 1e3 * writes,
                   "read_mb_per_s": read_mb, "write_mb_per_s": write_mb, "read_mean_ns": read_ns, "write_mean_ns": write_ns,
                   "read_p99_ns": 1e5, "write_p99_ns": 4e4, "read_p99_9_ns": 1e5, "write_p99_9_ns": 1e5, "waf": 4.0, "read_count": 1,
                   "pause_ms": 2.0, "mismatches": 0, "violations": 0}
            rows.append(row | ((changes or {}).get(test, {}) if drive == changed else {}))
    rows += [{"drive": drives.FIRST, "test": test, "seed": 1, "at_ms": 5.0 * n, "write_p99_us": 900.0}
             for test in drives.COLLECTED for n in range(4)]
    return pandas.DataFrame(rows)


def missed(frame):
    return [c.what for c in drives.claims(frame, False) if not c.holds]


def test_drives_of_the_classes_are_believed():
    assert missed(found()) == []


@pytest.mark.parametrize("test, changed, what", [
    ("random read", {"read_iops": 430e3}, "enterprise_tlc_gen4: random read"),
    ("steady random write", {"write_iops": 60e3}, "enterprise_tlc_gen4: steady random write, one"),
    ("steady random write, 3 a day", {"write_iops": 190e3}, "enterprise_tlc_gen4: three drive writes a day to one"),
    ("steady random write", {"write_p99_9_ns": 2e5}, "p99.9 of steady writes"),
    ("steady random write", {"pause_ms": 12.0}, "longest time without a completion"),
    ("steady random write, collected by need", {"write_iops": 170e3}, "IOPS that pacing leaves"),
    ("QD1 read", {"mismatches": 1}, "wrong data"),
    ("QD1 read", {"read_mean_ns": 60e3}, "enterprise_tlc_gen4: read at depth 1"),
])
def test_a_drive_that_is_not_is_noticed(test, changed, what):
    assert any(name.startswith(what) for name in missed(found({test: changed})))


@pytest.mark.parametrize("drive", ["enterprise_tlc_gen5", "enterprise_qlc_gen4"])
def test_each_drive_is_held_against_its_own_class(drive):
    slow = {"sequential read": {"read_mb_per_s": 6600}, "sequential write": {"write_mb_per_s": 2900}}
    assert missed(found(slow, drive)) == [f"{drive}: sequential read, 128 KiB", f"{drive}: sequential write, 128 KiB"]


def test_figures_show_the_sheets_and_the_steady_state():
    assert [figure.name for figure in drives.figures(found())] == ["sheets", "pacing"]
