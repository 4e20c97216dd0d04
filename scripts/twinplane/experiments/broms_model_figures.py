"""The plots of the experiment broms: figures 4 and 5 of the paper, and what other flash would do."""

from twinplane.experiments.experiment import Figure
from twinplane.report.style import COLOURS, MARKERS, new_figure

MISPLACED = (0.0, 0.01, 0.1, 0.2, 0.3, 0.4)  # the paper's shares are in a legend that its text does not have
EXAMPLE = {0.3: 0.87, 0.5: 0.82}  # hot writes: the paper's optimum
X = "hot utilisation (hot data / hot capacity)"


def percent(share):
    return f"{100 * share:.3g} %"


def chosen(frame, part, labels):
    rows = frame[frame["part"] == part]
    for name, value in labels.items():
        rows = rows[rows[name] == value]
    return rows


def curve_of(frame, part, **labels):
    """Rows of one curve, from the lowest hot utilisation on."""
    return chosen(frame, part, labels).sort_values("hot_utilisation")


def best(frame, hot_writes, misplaced):
    """The division of the example that costs least."""
    return chosen(frame, "example", {"hot_writes": hot_writes, "misplaced": misplaced}).iloc[0]


def paper_lines(axes, hot_writes, lowest):
    axes.axvline(lowest, color="black", linewidth=0.8, linestyle=":", label=f"bound, {lowest:.4f} (paper 0.65)")
    axes.axvline(EXAMPLE[hot_writes], color="black", linewidth=0.9, linestyle="--",
                 label=f"paper's optimum, {EXAMPLE[hot_writes]}")


def cost_figure(frame):
    figure, axes = new_figure(height=4.6)
    curve, whole = (curve_of(frame, "figure 4", whole_pages=w) for w in (False, True))
    axes.plot(curve["hot_utilisation"], curve["overall_us"] / 1e3, color=COLOURS[0], label="overall")
    axes.plot(whole["hot_utilisation"], whole["overall_us"] / 1e3, color=COLOURS[1], linewidth=0.8,
              label="overall, victims' pages rounded")
    axes.plot(curve["hot_utilisation"], curve["hot_page_write_us"] / 1e3, color=COLOURS[2], linewidth=1, label="a hot page")
    axes.plot(curve["hot_utilisation"], curve["cold_page_write_us"] / 1e3, color=COLOURS[3], linewidth=1, label="a cold page")
    found = best(frame, 0.3, 0.01)
    axes.plot(found["hot_utilisation"], found["overall_us"] / 1e3, "o", color=COLOURS[0],
              label=f"least cost here, {found['hot_utilisation']:.3f}")
    paper_lines(axes, 0.3, curve["lowest_hot_utilisation"].iloc[0])
    axes.set(xlabel=X, ylabel="cost of a page write (ms)", yscale="log", title="30 % hot writes, 1 % misplaced")
    axes.legend(fontsize="small")
    return Figure("figure-4", "Figure 4: the cost of a page write over the size of the hot partition. To the left the hot "
                  "partition has almost all free blocks, to the right the cold one.", figure)


def misplaced_figure(frame):
    figure, all_axes = new_figure(height=4.6, columns=2, sharey=True)
    for axes, theta in zip(all_axes, EXAMPLE):
        for i, part in enumerate(MISPLACED):
            curve = curve_of(frame, "figure 5", hot_writes=theta, misplaced=part)
            found = best(frame, theta, part)
            axes.plot(curve["hot_utilisation"], curve["overall_us"] / 1e3, color=COLOURS[i], label=f"{percent(part)} misplaced")
            axes.plot(found["hot_utilisation"], found["overall_us"] / 1e3, MARKERS[i], color=COLOURS[i], markersize=5)
        paper_lines(axes, theta, curve["lowest_hot_utilisation"].iloc[0])
        axes.set(xlabel=X, ylim=(2, 10), title=f"{percent(theta)} hot writes")
    all_axes[0].set(ylabel="cost of a page write (ms)")
    all_axes[1].legend(fontsize="small")
    return Figure("figure-5", "Figure 5: the same with more and more misplaced data; markers are the least cost. Which shares "
                  "the paper draws is not known.", figure)


def flash_figure(frame):
    figure, all_axes = new_figure(height=4.2, columns=2, sharey=True)
    for axes, theta in zip(all_axes, EXAMPLE):
        rows = frame[(frame["part"] == "flash") & (frame["hot_writes"] == theta)]
        for i, (mean, line) in enumerate(rows.groupby("mean_us")):
            axes.plot(line["fast_us"], line["hot_utilisation"], color=COLOURS[i], marker=MARKERS[i], markersize=4,
                      label=f"mean program {mean:.0f} µs")
        axes.axhline(EXAMPLE[theta], color="black", linewidth=0.9, linestyle="--", label=f"paper, {EXAMPLE[theta]}")
        axes.set(xlabel="fast program (µs)", title=f"{percent(theta)} hot writes")
    all_axes[0].set(ylabel="hot utilisation of the least cost")
    all_axes[1].legend(fontsize="small")
    return Figure("flash", "Where the least cost is with other flash: the optimum depends on what a fast page costs beside a "
                  "mean one.", figure)


def figures(frame):
    return [cost_figure(frame), misplaced_figure(frame), flash_figure(frame)]
