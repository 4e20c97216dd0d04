#!/usr/bin/env python3
"""Makes the traces of this folder: the demo trace and one small sample per format, all invented.

    traces/make_traces.py          writes demo.csv.zst and samples/ beside this file (needs the zstd program)

The same seed gives the same bytes. All samples tell the same 200 requests, which is what the tests compare.
"""

import math
import pathlib
import random
import subprocess
from typing import Callable, Iterable, NamedTuple

FOLDER = pathlib.Path(__file__).resolve().parent
KIB = 1024
SECTOR = 512
FILETIME_START = 128166372000000000  # 2007-02-22 17:00 UTC in 100 ns


class Request(NamedTuple):
    time_us: int
    write: bool
    offset: int
    size: int


def pick(rng: random.Random, shares: list[tuple[int, int]]) -> int:
    """One of the values of (value, percent) pairs."""
    draw = rng.random() * 100
    for value, percent in shares:
        draw -= percent
        if draw < 0:
            return value
    return shares[-1][0]


def msr_lines(requests: Iterable[Request]) -> list[str]:
    return [
        f"{FILETIME_START + r.time_us * 10},demo,0,{'Write' if r.write else 'Read'},{r.offset},{r.size},0"
        for r in requests
    ]


# --- the demo trace -------------------------------------------------------------------------------------------

DEMO_REQUESTS = 30000
DEMO_SPACE = 512 * KIB * KIB
HOT_SPACE = 40 * KIB * KIB
READ_SIZES = [(4 * KIB, 50), (8 * KIB, 20), (16 * KIB, 20), (64 * KIB, 10)]
WRITE_SIZES = [(4 * KIB, 35), (8 * KIB, 30), (16 * KIB, 20), (32 * KIB, 15)]


