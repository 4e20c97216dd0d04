"""The shape of an experiment. docs/experiments.md shows a complete one."""

from collections.abc import Callable
from dataclasses import dataclass, field

import pandas

from twinplane.result import standard_metrics

REPRODUCED, DIRECTION, NOT_REPRODUCED = "reproduced", "same direction", "not reproduced"


@dataclass(frozen=True)
class Figure:
    """One plot: `figure` is a matplotlib Figure with units on its axes and the reference value in it."""

    name: str
    caption: str
    figure: object


@dataclass(frozen=True)
class Claim:
    """One number that somebody reported or a law predicts, and ours.

    tolerance  relative difference up to which the number counts as reproduced
    direction  whether ours at least points the same way; None where that means nothing
    why        for what is not reproduced: the reason, as far as it is known
    required   the experiment fails when this is not reproduced
    """

    what: str
    source: str
    expected: float
    found: float
    unit: str = ""
    tolerance: float = 0.05
    direction: bool | None = None
    why: str = ""
    required: bool = False

    @property
    def ratio(self):
        return self.found / self.expected if self.expected else float("nan")

    @property
    def verdict(self):
        if abs(self.found - self.expected) <= self.tolerance * abs(self.expected):
            return REPRODUCED
        return DIRECTION if self.direction else NOT_REPRODUCED

    @property
    def reason(self):
        """What a report says beside the verdict."""
        return "" if self.verdict == REPRODUCED else self.why

    @property
    def broken(self):
        return self.required and self.verdict != REPRODUCED


@dataclass(frozen=True)
class Experiment:
    """A question, the runs that answer it, and how the answer is shown.

    name      as typed and as the folder of its results
    question  prose, paragraphs separated by empty lines
    grid      grid(quick) -> list of Case; quick is about a minute on two cores
    metrics   metrics(result) -> {column: value}, one row beside the labels of the case
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
