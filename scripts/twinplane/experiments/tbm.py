"""Plane parallelism in the long run, with and without twin block management (TBM)."""

import json

import numpy

from twinplane.case import Case
from twinplane.experiments.experiment import Claim, Experiment
from twinplane.experiments.fidelity_part import CONFIGS
from twinplane.experiments.tbm_figures import figures

QUESTION = """\
Multi-plane commands need equal page addresses in all planes, on some dies equal block addresses too. A new drive has
them in plenty. Garbage collection takes them away, unless the blocks of equal number in all planes of a die are
opened and reclaimed together: twin block management (Tavakkol et al., IEEE Computer Architecture Letters 15(2),
2016). How much of the parallelism is lost without it, how much is kept with it, and what is that worth?

Each drive starts empty and is written several times over with 64 requests outstanding. Policies are named as in the
letter: F spreads writes over idle dies, D finds the die from the address, F2 fills the planes of a die first; each
with conventional blocks and with twin blocks (+TBM). The table has every combination of three choices that the letter
leaves open: how F pairs planes (pair), whether pages move one plane at a time (moves), and whether moved pages share
the host's write frontier (frontier). The letter's own cell is pair off, moves single, frontier shared; it alone is
run with all workloads, and with dies that ask for equal block addresses (+BAC).

The drive is that of the first author's simulator, scaled down (the letter's table of parameters is lost, and so are its
replay rules). Queues are closed, so requests per second and response time say the same. Late means the last 40 % of the
volume written.
"""

BASES = ("f", "d", "f2")
LETTER = {"pair": "off", "moves": "single", "frontier": "shared"}
CAPACITY = 29_491  # pages of 8 KiB that the drive exports
WORKLOADS = {
    "uniform": {"workload.rw": "randwrite"},
    "zipf": {"workload.rw": "randwrite", "workload.random_distribution": "zipf:1.1"},
    "70/30 one page": {"workload.rw": "randrw", "workload.rwmixread": 70},
    "70/30 four pages": {"workload.rw": "randrw", "workload.rwmixread": 70, "workload.bs": "32KiB"},
}
LONG = ("uniform", "proj_0")  # written ten times over as in the letter, the others four times
PROFILES = ("proj_0", "prn_0", "prn_1", "fin1")
WRITTEN_PAGES = {"uniform": 1, "zipf": 1, "70/30 one page": 0.3, "70/30 four pages": 1.2}  # per request, on average


def grid(quick):
    seeds = (1,) if quick else (1, 2, 3)
    workloads = ("uniform",) if quick else tuple(WORKLOADS) + PROFILES
    volumes = {w: 10 if w in LONG and not quick else 4 for w in workloads}
    cases = [case(base, tbm, w, LETTER, False, volumes[w], seed)
             for w in workloads for base in BASES for tbm in (False, True) for seed in seeds]
    cases += [case("d", tbm, "uniform", LETTER, True, volumes["uniform"], seed)
              for tbm in (False, True) for seed in seeds]
    for pair in ("off",) if quick else ("off", "next", "any"):
        for moves in ("single", "multi"):
            for frontier in ("shared", "separate"):
                cell = {"pair": pair, "moves": moves, "frontier": frontier}
                if cell != LETTER:
                    cases += [case(base, tbm, "uniform", cell, False, 4, seed)
                              for base in BASES for tbm in (False, True) for seed in seeds]
    return cases


def case(base, tbm, workload, cell, bac, volume, seed):
    settings = {"ftl.policy": base + ("+tbm" if tbm else "") + ("+bac" if bac else ""), "ftl.pair": cell["pair"],
                "ftl.gc_moves": cell["moves"], "ftl.frontier": cell["frontier"]}
    labels = {"base": base, "tbm": tbm, "workload": workload, "bac": bac} | cell | {"volume": volume, "seed": seed}
    if workload in PROFILES:
        settings |= {"host.drive_writes": volume, "host.report_round": 20_000}
        return Case(str(CONFIGS / "tbm.toml"), settings, profile=workload, options=("--requests", "60000"), seed=seed,
                    labels=labels)
    half = round(CAPACITY / WRITTEN_PAGES[workload] / 2)
    settings |= WORKLOADS[workload] | {"workload.number_ios": 2 * volume * half, "host.report_round": half}
    return Case(str(CONFIGS / "tbm.toml"), settings, seed=seed, labels=labels)


def metrics(result):
    s = result.summary
    rounds = s["rounds"]
    late = [r for r in rounds if r["drive_writes"] > 0.6 * rounds[-1]["drive_writes"]]
    time = sum(r["simulated_ns"] for r in late)
    requests = sum(r["reads"] + r["writes"] for r in late)

    def mean(kind):
        shares = [r["multiplane"][kind] for r in late if r["multiplane"][kind] is not None]
        return sum(shares) / len(shares) if shares else None

    first = rounds[0]
    return {"early_iops": first["iops"], "early_program": first["multiplane"]["host_program"],
            "early_read": first["multiplane"]["host_read"], "iops": 1e9 * requests / time,
            "latency_ms": sum(r["latency_mean_ns"] * (r["reads"] + r["writes"]) for r in late) / requests / 1e6,
            "program": mean("host_program"), "read": mean("host_read"), "erase": mean("erase"),
            "waf": numpy.mean([r["waf"] for r in late if r["waf"] is not None]),
            "collections": sum(r["gc"]["invocations"] for r in late),
            "moved": sum(r["gc"]["pages_moved"] for r in late), "written": sum(r["bytes_written"] for r in late),
            "evenness": s["ftl"]["unit_wear"]["evenness"], "violations": s["nand"]["violations"]["total"],
            "mismatches": s["host"]["verify"]["mismatches"],
            "rounds": json.dumps([[r["drive_writes"], (r["latency_mean_ns"] or 0) / 1e6, r["gc"]["invocations"],
                                   r["multiplane"]["host_program"], r["multiplane"]["host_read"]] for r in rounds])}


