"""Compares generated profiles with real data that is at hand; tests need none of it.

    python3 scripts/twinplane compare-profiles [--twinplane PROGRAM] DIR

DIR holds "*VOLUME_write_lba_freq.csv[.zst]" (columns address and number of writes): the share of writes to the
hottest 1, 5 and 20 % of the addresses must agree within 3 points, the share of addresses written 4 times or
more within 2 %. It ends with status 1 when one does not. Excerpts of traces that lie there too are listed beside
their profile without a verdict: minutes of a trace are not like its days.
"""

import argparse
import json
import math
import pathlib
import subprocess
import sys

POINTS, RELATIVE = 3.0, 0.02
# Excerpts by name, the options to read them and the profile of the trace they are from.
EXCERPTS = [("fin1_first50000_4k.trace.zst", [], "fin1"), ("msr_hm_0_excerpt_7016.csv.zst", [], "hm_0"),
            ("ms_dtr_first127043.trace.zst", ["--time-unit", "us"], "dtr"),
            ("ms_tpcc_first6999.ascii.zst", [], "tpcc")]


def info(program: str, *arguments: str) -> dict:
    """What `trace info` says."""
    done = subprocess.run([program, "trace", "info", "--json", *arguments], capture_output=True, text=True, check=False)
    if done.returncode != 0:
        sys.exit(f"compare_profiles: {done.stderr.strip()}")
    return json.loads(done.stdout[done.stdout.index("{"):done.stdout.rindex("}") + 1])


def read_counts(path: pathlib.Path) -> list[int]:
    """Writes of each address, most first."""
    text = subprocess.run(["zstd", "-dc", path], check=True, capture_output=True, text=True).stdout \
        if path.suffix == ".zst" else path.read_text()
    return sorted((int(line.split(",")[1]) for line in text.split()[1:]), reverse=True)


def real_figures(counts: list[int]) -> dict[str, float]:
    """In percent."""
    figures = {f"hottest {share} %": 100 * sum(counts[:math.ceil(len(counts) * share / 100)]) / sum(counts)
               for share in (1, 5, 20)}
    return figures | {"written 4 times": 100 * sum(1 for count in counts if count >= 4) / len(counts)}


def generated_figures(found: dict) -> dict[str, float]:
    shares = found["hottest_address_share"]
    return {f"hottest {share} %": 100 * shares[f"{share}%"] for share in (1, 5, 20)} | \
        {"written 4 times": 100 * found["hot_write_ratio"]}


def compare_histograms(program: str, folder: pathlib.Path) -> int:
    """The number of figures that differ."""
    wrong = 0
    ending = "_write_lba_freq.csv"
    print(f"{'volume':10} {'figure':16} {'real':>7} {'profile':>8}   tolerance")
    for path in sorted(folder.glob(f"*{ending}*")):
        volume = "_".join(path.name[:path.name.index(ending)].split("_")[-2:])
        generated = generated_figures(info(program, "--profile", volume))
        for figure, real in real_figures(read_counts(path)).items():
            tolerance = POINTS if figure.startswith("hottest") else RELATIVE * real
            good = abs(generated[figure] - real) <= tolerance
            wrong += not good
            print(f"{volume:10} {figure:16} {real:7.2f} {generated[figure]:8.2f}   {tolerance:.2f} points"
                  f"{'' if good else '   DIFFERS'}")
    return wrong


def list_excerpts(program: str, folder: pathlib.Path) -> None:
    keys = ["write_ratio", "mean_bytes", "large_write_ratio", "rewrite_ratio", "sequential_ratio", "burst_bias"]
    for name, options, profile in EXCERPTS:
        if not (folder / name).exists():
            continue
        real = info(program, str(folder / name), *options)
        generated = info(program, "--profile", profile, "--requests", str(real["requests"]))
        print(f"\n{name} and as many requests of {profile}")
        for key in keys:
            print(f"  {key:18} {real[key]:10.3f} {generated[key]:10.3f}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("folder", type=pathlib.Path, metavar="DIR")
    parser.add_argument("--twinplane", default="build/release/twinplane", metavar="PROGRAM")
    arguments = parser.parse_args()
    if not arguments.folder.is_dir():
        sys.exit(f"compare_profiles: {arguments.folder}: expected a folder with histograms or excerpts")
    wrong = compare_histograms(arguments.twinplane, arguments.folder)
    list_excerpts(arguments.twinplane, arguments.folder)
    sys.exit(1 if wrong else 0)
