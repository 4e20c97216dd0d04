#!/usr/bin/env python3
"""Does a drive with the Verilog controller on a channel do what the drive with ours does?

    rtl_drive_test.py TWINPLANE RTL_TWINPLANE

Both replay the same traces on examples/rtl_controller/drive.toml, preconditioned, with garbage collection; a protocol monitor
listens to every channel, and the host checks every sector that it reads.
"""

import json
import pathlib
import random
import subprocess
import sys
import tempfile
import unittest

DRIVE = pathlib.Path(__file__).resolve().parents[2] / "examples/rtl_controller/drive.toml"
PAGE = 2048
SECTOR = 512
COLUMNS = "time=0:ns,op=1:read|write,offset=2:bytes,size=3:bytes,sep=comma"
FULL = ["precondition.mode=fill", "precondition.fill=100%", "precondition.overwrite=50%"]
PROGRAMS = []

# By how much a page operation may take longer: the out-of-band word (8 bytes of 20 ns), a period of 10 ns and what rounding
# takes for each of twenty steps on the bus, three periods for R/B# to come through its flip-flops.
SLOWER_NS = 8 * 20 + 20 * 2 * 10 + 3 * 10


def within_a_page(rng):
    first = rng.randrange(4)
    return rng.randrange(0, 1200) * PAGE + first * SECTOR, rng.randrange(1, 5 - first) * SECTOR


def over_pages(rng):
    return rng.randrange(0, 1200) * PAGE + rng.randrange(3) * SECTOR, rng.choice([512, 1024, 2048, 2048, 4096, 8192])


def trace(place, requests, gap_ns):
    rng = random.Random(5)
    lines = []
    for i in range(requests):
        operation = "write" if rng.random() < 0.7 else "read"
        offset, size = place(rng)
        lines.append(f"{i * gap_ns},{operation},{offset},{size}\n")
    return "".join(lines)


def run(program, text, settings, options=()):
    """(exit status, what it said, summary)"""
    with tempfile.TemporaryDirectory(prefix="twinplane-rtl-") as folder:
        (pathlib.Path(folder) / "trace.csv").write_text(text, encoding="utf-8")
        words = [program, "run", "-c", str(DRIVE), "--trace", "trace.csv", "--columns", COLUMNS, "--out", "out"]
        for setting in settings:
            words += ["--set", setting]
        words += options
        done = subprocess.run(words, capture_output=True, text=True, timeout=250, check=False, cwd=folder)
        summary = pathlib.Path(folder) / "out/summary.json"
        return done.returncode, done.stdout + done.stderr, json.loads(summary.read_text()) if summary.exists() else None


