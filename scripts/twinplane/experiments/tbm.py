"""Plane parallelism in the long run, with and without twin block management (TBM)."""

import json
import os
import pathlib

from twinplane.case import Case
from twinplane.experiments import tbm_why
from twinplane.experiments.experiment import Experiment
from twinplane.experiments.fidelity_part import CONFIGS
from twinplane.experiments.papers import ASSUMED
from twinplane.experiments.tbm_claims import claims, pairing, table
from twinplane.experiments.tbm_figures import figures
from twinplane.program import ROOT

QUESTION = """\
Multi-plane commands need equal page addresses in all planes, on some dies equal block addresses too. A new drive has
them in plenty. Garbage collection takes them away, unless the blocks of equal number in all planes of a die are
opened and reclaimed together: twin block management (Tavakkol et al., IEEE Computer Architecture Letters 15(2),
2016). How much of the parallelism is lost without it, how much is kept with it, and what is that worth?

Each drive starts empty and is written several times over with 64 requests outstanding. Policies are named as in the
letter: F spreads writes over idle dies, D finds the die from the address, F2 fills the planes of a die first; each
with conventional blocks and with twin blocks (+TBM). Every workload is run with every combination of three choices
that the letter leaves open: how F pairs planes (pair), whether pages move one plane at a time (moves), and whether
moved pages share the host's write frontier (frontier). The letter's own cell is pair off, moves single, frontier
shared.

The drive is that of the first author's simulator, scaled down (the letter's table of parameters is lost, and so are its
replay rules): two dies of two planes, 64 blocks of 64 pages each. A second drive has 256 pages per block and two or
four planes. Queues are closed, so requests per second and response time say the same. Profiles are generated from the
statistics of the traces that the letter names; excerpts of real traces are replayed over and over, as the letter does.
Some of these use so few addresses that their blocks become free as a whole: nothing is moved, so nothing is lost and
nothing gained. "Late" is from 2 to 3.5 times the capacity written, "end" from 6 to 10 times, "new" is up to half of it.
"""

CONFIG = (ASSUMED, str(CONFIGS / "tbm.toml"))
BASES = ("f", "d", "f2")
LETTER = {"pair": "off", "moves": "single", "frontier": "shared"}
SMALL, LARGE = "64 pages, 2 planes", "256 pages, {} planes"
CAPACITY = 14_745  # pages of 8 KiB that the small drive exports
WORKLOADS = {
    "uniform": {"workload.rw": "randwrite"},
    "uniform, depth 16": {"workload.rw": "randwrite", "host.iodepth": 16},
    "zipf": {"workload.rw": "randwrite", "workload.random_distribution": "zipf:1.1"},
    "70/30 one page": {"workload.rw": "randrw", "workload.rwmixread": 70},
    "70/30 four pages": {"workload.rw": "randrw", "workload.rwmixread": 70, "workload.bs": "32KiB"},
}
WRITTEN_PAGES = {"70/30 one page": 0.3, "70/30 four pages": 1.2}  # per request, on average; else 1
DRAWN = ("uniform", "proj_0", "70/30 four pages")
LONG = ("uniform", "uniform, depth 16", "70/30 one page", "70/30 four pages", "proj_0")
IN_ALL_CELLS = ("uniform", "zipf", "70/30 one page", "70/30 four pages", "proj_0", "prn_0", "prn_1", "fin1")
ROUND = {"proj_0": 1650, "prn_0": 6000, "prn_1": 13000, "fin1": 16000}  # requests: about half a capacity
TRACES = {  # beside name and file: requests that write about half a capacity
    "fin1 excerpt": ("fin1_first10000.ascii.zst", 12000),
    "hm_0 excerpt": ("msr_cut_rw_20_80.105.trace.zst", 10000),
    "proj_0 excerpt": ("msr_proj_0_writes_1000.csv.zst", 7500),
    "rsrch_1": ("msr_rsrch_1.csv.zst", 4750),
    "homes excerpt": ("fiu_homes_1000.ascii.zst", 14500),
    "tpcc excerpt": ("ms_tpcc_first6999.ascii.zst", 12500),
    "tencent 490 excerpt": ("tencent_cut_rw_60_40.490.replay.csv.zst", 12000),
    "tencent 211 excerpt": ("tencent_cut_rw_65_35.211.replay.csv.zst", 14500),
    "nexus5 installing": ("nexus5_Installing_log181.txt.zst", 640),
}


