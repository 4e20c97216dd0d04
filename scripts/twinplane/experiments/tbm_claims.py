"""What the experiment tbm says about the letter: gains, the table of all cells, expected and found numbers."""

import pandas

from twinplane.experiments.experiment import Claim, Range, at_least, at_most, nothing_wrong

SOURCE = "TBM letter"
BEST = {"f": (5, -17), "d": (68, -42), "f2": (73, -40)}  # the letter's largest changes: IOPS, response time, per cent
CELL = ["pair", "moves", "frontier"]
POINT = ["drive", "workload", *CELL, "base"]
SMALL_DRIVE = "64 pages, 2 planes"


# --- cells that are run once for several ---


def pairing(base, pair):
    """What `pair` comes to: only F knows off (docs/configuration.md), and of two planes the next one is any other."""
    return "off" if base == "f" and pair == "off" else "any"


def every_cell(frame):
    """The frame with those cells, too, that were run under another name."""
    any_plane, f = frame["pair"] == "any", frame["base"] == "f"
    two = frame["drive"].str.endswith(" 2 planes")
    return pandas.concat([frame, frame[any_plane & two].assign(pair="next"),
                          frame[any_plane & ~f].assign(pair="off")], ignore_index=True)


# --- without and with twin blocks, side by side ---


def gains(frame):
    """One row per drive, workload, cell and base policy: means over seeds and what twin blocks change in per cent,
    each with the lowest and the highest of a seed."""
    frame = every_cell(frame)
    numbers = [c for c in frame.columns if c.split("_")[0] in ("new", "late", "end")]
    runs = frame[~frame["bac"]].set_index([*POINT, "seed", "tbm"])[numbers].astype(float)
    rows = runs.xs(False, level="tbm").join(runs.xs(True, level="tbm"), rsuffix="_tbm")
    for window in ("late", "end"):
        for kind, short in (("iops", "gain"), ("latency_ms", "response")):
            rows[f"{window}_{short}"] = 100 * (rows[f"{window}_{kind}_tbm"] / rows[f"{window}_{kind}"] - 1)
        rows[f"{window}_collected"] = rows[f"{window}_collections_tbm"] / rows[f"{window}_collections"]
    by_point = rows.groupby(level=POINT, sort=False)
    means = by_point.mean().join(by_point.min().add_prefix("lowest_")).join(by_point.max().add_prefix("highest_"))
    means["seeds"] = by_point.size()
    return in_order(means.reset_index())


def in_order(rows):
    """Drives and workloads as they were run, the letter's cell first, F before D before F2."""
    places = {"pair": ("off", "next", "any"), "moves": ("single", "multi"), "frontier": ("shared", "separate"),
              "base": tuple(BEST), "drive": tuple(rows["drive"].unique()), "workload": tuple(rows["workload"].unique())}
    return rows.sort_values(["drive", "workload", *CELL, "base"], ignore_index=True,
                            key=lambda column: column.map(places[column.name].index))


def letters_cell(rows):
    return rows[(rows["pair"] == "off") & (rows["moves"] == "single") & (rows["frontier"] == "shared")]


def table(frame):
    """Every drive, workload, cell and policy: the letter's figure where it has one, and ours."""
    rows = gains(frame)
    rows["letters_gain"] = rows["base"].map(lambda base: BEST[base][0])
    rows["letters_response"] = rows["base"].map(lambda base: BEST[base][1])
    rows["missed"] = rows["late_gain"] - rows["letters_gain"]
    for name in rows.columns:
        if name.removesuffix("_tbm") in ("new_program", "late_program", "end_program", "new_read", "late_read",
                                         "late_erase"):
            rows[name] = 100 * rows[name]
    names = {"drive": "drive", "workload": "workload", "pair": "pair", "moves": "moves", "frontier": "frontier",
             "base": "policy", "seeds": "seeds", "letters_gain": "letter: up to %", "late_gain": "gain %",
             "missed": "difference", "lowest_late_gain": "lowest seed",
             "highest_late_gain": "highest seed",
             "end_gain": "gain %, end", "letters_response": "letter: response time up to %",
             "late_response": "response time %", "new_iops": "requests/s, new", "late_iops": "late",
             "late_iops_tbm": "late, +TBM", "new_program": "multi-plane programs %, new",
             "late_program": "late (programs)", "late_program_tbm": "late, +TBM (programs)",
             "end_program_tbm": "end, +TBM (programs)", "new_read": "multi-plane reads %, new",
             "late_read": "late (reads)", "late_read_tbm": "late, +TBM (reads)", "late_erase": "multi-plane erases %",
             "late_page_ratio": "pages per page written", "late_page_ratio_tbm": "+TBM (pages)",
             "late_moved": "pages moved per collection", "late_moved_tbm": "+TBM (moved)",
             "late_collected": "collections, +TBM / without"}
    return rows[list(names)].rename(columns=names)


# --- expected and found ---


def claims(frame, _quick):
    rows = gains(frame)
    return [*shares(rows), *reads(rows), *new_and_late(rows), *of_f(rows), *harmed(rows), *largest(rows), *bac(frame),
            *collections(rows), *limits(rows), nothing_wrong(frame)]


