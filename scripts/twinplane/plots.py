"""Draws a run's plots from its output folder.

    .venv/bin/python scripts/plots.py OUT

reads   OUT/timeline.csv, OUT/latency.csv, OUT/summary.json
writes  OUT/busy_planes.png   busy planes over time by operation, bus utilisation, host bandwidth
        OUT/plane_time.png    what the planes' time went to, where the run has kept an account of it
        OUT/latency_cdf.png   cumulative latency distribution of reads and writes with p50 and p99
"""

import argparse
import csv
import json
import sys
import tomllib
from pathlib import Path

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt
from matplotlib.ticker import FuncFormatter

READ, PROGRAM, ERASE, NEUTRAL = "#2a9d8f", "#3a6ea5", "#c0392b", "#6c757d"
MAX_COLUMNS = 600  # intervals drawn; longer runs are averaged


class InputError(Exception):
    pass


def read_csv(path):
    try:
        with path.open(newline="") as file:
            return list(csv.DictReader(file))
    except OSError as error:
        raise InputError(f"cannot read {path}: {error.strerror}") from error


def read_json(path):
    try:
        return json.loads(path.read_text())
    except OSError as error:
        raise InputError(f"cannot read {path}: {error.strerror}") from error
    except json.JSONDecodeError as error:
        raise InputError(f"{path} is not JSON: {error}") from error


def planes_of(summary):
    geometry = summary["config"].get("geometry", {})
    keys = ("channels", "chips_per_channel", "dies_per_chip", "planes_per_die")
    planes = 1
    for key in keys:
        if not isinstance(geometry.get(key), int):
            return None
        planes *= geometry[key]
    return planes


class Timeline:
    """Time-weighted columns of timeline.csv on a grid of at most MAX_COLUMNS equal intervals."""

    def __init__(self, path):
        rows = read_csv(path)
        if not rows:
            raise InputError(f"{path} has no rows: nothing happened in this run")
        self.starts = [float(row["start_us"]) for row in rows]
        self.ends = [float(row["end_us"]) for row in rows]
        self.rows = rows
        total = self.ends[-1] - self.starts[0]
        finest = min(end - start for start, end in zip(self.starts, self.ends))
        self.columns = max(1, min(MAX_COLUMNS, round(total / finest)))
        self.width = total / self.columns
        self.edges = [self.starts[0] + i * self.width for i in range(self.columns + 1)]

    def series(self, name):
        sums = [0.0] * self.columns
        for row, start, end in zip(self.rows, self.starts, self.ends):
            value = float(row[name] or 0)
            if value:
                self._spread(sums, start, end, value)
        return [s / self.width for s in sums]

    def _spread(self, sums, start, end, value):
        first = int((start - self.edges[0]) / self.width)
        for i in range(first, self.columns):
            low, high = max(start, self.edges[i]), min(end, self.edges[i + 1])
            if self.edges[i] >= end:
                break
            sums[i] += value * max(0.0, high - low)


def time_unit(span_us):
    for scale, name in ((1e6, "s"), (1e3, "ms")):
        if span_us >= 2 * scale:
            return scale, name
    return 1.0, "us"


def ramp_end_us(summary):
    """When what is measured begins, 0 without a ramp; the timeline is of the whole run."""
    ramp = summary["host"].get("ramp")
    return ramp["end_ns"] / 1e3 if ramp else 0


def shade_ramp(axes, end):
    if end:
        axes.axvspan(0, end, color=NEUTRAL, alpha=0.15, linewidth=0, label="ramp, not measured")


def plot_busy_planes(out, summary):
    timeline = Timeline(out / "timeline.csv")
    scale, unit = time_unit(timeline.edges[-1])
    edges = [edge / scale for edge in timeline.edges]
    figure, (planes, bus, host) = plt.subplots(
        3, 1, figsize=(11, 7.5), sharex=True, height_ratios=(3, 1, 1.3), layout="constrained"
    )
    base = [0.0] * timeline.columns
    for name, colour in (("reading", READ), ("programming", PROGRAM), ("erasing", ERASE)):
        top = [a + b for a, b in zip(base, timeline.series(f"planes_{name}_mean"))]
        planes.stairs(top, edges, baseline=base, fill=True, color=colour, label=name, linewidth=0)
        base = top
    total = planes_of(summary)
    if total:
        planes.axhline(total, color=NEUTRAL, linestyle="--", linewidth=1, label=f"all {total} planes")
    ramp = ramp_end_us(summary) / scale
    measured = [b for b, end in zip(base, edges[1:]) if end > ramp]
    mean = sum(measured) / len(measured)
    planes.axhline(mean, color="black", linewidth=1, label=f"mean {mean:.1f}")
    planes.set_ylabel("busy planes")
    planes.set_ylim(0, (total or max(base) or 1) * 1.08)
    planes.set_title(f"Busy planes over time: {title(summary)}")
    bus.stairs([100 * u for u in timeline.series("channel_utilisation")], edges, color=NEUTRAL)
    bus.set_ylabel("buses busy (%)")
    bus.set_ylim(bottom=0)
    for name, colour in (("read", READ), ("write", PROGRAM)):
        host.stairs(timeline.series(f"{name}_mb_per_s"), edges, color=colour, label=name)
    host.set_ylabel("host (MB/s)")
    host.set_ylim(bottom=0)
    host.legend(loc="center left", bbox_to_anchor=(1.0, 0.5), frameon=False)
    host.set_xlabel(f"simulated time ({unit})")
    host.set_xlim(edges[0], edges[-1])
    for axes in (planes, bus, host):
        axes.grid(alpha=0.3)
        shade_ramp(axes, ramp)
    planes.legend(loc="center left", bbox_to_anchor=(1.0, 0.5), frameon=False)
    save(figure, out / "busy_planes.png")


