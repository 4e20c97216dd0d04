#!/usr/bin/env python3
"""Does a feature from outside the tree bring its key, its rule, its counter and its event to the program that has it?

    read_hot_program_test.py READ_HOT_TWINPLANE TWINPLANE
"""

import json
import pathlib
import subprocess
import sys
import tempfile
import unittest

PROGRAM, PLAIN = (str(pathlib.Path(name).resolve()) for name in sys.argv[1:3])
DRIVE = ["nand.cell=mlc", "geometry.channels=1", "geometry.chips_per_channel=1", "geometry.planes_per_die=1", "geometry.blocks_per_plane=64",
         "geometry.pages_per_block=32", "ftl.over_provisioning=50%", "ftl.policy=pa-ssd", "power.hold_up=256", "precondition.mode=fill",
         "workload.rw=randread", "workload.random_distribution=zipf:1.2", "workload.number_ios=3000", "workload.bs=4KiB"]


def run(program, *words, folder=None):
    return subprocess.run([program, *map(str, words)], cwd=folder, capture_output=True, text=True, check=False, timeout=200)


def drive(*settings):
    return [word for setting in (*DRIVE, *settings) for word in ("--set", setting)]


class ReadHotProgram(unittest.TestCase):
    def test_lists_the_feature_its_key_and_its_rule(self):
        self.assertIn("  read_hot\n", run(PROGRAM, "list", "features").stdout)
        self.assertIn("[read_hot]\nreads = 0\n", run(PROGRAM, "config", "--dump").stdout)
        self.assertIn("with read_hot.reads: it finds a page by its type", run(PROGRAM, "list", "rules").stdout)
        self.assertNotIn("read_hot", run(PLAIN, "config", "--dump").stdout)

    def test_refuses_a_drive_that_breaks_the_rule_and_a_value_that_is_too_large(self):
        for words, text in ((("read_hot.reads=4", "ftl.policy=conventional"), "with read_hot.reads"),
                            (("read_hot.reads=256",), "read_hot.reads")):
            done = run(PROGRAM, "run", *drive(*words))
            self.assertNotEqual(done.returncode, 0)
            self.assertIn(text, done.stderr)

    def test_counts_moved_pages_in_the_report_and_marks_them_in_the_trace(self):
        with tempfile.TemporaryDirectory() as folder:
            done = run(PROGRAM, "run", *drive("read_hot.reads=4"), "--perfetto", "--out", "out", folder=folder)
            self.assertEqual(done.returncode, 0, done.stderr)
            out = pathlib.Path(folder) / "out"
            summary = json.loads((out / "summary.json").read_text(encoding="utf-8"))
            moved = summary["ftl"]["features"]["read_hot"]["moved"]
            self.assertGreater(moved, 20)
            self.assertEqual((out / "waves.json").read_text(encoding="utf-8").count('"read-hot page"'), moved)
            self.assertEqual(summary["config"]["read_hot"]["reads"], 4)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
