"""One static HTML page per experiment: nothing is loaded from a network."""

import base64
import html
import shutil

import jinja2

from twinplane.case import relative
from twinplane.errors import StoreError
from twinplane.report.claims import claims_csv, expected_text, found_text, tolerance_text
from twinplane.report.style import number_text, svg_of
from twinplane.store import write_atomically

PUBLISHED_BYTES = 100_000  # of a table of points
TEMPLATES = jinja2.Environment(loader=jinja2.PackageLoader("twinplane.report", "."), autoescape=True,
                               trim_blocks=True, lstrip_blocks=True, undefined=jinja2.StrictUndefined)
TEMPLATES.filters |= {"expected": expected_text, "found": found_text, "tolerance": tolerance_text}
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
    """Waveforms that runs recorded, copied beside the page if there is a `folder`: [(what, [link])]."""
    links, done = [], set()
    for case, result in zip(sweep.cases, sweep.results):
        files = result.waves()
        if not files or result.key in done:
            continue
        done.add(result.key)
        shown = []
        if folder is not None:
            target = folder / "waves" / result.key[:12]
            target.mkdir(parents=True, exist_ok=True)
            for file in files:
                shutil.copyfile(file, target / file.name)
            shown = [f"waves/{target.name}/{f.name}" for f in files if f.suffix in (".vcd", ".gtkw")]
        links.append((case.name(), shown))
    return links


def write_figures(outcome, folder, published):
    """The page of a report stands alone; a published one shows the files beside it."""
    shown = []
    for figure in outcome.figures:
        svg = svg_of(figure.figure, figure.name)
        write_atomically(folder / f"{figure.name}.svg", svg)
        shown.append({"name": figure.name, "caption": figure.caption, "uri": f"{figure.name}.svg" if published else data_uri(svg)})
    return shown


def render_page(outcome, folder, published=False):
    """Writes index.html, plots, table.csv and claims.csv; returns the page's path.

    Where it is not `published`, also what is too large to be committed: results.parquet, commands.txt, the waveforms, and tables of
    more than PUBLISHED_BYTES.
    """
    sweep = outcome.sweep
    try:
        folder.mkdir(parents=True, exist_ok=True)
        waves = copy_waves(sweep, None if published else folder)
    except OSError as error:
        raise StoreError(f"cannot write the report to {folder}: {error.strerror}") from error
    if not published:
        sweep.write_parquet(folder / "results.parquet")
    points = outcome.table.to_csv(index=False, float_format="%.9g").encode()
    has_points = not published or len(points) <= PUBLISHED_BYTES
    if has_points:
        write_atomically(folder / "table.csv", points)
    write_atomically(folder / "claims.csv", claims_csv(outcome.claims).encode())
    if not published:
        write_atomically(folder / "commands.txt", ("\n".join(case.command() for case in sweep.cases) + "\n").encode())
    page = TEMPLATES.get_template("page.html.j2").render(
        experiment=outcome.experiment, paragraphs=paragraphs(outcome.experiment.question), outcome=outcome,
        figures=write_figures(outcome, folder, published), cases=sweep.cases, waves=waves, published=published,
        has_points=has_points,
        shared=shared_settings(sweep.cases),
        files=sorted({relative(f) for case in sweep.cases for f in case.files()}),
        seeds=sorted({case.seed for case in sweep.cases} - {None}),  # a model has none
        numeric={name: is_number(outcome.table[name]) for name in outcome.table.columns})
    write_atomically(folder / "index.html", page.encode())
    return folder / "index.html"


def render_index(out):
    """Writes OUT/index.html, a list of all reports below it."""
    pages = sorted(out.glob("*/index.html"))
    items = "".join(f'<li><a href="{p.parent.name}/index.html">{html.escape(p.parent.name)}</a></li>\n' for p in pages)
    text = TEMPLATES.get_template("frame.html.j2").render(title="Twinplane: experiments") \
        .replace("<!-- body -->", f"<h1>Experiments</h1>\n<ul>\n{items}</ul>")
    write_atomically(out / "index.html", text.encode())
    return out / "index.html"
