"""One law of the fidelity experiment and the runs that test it."""

import pathlib
from dataclasses import replace

CONFIGS = pathlib.Path(__file__).parent / "configs"
TIMELESS, WEARING = str(CONFIGS / "timeless.toml"), str(CONFIGS / "wearing.toml")


class Part:
    """Base of the parts. A point is a pair (series, x).

    tolerance   largest relative error: (full, quick)
    axis_title  of x, with its unit
    is_curve    drawn as a law's line with points
    """

    name = title = source = quantity = unit = axis_title = ""
    tolerance = (0.01, 0.01)
    is_curve, logarithmic = True, False

    def points(self, quick):
        raise NotImplementedError

    def law(self, series, x):
        """What theory says at a point, in `unit`."""
        raise NotImplementedError

    def case(self, series, x, quick):
        """The run that tests it, without labels."""
        raise NotImplementedError

    def found(self, row):
        """What a run says, in `unit`; `row` holds the labels and metrics of the run."""
        raise NotImplementedError

    def curve(self, xs):
        """Where the law's line is drawn, given the x of the runs."""
        return xs

    def labelled_case(self, point, quick):
        series, x = point
        case = self.case(series, x, quick)
        return replace(case, labels={"part": self.name, "series": series, "x": float(x), "law": self.law(series, x)})


def spread(xs, count=120):
    """`count` places from the least to the largest of `xs`."""
    low, high = min(xs), max(xs)
    return [low + (high - low) * i / (count - 1) for i in range(count)]
