"""What do channels, dies, planes and bus speed buy, and which designs are worth their cost?"""

import numpy

from twinplane.case import Case
from twinplane.experiments import design_energy
from twinplane.experiments.experiment import Claim, Experiment, Figure, nothing_wrong
from twinplane.experiments.fidelity_part import CONFIGS
from twinplane.experiments.why import shares, span, why_figure, with_accounts
from twinplane.report.style import COLOURS, MARKERS, new_figure
from twinplane.result import standard_metrics

QUESTION = """\
A drive of fixed capacity can be built from few large or many small dies, on few or many channels, with one, two or four
planes per die, on a slow or a fast bus. What does each choice buy in requests per second, latency, write amplification
and busy planes, and which designs are not beaten by another that costs no more?

The workload: 70 % random reads and 30 % random writes of 8 KiB, 128 requests outstanding, on a full drive whose data
was overwritten one and a half times. Reads go before writes (the default), so writes wait long where dies are scarce.

Cost is counted in dies: a plane beyond the first adds 4 % of a die (row decoders, page buffers), a channel costs 0.6
(pins, PHY, sequencer), a quarter more with the fast bus. These three numbers are assumptions; they stand at the top of
the module. Energy is shown beside it and not counted in it.

The reference in the plots, the flash limit, is what the arrays and buses of a design could do with the pages that it
read, programmed and erased if they were never idle. No design may exceed its own.
"""
BLOCKS = {False: 8192, True: 2048}  # of the whole drive: full, quick
BUSES = {"nv-ddr2 200": {"bus.interface": "nv-ddr2", "bus.mode": 5}, "nv-ddr3 800": {"bus.interface": "nv-ddr3",
                                                                                   "bus.mode": 10}}
NS_PER_BYTE = {"nv-ddr2 200": 5.0, "nv-ddr3 800": 1.25}
PLANE_COST, CHANNEL_COST, FAST_BUS_COST = 0.04, 0.6, 0.25
PAGE = 8192
TR, TPROG, TBERS = (56.5e3, 77.5e3, 106e3), (820.5e3, 2225e3, 5734e3), 3e6  # ns by page type, as in design.toml


def grid(quick):
    channels, dies, planes = ((2, 8), (1, 2), (1, 4)) if quick else ((1, 2, 4, 8), (1, 2, 4, 8), (1, 2, 4))
    return [case(quick, c, d, p, bus) for c in channels for d in dies for p in planes for bus in BUSES]


def case(quick, channels, dies, planes, bus):
    settings = {"geometry.channels": channels, "geometry.chips_per_channel": dies, "geometry.dies_per_chip": 1,
                "geometry.planes_per_die": planes,
                "geometry.blocks_per_plane": BLOCKS[quick] // (channels * dies * planes),
                "workload.number_ios": 60_000 if quick else 300_000}
    labels = {"channels": channels, "dies_per_channel": dies, "planes": planes, "bus": bus,
              "cost": cost(channels, dies, planes, bus)}
    return Case(str(CONFIGS / "design.toml"), BUSES[bus] | design_energy.SETTINGS | settings, labels=labels)


def cost(channels, dies, planes, bus):
    channel = CHANNEL_COST * (1 + FAST_BUS_COST * (bus == "nv-ddr3 800"))
    return round(channels * dies * (1 + PLANE_COST * (planes - 1)) + channels * channel, 3)


def metrics(result):
    nand, dies = result.summary["nand"], result.summary["dies"]
    reads, programs = nand["reads"], nand["programs"]
    busy = sum(n * t for n, t in zip(reads["by_page_type"].values(), TR))
    busy += sum(n * t for n, t in zip(programs["by_page_type"].values(), TPROG)) + nand["erases"]["total"] * TBERS
    return standard_metrics(result) | design_energy.metrics(result) | {
        "iops": result.iops, "requests": result.read.count + result.write.count, "array_ns": busy,
        "measured_ns": result.summary["host"]["measured_ns"],
        "bus_bytes": (reads["total"] + programs["total"]) * PAGE,
        "busy_while_busy": numpy.mean([d["planes_busy_mean_while_busy"] or 0 for d in dies])}


def limit(row):
    """Requests per second if all planes, or all buses, were never idle; the lower of both."""
    planes = row["channels"] * row["dies_per_channel"] * row["planes"]
    bus_ns = row["bus_bytes"] * NS_PER_BYTE[row["bus"]]
    return 1e9 * row["requests"] / max(row["array_ns"] / planes, bus_ns / row["channels"])


def is_best(frame):
    """True for designs that no other beats in requests per second at the same or lower cost."""
    return [not ((frame["cost"] <= row.cost) & (frame["iops"] > row.iops)).any() and
            not ((frame["cost"] < row.cost) & (frame["iops"] >= row.iops)).any() for row in frame.itertuples()]


