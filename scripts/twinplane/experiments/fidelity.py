"""Why believe the numbers: the simulator held against laws that it does not know."""

import pandas

from twinplane.experiments.experiment import Claim, Experiment, nothing_wrong
from twinplane.experiments.fidelity_latency import PARTS as LATENCY
from twinplane.experiments.fidelity_plots import breakdown_figure, law_figure
from twinplane.experiments.fidelity_throughput import PARTS as THROUGHPUT
from twinplane.experiments.fidelity_waiting import PARTS as WAITING
from twinplane.experiments.fidelity_waf import PARTS as WAF

PARTS = {part.name: part for part in (*WAF, *THROUGHPUT, *WAITING, *LATENCY)}
QUESTION = """\
Does the simulator compute what theory says where theory is exact? Nothing in it knows these laws: garbage collection
moves pages one by one, buses carry commands cycle by cycle, requests queue because a die is busy.

Each plot shows a law as a line and runs as points; the table has every point with its error. Firmware, link and memory
take no time in the runs that test the flash, so that nothing blurs the comparison.

One place is left out because no closed form holds: reads of two to four dies on a bus without any gaps (flat). Dies whose
data are ready in the same instant stay in step there, each waits for the other's transfer in every turn, and the rate is
up to a quarter below what the dies could do apart. Buses with real gaps do not show it.
"""


def grid(quick):
    return [part.labelled_case(point, quick) for part in PARTS.values() for point in part.points(quick)]


def metrics(result):
    s = result.summary
    row = {"reads": result.read.count, "writes": result.write.count, "iops": result.iops,
           "programs_per_write": s["nand"]["programs"]["total"] / result.write.count if result.write.count else None,
           "littles_law": s["host"]["littles_law"], "mismatches": s["host"]["verify"]["mismatches"],
           "violations": s["nand"]["violations"]["total"],
           "accounts_off": sum(not a["equal"] for a in s["accounts"])}
    side = result.write if result.write.count else result.read
    row |= {"latency_mean_ns": side.mean_ns, "latency_min_ns": side.min_ns, "latency_max_ns": side.max_ns}
    return row | {f"{name}_ns": value for name, value in side.breakdown_ns.items()}


def table(frame):
    rows = []
    for row in frame.to_dict("records"):
        part = PARTS[row["part"]]
        found = part.found(row)
        rows.append({"law": part.title, "series": row["series"], "at": f"{part.axis_title} {row['x']:g}",
                     "law says": row["law"], "found": found, "unit": part.unit,
                     "error %": round((found / row["law"] - 1) * 100, 5)})
    return pandas.DataFrame(rows)


def claims(frame, quick):
    made = []
    errors = table(frame)
    for part in PARTS.values():
        own = errors[(frame["part"] == part.name).to_numpy()]
        worst = own.loc[own["error %"].abs().idxmax()]
        made.append(Claim(f"{part.title}: the worst of {len(own)} points ({worst['series']}, {worst['at']})",
                          part.source, worst["law says"], worst["found"], part.unit, part.tolerance[quick],
                          required=True))
    worst = frame.loc[(frame["littles_law"] - 1).abs().idxmax()]
    made.append(Claim(f"Little's law, arrival rate x mean latency / mean number in flight: the worst of {len(frame)} "
                      "runs", "an identity: a check of the measurement (J. Little, 1961)", 1.0, worst["littles_law"], "", 0.01,
                      required=True, own=True))
    made.append(Claim(f"accounts of time that do not balance in {len(frame)} runs", "must not happen", 0,
                      int(frame["accounts_off"].sum()), required=True, own=True))
    return [*made, nothing_wrong(frame)]


def figures(frame):
    made = [law_figure(part, frame[frame["part"] == part.name]) for part in PARTS.values() if part.is_curve]
    return made + [breakdown_figure(part, frame[frame["part"] == part.name]) for part in LATENCY]


EXPERIMENT = Experiment("fidelity", "Why believe the numbers", QUESTION, grid, table, figures, claims, metrics)
