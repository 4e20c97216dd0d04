"""Makes traces/profiles/*.toml from published statistics, write-address histograms and stated assumptions.

    scripts/twinplane fit-profiles [--histograms DIR] [PROFILE...]

published.csv (beside the profiles) holds the figures to be met and where each comes from; what no publication
says is assumed, in ASSUMED below, and marked so in the profile. DIR holds files "*PROFILE_write_lba_freq.csv"
(plain or .zst, columns address and number of writes); a profile whose real histogram is needed but not there
keeps the curve that its file has. The same input gives the same bytes. Standard library only; .zst needs the
zstd program.
"""

import argparse
import csv
import math
import pathlib
import re
import subprocess
import sys
from typing import NamedTuple, Optional

FOLDER = pathlib.Path(__file__).resolve().parents[3] / "traces" / "profiles"
KIB = 1024
DAY = 86400.0
WEEK = 7 * DAY

# Sizes that requests may have, in sectors' multiples seen in the traces, and their weight before fitting: file
# systems' 4 KiB first, then powers of two.
LADDER = [(512, 5), (1024, 5), (2048, 10), (4096, 100), (8192, 50), (12288, 20), (16384, 40), (24576, 15),
          (32768, 30), (49152, 10), (65536, 50), (131072, 15), (262144, 8), (524288, 4), (1048576, 2)]


class Assumed(NamedTuple):
    """What the publications do not say. Rates: requests per second, or a span in seconds."""
    summary: str
    span: float = 0.0  # of the whole trace
    rate: float = 0.0  # instead of the span
    bias: float = 0.0  # 0: that of its family
    requests: int = 0
    writes: float = 0.0  # percent
    mean_write: int = 0
    mean_read: int = 0
    read_to_write: float = 1.0  # mean sizes, where only the mean of both is published
    rewrite: float = 70.0  # percent
    sequential: float = 0.10  # of the reads
    align: int = 4096
    read_only: float = 0.3  # footprint that is only read, as a share of the bytes read
    real_histogram: bool = False
    four_k_only: bool = False  # requests up to 4 KiB are 4 KiB
    smallest: int = 512  # request; 8 KiB pages of databases
    large: Optional[float] = None  # percent of the writes above 8 KiB