def table(frame):
    shown = frame.assign(front=["yes" if best else "" for best in is_best(frame)],
                         limit=frame.apply(limit, axis=1),
                         all_planes=frame["channels"] * frame["dies_per_channel"] * frame["planes"])
    shown = shown.assign(p99=shown["read_p99_ns"] / 1e3, wp99=shown["write_p99_ns"] / 1e6,
                         busy=100 * shown["planes_busy_mean"] / shown["all_planes"],
                         bus_busy=100 * shown["channel_utilisation"], reached=100 * shown["iops"] / shown["limit"])
    names = {"channels": "channels", "dies_per_channel": "dies per channel", "planes": "planes", "bus": "bus (MT/s)",
             "cost": "cost (dies)", "front": "Pareto front", "iops": "requests/s", "limit": "flash limit",
             "reached": "of it %", "p99": "read p99 (us)", "wp99": "write p99 (ms)", "waf": "write amplification",
             "busy": "planes busy %", "busy_while_busy": "planes busy per busy die", "bus_busy": "buses busy %"}
    return shown[list(names)].rename(columns=names).sort_values(["cost (dies)", "requests/s"], ignore_index=True)


def front_figure(frame):
    figure, axes = new_figure(height=5.4)
    for i, (channels, rows) in enumerate(frame.groupby("channels")):
        for j, (planes, points) in enumerate(rows.groupby("planes")):
            axes.plot(points["cost"], points["iops"], MARKERS[j], color=COLOURS[i], alpha=0.75, markersize=6,
                      label=f"{channels} channels" if j == 0 else None)
    best = frame[is_best(frame)].sort_values("cost")
    axes.step(best["cost"], best["iops"], where="post", color="black", linewidth=1.2, label="Pareto front")
    bound = best.assign(limit=best.apply(limit, axis=1))
    axes.plot(bound["cost"], bound["limit"], "k_", markersize=10, label="flash limit of the same designs")
    axes.vlines(bound["cost"], bound["iops"], bound["limit"], color="black", linestyle=":", linewidth=0.8)
    for j, planes in enumerate(sorted(frame["planes"].unique())):
        axes.plot([], [], MARKERS[j], color="grey", label=f"{planes} planes")
    axes.set(xscale="log", yscale="log", xlabel="cost (in dies, logarithmic)",
             ylabel="requests per second (logarithmic)", title="Requests per second over cost")
    axes.set_xticks([t for t in (2, 5, 10, 20, 50) if frame["cost"].min() <= t <= frame["cost"].max()])
    axes.xaxis.set_major_formatter("{x:.0f}")
    axes.xaxis.set_minor_formatter("")
    axes.legend(fontsize="small", ncols=2)
    return Figure("front", "Each point is a design; the line joins those that none beats at the same or lower cost.",
                  figure)


def parallelism_figure(frame):
    buses = list(BUSES)
    figure, grid_axes = new_figure(height=4.4, columns=len(buses), sharey=True)
    for axes, bus in zip(grid_axes, buses):
        rows = frame[frame["bus"] == bus]
        rows = rows.assign(all_planes=rows["channels"] * rows["dies_per_channel"] * rows["planes"])
        for j, (planes, points) in enumerate(rows.groupby("planes")):
            axes.plot(points["all_planes"], points["planes_busy_mean"], MARKERS[j], color=COLOURS[j],
                      label=f"{planes} per die")
        ends = [rows["all_planes"].min(), rows["all_planes"].max()]
        axes.plot(ends, ends, "k--", linewidth=1, label="all of them")
        axes.set(xscale="log", yscale="log", xlabel="planes of the drive", title=f"bus {bus} MT/s")
        axes.set_xscale("log", base=2)
        axes.set_yscale("log", base=2)
    grid_axes[0].set_ylabel("busy planes (mean)")
    grid_axes[0].legend(fontsize="small")
    return Figure("parallelism", "Busy planes, averaged over the run, against the planes that the design has.", figure)


def lines_figure(frame, name, column, label, caption, reference=None):
    """A column over channels, one line per number of dies, for the most planes per die."""
    rows = frame[frame["planes"] == frame["planes"].max()]
    figure, grid_axes = new_figure(height=4.2, columns=len(BUSES), sharey=True)
    for axes, bus in zip(grid_axes, BUSES):
        for i, (dies, points) in enumerate(rows[rows["bus"] == bus].groupby("dies_per_channel")):
            axes.plot(points["channels"], points[column], MARKERS[i] + "-", color=COLOURS[i], linewidth=1,
                      label=f"{dies} dies per channel")
            if reference is not None:
                axes.plot(points["channels"], points.apply(reference, axis=1), "--", color=COLOURS[i], linewidth=1,
                          label="its flash limit" if i == 0 else None)
        axes.set_xscale("log", base=2)
        if reference is not None:
            axes.set_yscale("log")
        else:
            axes.axhline(max(TPROG) / 1e6, color="black", linestyle="--", linewidth=1, label="tPROG of an MSB page")
            axes.set_ylim(0, 1.1 * rows[column].max())
        axes.set(xlabel="channels", title=f"bus {bus} MT/s", xticks=sorted(rows["channels"].unique()))
        axes.xaxis.set_major_formatter("{x:.0f}")
    grid_axes[0].set_ylabel(label)
    grid_axes[0].legend(fontsize="small")
    return Figure(name, caption, figure)


