"""The runs of the experiment ipu: drive, schemes, traces, and what is varied."""

import functools
import os
import pathlib
import sys
import tomllib

from twinplane.case import Case
from twinplane.experiments.fidelity_part import CONFIGS
from twinplane.experiments.papers import ASSUMED, IPU, MGA, SLC_CACHE
from twinplane.program import ROOT

CONFIG = (ASSUMED, str(CONFIGS / "ipu.toml"))
SCHEMES = {"Baseline": SLC_CACHE, "MGA": MGA, "IPU": IPU}
# Pages of 16 KiB that each writes, whole trace, per request; a test measures them again.
WRITTEN_PAGES = {"ts_0": 0.0389, "wdev_0": 0.0443, "lun1": 0.210, "usr_0": 0.0735, "lun2": 0.135, "ads": 0.0301}
TRACES = tuple(WRITTEN_PAGES)  # ordered by write ratio, as in the paper
MSR = ("ts_0", "wdev_0", "usr_0")
PAGE, PLANES, BLOCKS = 16 * 1024, 2, 1024
SMALL, LARGE = 16, 128  # native pages of a block; a block in SLC mode has half; the paper has 128
PAPER_BLOCKS = 65536
OVER_PROVISIONING = 20  # per cent, of which 5 are the cache's and 5 the threshold's
# Region size / pages written, and how it comes about: addresses, blocks in SLC mode in a plane, pages of a block. "paper": the
# share of its trace that the drive's share of its drive is, so the region is to the addresses as there.
RATIOS = {"1": (1, 51, SMALL), "1/4": (4, 51, SMALL), "1/8": (8, 51, SMALL), "1/16": (16, 51, SMALL),
          "1/8, 25 blocks": (4, 25, SMALL), "1/8, 128 pages": (8, 51, LARGE), "1/16, 25 blocks": (8, 25, SMALL), "1/32, 12 blocks": (8, 12, SMALL), "paper": (None, 51, LARGE)}
SWEPT = ("1", "1/4", "1/8", "1/16")
PE = (1000, 2000, 3000, 4000)
LOADS = {"one": {"host.mode": "closed", "host.iodepth": 1}, "eight": {"host.mode": "closed", "host.iodepth": 8},
         "times": {"host.mode": "open"}, "times x 10": {"host.mode": "open"}}
SPEEDS = {"times x 10": 10}

# What the paper leaves open; the first is what its figures are compared with.
READINGS = {
    "subset": {},
    "union": {"slc_cache.update": "union"},
    "less": {"slc_cache.fit": "less"},
    "any access": {"slc_cache.access": "any"},
    "full pages native": {"slc_cache.full_pages": "native"},
}
ONLY = {"less": ("IPU",), "any access": ("IPU",)}  # readings that say nothing to the others
BASE = {"ratio": "1/8", "reading": "subset", "reads": "written", "corrects": 40, "pe": 4000, "load": "one", "planes": "static", "dies": 2}

ALLOCATIONS = {"static": "CWDP", "idle": "F"}  # the address says which die, or an idle one is taken
FRESH, WORN = 1e-5, 2.8e-4  # raw bit error rate when new, not in the paper, and after 4000 cycles, exponential in between

EXCERPTS = {"hm_0 excerpt": "msr_cut_rw_20_80.105.trace.zst", "fin1 excerpt": "fin1_first50000_4k.trace.zst",
            "tencent 490 excerpt": "tencent_cut_rw_60_40.490.replay.csv.zst", "rsrch_1": "msr_rsrch_1.csv.zst"}


def trace_folder():
    """Where real traces lie, if anywhere: they are not ours to give away."""
    return pathlib.Path(os.environ.get("TWINPLANE_TRACES", ROOT / "traces/real"))


def found_excerpts(tell=False):
    found = {name: trace_folder() / file for name, file in EXCERPTS.items() if (trace_folder() / file).is_file()}
    left_out = [name for name in EXCERPTS if name not in found]
    if tell and left_out:
        print(f"ipu: not in {trace_folder()}, left out: {', '.join(left_out)}", file=sys.stderr)
    return found


