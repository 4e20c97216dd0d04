"""Waiting in front of one die against queueing theory."""

from twinplane import laws
from twinplane.case import Case
from twinplane.experiments.fidelity_part import TIMELESS, Part, spread

PAGE = 4096
BUS = laws.BUSES["flat"]
MEMORY = 0.41  # ns: a page passes the device memory at 10 TB/s, rounded up to the picosecond
PAGE_TYPES = {"equal reads (M/D/1)": ("slc", (50_000.0,)),
              "three page types (M/G/1)": ("tlc", (50_000.0, 200_000.0, 550_000.0))}


def services(series):
    return [BUS.read_command(1, 0) + tR + BUS.data_out(PAGE, False) for tR in PAGE_TYPES[series][1]]


class Waiting(Part):
    """Reads arrive at random (Poisson) at a die with one plane and are served one by one."""

    name, title = "wait", "Mean wait for a busy die"
    source = "M/D/1; Pollaczek and Khinchine"
    quantity, unit, axis_title = "mean wait", "us", "utilisation of the die"
    tolerance = (0.03, 0.10)
    logarithmic = True

    def points(self, quick):
        return [(s, rho) for s in PAGE_TYPES for rho in ((0.3, 0.5) if quick else (0.2, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9))]

    @staticmethod
    def rate(series, rho):
        """Arrivals per second, whole as the configuration wants them."""
        mean = sum(services(series)) / len(services(series))
        return round(rho * 1e9 / mean)

    def law(self, series, x):
        return laws.pollaczek_khinchine(self.rate(series, x) / 1e9, services(series)) / 1000

    def case(self, series, x, quick):
        cell, tR = PAGE_TYPES[series]
        requests = 200_000 if quick else 400_000 if x < 0.65 else 1_500_000 if x < 0.85 else 6_000_000
        return Case(TIMELESS, {
            "geometry.blocks_per_plane": 256, "geometry.pages_per_block": 384, "geometry.page_size": "4KiB",
            "nand.cell": cell, "nand.tR": [f"{t:g}ns" for t in tR], "precondition.mode": "fill",
            "precondition.fill": "100%", "host.mode": "open", "workload.rw": "randread", "workload.bs": "4KiB",
            "workload.rate_process": "poisson", "workload.rate_iops": self.rate(series, x),
            "workload.number_ios": requests, "report.interval": "1s"})

    def found(self, row):
        mean = sum(services(row["series"])) / len(services(row["series"]))
        return (row["latency_mean_ns"] - mean - MEMORY) / 1000

    def curve(self, xs):
        return spread(xs)


PARTS = (Waiting(),)
