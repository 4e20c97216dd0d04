#!/usr/bin/env python3
"""Does a drive that has no space to spare keep its promise over a power cut? Workloads that once found that it did not (cuts/)."""

import json
import os
import pathlib
import subprocess
import tempfile
import unittest

PROGRAM = os.environ["TWINPLANE_PROGRAM"]
TRACES = pathlib.Path(__file__).parent / "cuts"
ONE_DIE = {"geometry.channels": 1, "geometry.chips_per_channel": 1, "geometry.dies_per_chip": 1, "geometry.pages_per_block": 6, "host.mode": "closed"}

BARE = {**ONE_DIE, "ftl.lower_pages": "none", "power.hold_up": 0}


class CutCorners(unittest.TestCase):
    def call(self, command, settings, *words):
        sets = [word for key, value in settings.items() for word in ("--set", f"{key}={value}")]
        return subprocess.run([PROGRAM, command, *sets, *words], capture_output=True, text=True, check=False, timeout=120)

    def run_trace(self, name, settings, when="random:1", words=()):
        return self.call("run", settings, "--power-cut", when, "--trace", TRACES / f"{name}.csv.gz", "--format", "twinplane", *words)

    def test_a_drive_whose_trims_a_cut_has_undone_stays_writable(self):
        # the victim's pages had been trimmed, and the host had taken the space that they need after the cut
        full = {**ONE_DIE, "geometry.planes_per_die": 2, "ftl.over_provisioning": "1.5%", "geometry.blocks_per_plane": 134, "geometry.page_size": "4KiB",
                "nand.independent_plane_reads": "true", "host.iodepth": 128, "ftl.age_limit": "100ms", "ftl.frontier": "shared", "run.seed": 871}
        twins = {**ONE_DIE, "geometry.planes_per_die": 3, "ftl.over_provisioning": "8%", "geometry.blocks_per_plane": 32, "geometry.page_size": "8KiB",
                 "bus.ready": "poll", "bus.poll_interval": "100us", "host.iodepth": 8, "ftl.policy": "d+tbm+bac", "ftl.die_queue_depth": 4,
                 "precondition.phase": "random", "run.seed": 661}
        for name, settings in (("undone_trims_of_a_full_drive", full), ("undone_trims_of_twins", twins)):
            with self.subTest(trace=name):
                done = self.run_trace(name, settings)
                self.assertEqual(done.returncode, 0, done.stderr)

    def test_a_slow_core_has_the_time_that_it_needs_to_read_all_pages(self):
        slow = {"nand.cell": "slc", "geometry.channels": 1, "geometry.chips_per_channel": 1, "geometry.dies_per_chip": 3, "geometry.planes_per_die": 4, "geometry.blocks_per_plane": 203,
                "geometry.pages_per_block": 4, "geometry.page_size": "4KiB", "cpu.clock": "1MHz", "precondition.mode": "fill", "workload.rw": "randwrite",
                "workload.bs": "4KiB", "workload.number_ios": 20}
        done = self.call("run", slow, "--power-cut", "request:10")
        self.assertEqual(done.returncode, 0, done.stderr)

    def test_a_slow_core_has_the_time_to_make_space_for_metadata_in_a_worn_drive(self):
        worn = {"nand.cell": "tlc", "geometry.channels": 1, "geometry.chips_per_channel": 1, "geometry.dies_per_chip": 4, "geometry.planes_per_die": 3,
                "geometry.blocks_per_plane": 227, "geometry.pages_per_block": 6, "nand.endurance": 1, "cpu.clock": "1MHz", "ftl.policy": "f2",
                "precondition.mode": "fill", "precondition.fill": "100%", "precondition.overwrite": "200%", "ftl.write_ack": "buffered", "ftl.write_buffer": 4,
                "ftl.over_provisioning": "60%", "host.mode": "closed", "host.iodepth": 2, "workload.rw": "randwrite", "workload.bs": "16KiB",
                "workload.number_ios": 8010}
        done = self.call("run", worn, "--power-cut", "request:8000")
        self.assertEqual(done.returncode, 0, done.stderr)

    def test_blocks_that_failed_before_the_cut_explain_a_drive_that_is_read_only_behind_it(self):
        worn = {"geometry.channels": 2, "geometry.chips_per_channel": 1, "geometry.dies_per_chip": 2, "geometry.planes_per_die": 2,
                "geometry.pages_per_block": 6, "ftl.over_provisioning": "54%", "geometry.blocks_per_plane": 16, "geometry.page_size": "16KiB",
                "geometry.subpages_per_page": 4, "nand.fail.program": "5%", "bus.interface": "nv-ddr", "nand.tPROG": "100us", "host.queues": 8,
                "host.iodepth": 2, "host.max_transfer": "4KiB", "host.mode": "closed", "precondition.mode": "fill"}
        done = self.run_trace("worn_before_the_cut", worn)
        self.assertIn("the drive has become read-only", done.stderr)
        self.assertEqual(done.returncode, 0, done.stderr)

    def test_what_nothing_protects_is_declared_and_counted_when_a_cut_takes_it(self):
        bare = {"nand.cell": "mlc", "geometry.channels": 2, "geometry.chips_per_channel": 2, "geometry.dies_per_chip": 1, "geometry.planes_per_die": 8,
                "geometry.pages_per_block": 8, "ftl.over_provisioning": "26%", "geometry.blocks_per_plane": 8, "geometry.sector_size": "512B",
                "geometry.page_size": "2KiB", "geometry.subpages_per_page": 1, "ftl.lower_pages": "none", "power.hold_up": 0}
        said = self.call("check", bare).stdout
        self.assertIn("sectors may go back to older versions", said)
        self.assertRegex(said, "trims +may be undone")
        self.assertRegex(self.call("check", {}).stdout, "trims +stay\n *bad blocks +stay bad\n *programmed pages +stay")
        self.assertNotIn("may go back", self.call("check", {**bare, "ftl.lower_pages": "backup"}).stdout)
        with tempfile.TemporaryDirectory() as folder:
            done = self.run_trace("upper_pages", bare, "random:10", ("--out", folder))
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertIn("gone back, as declared", done.stdout)
            lives = json.loads((pathlib.Path(folder) / "summary.json").read_text())["power_cycles"]
        self.assertFalse(any(life["pages_kept"] for life in lives))
        found = [life["recovery"] for life in lives if life["recovery"]]
        self.assertGreater(sum(life["sectors_gone_back"] for life in found), 0)
        for life in found:
            self.assertEqual(life["sectors_lost"], 0)
            self.assertLessEqual(life["sectors_gone_back"], life["sectors_may_go_back"])

    def test_blocks_of_one_wordline_that_a_cut_has_taken_count(self):
        # all their pages are torn then, as by an erase
        small = {**BARE, "nand.cell": "qlc", "geometry.planes_per_die": 8, "geometry.blocks_per_plane": 16, "geometry.pages_per_block": 4,
                 "geometry.page_size": "8KiB", "geometry.sector_size": "4KiB", "geometry.subpages_per_page": 1, "ftl.over_provisioning": "30%",
                 "host.iodepth": 7, "workload.rw": "write", "workload.bs": "8KiB", "workload.size": "352KiB", "workload.number_ios": 300}
        for seed in (1, 6, 7):
            done = self.call("run", {**small, "run.seed": seed}, "--power-cut", "random:5")
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertRegex(done.stdout, r", 0 lost, 0 unreadable, [1-9][0-9]* gone back, as declared")

    def test_blocks_of_one_wordline_count_whichever_mode_they_were_written_in(self):
        # without a word nothing tells whether the block was the cache's, with a page, or a native one with four
        cached = {"nand.cell": "qlc", "geometry.channels": 1, "geometry.blocks_per_plane": 47, "geometry.pages_per_block": 4,
                  "geometry.page_size": "16KiB", "geometry.subpages_per_page": 4, "ftl.plane_allocation": "CWPD", "ftl.regions": "mga",
                  "slc_cache.share": "20%", "slc_cache.eviction": "packed", "slc_cache.wear_gap": 1, "power.hold_up": 0,
                  "nand.partial_programs": 4, "ftl.lower_pages": "none", "workload.rw": "randrw", "workload.bssplit": "16384/60:32768/40"}
        done = self.call("run", cached, "--power-cut", "random:12")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertRegex(done.stdout, r", 0 lost, 0 unreadable, [1-9][0-9]* gone back, as declared")

    def test_what_a_check_was_cut_off_from_finding_may_be_found_in_the_next_life(self):
        # links this slow let the collector erase the torn pages before all sectors have been read
        slow = {**BARE, "nand.cell": "qlc", "geometry.planes_per_die": 8, "geometry.blocks_per_plane": 8, "geometry.pages_per_block": 8,
                "geometry.page_size": "4KiB", "geometry.sector_size": "4KiB", "geometry.subpages_per_page": 1, "ftl.over_provisioning": "30%",
                "host.iodepth": 16, "host.max_transfer": "4KiB", "pcie.latency": "1ms", "nand.tR": "10us", "nand.tBERS": "200us", "nand.tPROG": "20ms",
                "workload.rw": "randwrite", "workload.bs": "4KiB", "workload.number_ios": 150, "run.seed": 1}
        with tempfile.TemporaryDirectory() as folder:
            done = self.call("run", slow, "--power-cut", "random:30", "--out", folder)
            self.assertEqual(done.returncode, 0, done.stderr)
            lives = [life["recovery"] for life in json.loads((pathlib.Path(folder) / "summary.json").read_text())["power_cycles"] if life["recovery"]]
        sectors = max(life["sectors_checked"] for life in lives)
        left, carried = 0, 0
        for life in lives:
            self.assertEqual(life["sectors_may_go_back"], left + life["pages_taken"])
            self.assertLessEqual(life["sectors_gone_back"], life["sectors_may_go_back"])
            carried += left
            left = 0 if life["sectors_checked"] == sectors else life["sectors_may_go_back"] - life["sectors_gone_back"]
        self.assertGreater(carried, 0)


if __name__ == "__main__":
    unittest.main()
