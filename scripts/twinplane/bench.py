"""Measures whole runs against the speed and memory budget of docs/performance.md. Never a test.

    scripts/bench                    build (release), measure everything, print what is met and what is missed
    scripts/bench --optimised        measure what scripts/build_optimised makes instead (some minutes to build)
    scripts/bench --quick            a tenth of the requests; no big drive, no scaling
    scripts/bench --json FILE        also write the figures there
    scripts/bench --program BINARY   measure that program, build nothing
    scripts/bench --vs BINARY        compare with another build, run by run in turn, instead

Instructions are marginal, a long run minus a short one, so start-up and preconditioning cancel. They come from perf
where the machine lets it count, else from callgrind (slow, exact), else they are left out. Wall-clock figures are the
best of some runs and mean nothing on a busy machine. The exit status is 0 unless a run fails. Standard library only.
"""

import argparse
import concurrent.futures
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import time
from typing import NamedTuple, Optional

ROOT = pathlib.Path(__file__).resolve().parents[2]
DRIVE = ROOT / "platform/configs/slc_8ch.toml"
BIG_DRIVE = ROOT / "platform/configs/tlc_8ch.toml"
# The command line of docs/performance.md: MQSim's bus times, and blocks so few that preconditioning under callgrind is
# bearable.
COMMAND = ["geometry.blocks_per_plane=64", "nand.tR=75us", "nand.tPROG=750us", "bus.interface=mqsim", "bus.mode=0",
           "host.mode=closed", "host.iodepth=32", "workload.seed=1"]
CLOSED = ["host.mode=closed", "host.iodepth=32", "workload.seed=1"]
FILLED = ["precondition.mode=fill", "precondition.fill=100%"]
STEADY = FILLED + ["precondition.overwrite=100%"]
TOLERANCE = 1.25  # what "does not depend on" allows


class Workload(NamedTuple):
    name: str
    settings: list
    requests: int  # of the wall-clock run
    counts: tuple  # requests of the short and the long run whose instructions are counted
    unit: str      # what instructions are counted per: request, page (of the host) or page op (of the array)
    pages: int     # host pages per request
    limit: int     # instructions per unit: 1.02 times what was reached
    stretch: int


RANDOM_WRITE = ["workload.rw=randwrite", "workload.bs=4k", "ftl.policy=f2"]
CWDP_WRITE = ["workload.rw=randwrite", "workload.bs=4k", "ftl.plane_allocation=CWDP"]
SEQUENTIAL_WRITE = ["workload.rw=write", "workload.bs=128k"]
MANY_PLANES = ["geometry.channels=16", "geometry.chips_per_channel=8", "geometry.dies_per_chip=4", "geometry.planes_per_die=4",
               "geometry.blocks_per_plane=16", "bus.interface=nv-ddr3", "bus.mode=10"]  # the DRAM's bandwidth is booked
RANDOM, SEQUENTIAL, COLLECTED = (4_000, 14_000), (200, 1_000), (5_000, 20_000)
WORKLOADS = [
    Workload("rand-read 4K", ["workload.rw=randread", "workload.bs=4k"] + FILLED, 400_000, RANDOM, "request", 1, 8_783, 7_500),
    Workload("rand-write 4K, F2", RANDOM_WRITE, 400_000, RANDOM, "request", 1, 7_634, 6_500),
    Workload("rand-write 4K, CWDP", CWDP_WRITE, 400_000, RANDOM, "request", 1, 9_889, 8_000),
    Workload("70/30 mix 4K", ["workload.rw=randrw", "workload.rwmixread=70", "workload.bs=4k"] + FILLED, 400_000, RANDOM,
             "request", 1, 9_283, 7_800),
    Workload("seq-write 128K, fresh", SEQUENTIAL_WRITE, 30_000, SEQUENTIAL, "page", 32, 2_946, 2_200),
    Workload("seq-read 128K", ["workload.rw=read", "workload.bs=128k"] + FILLED, 30_000, SEQUENTIAL, "page", 32, 4_097, 2_500),
    Workload("rand-write 4K, GC", RANDOM_WRITE + STEADY, 200_000, COLLECTED, "page op", 1, 5_093, 4_500),
]


class Run(NamedTuple):
    summary: dict
    wall: float  # seconds from start to exit
    cpu: float
    stderr: str


