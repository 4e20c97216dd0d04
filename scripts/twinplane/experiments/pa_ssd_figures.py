"""The figures of PA-SSD's paper, from our runs."""

import numpy

from twinplane.experiments.experiment import Figure
from twinplane.report.style import COLOURS, MARKERS, new_figure

TYPES = ("lsb_writes", "csb_writes", "msb_writes")
PAPER_US = (0.34, 0.33, 0.33)  # figure 10, DAP


def figures(frame):
    return [dominance(frame), response(frame), shares(frame), granted(frame), distribution(frame),
            over_time(frame, "fin1"), over_time(frame, "msfs"), load(frame), long_term(frame)]


def dominance(frame):
    rows = frame[frame["part"] == "dominance"]
    figure, axes = new_figure(height=4.2)
    n = numpy.linspace(1, 8, 50)
    laws = ((1 / 3) ** n, (2 / 3) ** n - (1 / 3) ** n, 1 - (2 / 3) ** n)
    for i, (column, law) in enumerate(zip(TYPES, laws)):
        name = column[:3].upper()
        axes.plot(n, law, "-", color=COLOURS[i], label=f"{name}, independent types")
        for scheme, marker in (("baseline", "o"), ("US", "x")):
            points = rows[rows["scheme"] == scheme]
            axes.plot(points["pages"], points[column], marker, color=COLOURS[i], label=f"{name}, {scheme}")
    axes.set(xlabel="pages of a write", ylabel="share of the writes", title="Slowest page type of a write (figure 5)")
    axes.legend(fontsize="small", ncols=3)
    return Figure("dominance", "Writes by the slowest type among their pages, random planes and phases.", figure)


def bars(axes, names, values, labels):
    width = 0.8 / len(values)
    for i, (label, heights) in enumerate(zip(labels, values)):
        axes.bar(numpy.arange(len(names)) + (i - (len(values) - 1) / 2) * width, heights, width, label=label,
                 color=COLOURS[i % len(COLOURS)])
    axes.set_xticks(range(len(names)), names)


def response(frame):
    from twinplane.experiments.pa_ssd import PAPER, SCHEMES, relative
    rows = relative(frame)
    traces = list(dict.fromkeys(rows["trace"]))
    figure, both = new_figure(height=6.4, rows=2)
    for axes, kind, paper in zip(both, ("write", "read"), (0, 1)):
        means = rows.groupby(["scheme", "trace"])[kind].mean()
        values = [[*(means[s, t] for t in traces), numpy.mean([means[s, t] for t in traces]),
                   PAPER.get(s, (numpy.nan, numpy.nan))[paper]] for s in SCHEMES]
        bars(axes, [*traces, "mean", "paper's mean"], values, SCHEMES)
        axes.axhline(1, color="black", linewidth=0.8)
        axes.set(ylabel=f"{kind} response / baseline", title="Response by trace (figure 9)" if paper == 0 else "")
        axes.set_ylim(0, min(2.0, max(1.1, axes.get_ylim()[1])))
    both[0].legend(fontsize="small", ncols=6)
    return Figure("response", "Mean response relative to the conventional drive; the paper prints means only.", figure)


def shares(frame):
    rows = frame[(frame["part"] == "paper") & (frame["trace"] == "dap")]
    rows = rows.groupby("scheme", sort=False)[list(TYPES)].mean()
    figure, axes = new_figure(height=4.2)
    values = [[*rows[t], paper] for t, paper in zip(TYPES, PAPER_US)]
    bars(axes, [*rows.index, "paper's US"], values, ["LSB", "CSB", "MSB"])
    axes.set(ylabel="share of the writes", title="DAP: writes by slowest page type (figures 1 and 10)")
    axes.legend()
    return Figure("shares", "LSB-, CSB- and MSB-dominated writes of DAP.", figure)


