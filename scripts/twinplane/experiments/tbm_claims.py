"""What the experiment tbm says about the letter: gains, the table of all cells, expected and found numbers."""

import pandas

from twinplane.experiments.experiment import Claim

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
    with the lowest and highest change of a seed."""
    frame = every_cell(frame)
    numbers = [c for c in frame.columns if c.split("_")[0] in ("new", "late", "end")]
    runs = frame[~frame["bac"]].set_index([*POINT, "seed", "tbm"])[numbers].astype(float)
    rows = runs.xs(False, level="tbm").join(runs.xs(True, level="tbm"), rsuffix="_tbm")
    for window in ("late", "end"):
        for kind, short in (("iops", "gain"), ("latency_ms", "response")):
            rows[f"{window}_{short}"] = 100 * (rows[f"{window}_{kind}_tbm"] / rows[f"{window}_{kind}"] - 1)
        rows[f"{window}_collected"] = rows[f"{window}_collections_tbm"] / rows[f"{window}_collections"]
    by_point = rows.groupby(level=POINT, sort=False)
    means = by_point.mean()
    means["seeds"] = by_point.size()
    means["lowest_gain"], means["highest_gain"] = by_point["late_gain"].min(), by_point["late_gain"].max()
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
        if name.removesuffix("_tbm").endswith(("_program", "_read", "_erase")):
            rows[name] = 100 * rows[name]
    names = {"drive": "drive", "workload": "workload", "pair": "pair", "moves": "moves", "frontier": "frontier",
             "base": "policy", "seeds": "seeds", "letters_gain": "letter: up to %", "late_gain": "gain %",
             "missed": "difference", "lowest_gain": "lowest seed", "highest_gain": "highest seed",
             "end_gain": "gain %, end", "letters_response": "letter: response time up to %",
             "late_response": "response time %", "new_iops": "requests/s, new", "late_iops": "late",
             "late_iops_tbm": "late, +TBM", "new_program": "multi-plane programs %, new",
             "late_program": "late (programs)", "late_program_tbm": "late, +TBM (programs)",
             "end_program_tbm": "end, +TBM (programs)", "new_read": "multi-plane reads %, new",
             "late_read": "late (reads)", "late_read_tbm": "late, +TBM (reads)", "late_erase": "multi-plane erases %",
             "late_waf": "write amplification", "late_waf_tbm": "+TBM (amplification)",
             "late_moved": "pages moved per collection", "late_moved_tbm": "+TBM (moved)",
             "late_collected": "collections, +TBM / without"}
    return rows[list(names)].rename(columns=names)


# --- expected and found ---


def claims(frame, _quick):
    rows = gains(frame)
    found = shares(rows) + reads(rows) + rates(rows) + largest(rows) + bac(frame) + collections(rows)
    trouble = int(frame[["mismatches", "violations"]].to_numpy().sum())
    return found + [Claim("wrong data and refused flash commands", "must not happen", 0, trouble, tolerance=0,
                          required=True)]


def select(rows, **wanted):
    for name, value in wanted.items():
        rows = rows[rows[name].isin(value) if isinstance(value, tuple) else rows[name] == value]
    return rows


def shares(rows):
    """How many host pages multi-plane commands program: new, in long use, with twin blocks."""
    found = []
    of_letter = letters_cell(rows)
    for planes, tolerance in ((2, 0.05), (4, 0.12)):
        drive = f"256 pages, {planes} planes"
        d = select(of_letter, drive=drive, base="d").iloc[0]
        both = select(of_letter, drive=drive, base=("d", "f2"))
        kept = (both["end_program_tbm"] / both["new_program"]).min()
        found += [
            Claim(f"D, {drive}, new: share of host pages in multi-plane programs", SOURCE + ", Figure 2", 1,
                  d["new_program"], tolerance=0.05, required=True),
            Claim(f"D, {drive}: part of that share lost in long use", SOURCE + ", section 4 (says 0.9)", 1,
                  1 - d["late_program"] / d["new_program"], tolerance=tolerance, required=True),
            Claim(f"D+TBM and F2+TBM, {drive}: least part of the new drive's share kept", SOURCE + ", Figure 6", 1,
                  kept, tolerance=0.1, required=True)]
    for workload, tolerance in (("uniform", 0.1), ("uniform, depth 16", 0.1), ("70/30 four pages", 0.1),
                                ("70/30 one page", 0.25)):
        both = select(of_letter, drive=SMALL_DRIVE, workload=workload, base=("d", "f2"))
        kept = (both["end_program_tbm"] / both["new_program"]).min()
        if len(both):
            found.append(Claim(f"D+TBM and F2+TBM, {workload}: least part of the new drive's share kept over ten "
                               "capacities", SOURCE + ", Figure 6", 1, kept, tolerance=tolerance, required=True))
    return found


def reads(rows):
    """Requests of four pages: the share of multi-plane reads of a new drive that is left late."""
    rows = select(rows, drive=SMALL_DRIVE, workload="70/30 four pages", base=("d", "f2")).copy()
    rows["kept"] = rows["late_read_tbm"] / rows["new_read"]
    rows["kept_without"] = rows["late_read"] / rows["new_read"]
    worst = letters_cell(rows).loc[letters_cell(rows)["kept"].idxmin()]
    found = [Claim("requests of four pages, D+TBM and F2+TBM: least part of the new drive's multi-plane reads kept",
                   SOURCE + ", Figure 6", 1, worst["kept"], tolerance=0.1, direction=bool(
                       worst["kept"] > 5 * worst["kept_without"]),
                   why=f"without twin blocks {100 * worst['kept_without']:.1f} %; a page overwritten while its twin is "
                       "moved, or a move between two host writes, leaves a stripe half open, and the next "
                       "request is written from there on, in two stripes")]
    cells = rows.groupby(CELL, sort=False)["kept"].min()
    if len(cells) > 1:
        found.append(Claim(f"the same, closest cell ({', '.join(cells.idxmax())})", SOURCE + ", Figure 6", 1,
                           cells.max(), tolerance=0.1, required=True))
    return found


def rates(rows):
    """Requests per second: D and F when new; what twin blocks gain in the letter's cell, where pages are moved."""
    of_letter = letters_cell(select(rows, drive=SMALL_DRIVE))
    of_letter = of_letter[of_letter["late_waf"] > 1.001]
    gain = of_letter.pivot(index="workload", columns="base", values="late_gain").dropna()
    uniform = select(of_letter, workload="uniform").set_index("base")
    f = gain["f"]
    found = [Claim("new drive: requests/s of D over those of F", SOURCE + ", Figure 2: better; both planes at once", 2,
                   uniform.loc["d", "new_iops"] / uniform.loc["f", "new_iops"], tolerance=0.1, required=True),
             Claim(f"F+TBM: gain in requests/s, mean of {len(f)} workloads that move pages (from {f.min():.1f} to "
                   f"{f.max():.1f} %)",
                   SOURCE + ", Figure 7: 0 to 5 %", 2.5, f.mean(), "%", 1, bool(f.mean() > -1),
                   "larger units cost write amplification, common erases pay it back")]
    several = int(((gain["d"] >= 3 * f.clip(lower=1)) & (gain["f2"] >= 3 * f.clip(lower=1))).sum())
    found.append(Claim("workloads in which D+TBM and F2+TBM gain at least three times what F+TBM gains",
                       SOURCE + ", Figure 7", len(gain), several, tolerance=0.2, direction=several > len(gain) / 2))
    for base in ("d", "f2"):
        of_base = select(of_letter, base=base)
        order = of_base["late_gain"].rank().corr(of_base["late_waf"].rank())
        found.append(Claim(f"{base.upper()}+TBM: the lower the write amplification, the larger the gain (rank "
                           f"correlation of {len(of_base)} workloads)", "time of a host page on a die", -1, order,
                           tolerance=0.3, direction=bool(order < 0)))
    harmed = select(of_letter, base="d", workload=("prn_1", "fin1"))
    if len(harmed):
        found.append(Claim("D+TBM, prn_1 and fin1: gain in requests/s", SOURCE + ", section 6: -1 to -10 %", -5.5,
                           harmed["late_gain"].min(), "%", 0.82, why="a closed queue shows what the drive can do, the "
                           "letter's loss is collections that meet arrivals; the profiles amplify writes little"))
    return found


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
            found += [Claim(f"{base.upper()}+TBM: largest {what}", SOURCE + ", Figure 7", expected, ours, "%", 0.25,
                            bool(ours * expected > 0), WHY),
                      Claim(f"the same, closest cell ({', '.join(near)})", SOURCE + ", Figure 7", expected,
                            cells[near], "%", 0.25, bool(cells[near] * expected > 0))]
    return found


