"""Would the experiment power-loss notice a drive that loses something, or takes longer than its reads?"""

import pandas
import pytest

from twinplane.experiments import power_loss

SOUND = {"cuts": 20, "unanswered": 200, "flash_operations_cut": 90, "in_recovery": 2, "held_up_ms": 0.0, "mismatches": 0, "violations": 0,
         "sectors_checked": 100_000, "sectors_old_or_new": 150, "sectors_lost": 0, "sectors_unreadable": 0, "pages_unreadable": 30, "units_resumed": 80,
         "units_closed": 0, "capacity_mib": 50.0, "pages_read": 1000, "scan_ms": 10.4, "law_ms": 10.0, "rebuild_ms": 0.1, "ready_ms": 10.6,
         "trims_forgotten": 0, "metadata_pages": 10, "unmapped": 20, "waf": 2.0, "metadata_waf": 0.001,
         "checkpoints": 0, "metadata_pages_written": 0, "pages_rescued": 9, "blocks_known": 0, "forgotten": 0,
         "sectors_gone_back": 0, "metadata_gone": 0, "sectors_untold": 0}


def checkpoints(run):
    """Of a run with an interval: fewer words, and 32 pages for each checkpoint."""
    interval = int(run["kind"]) if run["part"] == "interval" else 0
    return {"pages_read": 100 + interval / 50, "metadata_waf": 32 / interval, "checkpoints": 6, "metadata_pages_written": 194} if interval else {}


def reads_that_fail(run):
    return {"cuts": 32, "sectors_unreadable": 40} if run["part"] == "errors" else {}


def drive(**changed):
    """A row per run as a sound drive would give it, but for what is `changed`."""
    return pandas.DataFrame([case.labels | SOUND | checkpoints(case.labels) | reads_that_fail(case.labels) | {k: v(case.labels) for k, v in changed.items()} for case in power_loss.grid(False)])


def missed(frame):
    return [c.what for c in power_loss.claims(frame, False) if not c.holds]


def test_a_sound_drive_is_believed():
    assert missed(drive()) == []


@pytest.mark.parametrize("changed, what", [
    ({"sectors_lost": lambda run: int(run["kind"] == "TBM" and run["seed"] == 7)}, "sectors that broke the promise"),
    ({"sectors_unreadable": lambda run: int(run["kind"] == "PAPA")}, "sectors that broke the promise"),
    ({"sectors_lost": lambda run: int(run["part"] == "errors" and run["kind"] == "IPU")}, "sectors that broke the promise where reads fail"),
    ({"sectors_unreadable": lambda run: int(run.get("errors") == "drawn bits, BCH")}, "sectors whose read failed"),
    ({"mismatches": lambda run: int(run["seed"] == 3)}, "wrong data"),
    ({"cuts": lambda run: 9}, "cuts"),
    ({"trims_forgotten": lambda run: int(run["kind"] == "QLC")}, "lives whose firmware"),
    ({"pages_unreadable": lambda run: 0 if run["kind"] == "copyback" else 9}, "pages that a cut has made unreadable"),
    ({"forgotten": lambda run: int(run["kind"] == "checkpoints" and run["seed"] == 2)}, "runs that have forgotten"),
    ({"pages_rescued": lambda run: 0 if run["kind"] == "TLC, TBM" else 9}, "pages found in copies alone"),
    ({"pages_read": lambda run: 900}, "words read with the shortest interval"),
    ({"metadata_pages_written": lambda run: 300}, "pages of metadata per checkpoint"),
    ({"scan_ms": lambda run: 11.1 if run["blocks"] == 16 else 10.0}, "scan time"),
    ({"scan_ms": lambda run: 8.9 if run["channels"] == 8 else 10.0}, "scan time"),
])
def test_a_drive_that_is_not_is_noticed(changed, what):
    assert any(name.startswith(what) for name in missed(drive(**changed)))


def test_a_campaign_has_ten_thousand_cuts_of_each_kind_of_drive():
    cases = power_loss.campaign(False)
    assert len(cases) * power_loss.CUTS >= 10_000
    assert {case.labels["kind"] for case in cases} == set(power_loss.KINDS)


def test_reads_fail_in_ten_thousand_cuts_of_each_kind_of_drive():
    cases = power_loss.unreadable(False)
    assert len(cases) * power_loss.ERROR_CUTS >= 10_000
    assert {(case.labels["kind"], case.labels["errors"]) for case in cases} == {
        (kind, errors) for kind in power_loss.KINDS | power_loss.MORE_KINDS for errors in power_loss.READ_ERRORS}


def test_the_page_shows_the_time_over_capacity_and_over_channels():
    assert [figure.name for figure in power_loss.figures(drive())] == ["interval", "capacity", "channels"]