def gains(frame):
    """One row per base policy, workload and cell: means over seeds, and what twin blocks change."""
    keys = ["workload", "pair", "moves", "frontier", "base", "tbm"]
    numbers = ["iops", "latency_ms", "early_iops", "early_program", "program", "read", "waf", "collections", "written"]
    means = frame[~frame["bac"]].groupby(keys, sort=False)[numbers].mean()
    without, with_tbm = means.xs(False, level="tbm"), means.xs(True, level="tbm")
    rows = without.join(with_tbm, rsuffix="_tbm").reset_index()
    rows["iops_gain"] = 100 * (rows["iops_tbm"] / rows["iops"] - 1)
    rows["latency_gain"] = 100 * (rows["latency_ms_tbm"] / rows["latency_ms"] - 1)
    rows["collections_ratio"] = rows["collections_tbm"] / rows["written_tbm"] / rows["collections"] * rows["written"]
    return rows


def letter_cell(rows):
    return rows[(rows["pair"] == "off") & (rows["moves"] == "single") & (rows["frontier"] == "shared")]


def table(frame):
    rows = gains(frame)
    for name in ("early_program", "program", "program_tbm", "read", "read_tbm"):
        rows[name] = 100 * rows[name]
    names = {"workload": "workload", "pair": "pair", "moves": "moves", "frontier": "frontier", "base": "policy",
             "early_iops": "requests/s, new", "iops": "late", "iops_tbm": "late, +TBM", "iops_gain": "gain %",
             "latency_gain": "response time %", "early_program": "multi-plane programs %, new",
             "program": "late (programs)", "program_tbm": "late, +TBM (programs)", "read": "multi-plane reads %, late",
             "read_tbm": "late, +TBM (reads)", "waf": "write amplification", "waf_tbm": "+TBM (amplification)",
             "collections_ratio": "collections, +TBM / without"}
    return rows[list(names)].rename(columns=names)


BEST = {"f": (5, -17), "d": (68, -42), "f2": (73, -40)}  # the letter's largest changes: IOPS, response time, per cent
WHY = ("the gain is bounded by the share of time that host programs take: at the write amplification of these loads "
       "most programs are moves, one plane at a time in this cell; see the rows with moves = multi")


def claims(frame, quick):
    rows = letter_cell(gains(frame))
    uniform = rows[rows["workload"] == "uniform"].set_index("base")
    source = "TBM letter"
    found = [
        Claim("D, new drive: share of host pages in multi-plane programs", source + ", Figure 2", 1,
              uniform.loc["d", "early_program"], "", 0.05, required=True),
        Claim("D: part of that share lost in long use", source + ", section 4: 90 per cent", 0.9,
              1 - uniform.loc["d", "program"] / uniform.loc["d", "early_program"], "", 0.1, required=True),
        Claim("D+TBM: share kept in long use, of the new drive's", source + ", Figure 6: nearly constant", 1,
              uniform.loc["d", "program_tbm"] / uniform.loc["d", "early_program"], "", 0.1, required=True),
        Claim("new drive: requests per second of D over those of F",
              source + ", Figure 2: better; both planes at once", 2,
              uniform.loc["d", "early_iops"] / uniform.loc["f", "early_iops"], "", 0.1, required=True),
    ]
    all_cells = gains(frame)
    for base, (iops, latency) in BEST.items():
        of_base = rows[rows["base"] == base]
        best = of_base["iops_gain"].max()
        found.append(Claim(f"{base.upper()}+TBM: largest gain in requests per second", source + ", Figure 7", iops,
                           best, "%", 0.25, bool(best > 0), WHY))
        best = of_base["latency_gain"].min()
        found.append(Claim(f"{base.upper()}+TBM: largest change of response time", source + ", Figure 7", latency, best,
                           "%", 0.25, bool(best < 0), WHY))
        cells = all_cells[(all_cells["base"] == base) & (all_cells["workload"] == "uniform")]
        near = cells.loc[(cells["iops_gain"] - iops).abs().idxmin()]
        found.append(Claim(f"{base.upper()}+TBM, uniform writes, closest cell ({near['pair']}, {near['moves']}, "
                           f"{near['frontier']}): gain", source + ", Figure 7", iops, near["iops_gain"], "%", 0.25,
                           bool(near["iops_gain"] > 0)))
    ratio = uniform.loc["f2", "collections_ratio"] * 2
    found.append(Claim("F2+TBM, two planes: collections per page written x planes / the same without", "one P-th", 1,
                       ratio, "", 0.03, required=not quick, why="WAF differs a little between blocks and twin blocks"))
    for tbm in (False, True):
        d = frame[(frame["base"] == "d") & (frame["tbm"] == tbm) & (frame["workload"] == "uniform") &
                  (frame["pair"] == "off") & (frame["moves"] == "single") & (frame["frontier"] == "shared")]
        relaxed, asked = d[~d["bac"]]["iops"].mean(), d[d["bac"]]["iops"].mean()
        found.append(Claim(f"D{'+TBM' if tbm else ''}: requests/s without BAC / with", source + ": less than 2 %", 1,
                           relaxed / asked, "", 0 if tbm else 0.02, required=True))
    trouble = int(frame[["mismatches", "violations"]].to_numpy().sum())
    found.append(Claim("wrong data and refused flash commands", "must not happen", 0, trouble, "", 0, required=True))
    return found


EXPERIMENT = Experiment("tbm", "Twin blocks keep planes working together", QUESTION, grid, table, figures, claims,
                        metrics)
