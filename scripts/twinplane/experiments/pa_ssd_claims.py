"""What PA-SSD's paper says in numbers, beside what our runs say."""

import numpy

from twinplane.experiments.experiment import Claim
from twinplane.experiments.pa_ssd_cases import HEAVY, SCHEMES

QUARTERS = 24
CDF_MS = tuple(numpy.round(numpy.geomspace(0.5, 500, 16), 2))
PAPER = {"US": (0.90, 0.82), "LFS": (0.15, 0.58), "SBS+US": (0.46, 0.64), "QDS+US": (0.40, 0.55),
         "QDS+UBS": (1 / 2.4, 1 / 1.5)}  # mean write and read response, baseline = 1
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


def order_claim(what, source, values, why="", required=False):
    """1 when each value is below the next one."""
    holds = float(all(a < b for a, b in zip(values, values[1:])))
    shown = " < ".join(f"{v:.3g}" for v in values)
    return Claim(f"{what} ({shown})", source, 1, holds, "", 0, why="" if holds else why, required=required)


def claims(frame, quick):
    paper = relative(frame)
    found = dominance_claims(frame) + response_claims(paper) + share_claims(frame)
    found += light_claims(paper) + fin_claims(frame, paper) + heavy_claims(paper, quick)
    found += time_claims(frame) + long_claims(frame, quick)
    return found + [Claim("wrong data and refused flash commands", "must not happen", 0,
                          int(frame[["mismatches", "violations"]].to_numpy().sum()), "", 0, required=True)]


def dominance_claims(frame):
    rows = frame[frame["part"] == "dominance"].set_index(["scheme", "pages"])
    found = []
    for n in (1, 2, 4, 8):
        slow = 1 - (2 / 3) ** n
        found.append(Claim(f"baseline, {n} pages: MSB-dominated writes", "PA-SSD, section 3 and figure 5", slow,
                           rows.loc[("baseline", n), "msb_writes"], "", 0.05))
    found.append(Claim("baseline, 4 pages: LSB-dominated writes", "PA-SSD, section 3: 1 %", 1 / 81,
                       rows.loc[("baseline", 4), "lsb_writes"], "", 0.25))
    found.append(Claim("baseline, 4 pages: CSB-dominated writes", "PA-SSD, section 3: 19 %", 0.19,
                       rows.loc[("baseline", 4), "csb_writes"], "", 0.05))
    found.append(Claim("US, 8 pages: LSB-dominated writes", "PA-SSD, section 4.2", 1 / 3,
                       rows.loc[("US", 8), "lsb_writes"], "", 0.05))
    return found


def response_claims(paper):
    found = []
    for scheme, (write, read) in PAPER.items():
        for kind, expected, why in (("write", write, WHY_MEAN), ("read", read, WHY_READS)):
            ours = mean_of(paper, scheme, kind)
            found.append(Claim(f"{scheme}: mean {kind} response, baseline = 1", "PA-SSD, section 6.1, figure 9",
                               expected, ours, "", 0.1, (ours < 1) == (expected < 1), why))
    by_trace = paper[paper["scheme"] == "SBS+UBS"].groupby("trace")["write"].mean()
    found.append(Claim("SBS+UBS: traces with a worse write response than the baseline, at least 1",
                       "PA-SSD, section 6.1: in some cases", 1, float((by_trace > 1).any()), "", 0,
                       why=f"worst is {by_trace.idxmax()}, {by_trace.max():.2f}: no trace here leaves LSB pages so short "
                           "that its large writes lose more than its small ones gain"))
    return found


