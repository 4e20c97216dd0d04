#!/usr/bin/env python3
"""Has every test a time limit, and a name that stays?

Without a limit a test that hangs takes ctest's default of 25 minutes with it. A name is what is particular to the test, in
characters that a shell leaves alone, and the same in each run.
"""

import json
import re
import subprocess
import sys

LONGEST_S = 14400  # of the weekly ones
NAME = re.compile(r"[\w./-]{1,120}")


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
    print("\n".join(wrong), file=sys.stderr)
    return 1 if wrong or not tests else 0


if __name__ == "__main__":
    sys.exit(main())
