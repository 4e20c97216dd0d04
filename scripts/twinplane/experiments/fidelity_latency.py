"""The latency of a lone request against the sum of its cycles."""

import math

from twinplane import laws
from twinplane.case import Case
from twinplane.experiments.fidelity_part import TIMELESS, Part

PAGE = 4096
TDBSY = 500.0
TR, TPROG = 50_000.0, 300_000.0
MEMORY = math.ceil(PAGE / 10) / 1000  # ns: a page passes the device memory


class LoneRequest(Part):
    """One request a millisecond, so that each finds everything idle. Exact: no tolerance."""

    name, title = "qd1", "Latency at queue depth 1"
    source = "sum of the ONFI cycles, tDBSY and array time"
    quantity, unit, axis_title = "latency", "ns", "planes"
    is_curve = False
    tolerance = (0.0, 0.0)

    def points(self, quick):
        return [(f"{op}, {bus}", planes) for bus in laws.BUSES for op in ("read", "write") for planes in (1, 2, 4)]

    def law(self, series, x):
        op, bus = series.split(", ")
        planes, bus = int(x), laws.BUSES[bus]
        if op == "write":
            exact = planes * MEMORY + bus.program_command(planes, PAGE, TDBSY) + TPROG + bus.program_status(planes)
        else:
            out = planes * (bus.data_out(PAGE, planes > 1) + bus.after_read) - bus.after_read
            exact = bus.read_command(planes, TDBSY) + TR + out + MEMORY
        return round(exact, 3)

    def case(self, series, x, quick):
        op, bus = series.split(", ")
        waves = {"waves.vcd": True} if (bus, x) == ("nv-ddr3 12", 2) else {}
        return Case(TIMELESS, laws.BUSES[bus].settings | waves | {
            "geometry.planes_per_die": x, "geometry.blocks_per_plane": 64, "geometry.pages_per_block": 64,
            "geometry.page_size": "4KiB", "nand.tR": f"{TR:g}ns", "nand.tPROG": f"{TPROG:g}ns",
            "precondition.mode": "fill", "precondition.fill": "100%" if op == "read" else "0%", "workload.rw": op,
            "workload.bs": f"{4 * x}KiB", "workload.number_ios": 100, "workload.rate_iops": 1000, "host.mode": "open"})

    def found(self, row):
        """The request that is furthest from the law."""
        return max(row["latency_min_ns"], row["latency_max_ns"], key=lambda ns: abs(ns - row["law"]))


PARTS = (LoneRequest(),)
