"""The plots of the fidelity experiment: a law as a line, runs as points."""

from twinplane.experiments.experiment import Figure
from twinplane.report.style import COLOURS, MARKERS, new_figure


def law_figure(part, frame):
    figure, axes = new_figure()
    for i, (series, rows) in enumerate(frame.groupby("series", sort=False)):
        xs = list(part.curve(rows["x"].tolist()))
        colour = COLOURS[i]
        axes.plot(xs, [part.law(series, x) for x in xs], color=colour, linewidth=1.2, label=f"{series}: law")
        axes.plot(rows["x"], [part.found(r) for r in rows.to_dict("records")], MARKERS[i % len(MARKERS)], color=colour,
                  markersize=6, markerfacecolor="white", label=f"{series}: run")
    axes.set_xlabel(part.axis_title)
    axes.set_ylabel(f"{part.quantity} ({part.unit})")
    if part.logarithmic:
        axes.set_yscale("log")
    else:
        axes.set_ylim(bottom=0)
    axes.set_title(part.title)
    axes.legend(fontsize="small")
    return Figure(part.name, f"{part.title}. Lines: {part.source}. Points: runs.", figure)


STAGES = {"array_ns": "array (tR, tPROG)", "bus_ns": "bus", "bus_wait_ns": "waiting for the bus",
          "die_wait_ns": "waiting for the die", "firmware_ns": "firmware", "map_ns": "map", "ecc_ns": "ECC",
          "page_buffer_wait_ns": "waiting for a page buffer", "write_buffer_wait_ns": "waiting for the write buffer",
          "suspend_wait_ns": "waiting for a suspend",
          "host_queue_ns": "host queue", "host_wait_ns": "waiting for the doorbell", "completion_ns": "completion"}


def breakdown_figure(part, frame):
    figure, axes = new_figure(height=6.5)
    names = [f"{row.series}, {row.x:g} plane{'s' if row.x > 1 else ''}" for row in frame.itertuples()]
    base = [0.0] * len(names)
    for i, (column, title) in enumerate(STAGES.items()):
        if not frame[column].any():
            continue
        widths = (frame[column] / 1000).tolist()
        axes.barh(names, widths, left=base, color=COLOURS[i], label=title)
        base = [b + w for b, w in zip(base, widths)]
    axes.plot(frame["law"] / 1000, names, "|", color="black", markersize=9, label="law")
    axes.invert_yaxis()
    axes.set_xlabel("latency (us)")
    axes.tick_params(axis="y", labelsize="x-small")
    axes.set_title(part.title)
    axes.legend(fontsize="small")
    return Figure(part.name, f"{part.title}, by where the time goes. Mark: {part.source}.", figure)
