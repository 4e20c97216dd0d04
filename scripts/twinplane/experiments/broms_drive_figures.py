"""The figures of BROMS's paper that show drives, from our runs: 1, 6, 8, 9 and 10, and what explains them."""

import json

import numpy
import pandas

from twinplane.experiments.broms_cases import HOT_WRITES
from twinplane.experiments.broms_metrics import against, of_part, over_model
from twinplane.experiments.experiment import Figure
from twinplane.experiments.why import shares, span, why_figure, with_accounts
from twinplane.report.style import COLOURS, SEEDS, bars, curve, new_figure, of_seeds, spread_of


def figures(frame):
    made = [utilisations(frame), fixed_partitions(frame), responses(frame), over_time(frame), hot_parts(frame), plain(frame)]
    if (frame["part"] == "ratio").any():
        made += [ratio(frame), reasons(frame)]
    return made + why(frame)


def why(frame):
    """Where the one plane's time went, from the steady states of ComboFTL."""
    rows = with_accounts(of_part(frame, "starts"))
    if rows.empty:
        return []

    def of(policy, *causes):
        runs = rows[rows["policy"] == policy]
        return shares(runs, *causes).groupby(runs["start"], sort=False).mean()

    work = ("program_gc", "read_gc", "erase_gc")
    finding = [f"{start} {of('ComboFTL', *work)[start]:.0f} % with ComboFTL, {of('BROMS', *work)[start]:.0f} % with BROMS"
               for start in of("BROMS", *work).index]
    finding = (f"Collection takes of its time: {'; '.join(finding)}. Transfers take {span(shares(rows, 'transfer'))}, and waits for "
               f"the core {span(shares(rows, 'core'))}: what the border saves is array time of pages that are moved.")
    panels = {start: runs for start, runs in rows.groupby("start", sort=False)}
    return [why_figure("why", f"Starts in closed loop, one plane. {finding}", panels, "policy")]


def drawn(axes, run, name, **style):
    """A column of a run's series over its time."""
    told = json.loads(run["series"])
    axes.plot(told["seconds"], [numpy.nan if v is None else v for v in told[name]], **style)


def first_seed(frame, part):
    rows = of_part(frame, part)
    return rows[rows["seed"] == 1]


def utilisations(frame):
    figure, all_axes = new_figure(height=3.8, columns=2, sharey=True)
    for axes, (_, run) in zip(all_axes, first_seed(frame, "figure 1").iterrows()):
        for i, side in enumerate(("hot", "cold")):
            drawn(axes, run, f"{side}_utilisation", color=COLOURS[i], label=f"{side} partition")
        axes.set(xlabel="time (s)", title=run["start"], ylim=(0, 1.05))
    all_axes[0].set(ylabel="data / capacity")
    all_axes[1].legend(fontsize="small")
    return Figure("figure-1", "Figure 1: utilisations with 10 % of the blocks hot for ever, profiles of the two traces on a new "
                  "drive. No fixed share fits both, nor one of them all the time. Erased blocks that are kept do not count, so a full "
                  "partition reads above 1.", figure)


def fixed_partitions(frame):
    rows = over_model(frame, "figure 6", "figure 6, model")
    figure, all_axes = new_figure(height=3.8, columns=3, sharey=True)
    for axes, (start, theta) in zip(all_axes, HOT_WRITES.items()):
        model = of_part(frame, "figure 6, model")
        model = model[model["hot_writes"] == theta].sort_values("hot_utilisation")
        axes.plot(model["hot_utilisation"], model["overall_us"] / 1e3, "--", color="black", label="model")
        runs = rows[rows["start"] == start]
        if len(runs):
            curve(axes, runs.assign(cost=runs["cost_us"] / 1e3), "point", "cost", 0, "drive")
        least = of_part(frame, "figure 6, least")
        axes.axvline(least[least["hot_writes"] == theta]["hot_utilisation"].iloc[0], color="black", linewidth=0.8, linestyle=":",
                     label="model's lowest")
        axes.set(xlabel="hot utilisation", title=f"{start}: {theta:.0%} hot writes")
    all_axes[0].set(ylabel="cost of a page write (ms)")
    all_axes[0].legend(fontsize="small")
    return Figure("figure-6", "Figure 6: fixed partitions, measured and predicted." + SEEDS, figure)


def ratio(frame):
    rows = over_model(frame, "ratio", "ratio, model")
    names = list(dict.fromkeys(rows["variant"]))
    places = ("near the lowest", "in the middle", "near the highest")
    found = {name: list(of_seeds(runs.sort_values("point"), "point", "ratio").values()) for name, runs in rows.groupby("variant")}
    values = [[found[name][i] for name in names] for i in range(3)]
    figure, axes = new_figure(height=4.8)
    bars(axes, names, values, [f"{place} hot utilisation" for place in places])
    axes.axhline(1, color="black", linewidth=0.8)
    axes.set(ylabel="measured cost / predicted", ylim=(0.7, 1.6))
    axes.tick_params(axis="x", labelrotation=30)
    axes.legend(fontsize="small")
    return Figure("ratio", "ST1: what decides how far the measured cost is above the model. Bars that leave the picture are higher: "
                  + "; ".join(f"{name} {max(mean for mean, *_ in found[name]):.2f}" for name in names
                              if max(mean for mean, *_ in found[name]) > 1.6) + "." + SEEDS, figure)