def trace_folder():
    """Where real traces lie, if anywhere: they are not ours to give away (docs/twin_blocks.md)."""
    return pathlib.Path(os.environ.get("TWINPLANE_TRACES", ROOT / "traces/real"))


def found_traces():
    return {name: rounds for name, (file, rounds) in TRACES.items() if (trace_folder() / file).is_file()}


def grid(quick):
    """In the order of importance; the quick grid is the beginning of the full one, so that it tests every claim."""
    cells = [{"pair": p, "moves": m, "frontier": f} for p in ("off", "next", "any") for m in ("single", "multi")
             for f in ("shared", "separate")]
    cells.remove(LETTER)
    cases = letters_cases(1)
    for moves, frontier in (("single", "separate"), ("multi", "shared"), ("multi", "separate")):
        cases += both(("uniform",), BASES, LETTER | {"moves": moves, "frontier": frontier}, 1, volume=4)
    cases += both(("70/30 four pages",), ("d", "f2"), LETTER | {"moves": "multi"}, 1, volume=4)
    if quick:
        return cases
    traces = tuple(found_traces())
    cases += large_blocks("separate", 1, 4) + both(traces, BASES, LETTER, 1)
    for seed in (2, 3):
        cases += letters_cases(seed) + large_blocks("separate", seed, 4) + both(traces, BASES, LETTER, seed)
    for seed in (1, 2, 3):
        for cell in cells:
            cases += both(IN_ALL_CELLS + traces, BASES, cell, seed, volume=4)
    points = {}
    for one in cases:
        points.setdefault(tuple(one.labels[name] for name in one.labels if name != "volume"), one)
    return list(points.values())


def letters_cases(seed):
    """The letter's own cell."""
    cases = both(("uniform",), BASES, LETTER, seed) + both(("uniform",), ("d", "f2"), LETTER, seed, bac=True, volume=4)
    cases += large_blocks("shared", seed, 10) + both(("uniform, depth 16",), ("d", "f2"), LETTER, seed)
    return cases + both(("zipf", "70/30 one page", "70/30 four pages", *ROUND), BASES, LETTER, seed)


def both(workloads, bases, cell, seed, bac=False, volume=None):
    """The cases of some workloads, without and with twin blocks."""
    return [case(w, base, tbm, cell, seed, bac, volume or volume_of(w, base, tbm))
            for w in workloads for base in bases for tbm in (False, True)]


def volume_of(workload, base, tbm):
    """Times the capacity that is written: ten where it is plotted, and where twins have to hold out so long."""
    return 10 if workload in DRAWN or workload in LONG and tbm and base != "f" else 4


def case(workload, base, tbm, cell, seed, bac, volume):
    cell = cell | {"pair": pairing(base, cell["pair"])}
    settings = policy(base, tbm, cell, bac)
    labels = labels_of(SMALL, workload, base, tbm, cell, bac, volume) | {"seed": seed}
    if workload in TRACES:
        file, rounds = TRACES[workload]
        settings |= {"host.drive_writes": volume, "host.report_round": rounds}
        return Case(CONFIG, settings, trace=str(trace_folder() / file), seed=seed, labels=labels)
    if workload in ROUND:
        settings |= {"host.drive_writes": volume, "host.report_round": ROUND[workload]}
        return Case(CONFIG, settings, profile=workload, options=("--requests", "30000"), seed=seed, labels=labels)
    half = round(CAPACITY / WRITTEN_PAGES.get(workload, 1) / 2)
    settings |= WORKLOADS[workload] | {"workload.number_ios": 2 * volume * half, "host.report_round": half}
    return Case(CONFIG, settings, seed=seed, labels=labels)


