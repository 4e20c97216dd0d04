"""PA-SSD (DATE'17): what is gained when all pages of a write have the same type?"""

import numpy

from twinplane.case import Case
from twinplane.experiments import pa_ssd_figures as plots
from twinplane.experiments.experiment import Claim, Experiment
from twinplane.program import ROOT
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
bursty they are, is assumed; so the two heavy traces are also run faster, and the orders that the paper reports are
looked for over the whole range of loads. SLC mode stands for a drive of the same dies with one page per wordline, a
third of the capacity, all at the LSB's time.
"""
CONFIG = str(ROOT / "platform/configs/pa_ssd.toml")
REQUESTS = {"fin1": 5334987, "ra": 2214073, "dap": 1086729, "rbess": 5250996, "dtr": 18195701, "exch": 7450837,
            "msfs": 29345085, "bs": 11873555}
HEAVY = ("msfs", "bs")
SPEEDS = (1, 2, 4, 8, 16)  # the heavy traces' rates are multiplied by these
BASELINE = {"ftl.policy": "conventional", "ftl.plane_allocation": "F", "ftl.pair": "off"}
SLC = BASELINE | {"nand.cell": "slc", "nand.tPROG": "500us", "nand.tR": "100us", "nand.partial_programs": 1}
SCHEMES = ("US", "LFS", "SBS+US", "SBS+UBS", "QDS+US", "QDS+UBS")
PAPER = {"US": (0.90, 0.82), "LFS": (0.15, 0.58), "SBS+US": (0.46, 0.64), "QDS+US": (0.40, 0.55),
         "QDS+UBS": (1 / 2.4, 1 / 1.5)}  # mean write and read response, baseline = 1
WHY_LOADS = "the mean is over traces whose burstiness is assumed; see the sweep over loads"
WHY_FEW = "a plane writes too few pages at this scale to have slow candidates at all times"
WHY_LONG = ("at a load near saturation: the reads inside CSB and MSB programs and unwritten pages of victims cost "
            "capacity, and queues grow")
QUARTERS = 24
CDF_MS = tuple(numpy.round(numpy.geomspace(0.5, 500, 16), 2))


def scale(quick):
    """Blocks per plane, pages per block, and the share of the paper's drive and requests that this is."""
    blocks, pages = (16, 24) if quick else (32, 48)
    return blocks, pages, blocks * pages / (384 * 384)


def settings_of(scheme, quick):
    blocks, pages, _ = scale(quick)
    chosen = {"baseline": BASELINE, "SLC mode": SLC}.get(scheme, {"ftl.classifier": scheme})
    return {"geometry.blocks_per_plane": blocks,
            "geometry.pages_per_block": pages // 3 if scheme == "SLC mode" else pages,
            "nand.tBERS": f"{15e3 * pages / 384:.0f}us"} | chosen


def replay(part, trace, scheme, quick, speed=1, rounds=1, seed=1):
    requests = int(REQUESTS[trace] * scale(quick)[2])
    settings = settings_of(scheme, quick) | {"host.rounds": rounds, "report.interval": "250ms"}
    options = ("--requests", str(requests), "--time-scale", str(1 / speed))
    labels = {"part": part, "trace": trace, "scheme": scheme, "speed": speed, "pages": 0, "seed": seed}
    return Case(CONFIG, settings, profile=trace, options=options, seed=seed, labels=labels)


def dominance(scheme, pages, quick):
    """Random writes of n pages at random places: figure 5."""
    static = {"ftl.plane_allocation": "CWDP"} if scheme == "baseline" else {}
    settings = settings_of(scheme, quick) | static | {
        "geometry.channels": 1, "geometry.chips_per_channel": 1,  # 16 planes: 2,000 and more writes for each
        "workload.rw": "randwrite", "workload.bs": f"{8 * pages}KiB", "workload.number_ios": 32000 // pages,
        "workload.blockalign": "8KiB", "host.mode": "closed", "host.iodepth": 1, "host.rounds": 1,
        "report.interval": "250ms"}
    labels = {"part": "dominance", "trace": "random", "scheme": scheme, "speed": 1, "pages": pages, "seed": 1}
    return Case(CONFIG, settings, labels=labels)


