#!/usr/bin/env python3
"""Has every test a time limit, and a name that stays? Is every file of tests compiled, and in a namespace of its own? Are
parameters of tests printed as names, not as bytes?

Without a limit a test that hangs takes ctest's default of 25 minutes with it. A name is what is particular to the test, in
characters that a shell leaves alone, and the same in each run. Files that are compiled together may use the same names only in
namespaces of their own.
"""

import json
import pathlib
import re
import subprocess
import sys

LONGEST_S = 14400  # of the weekly ones
NAME = re.compile(r"[\w./-]{1,120}")
TESTS = pathlib.Path(__file__).resolve().parents[1]


def wrong_files():
    for path in sorted(TESTS.glob("*/*_test.cpp")):
        listed = set(re.findall(r"\w+", (path.parent / "CMakeLists.txt").read_text(encoding="utf-8")))
        name = path.stem.removesuffix("_test")
        if not listed & {name, path.stem, name.removeprefix("ftl_")}:  # features that may be left out are listed by their names
            yield f"{path}: expected in a program of {path.parent}/CMakeLists.txt"
        if not re.search(rf"^namespace twinplane::(\w+::)?{path.stem} {{$", path.read_text(encoding="utf-8"), re.M):
            yield f"{path}: expected a namespace twinplane::test::{path.stem}"


def printed_as_bytes(tests):
    programs = {t["command"][0] for t in tests if any(word.startswith("--gtest_filter") for word in t.get("command", []))}
    for program in sorted(programs):
        listed = subprocess.run([program, "--gtest_list_tests"], capture_output=True, text=True, check=True).stdout
        suite = ""
        for line in listed.splitlines():
            suite = suite if line.startswith(" ") else line.split()[0]
            if "-byte object" in line:
                yield f"{program}: {suite}: expected a PrintTo() of its parameters"
                break


def main():
    ctest, folder = sys.argv[1:]
    shown = subprocess.run([ctest, "--show-only=json-v1"], cwd=folder, capture_output=True, text=True, check=True).stdout
    tests = [t for t in json.loads(shown)["tests"] if not t["name"].endswith("_NOT_BUILT")]
    limits = {t["name"]: next((p["value"] for p in t.get("properties", []) if p["name"] == "TIMEOUT"), None) for t in tests}
    wrong = [f"{name}: expected a TIMEOUT of at most {LONGEST_S} s" for name, limit in limits.items()
             if limit is None or not 0 < limit <= LONGEST_S]
    wrong += [f"{name}: expected a name of letters, digits and _ . / -, of 120 at most" for name in limits
              if not NAME.fullmatch(name)]
    if len(limits) != len(tests):
        wrong.append("two tests have the same name")
    wrong += wrong_files()
    wrong += printed_as_bytes(tests)
    print("\n".join(wrong), file=sys.stderr)
    return 1 if wrong or not tests else 0


if __name__ == "__main__":
    sys.exit(main())
