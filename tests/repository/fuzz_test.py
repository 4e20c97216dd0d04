#!/usr/bin/env python3
"""Does every fuzz target have first inputs, a file and a row in the documentation, and does scripts/fuzz refuse others?"""

import pathlib
import re
import subprocess
import sys
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
ELSEWHERE = {"config": "platform/configs", "profile": "traces/profiles"}
SMALL = 16384  # bytes of a first input


def fuzz(*words):
    return subprocess.run([sys.executable, ROOT / "scripts/fuzz", *words], capture_output=True, text=True, check=False)


class Targets(unittest.TestCase):
    def setUp(self):
        self.names = fuzz("list").stdout.split()

    def test_are_some(self):
        self.assertIn("trace", self.names)
        self.assertGreater(len(self.names), 5)

    def test_have_a_file_and_small_first_inputs(self):
        for name in self.names:
            self.assertTrue((ROOT / f"tests/fuzz/{name}_fuzz.cpp").is_file(), name)
            folder = ELSEWHERE.get(name, f"tests/fuzz/corpus/{name}")
            inputs = [path for path in (ROOT / folder).glob("*") if path.is_file()]
            self.assertTrue(inputs, name)
            for path in inputs:
                self.assertLess(path.stat().st_size, SMALL, path)

    def test_are_the_rows_of_the_table(self):
        page = (ROOT / "docs/fuzzing.md").read_text(encoding="utf-8")
        self.assertEqual(re.findall(r"^\| `(\w+)` \|", page, re.MULTILINE), self.names)

    def test_that_there_are_not_are_refused(self):
        done = fuzz("nonsense")
        self.assertEqual(done.returncode, 2)
        self.assertIn("expected list, all or one of trace", done.stderr)


if __name__ == "__main__":
    unittest.main()
