"""What a run left behind, typed."""

import io
import json
import pathlib
from dataclasses import dataclass, field

import pandas

from twinplane.errors import StoreError

PERCENTILES = ("p50", "p90", "p95", "p99", "p99_9", "p99_99", "p99_999")


@dataclass(frozen=True)
class HostSide:
    """Reads or writes as the host saw them; times in ns, None when there were none."""

    count: int
    iops: float
    mb_per_s: float
    mean_ns: float | None
    min_ns: float | None
    max_ns: float | None
    p50_ns: float | None
    p99_ns: float | None
    p99_9_ns: float | None
    breakdown_ns: dict

    @classmethod
    def of(cls, side):
        t = side["latency_ns"]
        return cls(side["count"], side["iops"], side["mb_per_s"], t["mean"], t["min"], t["max"], t["p50"], t["p99"],
                   t["p99_9"], side["breakdown_ns"])


@dataclass(frozen=True)
class Result:
    """One finished run. `summary` has every number (docs/summary.md); the rest are short cuts to it."""

    key: str
    folder: pathlib.Path
    summary: dict = field(repr=False)

    @classmethod
    def load(cls, key, folder):
        return cls(key, folder, json.loads((folder / "summary.json").read_text()))

    @property
    def read(self):
        return HostSide.of(self.summary["host"]["read"])

    @property
    def write(self):
        return HostSide.of(self.summary["host"]["write"])

    @property
    def iops(self):
        return self.read.iops + self.write.iops

    @property
    def waf(self):
        """Bytes programmed per byte the host wrote; None when it wrote nothing."""
        return self.summary["ftl"]["waf"]

    @property
    def warnings(self):
        """What makes its numbers doubtful; a cost model's have no such list."""
        return self.summary.get("warnings", [])

    def without_seed(self):
        """The summary but for the seed, what is derived from it alone, and the simulating machine's clock."""
        left_out = ("seed", "config", "time")
        return {name: value for name, value in self.summary.items() if name not in left_out}

    def timeline(self):
        """timeline.csv: one row per interval of simulated time."""
        return self._csv("timeline.csv")

    def latency(self):
        """latency.csv: cumulative distribution of the latency of reads and writes."""
        return self._csv("latency.csv")

    def costs(self):
        """costs.csv of a CostCase: one row per division."""
        return self._csv("costs.csv")

    def waves(self):
        """The waveform and its GTKWave files, if the run recorded any."""
        return sorted(p for p in self.folder.iterdir() if p.name.startswith("waves"))

    def _csv(self, name):
        try:
            return pandas.read_csv(io.BytesIO((self.folder / name).read_bytes()))
        except OSError as error:
            raise StoreError(f"{self.folder / name}: {error.strerror}") from error


def standard_metrics(result):
    """The usual columns of a sweep. What the simulating machine's clock says is not among them."""
    s = result.summary
    row = {"simulated_ns": s["time"]["simulated_ns"], "waf": result.waf, "page_ratio": s["ftl"]["page_ratio"],
           "queue_depth_mean": s["host"]["queue_depth_mean"], "littles_law": s["host"]["littles_law"]}
    for name, side in (("read", result.read), ("write", result.write)):
        row |= {f"{name}_count": side.count, f"{name}_iops": side.iops, f"{name}_mb_per_s": side.mb_per_s,
                f"{name}_mean_ns": side.mean_ns, f"{name}_p50_ns": side.p50_ns, f"{name}_p99_ns": side.p99_ns,
                f"{name}_p99_9_ns": side.p99_9_ns}
    row["limited_by"] = s["utilisation"]["limited_by"]
    slowest = s["host"]["slowest_tenth_ns"]
    whole = sum(part or 0 for part in slowest.values())
    row |= {f"slowest_tenth_{part}": time / whole if whole else None for part, time in slowest.items()}
    row["slowest_tenth_ns"] = whole if whole else None
    row["planes_busy_mean"] = sum(d["planes_busy_mean"] for d in s["dies"])
    row["channel_utilisation"] = sum(c["utilisation"] for c in s["channels"]) / len(s["channels"])
    row["multiplane_program_ratio"] = s["nand"]["multiplane"]["program"]["ratio"]
    row["violations"] = s["nand"]["violations"]["total"]
    row["mismatches"] = s["host"]["verify"]["mismatches"]
    return row
