"""Where the planes' time went, in the runs of every experiment: the account is kept, checked and given to the figures."""

import dataclasses

from twinplane.cost_case import CostCase
from twinplane.experiments.experiment import Claim

PREFIX = "plane_time_"  # of a run's columns: shares of its planes' time by cause
TIME = "planes_us_per_request"
KEY = "report.plane_time"


def with_account(cases):
    """The cases with the account kept in every run of a drive whose firmware tells what waits for planes, which an image does not; it
    changes nothing else that a run tells."""
    return [case if isinstance(case, CostCase) or case.firmware else dataclasses.replace(case, settings=case.settings | {KEY: True}) for case in cases]


def is_run(result):
    """Of a drive that can keep the account: a table of the cost model has no planes, and an image does not tell what waits for them."""
    return "accounts" in result.summary and "firmware" not in result.summary


def picoseconds(nanoseconds):
    return round(nanoseconds * 1000)


def is_exact(result):
    """Whether the causes add up to planes x measured time, to the picosecond; in runs of more than 2.5 hours of planes, to what a
    number of summary.json can tell."""
    account = result.summary.get("plane_time")
    if account is None:
        return False
    total = picoseconds(account["total_ns"])
    off = abs(sum(picoseconds(time) for time in account["causes_ns"].values()) - total)
    return off <= len(account["causes_ns"]) * (total // 2**53)


def measure(metrics):
    """`metrics` of an experiment, with a column for each cause, and the time of all planes per request of the host (us); a run
    without the account has none."""

    def measured(result):
        found = metrics(result)
        account = result.summary.get("plane_time")
        if not is_run(result) or account is None:
            return found
        total = account["total_ns"] or 1
        shares = {PREFIX + cause: time / total for cause, time in account["causes_ns"].items()}
        shares[TIME] = account["total_ns"] / 1e3 / max(1, result.read.count + result.write.count)
        return [row | shares for row in found] if isinstance(found, list) else found | shares

    return measured


def account_is_exact(results):
    """Of all runs: every picosecond of every plane has a cause."""
    runs = [result for result in results if is_run(result)]
    lost = sum(not is_exact(result) for result in runs)
    return Claim(f"runs of {len(runs)} whose causes of plane time do not add up to planes x measured time, to the picosecond",
                 "an account has to be exact", 0, lost, required=True, own=True)
