"""What the experiment ipu says about the paper: each number of it beside ours, and what we expect ourselves."""

import numpy

from twinplane.experiments.experiment import Claim, Range, at_least, at_most, nothing_wrong
from twinplane.experiments.ipu_cases import BLOCKS, MSR, PAPER_BLOCKS, PE, PLANES
from twinplane.experiments.ipu_rows import by_trace, change, changes, in_order, listed, mean, pooled, relative, spread, varied

MODEL = "a model of mapping and collection alone, without time"
ALL = ("Baseline", "MGA", "IPU")
JUDGED = {"paper": "cache as in the paper", "1/8": "cache 1/8 of what is written"}


def claims(frame, quick):
    frame = relative(frame)
    small, paper = varied(frame), varied(frame, ratio="paper")
    made = []
    for ratio, where in JUDGED.items():
        rows = varied(frame, ratio=ratio)
        made += [*latency_claims(frame, rows, where), *program_claims(rows, where), *level_claims(frame, rows, where),
                 *error_claims(rows, where), *space_claims(rows, where), *erase_claims(rows, where)]
    return [*made, *memory_claims(paper), *search_claims(paper), *cycle_claims(frame), *own_claims(frame, small, paper),
            *own_level_claims(frame), *own_space_claims(frame, small),
            nothing_wrong(frame.assign(folded=frame["folded"].where(frame["part"] == "profile", 0)),
                          ("mismatches", "violations", "folded", "uncorrectable"))]


def words(held):
    """Claim arguments: whether an order holds everywhere, and where it does not."""
    broken = [trace for trace, holds in held.items() if not holds]
    return {"found": bool(held) and not broken,
            "numbers": f"{len(held) - len(broken)} of {len(held)} traces" + (f", not {', '.join(broken)}" if broken else "")}


# --- figures 5 and 6 ---


def latency_claims(frame, rows, where):
    """Magnitudes hang on the load and on the region; both are told beside each."""
    made = []
    for what, scheme, column, against, paper, source in (
            ("all I/O, MGA over Baseline", "MGA", "io_us", "Baseline", -6.4, "section 4.2.1, figure 5"),
            ("all I/O, IPU over Baseline", "IPU", "io_us", "Baseline", -14.9, "section 4.2.1, figure 5"),
            ("all I/O, IPU over MGA", "IPU", "io_us", "MGA", -9.3, "abstract"),
            ("writes, IPU over Baseline", "IPU", "write_us", "Baseline", -23.8, "section 4.2.1, figure 5"),
            ("writes, IPU over MGA", "IPU", "write_us", "MGA", -17.9, "section 4.2.1, figure 5")):
        ours = change(rows, scheme, column, against)
        made.append(Claim(f"{where}: latency of {what}, one request at a time", f"IPU, {source}", paper, ours, "%", 0.25,
                          0, why_latency(frame, rows, scheme, column, against)))
    reads = by_trace(rows, "read_us/MGA")["IPU"]
    best = 100 * (reads.min() - 1)
    return [*made, Claim(f"{where}: latency of reads, IPU over MGA, the trace that gains most ({reads.idxmin()})",
                         "IPU, section 4.2.1: up to", -6.3, best, "%", 0.25, 0, why_reads(frame))]


STUDIES = (("load, cache 1/8", "load", {}), ("cache", "ratio", {}), ("dies, cache as in the paper", "dies", {"ratio": "paper"}),
           ("dies, cache as in the paper, idle dies first", "dies", {"ratio": "paper", "planes": "idle"}))


def why_latency(frame, rows, scheme, column, against):
    """The same number by trace, and on the three MSR traces under other loads, with other regions, and on more dies."""
    text = "by trace (how often lun1, lun2 and ads write an address again is assumed): " + \
        listed(100 * (by_trace(rows, f"{column}/{against}")[scheme] - 1))
    for what, name, fixed in STUDIES:
        found = {value: varied(frame, MSR, **(fixed | {name: value})) for value in dict.fromkeys(frame[name])}
        others = {value: changes(there, scheme, column, against) for value, there in found.items() if len(there)}
        text += f"; MSR, by {what}: {listed(others)}" if len(others) > 1 else ""
    return text


def why_reads(frame):
    """Decoding is a small part of a read where a codeword has few of the errors that it can correct."""
    found = {corrects: varied(frame, MSR, ratio="paper", corrects=corrects) for corrects in (40, 8)}
    others = {f"{corrects} correctable": changes(rows, "IPU", "read_us", "MGA") for corrects, rows in found.items() if len(rows)}
    return f"decoding is a small part of a read; MSR, cache as in the paper, mean: {listed(others)}"


