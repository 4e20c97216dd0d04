"""An experiment that has run: what its report shows."""

import functools
from dataclasses import dataclass

from twinplane.experiments.experiment import Experiment
from twinplane.experiments.plane_time import account_is_exact
from twinplane.program import Program
from twinplane.report.claims import verdict_text
from twinplane.sweeping import Sweep


@dataclass(frozen=True)
class Outcome:
    experiment: Experiment
    quick: bool
    program: Program
    sweep: Sweep

    @functools.cached_property
    def claims(self):
        return [*self.experiment.claims(self.sweep.frame, self.quick), account_is_exact(self.sweep.results)]

    @functools.cached_property
    def table(self):
        return self.experiment.table(self.sweep.frame)

    @functools.cached_property
    def figures(self):
        return self.experiment.figures(self.sweep.frame)

    @property
    def git(self):
        return self.sweep.results[0].summary["git"]

    @property
    def command(self):
        return f"scripts/experiments {self.experiment.name}" + (" --quick" if self.quick else "")

    def verdict_text(self):
        return verdict_text(claim.verdict for claim in self.claims)
