"""Runs, sweeps and experiments on the Twinplane SSD platform.

    import twinplane
    result = twinplane.run("platform/configs/demo.toml", trace="traces/demo.csv.zst", ftl__victim="rga")
    print(result.waf, result.write.p99_ns)
    result.timeline().plot(x="start_us", y="planes_busy_mean")

docs/experiments.md describes runs, sweeps on one machine or a cluster, and how an experiment is added. The names below are
loaded when they are used: commands such as the random search need the standard library only.
"""

import importlib

_MODULE_OF = {
    "Case": "case", "CostCase": "cost_case", "HostSide": "result", "Program": "program", "ProgramError": "errors", "Result": "result",
    "RunError": "errors", "SchedulerError": "errors", "Store": "store", "StoreError": "errors", "Sweep": "sweeping",
    "SweepError": "errors", "TwinplaneError": "errors", "grid": "case", "run": "running", "sweep": "sweeping",
}
__all__ = list(_MODULE_OF)


def __getattr__(name):
    if name not in _MODULE_OF:
        raise AttributeError(f"module 'twinplane' has no attribute {name!r}")
    return getattr(importlib.import_module(f"twinplane.{_MODULE_OF[name]}"), name)