class Figure(NamedTuple):
    name: str
    value: float
    unit: str
    limit: float
    stretch: Optional[float] = None

    def verdict(self):
        if self.stretch is not None and self.value <= self.stretch:
            return "met, stretch too"
        return "met" if self.value <= self.limit else "MISSED"


# --- running ---

FAILED = []  # messages of runs that ended with an error

def execute(program, settings, drive=DRIVE, prefix=()):
    with tempfile.TemporaryDirectory() as out:
        command = [*prefix, str(program), "run", "-c", str(drive), "--out", out]
        for setting in settings:
            command += ["--set", setting]
        with tempfile.TemporaryFile("w+") as text:
            start = time.monotonic()
            process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=text)
            _, status, usage = os.wait4(process.pid, 0)
            wall = time.monotonic() - start
            process.returncode = os.waitstatus_to_exitcode(status)
            text.seek(0)
            stderr = text.read()
        file = pathlib.Path(out, "summary.json")
        if process.returncode != 0:
            message = f"bench: this run failed: {' '.join(command)}\n{stderr}"
            if not file.is_file():
                sys.exit(message)
            FAILED.append(message)  # it ran to its end; its figures count, its verdict comes at the end
        summary = json.loads(file.read_text())
        return Run(summary, wall, usage.ru_utime + usage.ru_stime, stderr)


PERF = ["perf", "stat", "-x,", "-e", "instructions:u"]


def pick_counter():
    if shutil.which("perf"):
        done = subprocess.run(PERF + ["true"], capture_output=True, text=True, check=False)
        if done.returncode == 0 and re.search(r"^\d+,", done.stderr, re.M):
            return "perf"
    return "callgrind" if shutil.which("valgrind") else None


class Counter:
    """Counts instructions; runs go to as many workers as there are cores, which does not change the counts."""

    def __init__(self, name):
        self.name = name
        self.pool = concurrent.futures.ThreadPoolExecutor(max_workers=os.cpu_count() or 1)

    def _count(self, program, settings):
        if self.name == "perf":
            prefix, pattern = PERF, r"^(\d+),"
        else:
            prefix, pattern = ["valgrind", "--tool=callgrind", "--callgrind-out-file=/dev/null"], r"Collected : (\d+)"
        run = execute(program, settings, prefix=prefix)
        found = re.search(pattern, run.stderr, re.M)
        if found is None:
            sys.exit(f"bench: no instruction count in the output of {self.name}:\n{run.stderr}")
        return int(found.group(1)), run.summary["time"]["page_operations"]

    def start(self, program, settings, counts):
        """Begins one run for each number of requests; returns what instructions_between() takes."""
        settings = COMMAND + settings
        return [(n, self.pool.submit(self._count, program, settings + [f"workload.number_ios={n}"])) for n in counts]

    @staticmethod
    def instructions_between(short, long, unit="request", pages=1):
        (few_instructions, few_ops), (many_instructions, many_ops) = short[1].result(), long[1].result()
        units = many_ops - few_ops if unit == "page op" else (long[0] - short[0]) * pages
        return (many_instructions - few_instructions) / units

    def start_workload(self, program, workload):
        return self.start(program, workload.settings, workload.counts)


# --- the drive of the comparisons ---

def best_run(program, workload, scale, repeat):
    settings = COMMAND + workload.settings + [f"workload.number_ios={workload.requests // scale}"]
    return min((execute(program, settings) for _ in range(repeat)), key=lambda r: r.summary["time"]["wall_s"])


def measure_workloads(program, scale, repeat):
    print(f"\n{'workload, closed loop, QD 32':30} {'requests/s':>11} {'page ops/s':>11} {'kernel events':>13} "
          f"{'peak RSS':>9}\n{'':30} {'':>11} {'':>11} {'per page op':>13} {'MB':>9}")
    rows = []
    for workload in WORKLOADS:
        clock = best_run(program, workload, scale, repeat).summary["time"]
        events = clock["kernel_events_per_page_op"]
        row = {"name": workload.name, "requests_per_s": clock["requests_per_wall_s"],
               "page_ops_per_s": clock["page_operations"] / clock["wall_s"], "kernel_events_per_page_op": events,
               "peak_rss_mb": clock["peak_rss_bytes"] / 1e6}
        print(f"{row['name']:30} {row['requests_per_s']:11,.0f} {row['page_ops_per_s']:11,.0f} "
              f"{'-' if events is None else format(events, '13.2f'):>13} {row['peak_rss_mb']:9,.0f}", flush=True)
        rows.append(row)
    return rows


