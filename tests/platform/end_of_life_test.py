#!/usr/bin/env python3
"""Do drives whose programs fail until no space is left keep over power cuts what they have promised?"""

import os
import random
import subprocess
import unittest

PROGRAM = os.environ["TWINPLANE_PROGRAM"]
DRIVES = 120


def drawn(draw):
    """A small drive that wears out within its workload, as a rule, and when its power is cut."""
    cell, pages = draw.choice([("slc", 8), ("slc", 16), ("mlc", 8), ("mlc", 16), ("tlc", 12), ("tlc", 24)])
    settings = {
        "geometry.channels": draw.choice([1, 2]), "geometry.dies_per_chip": 1, "geometry.planes_per_die": draw.choice([1, 2]),
        "geometry.blocks_per_plane": draw.choice([20, 28, 40]), "geometry.pages_per_block": pages, "geometry.page_size": "4KiB",
        "geometry.sector_size": draw.choice(["512B", "4KiB"]), "nand.cell": cell, "nand.fail.program": draw.choice(["3%", "10%", "20%"]),
        "ftl.policy": draw.choice(["conventional", "conventional", "pa-ssd", "pa-twin"]), "ftl.lower_pages": "none",
        "ftl.over_provisioning": draw.choice(["10.01%", "20%", "30%"]), "precondition.mode": "fill",
        "precondition.fill": draw.choice(["50%", "90%", "100%"]), "power.hold_up": draw.choice([0, 65536]),
        "workload.rw": draw.choice(["randwrite", "randrw"]), "workload.bs": draw.choice(["4KiB", "8KiB", "16KiB"]),
        "workload.number_ios": draw.choice([500, 2000]), "workload.iodepth": draw.choice([1, 4, 16]), "run.seed": draw.randrange(1000),
    }
    if draw.random() < 0.3:
        settings |= {"ftl.write_ack": "buffered", "ftl.write_buffer": 16}
    if draw.random() < 0.3:
        settings["nand.fail.read"] = draw.choice(["0.1%", "1%"])
    if draw.random() < 0.3:
        settings["nand.fail.erase"] = "5%"
    return settings, draw.choice([f"request:{draw.randrange(20, 490)}", "random:3"])


class EndOfLife(unittest.TestCase):
    def test_no_sector_is_wrong_behind_a_cut(self):
        draw = random.Random(1)
        worn = 0
        for _ in range(DRIVES):
            settings, when = drawn(draw)
            words = [word for key, value in settings.items() for word in ("--set", f"{key}={value}")]
            with self.subTest(" ".join(words), power_cut=when):
                done = subprocess.run([PROGRAM, "run", "--power-cut", when, *words], capture_output=True, text=True, check=False, timeout=60)
                self.assertIn(" 0 lost", done.stdout, done.stderr)
                self.assertNotIn("read back wrong", done.stderr)
                worn += "the drive has become read-only" in done.stderr
        self.assertGreater(worn, DRIVES // 4)


if __name__ == "__main__":
    unittest.main()
