"""PAPA (MSST'20): fast pages for partial-page writes, slow ones for whole pages."""

import numpy

from twinplane.case import Case
from twinplane.experiments.experiment import Claim, Experiment, Figure
from twinplane.experiments.pa_ssd_figures import bars
from twinplane.experiments.papers import ASSUMED, CONVENTIONAL, PAPA
from twinplane.program import ROOT
from twinplane.report.style import COLOURS, MARKERS, new_figure
from twinplane.result import standard_metrics

QUESTION = """\
An update of part of a page reads the old page, merges and programs a new one: slow reads and slow programs cost
twice. PAPA gives partial pages LSB pages (else CSB) and whole pages MSB pages (else CSB), under the relaxed program
order. What does it gain over the conventional order, and over giving fast pages to everybody (LSBfirst) or to small
requests?

Only slides of the paper exist. The drive is theirs (four planes, 16 KiB pages, 4 KiB sectors), scaled with the number
of requests so that the share of the drive that is written stays; the traces are profiles with the slides' statistics.
The slides do not say how requests arrive, so three ways are shown: one request at a time (light), eight (loaded), and
at the traces' own times, as they are and faster (timed). Four planes cannot follow some of the traces; only there can
throughput grow in timed runs. The bus is assumed.

The slides' runs are short: the drive is fresh, and slow pages can be left for later. What happens when they cannot is
shown by writing the drive four times over.
"""
CONFIG = (ASSUMED, str(ROOT / "platform/configs/papa.toml"))
REQUESTS = {"prxy_0": 1048576, "proj": 1048582, "fin1": 5334987, "mds_0": 1048576, "hm_0": 1048498, "prn_0": 1048579,
            "tpce": 4510214, "tpcc": 6286764, "exch_papa": 766362}
SCHEMES = {"baseline": CONVENTIONAL, "LSBfirst": PAPA | {"ftl.classifier": "LFS"},
           "size": PAPA | {"ftl.classifier": "size"}, "PAPA": PAPA}
DRIVE_WRITES = 4
WORN = ("prn_0", "prxy_0", "tpce")  # small, tiny and large writes
SPEEDS = (1, 2, 4)  # of the traces' times
WHY = "only the slides' means are known, not the traces' order, the load, the bus or the space"


def scale(quick):
    """Blocks per plane, pages per block, share of the drive."""
    blocks, pages = (32, 96) if quick else (64, 192)
    return blocks, pages, blocks * pages / (4096 * 384)


def case(part, trace, scheme, quick, seed, extra, speed=0):
    blocks, pages, share = scale(quick)
    settings = {"geometry.blocks_per_plane": blocks, "geometry.pages_per_block": pages,
                "report.interval": "1s"} | SCHEMES[scheme] | extra
    options = ("--requests", str(max(2000, int(REQUESTS[trace] * share))))
    options += ("--time-scale", str(1 / speed)) if speed else ()
    labels = {"part": part, "trace": trace, "scheme": scheme, "speed": speed, "seed": seed}
    return Case(CONFIG, settings, profile=trace, options=options, seed=seed, labels=labels)


def grid(quick):
    traces = ("prxy_0", "fin1", "prn_0") if quick else tuple(REQUESTS)
    cases = []
    for seed in (1,) if quick else (1, 2, 3):
        for trace in traces:
            for scheme in SCHEMES:
                cases.append(case("light", trace, scheme, quick, seed, {"host.mode": "closed", "host.iodepth": 1}))
                cases.append(case("loaded", trace, scheme, quick, seed, {"host.mode": "closed", "host.iodepth": 8}))
    cases += [case("timed", trace, scheme, quick, 1, {"host.mode": "open"}, speed) for trace in traces
              for scheme in SCHEMES for speed in (SPEEDS[:1] if quick else SPEEDS)]
    for trace in WORN[:1] if quick else WORN:
        for scheme in SCHEMES:
            worn = {"host.mode": "closed", "host.iodepth": 8, "host.drive_writes": DRIVE_WRITES}
            cases.append(case("worn", trace, scheme, quick, 1, worn))
    return cases


