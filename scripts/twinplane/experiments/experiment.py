"""The shape of an experiment. docs/experiments.md shows a complete one."""

from collections.abc import Callable
from dataclasses import dataclass, field

import pandas

from twinplane.result import standard_metrics

REPRODUCED, DIRECTION, WEAKER, NOT_REPRODUCED = "reproduced", "same direction", "weaker", "not reproduced"
MET, NOT_MET = "met", "not met"  # of our own expectations


@dataclass(frozen=True)
class Figure:
    """One plot: `figure` is a matplotlib Figure with units on its axes and the reference value in it."""

    name: str
    caption: str
    figure: object


@dataclass(frozen=True)
class Range:
    """Numbers from `low` to `high`, both included; None: no end on that side."""

    low: float | None
    high: float | None

    def holds(self, number, tolerance):
        """Whether `number` lies inside, each end moved outwards by its share `tolerance`."""
        return (self.low is None or number >= self.low - tolerance * abs(self.low)) and \
            (self.high is None or number <= self.high + tolerance * abs(self.high))


def at_least(low):
    return Range(low, None)


def at_most(high):
    return Range(None, high)


@dataclass(frozen=True)
class Claim:
    """What a paper reported, a law predicts or we expect ourselves, and what we found.

    source     where it says so, or for our own why we expect it; never empty
    expected   a number, a Range, or words where the source has no number: then `found` is whether it holds, and
               `numbers` shows what that rests on
    tolerance  share of the number, or of a range's ends, by which ours may be off and still counts
    neutral    the number that would be no effect: 1 of a ratio, 0 of a change; None where that means nothing
    why        for what is not reproduced: the reason, as far as it is known
    required   the experiment fails when this does not hold
    own        our own expectation: judged, but told apart and never counted with what others reported
    """

    what: str
    source: str
    expected: float | Range | str
    found: float | bool
    unit: str = ""
    tolerance: float = 0.0
    neutral: float | None = None
    why: str = ""
    required: bool = False
    own: bool = False
    numbers: str = ""

    def __post_init__(self):
        if not self.source.strip():
            raise ValueError(f"claim without a source: {self.what}")
        if isinstance(self.expected, str) != isinstance(self.found, bool):
            raise ValueError(f"words are expected to hold or not, and numbers to have a value: {self.what}")

    @property
    def range(self):
        """A number is the range from itself to itself; words have none."""
        if isinstance(self.expected, (Range, str)):
            return self.expected if isinstance(self.expected, Range) else None
        return Range(self.expected, self.expected)

    @property
    def ratio(self):
        """Ours over the expected number; there is none of a range or of words."""
        one = not isinstance(self.expected, (Range, str)) and self.expected
        return self.found / self.expected if one else float("nan")

    @property
    def holds(self):
        return self.found if self.range is None else bool(self.range.holds(self.found, self.tolerance))

    @property
    def effect(self):
        """Ours over the reported effect, each counted from what would be none; NaN where there is nothing to count."""
        if self.range is None or self.neutral is None:
            return float("nan")
        end = self.range.high if self.range.low is None or (self.range.high is not None and self.neutral > self.range.high) \
            else self.range.low
        return (self.found - self.neutral) / (end - self.neutral) if end != self.neutral else float("nan")

    @property
    def verdict(self):
        """Reproduced; at least half of the reported effect: the same direction; less of it: weaker."""
        if self.own:
            return MET if self.holds else NOT_MET
        if self.holds:
            return REPRODUCED
        return DIRECTION if self.effect >= 0.5 else WEAKER if self.effect > 0 else NOT_REPRODUCED

    @property
    def reason(self):
        """What a report says beside the verdict."""
        return "" if self.holds else self.why

    @property
    def broken(self):
        return self.required and not self.holds


def nothing_wrong(frame, columns=("mismatches", "violations")):
    """No run may read wrong data or have a flash command refused."""
    return Claim("wrong data and refused flash commands", "must not happen", 0,
                 int(frame[list(columns)].to_numpy().sum()), required=True, own=True)


@dataclass(frozen=True)
class Experiment:
    """A question, the runs that answer it, and how the answer is shown.

    name      as typed and as the folder of its results
    question  prose, paragraphs separated by empty lines
    grid      grid(quick) -> list of Case; quick is about a minute on two cores
    metrics   metrics(result) -> {column: value}, one row beside the labels of the case, or a list of such rows
    table     table(frame) -> DataFrame that the report shows; frame has labels and metrics of all cases
    figures   figures(frame) -> list of Figure
    claims    claims(frame, quick) -> list of Claim
    paper     the paper whose drive it is, if any: its runs then name all that they assume (papers.py)
    """

    name: str
    title: str
    question: str
    grid: Callable[[bool], list]
    table: Callable[[pandas.DataFrame], pandas.DataFrame]
    figures: Callable[[pandas.DataFrame], list]
    claims: Callable[[pandas.DataFrame, bool], list]
    metrics: Callable = field(default=standard_metrics)
    paper: str = ""
