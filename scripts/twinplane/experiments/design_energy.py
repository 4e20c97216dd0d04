"""What a host byte costs in energy, over how busy a design keeps its planes: part of the experiment design-space.

Energy of operations and transfers is the same for every byte; what the drive draws all the time is shared by the bytes
that it serves meanwhile. So a design that idles pays for it, in more dies on standby and in more time of its controller.
"""

from twinplane.experiments.experiment import Figure
from twinplane.report.style import COLOURS, MARKERS, new_figure

SETTINGS = {"report.energy": True}
ALL_THE_TIME = ("standby", "controller")  # causes that do not depend on what the drive does


def metrics(result):
    energy = result.summary["energy"]
    total = sum(energy["causes_nj"].values())
    return {"nj_per_host_byte": energy["nj_per_host_byte"], "average_mw": energy["average_mw"], "peak_mw": energy["peak_mw"],
            "standing_share": sum(energy["causes_nj"][cause] for cause in ALL_THE_TIME) / total}


def utilisation(frame):
    """Share of the drive's planes that are busy, averaged over the run."""
    return frame["planes_busy_mean"] / (frame["channels"] * frame["dies_per_channel"] * frame["planes"])


def energy_figure(frame):
    """Every design twice: all of its energy per host byte, and what is left without what it draws all the time."""
    rows = frame.assign(busy=100 * utilisation(frame), work=frame["nj_per_host_byte"] * (1 - frame["standing_share"]))
    figure, axes = new_figure(height=4.8)
    for i, (channels, of_channels) in enumerate(rows.groupby("channels")):
        for j, (planes, points) in enumerate(of_channels.groupby("planes")):
            axes.plot(points["busy"], points["nj_per_host_byte"], MARKERS[j], color=COLOURS[i], alpha=0.75,
                      label=f"{channels} channels" if j == 0 else None)
            axes.plot(points["busy"], points["work"], MARKERS[j], color=COLOURS[i], alpha=0.5, markerfacecolor="none")
    for j, planes in enumerate(sorted(rows["planes"].unique())):
        axes.plot([], [], MARKERS[j], color="grey", label=f"{planes} planes per die")
    axes.plot([], [], "o", color="grey", markerfacecolor="none", label="without standby and controller")
    axes.set(yscale="log", xlabel="busy planes (% of the design's)", ylabel="energy per host byte (nJ, logarithmic)",
             title="Energy per host byte over utilisation")
    axes.legend(fontsize="small", ncols=2)
    return Figure("energy", "Energy per byte of host data, over the share of planes that are busy; hollow: without standby of the "
                  "dies and what the controller draws all the time. Typical currents by cell type, not those of a part.", figure)