def select(rows, **wanted):
    for name, value in wanted.items():
        rows = rows[rows[name].isin(value) if isinstance(value, tuple) else rows[name] == value]
    return rows


def shares(rows):
    """How many host pages multi-plane commands program: new, in long use, with twin blocks. The letter shows proj-0."""
    of_letter = letters_cell(rows)
    found = []
    for planes in (2, 4):
        drive = f"256 pages, {planes} planes"
        d = select(of_letter, drive=drive, base="d").iloc[0]
        found += [Claim(f"D, {drive}, new: share of host pages in multi-plane programs", "the letter's section 4.1 says "
                        "easily, and no number; nothing is in the way", 1, d["new_program"], tolerance=0.05,
                        required=True, own=True),
                  lost(f"uniform, {drive}", d), kept(f"uniform, {drive}", select(of_letter, drive=drive))]
    for workload in ("proj_0", "uniform", "uniform, depth 16", "70/30 four pages", "70/30 one page"):
        small = select(of_letter, drive=SMALL_DRIVE, workload=workload)
        if len(small):
            found += [lost(workload, select(small, base="d").iloc[0])] if workload == "proj_0" else []
            found.append(kept(f"{workload}, ten capacities", small))
    return found


def lost(what, d):
    gone = 1 - d["late_program"] / d["new_program"]
    return Claim(f"D, {what}: part of the new drive's share of multi-plane programs lost in long use",
                 SOURCE + ", section 4: a factor of 90 percent", 0.9, gone, tolerance=0.1, neutral=0,
                 required=True)


def kept(what, rows):
    both = select(rows, base=("d", "f2"))
    return Claim(f"D+TBM and F2+TBM, {what}: least part of that share kept", SOURCE + ", section 6: nearly constant", 1,
                 (both["end_program_tbm"] / both["new_program"]).min(), tolerance=0.1, required=True)


def reads(rows):
    """Requests of four pages: the share of multi-plane reads of a new drive that is left late."""
    rows = select(rows, drive=SMALL_DRIVE, workload="70/30 four pages", base=("d", "f2")).copy()
    rows["kept"] = rows["late_read_tbm"] / rows["new_read"]
    rows["kept_without"] = rows["late_read"] / rows["new_read"]
    worst = letters_cell(rows).loc[letters_cell(rows)["kept"].idxmin()]
    found = [Claim("requests of four pages, D+TBM and F2+TBM: least part of the new drive's multi-plane reads kept",
                   SOURCE + ", section 6: nearly constant", 1, worst["kept"], tolerance=0.1, neutral=worst["kept_without"],
                   why=f"without twin blocks {100 * worst['kept_without']:.1f} %; a page overwritten while its twin is "
                       "moved, or a move between two host writes, leaves a stripe half open, and the next "
                       "request is written from there on, in two stripes")]
    cells = rows.groupby(CELL, sort=False)["kept"].min()
    if len(cells) > 1:
        found.append(Claim("requests of four pages, D+TBM and F2+TBM: least part of the new drive's multi-plane reads kept, "
                           f"closest of {len(cells)} cells ({', '.join(cells.idxmax())})", "some cell that the letter "
                           "leaves open keeps them all", 1, cells.max(), tolerance=0.1, required=True, own=True))
    return found


def moving(rows):
    """The letter's cell on the small drive, workloads that move pages: elsewhere there is nothing to gain."""
    rows = letters_cell(select(rows, drive=SMALL_DRIVE))
    return rows[rows["late_page_ratio"] > 1.001]


def new_and_late(rows):
    """D is ahead of F as long as the drive is new, and no longer once pages are collected."""
    small = letters_cell(select(rows, drive=SMALL_DRIVE)).set_index(["workload", "base"])
    found = []
    for workload in ("proj_0", "uniform"):
        new, late = (small.loc[(workload, "d"), w] / small.loc[(workload, "f"), w] for w in ("new_iops", "late_iops"))
        found += [Claim(f"{workload}, new drive: requests/s of D, those of F = 1", SOURCE + ", section 4: D is better",
                        at_least(1), new, required=True),
                  Claim(f"{workload}, long use: requests/s of D, those of F = 1",
                        SOURCE + ", section 4: D loses its superiority", at_most(1), late, tolerance=0.05,
                        neutral=new)]
    both = small.loc[("uniform", "d"), "new_iops"] / small.loc[("uniform", "f"), "new_iops"]
    return [*found, Claim("uniform, new drive: requests/s of D, those of F = 1", "D programs both planes at once, F one",
                          2, both, tolerance=0.1, required=True, own=True)]


