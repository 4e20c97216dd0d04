"""Does the plane-time account blame the right thing? Each case is a drive twice, with and without what its planes wait for."""

import argparse
import json
import pathlib
import subprocess
import sys
import tempfile
from dataclasses import dataclass

ROOT = pathlib.Path(__file__).resolve().parents[2]
PAGE = ROOT / "docs/plane_time.md"
FACTOR = 1.7  # by which the share of a cause and what is gained without it may differ
SMALL = """
[geometry]
channels = 1
chips_per_channel = 2
dies_per_chip = 1
planes_per_die = 2
blocks_per_plane = 32
pages_per_block = 16
page_size = "16KiB"
spare_size = "0B"
[nand]
cell = "slc"
tR = "50us"
tPROG = "300us"
tBERS = "2ms"
bac = false
[bus]
interface = "flat"
ns_per_byte = "1ns"
[host]
mode = "closed"
iodepth = 16
[workload]
bs = "16KiB"
number_ios = 3000
[report]
plane_time = true
"""
LARGE = """
[geometry]
channels = 8
chips_per_channel = 4
dies_per_chip = 8
planes_per_die = 4
blocks_per_plane = 4
pages_per_block = 48
page_size = "16KiB"
spare_size = "1952B"
sector_size = "4KiB"
[nand]
cell = "tlc"
tR = ["45us", "55us", "65us"]
tPROG = ["400us", "800us", "2ms"]
tBERS = "5ms"
[bus]
interface = "nv-ddr3"
mode = 12
[pcie]
generation = 4
lanes = 4
[dram]
bandwidth = "25.6GB/s"
[host]
mode = "closed"
queues = 8
iodepth = 64
[workload]
rw = "read"
bs = "128KiB"
number_ios = 6000
ramp_ios = 1200
[precondition]
mode = "fill"
fill = "100%"
[ftl]
over_provisioning = "50%"
[report]
plane_time = true
"""
READS = ("workload.rw=randread", "precondition.mode=fill", "precondition.fill=90%")
FAST_PARTS = ("workload.rw=write", "nand.tPROG=50us", "bus.ns_per_byte=0.1ns")
MANY = ("workload.rw=randread", "workload.bs=4KiB", "host.iodepth=256", "workload.number_ios=20000", "workload.ramp_ios=4000")


@dataclass(frozen=True)
class Counterfactual:
    """A drive that lacks something, by `settings`, and what it is like without that: `instead`."""

    drive: str  # text of a configuration
    lacks: str
    settings: tuple
    instead: tuple
    causes: tuple  # of the account, which blame it
    limited_by: str = ""  # what the report says; empty: is not looked at
    left: float = 0.01  # share of the causes that may be left

    def measure(self, program):
        """A dict: share of the causes, what is left of it, gain, and what the report says of the first run."""
        first, then = run(program, self.drive, self.settings), run(program, self.drive, (*self.settings, *self.instead))
        time, after = time_of(first), time_of(then)
        return {"share": share(first, self.causes), "left": share(then, self.causes) * after / time, "gain": 1 - after / time,
                "limited_by": first["utilisation"]["limited_by"]}


def run(program, drive, settings):
    with tempfile.TemporaryDirectory() as folder:
        config = pathlib.Path(folder) / "drive.toml"
        config.write_text(drive)
        words = [word for setting in settings for word in ("--set", setting)]
        done = subprocess.run([program, "run", "-c", str(config), *words, "--out", folder], capture_output=True, text=True, check=False,
                              timeout=300)
        if done.returncode != 0:
            raise RuntimeError(f"{' '.join(words)}: {done.stderr}")
        return json.loads((pathlib.Path(folder) / "summary.json").read_text())


def time_of(summary):
    """Nanoseconds of all planes per request."""
    return summary["plane_time"]["total_ns"] / (summary["host"]["read"]["count"] + summary["host"]["write"]["count"])


def share(summary, causes):
    account = summary["plane_time"]
    return sum(account["causes_ns"][cause] for cause in causes) / account["total_ns"]