# --- traces ---


@functools.cache
def profile(trace):
    return tomllib.loads((ROOT / f"traces/profiles/{trace}.toml").read_text())


def cache_pages(pages):
    """Of the whole drive, with 51 blocks a plane."""
    return PLANES * 51 * pages // 2


def requests_of(trace, ratio, dies=PLANES):
    """So many that the pages they write are as many times the cache as `ratio` says."""
    times, _, pages = RATIOS[ratio]
    if times is None:
        return round(profile(trace)["requests"] * dies * BLOCKS / PAPER_BLOCKS)
    return round(times * cache_pages(pages) / WRITTEN_PAGES[trace] * dies / PLANES)


def span_of(trace, requests):
    """Bytes over which the addresses lie. What ads only reads is most of its profile's; less of that is taken."""
    mib = float(profile(trace)["footprint"].removesuffix("MiB")) * (0.4 if trace == "ads" else 1)
    return max(round(mib * requests / profile(trace)["requests"]), 2) * 2**20


def reads_of_written(trace):
    """Reads that take the addresses of the writes, each as often as any other, and their sizes: with the profile's own,
    which are weighted by popularity, hardly any read meets a page that was disturbed."""
    whole, write = profile(trace), profile(trace)["write"]
    addresses, writes = write["histogram"][-1]
    addresses = round(addresses * whole["requests"] * whole["writes"] / writes)  # as the program counts them
    sizes = "[" + ", ".join(f'["{size}", {weight}]' for size, weight in write["sizes"]) + "]"
    return {"read.address": '"uniform"', "read.addresses": addresses, "read.sizes": sizes,
            "read.sequential": 0}


def trace_options(trace, chosen):
    requests = requests_of(trace, chosen["ratio"], chosen["dies"])
    span = span_of(trace, requests)
    changed = {"offset": f'"{offset_of(span, chosen)}B"'} | (reads_of_written(trace) if chosen["reads"] == "written" else {})
    options = ["--requests", str(requests), "--footprint", f"{span}B"]
    for key, value in changed.items():
        options += ["--profile-set", f"{key}={value}"]
    speed = SPEEDS.get(chosen["load"], 1)
    return tuple(options + (["--time-scale", str(1 / speed)] if speed != 1 else []))


# --- drive ---


def exported(chosen):
    """Bytes that the host sees: all blocks in full less the over-provisioning, which has to pay for the cache, too."""
    return int(chosen["dies"] * BLOCKS * RATIOS[chosen["ratio"]][2] * (1 - OVER_PROVISIONING / 100)) * PAGE


def offset_of(span, chosen):
    """The addresses of the trace are the last ones; those before are filled and never written."""
    return (exported(chosen) - span) // PAGE * PAGE


def fill_of(span, chosen):
    """All but the addresses of the trace: native blocks are short of space before the trace is written once."""
    return f"{100 * offset_of(span, chosen) / exported(chosen):.3f}%"


def drive(ratio):
    """Blocks of fewer pages are erased in less time, so that erasing a page takes what it takes in the paper's."""
    _, blocks, pages = RATIOS[ratio]
    erase = f"{10_000 * pages // LARGE}us"
    return {"geometry.pages_per_block": pages, "nand.tBERS": erase, "nand.slc.tBERS": erase,
            "ftl.over_provisioning": f"{OVER_PROVISIONING}%", "slc_cache.share": f"{100 * blocks / BLOCKS + 0.01:.2f}%"}


def errors(cycles):
    """The rate stays where it is after `cycles`: small blocks are erased hundreds of times here, the paper's hardly once."""
    rate = f"{FRESH * (WORN / FRESH) ** (cycles / 4000):.6g}"
    return {"nand.errors.cycles": cycles, "nand.errors.fresh": rate, "nand.errors.worn": rate}