def demo_requests() -> list[Request]:
    """70 % reads, 30 % writes over 512 MiB for about ten seconds: Poisson arrivals, a burst of six times the
    rate for 60 ms out of every 400 ms, three writes of four and every other read in a hot region of 40 MiB,
    every eighth read a step of a sequential scan."""
    rng = random.Random(20)
    requests = []
    now_us = 0.0
    scan = HOT_SPACE
    while len(requests) < DEMO_REQUESTS:
        burst = now_us % 400_000 < 60_000
        now_us += -math.log(1.0 - rng.random()) * 1e6 / (10_000 if burst else 1_700)
        write = rng.random() < 0.30
        size = pick(rng, WRITE_SIZES if write else READ_SIZES)
        if not write and rng.random() < 0.125:
            size = 64 * KIB
            offset = scan
            scan = scan + size if scan + 2 * size <= DEMO_SPACE else HOT_SPACE
        else:
            hot = rng.random() < (0.75 if write else 0.5)
            start, space = (0, HOT_SPACE) if hot else (HOT_SPACE, DEMO_SPACE - HOT_SPACE)
            offset = start + int(rng.random() * ((space - size) // (4 * KIB) + 1)) * 4 * KIB
        requests.append(Request(int(now_us), write, offset, size))
    return requests


# --- samples --------------------------------------------------------------------------------------------------


def sample_requests() -> list[Request]:
    rng = random.Random(7)
    requests = []
    time_us = 0
    for _ in range(200):
        write = rng.random() < 0.6
        size = pick(rng, [(4 * KIB, 60), (8 * KIB, 25), (64 * KIB, 15)])
        offset = int(rng.random() * 16384) * 4 * KIB
        requests.append(Request(time_us, write, offset, size))
        time_us += (1 + int(rng.random() * 20)) * 1000  # whole milliseconds, which every format but one can say
    return requests


def seconds(time_us: int, digits: int, start: int = 0) -> str:
    whole, micros = divmod(time_us, 1_000_000)
    return f"{start + whole}.{micros:06d}" + "0" * (digits - 6)


def milliseconds(time_us: int, digits: int) -> str:
    return f"{time_us // 1000}." + f"{time_us % 1000:03d}".ljust(digits, "0")


def letter(r: Request) -> str:
    return "W" if r.write else "R"


def each(line: Callable[[Request], str]) -> Callable[[list[Request]], list[str]]:
    return lambda requests: [line(r) for r in requests]


def fio_v2(requests: list[Request]) -> list[str]:
    lines = ["fio version 2 iolog", "/dev/sample add", "/dev/sample open"]
    previous = 0
    for r in requests:
        if r.time_us > previous:
            lines.append(f"/dev/sample wait {r.time_us - previous} 0")
        previous = r.time_us
        lines.append(f"/dev/sample {'write' if r.write else 'read'} {r.offset} {r.size}")
    return lines + ["/dev/sample close"]


def fio_v3(requests: list[Request]) -> list[str]:
    lines = ["fio version 3 iolog", "0 /dev/sample add", "0 /dev/sample open"]
    lines += [f"{r.time_us} /dev/sample {'write' if r.write else 'read'} {r.offset} {r.size}" for r in requests]
    return lines + [f"{requests[-1].time_us} /dev/sample close"]


def ftrace(requests: list[Request]) -> list[str]:
    """Each request at its queueing, issue and completion; the task's name holds a blank."""
    lines = ["# tracer: nop"]
    for r in requests:
        place = f"{r.offset // SECTOR} + {r.size // SECTOR}"
        task = "        Web Content-1234    [001] d..1. "
        time = seconds(r.time_us, 6, 1234)
        lines.append(f"{task} {time}: block_bio_queue: 8,0 {letter(r)} {place} [Web Content]")
        lines.append(f"{task} {time}: block_rq_issue: 8,0 {letter(r)} {r.size} () {place} [Web Content]")
        lines.append(f"{task} {seconds(r.time_us + 90, 6, 1234)}: block_rq_complete: 8,0 {letter(r)} () {place} [0]")
    return lines


def blkparse(requests: list[Request]) -> list[str]:
    lines = []
    for i, r in enumerate(requests):
        what = f"{letter(r)} {r.offset // SECTOR} + {r.size // SECTOR}"
        for step, action in enumerate("QGID"):
            lines.append(
                f"  8,0    1 {4 * i + step + 1:8d} {seconds(r.time_us, 9):>15}  1234  {action}   {what} [sample]"
            )
    return lines + ["CPU1 (8,0):", " Reads Queued:         see above", "Total (8,0):"]


def systor17(requests: list[Request]) -> list[str]:
    return ["Timestamp,Response,IOType,LUN,Offset,Size"] + [
        f"{seconds(r.time_us, 9, 1456135200)},0.000200,{letter(r)},0,{r.offset},{r.size}" for r in requests
    ]


def xperf(requests: list[Request]) -> list[str]:
    columns = (
        "TimeStamp, Process Name ( PID), ThreadID, CPU, IrpPtr, ByteOffset, IOSize, ElapsedTime, DiskNum, "
        "IrpFlags, DiskSvcTime, I/O Pri, VolSnap, FileObject, FileName"
    )
    lines = ["BeginHeader", f"DiskRead, {columns}", f"DiskWrite, {columns}", "EndHeader", "OS Version: sample"]
    done = []
    for i, r in enumerate(requests):
        elapsed = 300 + i * 7919 % 5000  # logged at completion, so out of order
        kind = "DiskWrite" if r.write else "DiskRead"
        done.append(
            (
                r.time_us + 10_000 + elapsed,
                f"{kind}, {r.time_us + 10_000 + elapsed}, sample.exe (1234), 56, 0, 0x{i:08x}, 0x{r.offset:010x}, "
                f"0x{r.size:08x}, {elapsed}, 0, 0x000043, {elapsed // 2}, 0, 0, 0x0, \"\"",
            )
        )
    return lines + [line for _, line in sorted(done, key=lambda d: d[0])]


SAMPLES: dict[str, Callable[[list[Request]], list[str]]] = {
    "msr.csv": msr_lines,
    "spc.csv": each(lambda r: f"0,{r.offset // SECTOR},{r.size},{letter(r)},{seconds(r.time_us, 6)}"),
    "systor17.csv": systor17,
    "alibaba.csv": each(lambda r: f"0,{letter(r)},{r.offset},{r.size},{1577808000000000 + r.time_us}"),
    "tencent.csv": each(
        lambda r: f"{1538323200 + r.time_us // 1_000_000},{r.offset // SECTOR},{r.size // SECTOR},{int(r.write)},1"
    ),
    "flashnet.csv": each(
        lambda r: f"{milliseconds(r.time_us, 3)},120,{int(not r.write)},{r.size},{r.offset},"
        f"{milliseconds(r.time_us, 3)},{r.size}"
    ),
    "biotracer.txt": each(
        lambda r: "\t".join(
            [f"{r.offset // SECTOR}", f"{r.size // SECTOR}", f"{r.size}", f"{4 + int(r.write)}"]
            + [seconds(r.time_us + late, 9) for late in (0, 20, 40, 400)]
        )
    ),
    "fiu.txt": each(
        lambda r: f"{r.time_us * 1000} 1234 sample {r.offset // SECTOR} {r.size // SECTOR} {letter(r)} 8 0 "
        f"{(r.offset * 2654435761) % (1 << 128):032x}"
    ),
    "heimdall.txt": each(lambda r: f"{milliseconds(r.time_us, 3)} 0 {r.offset} {r.size} {int(not r.write)}"),
    "flashsim4k.txt": each(
        lambda r: f"{milliseconds(r.time_us, 6)}\t0\t{r.offset // SECTOR}\t{r.size // 4096}\t{int(not r.write)}"
    ),
    "disksim.txt": each(
        lambda r: f"{milliseconds(r.time_us, 6)} 0 {r.offset // SECTOR} {r.size // SECTOR} {int(not r.write)}"
    ),
    "ssdsim.txt": each(
        lambda r: f"{r.time_us * 1000} 0 {r.offset // SECTOR} {r.size // SECTOR} {int(not r.write)}"
    ),
    "mqsim.txt": each(
        lambda r: f"{r.time_us * 1000} 0 {r.offset // SECTOR} {r.size // SECTOR} {int(not r.write)}"
    ),
    "fio_v2.log": fio_v2,
    "fio_v3.log": fio_v3,
    "blkparse.txt": blkparse,
    "ftrace.txt": ftrace,
    "xperf.csv": xperf,
    "columns.csv": lambda requests: ["time_ns,op,offset,size,device"]
    + [f"{r.time_us * 1000},{'write' if r.write else 'read'},{r.offset},{r.size},0" for r in requests],
}


def write_lines(path: pathlib.Path, lines: list[str]) -> None:
    path.write_text("\n".join(lines) + "\n", encoding="ascii")


def main() -> None:
    samples = FOLDER / "samples"
    samples.mkdir(exist_ok=True)
    for name, lines in SAMPLES.items():
        write_lines(samples / name, lines(sample_requests()))
    demo = FOLDER / "demo.csv"
    write_lines(demo, msr_lines(demo_requests()))
    subprocess.run(["zstd", "-q", "-19", "-f", "--rm", str(demo)], check=True)


if __name__ == "__main__":
    main()
