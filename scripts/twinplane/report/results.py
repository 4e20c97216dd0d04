"""docs/results: what the full runs gave, small enough to be committed, and docs/results.md made from it."""

import csv
import json
import shutil

from twinplane.errors import StoreError, TwinplaneError
from twinplane.experiments import MODULES, load
from twinplane.program import ROOT
from twinplane.report.page import render_page
from twinplane.report.style import number_text
from twinplane.store import write_atomically

RESULTS = ROOT / "docs/results"
HEAD = """\
# Results

Made by `scripts/experiments all --publish`; do not edit. `scripts/experiments NAME` repeats one experiment,
[experiments.md](experiments.md) says how, and each page listed below holds question, plots, all points, exact
commands, configuration, seed and version.

A number counts as *reproduced* when it lies within the tolerance that the experiment states, as *same direction*
when it does not but the effect has the same sign.
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
    rows, sections = [], []
    for name in names:
        try:
            with open(RESULTS / name / "claims.csv", newline="", encoding="utf-8") as file:
                claims = list(csv.DictReader(file))
            about = json.loads((RESULTS / name / "about.json").read_text())
        except (OSError, ValueError) as error:
            raise TwinplaneError(f"{RESULTS / name}: {error}; publish the experiment again") from error
        rows += [claim_row(name, claim) for claim in claims]
        sections.append(section(name, about))
    table = ["| experiment | number | reported or predicted | ours | ratio | verdict |", "|---|---|---:|---:|---:|---|"]
    return "\n".join([HEAD, *table, *rows, ""]) + "\n" + "\n".join(sections)


def claim_row(name, claim):
    def shown(key):
        return number_text(float(claim[key]), 6) if claim[key] else "-"

    unit = f" {claim['unit']}" if claim["unit"] else ""
    verdict = claim["verdict"] + (f": {claim['why']}" if claim["why"] else "")
    cells = [f"[{name}](results/{name}/index.html)", f"{claim['number']} ({claim['source']})",
             shown("expected") + unit, shown("ours") + unit, shown("ratio"), verdict]
    return "| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |"


def section(name, about):
    lines = [f"## {name}: {load(name).title}", "", load(name).question.strip(), "",
             f"{about['runs']} runs, version {about['version']}, revision {about['git']}. "
             f"Points: [table.csv](results/{name}/table.csv).", ""]
    for figure in about["figures"]:
        lines += [f"![{figure['caption']}](results/{name}/{figure['name']}.svg)", ""]
    return "\n".join(lines)


def render_results():
    path = ROOT / "docs/results.md"
    write_atomically(path, results_text().encode())
    return path