def labels_of(part, trace, scheme, seed, chosen):
    return {"part": part, "trace": trace, "scheme": scheme} | chosen | {"seed": seed}


def settings_of(scheme, chosen):
    settings = SCHEMES[scheme] | READINGS[chosen["reading"]] | LOADS[chosen["load"]] | errors(chosen["pe"])
    return settings | {"controller.ecc.corrects": chosen["corrects"], "geometry.channels": chosen["dies"],
                       "ftl.plane_allocation": ALLOCATIONS[chosen["planes"]], "report.interval": "1s"}


def replay(trace, scheme, seed, **changes):
    """A profile; `changes` differ from BASE."""
    chosen = BASE | changes
    span = span_of(trace, requests_of(trace, chosen["ratio"], chosen["dies"]))
    filled = {"precondition.mode": "fill", "precondition.fill": fill_of(span, chosen)}
    settings = settings_of(scheme, chosen) | drive(chosen["ratio"]) | filled
    return Case(CONFIG, settings, profile=trace, options=trace_options(trace, chosen), seed=seed,
                labels=labels_of("profile", trace, scheme, seed, chosen))


def excerpt(name, file, scheme, seed):
    """As many pages as the excerpt writes, at its own addresses folded into the drive, which is empty."""
    chosen = BASE | {"ratio": "its own", "reads": "its own"}
    return Case(CONFIG, settings_of(scheme, chosen) | drive(BASE["ratio"]), trace=str(file), seed=seed,
                labels=labels_of("excerpt", name, scheme, seed, chosen))


# --- the grid ---


def variations():
    """What is varied, one at a time, and on which traces: [(traces, changes)]."""
    varied = [(TRACES, {"ratio": "paper"})]
    varied += [(MSR, {"ratio": ratio}) for ratio in SWEPT if ratio != BASE["ratio"]]
    varied += [(MSR, {"reading": reading}) for reading in READINGS if reading != BASE["reading"]]
    return varied + [(TRACES, {"ratio": "paper", "pe": cycles}) for cycles in PE if cycles != BASE["pe"]]


def explanations():
    """What else could make the difference: no figure of the paper rests on it."""
    others = tuple(trace for trace in TRACES if trace not in MSR)
    varied = [(others, {"ratio": "1/16"}), (MSR, {"ratio": "1/16", "reading": "full pages native"})]
    varied += [(MSR, {"ratio": ratio}) for ratio in RATIOS if ", " in ratio]
    varied += [(MSR, {"load": load}) for load in LOADS if load != BASE["load"]]
    varied += [(MSR, {"planes": "idle"}), (MSR, {"ratio": "paper", "planes": "idle"})]
    varied += [(MSR, {"ratio": "paper", "planes": planes, "dies": 8}) for planes in ALLOCATIONS]
    return varied + [(MSR, {"ratio": "paper", "reads": "profile"}), (MSR, {"ratio": "paper", "corrects": 8})]


def quick_variations():
    """Part of the others, so that each claim has something to stand on."""
    return [(TRACES, {"ratio": "paper"}), (("ts_0",), {"ratio": "paper", "pe": 1000}), (("ts_0",), {"reading": "union"})]


def grid(quick):
    """The paper's comparison, what is varied, and what explains it."""
    cases = []
    for seed in (1,) if quick else (1, 2, 3):
        cases += [replay(trace, scheme, seed) for trace in TRACES for scheme in SCHEMES]
        cases += several(quick_variations() if quick else variations(), seed)
        if not quick:
            cases += several(explanations(), seed)
            cases += [excerpt(name, file, scheme, seed) for name, file in found_excerpts(tell=seed == 1).items()
                      for scheme in SCHEMES]
    return cases


def several(varied, seed):
    """A reading that says nothing to a scheme is not run with it."""
    return [replay(trace, scheme, seed, **changes) for traces, changes in varied for trace in traces
            for scheme in ONLY.get(changes.get("reading"), SCHEMES)]