def bac(frame):
    """What dies gain that do not ask for equal block addresses."""
    rows = letters_cell(select(every_cell(frame), drive=SMALL_DRIVE, workload="uniform"))
    rates_of = rows.groupby(["base", "tbm", "bac"])["late_iops"].mean().unstack("bac").dropna()
    ratio = rates_of[False] / rates_of[True]
    found = []
    for tbm, tolerance in ((False, 0.02), (True, 0)):
        values = ratio.xs(tbm, level="tbm")
        far = values.loc[(values - 1).abs().idxmax()]
        blocks = "with" if tbm else "without"
        found.append(Claim(f"uniform writes, {blocks} twin blocks: requests/s without BAC / with, the policy with most "
                           "difference", SOURCE + ": less than 2 %", 1, far, tolerance=tolerance,
                           required=True))
    return found


def collections(rows):
    """Collections per byte written with twin blocks, times planes."""
    rows = letters_cell(rows)
    found = []
    for planes in (2, 4):
        both = select(rows, drive=f"256 pages, {planes} planes")["late_collected"] * planes
        found.append(Claim(f"256 pages per block, {planes} planes: collections per page written with twin blocks x "
                           "planes / without, D and F2, the farther one", "one P-th", 1,
                           both.loc[(both - 1).abs().idxmax()], tolerance=0.03, required=True))
    small = select(rows, drive=SMALL_DRIVE, workload="uniform")["late_collected"] * 2
    found.append(Claim("64 pages per block, 2 planes: the same, the farthest of three policies", "one P-th", 1,
                       small.loc[(small - 1).abs().idxmax()], tolerance=0.03, direction=True,
                       why="a collection of a unit of P blocks frees less than P collections of blocks: the d-choices "
                           "law for blocks P times as large"))
    return found
