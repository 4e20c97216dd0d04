"""PA-SSD (DATE'17): what is gained when all pages of a write have the same type?"""

import numpy

from twinplane.experiments.experiment import Experiment
from twinplane.experiments.pa_ssd_cases import grid
from twinplane.experiments.pa_ssd_claims import CDF_MS, QUARTERS, claims, relative
from twinplane.experiments.pa_ssd_figures import figures
from twinplane.result import standard_metrics

QUESTION = """\
The three pages of a TLC wordline take 0.5, 2 and 5.5 ms to program. A conventional drive gives the pages of a large
write whatever comes next, so that the slowest decides; PA-SSD gives one page type to the whole write. Which schemes
of choosing the type pay, under which load, and for how long?

The drive is the paper's (table 1), scaled: all 256 planes, fewer and smaller blocks, and as many requests of each
trace in proportion, so that rates, parallelism and the share of the drive that is written stay; the erase time is
scaled with the block. It is aged as SSDSim ages: 70 % used, nothing of it valid, garbage collection below 30 % free
pages. Planes start at random pages. Reads of addresses that were not written take no flash time; they weigh the same
in all schemes.

The traces are profiles with the paper's statistics (traces/README.md). What the paper does not print, above all how
bursty they are, is assumed. For the six light traces that is the burstiness of real excerpts (b-model). The two heavy
traces, MSFS and BS, get bursts that a conventional drive cannot follow and fast pages can, with 46 % of the requests
in them: the share follows from the paper's own figure 12. There LFS finds fast pages for 7 quarters of an hour and
QDS+UBS for 22; while a write of LFS takes an LSB page, garbage collection returns a third of one, so a scheme that
uses LSB pages for the share x of its writes lasts (1 - 1/3) / (x - 1/3) times as long as LFS; 22 / 7 needs
x = 0.55, and QDS+UBS uses them for all writes of bursts and for 0 to 1/3 of the others. How the result depends on
the share, on the rate inside bursts, and on arrivals of the b-model instead is shown below. The scaled runs hold some
fifty bursts, which do not fall evenly into quarters of an hour, so spans of equally many requests stand for quarters.

SLC mode is a drive of the same dies whose blocks are all in SLC mode: one page per wordline at the LSB's time, a third
of the capacity. Excerpts of real traces are replayed when TWINPLANE_TRACES names a folder that has them.
"""


def quarters(result):
    """Mean write latency (ms) and free LSB pages in 24 spans of equally many requests."""
    rows = result.timeline()
    length = rows["end_us"] - rows["start_us"]
    writes = rows["write_iops"] * length
    requests = writes + rows["read_iops"] * length
    latency = (rows["write_latency_mean_us"].fillna(0) * writes) / 1e3
    before = requests.cumsum() - requests
    span = numpy.minimum((before / requests.sum() * QUARTERS).astype(int), QUARTERS - 1)
    found = {}
    for q in range(QUARTERS):
        inside = span == q
        count = writes[inside].sum()
        found[f"q{q:02}_ms"] = latency[inside].sum() / count if count else numpy.nan
        lsb = rows["free_pages_lsb"][inside]
        found[f"q{q:02}_lsb"] = lsb.iloc[-1] if len(lsb) else numpy.nan
    return found


def distribution(result):
    """Share of the writes that took no longer than each of CDF_MS."""
    rows = result.latency()
    rows = rows[rows["op"] == "write"]
    below = [rows["cumulative"][rows["latency_ns"] <= 1e6 * ms].max() for ms in CDF_MS]
    return {f"cdf_{ms}": 0.0 if numpy.isnan(b) else b for ms, b in zip(CDF_MS, below)}


def metrics(result):
    s = result.summary
    ftl, dominated = s["ftl"], s["ftl"]["writes_dominated_by"]
    writes = max(1, sum(dominated.values()))
    row = standard_metrics(result) | {f"{t}_writes": dominated.get(t, 0) / writes for t in ("lsb", "csb", "msb")}
    row |= {"granted": ftl["page_types"]["granted_ratio"], "gc": ftl["gc"]["blocks_erased"],
            "multi_programs": s["nand"]["multiplane"]["program"]["ratio"], "iops": result.iops,
            "free_lsb": ftl["free_pages"]["lsb"], "last_round_ms": s["rounds"][-1]["write_latency_mean_ns"] / 1e6,
            "first_round_ms": s["rounds"][0]["write_latency_mean_ns"] / 1e6}
    return row | quarters(result) | distribution(result)


def table(frame):
    shown = relative(frame[frame["part"] != "dominance"], None)
    shown = shown.assign(write_ms=shown["write_mean_ns"] / 1e6, read_us=shown["read_mean_ns"] / 1e3)
    names = {"part": "part", "trace": "trace", "speed": "speed", "share": "share in bursts",
             "burst_rate": "requests/s in bursts", "variant": "variant", "scheme": "scheme", "seed": "seed",
             "write_ms": "write (ms)", "write": "/ baseline", "read_us": "read (us)", "read": "read / baseline",
             "lsb_writes": "LSB writes", "csb_writes": "CSB writes", "msb_writes": "MSB writes",
             "granted": "type granted", "gc": "blocks erased", "free_lsb": "free LSB pages",
             "last_round_ms": "last round (ms)"}
    return shown[list(names)].rename(columns=names)


EXPERIMENT = Experiment("pa-ssd", "One page type for a whole write: PA-SSD", QUESTION, grid, table, figures, claims,
                        metrics, paper="PA-SSD, DATE 2017")