def share_claims(frame):
    rows = frame[(frame["part"] == "paper") & (frame["trace"] == "dap")]
    why = "planes write few pages at this scale, so a CSB or MSB page is not always at hand and an LSB page is given"
    found = [Claim("DAP, US: LSB-dominated writes", "PA-SSD, figure 10", 0.34, mean_of(rows, "US", "lsb_writes"), "",
                   0.05, None, why),
             Claim("DAP, US: MSB-dominated writes", "PA-SSD, figure 10", 0.33, mean_of(rows, "US", "msb_writes"), "",
                   0.05, None, why),
             order_claim("DAP, baseline: MSB-dominated writes are the most",
                         "PA-SSD, figure 10", [max(mean_of(rows, "baseline", c) for c in ("lsb_writes", "csb_writes")),
                                               mean_of(rows, "baseline", "msb_writes")])]
    highest = max(mean_of(rows, s, "msb_writes") for s in SCHEMES)
    found.append(Claim("DAP: MSB-dominated writes of all PA-SSD schemes at most 1/3", "PA-SSD, figure 10", 1,
                       float(highest <= 1 / 3 + 0.005), "", 0, why=f"{highest:.3f}"))
    many = frame[frame["part"] == "granted"]
    light, heavy = many[many["trace"] != "msfs"], many[many["trace"] == "msfs"]
    light = heavy if light.empty else light
    for scheme in ("US", "SBS+US", "SBS+UBS", "QDS+US", "QDS+UBS"):
        ours = mean_of(light, scheme, "granted")
        found.append(Claim(f"{scheme}: pages given the wanted type, 4,000 and more writes per plane ({ours:.1%})",
                           "PA-SSD, figure 11: above 98 %", 1, float(ours > 0.98), "", 0,
                           why=f"Exchange, replayed three times; {mean_of(heavy, scheme, 'granted'):.1%} on MSFS. Most "
                               "writes are small: SBS uses up the LSB pages that it asks for"))
    ours = mean_of(heavy, "LFS", "granted")
    found.append(Claim(f"MSFS, LFS: the wanted type is given less often than by the others ({ours:.1%})",
                       "PA-SSD, figure 11", 1, float(ours < min(mean_of(heavy, s, "granted") for s in SCHEMES
                                                                if s != "LFS")), "", 0))
    return found


def light_claims(paper):
    light = paper[~paper["trace"].isin(HEAVY)]
    by = {s: mean_of(light, s, "write") for s in ("baseline", *SCHEMES)}
    best = min(by, key=by.get) == "LFS"
    qds = max(by["QDS+US"], by["QDS+UBS"]) / by["US"]
    gc = paper[paper["scheme"] != "baseline"]
    gc = (gc["gc"] / gc["gc_base"]).replace(numpy.inf, numpy.nan).mean()
    return [Claim("light load: LFS has the lowest write response", "PA-SSD, section 6.1", 1, float(best), "", 0,
                  required=True),
            order_claim("light load: SBS+US below US", "PA-SSD, section 6.1", [by["SBS+US"], by["US"]], required=True),
            Claim(f"light load: QDS+* at most 2 % above US ({qds:.3f})", "PA-SSD, section 6.1", 1, float(qds < 1.02),
                  "", 0, why="UBS draws by what is free, and MSB pages are left over"),
            Claim("light load: QDS+UBS / QDS+US, write response", "PA-SSD, section 6.1: +6 %", 1.06,
                  by["QDS+UBS"] / by["QDS+US"], "", 0.06),
            Claim("blocks erased, baseline = 1", "PA-SSD, section 6.1: less than 1 % apart", 1, gc, "", 0.01, True,
                  "victims hold pages that were never written")]


def fin_claims(frame, paper):
    rows = paper[paper["trace"] == "fin1"]
    us = mean_of(rows, "US", "write")
    end, start = mean_of(rows, "LFS", "free_lsb"), mean_of(rows, "LFS", "q00_lsb")
    return [Claim("Fin, baseline: mean write response / mean program time", "PA-SSD, section 6.2: 21 % above 2.6 ms",
                  1.21, mean_of(rows, "baseline", "write_mean_ns") / 1e6 / MEAN_PROGRAM_MS, "", 0.1, True,
                  "how often two writes of the trace meet at a die is assumed"),
            Claim("Fin, US: write response, baseline = 1", "PA-SSD, section 6.2", 0.87, us, "", 0.05, us < 1),
            Claim("Fin, QDS+US: write response, US = 1", "PA-SSD, section 6.2: very close", 1,
                  mean_of(rows, "QDS+US", "write") / us, "", 0.02),
            Claim("Fin, LFS: free LSB pages at the end, of those at first", "PA-SSD, section 6.2: none in the last hour",
                  0, end / start, "", 0, end < start / 2,
                  "the profile's addresses are multiples of a page, so no small write takes two pages")]


