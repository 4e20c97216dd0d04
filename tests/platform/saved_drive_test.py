#!/usr/bin/env python3
"""Is a drive that was kept the drive that it was? Runs from it must leave the same bytes as runs that precondition."""

import json
import os
import pathlib
import resource
import signal
import subprocess
import tempfile
import unittest

PROGRAM = os.environ["TWINPLANE_PROGRAM"]
SMALL = {"geometry.channels": 2, "geometry.dies_per_chip": 1, "geometry.planes_per_die": 2, "geometry.blocks_per_plane": 24,
         "geometry.pages_per_block": 24, "geometry.page_size": "8KiB", "geometry.spare_size": "448B",
         "geometry.sector_size": "512B", "bus.monitor": "true", "ftl.over_provisioning": "35%", "nand.cell": "mlc",
         "precondition.mode": "fill", "precondition.fill": "100%", "precondition.overwrite": "120%",
         "workload.rw": "randrw", "workload.number_ios": 700, "workload.bssplit": "4k/60:32k/40"}
CACHE = {"geometry.subpages_per_page": 4, "nand.partial_programs": 4, "slc_cache.share": "20%", "slc_cache.wear_gap": 3}
WALL_CLOCK = ("wall_s", "requests_per_wall_s", "peak_rss_bytes")


def policies():
    """The presets that the program knows."""
    listed = subprocess.run([PROGRAM, "list"], capture_output=True, text=True, check=True).stdout
    first = listed.split("decisions of the FTL")[0].splitlines()[1:]
    return [line.split()[0] for line in first if line.strip()]


def needs(policy):
    if policy in ("slc_cache", "mga", "ipu"):
        return {"ftl.policy": policy, **CACHE}
    if policy in ("pa-ssd", "pa-twin"):
        return {"ftl.policy": policy, "nand.cell": "tlc"}
    return {"ftl.policy": policy}