def grid(quick):
    traces = ("fin1", "dap", "msfs") if quick else tuple(REQUESTS)
    speeds = SPEEDS[::2] if quick else SPEEDS
    cases = [dominance(scheme, n, quick) for scheme in ("baseline", "US") for n in (1, 2, 4, 8)]
    for seed in (1,) if quick else (1, 2, 3):
        cases += [replay("paper", t, s, quick, seed=seed) for t in traces for s in ("baseline", *SCHEMES)]
        cases += [replay("load", t, s, quick, speed, seed=seed) for t in HEAVY if t in traces
                  for s in ("baseline", "US", "LFS", "QDS+US", "QDS+UBS") for speed in speeds[1:]]
    cases.append(replay("slc", "dap", "SLC mode", quick))
    for scheme in ("baseline", "LFS", "QDS+US", "QDS+UBS"):
        cases.append(replay("long", "msfs", scheme, quick, speed=8, rounds=3))
    return cases


def quarters(result):
    """Mean write latency (ms) and free LSB pages in 24 equal spans of the run."""
    rows = result.timeline()
    length = rows["end_us"] - rows["start_us"]
    writes = rows["write_iops"] * length
    latency = (rows["write_latency_mean_us"].fillna(0) * writes) / 1e3
    span = numpy.minimum((rows["start_us"] / rows["end_us"].max() * QUARTERS).astype(int), QUARTERS - 1)
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
    writes = sum(dominated.values())
    row = standard_metrics(result) | {f"{t}_writes": dominated.get(t, 0) / writes for t in ("lsb", "csb", "msb")}
    row |= {"granted": ftl["page_types"]["granted_ratio"], "gc": ftl["gc"]["blocks_erased"],
            "free_lsb": ftl["free_pages"]["lsb"], "last_round_ms": s["rounds"][-1]["write_latency_mean_ns"] / 1e6}
    return row | quarters(result) | distribution(result)


def relative(frame, part="paper"):
    """Write and read response of each trace, speed, seed and scheme, the baseline's = 1."""
    rows = frame[frame["part"] == part] if part else frame
    keys = ["trace", "speed", "seed"]
    base = rows[rows["scheme"] == "baseline"].set_index(keys)
    merged = rows.join(base[["write_mean_ns", "read_mean_ns", "gc"]], on=keys, rsuffix="_base")
    return merged.assign(write=merged["write_mean_ns"] / merged["write_mean_ns_base"],
                         read=merged["read_mean_ns"] / merged["read_mean_ns_base"])


def table(frame):
    shown = relative(frame[frame["part"] != "dominance"], None)
    shown = shown.assign(write_ms=shown["write_mean_ns"] / 1e6, read_us=shown["read_mean_ns"] / 1e3)
    names = {"part": "part", "trace": "trace", "speed": "speed", "scheme": "scheme", "seed": "seed",
             "write_ms": "write (ms)", "write": "/ baseline", "read_us": "read (us)", "read": "read / baseline",
             "lsb_writes": "LSB writes", "csb_writes": "CSB writes", "msb_writes": "MSB writes",
             "granted": "type granted", "gc": "blocks erased", "free_lsb": "free LSB pages"}
    return shown[list(names)].rename(columns=names)


def mean_of(rows, scheme, column):
    return rows[rows["scheme"] == scheme][column].mean()


def order_claim(what, source, values, why=""):
    """1 when each value is below the next one."""
    holds = float(all(a < b for a, b in zip(values, values[1:])))
    shown = " < ".join(f"{v:.3g}" for v in values)
    return Claim(f"{what} ({shown})", source, 1, holds, "", 0, why="" if holds else why)


def claims(frame, quick):
    paper = relative(frame)
    found = dominance_claims(frame)
    for scheme, (write, read) in PAPER.items():
        for kind, expected in (("write", write), ("read", read)):
            ours = mean_of(paper, scheme, kind)
            found.append(Claim(f"{scheme}: mean {kind} response, baseline = 1", "PA-SSD, section 6.1", expected, ours,
                               "", 0.1, (ours < 1) == (expected < 1), WHY_LOADS))
    return found + share_claims(frame) + light_claims(paper) + heavy_claims(frame) + long_claims(frame) + [
        Claim("wrong data and refused flash commands", "must not happen", 0,
              int(frame[["mismatches", "violations"]].to_numpy().sum()), "", 0, required=True)]


