"""The plots of the experiment ipu: the paper's Figures 5 to 14, and what its numbers depend on."""

import numpy
import pandas

from twinplane.experiments.experiment import Figure
from twinplane.experiments.ipu_cases import MSR, PE, RATIOS, READINGS, SWEPT
from twinplane.experiments.ipu_claims import JUDGED
from twinplane.experiments.ipu_rows import mean, relative, spread, varied
from twinplane.experiments.plane_time import TIME
from twinplane.experiments.why import shares, why_figure, with_accounts
from twinplane.report.style import COLOURS, MARKERS, SEEDS, bars, curve, new_figure, of_seeds

SCHEMES = ("Baseline", "MGA", "IPU")
LEVELS = {"work_share": "Work", "monitor_share": "Monitor", "hot_share": "Hot"}
PAPER = {"io_us": (1, 0.936, 0.851), "write_us": (1, None, 0.762), "error_rate": (1, 1.140, 1.035),
         "utilisation": (0.528, 0.999, 0.730), "mapping_bytes": (1, 1.237, 1.0084)}  # means over the traces
PAPER_LEVELS = {"Work": 0.627, "Monitor": 0.044, "Hot": 0.329}


def figures(frame):
    frame = relative(frame)
    drawn = [
        both(frame, "figure-5", {"io_us/Baseline": "all I/O / Baseline", "write_us/Baseline": "writes / Baseline",
                                 "read_us/Baseline": "reads / Baseline"}, "Figure 5: mean latency, one request at a time"),
        both(frame, "figure-6", {"slc_programs/Baseline": "cache programs / Baseline", "native_programs/Baseline":
                                 "native programs / Baseline"}, "Figure 6: programs, the host's and those of collections"),
        levels_figure(frame),
        both(frame, "figure-8", {"error_rate/Baseline": "read error rate / Baseline"}, "Figure 8: wrong bits of the bits that host "
             "reads took; each written address is read as often"),
        both(frame, "figure-9", {"utilisation": "used subpages / all"}, "Figure 9: subpages of collected cache blocks that had been "
             "programmed"),
        both(frame, "figure-10", {"slc_erases/Baseline": "cache erases / Baseline", "native_erases/Baseline":
                                  "native erases / Baseline"}, "Figure 10: erases; where there are no bars the Baseline erases none"),
        both(frame, "figure-11", {"mapping_bytes/Baseline": "mapping memory / Baseline"}, "Figure 11: memory of the mapping tables"),
        both(frame, "figure-12", {"searched": "blocks looked at"}, "Figure 12: the search for a victim, counted in blocks; the paper "
             "measures 1.2 % more time for IPU, less than 2.48 ms"),
        cycles_figure(frame, "figure-13", "io_us", "mean latency (µs)", "Figure 13: latency over program/erase cycles"),
        cycles_figure(frame, "figure-14", "error_rate", "read error rate", "Figure 14: read error rate over program/erase cycles"),
        region_figure(frame), readings_figure(frame), loads_figure(frame)]
    excerpts = frame[frame["part"] == "excerpt"]
    drawn += why(frame)
    return drawn + ([excerpts_figure(excerpts)] if len(excerpts) else [])


def why(frame):
    """Where the planes' time went, one request at a time, without the time in which the drive or a plane has nothing to do."""
    rows = with_accounts(varied(frame, ratio="paper"))
    if rows.empty:
        return []
    idle = ("no_work", "imbalance")

    def of(scheme, *causes):
        return shares(rows[rows["scheme"] == scheme], *causes, left_out=idle).mean()

    parts = {"programs of the host": ("program_host",), "collection": ("read_gc", "program_gc", "erase_gc"),
             "reads of the host": ("read_host",), "the bus and transfers": ("bus", "transfer"), "dependencies": ("dependency",)}
    finding = "; ".join(f"{what} " + ", ".join(f"{of(s, *causes):.0f} %" for s in SCHEMES) for what, causes in parts.items())
    saved = {s: (rows[rows["scheme"] == s][TIME] * shares(rows[rows["scheme"] == s], *parts["collection"]) / 100).mean() for s in SCHEMES}
    return [why_figure("why", f"The cache as in the paper. Of the time in which a plane has work, mean of the traces ({', '.join(SCHEMES)}): "
                       f"{finding}. Collection costs a request {saved['Baseline']:.0f}, {saved['MGA']:.0f} and {saved['IPU']:.0f} us of the "
                       "planes' time.", {t: rows[rows["trace"] == t] for t in dict.fromkeys(rows["trace"])}, "scheme", left_out=idle)]