def granted(frame):
    rows = frame[(frame["part"] == "paper") & frame["granted"].notna()]
    means = 100 * rows.groupby("scheme", sort=False)["granted"].mean()
    figure, axes = new_figure(height=3.6)
    axes.bar(means.index, means, color=COLOURS[0])
    axes.axhline(98, color="black", linestyle="--", linewidth=1, label="paper: five schemes are above")
    axes.set(ylabel="pages given the wanted type (%)", title="Success of type-specified allocation (figure 11)")
    axes.legend()
    return Figure("granted", "Mean over the traces.", figure)


def distribution(frame):
    rows = frame[(frame["trace"] == "dap") & frame["part"].isin(["paper", "slc"]) & (frame["seed"] == 1)]
    columns = [c for c in frame.columns if c.startswith("cdf_")]
    figure, axes = new_figure(height=4.2)
    for i, (_, row) in enumerate(rows.iterrows()):
        axes.plot([float(c[4:]) for c in columns], row[columns], linestyle="--" if row["scheme"] == "SLC mode" else "-",
                  color="black" if row["scheme"] == "SLC mode" else COLOURS[i], label=row["scheme"])
    axes.set(xscale="log", xlabel="write response (ms, logarithmic)", ylabel="share of the writes",
             title="DAP: distribution of write response (figure 1d)")
    axes.legend(fontsize="small")
    return Figure("distribution", "SLC mode is the bound that the paper draws.", figure)


def over_time(frame, trace):
    rows = frame[(frame["part"] == "paper") & (frame["trace"] == trace) & (frame["seed"] == 1)]
    rows = rows[rows["scheme"].isin(["baseline", "US", "LFS", "QDS+US", "QDS+UBS"])]
    figure, (left, right) = new_figure(height=4.2, columns=2)
    quarters = sorted(c[:3] for c in frame.columns if c.endswith("_lsb") and c.startswith("q"))
    for i, (_, row) in enumerate(rows.iterrows()):
        left.plot(range(1, len(quarters) + 1), [row[f"{q}_ms"] for q in quarters], MARKERS[i] + "-", markersize=3,
                  color=COLOURS[i], label=row["scheme"])
        right.plot(range(1, len(quarters) + 1), [row[f"{q}_lsb"] for q in quarters], MARKERS[i] + "-", markersize=3,
                   color=COLOURS[i])
    left.set(yscale="log", xlabel="time (24ths of the run)", ylabel="mean write response (ms, logarithmic)",
             title=f"{trace}: response over time (figure 12)")
    right.set(xlabel="time (24ths of the run)", ylabel="free LSB pages", title="free LSB pages")
    left.legend(fontsize="small")
    return Figure(f"over-time-{trace}", "Mean write response and free LSB pages in 24 equal spans.", figure)


def load(frame):
    from twinplane.experiments.pa_ssd import HEAVY, relative
    rows = relative(frame[frame["part"].isin(["paper", "load"]) & frame["trace"].isin(HEAVY)], None)
    figure, axes = new_figure(height=4.2)
    schemes = ["US", "LFS", "QDS+US", "QDS+UBS"]
    for i, scheme in enumerate(schemes):
        means = rows[rows["scheme"] == scheme].groupby("speed")["write"].mean()
        axes.plot(means.index, means, MARKERS[i] + "-", color=COLOURS[i], label=scheme)
    axes.axhline(1, color="black", linewidth=0.8, label="baseline")
    axes.set_xscale("log", base=2)
    axes.set(yscale="log", xlabel="rate of the heavy traces / assumed rate", ylabel="write response / baseline",
             title="Where each scheme pays: response over load")
    axes.legend(fontsize="small")
    return Figure("load", "Mean of the heavy traces (MSFS, BS), replayed at higher rates.", figure)


def long_term(frame):
    rows = frame[frame["part"] == "long"].set_index("scheme")["last_round_ms"]
    names = ["LFS", "QDS+US", "QDS+UBS"]
    figure, axes = new_figure(height=3.6)
    bars(axes, names, [[rows[n] / rows["baseline"] for n in names], [0.34, 0.21, 0.07]], ["here", "paper"])
    axes.set(ylabel="write response / baseline", title="Third replay of MSFS (figure 13)")
    axes.legend()
    return Figure("long-term", "Fast pages were used up in the replays before.", figure)
