"""The figures of PA-SSD's paper, from our runs."""

import numpy

from twinplane.experiments.experiment import Figure
from twinplane.experiments.pa_ssd_cases import SCHEMES, STUDIED
from twinplane.experiments.pa_ssd_claims import LONG_TERM, LOW_MS, PAPER, relative
from twinplane.experiments.pa_ssd_why import why
from twinplane.report.style import COLOURS, SEEDS, bars, curve, new_figure, of_seeds, spread_of

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
    found += why(frame)
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
            points = of_seeds(rows[rows["scheme"] == scheme], "pages", column)
            mean, off = spread_of(points.values())
            axes.errorbar(list(points), mean, off, fmt=marker, color=COLOURS[i], label=f"{name}, {scheme}")
    axes.set(xlabel="pages of a write", ylabel="share of the writes", title="Slowest page type of a write (figure 5)")
    axes.legend(fontsize="small", ncols=3)
    return Figure("dominance", "Writes by the slowest type among their pages, random planes and phases." + SEEDS,
                  figure)


def response(frame):
    rows = relative(frame)
    traces = list(dict.fromkeys(rows["trace"]))
    figure, both = new_figure(height=6.4, rows=2)
    for axes, kind, paper in zip(both, ("write", "read"), (0, 1)):
        means = of_seeds(rows, ["scheme", "trace"], kind)
        of_all = of_seeds(rows.groupby(["scheme", "seed"], as_index=False)[kind].mean(), "scheme", kind)
        values = [[*(means[s, t] for t in traces), of_all[s],
                   PAPER.get(s, (numpy.nan, numpy.nan))[paper]] for s in SCHEMES]
        bars(axes, [*traces, "mean", "paper"], values, SCHEMES)
        axes.axhline(1, color="black", linewidth=0.8)
        axes.set(ylabel=f"{kind} response / baseline", title="Response by trace (figure 9)" if paper == 0 else "")
        axes.set_ylim(0, min(2.0, max(1.1, axes.get_ylim()[1])))
    both[0].legend(fontsize="small", ncols=6)
    return Figure("response", "Mean response relative to the conventional drive; the paper prints means only." + SEEDS,
                  figure)


def shares(frame):
    rows = frame[(frame["part"] == "paper") & (frame["trace"] == "dap")]
    found = [of_seeds(rows, "scheme", t) for t in TYPES]
    figure, axes = new_figure(height=4.2)
    values = [[*shares.values(), paper] for shares, paper in zip(found, PAPER_US)]
    bars(axes, [*found[0], "paper's US"], values, ["LSB", "CSB", "MSB"])
    axes.set(ylabel="share of the writes", title="DAP: writes by slowest page type (figures 1 and 10)")
    axes.legend()
    return Figure("shares", "LSB-, CSB- and MSB-dominated writes of DAP." + SEEDS, figure)


def granted(frame):
    rows = frame[frame["part"] == "granted"]
    traces = list(dict.fromkeys(rows["trace"]))
    means = of_seeds(rows.assign(granted=100 * rows["granted"]), ["scheme", "trace"], "granted")
    figure, axes = new_figure(height=3.6)
    bars(axes, SCHEMES, [[means[s, t] for s in SCHEMES] for t in traces], traces)
    axes.axhline(98, color="black", linestyle="--", linewidth=1, label="paper: five schemes are above")
    axes.set(ylabel="pages given the wanted type (%)", title="Success of type-specified allocation (figure 11)")
    figure.legend(fontsize="small", loc="outside lower center", ncols=3)
    return Figure("granted", "16 planes with 4,000 and more writes each." + SEEDS, figure)


def distribution(frame):
    rows = frame[(frame["trace"] == "dap") & frame["part"].isin(["paper", "slc"])]
    columns = {c: float(c[4:]) for c in frame.columns if c.startswith("cdf_")}
    figure, axes = new_figure(height=4.2)
    for i, (scheme, runs) in enumerate(rows.groupby("scheme", sort=False)):
        points = runs[list(columns)].rename(columns=columns).melt(var_name="ms", value_name="share")
        slc = scheme == "SLC mode"
        curve(axes, points, "ms", "share", i, scheme, linestyle="--" if slc else "-", marker="",
              **({"color": "black"} if slc else {}))
    axes.set(xscale="log", xlabel="write response (ms, logarithmic)", ylabel="share of the writes",
             title="DAP: distribution of write response (figure 1d)")
    axes.legend(fontsize="small")
    return Figure("distribution", "SLC mode is the bound that the paper draws." + SEEDS, figure)