def large_blocks(frontier, seed, volume):
    """Blocks of 256 pages, two and four planes; spare space for their larger frontiers."""
    cases = []
    cell = LETTER | {"pair": pairing("d", "off"), "frontier": frontier}
    for planes in (2, 4):
        pages = planes * 2 * 32 * 256 * 8 // 10
        drive = {"geometry.planes_per_die": planes, "geometry.blocks_per_plane": 32, "geometry.pages_per_block": 256,
                 "ftl.over_provisioning": "20%", "host.report_round": pages // 2}
        for base in ("d", "f2"):
            for tbm in (False, True):
                times = volume if tbm else 4
                settings = policy(base, tbm, cell, False) | drive | {"workload.number_ios": times * pages}
                labels = labels_of(LARGE.format(planes), "uniform", base, tbm, cell, False, times) | {"seed": seed}
                cases.append(Case(CONFIG, settings, seed=seed, labels=labels))
    return cases


def policy(base, tbm, cell, bac):
    return {"ftl.policy": base + ("+tbm" if tbm else "") + ("+bac" if bac else ""),
            "ftl.plane_allocation": base.upper(), "ftl.block_allocation": "twin" if tbm else "conventional",
            "nand.bac": bac, "ftl.pair": cell["pair"], "ftl.gc_moves": cell["moves"], "ftl.frontier": cell["frontier"]}


def labels_of(drive, workload, base, tbm, cell, bac, volume):
    return {"drive": drive, "workload": workload, "base": base, "tbm": tbm, "bac": bac} | cell | {"volume": volume}


# --- what is taken from a run ---


def metrics(result):
    s = result.summary
    rounds = s["rounds"]
    if 2 * rounds[-1]["bytes_written"] < rounds[0]["bytes_written"]:
        rounds = rounds[:-1]  # what was left over
    new = [r for r in rounds if r["drive_writes"] <= 0.75] or rounds[:1]
    late = [r for r in rounds if 2.1 < r["drive_writes"] <= 3.75]
    end = [r for r in rounds if 6 < r["drive_writes"]]
    return window("new", new) | window("late", late) | window("end", end) | {
        "evenness": s["ftl"]["unit_wear"]["evenness"], "violations": s["nand"]["violations"]["total"],
        "mismatches": s["host"]["verify"]["mismatches"],
        "rounds": json.dumps([[r["drive_writes"], (r["latency_mean_ns"] or 0) / 1e6, r["gc"]["invocations"],
                               r["multiplane"]["host_program"], r["multiplane"]["host_read"]] for r in rounds])}


def window(name, rounds):
    """Numbers of a stretch of a run; none when the run does not have it."""
    requests = sum(r["reads"] + r["writes"] for r in rounds)
    nanoseconds = sum(r["simulated_ns"] for r in rounds)
    written = sum(r["bytes_written"] for r in rounds)
    collections = sum(r["gc"]["invocations"] for r in rounds)

    def mean(values):
        there = [v for v in values if v is not None]
        return sum(there) / len(there) if there else None

    def of_planes(kind):
        return mean(r["multiplane"][kind] for r in rounds)

    numbers = {
        "iops": 1e9 * requests / nanoseconds if rounds else None,
        "latency_ms": sum((r["latency_mean_ns"] or 0) * (r["reads"] + r["writes"]) for r in rounds) / requests / 1e6
        if rounds else None,
        "program": of_planes("host_program"), "read": of_planes("host_read"), "erase": of_planes("erase"),
        "page_ratio": mean(r["page_ratio"] for r in rounds),
        "moved": sum(r["gc"]["pages_moved"] for r in rounds) / collections if collections else None,
        "collections": collections / written * 2**30 if rounds else None}  # per GiB written
    return {f"{name}_{key}": value for key, value in numbers.items()}


def all_claims(frame, quick):
    return [*claims(frame, quick), *tbm_why.claims(frame)]


EXPERIMENT = Experiment("tbm", "Twin blocks keep planes working together", QUESTION, grid, table, figures, all_claims,
                        metrics, paper="TBM, IEEE Computer Architecture Letters 15(2), 2016")
