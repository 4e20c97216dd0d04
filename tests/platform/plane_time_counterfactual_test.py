#!/usr/bin/env python3
"""Does taking away what the plane-time account blames take away its time, and the run's time with it?

Each case is a small drive twice, with and without the thing that planes wait for. The share of the cause in the first run is
what the account promises; the second run tells what is gained. Other waits grow or shrink with it, so they agree within FACTOR.
"""

import json
import os
import pathlib
import subprocess
import tempfile
import unittest

PROGRAM = os.environ["TWINPLANE_PROGRAM"]
FACTOR = 1.7
DRIVE = """
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
READS = ["workload.rw=randread", "precondition.mode=fill", "precondition.fill=90%"]
FAST_PARTS = ["workload.rw=write", "nand.tPROG=50us", "bus.ns_per_byte=0.1ns"]


def run(settings):
    """Nanoseconds of all planes per request, and of each cause."""
    with tempfile.TemporaryDirectory() as folder:
        config = pathlib.Path(folder) / "drive.toml"
        config.write_text(DRIVE)
        words = [word for setting in settings for word in ("--set", setting)]
        process = subprocess.run([PROGRAM, "run", "-c", str(config), *words, "--out", folder], capture_output=True, text=True,
                                 check=False, timeout=120)
        assert process.returncode == 0, process.stderr
        summary = json.loads((pathlib.Path(folder) / "summary.json").read_text())
    requests = summary["host"]["read"]["count"] + summary["host"]["write"]["count"]
    account = summary["plane_time"]
    return account["total_ns"] / requests, {cause: time / requests for cause, time in account["causes_ns"].items()}


class Counterfactual(unittest.TestCase):
    def compare(self, base, without, causes):
        total, before = run(base)
        after_total, after = run([*base, without])
        share = sum(before[cause] for cause in causes) / total
        left = sum(after[cause] for cause in causes) / total
        gain = 1 - after_total / total
        print(f"{without}: {', '.join(causes)} {share:.1%} -> {left:.1%} of the time, gain {gain:.1%}")
        self.assertGreater(share, 0.05, "the case shows the cause")
        self.assertLess(left, 0.01)
        self.assertGreater(gain * FACTOR, share)
        self.assertLess(gain, share * FACTOR)

    def test_equal_page_addresses(self):
        self.compare(READS, "nand.pac=false", ["held_pac"])

    def test_equal_block_addresses(self):
        self.compare([*READS, "nand.bac=true", "nand.pac=false"], "nand.bac=false", ["held_bac"])

    def test_the_bus(self):
        self.compare([*READS, "bus.ns_per_byte=4ns"], "bus.ns_per_byte=0.02ns", ["bus", "transfer"])

    def test_the_core(self):
        self.compare([*READS, "cpu.clock=10MHz"], "cpu.clock=10GHz", ["core"])

    def test_the_link(self):
        self.compare([*FAST_PARTS, "pcie.lanes=1", "pcie.generation=1"], "pcie.ideal=true", ["dma"])

    def test_the_dram(self):
        self.compare([*FAST_PARTS, "dram.bandwidth=200MB/s"], "dram.bandwidth=100GB/s", ["dma"])

    def test_decoders_that_take_long(self):
        self.compare([*READS, "controller.ecc_latency=50us"], "controller.ecc_latency=0us", ["ecc"])

    def test_decoders_that_have_little_throughput(self):
        base = [*READS, "controller.ecc.code=ldpc", "controller.ecc.throughput=200MB/s"]
        self.compare(base, "controller.ecc.throughput=0B/s", ["ecc"])

    def test_a_limit_of_current(self):
        base = ["workload.rw=write", "energy.peak_limit=30"]
        self.compare(base, "energy.peak_limit=0", ["power"])


if __name__ == "__main__":
    unittest.main()