def responses(frame):
    profile = against(frame, "profile", "response_ms")
    opened = against(frame, "open", "response_ms")
    parts = [(profile, "profiles, eight requests at once"), (opened[opened["load"] == 0.8], "starts, open loop, 0.8 of capacity")]
    if (frame["part"] == "excerpt").any():
        parts.append((against(frame, "excerpt", "response_ms"), "excerpts"))
    paper = {"hm_0": 0.175, "prn_0": 0.137, "fin1": 0.893, "fin2": 0.88, "hm": 0.175, "prn": 0.137, "fin": 0.893}
    figure, all_axes = new_figure(height=3.2 * len(parts), rows=len(parts), squeeze=False)
    for axes, (rows, title) in zip(all_axes.flat, parts):
        found = of_seeds(rows, "start", "relative")
        bars(axes, list(found), [list(found.values()), [paper.get(n, numpy.nan) for n in found]], ["here", "paper"])
        axes.axhline(1, color="black", linewidth=0.8)
        axes.set(ylabel="BROMS / ComboFTL", title=title)
        axes.tick_params(axis="x", labelsize="small")
    all_axes.flat[0].legend(fontsize="small")
    return Figure("figure-8", "Figure 8: mean response, ComboFTL = 1. The paper's text has four of its sixteen numbers." + SEEDS,
                  figure)


def over_time(frame):
    rows = first_seed(frame, "figure 9")
    shown = {"response_ms": "mean response (ms)", "cold_utilisation": "utilisation", "hot_blocks": "hot blocks"}
    figure, all_axes = new_figure(height=6.4, rows=3, columns=2, sharex=True, sharey="row")
    for column, policy in enumerate(("ComboFTL", "BROMS")):
        run = rows[rows["policy"] == policy].iloc[0]
        for axes, (name, label) in zip(all_axes[:, column], shown.items()):
            drawn(axes, run, name, color=COLOURS[0], label="cold partition" if name == "cold_utilisation" else None)
            if name == "cold_utilisation":
                drawn(axes, run, "hot_utilisation", color=COLOURS[1], label="hot partition")
                axes.legend(fontsize="small")
            axes.set(ylabel=label if column == 0 else "")
        all_axes[0, column].set(title=policy, yscale="log")
        all_axes[2, column].set(xlabel="time (s)")
    return Figure("figure-9", "Figure 9: hm from a new drive on, in open loop at 0.8 of what ComboFTL can do in the end.", figure)


def hot_parts(frame):
    figure, (upper, lower) = new_figure(height=6.4, rows=2)
    for axes, part, title in ((upper, "starts", "starts"), (lower, "profile", "profiles")):
        rows = of_part(frame, part)
        rows = rows[rows["policy"].isin(["ComboFTL", "BROMS"])]
        found = of_seeds(rows.assign(hot=100 * rows["hot_blocks"]), ["policy", "start"], "hot")
        names = list(dict.fromkeys(rows["start"]))
        told = {"hm": 8.9, "prn": 6.0, "proj": 5.8, "hm_0": 8.9, "prn_0": 6.0, "proj_0": 5.8}
        bars(axes, names, [[found[policy, n] for n in names] for policy in ("ComboFTL", "BROMS")]
             + [[told.get(n, numpy.nan) for n in names]], ["ComboFTL", "BROMS", "paper's BROMS"])
        axes.set(ylabel="hot blocks (%)", title=title)
        axes.tick_params(axis="x", labelsize="small")
    upper.legend(fontsize="small")
    return Figure("figure-10", "Figure 10: how large the hot partition is in the end." + SEEDS, figure)


def plain(frame):
    rows = against(frame, "grid", "cost_us")
    figure, axes = new_figure(height=3.8)
    for i, (kind, runs) in enumerate(rows.groupby("variant", sort=False)):
        changes = of_seeds(runs, ["start", "hot_writes"], "relative")
        means, off = spread_of(changes.values())
        axes.errorbar([f"{start}\n{writes:.0%} hot" for start, writes in changes], means, off, fmt="os"[i], color=COLOURS[i],
                      label=kind)
    axes.axhline(1, color="black", linewidth=0.8)
    axes.axhline(1.02, color="black", linewidth=0.8, linestyle=":")
    axes.tick_params(axis="x", labelsize="x-small")
    axes.set(ylabel="cost, BROMS / ComboFTL", ylim=(0, 1.1))
    axes.legend(fontsize="small")
    return Figure("grid", "Plain drives by utilisations (hot / cold, with ComboFTL) and share of hot writes: never above the dotted "
                  "line, 2 % more." + SEEDS, figure)


def reasons(frame):
    found, names = {}, {}
    for name in ("hm", "prn"):
        stated = against(frame, "starts", "cost_us").query("policy == 'BROMS' and start == @name").assign(variant="as in figure 8")
        rows = pandas.concat([stated, against(frame, "reasons", "cost_us").query("start == @name")])
        changes = of_seeds(rows.assign(change=100 * (rows["relative"] - 1)), "variant", "change")
        found[name], names = list(changes.values()), list(changes)
    figure, axes = new_figure(height=4.4)
    bars(axes, names, list(found.values()), list(found))
    axes.tick_params(axis="x", labelrotation=25)
    axes.set(ylabel="cost, ComboFTL = 0 (%)")
    axes.legend(fontsize="small")
    return Figure("reasons", "What decides how much BROMS gains from hm and prn, one thing changed at a time." + SEEDS, figure)