def both(frame, name, columns, caption):
    """A panel for each column of numbers and each of the two sizes of the cache at which the paper is held against ours."""
    figure, panels = new_figure(width=11, height=0.8 + 2.6 * len(columns), rows=len(columns), columns=2, sharey="row", squeeze=False)
    for row, (column, label) in zip(panels, columns.items()):
        for axes, ratio in zip(row, JUDGED):
            by_scheme(axes, varied(frame, ratio=ratio), column, label if ratio == "paper" else "")
            if "/" in column:
                axes.axhline(1, color="black", linewidth=0.8)
    for axes, where in zip(panels[0], JUDGED.values()):
        axes.set_title(where)
    figure.legend(*panels[0][1].get_legend_handles_labels(), fontsize="small", ncols=3, loc="outside lower center")
    return Figure(name, caption + "." + SEEDS, figure)


def of_traces(rows, column, scheme):
    """Values of the traces, least and most of the seeds, and their mean last."""
    found = of_seeds(rows[rows["scheme"] == scheme], "trace", column)
    return list(found), [*found.values(), mean(rows, scheme, column)]


def by_scheme(axes, rows, column, label, paper=True):
    """Bars by trace, then the mean beside the paper's where it has one."""
    theirs = PAPER.get(column.removesuffix("/Baseline")) if paper else None
    values, names = [], []
    for i, scheme in enumerate(SCHEMES):
        names, found = of_traces(rows, column, scheme)
        values.append([*found, theirs[i] or numpy.nan] if theirs else found)
    bars(axes, [*names, "mean", *(["paper"] if theirs else [])], values, SCHEMES)
    axes.set_ylabel(label)
    axes.tick_params(axis="x", labelsize="small")


def levels_figure(frame):
    figure, panels = new_figure(width=11, height=4.0, columns=3, sharey=True)
    for axes, (ratio, where) in zip(panels, JUDGED.items()):
        rows = varied(frame, ratio=ratio)
        names = list(dict.fromkeys(rows["trace"]))
        shares = {level: [mean(rows[rows["trace"] == t], "IPU", level) for t in names] + [mean(rows, "IPU", level), PAPER_LEVELS[label]]
                  for level, label in LEVELS.items()}
        stack(axes, [*names, "mean", "paper"], shares)
        axes.set_title(where)
    ratios = [ratio for ratio in RATIOS if len(varied(frame, MSR, ratio=ratio))]
    stack(panels[2], ratios, {level: [mean(varied(frame, MSR, ratio=r), "IPU", level) for r in ratios] for level in LEVELS})
    panels[2].set_title("MSR traces, by cache / pages written")
    panels[0].set_ylabel("updates that the cache takes")
    panels[2].legend(fontsize="small")
    return Figure("figure-7", "Figure 7: levels of the blocks that take IPU's updates. Means of the seeds.", figure)


def stack(axes, names, shares):
    bottom = numpy.zeros(len(names))
    for i, (level, values) in enumerate(shares.items()):
        values = numpy.nan_to_num(numpy.array(values, float))
        axes.bar(names, values, bottom=bottom, color=COLOURS[i], label=LEVELS[level])
        bottom += values
    axes.tick_params(axis="x", labelsize="x-small", rotation=30)


def cycles_figure(frame, name, column, label, caption):
    """Traces whose cycles are varied."""
    traces = list(dict.fromkeys(varied(frame, ratio="paper", pe=PE[0])["trace"]))
    figure, all_axes = new_figure(height=5.4, rows=2, columns=3, sharex=True)
    all_axes = all_axes.flat
    for axes, trace in zip(all_axes, traces):
        for i, scheme in enumerate(SCHEMES):
            rows = pandas.concat([varied(frame, [trace], ratio="paper", pe=cycles) for cycles in PE])
            curve(axes, rows[rows["scheme"] == scheme], "pe", column, i, scheme)
        axes.set(xlabel="P/E cycles", title=trace)
    for axes in all_axes[len(traces):]:
        axes.set_visible(False)
    all_axes[0].set_ylabel(label)
    all_axes[0].legend(fontsize="small")
    return Figure(name, caption + "." + SEEDS, figure)


OVER = {"write_us/Baseline": "write latency", "io_us/Baseline": "latency", "slc_erases/Baseline": "cache erases",
        "native_programs/Baseline": "native programs", "error_rate/Baseline": "read error rate"}


