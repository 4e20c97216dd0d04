#!/usr/bin/env python3
"""Has every test a time limit? Without one a test that hangs takes ctest's default of 25 minutes with it."""

import json
import subprocess
import sys

LONGEST_S = 14400  # of the weekly ones


def main():
    ctest, folder = sys.argv[1:]
    shown = subprocess.run([ctest, "--show-only=json-v1"], cwd=folder, capture_output=True, text=True, check=True).stdout
    tests = json.loads(shown)["tests"]
    limits = {t["name"]: next((p["value"] for p in t.get("properties", []) if p["name"] == "TIMEOUT"), None) for t in tests}
    wrong = [name for name, limit in limits.items()
             if not name.endswith("_NOT_BUILT") and (limit is None or not 0 < limit <= LONGEST_S)]
    for name in wrong:
        print(f"{name}: expected a TIMEOUT of at most {LONGEST_S} s", file=sys.stderr)
    return 1 if wrong or not tests else 0


if __name__ == "__main__":
    sys.exit(main())