class SavedDrive(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.root = pathlib.Path(self.folder.name)
        self.state = self.root / "drive.state"

    def tearDown(self):
        self.folder.cleanup()

    def run_drive(self, settings, *words):
        sets = [w for k, v in settings.items() for w in ("--set", f"{k}={v}")]
        return subprocess.run([PROGRAM, "run", *sets, *map(str, words)], capture_output=True, text=True, check=False,
                              timeout=240, cwd=self.root)

    def results(self, settings, name, *words):
        out = self.root / name
        done = self.run_drive(settings, "--out", out, *words)
        self.assertEqual(done.returncode, 0, done.stderr)
        files = {path.name: path.read_bytes() for path in out.iterdir()}
        summary = json.loads(files.pop("summary.json"))
        for key in WALL_CLOCK:
            del summary["time"][key]
        return summary, files

    def expect_same(self, settings):
        first = self.results(settings, "first", "--save-state", self.state)
        saved = self.state.read_bytes()
        loaded = self.results(settings, "loaded", "--load-state", self.state, "--save-state", self.root / "again.state")
        self.assertEqual(first[0], loaded[0])
        self.assertEqual(first[1], loaded[1])
        self.assertEqual(saved, (self.root / "again.state").read_bytes(), "what is loaded is what was saved")

    def expect_refusal(self, settings, *words):
        done = self.run_drive(settings, "--load-state", self.state)
        self.assertEqual(done.returncode, 1)
        self.assertRegex(done.stderr, r"(?m)^error: ")  # a sanitizer may note something before
        for word in words:
            self.assertIn(word, done.stderr)


class EveryPolicy(SavedDrive):
    def test_goes_on_as_if_it_had_not_been_saved(self):
        for policy in policies():
            with self.subTest(policy=policy):
                self.expect_same({**SMALL, **needs(policy)})

    def test_goes_on_where_the_next_writes_wait_for_space(self):
        for policy in ("conventional", "pa-ssd", "f2+tbm", "broms", "ipu"):
            with self.subTest(policy=policy):
                self.expect_same({**SMALL, **needs(policy), "precondition.overwrite": "313%", "ftl.gc_threshold": 6,
                                  "workload.rw": "randwrite"})


class EveryPast(SavedDrive):
    """What a drive may bring along besides its data."""

    def test_of_cells(self):
        pasts = {
            "aged": {"precondition.mode": "aged", "precondition.fill": "60%", "precondition.valid": "30%",
                     "precondition.overwrite": "0%"},
            "scattered": {"precondition.phase": "random"},
            "bad blocks": {"nand.factory_bad": "4%", "ftl.over_provisioning": "45%"},
            "whole bytes": {"data.mode": "full"},
            "no data": {"data.mode": "none"},
            "copybacks": {"ftl.copyback": "checked", "ftl.copyback_limit": 2},
            "cache of the core": {"cpu.cache_size": "8KiB"},
            "errors": {"nand.errors.reading": "drawn", "nand.errors.read_disturb": 1e-8},
            "victims at random": {"ftl.victim": "rga"},
            "everything": {"nand.factory_bad": "4%", "ftl.over_provisioning": "45%", "precondition.phase": "random",
                           "report.plane_time": "true", "report.energy": "true", "waves.vcd": "true",
                           "ftl.victim": "fifo"},
        }
        for name, past in pasts.items():
            with self.subTest(past=name):
                self.expect_same({**SMALL, **past})

    def test_is_kept_without_a_run(self):
        drive = {k: v for k, v in SMALL.items() if not k.startswith("workload.")}
        kept = self.run_drive(drive, "--save-state", self.state)
        self.assertEqual(kept.returncode, 0, kept.stderr)
        first = self.results(SMALL, "first")
        self.assertEqual(first, self.results(SMALL, "loaded", "--load-state", self.state))

    def test_serves_other_workloads_and_reports(self):
        self.results(SMALL, "first", "--save-state", self.state)
        other = {**SMALL, "workload.rw": "read", "host.iodepth": 3, "report.energy": "true", "waves.perfetto": "true"}
        self.assertEqual(self.results(other, "one"), self.results(other, "two", "--load-state", self.state))

    def test_of_a_trace_serves_that_trace_alone(self):
        (self.root / "one.csv").write_text("time_ns,op,offset,size,device\n0,read,0,8192,0\n9,read,65536,8192,0\n", encoding="ascii")
        (self.root / "two.csv").write_text("time_ns,op,offset,size,device\n0,read,0,8192,0\n9,read,655360,8192,0\n", encoding="ascii")
        drive = {k: v for k, v in SMALL.items() if not k.startswith("workload.")}
        drive = {**drive, "precondition.mode": "trace", "precondition.overwrite": "0%"}
        words = ("--format", "twinplane", "--trace")
        first = self.results(drive, "first", "--save-state", self.state, *words, "one.csv")
        self.assertEqual(first, self.results(drive, "loaded", "--load-state", self.state, *words, "one.csv"))
        refused = self.run_drive(drive, "--load-state", self.state, *words, "two.csv")
        self.assertEqual(refused.returncode, 1)
        self.assertIn("another trace", refused.stderr)


class Refused(SavedDrive):
    def setUp(self):
        super().setUp()
        done = self.run_drive({k: v for k, v in SMALL.items() if not k.startswith("workload.")}, "--save-state", self.state)
        self.assertEqual(done.returncode, 0, done.stderr)

    def test_is_another_configuration_by_its_keys(self):
        other = {**SMALL, "ftl.victim": "fifo", "geometry.channels": 4, "run.seed": 9}
        self.expect_refusal(other, "ftl.victim = \"fifo\" (saved: \"greedy\")", "geometry.channels = 4 (saved: 2)",
                            "run.seed = 9", str(self.state))
        done = self.run_drive(other, "--load-state", self.state)
        self.assertEqual(done.stderr.count("(saved:"), 3, done.stderr)

    def test_is_a_damaged_file(self):
        whole = self.state.read_bytes()
        for place in range(20, len(whole), max(1, len(whole) // 60)):
            with self.subTest(place=place):
                broken = bytearray(whole)
                broken[place] ^= 0x10
                self.state.write_bytes(broken)
                self.expect_refusal(SMALL, str(self.state))

    def test_is_a_truncated_file(self):
        whole = self.state.read_bytes()
        for length in (0, 5, 18, 19, 30, len(whole) // 2, len(whole) - 1):
            with self.subTest(length=length):
                self.state.write_bytes(whole[:length])
                self.expect_refusal(SMALL, str(self.state))

    def test_is_anything_else(self):
        self.state.write_bytes(self.state.read_bytes().replace(b"twinplane state 1\n", b"twinplane state 2\n", 1))
        self.expect_refusal(SMALL, "version 2", "version 1")
        self.state.write_text("[geometry]\n", encoding="ascii")
        self.expect_refusal(SMALL, "not a saved drive")
        self.state.unlink()
        self.expect_refusal(SMALL, "cannot be opened")

    def test_is_a_place_that_cannot_be_written(self):
        done = self.run_drive(SMALL, "--save-state", self.root / "nowhere" / "drive.state")
        self.assertEqual(done.returncode, 1)
        self.assertIn("cannot write", done.stderr)

    def test_is_a_disk_that_becomes_full(self):
        def small_files():
            signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
            resource.setrlimit(resource.RLIMIT_FSIZE, (20 * 1024, resource.RLIM_INFINITY))

        new = self.root / "new.state"
        sets = [w for k, v in SMALL.items() for w in ("--set", f"{k}={v}")]
        done = subprocess.run([PROGRAM, "run", *sets, "--save-state", new], capture_output=True, text=True, check=False,
                              timeout=120, preexec_fn=small_files)
        self.assertEqual(done.returncode, 1)
        self.assertIn(f'error: cannot write "{new}": File too large', done.stderr)
        self.assertEqual([path for path in self.root.iterdir() if path.name.startswith("new")], [])


if __name__ == "__main__":
    unittest.main()