MSR = "MSR Cambridge "
MSPS = "Microsoft Production Server "
# b-model bias, measured with `twinplane trace info`: 0.80 and 0.81 on two excerpts of hm_0 (wdev_1 0.83, rsrch_1
# 0.91); Fin1 0.59 and DTR 0.58 on minutes of each, TPC-C 0.56. Elsewhere 0.70.
MSR_BIAS, OTHER_BIAS = 0.80, 0.70
ASSUMED = {
    "fin1": Assumed("UMass Financial1, OLTP (PA-SSD Fin, PAPA fin)", span=43700, bias=0.59, rewrite=90, sequential=0.02),
    "fin2": Assumed("UMass Financial2, OLTP", requests=3699194, writes=17.6, mean_write=2900, mean_read=2300,
                    span=41100, bias=0.59, rewrite=90, sequential=0.02),
    "ra": Assumed(MSPS + "RADIUS authentication", span=8 * 3600, align=8192),
    "dap": Assumed(MSPS + "display advertisement payload", span=DAY, align=8192, sequential=0.3),
    "rbess": Assumed(MSPS + "RADIUS back-end SQL server", span=DAY, align=8192),
    "dtr": Assumed(MSPS + "developer tools release", span=DAY, bias=0.58, align=8192, rewrite=50, sequential=0.22),
    "exch": Assumed(MSPS + "Exchange server", span=3 * 3600, align=8192, smallest=8192),
    "msfs": Assumed(MSPS + "MSN storage file server", span=6 * 3600, align=8192),
    "bs": Assumed(MSPS + "build server", span=4 * 3600, align=8192, sequential=0.3),
    "exch_papa": Assumed(MSPS + "Exchange server, the shorter piece that PAPA takes", span=900, align=8192,
                         smallest=8192),
    "tpce": Assumed("Microsoft TPC-E", span=84 * 60, bias=0.56, align=8192, rewrite=80, sequential=0.02, smallest=8192),
    "tpcc": Assumed("Microsoft TPC-C", span=36 * 60, bias=0.56, align=8192, rewrite=80, sequential=0.02, smallest=8192,
                    large=7, read_to_write=8.09 / 8.73),
    "prxy_0": Assumed(MSR + "prxy_0, firewall/web proxy", rate=20.8, read_to_write=19.4 / 12.6, real_histogram=True),
    "proj": Assumed(MSR + "proj (volume not named), project directories", rate=73, read_to_write=86.9 / 44.5,
                    rewrite=22, sequential=0.3),
    "proj_0": Assumed(MSR + "proj_0, project directories", requests=4224524, writes=87.5, mean_write=40900,
                      mean_read=18000, span=WEEK, rewrite=95),
    "mds_0": Assumed(MSR + "mds_0, media server", span=WEEK, real_histogram=True),
    "mds_1": Assumed(MSR + "mds_1, media server", requests=1637711, writes=7.1, mean_write=14000, mean_read=57000,
                     span=WEEK, sequential=0.5),
    "hm_0": Assumed(MSR + "hm_0, hardware monitoring", rate=5.12, read_to_write=23.2 / 22.4, real_histogram=True),
    "hm_1": Assumed(MSR + "hm_1, hardware monitoring", rate=1 / 0.528),
    "prn_0": Assumed(MSR + "prn_0, print server", rate=8.40, read_to_write=53.1 / 27.9),
    "prn_1": Assumed(MSR + "prn_1, print server", rate=45.2),
    "src1_0": Assumed(MSR + "src1_0, source control", requests=37415613, writes=43.5, mean_write=53000,
                      mean_read=37000, span=WEEK, rewrite=95, sequential=0.3),
    "src2_0": Assumed(MSR + "src2_0, source control", rate=2.08, real_histogram=True),
    "rsrch_0": Assumed(MSR + "rsrch_0, research projects", rate=2.27, real_histogram=True),
    "stg_0": Assumed(MSR + "stg_0, web staging", rate=2.98, real_histogram=True),
    "web_0": Assumed(MSR + "web_0, web server", requests=2029945, writes=70.1, mean_write=8800, mean_read=29000,
                     span=WEEK, real_histogram=True),
    "ts_0": Assumed(MSR + "ts_0, terminal server", span=WEEK, real_histogram=True, four_k_only=True),
    "wdev_0": Assumed(MSR + "wdev_0, test web server", span=WEEK, real_histogram=True, four_k_only=True),
    "usr_0": Assumed(MSR + "usr_0, home directories", span=WEEK, real_histogram=True, four_k_only=True),
    "lun1": Assumed("SYSTOR '17 additional-01-2016021615-LUN0, virtual desktops", span=3600, four_k_only=True),
    "lun2": Assumed("SYSTOR '17 additional-03-2016021719-LUN2, virtual desktops", span=3600, four_k_only=True),
    "ads": Assumed(MSPS + "display advertisement data server", span=DAY, four_k_only=True),
    "st1": Assumed("BROMS synthetic load 1", rate=2000, bias=0.5, writes=100),
    "st2": Assumed("BROMS synthetic load 2", rate=2000, bias=0.5, writes=100),
    "st3": Assumed("BROMS synthetic load 3", rate=2000, bias=0.5, writes=100),
}


def published() -> dict[str, dict[str, float]]:
    """Statistic by profile, from published.csv."""
    facts: dict[str, dict[str, float]] = {name: {} for name in ASSUMED}
    with open(FOLDER / "published.csv", newline="", encoding="utf-8") as file:
        for row in csv.DictReader(file):
            facts.setdefault(row["profile"], {})[row["statistic"]] = float(row["value"])
    return facts


# --- sizes -------------------------------------------------------------------------------------------------


def tilted(groups: list[tuple[list[tuple[int, float]], float]], rate: float) -> list[tuple[int, float]]:
    """Each group's shape times exp(rate * size), scaled to the group's share."""
    mix = []
    for ladder, share in groups:
        top = max(rate * size for size, _ in ladder)
        weights = [(size, weight * math.exp(rate * size - top)) for size, weight in ladder]
        total = sum(weight for _, weight in weights)
        mix += [(size, share * weight / total) for size, weight in weights]
    return mix


def mean_of(mix: list[tuple[int, float]]) -> float:
    return sum(size * weight for size, weight in mix) / sum(weight for _, weight in mix)


def fit_sizes(name: str, groups: list[tuple[list[tuple[int, float]], float]],
              mean: Optional[float]) -> list[tuple[int, float]]:
    """Shares in percent that meet the groups' shares and the mean: of all such mixes the one nearest to the
    ladder's weights (least relative entropy is an exponential tilt)."""
    if mean is None:
        return tilted(groups, 0.0)
    low, high = -1e-2, 1e-2
    for _ in range(200):
        middle = (low + high) / 2
        low, high = (middle, high) if mean_of(tilted(groups, middle)) < mean else (low, middle)
    mix = tilted(groups, low)
    if abs(mean_of(mix) / mean - 1) > 1e-3:
        sys.exit(f"{name}: no mix has a mean of {mean:.0f} bytes and the other shares at once")
    return mix


