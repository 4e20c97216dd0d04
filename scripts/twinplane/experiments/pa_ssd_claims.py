"""What PA-SSD's paper says in numbers, beside what our runs say."""

import numpy

from twinplane.experiments.experiment import Claim, at_least, at_most, nothing_wrong
from twinplane.experiments.pa_ssd_cases import HEAVY, SCHEMES

MEANS = "PA-SSD, section 6.1, figure 9"

QUARTERS = 24
CDF_MS = tuple(numpy.round(numpy.geomspace(0.5, 500, 16), 2))
PAPER = {"US": (0.90, 0.82), "LFS": (0.15, 0.58), "SBS+US": (0.46, 0.64), "QDS+US": (0.40, 0.55),
         "QDS+UBS": (1 / 2.4, 1 / 1.5)}  # mean write and read response, baseline = 1
LONG_TERM = {"LFS": 0.34, "QDS+US": 0.21, "QDS+UBS": 0.07}  # third replay of MSFS, baseline = 1
TOLERANCE = {("US", "write"): 0.05}  # 10 % would be all of the effect
MEAN_PROGRAM_MS = (0.5 + 2 + 5.5) / 3
LOW_MS = 2 * MEAN_PROGRAM_MS  # a quarter with a higher mean is not low: requests wait for each other
WHY_MEAN = "a mean over eight traces, six of them with assumed burstiness; the response by trace shows where it is from"
WHY_READS = ("reads wait for programs: how long depends on the load and on which addresses are read, both assumed; "
             "reads of addresses never written take no flash time here")
KEYS = ["part", "trace", "speed", "share", "burst_rate", "variant", "seed"]


def relative(frame, part="paper"):
    """Write and read response of each run, the baseline's of the same load = 1."""
    rows = frame[frame["part"] == part] if part else frame
    base = rows[rows["scheme"] == "baseline"].set_index(KEYS)
    merged = rows.join(base[["write_mean_ns", "read_mean_ns", "gc", "last_round_ms"]], on=KEYS, rsuffix="_base")
    return merged.assign(write=merged["write_mean_ns"] / merged["write_mean_ns_base"],
                         read=merged["read_mean_ns"] / merged["read_mean_ns_base"],
                         last=merged["last_round_ms"] / merged["last_round_ms_base"])


def mean_of(rows, scheme, column):
    return rows[rows["scheme"] == scheme][column].mean()


def in_order(what, source, values, why="", **more):
    """The source says which is lower, not by how much."""
    return Claim(what, source, "in this order", all(a < b for a, b in zip(values, values[1:])), why=why,
                 numbers=" < ".join(f"{v:.3g}" for v in values), **more)


def claims(frame, quick):
    paper = relative(frame)
    found = dominance_claims(frame) + response_claims(paper) + share_claims(frame) + granted_claims(frame)
    found += light_claims(paper) + fin_claims(paper) + heavy_claims(paper, quick)
    found += time_claims(frame) + long_claims(frame, quick)
    return [*found, nothing_wrong(frame)]


def dominance_claims(frame):
    rows = frame[frame["part"] == "dominance"].groupby(["scheme", "pages"])[["lsb_writes", "csb_writes", "msb_writes"]]
    rows = rows.mean()
    found = [Claim(f"baseline, {n} pages: MSB-dominated writes", "PA-SSD, section 3 and figure 5: 1 - (2/3)^n",
                   1 - (2 / 3) ** n, rows.loc[("baseline", n), "msb_writes"], tolerance=0.05) for n in (1, 2, 4, 8)]
    return [*found,
            Claim("baseline, 4 pages: LSB-dominated writes", "PA-SSD, section 3: (1/3)^n, 1 %", 1 / 81,
                  rows.loc[("baseline", 4), "lsb_writes"], tolerance=0.25),
            Claim("baseline, 4 pages: CSB-dominated writes", "PA-SSD, section 3: 19 %", 0.19,
                  rows.loc[("baseline", 4), "csb_writes"], tolerance=0.05),
            Claim("US, 8 pages: LSB-dominated writes", "PA-SSD, section 4.2", 1 / 3,
                  rows.loc[("US", 8), "lsb_writes"], tolerance=0.05)]


def response_claims(paper):
    found = []
    for scheme, (write, read) in PAPER.items():
        for kind, expected, why in (("write", write, WHY_MEAN), ("read", read, WHY_READS)):
            ours = mean_of(paper, scheme, kind)
            found.append(Claim(f"{scheme}: mean {kind} response, baseline = 1", MEANS, expected, ours,
                               tolerance=TOLERANCE.get((scheme, kind), 0.1), neutral=1, why=why))
    by_trace = paper[paper["scheme"] == "SBS+UBS"].groupby("trace")["write"].mean()
    found.append(Claim("SBS+UBS: traces with a worse write response than the baseline",
                       "PA-SSD, section 6.1: in some cases", at_least(1), int((by_trace > 1).sum()),
                       why=f"worst is {by_trace.idxmax()}, {by_trace.max():.2f}: no trace here leaves LSB pages so short "
                           "that its large writes lose more than its small ones gain"))
    return found


