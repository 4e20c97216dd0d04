"""What does a drive's age cost its reads, by cell type and code?"""

import math

from twinplane.case import Case
from twinplane.experiments.experiment import Claim, Experiment, Figure, nothing_wrong
from twinplane.experiments.fidelity_part import CONFIGS
from twinplane.report.style import COLOURS, MARKERS, SEEDS, new_figure
from twinplane.result import standard_metrics

QUESTION = """\
Cells wear out with program/erase cycles and lose charge while data rests. What becomes of the reads of a drive, by cycles and
by the age of its data, with one, three and four bits per cell and with two codes: BCH, which corrects 40 bits of 1 KiB or fails,
and LDPC, which takes further senses for soft decisions and then corrects up to 100?

A full drive is read at random, 4 KiB at a time, four reads outstanding. A page whose decoding fails is read again: with BCH at up
to four read levels, one after the other; with LDPC at one, then with up to three senses for soft decisions. All of it is
commands on the bus. The reads' 99th percentile, the share of first reads that fail, the further senses of a read and the share of reads
that end with an error are what is shown, over cycles and over the age of the data.

The cells are the error model's: 1e-5 fresh and 2.8e-4 after 4000 cycles, exponential between, twice as much from each page type
to the next. That data doubles its rate in 30 days and grows with the root of time, that each level takes the rate to 0.8 of the level
before, the times of levels and senses: all these are assumed. What follows is what such numbers do to a drive, not what a part does;
one-bit cells in particular are the low pages of the others here, and real ones are better.
"""
CELLS = ("slc", "tlc", "qlc")
TYPES = {"slc": 1, "tlc": 3, "qlc": 4}
CODES = {"bch": {"controller.ecc.code": "bch", "controller.read_retries": 4},
         "ldpc": {"controller.ecc.code": "ldpc", "controller.read_retries": 1}}
CYCLES, AGES = (0, 1000, 2000, 2500, 3000, 3500, 4000), (0, 30, 90, 365)
FRESH, WORN, RATED = 1e-5, 2.8e-4, 4000
CODEWORD_BITS, CODEWORDS, CORRECTS = 8 * (1024 + 70), 4, 40  # of a read
# Of the first sense and each further one: share of the rate, and bits that can be corrected. Soft decisions keep the last level's rate.
SENSES = {"bch": [(0.8 ** level, CORRECTS) for level in range(5)],
          "ldpc": [(1, CORRECTS), (0.8, CORRECTS), (0.8, 60), (0.8, 80), (0.8, 100)]}


def grid(quick):
    cycles, ages = ((0, 4000), (0, 365)) if quick else (CYCLES, AGES)
    return [case(quick, cell, code, pe, days, seed) for cell in CELLS for code in CODES for pe in cycles for days in ages
            for seed in ((1,) if quick else (1, 2, 3))]


def case(quick, cell, code, cycles, days, seed):
    settings = CODES[code] | {"nand.cell": cell, "nand.errors.cycles": cycles, "nand.errors.age": days,
                "workload.number_ios": 1000 if quick else 4000}
    labels = {"cell": cell, "code": code, "cycles": cycles, "days": days, "seed": seed}
    return Case(str(CONFIGS / "ageing.toml"), settings, seed=seed, labels=labels)


def metrics(result):
    s = result.summary
    kinds = s["reliability"]["by_page_type"].values()
    pages = sum(k["pages"] for k in kinds)
    return standard_metrics(result) | {
        "pages": pages, "retried": sum(k["retried"] for k in kinds) / pages, "soft": sum(k["soft"] for k in kinds) / pages,
        "senses": sum(sum(k["senses"]) for k in kinds) / pages, "failed": s["workload"]["failed"] / s["workload"]["requests"],
        "retry_ns": result.read.breakdown_ns["retry"], "rate": s["reliability"]["raw_bit_error_rate"]}


def table(frame):
    shown = frame.groupby(["cell", "code", "cycles", "days"], sort=False).mean(numeric_only=True).reset_index()
    shown = shown.assign(p99=shown["read_p99_ns"] / 1e3, mean=shown["read_mean_ns"] / 1e3, retry=shown["retry_ns"] / 1e3,
                         again=100 * shown["retried"], decisions=100 * shown["soft"], lost=100 * shown["failed"])
    names = {"cell": "cell", "code": "code", "cycles": "cycles", "days": "days", "rate": "raw bit error rate",
             "p99": "read p99 (us)", "mean": "read mean (us)", "retry": "of it retries (us)", "again": "first reads that fail %",
             "senses": "further senses per read", "decisions": "ended by soft decisions %", "lost": "reads that fail %"}
    return shown[list(names)].rename(columns=names)