def heavy_claims(paper, quick):
    """46 % of the requests in bursts that overload the baseline."""
    rows = paper[paper["trace"].isin(HEAVY)]
    by = {s: mean_of(rows, s, "write") for s in SCHEMES}
    names = ("QDS+UBS", "QDS+US", "LFS", "US")
    msfs = 1 - mean_of(rows[rows["trace"] == "msfs"], "QDS+UBS", "write")
    return [order_claim(f"heavy load: {' < '.join(names)}", "PA-SSD, section 6.1, figure 9", [by[s] for s in names],
                        required=not quick),
            Claim("heavy load: QDS+UBS / QDS+US, write response", "PA-SSD, section 6.1: 56 % lower", 0.44,
                  by["QDS+UBS"] / by["QDS+US"], "", 0.25, by["QDS+UBS"] < by["QDS+US"],
                  "depends on how long bursts go on after QDS+US has run out of fast pages"),
            Claim("MSFS, QDS+UBS: write response saved", "PA-SSD, section 6.1", 0.99, msfs, "", 0.05, msfs > 0.5,
                  "grows with the length of the bursts, which must fit many times into the scaled run here")]


def low_quarters(rows):
    """Quarters before the first one whose mean write response is not low, mean of the seeds."""
    columns = [f"q{q:02}_ms" for q in range(QUARTERS)]
    return numpy.mean([next((i for i, c in enumerate(columns) if row[c] > LOW_MS), QUARTERS)
                       for _, row in rows.iterrows()])


def time_claims(frame):
    rows = frame[(frame["part"] == "paper") & (frame["trace"] == "msfs")]
    low = {s: low_quarters(rows[rows["scheme"] == s]) for s in ("LFS", "QDS+US", "QDS+UBS")}
    return [Claim("MSFS, LFS: quarters with a low write response", "PA-SSD, section 6.2, figure 12", 7, low["LFS"], "",
                  0.3, None, "bursts come at random"),
            Claim("MSFS, QDS+UBS: quarters with a low write response", "PA-SSD, section 6.2, figure 12", 22,
                  low["QDS+UBS"], "", 0.1),
            Claim("MSFS: LFS is low for a third of the time of QDS+UBS", "PA-SSD, section 6.2", 7 / 22,
                  low["LFS"] / low["QDS+UBS"], "", 0.25, low["LFS"] < low["QDS+UBS"],
                  "LFS lasts longer: the profile writes fewer pages than the paper's drive did")]


def long_claims(frame, quick):
    rows = relative(frame[frame["speed"] == 1], "long")
    by = {s: mean_of(rows, s, "last") for s in ("LFS", "QDS+US", "QDS+UBS")}
    why = "by how much depends on the length of the bursts, as in the first replay"
    found = [Claim(f"third replay of MSFS, {s}: write response, baseline = 1", "PA-SSD, section 6.3, figure 13",
                   expected, by[s], "", 0.1, by[s] < 1, why)
             for s, expected in (("LFS", 0.34), ("QDS+US", 0.21), ("QDS+UBS", 0.07))]
    found.append(order_claim("third replay: QDS+UBS < QDS+US < LFS < baseline", "PA-SSD, figure 13",
                             [by["QDS+UBS"], by["QDS+US"], by["LFS"], 1.0]))
    return found if quick else found + saturated_claims(frame)


def saturated_claims(frame):
    """Arrivals of the b-model at eight times the speed: hardly any quiet time, and figure 13 turns round. Why?"""
    rows = frame[(frame["part"] == "long") & (frame["speed"] == 8)].set_index(["scheme", "variant"])["last_round_ms"]
    base = rows[("baseline", "")]
    as_is, buffered, patient = (rows[("QDS+UBS", v)] / base for v in ("", "buffered wordlines", "threshold 200"))
    return [Claim("third replay, b-model at eight times the speed, QDS+UBS: write response, baseline = 1",
                  "PA-SSD, figure 13", 0.07, as_is, "", 0.1, as_is < 1,
                  "the queue is longer than 10 nearly always, so that LSB pages go to requests that could wait"),
            Claim("the same without reads inside programs (buffered wordlines)", "PA-SSD, figure 13", 0.07, buffered, "",
                  0.1, buffered < 1, "so it is not these reads"),
            Claim("the same with a queue threshold of 200 instead of 10", "PA-SSD, figure 13", 0.07, patient, "", 0.2,
                  patient < 1, "LSB pages are kept for real overload")]
