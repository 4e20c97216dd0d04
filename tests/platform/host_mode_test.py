#!/usr/bin/env python3
"""Does a workload with times keep them, one without any not turn into an overload, and is no depth ignored?"""

import json
import os
import pathlib
import re
import shlex
import subprocess
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
PROGRAM = os.environ["TWINPLANE_PROGRAM"]
SMALL = ["--set", "geometry.blocks_per_plane=64", "--set", "geometry.pages_per_block=64", "--set", "nand.cell=slc"]
COLUMNS = ["--columns", "time=0:us,op=1:R|W,offset=2:bytes,size=3:bytes,sep=comma"]


class HostMode(unittest.TestCase):
    def setUp(self):
        self.temporary = tempfile.TemporaryDirectory()
        self.folder = pathlib.Path(self.temporary.name)

    def tearDown(self):
        self.temporary.cleanup()

    def call(self, *words):
        return subprocess.run([PROGRAM, "run", *SMALL, *words, "--out", self.folder / "out"], cwd=ROOT, text=True,
                              capture_output=True, check=False)

    def summary(self, *words):
        done = self.call(*words)
        self.assertEqual(done.returncode, 0, done.stderr)
        return json.loads((self.folder / "out/summary.json").read_text())

    def trace(self, gap_us):
        path = self.folder / "t.csv"
        path.write_text("".join(f"{1000 + i * gap_us},W,{i * 4096},4096\n" for i in range(50)), encoding="utf-8")
        return ["--trace", str(path), *COLUMNS]

    def test_a_trace_with_times_is_replayed_at_them(self):
        summary = self.summary(*self.trace(10_000))
        self.assertEqual(summary["config"]["host"]["mode"], "open")
        self.assertGreaterEqual(summary["host"]["measured_ns"], 49 * 10_000_000)

    def test_a_trace_without_times_is_a_closed_loop(self):
        summary = self.summary(*self.trace(0), "--set", "host.iodepth=2")
        self.assertEqual(summary["config"]["host"]["mode"], "closed")
        self.assertAlmostEqual(summary["host"]["queue_depth_mean"], 2, delta=0.1)

    def test_a_profile_keeps_its_times(self):
        self.assertEqual(self.summary("--profile", "hm_0", "--requests", "50")["config"]["host"]["mode"], "open")

    def test_a_synthetic_workload_is_open_with_a_rate_and_closed_without(self):
        words = ["--set", "workload.number_ios=200"]
        self.assertEqual(self.summary(*words)["config"]["host"]["mode"], "closed")
        self.assertEqual(self.summary(*words, "--set", "workload.rate_iops=1000")["config"]["host"]["mode"], "open")

    def test_a_mode_that_is_given_holds(self):
        self.assertEqual(self.summary(*self.trace(10_000), "--set", "host.mode=closed")["config"]["host"]["mode"], "closed")
        self.assertEqual(self.summary("--set", "workload.number_ios=20", "--set", "host.mode=open")["config"]["host"]["mode"],
                         "open")

    def test_a_depth_that_would_be_ignored_is_an_error(self):
        for words in (self.trace(10_000), ["--set", "workload.number_ios=20", "--set", "workload.rate_iops=1000"],
                      ["--set", "workload.number_ios=20", "--set", "host.mode=open"]):
            done = self.call(*words, "--set", "host.iodepth=8")
            self.assertEqual(done.returncode, 1, done.stdout)
            self.assertRegex(done.stderr, r"error: .*host.iodepth.* would be ignored")

    def test_the_example_of_the_help_is_no_overload(self):
        shown = subprocess.run([PROGRAM, "--help"], capture_output=True, text=True, check=True).stdout
        example = re.search(r"twinplane run (-c \S+ --set workload.*)", shown, re.DOTALL).group(1)
        done = subprocess.run([PROGRAM, "run", *shlex.split(example)[:6], "--out", self.folder / "out"], cwd=ROOT,
                              capture_output=True, text=True, check=False)
        self.assertEqual(done.returncode, 0, done.stderr)
        summary = json.loads((self.folder / "out/summary.json").read_text())
        self.assertEqual(summary["workload"]["requests"], 50_000)
        self.assertFalse([w for w in summary["warnings"] if "not finished" in w])
        self.assertLessEqual(summary["host"]["queue_depth_mean"], 32)


if __name__ == "__main__":
    unittest.main()