# --- the law of the first read ---

def rate(cycles, days, page_type):
    worn = FRESH * (WORN / FRESH) ** (cycles / RATED)
    return min(0.5, worn * 2 ** page_type * (1 + math.sqrt(days / 30)))


def beyond(p, corrects):
    """A codeword of the read has more wrong bits than can be corrected."""
    below = sum(math.exp(math.lgamma(CODEWORD_BITS + 1) - math.lgamma(k + 1) - math.lgamma(CODEWORD_BITS - k + 1) +
                         k * math.log(p) + (CODEWORD_BITS - k) * math.log1p(-p)) for k in range(corrects + 1))
    return 1 - min(1.0, below) ** CODEWORDS


def by_senses(cell, code, cycles, days):
    """Share of reads that the first sense, the first two and so on cannot save: each draws its errors anew, over the page types."""
    shares = [0.0] * len(SENSES[code])
    for page_type in range(TYPES[cell]):
        left = 1.0 / TYPES[cell]
        for i, (part, corrects) in enumerate(SENSES[code]):
            left *= beyond(part * rate(cycles, days, page_type), corrects)
            shares[i] += left
    return shares


def failing(cell, code, cycles, days):
    return by_senses(cell, code, cycles, days)[0]


def further_senses(cell, code, cycles, days):
    """Each sense that does not save the read makes another one, but for the last."""
    return sum(by_senses(cell, code, cycles, days)[:-1])


def lost(cell, code, cycles, days):
    return by_senses(cell, code, cycles, days)[-1]


def mean_of(frame, column, **labels):
    rows = frame
    for name, value in labels.items():
        rows = rows[rows[name] == value]
    return float(rows[column].mean())


def claims(frame, quick):
    oldest = {"cycles": 4000, "days": 365}
    made = [nothing_wrong(frame)]
    for cell in CELLS[1:]:
        expected = failing(cell, "bch", 4000, 365)
        made.append(Claim(f"{cell}, 4000 cycles, 365 days: share of first reads that fail", "binomial, over the page types",
                          100 * expected, 100 * mean_of(frame, "retried", cell=cell, **oldest), "%",
                          0.1 if quick else 0.04, required=not quick))
        made += [Claim(f"{cell}, {code.upper()}, 4000 cycles, 365 days: further senses of a read", "binomial, each sense anew, over the page types",
                       further_senses(cell, code, 4000, 365), mean_of(frame, "senses", cell=cell, code=code, **oldest), "",
                       0.15 if quick else 0.04, required=not quick) for code in CODES]
    made.append(Claim("qlc, BCH, 4000 cycles, 365 days: reads that end with an error", "binomial, each sense anew, over the page types",
                      100 * lost("qlc", "bch", 4000, 365), 100 * mean_of(frame, "failed", cell="qlc", code="bch", **oldest), "%",
                      0.2 if quick else 0.06, required=not quick))
    made.append(Claim("slc: share of first reads that fail, at any age", "binomial: 1e-10 at most", 0.0,
                      100 * float(frame[frame["cell"] == "slc"]["retried"].max()), "%", own=True))
    order = [mean_of(frame, "retried", cell=cell, **oldest) for cell in CELLS]
    made.append(Claim("first reads that fail at 4000 cycles and 365 days", "twice the rate from page type to page type",
                      "more with more bits per cell", order[0] < order[1] < order[2], own=True,
                      numbers=", ".join(f"{100 * o:.1f} %" for o in order)))
    for column, what in (("retried", "first reads that fail"), ("read_p99_ns", "p99 of reads")):
        made.append(Claim(f"{what} over age and cycles", "errors grow with both", "never fewer, tlc and qlc, both codes",
                          grows(frame, column), own=True))
    errors = {code: mean_of(frame, "failed", cell="qlc", code=code, **oldest) for code in CODES}
    made.append(Claim("qlc, 4000 cycles, 365 days: reads that end with an error", "soft decisions correct more bits than any level saves",
                      "fewer with LDPC", errors["ldpc"] <= errors["bch"], own=True,
                      numbers=f"{100 * errors['bch']:.2f} % with BCH, {100 * errors['ldpc']:.2f} % with LDPC"))
    return made