class RtlDrive(unittest.TestCase):
    def both(self, text, settings):
        """Summaries of the drive with our controller and with that in Verilog, after what must hold in each."""
        found = []
        for program in PROGRAMS:
            status, said, summary = run(program, text, settings)
            self.assertEqual(status, 0, said)
            self.assertEqual(summary["host"]["verify"]["mismatches"], 0)
            self.assertGreater(summary["host"]["verify"]["checked"], 0)
            self.assertEqual(summary["nand"]["violations"]["total"], 0)
            self.assertEqual(summary["nand"]["violations"]["monitor"]["total"], 0)
            self.assertEqual(summary["workload"]["failed"], 0)
            self.assertNotIn("twinplane.pins", said)
            self.assertGreater(summary["ftl"]["gc"]["blocks_erased"], 0)
            found.append(summary)
        ours, theirs = found
        self.assertEqual(ours["workload"], theirs["workload"])
        self.assertEqual(ours["host"]["verify"], theirs["host"]["verify"])
        return ours, theirs

    def test_does_the_same_operations_when_no_two_requests_meet(self):
        """Then nothing is decided by who comes first, so nothing but time may differ."""
        ours, theirs = self.both(trace(within_a_page, 400, 4_000_000), [*FULL, "host.mode=open"])
        for part in ("nand", "ftl", "accounts", "warnings"):
            self.assertEqual(ours[part], theirs[part])
        self.assertEqual(ours["channels"][1]["busy_ns"], theirs["channels"][1]["busy_ns"])
        wire = [channel["data_in_ns"] for channel in (ours["channels"][0], theirs["channels"][0])]
        self.assertLess(wire[0], wire[1])
        self.assertLess(wire[1], wire[0] * 1.01)
        # a read is one operation, a write of a part of a page two; they meet those of garbage collection
        for direction, operations in (("read", 2), ("write", 3)):
            mean = [summary["host"][direction]["latency_ns"]["mean"] for summary in (ours, theirs)]
            self.assertGreater(mean[1], mean[0])
            self.assertLess(mean[1], mean[0] + operations * SLOWER_NS)

    def test_verifies_every_sector_under_load(self):
        ours, theirs = self.both(trace(over_pages, 500, 0), [*FULL, "host.mode=closed", "host.iodepth=16"])
        for counter in ("pages_programmed", "blocks_erased"):
            counts = [summary["ftl"].get(counter, summary["ftl"]["gc"].get(counter)) for summary in (ours, theirs)]
            self.assertLess(abs(counts[1] - counts[0]), 0.05 * counts[0], counter)
        for direction in ("read", "write"):
            mean = [summary["host"][direction]["latency_ns"]["mean"] for summary in (ours, theirs)]
            self.assertLess(abs(mean[1] - mean[0]), 0.1 * mean[0], direction)

    def test_drives_the_only_channel(self):
        self.both(trace(over_pages, 200, 0), ["geometry.channels=1", "geometry.blocks_per_plane=32", *FULL, "host.mode=closed",
                                              "host.iodepth=8", "data.mode=full"])

    def test_drives_dies_that_share_a_chip(self):
        self.both(trace(over_pages, 300, 0), ["geometry.dies_per_chip=2", "geometry.blocks_per_plane=8", *FULL,
                                              "precondition.overwrite=150%", "ftl.over_provisioning=60%", "host.mode=closed",
                                              "host.iodepth=16"])

    def test_reads_what_the_trace_will_read(self):
        """Preconditioning by the trace: pages that it reads before it writes them, through the debug path."""
        self.both(trace(over_pages, 700, 0), ["precondition.mode=trace", "geometry.blocks_per_plane=10", "host.mode=closed",
                                              "host.iodepth=8"])

    def test_takes_pages_that_failed_or_were_cut_short_for_unreadable_and_not_for_erased(self):
        for seed in range(1, 5):
            status, said, summary = run(
                PROGRAMS[1], trace(over_pages, 60, 0),
                ["nand.fail.program=20%", "power.hold_up=0", "ftl.over_provisioning=60%", "geometry.channels=1", f"run.seed={seed}"],
                ["--power-cut", "random:2"])
            self.assertIsNotNone(summary, said)
            self.assertEqual(summary["nand"]["violations"]["total"], 0, said)
            self.assertEqual(summary["nand"]["violations"]["monitor"]["total"], 0, said)

    def test_refuses_what_it_cannot_do_by_name(self):
        for setting, complaint in (("nand.suspend=true", "nand.suspend"), ("controller.cache_reads=true", "controller.cache_reads"),
                                   ("bus.interface=nv-ddr2", "bus.interface"), ("bus.ready=poll", "bus.ready"),
                                   ("nand.fail.read=0.1", "nand.fail.read"),
                                   ("ftl.copyback=checked", "ftl.copyback"),
                                   ("nand.one_pass=true nand.cell=tlc geometry.pages_per_block=24", "nand.one_pass"),
                                   ("ftl.lower_pages=backup power.hold_up=0 nand.cell=mlc", "ftl.lower_pages = backup")):
            status, said, _ = run(PROGRAMS[1], trace(over_pages, 5, 0), setting.split())
            self.assertNotEqual(status, 0, setting)
            self.assertIn("controller0" if "fail" not in setting else "ch0_chip0", said)
            self.assertIn(complaint, said)


if __name__ == "__main__":
    PROGRAMS = [pathlib.Path(program).resolve() for program in sys.argv[1:3]]
    unittest.main(argv=sys.argv[:1] + sys.argv[3:])
