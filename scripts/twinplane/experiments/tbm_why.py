"""Why twin blocks gain: which planes their dies hold back, and for what, in the letter's cell and with moves of several planes."""

import pandas

from twinplane.experiments.experiment import Claim, at_most
from twinplane.experiments.tbm_claims import SMALL_DRIVE, select
from twinplane.experiments.why import shares, span, why_figure, with_accounts

MOVING = ("uniform", "70/30 four pages", "proj_0", "zipf", "prn_1", "fin1")  # written as much without twin blocks as with them
MULTI = "uniform, moves multi"


def why(frame):
    rows = named(frame)
    return [why_figure("why", finding(rows), {w: select(rows, panel=w) for w in (*MOVING, MULTI)}, "bar")] if len(rows) else []


def named(frame):
    """The runs that are drawn, with the names of their panel and bar."""
    rows = with_accounts(select(frame, drive=SMALL_DRIVE, bac=False, frontier="shared"))
    rows = rows[(rows["base"] != "f") | (rows["pair"] == "off")]  # of two planes D and F2 know one way to pair
    found = pandas.concat([select(rows, moves="single", workload=MOVING).assign(panel=lambda own: own["workload"]),
                           select(rows, moves="multi", workload="uniform").assign(panel=MULTI)])
    bars = [base.upper() + ("+TBM" if tbm else "") for base, tbm in zip(found["base"], found["tbm"])]
    return found.assign(bar=bars)


def held(rows, cause, **labels):
    """Per cent of the planes' time by workload, means of the seeds."""
    chosen = select(rows, **labels)
    return shares(chosen, cause).groupby(chosen["panel"]).mean()


def finding(rows):
    """Two sentences, in numbers of the runs."""
    without, kept = (held(rows, "held_pac", base="d", tbm=tbm) for tbm in (False, True))
    most = without.idxmax()
    apart, together = (held(rows, "held_policy", base="d", tbm=True)[name] for name in ("uniform", MULTI))
    return (f"Equal page addresses hold planes of D for {span(without)} of their time, most with {most}, "
            f"and with twin blocks for {span(kept)}. In the letter's cell collections move pages one plane at a "
            f"time, which holds the other plane for {apart:.0f} % of uniform's time even with twin blocks; where moves take "
            f"both planes, that is {together:.0f} %.")


def claims(frame):
    """What PAC costs, and that twin blocks take it away: the letter's thesis, seen in the planes' time."""
    rows = named(frame)
    found = []
    for base in ("d", "f2") if len(rows) else ():
        without, kept = (held(rows, "held_pac", base=base, tbm=tbm) for tbm in (False, True))
        most = without.idxmax()
        found.append(Claim(f"{base.upper()}, {most}: time in which planes are held for another page address, with twin blocks "
                           f"({kept[most]:.1f} %) over without ({without[most]:.1f} %)",
                           "plane-time account; equal addresses are what twin blocks keep", at_most(0.25), kept[most] / without[most],
                           own=True))
    return found
