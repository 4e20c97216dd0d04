"""The runs of the experiment pa-ssd: drives, schemes, loads."""

import os
import pathlib
from functools import partial

from twinplane.case import Case
from twinplane.experiments.papers import ASSUMED, CONVENTIONAL, PA_SSD
from twinplane.program import ROOT

CONFIG = (ASSUMED, str(ROOT / "platform/configs/pa_ssd.toml"))
REQUESTS = {"fin1": 5334987, "ra": 2214073, "dap": 1086729, "rbess": 5250996, "dtr": 18195701, "exch": 7450837,
            "msfs": 29345085, "bs": 11873555}
RATES = {"msfs": 1359, "bs": 824.6}  # requests per second, as in the profiles
HEAVY = tuple(RATES)
SIZES = {"ra": (48, 66), "dap": (48, 66), "dtr": (32, 24)}  # few requests or many: another share of the drive
SCHEMES = ("US", "LFS", "SBS+US", "SBS+UBS", "QDS+US", "QDS+UBS")
STUDIED = ("US", "LFS", "QDS+US", "QDS+UBS")
COMPARED = ("baseline", *STUDIED)

# Bursts that a conventional drive cannot follow and fast pages can: share of the requests in them, requests per
# second in a burst, mean length (ms).
OVERLOAD = {"msfs": (0.46, 150e3, 20), "bs": (0.46, 45e3, 20)}
SHARES = (0.2, 0.35, 0.46, 0.6)
BURST_RATES = (40e3, 80e3, 150e3)
SPEEDS = (4, 16)  # MSFS with arrivals of the b-model, faster

SLC = CONVENTIONAL | {"ftl.slc_mode": True, "nand.slc.tPROG": "500us", "nand.slc.tR": "100us"}
EXCERPTS = {"fin1_first50000_4k.trace.zst": (), "ms_dtr_first127043.trace.zst": ("--time-unit", "us"),
            "msr_hm_0_excerpt_7016.csv.zst": (), "tencent_cut_rw_60_40.490.replay.csv.zst": ()}
TRACES = pathlib.Path(os.environ.get("TWINPLANE_TRACES", ROOT / "traces/real"))  # without it these runs are left out


def scale(trace, quick):
    """Blocks per plane, pages per block; their product over the paper's is the share of its drive and requests."""
    return (16, 24) if quick else SIZES.get(trace, (32, 48))


def settings_of(scheme, blocks, pages):
    erase = f"{15e3 * pages / 384:.0f}us"
    chosen = {"baseline": CONVENTIONAL, "SLC mode": SLC | {"nand.slc.tBERS": erase}}
    chosen = chosen.get(scheme, PA_SSD | {"ftl.classifier": scheme})
    return {"geometry.blocks_per_plane": blocks, "geometry.pages_per_block": pages, "nand.tBERS": erase} | chosen


def labels_of(part, trace, scheme, seed=1, **more):
    return {"part": part, "trace": trace, "scheme": scheme, "speed": 1, "share": 0.0, "burst_rate": 0.0, "pages": 0,
            "variant": "", "seed": seed} | more


def overload(trace, share, rate, length):
    """Changes a profile to bursts with this share of its requests; the mean rate stays."""
    bursts = {"model": "mmpp", "burst_rate": f"{rate / RATES[trace]:.6g}",
              "burst_share": f"{share * RATES[trace] / rate:.6g}", "burst_length": f"{length}ms"}
    return [word for key, value in bursts.items() for word in ("--profile-set", f"arrival.{key}={value}")]


def replay(part, trace, scheme, quick, *, seed=1, speed=1, bursts=None, rounds=1, extra=None, variant=""):
    """A scaled profile; heavy ones come with their overload unless they are replayed faster instead."""
    blocks, pages = scale(trace, quick)
    options = ["--requests", str(int(REQUESTS[trace] * blocks * pages / (384 * 384))), "--time-scale", str(1 / speed)]
    labels = labels_of(part, trace, scheme, seed, speed=speed, variant=variant)
    if trace in HEAVY and speed == 1:
        bursts = bursts or OVERLOAD[trace]
        options += overload(trace, *bursts)
        labels |= {"share": bursts[0], "burst_rate": bursts[1]}
    settings = settings_of(scheme, blocks, pages) | {"host.rounds": rounds, "report.interval": "250ms"} | (extra or {})
    return Case(CONFIG, settings, profile=trace, options=tuple(options), seed=seed, labels=labels)