def program_claims(rows, where):
    programs = by_trace(rows, "native_programs")
    lowest = {trace: row["IPU"] == row.min() for trace, row in programs.iterrows() if row.max() > 0}
    return [Claim(f"{where}: programs of native blocks", "IPU, section 4.2.1, figure 6", "IPU has the fewest in every trace",
                  **words(lowest), why="over Baseline: " + listed(by_trace(rows, "native_programs/Baseline")["IPU"], 2)
                  + "; over MGA: " + listed(by_trace(rows, "native_programs/MGA")["IPU"], 2))]


# --- figure 7 ---

LEVELS = {"hot": (32.9, Range(30, 45)), "work": (62.7, Range(40, 60)), "monitor": (4.4, Range(8, 20))}


def level_claims(frame, rows, where):
    made = []
    for level, (paper, _) in LEVELS.items():
        source = "section 4.2.1, figure 7" + (": what the others leave" if level == "monitor" else "")
        made.append(Claim(f"{where}: updates that {level.capitalize()} blocks take", f"IPU, {source}", paper,
                          100 * mean(rows, "IPU", f"{level}_share"), "%", 0.15,
                          why="by trace: " + listed(by_trace(rows, f"{level}_share", 100)["IPU"]) + "; " + by_region(frame, level)))
    return made


def by_region(frame, level):
    found = {ratio: varied(frame, MSR, ratio=ratio) for ratio in dict.fromkeys(frame["ratio"])}
    return "MSR, by cache: " + listed({ratio: percent(rows, f"{level}_share") for ratio, rows in found.items() if len(rows)})


def percent(rows, column):
    return tuple(100 * value for value in spread(rows, "IPU", column))


COUNTED = {"": mean, ", of those of the six traces together": pooled}  # each trace alike, or as often as it writes


def own_level_claims(frame):
    made = []
    for ratio in ("1/8", "1/16"):
        rows = varied(frame, ratio=ratio)
        for level, (_, expected) in LEVELS.items() if len(rows) else ():
            made += [Claim(f"cache {ratio} of what is written: updates that {level.capitalize()} blocks take{how}", MODEL, expected,
                           100 * of(rows, "IPU", f"{level}_share"), "%", own=True,
                           why="by trace: " + listed(by_trace(rows, f"{level}_share", 100)["IPU"]) + "; " + by_region(frame, level))
                     for how, of in COUNTED.items()]
    return made


# --- figure 8 ---


def error_claims(rows, where):
    made = []
    for scheme, against, paper, source in (("MGA", "Baseline", 14.0, "section 4.2.2, figure 8"), ("IPU", "MGA", -9.2, "abstract"),
                                           ("IPU", "Baseline", 3.5, "section 4.2.2, figure 8")):
        ours = change(rows, scheme, "error_rate", against)
        made.append(Claim(f"{where}: read error rate, {scheme} over {against}", f"IPU, {source}", paper, ours, "%", 0.25,
                          0, why_errors(rows, scheme, against)))
    return made


def why_errors(rows, scheme, against):
    hits = listed(by_trace(rows, "cache_hits", 100)[scheme], 0)
    return (f"only what is read from the cache can be disturbed; by trace: "
            f"{listed(100 * (by_trace(rows, f'error_rate/{against}')[scheme] - 1))}; reads from the cache (%): {hits}")


# --- figures 9 and 10 ---

USED = {"Baseline": (52.8, Range(38, 46)), "MGA": (99.9, at_least(99.5)), "IPU": (73.0, Range(60, 93))}


def space_claims(rows, where):
    return [Claim(f"{where}: used subpages of collected cache blocks, {scheme}", "IPU, section 4.3.1, figure 9", paper,
                  100 * mean(rows, scheme, "utilisation"), "%", 0.1,
                  why="by trace: " + listed(by_trace(rows, "utilisation", 100)[scheme]))
            for scheme, (paper, _) in USED.items()]


def own_space_claims(frame, small):
    made = [Claim(f"MSR, cache 1/8: used subpages of collected cache blocks, {scheme}", MODEL, expected,
                  100 * mean(small, scheme, "utilisation", MSR), "%", own=True,
                  why="by trace: " + listed(by_trace(small, "utilisation", 100)[scheme])) for scheme, (_, expected) in USED.items()]
    union = varied(frame, MSR, reading="union")
    return [*made, Claim("MSR, cache 1/8, union: used subpages of collected cache blocks, Baseline", MODEL, Range(65, 80),
                         100 * mean(union, "Baseline", "utilisation"), "%", own=True)]


