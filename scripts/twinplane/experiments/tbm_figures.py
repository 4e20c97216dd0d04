"""The plots of the experiment tbm: the letter's Figures 2 and 6, and 7; all cells; what limits the gain."""

import json

import numpy
import pandas

from twinplane.experiments.experiment import Figure
from twinplane.experiments.tbm_claims import BEST, CELL, SMALL_DRIVE, every_cell, gains, letters_cell, select
from twinplane.experiments.tbm_why import why
from twinplane.report.style import COLOURS, MARKERS, SEEDS, curve, new_figure

PANELS = {1: "mean response time (ms)", 2: "collections per round", 3: "multi-plane share, host programs",
          4: "multi-plane share, host reads"}


def figures(frame):
    rows = gains(frame)
    small = letters_cell(select(every_cell(frame[~frame["bac"]]), drive=SMALL_DRIVE))
    workloads = [w for w in ("proj_0", "rsrch_1", "uniform", "70/30 four pages") if (small["workload"] == w).any()]
    return [long_run_figure(small, w) for w in workloads] + \
        [shares_figure(rows), gains_figure(rows), limit_figure(rows), cells_figure(rows)] + why(frame)


def long_run_figure(frame, workload):
    """Figures 2 and 6 in one: what changes while the drive is written over and over."""
    rows = frame[frame["workload"] == workload]
    figure, grid_axes = new_figure(height=6.4, rows=2, columns=2, sharex=True)
    for axes, (panel, title) in zip(grid_axes.flat, PANELS.items()):
        for i, (base, drives) in enumerate(rows.groupby("base", sort=False)):
            for tbm, runs in drives.groupby("tbm"):
                points = rounds_of(runs, panel)
                if len(points):
                    curve(axes, points, "volume", "value", i, base.upper() + ("+TBM" if tbm else ""), marker="",
                          linestyle="-" if tbm else "--", linewidth=1.4)
        if not axes.lines:
            axes.text(0.5, 0.5, "none", ha="center", transform=axes.transAxes)
        axes.set(title=title, ylim=(0, None if panel < 3 else 1.05))
        if panel == 3:
            axes.axhline(0.1, color="grey", linewidth=0.8, linestyle=":")
            axes.annotate("one tenth (letter, D)", (0.02, 0.115), xycoords=("axes fraction", "data"),
                          fontsize="x-small")
    for axes in grid_axes[1]:
        axes.set_xlabel("volume written (capacities)")
    grid_axes[0][1].legend(fontsize="small", ncols=2)
    return Figure(f"long-run-{workload.replace('/', '-').replace(' ', '-')}",
                  f"Workload {workload}: response time, collections and multi-plane shares over the volume written, "
                  "without (dashed) and with twin blocks. Compare the letter's Figures 2 and 6." + SEEDS, figure)


def rounds_of(runs, panel):
    """One value for each round and seed, at the volume that the seeds have written on average by then: requests of
    profiles differ in size."""
    points = pandas.DataFrame([{"round": i, "volume": one[0], "value": one[panel]} for run in runs["rounds"]
                               for i, one in enumerate(json.loads(run)) if one[panel] is not None])
    return points.assign(volume=points.groupby("round")["volume"].transform("mean")) if len(points) else points


def shares_figure(rows):
    """New, late and end shares of multi-plane programs of the drives with large blocks."""
    figure, grid_axes = new_figure(height=4.2, columns=2, sharey=True)
    for axes, planes in zip(grid_axes, (2, 4)):
        of_drive = select(rows, drive=f"256 pages, {planes} planes", pair="off").reset_index(drop=True)
        for i, row in of_drive.iterrows():
            for k, (column, name) in enumerate((("new_program", "new"), ("late_program", "2 to 3.5 capacities"),
                                                ("late_program_tbm", "the same, +TBM"),
                                                ("end_program_tbm", "6 to 10 capacities, +TBM"))):
                axes.bar(i + 0.2 * (k - 1.5), row[column], width=0.19, color=COLOURS[k], label=None if i else name,
                         yerr=[[off] for off in off_mean(row, column)], error_kw={"linewidth": 0.9})
        axes.set_xticks(range(len(of_drive)), [f"{r.base.upper()}\n{r.frontier}" for r in of_drive.itertuples()],
                        fontsize="small")
        axes.axhline(0.1, color="grey", linewidth=0.8, linestyle=":")
        axes.set_title(f"{planes} planes")
    grid_axes[0].set_ylabel("host pages in multi-plane programs")
    figure.legend(*grid_axes[0].get_legend_handles_labels(), fontsize="small", ncols=4, loc="outside lower center")
    return Figure("shares", "Uniform random writes, 256 pages per block, shared and separate frontiers: share of host "
                  "pages that multi-plane commands program. Dotted: one tenth, what the letter says is left of D." + SEEDS,
                  figure)


def off_mean(rows, column):
    """How far the mean of the seeds is from the least and the most of them."""
    return rows[column] - rows[f"lowest_{column}"], rows[f"highest_{column}"] - rows[column]


