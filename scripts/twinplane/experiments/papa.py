"""PAPA (MSST'20): fast pages for partial-page writes, slow ones for whole pages."""

import numpy

from twinplane.case import Case
from twinplane.experiments.experiment import Claim, Experiment, Figure
from twinplane.experiments.pa_ssd_figures import bars
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
Four planes cannot follow some of the traces in real time, so arrival times are ignored: one request at a time (light)
and eight (loaded). The bus is assumed.

The slides' runs are short: the drive is fresh, and slow pages can be left for later. What happens when they cannot is
shown by writing the drive several times over.
"""
CONFIG = str(ROOT / "platform/configs/papa.toml")
REQUESTS = {"prxy_0": 1048576, "proj": 1048582, "fin1": 5334987, "mds_0": 1048576, "hm_0": 1048498, "prn_0": 1048579,
            "tpce": 4510214, "tpcc": 6286764, "exch_papa": 766362}
BASELINE = {"ftl.policy": "conventional", "ftl.plane_allocation": "F", "ftl.pair": "off"}
SCHEMES = {"baseline": BASELINE, "LSBfirst": {"ftl.classifier": "LFS"}, "size": {"ftl.classifier": "size"}, "PAPA": {}}
DRIVE_WRITES = 4
WHY = "only the slides' means are known, not the traces' order, the load, the bus or the space"


def scale(quick):
    """Blocks per plane, pages per block, share of the drive."""
    blocks, pages = (32, 96) if quick else (64, 192)
    return blocks, pages, blocks * pages / (4096 * 384)


def case(part, trace, scheme, quick, seed, extra):
    blocks, pages, share = scale(quick)
    settings = {"geometry.blocks_per_plane": blocks, "geometry.pages_per_block": pages,
                "report.interval": "1s"} | SCHEMES[scheme] | extra
    options = ("--requests", str(max(2000, int(REQUESTS[trace] * share))))
    labels = {"part": part, "trace": trace, "scheme": scheme, "seed": seed}
    return Case(CONFIG, settings, profile=trace, options=options, seed=seed, labels=labels)


def grid(quick):
    traces = ("prxy_0", "fin1", "prn_0") if quick else tuple(REQUESTS)
    cases = []
    for seed in (1,) if quick else (1, 2, 3):
        for trace in traces:
            for scheme in SCHEMES:
                cases.append(case("light", trace, scheme, quick, seed, {"host.mode": "closed", "host.iodepth": 1}))
                cases.append(case("loaded", trace, scheme, quick, seed, {"host.mode": "closed", "host.iodepth": 8}))
    for scheme in SCHEMES:
        worn = {"host.mode": "closed", "host.iodepth": 8, "host.drive_writes": DRIVE_WRITES}
        cases.append(case("worn", "prn_0", scheme, quick, 1, worn))
    return cases


def metrics(result):
    s = result.summary
    programs = s["nand"]["programs"]["by_page_type"]
    total = sum(programs.values())
    row = standard_metrics(result) | {f"{t}_share": programs[t] / total for t in ("lsb", "csb", "msb")}
    seconds = s["time"]["simulated_ns"] / 1e9
    return row | {"mb_per_s": (s["workload"]["bytes_read"] + s["workload"]["bytes_written"]) / 1e6 / seconds,
                  "rmw_reads": s["ftl"]["rmw_reads"], "gc": s["ftl"]["gc"]["blocks_erased"],
                  "last_round_ms": s["rounds"][-1]["write_latency_mean_ns"] / 1e6}


def relative(frame):
    keys = ["part", "trace", "seed"]
    base = frame[frame["scheme"] == "baseline"].set_index(keys)[["write_mean_ns", "mb_per_s", "last_round_ms"]]
    rows = frame.join(base, on=keys, rsuffix="_base")
    return rows.assign(write=rows["write_mean_ns"] / rows["write_mean_ns_base"],
                       speed=rows["mb_per_s"] / rows["mb_per_s_base"],
                       last=rows["last_round_ms"] / rows["last_round_ms_base"])


def table(frame):
    rows = relative(frame)
    rows = rows.assign(write_ms=rows["write_mean_ns"] / 1e6)
    names = {"part": "part", "trace": "trace", "scheme": "scheme", "seed": "seed", "write_ms": "write (ms)",
             "write": "/ baseline", "mb_per_s": "MB/s", "speed": "MB/s / baseline", "lsb_share": "LSB share",
             "csb_share": "CSB share", "msb_share": "MSB share", "rmw_reads": "completing reads",
             "gc": "blocks erased", "waf": "write amplification", "last_round_ms": "last round's write (ms)"}
    return rows[list(names)].rename(columns=names)


def mean(rows, part, scheme, column):
    return rows[(rows["part"] == part) & (rows["scheme"] == scheme)][column].mean()


def claims(frame, quick):
    rows = relative(frame)
    write, speed = (numpy.mean([mean(rows, part, "PAPA", c) for part in ("light", "loaded")])
                    for c in ("write", "speed"))
    worn = mean(rows, "worn", "PAPA", "last")
    shares = [mean(rows, "loaded", "PAPA", f"{t}_share") for t in ("lsb", "csb", "msb")]
    return [
        Claim("fresh drive: PAPA's write response, baseline = 1", "PAPA, results", 0.45, write, "", 0.15, write < 1,
              WHY),
        Claim("fresh drive: PAPA's throughput, baseline = 1", "PAPA, results", 1.14, speed, "", 0.1, speed > 1,
              "throughput is of a closed loop here; in open loop it is the trace's"),
        *(Claim(f"PAPA's programs of {name} pages", "PAPA, flash writes distribution", expected, ours, "", 0.1, None, WHY)
          for name, expected, ours in zip(("LSB", "CSB", "MSB"), (0.62, 0.372, 0.008), shares)),
        Claim(f"after {DRIVE_WRITES} drive writes (prn): PAPA's write response, baseline = 1",
              "not in the slides: 1 means nothing is left of the gain", 1, worn, "", 0.2, None,
              "slow pages left for later are lost when blocks are reclaimed, or have to be written"),
        Claim("wrong data and refused flash commands", "must not happen", 0,
              int(frame[["mismatches", "violations"]].to_numpy().sum()), "", 0, required=True),
    ]


def by_trace(frame, column, name, label, paper, title):
    rows = relative(frame)
    rows = rows[rows["part"] == "loaded"]
    traces = list(dict.fromkeys(rows["trace"]))
    means = rows.groupby(["scheme", "trace"])[column].mean()
    figure, axes = new_figure(height=4.2)
    schemes = [s for s in SCHEMES if s != "baseline"]
    values = [[*(means[s, t] for t in traces), numpy.mean([means[s, t] for t in traces]),
               paper if s == "PAPA" else numpy.nan] for s in schemes]
    bars(axes, [*traces, "mean", "slides"], values, schemes)
    axes.axhline(1, color="black", linewidth=0.8)
    axes.set(ylabel=label, title=title)
    axes.legend(fontsize="small")
    return Figure(name, "Relative to the conventional drive, 8 requests outstanding, fresh drive.", figure)


def shares_figure(frame):
    rows = frame[frame["part"] == "loaded"]
    rows = rows.groupby("scheme", sort=False)[["lsb_share", "csb_share", "msb_share"]].mean()
    figure, axes = new_figure(height=4.2)
    slides = {"lsb_share": 0.62, "csb_share": 0.372, "msb_share": 0.008}
    bars(axes, [*rows.index, "PAPA, slides"], [[*rows[c], slides[c]] for c in rows.columns], ["LSB", "CSB", "MSB"])
    axes.set(ylabel="share of the programs", title="Flash writes by page type")
    axes.legend()
    return Figure("shares", "Mean over the traces, fresh drive.", figure)


def worn_figure(frame):
    rows = relative(frame)
    figure, axes = new_figure(height=4.2)
    for i, scheme in enumerate(s for s in SCHEMES if s != "baseline"):
        points = rows[(rows["scheme"] == scheme) & (rows["trace"] == "prn_0") & (rows["seed"] == 1)].set_index("part")
        axes.plot([0, DRIVE_WRITES], [points.loc["loaded", "write"], points.loc["worn", "last"]], MARKERS[i] + "-",
                  color=COLOURS[i], label=scheme)
    axes.axhline(1, color="black", linewidth=0.8, label="baseline")
    axes.set(xlabel="capacities written before", ylabel="write response / baseline", ylim=(0, None),
             title="What is left when slow pages cannot wait (prn)")
    axes.legend(fontsize="small")
    return Figure("worn", "First replay on a fresh drive, last replay after several capacities.", figure)


def figures(frame):
    return [shares_figure(frame),
            by_trace(frame, "write", "response", "write response / baseline", 0.45, "Write response"),
            by_trace(frame, "speed", "throughput", "throughput / baseline", 1.14, "Throughput"), worn_figure(frame)]


EXPERIMENT = Experiment("papa", "Fast pages for partial pages: PAPA", QUESTION, grid, table, figures, claims, metrics)