def write_groups(facts: dict[str, float], assumed: Assumed) -> list[tuple[list[tuple[int, float]], float]]:
    ladder = [s for s in LADDER if s[0] >= assumed.smallest]
    up_to_4k = [(4096, 1.0)] if assumed.four_k_only else [s for s in ladder if s[0] <= 4096]
    up_to_8k = [s for s in ladder if s[0] <= 8192]
    if "rewrite_4k_percent" in facts:  # sizes do not depend on whether a write is an update
        shares = [facts[f"rewrite_{part}_percent"] for part in ("4k", "8k", "over_8k")]
        return list(zip([up_to_4k, [(8192, 1.0)], [s for s in LADDER if s[0] > 8192]], shares))
    large = facts.get("large_write_percent", assumed.large)
    if large is not None:
        return [(up_to_8k, 100 - large), ([s for s in ladder if s[0] > 8192], large)]
    if "small_percent" in facts:
        small = facts["small_percent"]
        return [(up_to_4k, small), ([s for s in LADDER if 4096 < s[0] <= 65536], 100 - small)]
    return [(ladder, 100.0)]


def means(facts: dict[str, float], assumed: Assumed, writes: float) -> tuple[Optional[float], Optional[float]]:
    """Mean bytes of reads and writes."""
    read = facts.get("mean_read_bytes", assumed.mean_read or None)
    write = facts.get("mean_write_bytes", assumed.mean_write or None)
    if "mean_bytes" in facts and write is None:
        write = facts["mean_bytes"] / (writes + (1 - writes) * assumed.read_to_write)
        read = write * assumed.read_to_write
    return (read or write), write


# --- addresses ---------------------------------------------------------------------------------------------


def points(counts: list[int]) -> list[tuple[int, int]]:
    """A few dozen points of the curve: the hottest n addresses take so many writes. `counts` falls."""
    ranks = {len(counts)} | {math.ceil(len(counts) * share) for share in (0.01, 0.05, 0.2)}
    for least in (1, 2, 3, 4, 8):  # where counts change by a large factor
        ranks.add(sum(1 for count in counts if count >= least))
    rank = 1.0
    while rank < len(counts):
        ranks.add(round(rank))
        rank *= 1.6
    curve, total = [], 0
    for i, count in enumerate(counts, 1):
        total += count
        if i in ranks:
            curve.append((i, total))
    return curve


def real_histogram(folder: Optional[pathlib.Path], name: str) -> Optional[list[tuple[int, int]]]:
    for path in sorted(folder.glob(f"*{name}_write_lba_freq.csv*")) if folder else []:
        read = subprocess.run(["zstd", "-dc", path], check=True, capture_output=True).stdout.decode() \
            if path.suffix == ".zst" else path.read_text()
        return points(sorted((int(line.split(",")[1]) for line in read.split()[1:]), reverse=True))
    old = FOLDER / f"{name}.toml"
    found = re.search(r"^histogram = \[(.*?)\n\]", old.read_text(), re.S | re.M) if old.exists() else None
    pairs = re.findall(r"\[(\d+), (\d+)\]", found.group(1)) if found else []
    return [(int(a), int(w)) for a, w in pairs] or None


def pareto_counts(exponent: float, most: int, addresses: int = 100_000) -> list[int]:
    """Writes per address with a Pareto tail: addresses * k^-exponent of them are written k times or more, none
    more than `most` times."""
    counts: list[int] = []
    below, k = addresses, 1
    while below > 0 and k < most:
        following = round(addresses * (k + 1) ** -exponent)
        counts += [k] * (below - following)
        below, k = following, k + 1
    return (counts + [most] * below)[::-1]


def pareto_curve(facts: dict[str, float], assumed: Assumed) -> list[tuple[int, int]]:
    if "hot_write_percent" in facts:
        return points(pareto_counts(-math.log(facts["hot_write_percent"] / 100, 4), 10_000))
    mean = 1 / (1 - facts.get("rewrite_percent", assumed.rewrite) / 100)
    most = round(100 * mean)
    low, high = 0.1, 4.0
    for _ in range(40):
        middle = (low + high) / 2
        counts = pareto_counts(middle, most)
        low, high = (middle, high) if sum(counts) / len(counts) > mean else (low, middle)
    return points(pareto_counts(high, most))