def grows(frame, column):
    """Along each axis, but for what chance allows: a histogram's step or a few reads."""
    for (_, _), rows in frame[frame["cell"] != "slc"].groupby(["cell", "code"]):
        points = rows.groupby(["cycles", "days"])[column].mean().unstack()
        slack = 0.02 * points.to_numpy().max()
        if (points.diff(axis=0) < -slack).to_numpy().any() or (points.diff(axis=1) < -slack).to_numpy().any():
            return False
    return True


# --- plots ---

def lines(frame, column, scale, label, name, caption, law=None):
    """One plot per cell, over cycles: an age each in colour, a code each in style."""
    figure, all_axes = new_figure(width=9.5, height=4.2, columns=len(CELLS), sharey=True)
    for axes, cell in zip(all_axes, CELLS):
        for i, days in enumerate(sorted(frame["days"].unique())):
            for code, style in zip(CODES, ("--", "-")):
                rows = frame[(frame["cell"] == cell) & (frame["days"] == days) & (frame["code"] == code)]
                points = rows.groupby("cycles")[column].agg(["mean", "min", "max"]) * scale
                axes.plot(points.index, points["mean"], style, color=COLOURS[i], marker=MARKERS[i], markersize=4,
                          label=f"{days} days, {code.upper()}" if cell == CELLS[0] else None)
                axes.fill_between(points.index, points["min"], points["max"], color=COLOURS[i], alpha=0.15, linewidth=0)
                if law is not None:
                    axes.plot(points.index, [scale * law(cell, code, c, days) for c in points.index], "_", color="black", markersize=12,
                              label="law (binomial)" if cell == CELLS[0] and i == 0 and code == "bch" else None)
        axes.set(xlabel="program/erase cycles", title=cell.upper())
    all_axes[0].set(ylabel=label)
    figure.legend(loc="outside lower center", ncols=4, fontsize="small")
    return Figure(name, caption + SEEDS, figure)


def over_age(frame):
    """The same over retention: cycles in colour, a code each in style."""
    cycles = [c for c in (0, 2000, 3000, 4000) if c in set(frame["cycles"])]
    figure, rows_of_axes = new_figure(width=9.5, height=6.2, rows=2, columns=len(CELLS), sharey="row", sharex=True)
    for axes_of_row, (column, scale, label) in zip(rows_of_axes, (("read_p99_ns", 1e-3, "read p99 (us)"), ("senses", 1, "further senses of a read"))):
        for axes, cell in zip(axes_of_row, CELLS):
            for i, worn in enumerate(cycles):
                for code, style in zip(CODES, ("--", "-")):
                    rows = frame[(frame["cell"] == cell) & (frame["cycles"] == worn) & (frame["code"] == code)]
                    points = rows.groupby("days")[column].agg(["mean", "min", "max"]) * scale
                    axes.plot(points.index, points["mean"], style, color=COLOURS[i], marker=MARKERS[i], markersize=4,
                              label=f"{worn} cycles, {code.upper()}")
                    axes.fill_between(points.index, points["min"], points["max"], color=COLOURS[i], alpha=0.15, linewidth=0)
        axes_of_row[0].set(ylabel=label)
    for axes, below, cell in zip(*rows_of_axes, CELLS):
        axes.set(title=cell.upper())
        below.set(xlabel="age of the data (days)")
    figure.legend(*rows_of_axes[0][0].get_legend_handles_labels(), loc="outside lower center", ncols=4, fontsize="small")
    return Figure("retention", "The 99th percentile and the retries of reads over the age of the data." + SEEDS, figure)


def figures(frame):
    return [lines(frame, "read_p99_ns", 1e-3, "read p99 (us)", "p99", "The 99th percentile of reads over wear, by age of the data."),
            lines(frame, "retried", 100, "first reads that fail (%)", "retries",
                  "Reads whose first decoding fails, so that they are read again. Both codes start from the same hard decisions.",
                  failing),
            lines(frame, "senses", 1, "further senses of a read", "senses", "Retries of a read: further senses at other levels and, with "
                  "LDPC, for soft decisions.", further_senses),
            lines(frame, "failed", 100, "reads that end with an error (%)", "errors",
                  "Reads that no level and no sense could save.", lost),
            over_age(frame)]


EXPERIMENT = Experiment("ageing", "What wear and retention cost reads: SLC, TLC, QLC with BCH and LDPC", QUESTION, grid, table,
                        figures, claims, metrics)