def dominance(scheme, pages, quick, seed):
    """Random writes of n pages at random places: figure 5."""
    blocks, block_pages = scale("msfs", quick)
    static = {"ftl.plane_allocation": "CWDP"} if scheme == "baseline" else {}
    settings = settings_of(scheme, blocks, block_pages) | static | {
        "geometry.channels": 1, "geometry.chips_per_channel": 1,  # 16 planes: 2,000 and more writes for each
        "workload.rw": "randwrite", "workload.bs": f"{8 * pages}KiB", "workload.number_ios": 32000 // pages,
        "workload.blockalign": "8KiB", "host.mode": "closed", "host.iodepth": 1, "host.rounds": 1,
        "report.interval": "250ms"}
    return Case(CONFIG, settings, seed=seed, labels=labels_of("dominance", "random", scheme, seed, pages=pages))


def many_writes(trace, scheme, quick, seed):
    """Figure 11: more than 4,000 writes for each of 16 planes, at the paper's requests per plane and second."""
    blocks, pages, rounds = (48, 48, 1) if quick else (96, 96, 1 if trace in HEAVY else 3)
    requests = int(REQUESTS[trace] * blocks * pages * 16 / (256 * 384 * 384))
    options = ["--requests", str(requests), "--time-scale", "16"]
    if trace in HEAVY:
        share, rate, length = OVERLOAD[trace]
        options += overload(trace, share, rate, length / 16)  # the time scale lengthens bursts
    settings = settings_of(scheme, blocks, pages) | {"geometry.channels": 1, "geometry.chips_per_channel": 1,
                                                     "host.rounds": rounds, "report.interval": "1s"}
    return Case(CONFIG, settings, profile=trace, options=tuple(options), seed=seed,
                labels=labels_of("granted", trace, scheme, seed))


def excerpt(name, options, scheme, seed):
    settings = settings_of(scheme, 32, 48) | {"host.rounds": 1, "report.interval": "250ms"}
    return Case(CONFIG, settings, trace=str(TRACES / name), options=options, seed=seed,
                labels=labels_of("excerpt", name.split(".")[0], scheme, seed))


def grid(quick):
    """Every run with three seeds; the order of parts, loads and schemes is that of the report's table."""
    seeds = (1,) if quick else (1, 2, 3)
    cases = [one(seed=seed) for one in paper_runs(quick) for seed in seeds]
    return cases if quick else cases + [one(seed=seed) for one in further_runs() for seed in seeds]


def paper_runs(quick):
    """What the paper shows: functions of a seed that make a case."""
    traces = ("fin1", "dap", "msfs") if quick else tuple(REQUESTS)
    runs = [partial(dominance, scheme, n, quick) for scheme in ("baseline", "US") for n in (1, 2, 4, 8)]
    runs += [partial(replay, "paper", t, s, quick) for t in traces for s in ("baseline", *SCHEMES)]
    runs += [partial(replay, "slc", "dap", "SLC mode", quick)]
    runs += [partial(many_writes, t, s, quick) for t in (("msfs",) if quick else ("exch", "msfs")) for s in SCHEMES]
    _, rate, length = OVERLOAD["msfs"]
    runs += [partial(replay, "share", "msfs", s, quick, bursts=(f, rate, length))
             for f in (SHARES[1::2] if quick else SHARES) for s in COMPARED]
    return runs + [partial(replay, "long", "msfs", s, quick, rounds=3) for s in COMPARED if s != "US"]


def further_runs():
    """Other loads, and why page types are a loss under one of them."""
    share, _, length = OVERLOAD["msfs"]
    runs = [partial(replay, "rate", "msfs", s, False, bursts=(share, r, length)) for r in BURST_RATES for s in COMPARED]
    runs += [partial(replay, "load", "msfs", s, False, speed=x) for x in SPEEDS for s in COMPARED]
    runs += [partial(replay, "long", "msfs", s, False, rounds=3, speed=8) for s in COMPARED if s != "US"]
    runs += [partial(replay, "long", "msfs", "QDS+UBS", False, rounds=3, speed=8, extra=extra, variant=variant)
             for variant, extra in VARIANTS.items()]
    return runs + [partial(excerpt, name, options, s) for name, options in EXCERPTS.items()
                   if (TRACES / name).is_file() for s in COMPARED]


# What makes page types a loss when the drive is busy for long? One thing at a time is taken away.
VARIANTS = {"buffered wordlines": {"nand.wordline_buffer": 4096}, "threshold 200": {"ftl.queue_threshold": 200}}