def region_figure(frame):
    """What the size of the cache does to each number."""
    ratios = [ratio for ratio in SWEPT if len(varied(frame, MSR, ratio=ratio))]
    figure, all_axes = new_figure(height=4.2, columns=2, sharey=True)
    for axes, scheme in zip(all_axes, ("MGA", "IPU")):
        for i, (column, what) in enumerate(OVER.items()):
            values, least, most = zip(*(spread(varied(frame, MSR, ratio=r), scheme, column) for r in ratios))
            axes.plot(ratios, values, color=COLOURS[i], marker=MARKERS[i], label=what)
            axes.fill_between(ratios, least, most, color=COLOURS[i], alpha=0.2, linewidth=0)
        axes.axhline(1, color="black", linewidth=0.8)
        axes.set(xlabel="cache / pages written", title=scheme)
    all_axes[0].set_ylabel("relative to the Baseline")
    all_axes[1].legend(fontsize="small")
    return Figure("region", "What the size of the cache decides: means of the MSR traces." + SEEDS, figure)


def readings_figure(frame):
    """The same numbers under each reading of what the paper leaves open."""
    readings = [r for r in READINGS if not varied(frame, MSR, reading=r).empty]
    figure, all_axes = new_figure(height=8.4, rows=3)
    for axes, (column, what) in zip(all_axes, {"io_us/Baseline": "latency", "error_rate/Baseline": "read error rate",
                                               "native_programs/Baseline": "native programs"}.items()):
        values = [[spread(varied(frame, MSR, reading=r), scheme, column) for r in readings] for scheme in SCHEMES]
        bars(axes, readings, values, SCHEMES)
        axes.axhline(1, color="black", linewidth=0.8)
        axes.set_ylabel(f"{what} / Baseline")
    all_axes[0].legend(fontsize="small", ncols=3)
    return Figure("readings", "What the paper leaves open, one at a time, MSR traces; a scheme to which a reading says nothing has no bar."
                  + SEEDS, figure)


LOADED = {"one": {}, "eight": {"load": "eight"}, "trace's\ntimes": {"load": "times"}, "ten times\nas fast": {"load": "times x 10"},
          "one, idle\ndies first": {"planes": "idle"}}
SPREAD = {"2 dies": {}, "2 dies, idle\nones first": {"planes": "idle"}, "8 dies": {"dies": 8},
          "8 dies, idle\nones first": {"dies": 8, "planes": "idle"}}


def loads_figure(frame):
    """What the paper does not say of load and drive."""
    figure, panels = new_figure(width=11, height=6.4, rows=2, columns=2, sharey="row")
    for ratio, studies, column in (("1/8", LOADED, 0), ("paper", SPREAD, 1)):
        found = {name: varied(frame, MSR, **({"ratio": ratio} | changes)) for name, changes in studies.items()}
        found = {name: rows for name, rows in found.items() if len(rows)}
        for axes, kind in zip(panels[:, column], ("write_us", "read_us")):
            values = [[spread(rows, scheme, f"{kind}/Baseline") for rows in found.values()] for scheme in SCHEMES]
            names = [f"{name}\n{mean(rows, 'Baseline', kind) / 1e3:.2f} ms" for name, rows in found.items()]
            bars(axes, names, values, SCHEMES)
            axes.axhline(1, color="black", linewidth=0.8)
            axes.tick_params(axis="x", labelsize="small")
        panels[0, column].set_title(JUDGED[ratio] + (", 2 dies" if ratio == "1/8" else ", one request at a time"))
    for axes, kind in zip(panels[:, 0], ("write", "read")):
        axes.set_ylabel(f"{kind} latency / Baseline")
    figure.legend(*panels[0, 1].get_legend_handles_labels(), fontsize="small", ncols=3, loc="outside lower center")
    return Figure("loads", "Latency under other loads and on more dies, MSR traces; below each the Baseline's. The address says on which die "
                  "a page lies unless idle dies are taken first; what is updated in its page is bound to its die in any case."
                  + SEEDS, figure)


def excerpts_figure(rows):
    figure, all_axes = new_figure(height=6.2, rows=2)
    for axes, (column, label) in zip(all_axes.flat, {"slc_erases/Baseline": "cache erases / Baseline",
                                                     "utilisation": "used subpages / all"}.items()):
        by_scheme(axes, rows, column, label, paper=False)
    all_axes[0].legend(fontsize="small", ncols=3)
    return Figure("excerpts", "Excerpts of real traces: erases of the cache, and how full collected blocks were." + SEEDS, figure)
