#!/usr/bin/env python3
"""Every relative link of the documentation leads to a file, and every path of the tree it names in `code` exists."""

import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
LINK = re.compile(r"\[[^\]]*\]\(([^)#\s]+)(?:#[^)]*)?\)")
CODE = re.compile(r"`([A-Za-z0-9_./-]+)`")
TREES = ("hw/", "firmware/", "platform/", "tests/", "scripts/", "docs/", "traces/", "bench/", "cmake/")


def documents():
    found = sorted(ROOT.glob("*.md")) + sorted((ROOT / "docs").glob("*.md")) + sorted((ROOT / "traces").glob("*.md"))
    return [path for path in found if path.is_file()]


def errors_of(document):
    for number, line in enumerate(document.read_text(encoding="utf-8").splitlines(), 1):
        for target in LINK.findall(line):
            if "://" not in target and not (document.parent / target).exists():
                yield number, f"link to {target}"
        for path in CODE.findall(line):
            if path.startswith(TREES) and not (ROOT / path).exists():
                yield number, f"path {path}"


def main():
    broken = [f"{d.relative_to(ROOT)}:{n}: {what} leads nowhere" for d in documents() for n, what in errors_of(d)]
    for line in broken:
        print(line, file=sys.stderr)
    print(f"check_docs: {len(documents())} documents, {len(broken)} broken")
    return 1 if broken or not documents() else 0


if __name__ == "__main__":
    sys.exit(main())
