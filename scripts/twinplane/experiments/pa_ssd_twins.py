"""Beyond PA-SSD's paper: page types and multi-plane programs together, against each of the two alone."""

import numpy

from twinplane.case import Case
from twinplane.experiments.experiment import Claim, Experiment, Figure, at_least, at_most, nothing_wrong
from twinplane.experiments.pa_ssd_cases import CONFIG, OVERLOAD, REQUESTS, labels_of, overload, scale, settings_of
from twinplane.experiments.papers import CONVENTIONAL, PA_SSD, PA_TWIN
from twinplane.report.style import COLOURS, SEEDS, curve, new_figure, of_seeds, spread_of
from twinplane.result import standard_metrics

QUESTION = """\
PA-SSD gives all pages of a write one page type, but the planes of a die then stand at different pages, and
multi-plane programs need equal ones. The policy pa-twin keeps the planes of a die level in each type, so that pages of
one write find equal pages in all planes. What do page types and multi-plane programs gain together, against each of
the two alone?

The drive is PA-SSD's, scaled as in its experiment. DAP's requests, the largest, come in a closed loop of growing depth;
MSFS comes at its own rate with 46 % of its requests in bursts that even LSB pages of single planes cannot follow.
Dies ask for equal page addresses only (nand.bac = false) in all multi-plane drives. Every plane starts at a random
page, in drives with twins every die.
"""
MULTI = {"ftl.pair": "any", "nand.bac": False}
DRIVES = {"single planes": CONVENTIONAL, "multi-plane": CONVENTIONAL | MULTI,
          "multi-plane, twin blocks": CONVENTIONAL | MULTI | {"ftl.block_allocation": "twin", "ftl.frontier": "shared"},
          "US": PA_SSD | {"ftl.classifier": "US"}, "QDS+UBS": PA_SSD | {"ftl.classifier": "QDS+UBS"},
          "US, twins": PA_TWIN | {"ftl.classifier": "US"}, "QDS+UBS, twins": PA_TWIN | {"ftl.classifier": "QDS+UBS"}}
DEPTHS = (1, 4, 16, 64)
BURST = 400e3  # requests per second in bursts of MSFS: more than fast pages of single planes can follow


def case(trace, drive, quick, seed, settings, options):
    blocks, pages = scale(trace, quick)
    chosen = settings_of("baseline", blocks, pages) | DRIVES[drive]
    requests = int(REQUESTS[trace] * blocks * pages / (384 * 384))
    labels = labels_of("twins", trace, drive, seed, pages=settings.get("host.iodepth", 0))
    return Case(CONFIG, chosen | settings | {"host.rounds": 1, "report.interval": "250ms"}, profile=trace,
                options=("--requests", str(requests), *options), seed=seed, labels=labels)


def grid(quick):
    depths = DEPTHS[::2] if quick else DEPTHS
    share, _, length = OVERLOAD["msfs"]
    cases = []
    for seed in (1,) if quick else (1, 2, 3):
        cases += [case("dap", drive, quick, seed, {"host.mode": "closed", "host.iodepth": depth}, ())
                  for depth in depths for drive in DRIVES]
        cases += [case("msfs", drive, quick, seed, {}, overload("msfs", share, BURST, length)) for drive in DRIVES]
    return cases


def metrics(result):
    s = result.summary
    dominated = s["ftl"]["writes_dominated_by"]
    return standard_metrics(result) | {f"{t}_writes": n / sum(dominated.values()) for t, n in dominated.items()} | {
        "requests_s": result.iops, "multi_programs": s["nand"]["multiplane"]["program"]["ratio"],
        "granted": s["ftl"]["page_types"]["granted_ratio"]}


def table(frame):
    shown = frame.assign(write_ms=frame["write_mean_ns"] / 1e6, read_us=frame["read_mean_ns"] / 1e3)
    names = {"trace": "trace", "pages": "outstanding (0: timed)", "scheme": "drive", "seed": "seed", "requests_s": "requests/s",
             "write_ms": "write (ms)", "read_us": "read (us)", "multi_programs": "pages in multi-plane programs",
             "lsb_writes": "LSB writes", "msb_writes": "MSB writes", "granted": "type granted"}
    return shown[list(names)].rename(columns=names)


