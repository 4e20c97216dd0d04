"""Figures that say why: what the planes' time went to, stacked by cause, beside each other for what is compared."""

import functools
import tomllib

import numpy
from matplotlib.colors import to_rgb

from twinplane.experiments.experiment import Figure
from twinplane.experiments.plane_time import PREFIX, TIME
from twinplane.program import ROOT
from twinplane.report.style import new_figure

HELD = ("held_pac", "held_bac", "held_kind", "held_late", "held_policy")
SHOWN = 0.01  # of the highest bar: less has no place in the legend


@functools.cache
def areas():
    """[(name, columns, colour)] from the bottom up."""
    table = ROOT / "scripts/twinplane/report/plane_causes.toml"
    return [(a["name"], [PREFIX + cause for cause in a["causes"]], a["colour"]) for a in tomllib.loads(table.read_text())["area"]]


def with_accounts(frame):
    """Rows of runs that have kept the account."""
    return frame[frame[TIME].notna()] if TIME in frame else frame.iloc[:0]


def shares(rows, *causes, left_out=()):
    """Of each run: per cent of its planes' time, or of what is left of it, that these causes have."""
    def sum_of(some):
        return rows[[PREFIX + cause for cause in some]].sum(axis=1)

    return 100 * sum_of(causes) / (1 - sum_of(left_out))


def span(values, unit="%"):
    """From the least to the most of them: "2 to 35 %", or "99 %"."""
    low, high = f"{values.min():.0f}", f"{values.max():.0f}"
    return f"{low} {unit}" if low == high else f"{low} to {high} {unit}"


def stacks(rows, bar, left_out):
    """A row for each value of the column `bar`, a column for each area: plane time per request in ms, means of the runs."""
    left = [PREFIX + cause for cause in left_out]
    found = rows[[bar]].copy()
    for name, columns, _ in areas():
        shown = [c for c in columns if c not in left]
        found[name] = rows[TIME] * rows[shown].sum(axis=1) / 1e3
    return found.groupby(bar, sort=False).mean()


def why_figure(name, caption, panels, bar, left_out=()):
    """Stacked bars: plane time per request of the host by cause. `panels`: {title: runs}; `bar`: the column that names a bar; runs of
    the same bar are seeds. `left_out`: causes that are not drawn, such as no work in the drive."""
    found = {title: stacks(rows, bar, left_out) for title, rows in panels.items()}
    columns = min(len(found), 4)
    rows = -(-len(found) // columns)
    figure, all_axes = new_figure(width=max(8.0, 2.6 * columns), height=4.6 * rows, rows=rows, columns=columns)
    all_axes = numpy.atleast_2d(all_axes)
    handles = {}
    for axes, (title, stack) in zip(all_axes.flat, found.items()):
        draw(axes, stack, handles)
        axes.set_title(title, fontsize="medium")
    for axes in list(all_axes.flat)[len(found):]:
        axes.set_visible(False)
    for row in all_axes:
        row[0].set_ylabel("plane time per request (ms)")
    order = [a for a, _, _ in areas() if a in handles]
    figure.legend([handles[a] for a in reversed(order)], order[::-1], fontsize="small", loc="outside right center")
    without = " Not drawn: " + ", ".join(cause.replace("_", " ") for cause in left_out) + "." if left_out else ""
    return Figure(name, f"{caption} Time of all planes together by cause, per request of the host; with as many planes a lower bar is a "
                  f"faster drive.{without} Means of the seeds; causes are those of docs/plane_time.md.", figure)


def draw(axes, stack, handles):
    top = stack.sum(axis=1).max()
    base = 0 * stack.iloc[:, 0]
    for name, _, colour in areas():
        part = stack[name]
        if part.max() > 0:
            made = axes.bar(range(len(stack)), part, 0.7, bottom=base, color=colour)
            if part.max() > SHOWN * top:
                handles.setdefault(name, made)
            for x, (low, height) in enumerate(zip(base, part)):
                if height > 0.05 * top:
                    axes.text(x, low + height / 2, f"{100 * height / stack.iloc[x].sum():.0f}%", ha="center", va="center",
                              fontsize="xx-small", color="white" if sum(to_rgb(colour)) < 1.5 else "black")
        base = base + part
    axes.set_xticks(range(len(stack)), [str(bar) for bar in stack.index], rotation=30, ha="right", fontsize="small")

