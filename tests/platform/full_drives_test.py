#!/usr/bin/env python3
"""Are full drives that have hardly any space written to the end? Drives of the random search that once were not."""

import os
import subprocess
import unittest

PROGRAM = os.environ["TWINPLANE_PROGRAM"]
OVERWRITTEN = {"precondition.mode": "fill", "precondition.fill": "100%", "precondition.overwrite": "200%", "geometry.channels": 1,
               "workload.rw": "randwrite", "workload.number_ios": 100}


class FullDrives(unittest.TestCase):
    def run_on(self, settings, *more):
        sets = [word for key, value in {**OVERWRITTEN, **settings}.items() for word in ("--set", f"{key}={value}")]
        return subprocess.run([PROGRAM, "run", *sets, *more], capture_output=True, text=True, check=False, timeout=60)

    def test_collection_of_a_superblock_ends_although_each_plane_leaves_a_page_half_empty(self):
        # victims that gained less than the last pages of all planes lack were collected without end
        done = self.run_on({"nand.cell": "tlc", "geometry.chips_per_channel": 1, "geometry.dies_per_chip": 4, "geometry.planes_per_die": 4, "geometry.blocks_per_plane": 9,
                            "geometry.pages_per_block": 9, "geometry.page_size": "16KiB", "ftl.map_unit": "8KiB", "ftl.erase_unit": "die",
                            "ftl.over_provisioning": "22.23%", "ftl.gc_threshold": 4})
        self.assertEqual(done.returncode, 0, done.stderr)

    def test_units_that_meet_in_a_page_go_to_the_same_plane(self):
        # pages of units of any planes filled some planes beyond what they have
        done = self.run_on({"nand.cell": "mlc", "geometry.chips_per_channel": 2, "geometry.dies_per_chip": 1, "geometry.planes_per_die": 8,
                            "geometry.blocks_per_plane": 10, "geometry.page_size": "64KiB", "geometry.spare_size": 0,
                            "ftl.map_unit": "16KiB", "ftl.plane_allocation": "DWCP", "ftl.slc_mode": "true", "ftl.over_provisioning": "20.01%",
                            "precondition.overwrite": "50%"})
        self.assertEqual(done.returncode, 0, done.stderr)

    def test_a_unit_of_moves_that_is_too_short_for_the_host_is_collected(self):
        # it was all that had invalid data, and neither collection nor the host could have it: the drive became read-only
        done = self.run_on({"nand.cell": "slc", "geometry.chips_per_channel": 1, "geometry.dies_per_chip": 1, "geometry.planes_per_die": 2,
                            "geometry.blocks_per_plane": 13, "geometry.pages_per_block": 10, "geometry.page_size": "16KiB",
                            "ftl.erase_unit": "die", "ftl.map_unit": "4KiB", "ftl.over_provisioning": "15.39%", "precondition.overwrite": "5%",
                            "workload.bs": "8KiB", "workload.size": "16KiB", "workload.number_ios": 3000, "run.seed": 600083})
        self.assertEqual(done.returncode, 0, done.stderr)

    def test_what_a_failed_rewrite_has_superseded_is_not_answered_as_written(self):
        # the page was the one from before the write again, whose program had failed, too, and which waited for the rewrite
        for policy, fails in (("conventional", "100%"), ("broms", "100%"), ("conventional", "80%")):
            with self.subTest(policy=policy, fails=fails):
                done = self.run_on({"nand.cell": "mlc", "nand.program_order": "ascending", "geometry.channels": 2, "geometry.chips_per_channel": 2,
                                    "geometry.dies_per_chip": 2, "geometry.planes_per_die": 2, "geometry.blocks_per_plane": 10,
                                    "geometry.pages_per_block": 14, "geometry.page_size": "16KiB", "geometry.sector_size": "4KiB",
                                    "nand.fail.program": fails, "power.hold_up": 65536, "ftl.over_provisioning": "20%", "ftl.policy": policy,
                                    "host.mode": "closed", "host.iodepth": 32, "workload.rw": "randrw", "workload.bs": "8k",
                                    "workload.size": "1MiB", "workload.number_ios": 3000, "precondition.fill": "10%",
                                    "precondition.overwrite": 0, "run.seed": 1})
                self.assertRegex(done.stdout, r"verified +\d\.\d+ k sectors, 0 mismatches", done.stderr)

    def test_a_write_is_answered_that_waits_for_a_move_which_the_end_of_the_drive_gives_up(self):
        done = self.run_on({"nand.cell": "qlc", "geometry.dies_per_chip": 3, "geometry.planes_per_die": 2, "geometry.blocks_per_plane": 8,
                            "geometry.pages_per_block": 20, "geometry.page_size": "4KiB", "nand.program_order": "relaxed",
                            "nand.fail.program": "100%", "nand.suspend": "true", "pcie.ideal": "true", "ftl.block_allocation": "pa",
                            "ftl.victim": "fifo", "ftl.age_limit": "1ns", "ftl.gc_moves": "multi", "precondition.phase": "random",
                            "precondition.mode": "none", "precondition.overwrite": 0, "ftl.over_provisioning": "25.01%", "ftl.gc_threshold": 4,
                            "host.queues": 8, "host.iodepth": 100, "workload.rw": "randrw", "workload.number_ios": 1500,
                            "workload.seed": 21733, "run.seed": 180573})
        self.assertIn("the drive has become read-only", done.stderr)

    SMALL_BLOCKS = {"geometry.planes_per_die": 1, "geometry.blocks_per_plane": 44, "geometry.pages_per_block": 6,
                    "precondition.fill": "70%", "precondition.overwrite": 0, "power.hold_up": 0, "ftl.lower_pages": "none",
                    "host.queues": 3, "host.queue_size": 9, "host.iodepth": 24, "host.max_requests": 1074, "workload.rw": "write",
                    "workload.bssplit": "1024/60:32768/40", "workload.number_ios": 10000, "workload.seed": 437336}

    def test_cuts_that_waste_the_last_pages_of_a_plane_leave_it_those_of_another(self):
        # what was left in a victim found no page in its plane, while another one kept a block for collections
        for scheduling, seed in (("fifo", 9), ("fifo", 10), ("paq", 19), ("paq", 23)):
            with self.subTest(scheduling=scheduling, seed=seed):
                done = self.run_on({**self.SMALL_BLOCKS, "precondition.phase": "random", "ftl.scheduling": scheduling,
                                    "ftl.over_provisioning": "4.55%", "workload.fsync": 32, "run.seed": seed}, "--power-cut", "random:12")
                self.assertEqual(done.returncode, 0, done.stderr)

    def test_a_cut_takes_no_page_that_a_victim_needs_where_pages_are_chosen_by_type(self):
        # the host was left what a victim did not need, and the pages that a cut tears were not counted
        for seed in range(1, 7):
            with self.subTest(seed=seed):
                done = self.run_on({**self.SMALL_BLOCKS, "geometry.chips_per_channel": 1, "geometry.dies_per_chip": 1,
                                    "ftl.block_allocation": "pa", "nand.program_order": "relaxed", "ftl.scheduling": "paq",
                                    "ftl.over_provisioning": "15%", "run.seed": seed}, "--power-cut", "random:3")
                self.assertEqual(done.returncode, 0, done.stderr)

    def test_a_drive_that_wears_out_while_writes_wait_for_others_of_their_page_becomes_read_only(self):
        # all dies were known to be full when a write came to them, and none told that one was waiting: it waited for ever
        done = self.run_on({"precondition.mode": "none", "precondition.overwrite": 0, "geometry.channels": 2, "geometry.chips_per_channel": 1,
                            "geometry.dies_per_chip": 1, "geometry.blocks_per_plane": 64, "geometry.pages_per_block": 6,
                            "geometry.page_size": "32KiB", "nand.fail.erase": "30%", "ftl.map_unit": "4KiB", "host.queue_size": 2,
                            "host.iodepth": 1, "workload.bs": "64KiB", "workload.number_ios": 100000})
        self.assertIn("the drive has become read-only", done.stderr)

    def test_checkpoints_do_not_take_the_room_that_a_trim_waits_for(self):
        # each page that collection moved made one due, and it used up what had been found for the trim: neither ended
        done = self.run_on({"ftl.policy": "slc_cache", "nand.cell": "tlc", "nand.one_pass": "true", "geometry.chips_per_channel": 1,
                            "geometry.dies_per_chip": 1, "geometry.planes_per_die": 8, "geometry.blocks_per_plane": 60,
                            "geometry.pages_per_block": 6, "geometry.page_size": "16KiB", "geometry.subpages_per_page": 4,
                            "ftl.over_provisioning": "50%", "slc_cache.share": "45%", "ftl.lower_pages": "wordline",
                            "ftl.checkpoint_interval": 1, "precondition.mode": "none", "precondition.overwrite": 0, "host.iodepth": 8,
                            "workload.rw": "randrw", "workload.rwmixread": 0, "workload.rwmixtrim": 30, "workload.bs": "16KiB",
                            "workload.number_ios": 6000})
        self.assertEqual(done.returncode, 0, done.stderr)


if __name__ == "__main__":
    unittest.main()
