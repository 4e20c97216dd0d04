#!/usr/bin/env python3
"""Does scripts/same find a build equal to itself, and name what another one does differently?
Usage: same_test.py BUILD"""

import pathlib
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
BUILD = pathlib.Path(sys.argv.pop()).resolve()
DRIVES = ("--only", "drives", "--runs", "4", "--seed", "12", "--jobs", "2")


def same(old, new, *options):
    done = subprocess.run([sys.executable, ROOT / "scripts/same", old, new, *DRIVES, *options], capture_output=True, text=True, check=False)
    return done.returncode, done.stdout + done.stderr


class Same(unittest.TestCase):
    def test_a_build_is_equal_to_itself(self):
        status, said = same(BUILD, BUILD)
        self.assertEqual((status, said.splitlines()[-1]), (0, "4 the same, 0 different"))

    def test_another_result_is_named_and_may_be_expected(self):
        with tempfile.TemporaryDirectory() as folder:
            other = pathlib.Path(folder) / "twinplane"
            program = f'exec "{BUILD}/twinplane" "$@"'
            other.write_text(f'#!/bin/sh\n[ "$1" = run ] && {program} --set run.seed=98765\n{program}\n')
            other.chmod(0o755)
            if (BUILD / "examples").is_dir():
                (pathlib.Path(folder) / "examples").symlink_to(BUILD / "examples")
            status, said = same(BUILD, folder)
            self.assertEqual(status, 1)
            self.assertIn("98765", said)
            status, said = same(BUILD, folder, "--except", "*")
            self.assertEqual(status, 0, said)
            self.assertIn("allowed by --except *", said)

    def test_a_folder_without_a_build_is_an_error(self):
        with tempfile.TemporaryDirectory() as folder:
            status, said = same(BUILD, folder)
            self.assertEqual(status, 2)
            self.assertIn("there is no twinplane in it", said)


if __name__ == "__main__":
    unittest.main()
