#!/usr/bin/env python3
"""scripts/check_classes on small trees made on the spot: what does it count, and what does it refuse?"""

import pathlib
import subprocess
import sys
import tempfile
import unittest

CHECKER = pathlib.Path(__file__).resolve().parents[2] / "scripts" / "check_classes"


def run(files, *options):
    with tempfile.TemporaryDirectory() as folder:
        for name, text in files.items():
            path = pathlib.Path(folder, name)
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8")
        done = subprocess.run([sys.executable, CHECKER, "--root", folder, *options], capture_output=True, text=True)
        return done.returncode, done.stdout + done.stderr


def methods(count, name="Ship"):
    return "".join(f"void {name}::sail_{i}() {{\n  other.{name}::steer();\n}}\n" for i in range(count))


class CheckClasses(unittest.TestCase):
    def count_of(self, files):
        words = run(files, "--largest", "1")[1].split()
        return words[0], int(words[1]), int(words[3])

    def test_counts_what_is_defined_outside_the_class_and_the_files_that_do(self):
        files = {"hw/a.cpp": methods(3), "hw/b.cpp": "int Ship::length() const { return 1; }\n",
                 "hw/a.h": "class Ship { int quick() const { return 1; } void sail_0(); };\ninline bool Ship::floats() { return true; }\n"}
        self.assertEqual(self.count_of(files), ("Ship", 5, 2))

    def test_counts_no_calls_comments_or_overloads(self):
        files = {"hw/a.cpp": "// void Ship::sink()\nvoid Ship::sail(int) {\n  Ship::anchor();\n}\nvoid Ship::sail(bool) {}\n"}
        self.assertEqual(self.count_of(files), ("Ship", 1, 1))

    def test_refuses_a_class_of_more_than_thirty_methods(self):
        _, output = run({"hw/a.cpp": methods(31)})
        self.assertIn("Ship has 31 methods, 30 at most", output)
        self.assertNotIn("Ship has", run({"hw/a.cpp": methods(30)})[1])

    def test_refuses_a_class_in_more_than_two_files(self):
        _, output = run({f"hw/{n}.cpp": f"void Ship::{n}() {{}}\n" for n in "abc"})
        self.assertIn("Ship is defined in 3 .cpp files, 2 at most", output)


if __name__ == "__main__":
    unittest.main()
