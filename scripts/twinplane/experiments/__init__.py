"""The experiments by name. A new one is a module with a constant EXPERIMENT and a line in this table."""

import difflib
import importlib

from twinplane.errors import TwinplaneError
from twinplane.experiments.experiment import Claim, Experiment, Figure, Range, at_least, at_most

MODULES = {
    "fidelity": "twinplane.experiments.fidelity",
    "design-space": "twinplane.experiments.design_space",
    "pa-ssd": "twinplane.experiments.pa_ssd",
    "pa-twin": "twinplane.experiments.pa_ssd_twins",
    "papa": "twinplane.experiments.papa",
    "tbm": "twinplane.experiments.tbm",
    "broms": "twinplane.experiments.broms",
    "ipu": "twinplane.experiments.ipu",
    "ageing": "twinplane.experiments.ageing",
    "power-loss": "twinplane.experiments.power_loss",
    "drives": "twinplane.experiments.drives",
    "firmware-cost": "twinplane.experiments.firmware_cost",
}

__all__ = ["Claim", "Experiment", "Figure", "MODULES", "Range", "at_least", "at_most", "load"]


def load(name):
    """The Experiment called `name`; a TwinplaneError names the nearest one if there is none."""
    if name not in MODULES:
        near = difflib.get_close_matches(name, MODULES, n=1)
        hint = f" (did you mean {near[0]}?)" if near else ""
        raise TwinplaneError(f"unknown experiment {name}{hint}; experiments are: {', '.join(MODULES)}")
    return importlib.import_module(MODULES[name]).EXPERIMENT