# --- files -------------------------------------------------------------------------------------------------


def size_text(value: float) -> str:
    for unit, scale in (("MiB", KIB * KIB), ("KiB", KIB), ("B", 1)):
        if value >= scale and value % scale == 0:
            return f'"{int(value // scale)}{unit}"'
    raise ValueError(value)


def wrapped(name: str, items: list[str]) -> str:
    lines, line = [], " "
    for item in items:
        if len(line) + len(item) > 108:
            lines.append(line)
            line = " "
        line += f" {item},"
    return f"{name} = [\n" + "\n".join(lines + [line]) + "\n]\n"


def sizes_text(mix: list[tuple[int, float]]) -> str:
    kept = [(size, weight) for size, weight in mix if weight >= 0.0005]
    return wrapped("sizes", [f"[{size_text(size)}, {weight:.4f}]" for size, weight in kept])


def addresses_text(name: str, facts: dict[str, float], assumed: Assumed,
                   folder: Optional[pathlib.Path]) -> tuple[str, float]:
    """The lines and the writes per address."""
    if name in ("st1", "st2", "st3"):
        updates = facts["rewrite_percent"] / 100
        return f'address = "update"\nupdates = {updates}\n', 1 / (1 - updates)
    curve = real_histogram(folder, name) if assumed.real_histogram else pareto_curve(facts, assumed)
    if curve is None:
        sys.exit(f"{name}: needs *{name}_write_lba_freq.csv in --histograms DIR")
    source = "# Measured on the real volume: the hottest N addresses take so many of the writes.\n" \
        if assumed.real_histogram else "# Assumed shape: Pareto tail of the writes per address.\n"
    text = source + 'address = "histogram"\n' + wrapped("histogram", [f"[{a}, {w}]" for a, w in curve])
    return text, curve[-1][1] / curve[-1][0]


def profile_text(name: str, facts: dict[str, float], folder: Optional[pathlib.Path]) -> str:
    assumed = ASSUMED[name]
    requests = int(facts.get("requests", assumed.requests))
    writes = round(facts.get("write_percent", assumed.writes) / 100, 6)
    read_mean, write_mean = means(facts, assumed, writes)
    write_mix = fit_sizes(name, write_groups(facts, assumed), write_mean)
    curve, per_address = addresses_text(name, facts, assumed, folder)
    spacing = math.ceil(mean_of(write_mix) / assumed.align) * assumed.align
    footprint = requests * writes / per_address * spacing
    footprint += requests * (1 - writes) * (read_mean or 0) * assumed.read_only
    bias = assumed.bias or (MSR_BIAS if assumed.summary.startswith(MSR) else OTHER_BIAS)
    rate = assumed.rate or requests / assumed.span
    text = f"""# Made by scripts/twinplane fit-profiles; traces/README.md says what is published and what is assumed.
name = "{name}"
summary = "{assumed.summary}"
requests = {requests}
writes = {writes:g}
footprint = {size_text(math.ceil(footprint / 2**20 + 2) * 2**20)} # assumed

[arrival]
model = "b_model"
rate = {rate:.4g} # requests per second
bias = {bias:g} # assumed or from an excerpt
"""
    if writes > 0:
        text += f"\n[write]\nalign = {size_text(assumed.align)}\n{sizes_text(write_mix)}{curve}"
    if writes < 1:
        ladder = [s for s in LADDER if s[0] >= assumed.smallest]
        read_mix = fit_sizes(name, [(ladder, 100.0)], read_mean)
        text += f"\n[read]\nalign = {size_text(assumed.align)}\n{sizes_text(read_mix)}" \
                f'address = "zipf" # assumed, as are theta and sequential\ntheta = 0.8\n' \
                f"sequential = {assumed.sequential:g}\n"
    return text


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("profiles", nargs="*", metavar="PROFILE", help="default: all")
    parser.add_argument("--histograms", type=pathlib.Path, help="folder of *_write_lba_freq.csv[.zst]")
    arguments = parser.parse_args()
    facts = published()
    unknown = sorted((set(arguments.profiles) | set(facts)) - set(ASSUMED))
    if unknown:
        sys.exit(f"unknown profiles: {', '.join(unknown)}; known: {', '.join(sorted(ASSUMED))}")
    for name in arguments.profiles or sorted(ASSUMED):
        (FOLDER / f"{name}.toml").write_text(profile_text(name, facts[name], arguments.histograms))
