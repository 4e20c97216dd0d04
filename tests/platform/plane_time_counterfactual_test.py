#!/usr/bin/env python3
"""Does taking away what the plane-time account blames take away its time, and the run's time with it?

Each case is a drive twice, with and without the thing that planes wait for. The share of the cause in the first run is what the account
promises; the second run tells what is gained. Other waits grow or shrink with it, so they agree within FACTOR. On the drive of 256 dies the
report names the same thing as what limits the run.
"""

import os
import pathlib
import sys
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.dont_write_bytecode = True
sys.path.insert(0, str(ROOT / "scripts"))

from twinplane import counterfactuals as cases  # noqa: E402

PROGRAM = os.environ["TWINPLANE_PROGRAM"]


class Counterfactual(unittest.TestCase):
    def check(self, case):
        found = case.measure(PROGRAM)
        print(f"{case.lacks}: {found}")
        self.assertGreater(found["share"], 0.05, "the case shows the cause")
        self.assertLess(found["left"], case.left)
        self.assertGreater(found["gain"] * cases.FACTOR, found["share"])
        self.assertLess(found["gain"], found["share"] * cases.FACTOR)
        if case.limited_by:
            self.assertEqual(found["limited_by"], case.limited_by)

    def test_small_drives(self):
        for case in cases.SMALL_CASES:
            with self.subTest(case.lacks):
                self.check(case)

    def test_a_drive_of_256_dies(self):
        for case in cases.LARGE_CASES:
            with self.subTest(case.lacks):
                self.check(case)

    def test_a_core_that_does_not_limit_is_not_blamed(self):
        first = cases.run(PROGRAM, cases.LARGE, ())
        then = cases.run(PROGRAM, cases.LARGE, ("cpu.clock=10GHz",))
        self.assertLess(cases.share(first, ("core",)), 0.02)
        self.assertLess(1 - cases.time_of(then) / cases.time_of(first), 0.02)


if __name__ == "__main__":
    unittest.main()
