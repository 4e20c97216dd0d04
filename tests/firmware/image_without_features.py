#!/usr/bin/env python3
"""Does the image link without each feature in turn, and how much smaller is it then?

    image_without_features.py FOLDER [FEATURE...]

For each row of firmware/ftl/features/rows.txt; prints a line for each.
"""

import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
ROWS = re.findall(r"^[a-z]\w*$", (ROOT / "firmware/ftl/features/rows.txt").read_text(encoding="utf-8"), re.MULTILINE)
ALL = re.compile(r"^all +([\d,]+) +([\d,]+) +([\d,]+) ", re.MULTILINE)  # text, constants, data


def image_bytes(folder, *without):
    """What lies in flash."""
    words = [word for feature in without for word in ("--without", feature)]
    done = subprocess.run(["scripts/firmware", "--state", "thumb", *words, "--out", folder], cwd=ROOT, capture_output=True, text=True, check=False)
    if done.returncode:
        sys.exit(f"image_without_features: {' '.join(words)}: {(done.stdout + done.stderr)[-4000:]}")
    return sum(int(size.replace(",", "")) for size in ALL.search(done.stdout).groups())


def main():
    folder = pathlib.Path(sys.argv[1]).resolve()
    whole = image_bytes(folder)
    print(f"{'all':12} {whole:9,} bytes", flush=True)
    useless = []
    for feature in sys.argv[2:] or ROWS:
        smaller = whole - image_bytes(folder, feature)
        print(f"{feature:12} {smaller:9,} bytes less", flush=True)
        if smaller <= 0:
            useless.append(feature)
    if useless:
        sys.exit(f"image_without_features: the image does not shrink without {', '.join(useless)}")


if __name__ == "__main__":
    main()
