"""The figures of PA-SSD's paper, from our runs."""

import numpy

from twinplane.experiments.experiment import Figure
from twinplane.experiments.pa_ssd_cases import SCHEMES, STUDIED
from twinplane.experiments.pa_ssd_claims import LOW_MS, PAPER, relative
from twinplane.report.style import COLOURS, MARKERS, new_figure

TYPES = ("lsb_writes", "csb_writes", "msb_writes")
PAPER_US = (0.34, 0.33, 0.33)  # figure 10, DAP


def figures(frame):
    found = [dominance(frame), response(frame), shares(frame), granted(frame), distribution(frame),
             over_time(frame, "dap", "figure 1c"), over_time(frame, "fin1", "figure 12a"),
             over_time(frame, "msfs", "figure 12b"), long_term(frame),
             swept(frame, "share", "share", "share of the requests in bursts", "Which share of bursts?")]
    if (frame["part"] == "rate").any():
        found += [swept(frame, "rate", "burst_rate", "requests/s inside bursts", "How intense may bursts be?"),
                  swept(frame, "load", "speed", "speed of the replay", "Arrivals of the b-model, replayed faster"),
                  saturated(frame)]
    return found + ([excerpts(frame)] if (frame["part"] == "excerpt").any() else [])


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
    rows = relative(frame)
    traces = list(dict.fromkeys(rows["trace"]))
    figure, both = new_figure(height=6.4, rows=2)
    for axes, kind, paper in zip(both, ("write", "read"), (0, 1)):
        means = rows.groupby(["scheme", "trace"])[kind].mean()
        values = [[*(means[s, t] for t in traces), numpy.mean([means[s, t] for t in traces]),
                   PAPER.get(s, (numpy.nan, numpy.nan))[paper]] for s in SCHEMES]
        bars(axes, [*traces, "mean", "paper"], values, SCHEMES)
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
    rows = frame[frame["part"] == "granted"]
    traces = list(dict.fromkeys(rows["trace"]))
    means = 100 * rows.groupby(["scheme", "trace"])["granted"].mean()
    figure, axes = new_figure(height=3.6)
    bars(axes, SCHEMES, [[means[s, t] for s in SCHEMES] for t in traces], traces)
    axes.axhline(98, color="black", linestyle="--", linewidth=1, label="paper: five schemes are above")
    axes.set(ylabel="pages given the wanted type (%)", title="Success of type-specified allocation (figure 11)")
    figure.legend(fontsize="small", loc="outside lower center", ncols=3)
    return Figure("granted", "16 planes with 4,000 and more writes each.", figure)


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


def over_time(frame, trace, source):
    rows = frame[frame["part"].isin(["paper", "slc"]) & (frame["trace"] == trace) & (frame["seed"] == 1)]
    rows = rows[rows["scheme"].isin(["baseline", *STUDIED, "SLC mode"])]
    figure, (left, right) = new_figure(height=4.2, columns=2)
    quarters = sorted(c[:3] for c in frame.columns if c.endswith("_lsb") and c.startswith("q"))
    for i, (_, row) in enumerate(rows.iterrows()):
        left.plot(range(1, len(quarters) + 1), [row[f"{q}_ms"] for q in quarters], MARKERS[i] + "-", markersize=3,
                  color=COLOURS[i], label=row["scheme"])
        right.plot(range(1, len(quarters) + 1), [row[f"{q}_lsb"] for q in quarters], MARKERS[i] + "-", markersize=3,
                   color=COLOURS[i])
    left.axhline(LOW_MS, color="black", linestyle=":", linewidth=1)
    left.set(yscale="log", xlabel="requests (24ths of the run)", ylabel="mean write response (ms, logarithmic)",
             title=f"{trace}: response over time ({source})")
    right.set(xlabel="requests (24ths of the run)", ylabel="free LSB pages", title="free LSB pages")
    left.legend(fontsize="small")
    return Figure(f"over-time-{trace}", "Mean write response and free LSB pages in 24 spans of equally many "
                  "requests; below the dotted line counts as low.", figure)


def swept(frame, part, axis, label, title):
    """Response over one property of the load."""
    rows = frame[frame["part"] == part]
    if part == "rate" or part == "share":
        rows = rows[rows["trace"] == "msfs"]
    rows = relative(rows, None)
    figure, (left, right) = new_figure(height=4.2, columns=2)
    for i, scheme in enumerate(("baseline", *STUDIED)):
        means = rows[rows["scheme"] == scheme].groupby(axis)[["write", "write_mean_ns"]].mean()
        left.plot(means.index, means["write_mean_ns"] / 1e6, MARKERS[i] + "-", color=COLOURS[i], label=scheme)
        if scheme != "baseline":
            right.plot(means.index, means["write"], MARKERS[i] + "-", color=COLOURS[i])
    right.axhline(1, color="black", linewidth=0.8)
    left.set(yscale="log", xlabel=label, ylabel="write response (ms, logarithmic)", title=title)
    right.set(yscale="log", xlabel=label, ylabel="write response / baseline", title="relative")
    if part == "load":
        left.set_xscale("log", base=2)
        right.set_xscale("log", base=2)
    figure.legend(fontsize="small", loc="outside lower center", ncols=5)
    traces = ", ".join(dict.fromkeys(rows["trace"]))
    return Figure(part, f"Mean of {traces}; one seed.", figure)


def long_term(frame):
    rows = relative(frame[frame["speed"] == 1], "long").groupby("scheme")["last"].mean()
    names = ["LFS", "QDS+US", "QDS+UBS"]
    figure, axes = new_figure(height=3.6)
    bars(axes, names, [[rows[n] for n in names], [0.34, 0.21, 0.07]], ["here", "paper"])
    axes.set(ylabel="write response / baseline", title="Third replay of MSFS (figure 13)")
    axes.legend()
    return Figure("long-term", "Fast pages were used up in the replays before.", figure)


def saturated(frame):
    """The third replay at eight times the speed, where page types do not pay, with one thing at a time taken away."""
    rows = frame[(frame["part"] == "long") & (frame["speed"] == 8)]
    base = rows[rows["scheme"] == "baseline"]["last_round_ms"].mean()
    rows = rows[rows["scheme"] != "baseline"]
    rows = rows.assign(last=rows["last_round_ms"] / base)
    names = [f"{row['scheme']}\n{row['variant'] or 'as it is'}" for _, row in rows.iterrows()]
    figure, axes = new_figure(height=3.6)
    axes.bar(names, rows["last"], color=COLOURS[0])
    axes.axhline(1, color="black", linewidth=0.8)
    axes.tick_params(axis="x", labelsize="small")
    axes.set(ylabel="write response / baseline", title="Third replay, arrivals of the b-model, eight times as fast")
    return Figure("saturated", "The drive is busy for long and fast pages are gone.", figure)


def excerpts(frame):
    rows = relative(frame, "excerpt")
    traces = list(dict.fromkeys(rows["trace"]))
    means = rows.groupby(["scheme", "trace"])[["write", "read"]].mean()
    figure, both = new_figure(height=6.4, rows=2)
    for axes, kind in zip(both, ("write", "read")):
        bars(axes, [t.split("_")[0] + " " + t.split("_")[1] for t in traces],
             [[means.loc[(s, t), kind] for t in traces] for s in STUDIED], STUDIED)
        axes.axhline(1, color="black", linewidth=0.8)
        axes.set(ylabel=f"{kind} response / baseline", title="Excerpts of real traces" if kind == "write" else "")
    both[0].legend(fontsize="small", ncols=4)
    return Figure("excerpts", "Minutes of real traces, replayed on the scaled drive.", figure)