def measure_instructions(program, counter):
    started = [counter.start_workload(program, workload) for workload in WORKLOADS]
    for workload, (short, long) in zip(WORKLOADS, started):
        value = counter.instructions_between(short, long, workload.unit, workload.pages)
        yield Figure(workload.name, value, f"instructions / {workload.unit}", workload.limit, workload.stretch)


def measure_scaling(program, counter):
    """Does a request cost the same in long runs, at any queue depth, after long idle times?"""
    lengths = counter.start(program, RANDOM_WRITE, [10_000, 20_000, 60_000])
    depths = {d: counter.start(program, RANDOM_WRITE + [f"host.iodepth={d}"], RANDOM) for d in (1, 32, 512)}
    pages = {d: counter.start(program, MANY_PLANES + SEQUENTIAL_WRITE + [f"host.iodepth={d}"], SEQUENTIAL) for d in (32, 512)}
    open_loop = RANDOM_WRITE + ["host.mode=open"]
    rates = {r: counter.start(program, open_loop + [f"workload.rate_iops={r}"], [2_000, 6_000]) for r in (1, 100)}
    between = counter.instructions_between
    yield Figure("a request late in a run", between(lengths[1], lengths[2]) / between(lengths[0], lengths[1]),
                 "x one early in it", TOLERANCE)
    usual = between(*depths[32])
    for depth in (1, 512):
        yield Figure(f"a request at QD {depth}", between(*depths[depth]) / usual, "x one at QD 32", TOLERANCE)
    yield Figure("a page at QD 512, nv-ddr3", between(*pages[512]) / between(*pages[32]), "x one at QD 32", 1.1)
    # Both are alone in their interval of the timeline, whose rows cost something.
    yield Figure("a request after 1 s idle", between(*rates[1]) / between(*rates[100]), "x one after 10 ms", TOLERANCE)


# --- memory and large drives ---

def measure_memory(program):
    """Growth of the resident set of a drive whose every block was used and whose every sector the host wrote."""
    gib = 16
    sectors = "workload.rw=write", "workload.bs=128k", "workload.number_ios=111412"  # all of 85 % of 16 GiB
    for mode, limit, stretch in (("tag", 8.4, 6), ("none", 4, None)):
        settings = CLOSED + [f"data.mode={mode}"]
        empty = execute(program, settings + ["workload.number_ios=0"])
        full = execute(program, settings + FILLED + ["precondition.overwrite=30%", *sectors])
        growth = full.summary["time"]["peak_rss_bytes"] - empty.summary["time"]["peak_rss_bytes"]
        yield Figure(f"memory, data.mode = {mode}", growth / 1e6 / gib, "MB / raw GiB of 4 KiB pages", limit, stretch)


def measure_big_drive(program, repeat):
    nothing = CLOSED + ["workload.number_ios=0"]
    start_up = min(execute(program, nothing, BIG_DRIVE).wall for _ in range(repeat))
    fill = nothing + ["precondition.mode=fill", "precondition.fill=70%"]
    filled = min((execute(program, fill, BIG_DRIVE) for _ in range(repeat)), key=lambda r: r.wall)
    yield Figure("start-up of 288 GiB", start_up, "s", 1)
    yield Figure("preconditioning it to 70 %", filled.wall - start_up, "s", 20)


def measure_filled_drive(program, repeat):
    """CPU time of a random read where maps and cells are larger than any cache: instructions do not tell."""
    requests = 600_000
    drive = COMMAND[1:] + ["geometry.blocks_per_plane=512"] + WORKLOADS[0].settings  # 32 GiB
    filled, read = (min(execute(program, drive + [f"workload.number_ios={n}"]).cpu for _ in range(repeat))
                    for n in (0, requests))
    yield Figure("random read, 32 GiB filled", (read - filled) / requests * 1e6, "us of CPU time", 2.0, 1.2)


# --- output ---

def number(value):
    return "-" if value is None else f"{value:,.0f}" if value >= 100 else f"{value:,.2f}"


def print_figures(title, figures):
    print(f"\n{title:30} {'measured':>10} {'at most':>8} {'stretch':>8} {'ratio':>6}")
    kept = []
    for f in figures:
        print(f"{f.name:30} {number(f.value):>10} {number(f.limit):>8} {number(f.stretch):>8} {f.value / f.limit:6.2f}  "
              f"{f.verdict():16}  {f.unit}", flush=True)
        kept.append(f)
    return kept


