"""How plots and numbers look, in all experiments alike."""

import io
import math

import matplotlib
import numpy

matplotlib.use("Agg")
import matplotlib.pyplot as plt  # noqa: E402  (the back end must be chosen first)

COLOURS = ["#1b6ca8", "#c1440e", "#2a9d8f", "#7b4fa3", "#b8860b", "#c2185b", "#5d6d7e", "#3f7d20", "#4fc3f7", "#5c4033",
           "#e8a0a0", "#9acd32", "#e45ce4", "#111111"]  # told apart in pairs; what needs more is another figure
SEEDS = " Mean of the seeds; lines and bands go from the least to the most."  # of a caption
MARKERS = ["o", "s", "D", "^", "v", "P", "X", "h"]


def new_figure(width=8.0, height=4.8, rows=1, columns=1, **options):
    """A figure and its axes, with a grid, sized for the width of a report."""
    figure, axes = plt.subplots(rows, columns, figsize=(width, height), layout="constrained", **options)
    for one in [axes] if rows * columns == 1 else axes.flat:
        one.grid(alpha=0.3)
        one.spines[["top", "right"]].set_visible(False)
        one.set_axisbelow(True)
    return figure, axes


def of_seeds(rows, keys, column):
    """{key: (mean, least, most)} of what several seeds gave."""
    found = rows.groupby(keys, sort=False)[column].agg(["mean", "min", "max"])
    return {key: tuple(row) for key, row in zip(found.index, found.to_numpy())}


def spread_of(values):
    """Mean, and how far it is to the least and the most, of numbers or (mean, least, most)."""
    mean, least, most = numpy.array([v if isinstance(v, tuple) else (v, v, v) for v in values], float).T
    return mean, (numpy.maximum(mean - least, 0), numpy.maximum(most - mean, 0))


def bars(axes, names, values, labels):
    """A bar for each label beside each name; values are numbers, or (mean, least, most) with a line from least to most."""
    width = 0.8 / len(values)
    for i, (label, heights) in enumerate(zip(labels, values)):
        mean, off = spread_of(heights)
        axes.bar(numpy.arange(len(names)) + (i - (len(values) - 1) / 2) * width, mean, width, label=label, yerr=off,
                 color=COLOURS[i], error_kw={"linewidth": 0.9})
    axes.set_xticks(range(len(names)), names)


def curve(axes, rows, x, y, number, label=None, **style):
    """The mean of several seeds over `x`, and a band from the least to the most of them; `number` chooses the colour."""
    found = rows.groupby(x)[y].agg(["mean", "min", "max"])
    chosen = {"color": COLOURS[number], "marker": MARKERS[number % len(MARKERS)]} | style
    axes.plot(found.index, found["mean"], label=label, **chosen)
    axes.fill_between(found.index, found["min"], found["max"], color=chosen["color"], alpha=0.15, linewidth=0)


def svg_of(figure, name):
    """The figure as SVG; the same figure gives the same bytes."""
    content = io.BytesIO()
    with matplotlib.rc_context({"svg.hashsalt": name, "svg.fonttype": "path"}):
        figure.savefig(content, format="svg", metadata={"Date": None, "Creator": None})
    plt.close(figure)
    return content.getvalue()


def number_text(value, digits=5):
    """Readable and exact enough: 4.8213, 40,651, 304,420.668."""
    if value is None or (isinstance(value, float) and math.isnan(value)):
        return "-"
    if isinstance(value, str):
        return value
    if value == 0 or float(value).is_integer() and abs(value) < 1e15:
        return f"{int(value):,}"
    if abs(value) >= 10_000:
        return f"{value:,.3f}".rstrip("0").rstrip(".") if abs(value) < 1e7 and digits > 5 else f"{value:,.0f}"
    if abs(value) < 1e-4:
        return f"{value:.1e}"
    return f"{value:.{max(0, digits - 1 - math.floor(math.log10(abs(value))))}f}".rstrip("0").rstrip(".")