def metrics(result):
    s = result.summary
    programs = s["nand"]["programs"]["by_page_type"]
    total = sum(programs.values())
    row = standard_metrics(result) | {f"{t}_share": programs[t] / total for t in ("lsb", "csb", "msb")}
    seconds = s["time"]["simulated_ns"] / 1e9
    return row | {"programs": total, "mb_per_s": (s["workload"]["bytes_read"] + s["workload"]["bytes_written"]) / 1e6 / seconds,
                  "rmw_reads": s["ftl"]["rmw_reads"], "gc": s["ftl"]["gc"]["blocks_erased"],
                  "last_round_ms": s["rounds"][-1]["write_latency_mean_ns"] / 1e6}


def relative(frame):
    keys = ["part", "trace", "speed", "seed"]
    base = frame[frame["scheme"] == "baseline"].set_index(keys)[["write_mean_ns", "mb_per_s", "last_round_ms"]]
    rows = frame.join(base, on=keys, rsuffix="_base")
    return rows.assign(write=rows["write_mean_ns"] / rows["write_mean_ns_base"],
                       speed_up=rows["mb_per_s"] / rows["mb_per_s_base"],
                       last=rows["last_round_ms"] / rows["last_round_ms_base"])


def table(frame):
    rows = relative(frame)
    rows = rows.assign(write_ms=rows["write_mean_ns"] / 1e6)
    names = {"part": "part", "trace": "trace", "speed": "speed", "scheme": "scheme", "seed": "seed", "write_ms": "write (ms)",
             "write": "/ baseline", "mb_per_s": "MB/s", "speed_up": "MB/s / baseline", "lsb_share": "LSB share",
             "csb_share": "CSB share", "msb_share": "MSB share", "rmw_reads": "completing reads",
             "gc": "blocks erased", "waf": "write amplification", "last_round_ms": "last round's write (ms)"}
    return rows[list(names)].rename(columns=names)


def mean(rows, part, scheme, column):
    return rows[(rows["part"] == part) & (rows["scheme"] == scheme)][column].mean()


def claims(frame, quick):
    rows = relative(frame)
    write = {part: mean(rows, part, "PAPA", "write") for part in ("light", "loaded", "timed")}
    timed = rows[(rows["part"] == "timed") & (rows["scheme"] == "PAPA")].groupby("speed")["speed_up"].mean()
    programs = rows[(rows["part"] == "light") & (rows["scheme"] == "PAPA")]
    shares = [numpy.average(programs[f"{t}_share"], weights=programs["programs"]) for t in ("lsb", "csb", "msb")]
    return [
        Claim("fresh drive, light: PAPA's write response, baseline = 1", "PAPA, results", 0.45, write["light"], "", 0.15,
              write["light"] < 1, WHY),
        Claim("fresh drive, light: PAPA's write response is 0.4 to 0.6 of the baseline's", "the range round the slides'", 1,
              float(0.4 <= write["light"] <= 0.6), "", 0, why=f"{write['light']:.3f}"),
        Claim("fresh drive, loaded: PAPA's write response, baseline = 1", "PAPA, results", 0.45, write["loaded"], "",
              0.15, write["loaded"] < 1, "eight requests wait for each other's programs: faster programs count twice"),
        Claim("fresh drive, timed: PAPA's write response, baseline = 1", "PAPA, results", 0.45, write["timed"], "", 0.15,
              write["timed"] < 1, "bursts of the traces wait for each other's programs"),
        Claim("fresh drive: PAPA's throughput, baseline = 1, at the traces' times", "PAPA, results", 1.14,
              timed.iloc[0], "", 0.05, timed.iloc[0] > 1,
              "only traces that four planes cannot follow can gain; at "
              + ", ".join(f"{s} times the rate {v:.2f}" for s, v in timed.iloc[1:].items())),
        *(Claim(f"PAPA's programs of {name} pages", "PAPA, flash writes distribution", expected, ours, "", 0.1, None, why)
          for name, expected, ours, why in zip(
              ("LSB", "CSB", "MSB"), (0.62, 0.372, 0.008), shares,
              (WHY, "together with MSB pages it is the slides' share: whole pages",
               "once CSB pages are two wordlines ahead, every other whole page finds an MSB page, as the slides' rule "
               "wants; the slides' share of 0.8 % is that of a drive where it hardly ever does"))),
        *(Claim(f"after {DRIVE_WRITES} drive writes ({trace}): PAPA's write response, baseline = 1",
                "not in the slides: 1 means nothing is left of the gain", 1, worn, "", 0.2, None,
                "slow pages left for later are lost when blocks are reclaimed, or have to be written")
          for trace, worn in rows[(rows["part"] == "worn") & (rows["scheme"] == "PAPA")].groupby("trace")["last"].mean()
          .items()),
        Claim("wrong data and refused flash commands", "must not happen", 0,
              int(frame[["mismatches", "violations"]].to_numpy().sum()), "", 0, required=True),
    ]