def over_time(frame, trace, source):
    rows = frame[frame["part"].isin(["paper", "slc"]) & (frame["trace"] == trace)]
    rows = rows[rows["scheme"].isin(["baseline", *STUDIED, "SLC mode"])]
    figure, (left, right) = new_figure(height=4.2, columns=2)
    quarters = sorted(c[:3] for c in frame.columns if c.endswith("_lsb") and c.startswith("q"))
    for i, (scheme, runs) in enumerate(rows.groupby("scheme", sort=False)):
        for axes, kind in ((left, "ms"), (right, "lsb")):
            spans = runs[[f"{q}_{kind}" for q in quarters]].set_axis(range(1, len(quarters) + 1), axis=1)
            curve(axes, spans.melt(var_name="span", value_name=kind).astype(float), "span", kind, i,
                  scheme if kind == "ms" else None, markersize=3)
    left.axhline(LOW_MS, color="black", linestyle=":", linewidth=1)
    left.set(yscale="log", xlabel="requests (24ths of the run)", ylabel="mean write response (ms, logarithmic)",
             title=f"{trace}: response over time ({source})")
    right.set(xlabel="requests (24ths of the run)", ylabel="free LSB pages", title="free LSB pages")
    left.legend(fontsize="small")
    return Figure(f"over-time-{trace}", "Mean write response and free LSB pages in 24 spans of equally many "
                  "requests; below the dotted line counts as low." + SEEDS, figure)


def swept(frame, part, axis, label, title):
    """Response over one property of the load."""
    rows = frame[frame["part"] == part]
    if part == "rate" or part == "share":
        rows = rows[rows["trace"] == "msfs"]
    rows = relative(rows, None)
    figure, (left, right) = new_figure(height=4.2, columns=2)
    rows = rows.assign(write_ms=rows["write_mean_ns"] / 1e6)
    for i, scheme in enumerate(("baseline", *STUDIED)):
        runs = rows[rows["scheme"] == scheme]
        curve(left, runs, axis, "write_ms", i, scheme)
        if scheme != "baseline":
            curve(right, runs, axis, "write", i)
    right.axhline(1, color="black", linewidth=0.8)
    left.set(yscale="log", xlabel=label, ylabel="write response (ms, logarithmic)", title=title)
    right.set(yscale="log", xlabel=label, ylabel="write response / baseline", title="relative")
    if part == "load":
        left.set_xscale("log", base=2)
        right.set_xscale("log", base=2)
    figure.legend(fontsize="small", loc="outside lower center", ncols=5)
    traces = ", ".join(dict.fromkeys(rows["trace"]))
    return Figure(part, f"Trace: {traces}." + SEEDS, figure)


def long_term(frame):
    last = of_seeds(relative(frame[frame["speed"] == 1], "long"), "scheme", "last")
    figure, axes = new_figure(height=3.6)
    bars(axes, list(LONG_TERM), [[last[s] for s in LONG_TERM], list(LONG_TERM.values())], ["here", "paper"])
    axes.set(ylabel="write response / baseline", title="Third replay of MSFS (figure 13)")
    axes.legend()
    return Figure("long-term", "Fast pages were used up in the replays before." + SEEDS, figure)


def saturated(frame):
    """The third replay at eight times the speed, where page types do not pay, with one thing at a time taken away."""
    rows = frame[(frame["part"] == "long") & (frame["speed"] == 8)]
    base = rows[rows["scheme"] == "baseline"].set_index("seed")["last_round_ms"]
    rows = rows[rows["scheme"] != "baseline"]
    last = of_seeds(rows.assign(last=rows["last_round_ms"] / rows["seed"].map(base)), ["scheme", "variant"], "last")
    figure, axes = new_figure(height=3.6)
    bars(axes, [f"{scheme}\n{variant or 'as it is'}" for scheme, variant in last], [list(last.values())], [None])
    axes.axhline(1, color="black", linewidth=0.8)
    axes.tick_params(axis="x", labelsize="small")
    axes.set(ylabel="write response / baseline", title="Third replay, arrivals of the b-model, eight times as fast")
    return Figure("saturated", "The drive is busy for long and fast pages are gone." + SEEDS, figure)


def excerpts(frame):
    rows = relative(frame, "excerpt")
    traces = list(dict.fromkeys(rows["trace"]))
    figure, both = new_figure(height=6.4, rows=2)
    for axes, kind in zip(both, ("write", "read")):
        means = of_seeds(rows, ["scheme", "trace"], kind)
        bars(axes, [t.split("_")[0] + " " + t.split("_")[1] for t in traces],
             [[means[s, t] for t in traces] for s in STUDIED], STUDIED)
        axes.axhline(1, color="black", linewidth=0.8)
        axes.set(ylabel=f"{kind} response / baseline", title="Excerpts of real traces" if kind == "write" else "")
    both[0].legend(fontsize="small", ncols=4)
    return Figure("excerpts", "Minutes of real traces, replayed on the scaled drive." + SEEDS, figure)
