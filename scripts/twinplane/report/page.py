"""One static HTML page per experiment: nothing is loaded from a network, plots are inside."""

import base64
import html
import shutil

import jinja2

from twinplane.case import relative
from twinplane.report.style import number_text, svg_of
from twinplane.store import write_atomically

TEMPLATES = jinja2.Environment(loader=jinja2.PackageLoader("twinplane.report", "."), autoescape=True,
                               trim_blocks=True, lstrip_blocks=True, undefined=jinja2.StrictUndefined)
TEMPLATES.filters["number"] = number_text
TEMPLATES.filters["precise"] = lambda value: number_text(value, 9)
TEMPLATES.filters["cell"] = lambda value: number_text(value, 6)


def paragraphs(text):
    return [" ".join(p.split()) for p in text.strip().split("\n\n")]


def shared_settings(cases):
    """Settings that all cases have in common."""
    first = cases[0].all_settings()
    return {k: v for k, v in first.items() if all(c.all_settings().get(k) == v for c in cases)}


def is_number(column):
    return column.dtype.kind in "if"


def data_uri(svg):
    return "data:image/svg+xml;base64," + base64.b64encode(svg).decode()


def copy_waves(sweep, folder):
    """Waveforms that runs recorded, copied beside the page: [(what, [file])]."""
    links, done = [], set()
    for case, result in zip(sweep.cases, sweep.results):
        files = result.waves()
        if not files or result.key in done:
            continue
        done.add(result.key)
        target = folder / "waves" / result.key[:12]
        target.mkdir(parents=True, exist_ok=True)
        for file in files:
            shutil.copyfile(file, target / file.name)
        shown = [f for f in files if f.suffix in (".vcd", ".gtkw")]
        links.append((case.name(), [f"waves/{result.key[:12]}/{f.name}" for f in shown]))
    return links


def render_page(outcome, folder):
    """Writes index.html, results.parquet, table.csv, claims.csv, commands.txt and plots; returns the page's path."""
    folder.mkdir(parents=True, exist_ok=True)
    sweep = outcome.sweep
    figures = []
    for figure in outcome.figures:
        svg = svg_of(figure.figure, figure.name)
        write_atomically(folder / f"{figure.name}.svg", svg)
        figures.append({"name": figure.name, "caption": figure.caption, "uri": data_uri(svg)})
    sweep.write_parquet(folder / "results.parquet")
    write_atomically(folder / "table.csv", outcome.table.to_csv(index=False, float_format="%.9g").encode())
    write_atomically(folder / "claims.csv", claims_csv(outcome).encode())
    commands = "\n".join(case.command() for case in sweep.cases) + "\n"
    write_atomically(folder / "commands.txt", commands.encode())
    page = TEMPLATES.get_template("page.html.j2").render(
        experiment=outcome.experiment, paragraphs=paragraphs(outcome.experiment.question), outcome=outcome,
        figures=figures, cases=sweep.cases, waves=copy_waves(sweep, folder), shared=shared_settings(sweep.cases),
        files=sorted({relative(f) for case in sweep.cases for f in case.files()}),
        seeds=sorted({case.seed for case in sweep.cases}),
        numeric={name: is_number(outcome.table[name]) for name in outcome.table.columns})
    write_atomically(folder / "index.html", page.encode())
    return folder / "index.html"


def claims_csv(outcome):
    import pandas

    return pandas.DataFrame([{
        "number": c.what, "source": c.source, "expected": c.expected, "ours": c.found, "unit": c.unit,
        "ratio": c.ratio, "tolerance": c.tolerance, "verdict": c.verdict, "why": c.why} for c in outcome.claims
    ]).to_csv(index=False, float_format="%.9g")


def render_index(out):
    """Writes OUT/index.html, a list of all reports below it."""
    pages = sorted(out.glob("*/index.html"))
    items = "".join(f'<li><a href="{p.parent.name}/index.html">{html.escape(p.parent.name)}</a></li>\n' for p in pages)
    text = TEMPLATES.get_template("frame.html.j2").render(title="Twinplane: experiments") \
        .replace("<!-- body -->", f"<h1>Experiments</h1>\n<ul>\n{items}</ul>")
    write_atomically(out / "index.html", text.encode())
    return out / "index.html"