def gains_figure(rows):
    """Figure 7: what twin blocks change, by workload."""
    of_letter = letters_cell(select(rows, drive=SMALL_DRIVE))
    figure, grid_axes = new_figure(width=9.0, height=7.2, rows=2, sharex=True)
    for axes, column, which in zip(grid_axes, ("late_gain", "late_response"), (0, 1)):
        workloads = list(of_letter["workload"].drop_duplicates())
        for i, base in enumerate(BEST):
            at = [x + 0.26 * (i - 1) for x in range(len(workloads))]
            of_base = select(of_letter, base=base).set_index("workload").reindex(workloads)
            axes.bar(at, of_base[column], width=0.24, color=COLOURS[i], label=f"{base.upper()}+TBM over {base.upper()}",
                     yerr=off_mean(of_base, column), error_kw={"linewidth": 0.9})
            axes.axhline(BEST[base][which], color=COLOURS[i], linestyle=":", linewidth=1.2,
                         label=f"letter's largest, {base.upper()}: {BEST[base][which]:+d} %")
        axes.axhline(0, color="black", linewidth=0.8)
        axes.legend(fontsize="x-small", ncols=2)
    grid_axes[0].set_ylabel("requests per second (%)")
    grid_axes[1].set_ylabel("mean response time (%)")
    grid_axes[1].set_xticks(range(len(workloads)), workloads, rotation=35, ha="right", fontsize="small")
    return Figure("gains", "What twin blocks change against the same policy without, late, by workload. Compare the "
                  "letter's Figure 7; its largest changes are the dotted lines." + SEEDS, figure)


def limit_figure(rows):
    """The gain over write amplification, and the most there can be."""
    of_letter = letters_cell(select(rows, drive=SMALL_DRIVE, base=("d", "f2")))
    of_letter = of_letter[of_letter["late_page_ratio"] > 1.001]
    figure, axes = new_figure(height=4.8)
    waf = numpy.linspace(1, max(4.5, of_letter["late_page_ratio"].max() + 0.2), 200)
    axes.plot(waf, ceiling(waf, 2, 64), color="black", linewidth=1, label="no pairs without, all paired with")
    for i, base in enumerate(("d", "f2")):
        of_base = select(of_letter, base=base)
        axes.errorbar(of_base["late_page_ratio"], of_base["late_gain"], off_mean(of_base, "late_gain"), fmt=MARKERS[i],
                      color=COLOURS[i + 1], elinewidth=0.9, label=f"{base.upper()}+TBM over {base.upper()}")
        axes.axhline(BEST[base][0], color=COLOURS[i + 1], linestyle=":", linewidth=1.2,
                     label=f"letter's largest, {base.upper()}: {BEST[base][0]:+d} %")
    named = []
    for row in select(of_letter, base="f2").itertuples():
        if all(abs(row.late_page_ratio - x) > 0.5 or abs(row.late_gain - y) > 3 for x, y in named):  # else it is not readable
            axes.annotate(row.workload, (row.late_page_ratio, row.late_gain), fontsize="xx-small", xytext=(5, 2),
                          textcoords="offset points")
            named.append((row.late_page_ratio, row.late_gain))
    axes.set(xlabel="write amplification in pages, without twin blocks", ylabel="gain in requests per second (%)")
    axes.legend(fontsize="small")
    return Figure("limit", "The gain over write amplification, moves one plane at a time: only what the host programs "
                  "becomes faster. The line is the time of a die per host page with all host pages alone over "
                  "that with all in pairs. Points below it: programs that were paired before, or reads that share "
                  "the time. Workloads that move no pages are left out." + SEEDS, figure)


def ceiling(waf, planes, pages_per_block, tR=0.075, tPROG=1.6, tBERS=5.0, transfer=0.025):
    """Gain in per cent when pages are written in turn: per host page (times in ms) one program, and for each of the
    waf - 1 moved pages a read and a program alone; waf / pages_per_block erases. Twin blocks divide the host's program
    and the erases by the planes."""
    moves = (waf - 1) * (tR + transfer + tPROG)
    erases = waf * tBERS / pages_per_block
    return 100 * ((tPROG + moves + erases) / (tPROG / planes + moves + erases / planes) - 1)


def cells_figure(rows):
    """Every combination of what the letter leaves open, every workload."""
    small = select(rows, drive=SMALL_DRIVE)
    cells = small.groupby(CELL, sort=False)["workload"].nunique()
    of_letter = letters_cell(small)["workload"].drop_duplicates()
    workloads = [w for w in of_letter if len(select(small, workload=w, base="f")) > 1]
    figure, grid_axes = new_figure(width=9.0, height=2.2 + 0.27 * 3 * len(cells), rows=3, sharex=True)
    for axes, (base, (largest, _)) in zip(grid_axes, BEST.items()):
        wide = select(small, base=base).pivot(index=CELL, columns="workload", values="late_gain") \
            .reindex(index=cells.index, columns=workloads)
        image = axes.imshow(wide.to_numpy(float), cmap="RdYlGn", vmin=-90, vmax=90, aspect="auto")
        for (y, x), value in numpy.ndenumerate(wide.to_numpy(float)):
            if not numpy.isnan(value):
                axes.text(x, y, f"{value:.0f}", ha="center", va="center", fontsize="xx-small")
        axes.set_yticks(range(len(wide)), [", ".join(cell) for cell in wide.index], fontsize="xx-small")
        axes.set_title(f"{base.upper()}+TBM over {base.upper()}; letter: up to {largest:+d} %", fontsize="small")
        axes.grid(False)
    axes.set_xticks(range(len(workloads)), workloads, rotation=35, ha="right", fontsize="x-small")
    figure.colorbar(image, ax=grid_axes, label="gain in requests per second (%)", shrink=0.5)
    return Figure("cells", "The gain under each combination of pairing, moves and frontier (rows), late. The letter's "
                  "is off, single, shared, the first row of each panel. Means of the seeds.", figure)
