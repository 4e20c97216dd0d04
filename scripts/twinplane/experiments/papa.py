"""PAPA (MSST'20): fast pages for partial-page writes, slow ones for whole pages."""

import numpy
import pandas

from twinplane.case import Case
from twinplane.experiments.experiment import Claim, Experiment, Figure, Range, nothing_wrong
from twinplane.experiments.papers import ASSUMED, CONVENTIONAL, PAPA
from twinplane.program import ROOT
from twinplane.report.style import SEEDS, bars, curve, new_figure, of_seeds
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
    closed = {"host.mode": "closed", "host.iodepth": 8}
    cases = []
    for seed in (1,) if quick else (1, 2, 3):
        for trace in traces:
            for scheme in SCHEMES:
                cases.append(case("light", trace, scheme, quick, seed, closed | {"host.iodepth": 1}))
                cases.append(case("loaded", trace, scheme, quick, seed, closed))
                cases += [case("timed", trace, scheme, quick, seed, {"host.mode": "open"}, speed)
                          for speed in (SPEEDS[:1] if quick else SPEEDS)]
        for trace in WORN[:1] if quick else WORN:
            for scheme in SCHEMES:
                cases.append(case("worn", trace, scheme, quick, seed, closed | {"host.drive_writes": DRIVE_WRITES}))
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


SLIDES = "PAPA, slide of performance: 55 % less"
SHARES = {"LSB": (0.62, "62 %"), "CSB": (0.372, "37.2 %"), "MSB": (0.008, "what is left of LSB and CSB")}


def claims(frame, quick):
    rows = relative(frame)
    return [*response_claims(rows), *share_claims(rows), *worn_claims(rows), nothing_wrong(frame)]


def response_claims(rows):
    write = {part: mean(rows, part, "PAPA", "write") for part in ("light", "loaded", "timed")}
    timed = rows[(rows["part"] == "timed") & (rows["scheme"] == "PAPA")].groupby("speed")["speed_up"].mean()
    why = {"light": WHY, "loaded": "eight requests wait for each other's programs: faster programs count twice",
           "timed": "bursts of the traces wait for each other's programs"}
    return [*(Claim(f"fresh drive, {part}: PAPA's write response, baseline = 1", SLIDES, 0.45, ours, tolerance=0.15,
                    neutral=1, why=why[part]) for part, ours in write.items()),
            Claim("fresh drive: PAPA's throughput, baseline = 1, at the traces' times",
                  "PAPA, slide of performance: 14 % more", 1.14, timed.iloc[0], tolerance=0.05, neutral=1,
                  why="only traces that four planes cannot follow can gain; at "
                  + ", ".join(f"{s} times the rate {v:.2f}" for s, v in timed.iloc[1:].items())),
            Claim("fresh drive, light: PAPA's write response, baseline = 1", "near the slides' 0.45, whose load is not known",
                  Range(0.4, 0.6), write["light"], own=True)]


def share_claims(rows):
    programs = rows[(rows["part"] == "light") & (rows["scheme"] == "PAPA")]
    why = {"LSB": WHY, "CSB": "together with MSB pages it is the slides' share: whole pages",
           "MSB": "once CSB pages are two wordlines ahead, every other whole page finds an MSB page, as the slides' rule "
                  "wants; the slides' share of 0.8 % is that of a drive where it hardly ever does"}
    return [Claim(f"PAPA's programs of {name} pages", f"PAPA, slide of flash writes distribution: {says}", expected,
                  numpy.average(programs[f"{name.lower()}_share"], weights=programs["programs"]), tolerance=0.1,
                  why=why[name]) for name, (expected, says) in SHARES.items()]


def worn_claims(rows):
    worn = rows[(rows["part"] == "worn") & (rows["scheme"] == "PAPA")].groupby("trace")["last"].mean()
    return [Claim(f"after {DRIVE_WRITES} drive writes ({trace}): PAPA's write response, baseline = 1", "nothing is left of "
                  "the gain: slow pages left for later are lost when blocks are reclaimed, or have to be written", 1, last,
                  tolerance=0.2, own=True) for trace, last in worn.items()]