HELD = ("held_pac", "held_bac", "held_kind", "held_late", "held_policy")
SMALL_CASES = (
    Counterfactual(SMALL, "equal page addresses", READS, ("nand.pac=false",), ("held_pac",)),
    Counterfactual(SMALL, "equal block addresses", (*READS, "nand.bac=true", "nand.pac=false"), ("nand.bac=false",), ("held_bac",)),
    Counterfactual(SMALL, "a slow bus, 4 ns a byte", (*READS, "bus.ns_per_byte=4ns"), ("bus.ns_per_byte=0.02ns",), ("bus", "transfer")),
    Counterfactual(SMALL, "a core of 10 MHz", (*READS, "cpu.clock=10MHz"), ("cpu.clock=10GHz",), ("core",)),
    Counterfactual(SMALL, "one lane of the first generation", (*FAST_PARTS, "pcie.lanes=1", "pcie.generation=1"), ("pcie.ideal=true",),
                   ("dma",)),
    Counterfactual(SMALL, "a DRAM of 200 MB/s", (*FAST_PARTS, "dram.bandwidth=200MB/s"), ("dram.bandwidth=100GB/s",), ("dma",)),
    Counterfactual(SMALL, "decoding in 50 us", (*READS, "controller.ecc_latency=50us"), ("controller.ecc_latency=0us",), ("ecc",)),
    Counterfactual(SMALL, "decoders of 200 MB/s", (*READS, "controller.ecc.code=ldpc", "controller.ecc.throughput=200MB/s"),
                   ("controller.ecc.throughput=0B/s",), ("ecc",)),
    Counterfactual(SMALL, "30 mA for the drive", ("workload.rw=write", "energy.peak_limit=30"), ("energy.peak_limit=0",), ("power",)),
)
LARGE_CASES = (
    Counterfactual(LARGE, "the link, in use for little longer than the buses", (), ("pcie.ideal=true",), ("dma",), "link to host"),
    Counterfactual(LARGE, "one lane of the third generation", ("pcie.lanes=1", "pcie.generation=3"), ("pcie.ideal=true",), ("dma",),
                   "link to host"),
    Counterfactual(LARGE, "a DRAM of 8 GB/s", ("dram.bandwidth=8GB/s",), ("dram.bandwidth=100GB/s",), ("dma",), "dram", left=0.1),
    Counterfactual(LARGE, "a core of 100 MHz", (*MANY, "cpu.clock=100MHz"), ("cpu.clock=10GHz",), ("core",), "core", left=0.1),
    Counterfactual(LARGE, "a slow bus, SDR mode 5", ("bus.interface=sdr", "bus.mode=5"), ("bus.interface=nv-ddr3", "bus.mode=12"),
                   ("bus", "transfer"), "buses", left=0.2),
    Counterfactual(LARGE, "reading in 1 ms", (*MANY, "cpu.clock=10GHz", "host.iodepth=1024", "nand.tR=1ms"), ("nand.tR=20us",),
                   ("read_host", *HELD, "imbalance"), "dies", left=0.2),
    Counterfactual(LARGE, "64 page buffers for a thousand planes", (*MANY, "cpu.clock=10GHz", "host.iodepth=1024", "nand.tR=500us",
                                                                     "ftl.page_buffers=64"),
                   ("ftl.page_buffers=8192",), ("page_buffers",), "page buffers"),
    Counterfactual(LARGE, "decoders of 200 MB/s", ("controller.ecc.code=ldpc", "controller.ecc.throughput=200MB/s"),
                   ("controller.ecc.throughput=0B/s",), ("ecc",), "ecc"),
)


def table(rows):
    """Markdown: the rows of docs/plane_time.md. `rows`: [(case, what measure() found)]."""
    lines = ["| taken away | by | share of its cause | gain | `limited_by` |", "|---|---|---|---|---|"]
    for case, found in rows:
        causes = " and ".join(f"`{cause}`" for cause in case.causes if cause not in HELD or len(case.causes) == 1)
        causes += " and `held_*`" if "held_late" in case.causes else ""
        by = ", ".join(f"`{setting.replace('=', ' = ')}`" for setting in case.instead)
        lines.append(f"| {case.lacks} | {by} | {causes} {found['share']:.0%} | {found['gain']:.0%} | {found['limited_by']} |".replace(
            "%", " %"))
    return "\n".join(lines) + "\n"


def main():
    heads = {"Two dies": SMALL_CASES, "Eight channels of 32 dies": LARGE_CASES}
    parser = argparse.ArgumentParser(description="Measures the table of docs/plane_time.md, \"Does it blame the right one?\", and prints it")
    parser.add_argument("--program", default=str(ROOT / "build/release/twinplane"), help="default: %(default)s")
    parser.add_argument("--write", action="store_true", help=f"replace the table in {PAGE.relative_to(ROOT)}")
    options = parser.parse_args()
    text = "\n".join(f"{head}:\n\n" + table([(case, case.measure(options.program)) for case in some]) for head, some in heads.items())
    if not options.write:
        print(text, end="")
        return 0
    begin, end = "<!-- twinplane counterfactuals -->\n\n", "\n<!-- end -->\n"
    page = PAGE.read_text()
    if begin not in page or end not in page:
        sys.exit(f"{PAGE}: expected the lines {begin.strip()} and {end.strip()}")
    before, rest = page.split(begin, 1)
    PAGE.write_text(before + begin + text + end + rest.split(end, 1)[1])
    return 0