def by_trace(frame, column, name, label, paper, title):
    rows = relative(frame)
    figure, all_axes = new_figure(height=8.4, rows=3)
    for axes, part, words in zip(all_axes, ("light", "loaded", "timed"),
                                 ("one request at a time", "eight requests", "at the traces' times")):
        chosen = rows[(rows["part"] == part) & (rows["speed"] <= 1)]
        traces = list(dict.fromkeys(chosen["trace"]))
        means = chosen.groupby(["scheme", "trace"])[column].mean()
        schemes = [s for s in SCHEMES if s != "baseline"]
        values = [[*(means[s, t] for t in traces), numpy.mean([means[s, t] for t in traces]),
                   paper if s == "PAPA" else numpy.nan] for s in schemes]
        bars(axes, [*traces, "mean", "slides"], values, schemes)
        axes.axhline(1, color="black", linewidth=0.8)
        axes.set(ylabel=label, title=f"{title}: {words}")
    all_axes[0].legend(fontsize="small")
    return Figure(name, "Relative to the conventional drive, fresh drive.", figure)


def shares_figure(frame):
    rows = frame[frame["part"] == "light"]
    pages = rows[["lsb_share", "csb_share", "msb_share"]].mul(rows["programs"], axis=0)
    pages = pages.groupby(rows["scheme"], sort=False).sum()
    rows = pages.div(pages.sum(axis=1), axis=0)
    figure, axes = new_figure(height=4.2)
    slides = {"lsb_share": 0.62, "csb_share": 0.372, "msb_share": 0.008}
    bars(axes, [*rows.index, "PAPA, slides"], [[*rows[c], slides[c]] for c in rows.columns], ["LSB", "CSB", "MSB"])
    axes.set(ylabel="share of the programs", title="Flash writes by page type")
    axes.legend()
    return Figure("shares", "All programs of all traces together, fresh drive.", figure)


def worn_figure(frame):
    rows = relative(frame)
    traces = list(dict.fromkeys(rows[rows["part"] == "worn"]["trace"]))
    figure, columns = new_figure(height=4.2, columns=max(2, len(traces)))
    for axes, trace in zip(columns, traces):
        for i, scheme in enumerate(s for s in SCHEMES if s != "baseline"):
            points = rows[(rows["scheme"] == scheme) & (rows["trace"] == trace)].groupby("part")[["write", "last"]].mean()
            axes.plot([0, DRIVE_WRITES], [points.loc["loaded", "write"], points.loc["worn", "last"]], MARKERS[i] + "-",
                      color=COLOURS[i], label=scheme)
        axes.axhline(1, color="black", linewidth=0.8, label="baseline")
        axes.set(xlabel="capacities written before", ylim=(0, 1.5), title=trace)
    for axes in columns[len(traces):]:
        axes.set_visible(False)
    columns[0].set(ylabel="write response / baseline")
    columns[0].legend(fontsize="small")
    return Figure("worn", "First replay on a fresh drive, last replay after several capacities: slow pages cannot wait "
                  "for ever.", figure)


def figures(frame):
    return [shares_figure(frame),
            by_trace(frame, "write", "response", "write response / baseline", 0.45, "Write response"),
            by_trace(frame, "speed_up", "throughput", "throughput / baseline", 1.14, "Throughput"), worn_figure(frame)]


EXPERIMENT = Experiment("papa", "Fast pages for partial pages: PAPA", QUESTION, grid, table, figures, claims, metrics,
                        paper="PAPA, MSST 2020")
