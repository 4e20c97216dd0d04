#!/usr/bin/env python3
"""Is the documentation true to the tree and to itself? Every relative link leads to a file, every path of the tree that it names
in `code` exists, no figure of docs/performance.md stands in another document, no key of the configuration models what docs/timing_model.md says
is not modelled, the comparison has the figures that were measured, sentences say who or what does a thing, and
lines fit a window of 120 columns."""

import csv
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
LINK = re.compile(r"\[[^\]]*\]\(([^)#\s]+)(?:#[^)]*)?\)")
CODE = re.compile(r"`([A-Za-z0-9_./-]+)`")
FIGURE = re.compile(r"\b\d{1,3}(?:,\d{3})+\b")
VAGUE = re.compile(r"\b(?:(?:no|some)body|who(?:ever)|those\s+who)\b", re.IGNORECASE)
WIDTH = 120
TREES = ("hw/", "firmware/", "platform/", "tests/", "scripts/", "docs/", "traces/", "bench/", "cmake/", "examples/")


def documents():
    found = sorted(ROOT.glob("*.md")) + sorted((ROOT / "docs").glob("*.md")) + sorted((ROOT / "traces").glob("*.md"))
    return [path for path in found if path.is_file()]


def errors_of(document):
    for number, line in enumerate(document.read_text(encoding="utf-8").splitlines(), 1):
        if len(line) > WIDTH and not line.lstrip().startswith(("|", "![")):
            yield number, f"{len(line)} characters: expected at most {WIDTH}, except of a table's row or a picture's caption"
        for target in LINK.findall(line):
            if "://" not in target and not (document.parent / target).exists():
                yield number, f"link to {target} leads nowhere"
        for path in CODE.findall(line):
            if path.startswith(TREES) and not (ROOT / path).exists():
                yield number, f"path {path} leads nowhere"
        for word in VAGUE.findall(CODE.sub("", line)):
            yield number, f"{word}: expected who or what it is"


def section(path, title):
    """The lines below a heading, up to the next one."""
    lines = (ROOT / path).read_text(encoding="utf-8").splitlines()
    start = next((i for i, line in enumerate(lines) if line.lstrip("#") == f" {title}"), None)
    if start is None:
        raise SystemExit(f"check_docs: {path} has no section {title}")
    end = next((i for i in range(start + 1, len(lines)) if lines[i].startswith("#")), len(lines))
    return lines[start + 1:end]


def repeated_figures():
    """Measured ones of four digits and more; what was decided may name the figures of its day."""
    rows = [line.split("|") for line in section("docs/performance.md", "Figures") if line.startswith("| ")]
    figures = {figure for row in rows for column in (2, -2) for figure in FIGURE.findall(row[column])}
    if not figures:
        raise SystemExit("check_docs: docs/performance.md has no figures")
    for document in documents():
        if document.name in ("performance.md", "decisions.md"):
            continue
        for number, line in enumerate(document.read_text(encoding="utf-8").splitlines(), 1):
            for figure in sorted(figures & set(FIGURE.findall(line))):
                yield f"{document.relative_to(ROOT)}:{number}: {figure} is a figure of docs/performance.md"


def modelled_after_all():
    words = {word for line in section("docs/timing_model.md", "Not modelled") if line.startswith("| ")
             for word in CODE.findall(line.rsplit("|", 2)[1])}
    if not words:
        raise SystemExit("check_docs: docs/timing_model.md names nothing that is not modelled")
    keys = re.findall(r"^\| `([^`]+)` \|", (ROOT / "docs/configuration.md").read_text(encoding="utf-8"), re.MULTILINE)
    if len(keys) < 100:
        raise SystemExit("check_docs: docs/configuration.md has hardly any keys")
    for key in keys:
        for word in sorted(words):
            if word in key:
                yield f"docs/timing_model.md: `{word}` is not modelled, but there is the key {key}"


def other_than_measured():
    """Rows and figures of docs/comparison.md that are not those of docs/comparison/mqsim.csv."""
    with open(ROOT / "docs/comparison/mqsim.csv", encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    columns = ("read_4k_us", "write_4k_us", "read_128k_us", "write_128k_us")
    measured = {number for row in rows for number in (row[column] for column in columns)}
    text = section("docs/comparison.md", "MQSim side by side")
    for depth in dict.fromkeys(row["depth"] for row in rows):
        cells = [" · ".join(row[column] for column in columns) for simulator, dies in (("MQSim", "2"), ("Twinplane", "2"), ("Twinplane", "1"))
                 for row in rows if (row["simulator"], row["dies_per_chip"], row["depth"]) == (simulator, dies, depth)]
        if f"| {depth} | {' | '.join(cells)} |" not in (line.replace(",", "") for line in text):
            yield f"docs/comparison.md: expected the row | {depth} | {' | '.join(cells)} |"
    for figure in re.findall(r"\d[\d,]*\.\d\b", "\n".join(text)):
        if figure.replace(",", "") not in measured:
            yield f"docs/comparison.md: {figure} is not in docs/comparison/mqsim.csv"


def main():
    broken = [f"{d.relative_to(ROOT)}:{n}: {what}" for d in documents() for n, what in errors_of(d)]
    broken += [*repeated_figures(), *modelled_after_all(), *other_than_measured()]
    for line in broken:
        print(line, file=sys.stderr)
    print(f"check_docs: {len(documents())} documents, {len(broken)} broken")
    return 1 if broken or not documents() else 0


if __name__ == "__main__":
    sys.exit(main())
