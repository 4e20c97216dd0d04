"""Reads and programs per second against what the bus and the array allow."""

from twinplane import laws
from twinplane.case import Case
from twinplane.experiments.fidelity_part import TIMELESS, Part, spread

PAGE = 8192
TDBSY = 500.0
TR, TPROG = 50_000.0, 200_000.0
OPERATIONS = ("reads", "programs")


def drive(bus, dies=1, planes=1):
    """Dies in packages of their own on one channel."""
    return bus.settings | {"geometry.chips_per_channel": dies, "geometry.planes_per_die": planes,
                           "geometry.page_size": "8KiB", "geometry.blocks_per_plane": 256,
                           "geometry.pages_per_block": 64, "nand.tR": f"{TR:g}ns", "nand.tPROG": f"{TPROG:g}ns",
                           "workload.bs": "8KiB", "host.iodepth": 256}


def load(operation, quick):
    requests = {"workload.number_ios": 4_000 if quick else 12_000}
    if operation == "reads":
        return requests | {"workload.rw": "read", "precondition.mode": "fill", "precondition.fill": "100%"}
    return requests | {"workload.rw": "randwrite"}


class Throughput(Part):
    quantity, unit = "pages per second", "pages/s"
    source = "min(1 / bus time, dies / (bus time + array time))"

    def found(self, row):
        return row["iops"]


class Dies(Throughput):
    """Over dies on one channel. A bus without gaps is left to the other parts for reads: dies whose data are ready in
    the same instant stay in step there, and the rate lies between two laws."""

    axis_title = "dies on one channel"

    def __init__(self, operation):
        self.operation, self.name, self.title = operation, f"dies_{operation}", f"Page {operation} over dies"

    def points(self, quick):
        buses = [b for b in laws.BUSES if self.operation == "programs" or b != "flat"]
        return [(b, n) for b in buses for n in ((1, 16) if quick else (1, 2, 3, 4, 6, 8, 12, 16))]

    def law(self, series, x):
        bus = laws.BUSES[series]
        if self.operation == "reads":
            return laws.pages_per_second(x, bus.page_read(PAGE), TR)
        return laws.pages_per_second(x, bus.page_program(PAGE), TPROG)

    def case(self, series, x, quick):
        return Case(TIMELESS, drive(laws.BUSES[series], dies=x) | load(self.operation, quick))

    def curve(self, xs):
        return spread(xs)


class Planes(Throughput):
    """Over planes of a die that work together: P loads, P - 1 times tDBSY, one array time."""

    name, title = "planes", "Multi-plane commands of one die"
    axis_title = "planes of the die"
    source = "P pages per command sequence, P - 1 tDBSY and one array time"

    def points(self, quick):
        return [(op, n) for op in OPERATIONS for n in ((1, 4) if quick else (1, 2, 4, 8))]

    def law(self, series, x):
        bus, planes = laws.BUSES["flat"], int(x)
        if series == "programs":
            turn = bus.program_command(planes, PAGE, TDBSY) + TPROG + bus.program_status(planes) + bus.after_read
        else:
            out = bus.data_out(PAGE, planes > 1) + bus.after_read
            turn = bus.read_command(planes, TDBSY) + TR + planes * out
        return 1e9 * planes / turn

    def case(self, series, x, quick):
        return Case(TIMELESS, drive(laws.BUSES["flat"], planes=x) | load(series, quick))

    def curve(self, xs):
        return range(int(min(xs)), int(max(xs)) + 1)


class BusSpeed(Throughput):
    """Over the time of a bus cycle, sixteen dies: array-limited where the bus is fast, bus-limited where it is slow."""

    name, title = "bus_speed", "Bus speed, sixteen dies"
    axis_title = "bus cycle (ns)"
    dies = 16

    def points(self, quick):
        cycles = (1, 20) if quick else (0.5, 1, 2, 3, 5, 10, 20)
        return [(op, ns) for op in OPERATIONS for ns in cycles]

    def law(self, series, x):
        bus = laws.flat(x)
        if series == "reads":
            return laws.pages_per_second(self.dies, bus.page_read(PAGE), TR)
        return laws.pages_per_second(self.dies, bus.page_program(PAGE), TPROG)

    def case(self, series, x, quick):
        return Case(TIMELESS, drive(laws.flat(x), dies=self.dies) | load(series, quick))

    def curve(self, xs):
        return spread(xs, 400)


PARTS = (Dies("reads"), Dies("programs"), Planes(), BusSpeed())