def compare(program, other, counter, scale, repeat):
    """Both programs in turn, so that what else the machine does meets both."""
    print(f"A = {program}\nB = {other}\nA / B: above 1 A is faster, for instructions A takes more\n")
    print(f"{'workload':30} {'A requests/s':>13} {'B requests/s':>13} {'A / B':>6}   {'A instr.':>9} {'B instr.':>9} "
          f"{'A / B':>6}")
    rows = []
    for workload in WORKLOADS:
        counts = [counter.start_workload(p, workload) for p in (program, other)] if counter else []
        instructions = [counter.instructions_between(*c, workload.unit, workload.pages) for c in counts]
        speeds = [0.0, 0.0]
        for _ in range(repeat):
            for i, p in enumerate((program, other)):
                run = best_run(p, workload, scale, 1)
                speeds[i] = max(speeds[i], run.summary["time"]["requests_per_wall_s"])
        line = f"{workload.name:30} {speeds[0]:13,.0f} {speeds[1]:13,.0f} {speeds[0] / speeds[1]:6.2f}"
        if instructions:
            line += f"   {instructions[0]:9,.0f} {instructions[1]:9,.0f} {instructions[0] / instructions[1]:6.2f}"
        print(line, flush=True)
        rows.append({"name": workload.name, "requests_per_s": speeds, "instructions": instructions})
    return rows


def build(optimised):
    commands = [["cmake", "--preset", "release"],
                ["cmake", "--build", "--preset", "release", "--target", "twinplane"]]
    if optimised:
        commands = [["scripts/build_optimised"]]
    program = ROOT / "build" / ("optimised" if optimised else "release") / "twinplane"
    for command in commands:
        done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
        if done.returncode != 0:
            sys.exit(f"bench: {' '.join(command)} failed:\n{done.stdout}{done.stderr}")
    return program


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--quick", action="store_true", help="a tenth of the requests; no big drive, no scaling")
    parser.add_argument("--no-instructions", action="store_true", help="count no instructions")
    parser.add_argument("--optimised", action="store_true", help="measure what scripts/build_optimised makes")
    parser.add_argument("--program", type=pathlib.Path, help="measure this program instead of building one")
    parser.add_argument("--vs", type=pathlib.Path, metavar="BINARY", help="compare with this program")
    parser.add_argument("--json", type=pathlib.Path, metavar="FILE", help="also write the figures here")
    options = parser.parse_args()
    os.environ["SYSTEMC_DISABLE_COPYRIGHT_MESSAGE"] = "1"
    for path in (options.program, options.vs):
        if path is not None and not path.is_file():
            sys.exit(f"bench: {path} is missing")
    program = options.program or build(options.optimised)
    name = None if options.no_instructions else pick_counter()
    counter = Counter(name) if name else None
    scale, repeat = (10, 1) if options.quick else (1, 3)
    print(f"{os.cpu_count()} cores, load {os.getloadavg()[0]:.1f}; data tags on, waves off; instructions counted by "
          f"{name or '- (neither perf nor valgrind here)'}")
    result = {"counter": name, "load": os.getloadavg()[0]}
    if options.vs is not None:
        result["comparison"] = compare(program, options.vs, counter, scale, repeat)
    else:
        result["workloads"] = measure_workloads(program, scale, repeat)
        figures = []
        if counter:
            figures += print_figures(f"marginal, by {name}", measure_instructions(program, counter))
        figures += print_figures("memory", measure_memory(program))
        if not options.quick:
            figures += print_figures("filled drive", measure_filled_drive(program, repeat))
            figures += print_figures("large drive", measure_big_drive(program, repeat))
            if counter:
                figures += print_figures(f"scaling, by {name}", measure_scaling(program, counter))
        result["figures"] = [dict(f._asdict(), met=f.value <= f.limit) for f in figures]
        missed = [f.name for f in figures if f.value > f.limit]
        print(f"\n{len(figures) - len(missed)} of {len(figures)} limits met" +
              (f"; missed: {', '.join(missed)}" if missed else ""))
    if options.json:
        options.json.write_text(json.dumps(result, indent=1) + "\n")
    if FAILED:
        sys.exit("\n".join(FAILED))
