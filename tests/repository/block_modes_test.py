#!/usr/bin/env python3
"""Does scripts/block_modes tell fast blocks from full ones, as the drive itself does? Needs no matplotlib."""

import json
import pathlib
import subprocess
import sys
import tempfile
import types
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.dont_write_bytecode = True
sys.path.insert(0, str(ROOT / "scripts"))

from twinplane import block_modes as modes  # noqa: E402

PROGRAM = sys.argv.pop() if len(sys.argv) > 1 and pathlib.Path(sys.argv[-1]).is_file() else None


def recording(*operations):
    """A plane's signals for (state, block, page, type), one operation each microsecond and idle between."""
    changes = {f"p.{name}": [] for name in ("state", "block", "page", "page_type")}
    for i, (state, *rest) in enumerate(operations):
        for name, value in zip(("block", "page", "page_type"), rest):
            changes[f"p.{name}"].append((i * 10, value))
        changes["p.state"] += [(i * 10, state), (i * 10 + 5, 0)]
    return types.SimpleNamespace(changes=changes, end=10 * len(operations))


class Lives(unittest.TestCase):
    def test_a_block_of_fast_pages_only_is_fast_from_its_first_program_to_its_erase(self):
        vcd = recording((2, 7, 0, 0), (2, 7, 1, 0), (2, 7, 3, 0), (3, 7, 0, 0))
        self.assertEqual(modes.lives(vcd, "p"), [(7, 0, 30, "fast")])

    def test_the_same_block_may_be_full_in_its_next_life(self):
        vcd = recording((2, 7, 0, 0), (2, 7, 3, 0), (3, 7, 0, 0), (2, 7, 0, 0), (2, 7, 1, 0), (2, 7, 2, 1))
        self.assertEqual([life[3] for life in modes.lives(vcd, "p")], ["fast", "all"])

    def test_one_page_says_nothing(self):
        self.assertEqual(modes.lives(recording((2, 7, 0, 0)), "p"), [(7, 0, 10, "either")])

    def test_in_a_drive_with_a_cache_a_life_has_the_level_that_the_waves_show(self):
        vcd = recording((2, 7, 0, 0), (2, 7, 1, 0), (3, 7, 0, 0), (2, 7, 0, 0), (2, 8, 0, 0))
        vcd.changes["p.level"] = [(0, 2), (30, 3), (40, 0)]
        self.assertEqual([(life[0], life[3]) for life in modes.lives(vcd, "p")], [(7, "monitor"), (7, "hot"), (8, "native")])

    def test_reads_are_no_part_of_it(self):
        self.assertEqual(modes.lives(recording((1, 7, 3, 1), (1, 7, 2, 1)), "p"), [])

    def test_the_border_is_the_number_of_blocks_whose_last_life_is_fast(self):
        found = [(1, 0, 9, "fast"), (2, 3, 9, "all"), (1, 10, 19, "all"), (3, 12, 20, "either")]
        self.assertEqual(modes.over_time(found, "fast"), [(0, 0), (0, 1), (3, 1), (10, 0)])


@unittest.skipIf(PROGRAM is None, "needs the program")
class Drives(unittest.TestCase):
    def test_with_a_border_that_stays_every_block_keeps_its_mode_and_fast_ones_are_the_hot_ones(self):
        with tempfile.TemporaryDirectory() as folder:
            settings = {"geometry.channels": 1, "geometry.blocks_per_plane": 24, "geometry.pages_per_block": 16,
                        "ftl.policy": "combo", "ftl.over_provisioning": "40%", "workload.rw": "randwrite",
                        "workload.bssplit": "4k/60:8k/40", "workload.number_ios": 4000}
            words = [word for key, value in settings.items() for word in ("--set", f"{key}={value}")]
            subprocess.run([PROGRAM, "run", "-c", str(ROOT / "platform/configs/mlc_2ch.toml"), *words, "--vcd=ch0", "--out", folder],
                           check=True, capture_output=True)
            regions = json.loads((pathlib.Path(folder) / "summary.json").read_text())["ftl"]["regions"]
            vcd = modes.waves.Vcd(pathlib.Path(folder) / "waves.vcd", lambda name: ".plane" in name)
            fast = 0
            for plane in ("ssd.ch0.chip0.die0.plane0", "ssd.ch0.chip0.die0.plane1"):
                of_block = {}
                for block, _, _, mode in modes.lives(vcd, plane):
                    of_block.setdefault(block, set()).update({mode} - {"either"})
                self.assertEqual(len(of_block), 24, "every block was used")
                self.assertTrue(all(len(kinds) == 1 for kinds in of_block.values()), of_block)
                fast += sum(kinds == {"fast"} for kinds in of_block.values())
            self.assertEqual(fast, regions["hot"]["blocks"])


if __name__ == "__main__":
    unittest.main()
