"""The plots of the experiment tbm: the letter's Figures 2 and 6, and 7."""

import json

from twinplane.experiments.experiment import Figure
from twinplane.report.style import COLOURS, MARKERS, new_figure

LETTER_GAINS = {"f": 5, "d": 68, "f2": 73}  # Figure 7: the largest
PANELS = {1: "mean response time (ms)", 2: "collections per round", 3: "multi-plane share, host programs",
          4: "multi-plane share, host reads"}


def in_letters_cell(frame):
    cell = (frame["pair"] == "off") & (frame["moves"] == "single") & (frame["frontier"] == "shared")
    return frame[cell & ~frame["bac"]]


def long_run_figure(frame, workload):
    """Figures 2 and 6 in one: what changes while the drive is written over and over. First seed."""
    rows = in_letters_cell(frame)
    rows = rows[(rows["workload"] == workload) & (rows["seed"] == rows["seed"].min())]
    figure, grid_axes = new_figure(height=6.4, rows=2, columns=2, sharex=True)
    for axes, (panel, title) in zip(grid_axes.flat, PANELS.items()):
        for i, (base, drives) in enumerate(rows.groupby("base", sort=False)):
            for drive in drives.itertuples():
                points = [p for p in json.loads(drive.rounds) if p[panel] is not None]
                name = base.upper() + ("+TBM" if drive.tbm else "")
                axes.plot([p[0] for p in points], [p[panel] for p in points], "-" if drive.tbm else "--",
                          color=COLOURS[i], linewidth=1.4, label=name)
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
                  "without (dashed) and with twin blocks. Compare the letter's Figures 2 and 6.", figure)


def gains_figure(frame):
    """Figure 7: late requests per second with twin blocks, relative to the same policy without."""
    rows = in_letters_cell(frame)
    means = rows.groupby(["workload", "base", "tbm"], sort=False)["iops"].mean().unstack("tbm")
    gains = (100 * (means[True] / means[False] - 1)).unstack("base")
    figure, axes = new_figure(height=4.6)
    for i, base in enumerate(gains.columns):
        at = [x + 0.26 * (i - 1) for x in range(len(gains))]
        axes.bar(at, gains[base], width=0.24, color=COLOURS[i], label=f"{base.upper()}+TBM over {base.upper()}")
        axes.axhline(LETTER_GAINS[base], color=COLOURS[i], linestyle=":", linewidth=1.2,
                     label=f"letter's largest, {base.upper()}: {LETTER_GAINS[base]} %")
    axes.set_xticks(range(len(gains)), gains.index, rotation=20)
    axes.set_ylabel("gain in requests per second (%)")
    axes.legend(fontsize="x-small", ncols=2)
    return Figure("gains", "Late requests per second with twin blocks against the same policy without, by workload. "
                  "Compare the letter's Figure 7.", figure)


def cells_figure(frame):
    """Every combination of what the letter leaves open."""
    rows = frame[(frame["workload"] == "uniform") & ~frame["bac"]]
    means = rows.groupby(["pair", "moves", "frontier", "base", "tbm"], sort=False)["iops"].mean().unstack("tbm")
    gains = (100 * (means[True] / means[False] - 1)).unstack("base")
    figure, axes = new_figure(height=4.8)
    for i, base in enumerate(gains.columns):
        axes.plot(range(len(gains)), gains[base], MARKERS[i], color=COLOURS[i],
                  label=f"{base.upper()}+TBM over {base.upper()}")
    axes.axhline(0, color="black", linewidth=0.8)
    axes.set_xticks(range(len(gains)), [", ".join(cell) for cell in gains.index], rotation=35, ha="right",
                    fontsize="x-small")
    axes.set_ylabel("gain in requests per second (%)")
    axes.set_xlabel("pair, moves, frontier")
    axes.legend(fontsize="small")
    return Figure("cells", "Uniform random writes: the gain under each combination of pairing, moves and frontier. The "
                  "letter's is off, single, shared.", figure)


def figures(frame):
    workloads = [w for w in ("proj_0", "uniform", "70/30 four pages") if (frame["workload"] == w).any()]
    return [long_run_figure(frame, w) for w in workloads] + [gains_figure(frame), cells_figure(frame)]