def erase_claims(rows, where):
    cache, native = (by_trace(rows, name) for name in ("slc_erases", "native_erases"))
    cache, native = cache[cache["Baseline"] > 0], native[native["Baseline"] > 0]
    source, over = "IPU, section 4.3.2, figure 10", by_trace(rows, "slc_erases/Baseline")
    why = f"over Baseline: MGA {listed(over['MGA'], 2)}; IPU {listed(over['IPU'], 2)}"
    made = [Claim(f"{where}: erases of cache blocks", source, expected, **words(held), why=why) for expected, held in (
        ("Baseline has the most in every trace", {t: row["Baseline"] == row.max() for t, row in cache.iterrows()}),
        ("IPU has more than MGA in every trace", {t: row["IPU"] > row["MGA"] for t, row in cache.iterrows()}))]
    if len(native):
        made.append(Claim(f"{where}: erases of native blocks", source, "IPU has the fewest in every trace",
                          **words({t: row["IPU"] == row.min() for t, row in native.iterrows()}),
                          why="over Baseline: " + listed(by_trace(rows, "native_erases/Baseline")["IPU"], 2)))
    wear = change(rows, "IPU", "wear")
    return [*made, Claim(f"{where}: wear of cache and native blocks together, 10:1, IPU over Baseline",
                         "IPU, section 4.3.2 and abstract: no noticeable decrease in total endurance", at_most(0), wear, "%")]


ERASES = {"cache 1/8": {}, "cache as in the paper": {"ratio": "paper"},
          "cache 1/8, blocks of 128 pages as in the paper": {"ratio": "1/8, 128 pages"},
          "cache 1/8, whole pages straight to native blocks": {"reading": "full pages native"}}


def why_erases(frame, rows):
    """The same by trace and by region; and how full the Baseline's blocks are, which the paper says of its own."""
    ratios = {ratio: varied(frame, MSR, ratio=ratio) for ratio in dict.fromkeys(frame["ratio"])}
    found = {ratio: spread(of_ratio, "IPU", "slc_erases/Baseline") for ratio, of_ratio in ratios.items() if len(of_ratio)}
    return ("by trace: " + listed({trace: spread(rows, "IPU", "slc_erases/Baseline", [trace]) for trace in dict.fromkeys(rows["trace"])}, 2)
            + "; MSR, by cache: " + listed(found, 2)
            + f"; used subpages of the Baseline's collected blocks, MSR: {100 * mean(rows, 'Baseline', 'utilisation', MSR):.1f} %")


def own_claims(frame, small, paper):
    """Orders and ranges that hold for the schemes as such."""
    made = []
    for where, chosen in ERASES.items():
        rows = varied(frame, **chosen)
        made += [Claim(f"MSR, {where}: erases of cache blocks", MODEL, "Baseline > IPU > MGA", own=True,
                       **words(in_order(rows, "slc_erases", ("Baseline", "IPU", "MGA")))),
                 Claim(f"MSR, {where}: erases of cache blocks, IPU over Baseline", MODEL, Range(0.3, 0.8),
                       mean(rows, "IPU", "slc_erases/Baseline", MSR), own=True, why=why_erases(frame, rows))] if len(rows) else []
    for column in ("native_programs", "native_erases"):
        made.append(Claim(f"MSR, cache 1/8: {column.replace('_', ' ')}", MODEL, "Baseline > MGA >= IPU", own=True,
                          **words(in_order(small, column, ALL, strict=False))))
    added = {scheme: change(paper, scheme, "error_rate") for scheme in ("MGA", "IPU")}
    return [*made,
            Claim("cache as in the paper: read error rate, MGA over Baseline", MODEL, Range(3, 15), added["MGA"], "%", own=True,
                  why=why_errors(paper, "MGA", "Baseline")),
            Claim("cache as in the paper: read error rate, IPU over Baseline", MODEL, Range(0.5, 4), added["IPU"], "%", own=True),
            Claim("cache as in the paper: added read error rate, MGA's over IPU's", MODEL, at_least(2.5),
                  added["MGA"] / added["IPU"], own=True)]


# --- figures 11 and 12 ---


def memory_claims(rows):
    ours = {scheme: change(rows, scheme, "mapping_bytes") for scheme in ("MGA", "IPU")}
    ipu = rows[rows["scheme"] == "IPU"].iloc[0]
    whole = PAPER_BLOCKS / (PLANES * BLOCKS) * 0.05 * BLOCKS / 51  # of the paper's drive; 5 % are no whole number of blocks
    why = "what an entry takes is not in the paper"
    return [
        *(Claim(f"mapping table, {scheme} over Baseline", "IPU, section 4.4.1, figure 11", paper, ours[scheme], "%", 0.1,
                0, why) for scheme, paper in (("MGA", 23.7), ("IPU", 0.84))),
        Claim("labels of the levels, scaled to the paper's drive", "IPU, section 4.4.1: 2 bit of 5 % of 65,536 blocks", 819.2,
              ipu["label_bytes"] * whole, "B", 0.02),
        Claim("values IS' of the pages, scaled to the paper's drive", "IPU, section 4.4.1: 4 B of each page of 5 % of 65,536 blocks",
              819.2, ipu["isr_bytes"] * whole / 1024, "KiB", 0.01),
        Claim("mapping memory beyond a page map, MGA's over IPU's", "subpages of several pages need places of their own",
              at_least(5), ours["MGA"] / ours["IPU"], own=True)]