def by_trace(frame, column, name, label, paper, title):
    rows = relative(frame)
    figure, all_axes = new_figure(height=8.4, rows=3)
    for axes, part, words in zip(all_axes, ("light", "loaded", "timed"),
                                 ("one request at a time", "eight requests", "at the traces' times")):
        chosen = rows[(rows["part"] == part) & (rows["speed"] <= 1)]
        traces = list(dict.fromkeys(chosen["trace"]))
        means = of_seeds(chosen, ["scheme", "trace"], column)
        of_all = of_seeds(chosen.groupby(["scheme", "seed"], as_index=False)[column].mean(), "scheme", column)
        schemes = [s for s in SCHEMES if s != "baseline"]
        values = [[*(means[s, t] for t in traces), of_all[s],
                   paper if s == "PAPA" else numpy.nan] for s in schemes]
        bars(axes, [*traces, "mean", "slides"], values, schemes)
        axes.axhline(1, color="black", linewidth=0.8)
        axes.set(ylabel=label, title=f"{title}: {words}")
    all_axes[0].legend(fontsize="small")
    return Figure(name, "Relative to the conventional drive, fresh drive." + SEEDS, figure)


def shares_figure(frame):
    rows = frame[frame["part"] == "light"]
    pages = rows[["lsb_share", "csb_share", "msb_share"]].mul(rows["programs"], axis=0)
    pages = pages.groupby([rows["scheme"], rows["seed"]], sort=False).sum()
    rows = pages.div(pages.sum(axis=1), axis=0).reset_index()
    figure, axes = new_figure(height=4.2)
    found = {name: of_seeds(rows, "scheme", f"{name.lower()}_share") for name in SHARES}
    bars(axes, [*found["LSB"], "PAPA, slides"], [[*shares.values(), SHARES[name][0]] for name, shares in found.items()],
         list(found))
    axes.set(ylabel="share of the programs", title="Flash writes by page type")
    axes.legend()
    return Figure("shares", "All programs of all traces together, fresh drive." + SEEDS, figure)


def worn_figure(frame):
    rows = relative(frame)
    first, last = rows[rows["part"] == "loaded"], rows[rows["part"] == "worn"]
    both = pandas.concat([first.assign(written=0, response=first["write"]),
                          last.assign(written=DRIVE_WRITES, response=last["last"])])
    traces = list(dict.fromkeys(last["trace"]))
    figure, columns = new_figure(height=4.2, columns=max(2, len(traces)))
    for axes, trace in zip(columns, traces):
        for i, scheme in enumerate(s for s in SCHEMES if s != "baseline"):
            curve(axes, both[(both["scheme"] == scheme) & (both["trace"] == trace)], "written", "response", i, scheme)
        axes.axhline(1, color="black", linewidth=0.8, label="baseline")
        axes.set(xlabel="capacities written before", ylim=(0, 1.5), title=trace)
    for axes in columns[len(traces):]:
        axes.set_visible(False)
    columns[0].set(ylabel="write response / baseline")
    columns[0].legend(fontsize="small")
    return Figure("worn", "First replay on a fresh drive, last replay after several capacities: slow pages cannot wait "
                  "for ever." + SEEDS, figure)


def figures(frame):
    return [shares_figure(frame),
            by_trace(frame, "write", "response", "write response / baseline", 0.45, "Write response"),
            by_trace(frame, "speed_up", "throughput", "throughput / baseline", 1.14, "Throughput"), worn_figure(frame)]


EXPERIMENT = Experiment("papa", "Fast pages for partial pages: PAPA", QUESTION, grid, table, figures, claims, metrics,
                        paper="PAPA, MSST 2020")
