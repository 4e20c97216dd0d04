"""docs/results: what the full runs gave, small enough to be committed, and docs/results.md made from it."""

import csv
import json
import shutil
import textwrap

from twinplane.errors import StoreError, TwinplaneError
from twinplane.experiments import MODULES, load
from twinplane.program import ROOT
from twinplane.report.claims import verdict_text
from twinplane.report.page import render_page
from twinplane.store import write_atomically

RESULTS = ROOT / "docs/results"
HEAD = """\
# Results

Made by `scripts/experiments all --publish`; do not edit. `scripts/experiments NAME` repeats one experiment,
[experiments.md](experiments.md) says how, and each page listed below holds question, plots, points up to 100 kB,
configuration, seed and version. The command also makes the rest: every run, and the exact command of each.

A number counts as *reproduced* when it lies in the range that its source gives, or no farther from it than the
tolerance, as *same direction* when it does not but ours is at least half of the reported effect, and as *weaker* when
it is less of it. (What was published before 27 November 2026 counts the sign of the effect alone, and write
amplification in pages.) What no paper reported, our own expectations, is *met* or *not met*, in a table of its own, and
is not counted with the others.
"""


def publish(outcome):
    """Writes what is small of a full run's report to docs/results/NAME."""
    target = RESULTS / outcome.experiment.name
    try:
        if target.exists():
            shutil.rmtree(target)
    except OSError as error:
        raise StoreError(f"cannot publish to {target}: {error.strerror}") from error
    render_page(outcome, target, published=True)
    about = {"figures": [{"name": f.name, "caption": f.caption} for f in outcome.figures],
             "version": outcome.program.version, "git": outcome.git, "runs": len(outcome.sweep.cases)}
    write_atomically(target / "about.json", (json.dumps(about, indent=1) + "\n").encode())


def results_text():
    """docs/results.md as the published files of all experiments make it."""
    names = [name for name in MODULES if (RESULTS / name / "about.json").is_file()]
    rows, own, counts, sections = [], [], [], []
    for name in names:
        try:
            with open(RESULTS / name / "claims.csv", newline="", encoding="utf-8") as file:
                claims = list(csv.DictReader(file))
            about = json.loads((RESULTS / name / "about.json").read_text())
        except (OSError, ValueError) as error:
            raise TwinplaneError(f"{RESULTS / name}: {error}; publish the experiment again") from error
        rows += [claim_row(name, claim) for claim in claims if not claim["own"]]
        own += [claim_row(name, claim) for claim in claims if claim["own"]]
        counts.append(f"| {link(name)} | {verdict_text(claim['verdict'] for claim in claims)} |")
        sections.append(section(name, about))
    return "\n".join([HEAD, "| experiment | numbers |", "|---|---|", *counts, "", "## Expected and found", "",
                      *table("reported or predicted"), *rows, "", "## Our own expectations", "", *table("expected"), *own,
                      ""]) + "\n" + "\n".join(sections)


def table(expected):
    return [f"| experiment | number | {expected} | tolerance | ours | verdict |", "|---|---|---:|---:|---:|---|"]


def link(name):
    return f"[{name}](results/{name}/index.html)"


def claim_row(name, claim):
    verdict = claim["verdict"] + (f": {claim['why']}" if claim["why"] else "")
    cells = [link(name), f"{claim['number']} ({claim['source']})", claim["expected"], claim["allowed"], claim["ours"],
             verdict]
    return "| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |"


def question_of(name):
    return "\n\n".join(textwrap.fill(" ".join(text.split()), 120, break_long_words=False, break_on_hyphens=False)
                       for text in load(name).question.strip().split("\n\n"))


def section(name, about):
    lines = [f"## {name}: {load(name).title}", "", question_of(name), "",
             f"{about['runs']} runs, version {about['version']}, revision {about['git']}." +
             (f" Points: [table.csv](results/{name}/table.csv)." if (RESULTS / name / "table.csv").is_file() else ""), ""]
    for figure in about["figures"]:
        lines += [f"![{figure['caption']}](results/{name}/{figure['name']}.svg)", ""]
    return "\n".join(lines)


def render_results():
    path = ROOT / "docs/results.md"
    write_atomically(path, results_text().encode())
    return path