def of_f(rows):
    """F+TBM saves erases only. The letter's range holds for each of its workloads."""
    gain = select(moving(rows), base="f").set_index("workload")["late_gain"]
    why = "larger units cost write amplification, common erases pay it back; least where requests are large: "
    return [Claim(f"F+TBM: gain in requests/s, mean of {len(gain)} workloads that move pages", SOURCE +
                  ", section 6: always improves, up to 5", Range(0, 5), gain.mean(), "%"),
            Claim(f"F+TBM: the lowest of these gains ({gain.idxmin()})", SOURCE + ", section 6: always improves",
                  at_least(0), gain.min(), "%",
                  why=why + ", ".join(f"{w} {g:.1f} %" for w, g in gain[gain < 0].sort_values().items()))]


def harmed(rows):
    found = select(moving(rows), base="d", workload=("prn_1", "fin1"))["late_gain"]
    why = ("a closed queue shows what the drive can do, the letter's loss is collections that meet arrivals; the profiles "
           "amplify writes little")
    return [Claim("D+TBM, prn_1 and fin1: gain in requests/s, the lower one", SOURCE + ", section 6: a drop of 1 to 10",
                  Range(-10, -1), found.min(), "%", why=why)] if len(found) else []


WHY = "gain and write amplification decide each other: see the plot of the gain over write amplification"


def largest(rows):
    """The letter's largest changes beside ours, and the cell that comes closest to it."""
    rows = select(rows, drive=SMALL_DRIVE)
    found = []
    for base, (iops, response) in BEST.items():
        for column, expected, what in (("late_gain", iops, "gain in requests/s"),
                                       ("late_response", response, "change of response time")):
            def best(values, least=expected < 0):
                return values.min() if least else values.max()

            of_base = select(rows, base=base)
            ours = best(letters_cell(of_base)[column])
            cells = of_base.groupby(CELL, sort=False)[column].agg(best)
            near = (cells - expected).abs().idxmin()
            found += [Claim(f"{base.upper()}+TBM: largest {what}", SOURCE + ", section 6, Figure 7", expected, ours, "%",
                            0.25, bool(ours * expected > 0), WHY),
                      Claim(f"{base.upper()}+TBM: largest {what}, closest of {len(cells)} cells ({', '.join(near)})",
                            "some cell that the letter leaves open comes to its number", expected, cells[near], "%", 0.25,
                            why=WHY, own=True)]
    return found


def bac(frame):
    """What dies gain that do not ask for equal block addresses."""
    rows = letters_cell(select(every_cell(frame), drive=SMALL_DRIVE, workload="uniform"))
    rates_of = rows.groupby(["base", "tbm", "bac"])["late_iops"].mean().unstack("bac").dropna()
    apart = 100 * (rates_of[False] / rates_of[True] - 1)
    found = []
    for tbm, blocks in ((False, "without"), (True, "with")):
        values = apart.xs(tbm, level="tbm")
        far = values.loc[values.abs().idxmax()]
        found.append(Claim(f"uniform, {blocks} twin blocks: gain in requests/s when BAC is relaxed, the policy that "
                           "gains or loses most", SOURCE + ", sections 4 and 6: 0 to 2", Range(0, 2), far, "%",
                           required=True))
    return [*found, Claim("uniform, with twin blocks: gain in requests/s when BAC is relaxed", "none: twins have equal block "
                          "addresses by construction", 0, far, "%", required=True, own=True)]


def collections(rows):
    """Collections per byte written with twin blocks, times planes."""
    rows = letters_cell(rows)
    law = "a collection of a unit of P blocks frees as much as P collections: one P-th of them"
    found = []
    for planes in (2, 4):
        both = select(rows, drive=f"256 pages, {planes} planes")["late_collected"] * planes
        found.append(Claim(f"256 pages per block, {planes} planes: collections per page written with twin blocks x "
                           "planes / without, D and F2, the farther one", law, 1, both.loc[(both - 1).abs().idxmax()],
                           tolerance=0.03, required=True, own=True))
    small = select(rows, drive=SMALL_DRIVE, workload="uniform")["late_collected"] * 2
    found.append(Claim("64 pages per block, 2 planes: the same, the farthest of three policies", law, 1,
                       small.loc[(small - 1).abs().idxmax()], tolerance=0.03, own=True,
                       why="a collection of a unit of P blocks frees less than P collections of blocks: the d-choices "
                           "law for blocks P times as large"))
    return found


def limits(rows):
    """What we expect of the gains as a whole: docs/twin_blocks.md."""
    rows = moving(rows)
    gain = rows.pivot(index="workload", columns="base", values="late_gain").dropna()
    times = 3 * gain["f"].clip(lower=1)
    several = int(((gain["d"] >= times) & (gain["f2"] >= times)).sum())
    found = [Claim("workloads in which D+TBM and F2+TBM gain at least three times what F+TBM gains",
                   "they pair host pages, F+TBM only erases", len(gain), several, tolerance=0.2, own=True)]
    for base in ("d", "f2"):
        of_base = select(rows, base=base)
        order = of_base["late_gain"].rank().corr(of_base["late_page_ratio"].rank())
        found.append(Claim(f"{base.upper()}+TBM: the lower the write amplification, the larger the gain (rank "
                           f"correlation of {len(of_base)} workloads)", "time of a host page on a die", -1, order,
                           tolerance=0.3, own=True))
    return found
