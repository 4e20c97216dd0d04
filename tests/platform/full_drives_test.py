#!/usr/bin/env python3
"""Is a full drive of the map's units written to its end before the run? Drives of the random search that once were not."""

import os
import subprocess
import unittest

PROGRAM = os.environ["TWINPLANE_PROGRAM"]
OVERWRITTEN = {"precondition.mode": "fill", "precondition.fill": "100%", "precondition.overwrite": "200%", "geometry.channels": 1,
               "workload.rw": "randwrite", "workload.number_ios": 100}


class FullDrives(unittest.TestCase):
    def run_on(self, settings):
        sets = [word for key, value in {**OVERWRITTEN, **settings}.items() for word in ("--set", f"{key}={value}")]
        return subprocess.run([PROGRAM, "run", *sets], capture_output=True, text=True, check=False, timeout=60)

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


if __name__ == "__main__":
    unittest.main()