def rows_of(frame, trace):
    return frame[frame["trace"] == trace]


MULTI_PLANE = ("multi-plane", "multi-plane, twin blocks")


def claims(frame, quick):
    """Both together have not been published: all of it is what we expect ourselves."""
    dap = rows_of(frame, "dap").groupby(["scheme", "pages"])[["requests_s", "multi_programs"]].mean()
    msfs = rows_of(frame, "msfs").groupby("scheme")["write_mean_ns"].mean()
    deepest = max(dap.index.get_level_values("pages"))
    rate = dap["requests_s"].xs(deepest, level="pages")
    pairs = dap["multi_programs"].xs(deepest, level="pages")
    alone = {s: max(rate[d] for d in (s, *MULTI_PLANE)) for s in ("US", "QDS+UBS")}
    reads = "CSB and MSB programs of page-type drives read the lower pages first, multi-plane drives keep them"
    return [
        *(Claim(f"DAP, {deepest} outstanding: requests/s of {s} with twins, better of {s} and multi-plane alone = 1",
                "both gains add", at_least(1), rate[f"{s}, twins"] / alone[s], own=True, why=why)
          for s, why in (("US", reads), ("QDS+UBS", ""))),
        Claim(f"DAP, {deepest} outstanding: pages that leave in multi-plane programs, US with twins",
              "as many as with twin blocks", pairs["multi-plane, twin blocks"], pairs["US, twins"], tolerance=0.1, own=True),
        Claim(f"MSFS, bursts of {BURST:,.0f} requests/s: write response of QDS+UBS with twins, better of QDS+UBS and "
              "multi-plane alone = 1", "four planes of a die take the pages of a burst together", at_most(1),
              msfs["QDS+UBS, twins"] / min(msfs[d] for d in ("QDS+UBS", *MULTI_PLANE)), own=True),
        nothing_wrong(frame)]


def figures(frame):
    frame = frame.assign(write_ms=frame["write_mean_ns"] / 1e6)
    dap, msfs = rows_of(frame, "dap"), rows_of(frame, "msfs")
    figure, all_axes = new_figure(height=8.0, rows=2, columns=2)
    (rate, write), (pairs, burst) = all_axes
    for i, drive in enumerate(DRIVES):
        for axes, column in ((rate, "requests_s"), (write, "write_ms"), (pairs, "multi_programs")):
            curve(axes, dap[dap["scheme"] == drive], "pages", column, i, drive)
    for axes in (rate, write, pairs):
        axes.set_xscale("log", base=2)
        axes.set_xticks(sorted(set(dap["pages"])), sorted(set(dap["pages"])))
        axes.set_xlabel("requests outstanding")
    rate.set(ylabel="requests/s", title="DAP in a closed loop", ylim=(0, None))
    write.set(ylabel="mean write response (ms)", title="DAP in a closed loop", ylim=(0, None))
    pairs.set(ylabel="pages in multi-plane programs", title="share that is paired", ylim=(0, 1))
    mean, off = spread_of(of_seeds(msfs, "scheme", "write_ms").values())
    burst.barh(numpy.arange(len(mean)), mean, xerr=off, color=[COLOURS[i] for i in range(len(mean))],
               error_kw={"linewidth": 0.9})
    burst.set_yticks(range(len(mean)), list(dict.fromkeys(msfs["scheme"])))
    burst.invert_yaxis()
    burst.set(xlabel="mean write response (ms)", title=f"MSFS, bursts of {BURST:,.0f}/s")
    rate.legend(fontsize="x-small")
    return [Figure("twins", "Page types (US, QDS+UBS), multi-plane programs, and both (twins)." + SEEDS, figure)]


EXPERIMENT = Experiment("pa-twin", "Page types and multi-plane programs together", QUESTION, grid, table, figures,
                        claims, metrics, paper="PA-SSD, DATE 2017")
