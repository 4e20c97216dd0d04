"""Feeds what comes from outside with inputs that mean harm, under the sanitizers. docs/fuzzing.md

    scripts/fuzz list                 the targets
    scripts/fuzz trace                20 seconds of one
    scripts/fuzz trace 3600           an hour of it
    scripts/fuzz all 20               so long of each, one after the other

Needs clang 14 with libFuzzer (scripts/install_deps fuzz). The first time it builds what the target needs.
Inputs that found something new are kept in out/fuzz and used again; a finding is written there and its path printed.
"""

import argparse
import collections
import os
import pathlib
import re
import shutil
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
BUILD = ROOT / "build/fuzz"
OUT = ROOT / "out/fuzz"
COMPILER = "clang++-14"
SYMBOLIZER = "llvm-symbolizer-14"
SKIPPED = 77  # as in the tests: clang is not there
DEFAULT_SECONDS = 20
SLOWEST_INPUT = 20  # seconds that one input may take
MOST_MEMORY = 2500  # MiB

# More first inputs than those of tests/fuzz/corpus: files that the tree has anyway.
SEEDS = {"trace": ["traces/samples"], "config": ["platform/configs"], "profile": ["traces/profiles"]}
# Bytes of an input; 2048 of all others.
LONGEST = {"trace": 4096, "config": 4096, "profile": 4096, "elf": 8192, "saved_drive": 120, "blocks": 120}

# Whole drives reach ten thousand edges with each input: libFuzzer's statistics of rare ones would take a third of the time, and there
# is none for lengths that grow slowly.
WHOLE_DRIVES = {"nvme", "saved_drive", "blocks"}
FOR_WHOLE_DRIVES = ["-entropic=0", "-len_control=0"]


def targets(kind="(?:systemc_)?"):
    """Names that tests/fuzz/CMakeLists.txt declares."""
    text = (ROOT / "tests/fuzz/CMakeLists.txt").read_text(encoding="utf-8")
    return re.findall(rf"^twinplane_{kind}fuzz\((\w+)", text, re.MULTILINE)


def build(names):
    command = ["cmake", "--preset", "fuzz"]
    if not (BUILD / "CMakeCache.txt").exists():
        subprocess.run(command, cwd=ROOT, check=True, stdout=subprocess.DEVNULL)
    jobs = str(os.cpu_count() or 1)
    words = ["cmake", "--build", str(BUILD), "-j", jobs, "--target", *(f"fuzz_{name}" for name in names)]
    done = subprocess.run(words, cwd=ROOT, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        sys.stderr.write(done.stdout[-4000:] + done.stderr[-1000:])
        sys.exit("fuzz: the target does not build")


def command_of(name, seconds):
    found = OUT / name
    found.mkdir(parents=True, exist_ok=True)
    seeds = [str(ROOT / "tests/fuzz/corpus" / name)] + [str(ROOT / folder) for folder in SEEDS.get(name, [])]
    return [
        str(BUILD / "tests/fuzz" / f"fuzz_{name}"), str(found), *(s for s in seeds if pathlib.Path(s).is_dir()),
        f"-max_total_time={seconds}", f"-max_len={LONGEST.get(name, 2048)}", f"-timeout={SLOWEST_INPUT}",
        f"-rss_limit_mb={MOST_MEMORY}", f"-artifact_prefix={OUT}/{name}-", "-print_final_stats=1", "-print_coverage=1",
        *(FOR_WHOLE_DRIVES if name in WHOLE_DRIVES else []),
    ]


def coverage(log):
    """Edges of the project's files of which any was reached: (reached, all)."""
    edges = collections.defaultdict(lambda: [0, 0])
    for reached, all_edges, path in re.findall(r"COVERED_FUNC: hits: \d+ edges: (\d+)/(\d+) .* (\S+):\d+", log):
        path = pathlib.Path(os.path.normpath(path))
        if path.is_relative_to(ROOT) and not path.is_relative_to(ROOT / "tests"):
            edges[str(path.relative_to(ROOT))][0] += int(reached)
            edges[str(path.relative_to(ROOT))][1] += int(all_edges)
    return {path: counts for path, counts in edges.items() if counts[0] != 0}


def report(name, log):
    runs = re.search(r"stat::number_of_executed_units: (\d+)", log)
    edges = coverage(log)
    for path, (reached, all_edges) in sorted(edges.items()):
        print(f"  {path:50} {reached:5} of {all_edges:5}")
    reached, all_edges = (sum(e[i] for e in edges.values()) for i in (0, 1))
    print(f"fuzz: {name}: nothing found in {runs.group(1) if runs else '?'} inputs; edges of these files: {reached} of {all_edges}")


def fuzz(name, seconds, quiet):
    leaks = 0 if name in targets("systemc_") else 1  # SystemC leaves a little behind at its end
    environment = dict(os.environ, ASAN_SYMBOLIZER_PATH=shutil.which(SYMBOLIZER) or "",
                       UBSAN_OPTIONS="print_stacktrace=1", ASAN_OPTIONS=f"detect_leaks={leaks}")
    log = OUT / f"{name}.log"
    with log.open("w", encoding="utf-8", errors="replace") as out:
        done = subprocess.run(command_of(name, seconds), cwd=ROOT, env=environment, stdout=out, stderr=out, check=False)
    text = log.read_text(encoding="utf-8", errors="replace")
    if done.returncode == 0:
        if quiet:
            print(f"fuzz: {name}: nothing found")
        else:
            report(name, text)
        return True
    kept = re.search(r"Test unit written to (\S+)", text)
    start = max(text.rfind("\n==", 0, text.rfind("SUMMARY")), text.rfind("does not hold:"), 0)
    print(text[start:start + 4000])
    print(f"fuzz: {name}: a finding, {kept.group(1) if kept else 'see ' + str(log)}")
    return False


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("target", help="a target, all, or list")
    parser.add_argument("seconds", nargs="?", type=int, default=DEFAULT_SECONDS)
    parser.add_argument("--quiet", action="store_true", help="does not print the coverage")
    arguments = parser.parse_args()
    known = targets()
    if arguments.target == "list":
        print("\n".join(known))
        return 0
    names = known if arguments.target == "all" else [arguments.target]
    if names[0] not in known:
        parser.error(f"target: expected list, all or one of {', '.join(known)}, got {arguments.target}")
    if arguments.seconds < 1:
        parser.error(f"seconds: expected 1 or more, got {arguments.seconds}")
    if shutil.which(COMPILER) is None:
        print(f"fuzz: {COMPILER} is not there: scripts/install_deps fuzz", file=sys.stderr)
        return SKIPPED
    build(names)
    OUT.mkdir(parents=True, exist_ok=True)
    passed = [fuzz(name, arguments.seconds, arguments.quiet) for name in names]
    return 0 if all(passed) else 1
