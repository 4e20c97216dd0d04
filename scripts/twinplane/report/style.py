"""How plots and numbers look, in all experiments alike."""

import io
import math

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt  # noqa: E402  (the back end must be chosen first)

COLOURS = ["#1b6ca8", "#c1440e", "#2a9d8f", "#7b4fa3", "#b8860b", "#c2185b", "#5d6d7e", "#4f7942"]
MARKERS = ["o", "s", "D", "^", "v", "P", "X", "h"]


def new_figure(width=8.0, height=4.8, rows=1, columns=1, **options):
    """A figure and its axes, with a grid, sized for the width of a report."""
    figure, axes = plt.subplots(rows, columns, figsize=(width, height), layout="constrained", **options)
    for one in [axes] if rows * columns == 1 else axes.flat:
        one.grid(alpha=0.3)
        one.spines[["top", "right"]].set_visible(False)
        one.set_axisbelow(True)
    return figure, axes


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