def search_claims(rows):
    """What a search costs is not in the model of the core: blocks that it looks at stand for it."""
    found = {scheme: mean(rows, scheme, "searched") for scheme in ("Baseline", "IPU")}
    return [Claim("blocks looked at for a victim, IPU over Baseline", "IPU, section 4.4.2, figure 12: time of a search", 1.2,
                  100 * (found["IPU"] / found["Baseline"] - 1), "%", 1.0,
                  why=f"{found['IPU']:.1f} blocks a search against {found['Baseline']:.1f}")]


# --- figures 13 and 14 ---


def by_cycles(rows, column, judge):
    """{trace: [what is judged of its schemes, for each number of cycles]}"""
    found = {}
    for of_cycles in rows.values():
        for trace, row in by_trace(of_cycles, column).iterrows():
            found.setdefault(trace, []).append(judge(row))
    return found


def cycle_claims(frame):
    traces = sorted(set(varied(frame, ratio="paper", pe=PE[0])["trace"]))
    rows = {cycles: varied(frame, traces, ratio="paper", pe=cycles) for cycles in PE}
    rows = {cycles: found for cycles, found in rows.items() if len(found)}
    base = mean(rows[4000], "Baseline", "error_rate")
    made = [Claim("read error rate of the Baseline after 4000 cycles", "IPU, section 4.1 and its reference 19", 2.8e-4, base,
                  tolerance=0.001)]
    for column, what in (("io_us", "latency"), ("error_rate", "read error rate")):
        values = {s: numpy.array([mean(found, s, column) for found in rows.values()]) for s in ALL}
        made.append(Claim(f"{what} over program/erase cycles", "IPU, section 4.5, figures 13 and 14", "it rises with all three",
                          all(bool((numpy.diff(v) > 0).all()) for v in values.values()),
                          numbers="; ".join(f"{s} {v[0]:.4g} to {v[-1]:.4g}" for s, v in values.items())))
        below = by_cycles(rows, column, lambda row: row["IPU"] < row["MGA"])
        made.append(Claim(f"{what} over program/erase cycles: IPU and MGA", "IPU, section 4.5, figures 13 and 14",
                          "IPU stays below MGA in every trace", **words({t: all(held) for t, held in below.items()}),
                          why="by cycles, mean: " + listed({c: change(r, "IPU", column, "MGA") for c, r in rows.items()})))
        orders = by_cycles(rows, column, lambda row: tuple(row[list(ALL)].argsort()))
        made.append(Claim(f"{what} over program/erase cycles: order of the three schemes", "cycles change decoding alone", "the same "
                          "after all cycles in every trace", **words({t: len(set(o)) == 1 for t, o in orders.items()}), own=True))
    added = {s: [change(found, s, "error_rate") for found in rows.values()] for s in ("MGA", "IPU")}
    return [*made, Claim("added read error rate over program/erase cycles", "disturb adds more to worn cells",
                         "it rises with MGA and with IPU", all(bool((numpy.diff(v) > 0).all()) for v in added.values()), own=True,
                         numbers="; ".join(f"{s} {v[0]:.2f} to {v[-1]:.2f} %" for s, v in added.items()))]


# --- the table of all points ---


def table(frame):
    """A row for each point, mean of the seeds."""
    rows = relative(frame)
    keys = ["part", "trace", "ratio", "reading", "reads", "corrects", "pe", "load", "planes", "dies", "scheme"]
    numbers = {"io_us": "I/O (µs)", "write_us": "write (µs)", "read_us": "read (µs)", "io_us/Baseline": "I/O / Baseline",
               "write_us/Baseline": "write / Baseline", "read_us/MGA": "read / MGA", "slc_programs": "cache programs",
               "partial_programs": "partial programs", "native_programs": "native programs", "native_host_pages": "host pages to native",
               "evicted_pages": "evicted pages", "slc_erases": "cache erases", "native_erases": "native erases",
               "utilisation": "used subpages", "work_share": "Work", "monitor_share": "Monitor", "hot_share": "Hot",
               "in_page": "updates in the page", "cache_hits": "reads from the cache", "error_rate": "read error rate",
               "error_rate/Baseline": "error rate / Baseline", "in_page_disturbed": "disturbed in the page",
               "neighbour_disturbed": "disturbed by a neighbour", "mapping_bytes": "mapping (B)", "searched": "blocks searched"}
    rows = rows.assign(seeds=1)
    found = rows.groupby(keys, sort=False).agg({**{name: "mean" for name in numbers}, "seeds": "sum"}).reset_index()
    named = {"ratio": "cache / written", "corrects": "correctable", "pe": "P/E cycles"}
    return found.rename(columns=numbers | named)