def figures(frame):
    most = frame["planes"].max()
    return [front_figure(frame),
            lines_figure(frame, "iops", "iops", "requests per second",
                         f"Requests per second of drives with {most} planes per die.", limit),
            lines_figure(frame.assign(ms=frame["read_p99_ns"] / 1e6), "p99", "ms", "read p99 (ms)",
                         f"99th percentile of read latency, {most} planes per die: reads behind a program."),
            parallelism_figure(frame), design_energy.energy_figure(frame), *why(frame)]


def why(frame):
    """The corners of the space: fewest and most channels and dies, on the fast bus."""
    rows = with_accounts(frame[frame["bus"] == "nv-ddr3 800"])
    if rows.empty:
        return []
    ends = {axis: (rows[axis].min(), rows[axis].max()) for axis in ("channels", "dies_per_channel", "planes")}
    rows = rows[rows["channels"].isin(ends["channels"]) & rows["dies_per_channel"].isin(ends["dies_per_channel"])]
    rows = rows.assign(bar=[f"{c} x {d}" for c, d in zip(rows["channels"], rows["dies_per_channel"])])
    few, many = (rows[rows["planes"] == n] for n in ends["planes"])
    work = ("read_host", "read_gc", "program_host", "program_gc", "erase_gc")
    finding = (f"Arrays work for {span(shares(few, *work))} of the time with one plane per die, and for {span(shares(many, *work))} with "
               f"{ends['planes'][1]}. Page addresses hold planes for {span(shares(many, 'held_pac'))} of it, policy for "
               f"{span(shares(many, 'held_policy'))}: each plane collects on its own and holds the others of its die.")
    panels = {f"{n} planes per die": of_planes for n, of_planes in rows.groupby("planes")}
    return [why_figure("why", "Designs of fewest and most channels x dies per channel, fast bus. " + finding, panels, "bar")]


def gain(frame, axis):
    """Requests per second at the largest over those at the least value of `axis`, geometric mean over the rest."""
    log = numpy.log(frame["iops"])
    return float(numpy.exp(log[frame[axis] == frame[axis].max()].mean() - log[frame[axis] == frame[axis].min()].mean()))


def gains(frame):
    """What each choice should bring if nothing else limits: arrays do here, so the bus should bring nothing."""
    single = frame[frame["planes"] == 1]
    names = {"channels": "channels", "dies_per_channel": "dies per channel", "planes": "planes per die"}
    for axis, what in names.items():
        ends = frame[axis].min(), frame[axis].max()
        found = gain(frame if axis == "planes" else single, axis)
        yield Claim(f"gain in requests/s from {ends[0]} to {ends[1]} {what}" +
                    ("" if axis == "planes" else ", one plane per die"), "planes, if all could be kept busy",
                    ends[1] / ends[0], found, "times", 0.05, own=True,
                    why="" if axis != "planes" else "planes of a die share its commands: reads hit single planes, and "
                    "each plane reclaims on its own, so a busy die has one and a half busy planes")
    yield Claim("gain in requests/s from the fourfold bus, one plane per die", "none, arrays limit", 1.0,
                gain(single.assign(fast=single["bus"] == "nv-ddr3 800"), "fast"), "times", 0.05, own=True)


def claims(frame, quick):
    limits = frame.apply(limit, axis=1)
    single = frame[frame["planes"] == 1]
    law = single["array_ns"] / single["measured_ns"]
    worst = (single["planes_busy_mean"] / law - 1).abs().idxmax()
    return [
        *gains(frame),
        Claim(f"busy planes = operations x array times / time: the worst of {len(single)} designs with one plane "
              "per die", "utilisation law", law[worst], single.loc[worst, "planes_busy_mean"], "planes", 0.001,
              required=True),
        Claim(f"designs of {len(frame)} that are faster (by 0.5 %) than their arrays and buses allow",
              "utilisation law", 0, int((frame["iops"] > 1.005 * limits).sum()), "", 0, required=True),
        Claim(f"Little's law: the worst of {len(frame)} designs", "J. Little, 1961", 1.0,
              frame.loc[(frame["littles_law"] - 1).abs().idxmax(), "littles_law"], "", 0.01, required=True),
        nothing_wrong(frame),
    ]


EXPERIMENT = Experiment("design-space", "What channels, dies, planes and bus speed buy", QUESTION, grid, table, figures,
                        claims, metrics)
