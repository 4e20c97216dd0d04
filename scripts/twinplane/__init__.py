"""Runs, sweeps and experiments on the Twinplane SSD platform.

    import twinplane
    result = twinplane.run("platform/configs/demo.toml", trace="traces/demo.csv.zst", ftl__victim="rga")
    print(result.waf, result.write.p99_ns)
    result.timeline().plot(x="start_us", y="planes_busy_mean")

docs/experiments.md describes runs, sweeps on one machine or a cluster, and how an experiment is added.
"""

from twinplane.case import Case, grid
from twinplane.cost_case import CostCase
from twinplane.errors import ProgramError, RunError, SchedulerError, StoreError, SweepError, TwinplaneError
from twinplane.program import Program
from twinplane.result import HostSide, Result
from twinplane.running import run
from twinplane.store import Store
from twinplane.sweeping import Sweep, sweep

__all__ = [
    "Case", "CostCase", "HostSide", "Program", "ProgramError", "Result", "RunError", "SchedulerError", "Store", "StoreError",
    "Sweep", "SweepError", "TwinplaneError", "grid", "run", "sweep",
]
