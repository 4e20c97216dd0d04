#!/usr/bin/env python3
"""Do counts hold on drives that are larger than those of other tests: more than 65,535 units in a block, more than 2^32 cycles at once?"""

import json
import os
import pathlib
import subprocess
import tempfile
import unittest

PROGRAM = os.environ["TWINPLANE_PROGRAM"]
ONE_DIE = {"geometry.channels": 1, "geometry.chips_per_channel": 1, "geometry.dies_per_chip": 1, "geometry.page_size": "8KiB",
           "geometry.sector_size": "512B", "nand.cell": "mlc", "nand.program_order": "ascending", "ftl.gc_threshold": 3,
           "power.hold_up": 20000, "data.mode": "none", "precondition.mode": "fill", "precondition.fill": "100%",
           "host.mode": "closed", "workload.rw": "randwrite", "workload.bs": "8KiB", "workload.number_ios": 100}


class LargeCounts(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def run_on(self, settings, *more, without=()):
        sets = [word for key, value in {**ONE_DIE, **settings}.items() if key not in without for word in ("--set", f"{key}={value}")]
        done = subprocess.run([PROGRAM, "run", *sets, "--out", "out", *more], capture_output=True, text=True, check=False, timeout=60,
                              cwd=self.folder)
        self.assertEqual(done.returncode, 0, done.stderr)
        return json.loads((self.folder / "out/summary.json").read_text(encoding="utf-8"))

    def test_units_of_a_die_are_listed_for_collection_by_all_that_they_hold(self):
        # their lists were numbered with 16 bits
        units = {"geometry.planes_per_die": 8, "geometry.blocks_per_plane": 8, "geometry.pages_per_block": 1024,
                 "geometry.subpages_per_page": 16, "ftl.map_unit": "512B", "ftl.erase_unit": "die", "ftl.over_provisioning": "50%"}
        self.run_on(units, "--save-state", "drive")
        self.run_on(units, "--load-state", "drive")

    def test_a_native_block_behind_a_cache_is_not_empty_that_is_full(self):
        # it counted its 65,536 subpages as none, and was collected without end
        drive = {"geometry.planes_per_die": 1, "geometry.blocks_per_plane": 20, "geometry.pages_per_block": 4096,
                 "geometry.subpages_per_page": 16, "nand.partial_programs": 4, "ftl.policy": "pslc", "slc_cache.share": "15%",
                 "ftl.over_provisioning": "55%", "workload.number_ios": 8000}
        self.assertGreater(self.run_on(drive)["ftl"]["gc"]["blocks_erased"], 0)

    def test_superblocks_have_numbers_that_lie_in_a_saved_drive(self):
        # units that have no other one to go with are more than 16 bits number
        drive = {"geometry.channels": 2, "geometry.planes_per_die": 1, "geometry.blocks_per_plane": 65534, "geometry.pages_per_block": 4,
                 "geometry.page_size": "4KiB", "geometry.sector_size": "4KiB", "ftl.erase_unit": "drive", "ftl.plane_allocation": "C",
                 "ftl.over_provisioning": "15%", "precondition.mode": "none"}
        pages = 2 * 65534 * 4 * 85 // 100
        lines = [f"0,write,{4096 * lpn},4096,0" for parity in (0, 1) for lpn in range(parity, pages, 2)]
        (self.folder / "trace.csv").write_text("\n".join(["time_ns,op,offset,size,device", *lines]) + "\n", encoding="ascii")
        self.run_on(drive, "--trace", "trace.csv", "--save-end", "drive", without=("workload.rw", "workload.bs", "workload.number_ios"))
        self.run_on(drive, "--load-state", "drive")

    def test_recovery_takes_the_core_the_time_of_all_pages(self):
        # more than 2^32 cycles were taken modulo that
        rebuilt = []
        for blocks in (1150, 2300):
            drive = {"geometry.planes_per_die": 1, "geometry.blocks_per_plane": blocks, "geometry.pages_per_block": 4096,
                     "geometry.page_size": "4KiB", "geometry.sector_size": "4KiB", "ftl.over_provisioning": "1%", "data.mode": "tag",
                     "precondition.mode": "none", "workload.bs": "4KiB", "workload.number_ios": 200}
            summary = self.run_on(drive, "--power-cut", "request:100")
            rebuilt.append(summary["power_cycles"][1]["recovery"]["steps_ns"]["rebuild"])
        self.assertAlmostEqual(rebuilt[1] / rebuilt[0], 2, delta=0.01)


if __name__ == "__main__":
    unittest.main()