def share_claims(frame):
    rows = frame[(frame["part"] == "paper") & (frame["trace"] == "dap")]
    why = "planes write few pages at this scale, so a CSB or MSB page is not always at hand and an LSB page is given"
    others = max(mean_of(rows, "baseline", c) for c in ("lsb_writes", "csb_writes"))
    return [Claim("DAP, US: LSB-dominated writes", "PA-SSD, section 6.1, figure 10", 0.34,
                  mean_of(rows, "US", "lsb_writes"), tolerance=0.05, why=why),
            Claim("DAP, US: MSB-dominated writes", "PA-SSD, section 6.1, figure 10", 0.33,
                  mean_of(rows, "US", "msb_writes"), tolerance=0.05, why=why),
            in_order("DAP, baseline: MSB-dominated writes are the most", "PA-SSD, section 6.1, figure 10: much higher",
                     [others, mean_of(rows, "baseline", "msb_writes")]),
            Claim("DAP: MSB-dominated writes, the most of all PA-SSD schemes", "PA-SSD, section 6.1, figure 10: not "
                  "higher than 1/3", at_most(1 / 3), max(mean_of(rows, s, "msb_writes") for s in SCHEMES),
                  tolerance=0.015)]


def granted_claims(frame):
    many = frame[frame["part"] == "granted"]
    light, heavy = many[many["trace"] != "msfs"], many[many["trace"] == "msfs"]
    light = heavy if light.empty else light
    found = [Claim(f"{scheme}: pages given the wanted type, 4,000 and more writes per plane",
                   "PA-SSD, section 6.1, figure 11: higher than 98 %", at_least(98),
                   100 * mean_of(light, scheme, "granted"), "%",
                   why=f"Exchange, replayed three times; {mean_of(heavy, scheme, 'granted'):.1%} on MSFS. Most "
                       "writes are small: SBS uses up the LSB pages that it asks for")
             for scheme in ("US", "SBS+US", "SBS+UBS", "QDS+US", "QDS+UBS")]
    others = min(mean_of(heavy, s, "granted") for s in SCHEMES if s != "LFS")
    return [*found, in_order("MSFS, LFS: the wanted type is given less often than by the others",
                             "PA-SSD, section 6.1, figure 11: low", [mean_of(heavy, "LFS", "granted"), others])]


def light_claims(paper):
    light = paper[~paper["trace"].isin(HEAVY)]
    by = {s: mean_of(light, s, "write") for s in ("baseline", *SCHEMES)}
    means = light.groupby(["trace", "scheme"])["write"].mean().unstack()
    lowest = int((means.idxmin(axis=1) == "LFS").sum())
    more = 100 * (by["QDS+UBS"] / by["QDS+US"] - 1)
    gc = paper[paper["gc_base"] > 0].groupby(["scheme", "trace"])[["gc", "gc_base"]].mean()
    gc = 100 * (gc["gc"] / gc["gc_base"] - 1).abs().max()
    return [Claim("light load: traces on which LFS has the lowest write response", "PA-SSD, section 6.1: most, all but "
                  "the two heaviest", len(means), lowest, required=True),
            Claim("light load: QDS+UBS's write response above QDS+US's", "PA-SSD, section 6.1", 6, more, "%", 0.25,
                  more > 0, "how unevenly the types are free depends on loads of which only the means are known"),
            Claim("blocks erased, the scheme and trace that differ most from the baseline",
                  "PA-SSD, section 6.1: less than 1 % apart", at_most(1), gc, "%",
                  why="the scaled drive erases few blocks"),
            in_order("light load: SBS+US below US", "small writes take LSB pages, and most are small",
                     [by["SBS+US"], by["US"]], required=True, own=True),
            Claim("light load: write response of QDS+*, US = 1", "queues are seldom long",
                  at_most(1.02), max(by["QDS+US"], by["QDS+UBS"]) / by["US"], own=True,
                  why="UBS draws by what is free, and MSB pages are left over")]


def fin_claims(paper):
    rows = paper[paper["trace"] == "fin1"]
    us = mean_of(rows, "US", "write")
    end, start = mean_of(rows, "LFS", "free_lsb"), mean_of(rows, "LFS", "q00_lsb")
    above = 100 * (mean_of(rows, "baseline", "write_mean_ns") / 1e6 / MEAN_PROGRAM_MS - 1)
    return [Claim("Fin, baseline: write response above the mean program time", "PA-SSD, section 6.2", 21, above, "%", 0.25,
                  neutral=0, why="how often two writes of the trace meet at a die is assumed"),
            Claim("Fin, US: write response, baseline = 1", "PA-SSD, section 6.2", 0.87, us, tolerance=0.05,
                  neutral=1, why="follows from the baseline's: fewer writes wait for each other here"),
            Claim("Fin, QDS+US: write response, US = 1", "PA-SSD, section 6.2: very close", 1,
                  mean_of(rows, "QDS+US", "write") / us, tolerance=0.02),
            Claim("Fin, QDS+UBS: write response, US = 1", "PA-SSD, section 6.2: very close", 1,
                  mean_of(rows, "QDS+UBS", "write") / us, tolerance=0.02),
            Claim("Fin, LFS: free LSB pages at the end, of those at first", "PA-SSD, section 6.2: none in the last hour",
                  0, end / start, neutral=1,
                  why="the profile's addresses are multiples of a page, so no small write takes two pages")]