def plane_areas():
    """What is drawn as one area of the planes' time: name, causes, colour; from the bottom up."""
    table = Path(__file__).parent / "report/plane_causes.toml"
    return [(a["name"], a["causes"], a["colour"]) for a in tomllib.loads(table.read_text())["area"]]


def plot_plane_time(out, summary):
    timeline = Timeline(out / "timeline.csv")
    scale, unit = time_unit(timeline.edges[-1])
    edges = [edge / scale for edge in timeline.edges]
    total = summary["plane_time"]["total_ns"] or 1
    figure, axes = plt.subplots(figsize=(11, 5), layout="constrained")
    base = [0.0] * timeline.columns
    for name, causes, colour in plane_areas():
        share = sum(summary["plane_time"]["causes_ns"][cause] for cause in causes) / total
        if not share:
            continue
        top = base
        for cause in causes:
            top = [a + b for a, b in zip(top, timeline.series(f"plane_time_{cause}"))]
        label = f"{name} {100 * share:.1f} %"
        axes.stairs(top, edges, baseline=base, fill=True, color=colour, label=label, linewidth=0)
        base = top
    shade_ramp(axes, ramp_end_us(summary) / scale)
    axes.set_ylabel("planes")
    axes.set_ylim(0, planes_of(summary) or max(base))
    axes.set_xlim(edges[0], edges[-1])
    axes.set_xlabel(f"simulated time ({unit})")
    handles, labels = axes.get_legend_handles_labels()
    axes.legend(handles[::-1], labels[::-1], loc="center left", bbox_to_anchor=(1.0, 0.5), frameon=False)
    axes.set_title(f"Where the planes' time went: {title(summary)}")
    save(figure, out / "plane_time.png")


def nanoseconds_text(value, _position=None):
    for scale, name in ((1e9, "s"), (1e6, "ms"), (1e3, "us")):
        if value >= scale:
            return f"{value / scale:g} {name}"
    return f"{value:g} ns"


def rounded_text(value):
    return nanoseconds_text(float(f"{value:.3g}"))


def plot_latency_cdf(out, summary):
    rows = read_csv(out / "latency.csv")
    figure, axes = plt.subplots(figsize=(9, 5.5), layout="constrained")
    for op, colour in (("read", READ), ("write", PROGRAM)):
        points = [(float(r["latency_ns"]), float(r["cumulative"])) for r in rows if r["op"] == op]
        if not points:
            continue
        latency = summary["host"][op]["latency_ns"]
        points.insert(0, (latency["min"], 0.0))
        name = f"{op} ({summary['host'][op]['count']:,})"
        axes.step(*zip(*points), where="post", color=colour, linewidth=1.8, label=name)
        for percentile, height, marker in (("p50", 0.5, "o"), ("p99", 0.99, "D")):
            label = f"{op} {percentile} {rounded_text(latency[percentile])}"
            axes.plot(latency[percentile], height, marker, color=colour, markersize=7, label=label)
    if not axes.lines:
        axes.text(0.5, 0.5, "no reads and no writes", transform=axes.transAxes, ha="center")
    else:
        axes.set_xscale("log")
        axes.legend(loc="lower right")
    axes.xaxis.set_major_formatter(FuncFormatter(nanoseconds_text))
    axes.set_xlabel("latency (logarithmic)")
    axes.set_ylabel("fraction of requests at most this long")
    axes.set_ylim(0, 1.02)
    axes.grid(alpha=0.3, which="both")
    axes.set_title(f"Request latency: {title(summary)}")
    save(figure, out / "latency_cdf.png")


def title(summary):
    source = Path(summary["workload"]["source"]).name
    return f"{source}, policy {summary['ftl']['policy']}"


def save(figure, path):
    part = path.with_name("." + path.name)
    figure.savefig(part, dpi=110, metadata={"Software": None})
    plt.close(figure)
    part.replace(path)
    print(f"wrote {path}")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("out", type=Path, help="output folder of twinplane run")
    out = parser.parse_args().out
    try:
        summary = read_json(out / "summary.json")
        plot_busy_planes(out, summary)
        if summary.get("plane_time"):
            plot_plane_time(out, summary)
        plot_latency_cdf(out, summary)
    except (InputError, OSError) as error:
        print(f"plots.py: {error}", file=sys.stderr)
        return 1
    except KeyError as error:
        print(f"plots.py: a column or name is missing in {out}: {error}", file=sys.stderr)
        return 1
    return 0