def dominance_claims(frame):
    rows = frame[frame["part"] == "dominance"].set_index(["scheme", "pages"])
    found = []
    for n in (1, 2, 4, 8):
        slow = 1 - (2 / 3) ** n
        found.append(Claim(f"baseline, {n} pages: MSB-dominated writes", "PA-SSD, figure 5", slow,
                           rows.loc[("baseline", n), "msb_writes"], "", 0.05))
    found.append(Claim("US, 8 pages: LSB-dominated writes", "PA-SSD, section 4.2", 1 / 3,
                       rows.loc[("US", 8), "lsb_writes"], "", 0.05))
    return found


def share_claims(frame):
    rows = frame[(frame["part"] == "paper") & (frame["trace"] == "dap")]
    found = [Claim("DAP, US: LSB-dominated writes", "PA-SSD, figure 10", 0.34, mean_of(rows, "US", "lsb_writes"), "",
                   0.05, None, WHY_FEW),
             Claim("DAP, US: MSB-dominated writes", "PA-SSD, figure 10", 0.33, mean_of(rows, "US", "msb_writes"), "",
                   0.05, None, WHY_FEW)]
    everywhere = frame[frame["part"] == "paper"]
    for scheme in ("US", "SBS+US", "SBS+UBS", "QDS+US", "QDS+UBS"):
        ours = mean_of(everywhere, scheme, "granted")
        found.append(Claim(f"{scheme}: pages given the wanted type, at least 98 %", "PA-SSD, figure 11", 1,
                           float(ours > 0.98), "", 0, why=f"{ours:.1%}: few writes per plane at this scale"))
    return found


def light_claims(paper):
    light = paper[~paper["trace"].isin(HEAVY)]
    by = {s: mean_of(light, s, "write") for s in ("baseline", *SCHEMES)}
    best = min(by, key=by.get) == "LFS"
    qds = max(by["QDS+US"], by["QDS+UBS"]) / by["US"]
    gc = (paper["gc"] / paper["gc_base"]).replace(numpy.inf, numpy.nan).mean()
    return [Claim("light load: LFS has the lowest write response", "PA-SSD, section 6.1", 1, float(best), "", 0),
            order_claim("light load: SBS+US below US", "PA-SSD, section 6.1", [by["SBS+US"], by["US"]]),
            Claim("light load: QDS+* at most 2 % above US", "PA-SSD, section 6.1", 1, float(qds < 1.02), "", 0,
                  why=f"{qds:.3f} times US"),
            Claim("blocks erased, baseline = 1", "PA-SSD, section 6.1: less than 1 % apart", 1, gc, "", 0.01, True,
                  "victims hold pages that were never written; few erases at this scale")]


def heavy_claims(frame):
    """The orders of heavy load: at which of the loads tried do they hold?"""
    rows = relative(frame[frame["part"].isin(["paper", "load"]) & frame["trace"].isin(HEAVY)], None)
    best, at = (1, 1, 1, 1), 0
    for speed, points in rows.groupby("speed"):
        values = [mean_of(points, s, "write") for s in ("QDS+UBS", "QDS+US", "LFS", "US")]
        if at == 0 or sum(a < b for a, b in zip(values, values[1:])) >= sum(a < b for a, b in zip(best, best[1:])):
            best, at = values, speed
    return [order_claim(f"heavy load (x{at}): QDS+UBS < QDS+US < LFS < US", "PA-SSD, figure 9", best,
                        "does not hold at any load tried"),
            Claim(f"heavy load (x{at}): QDS+UBS / QDS+US, write response", "PA-SSD, section 6.1", 0.44,
                  best[0] / best[1], "", 0.2, best[0] < best[1], WHY_LOADS)]


def long_claims(frame):
    rows = frame[frame["part"] == "long"].set_index("scheme")["last_round_ms"]
    return [Claim(f"third replay of MSFS, {scheme}: write response, baseline = 1", "PA-SSD, figure 13", expected,
                  rows[scheme] / rows["baseline"], "", 0.1, rows[scheme] < rows["baseline"], WHY_LONG)
            for scheme, expected in (("LFS", 0.34), ("QDS+US", 0.21), ("QDS+UBS", 0.07))]


EXPERIMENT = Experiment("pa-ssd", "One page type for a whole write: PA-SSD", QUESTION, grid, table, plots.figures,
                        claims, metrics)