def heavy_claims(paper, quick):
    """46 % of the requests in bursts that overload the baseline."""
    rows = paper[paper["trace"].isin(HEAVY)]
    by = {s: mean_of(rows, s, "write") for s in SCHEMES}
    names = ("QDS+UBS", "QDS+US", "LFS")
    msfs = 1 - mean_of(rows[rows["trace"] == "msfs"], "QDS+UBS", "write")
    return [in_order(f"heavy load, write response: {' < '.join(names)}", "PA-SSD, sections 6.1 and 6.2",
                     [by[s] for s in names], required=not quick),
            Claim("heavy load: QDS+UBS / QDS+US, write response", "PA-SSD, section 6.1: 56 % lower", 0.44,
                  by["QDS+UBS"] / by["QDS+US"], tolerance=0.25, neutral=1,
                  why="depends on how long bursts go on after QDS+US has run out of fast pages"),
            Claim("MSFS, QDS+UBS: write response saved", "PA-SSD, section 6.1", 99, 100 * msfs, "%", 0.05, neutral=0,
                  why="grows with the length of the bursts, which must fit many times into the scaled run here")]


def low_quarters(rows):
    """Quarters before the first one whose mean write response is not low, mean of the seeds."""
    columns = [f"q{q:02}_ms" for q in range(QUARTERS)]
    return numpy.mean([next((i for i, c in enumerate(columns) if row[c] > LOW_MS), QUARTERS)
                       for _, row in rows.iterrows()])


def time_claims(frame):
    rows = frame[(frame["part"] == "paper") & (frame["trace"] == "msfs")]
    low = {s: low_quarters(rows[rows["scheme"] == s]) for s in ("LFS", "QDS+UBS")}
    times = low["QDS+UBS"] / max(low["LFS"], 1)
    return [Claim("MSFS, LFS: quarters with a low write response", "PA-SSD, section 6.2, figure 12", 7, low["LFS"],
                  tolerance=0.3, why="bursts come at random"),
            Claim("MSFS, QDS+UBS: quarters with a low write response", "PA-SSD, section 6.2, figure 12", 22,
                  low["QDS+UBS"], tolerance=0.1),
            Claim("MSFS: QDS+UBS's low quarters, LFS's = 1", "PA-SSD, section 6.2: three times", 3, times, "times", 0.25,
                  neutral=1, why="LFS lasts longer: the profile writes fewer pages than the paper's drive did")]


def long_claims(frame, quick):
    rows = relative(frame[frame["speed"] == 1], "long")
    by = {s: mean_of(rows, s, "last") for s in ("LFS", "QDS+US", "QDS+UBS")}
    why = "by how much depends on the length of the bursts, as in the first replay"
    found = [Claim(f"third replay of MSFS, {s}: write response, baseline = 1", "PA-SSD, section 6.3, figure 13",
                   expected, by[s], tolerance=0.1, neutral=1, why=why)
             for s, expected in LONG_TERM.items()]
    found.append(in_order("third replay of MSFS: QDS+UBS < QDS+US < LFS < baseline", "PA-SSD, section 6.3, figure 13",
                          [by["QDS+UBS"], by["QDS+US"], by["LFS"], 1.0]))
    return found if quick else found + saturated_claims(frame)


def saturated_claims(frame):
    """Arrivals of the b-model at eight times the speed: hardly any quiet time, and figure 13 turns round. Why?"""
    rows = frame[(frame["part"] == "long") & (frame["speed"] == 8)].set_index(["scheme", "variant", "seed"])
    rows = rows["last_round_ms"].sort_index()
    as_is, buffered, patient = ((rows["QDS+UBS", v] / rows["baseline", ""]).mean()
                                for v in ("", "buffered wordlines", "threshold 200"))
    return [Claim("third replay, b-model at eight times the speed, QDS+UBS: write response, baseline = 1",
                  "a loss: the queue is longer than 10 nearly always, so LSB pages go to requests that could wait",
                  at_least(1), as_is, own=True),
            Claim("the same without reads inside programs (buffered wordlines)",
                  "still a loss: these reads are not the reason", at_least(1), buffered, own=True),
            Claim("the same with a queue threshold of 200 instead of 10",
                  "figure 13's 0.07 and less than twice of it: LSB pages are kept for real overload", at_most(0.07),
                  patient, tolerance=1, own=True)]
