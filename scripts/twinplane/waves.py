"""Draws a window of waves.vcd as a PNG, for people without a waveform viewer, or converts it to FST.

    scripts/waves OUT                                       OUT/waves.vcd -> OUT/waves.png
    scripts/waves OUT/waves.vcd --from 1.2ms --to 1.5ms --scope ch0 --png picture.png
    scripts/waves OUT --scope ch0.bus,ch0.chip1 --list      only say what would be drawn
    scripts/waves OUT --fst                                 OUT/waves.fst, by vcd2fst of Debian's package gtkwave

Rows: buses by phase; dies by ready/busy with refused commands; planes by operation, labelled with block, page and
page type, those on blocks of an SLC-mode cache with the block's level instead. At level `pins` the pins, too. Patterns of --scope are those of twinplane's --vcd: a scope with everything
below it or a signal; * ? [] cross dots; the name of the drive's module ("ssd.") may be left out. Drawing needs
matplotlib (scripts/install_deps plots, found in .venv); everything else needs the standard library only.
"""

import argparse
import fnmatch
import os
import pathlib
import re
import shutil
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
UNITS = {"ps": 1, "ns": 10**3, "us": 10**6, "ms": 10**9, "s": 10**12}
MAX_ROWS = 80
MAX_BLOCKS = 60_000  # rectangles; more cannot be told apart anyway


class InputError(Exception):
    pass


# --- reading -----------------------------------------------------------------------------------------------------

class Vcd:
    """Declared names in order, and each signal's changes [(time, value)], value an int or None for x and z.

    Only signals that `wanted` accepts are kept. A file whose end is cut inside a line is read up to there.
    """

    def __init__(self, path, wanted=lambda name: True):
        self.names = []
        self.changes = {}
        self.bits = {}
        self.end = 0
        try:
            with open(path, encoding="ascii", errors="replace") as file:
                codes = self._declarations(file, path)
                self._values(file, {code: names for code, names in codes.items() if any(map(wanted, names))})
        except OSError as error:
            raise InputError(f"cannot read {path}: {error.strerror}") from error

    def _declarations(self, file, path):
        scopes, codes = [], {}
        for line in file:
            words = line.split()
            if not words:
                continue
            if words[0] == "$scope":
                scopes.append(words[2])
            elif words[0] == "$upscope":
                scopes.pop()
            elif words[0] == "$var":
                name = ".".join(scopes + [words[4]])
                self.names.append(name)
                self.bits[name] = int(words[2])
                codes.setdefault(words[3], []).append(name)
            elif words[0] == "$timescale" and words[1] != "1ps":
                raise InputError(f"{path}: the time unit is {words[1]}, expected 1ps: not a file of twinplane")
            elif words[0] == "$enddefinitions":
                return codes
        raise InputError(f"{path} is no VCD: $enddefinitions is missing")

    def _values(self, file, codes):
        self.changes = {name: [] for names in codes.values() for name in names}
        time = 0
        for line in file:
            if not line.endswith("\n"):
                break
            first = line[0]
            if first == "#":
                time = int(line[1:])
            elif first == "b":
                value, code = line[1:].split()
                self._change(codes, code, time, value)
            elif first in "01xz":
                self._change(codes, line[1:].rstrip(), time, first)
        self.end = time

    def _change(self, codes, code, time, text):
        for name in codes.get(code, ()):
            value = int(text, 2) if text[0] in "01" else None
            self.changes[name].append((time, value))


def in_drive(name):
    """The name without that of the drive's module, which may have dots itself."""
    return re.sub(r"^.+?\.(?=planes_busy$|ch[0-9]+\.(?:bus|pins|chip[0-9]+)\.)", "", name)


def matcher(scope):
    """Returns a test of names and the list of its patterns that have matched nothing so far."""
    patterns = [p for p in (scope or "").split(",") if p]
    unmatched = list(patterns)

    def matches(name):
        hit = not patterns
        for p in patterns:
            if any(fnmatch.fnmatchcase(n, f) for n in (name, in_drive(name)) for f in (p, p + ".*")):
                hit = True
                if p in unmatched:
                    unmatched.remove(p)
        return hit

    return matches, unmatched


def parse_time(text):
    match = re.fullmatch(r"([0-9]+(?:\.[0-9]+)?)\s*(ps|ns|us|ms|s)", text)
    if not match:
        raise InputError(f'"{text}" is not a time; expected a number with a unit, such as 1.5ms')
    return round(float(match.group(1)) * UNITS[match.group(2)])


def translations(folder, name):
    """Value -> (text, colour or None) of one of the files beside the VCD."""
    texts = {}
    try:
        for line in (folder / f"waves_{name}.txt").read_text().splitlines():
            value, text = line.split(" ", 1)
            colour = re.match(r"\?([^?]+)\?", text)
            texts[int(value, 16)] = (text[colour.end():] if colour else text, colour.group(1) if colour else None)
    except OSError as error:
        raise InputError(f"cannot read {error.filename}, which twinplane writes beside waves.vcd") from error
    return texts


def intervals(changes, begin, end):
    """Stretches (start, stop, value) of a signal inside [begin, end)."""
    out = []
    for i, (time, value) in enumerate(changes):
        stop = changes[i + 1][0] if i + 1 < len(changes) else end
        start, stop = max(time, begin), min(stop, end)
        if start < stop:
            out.append((start, stop, value))
    return out


def value_at(changes, time):
    value = None
    for at, v in changes:
        if at > time:
            break
        value = v
    return value


# --- what is drawn -----------------------------------------------------------------------------------------------

class Row:
    """One line of the picture: blocks (start, stop, text, label, colour), marks (time, text), or a level (pins)."""

    def __init__(self, name):
        self.name = name
        self.blocks = []
        self.marks = []
        self.level = None


def bus_row(name, vcd, texts, begin, end):
    row = Row(in_drive(name).removesuffix(".phase"))
    opcodes = vcd.changes.get(name.removesuffix("phase") + "opcode", [])
    for start, stop, value in intervals(vcd.changes[name], begin, end):
        text, colour = texts["bus_phase"].get(value, ("?", None))
        if text == "idle" or value is None:
            continue
        label = ""
        if text == "command":
            code = value_at(opcodes, start)
            label = texts["opcode"].get(code, ("", None))[0].split(" ")[0]
        row.blocks.append((start, stop, "bus: " + text, label, colour or "#d5d5d5"))
    return row


def page_kind(vcd, texts, base, time):
    """(what stands for the page type, what is added to it in a label): a page in SLC mode has no type but its block a level."""
    def of(table, signal):
        return texts[table].get(value_at(vcd.changes.get(base + signal, []), time), ("", None))[0] if table in texts else ""

    if of("block_mode", "mode") == "slc":
        return "slc", of("block_level", "level")
    return (of("page_type", "page_type"),) * 2


def plane_row(name, vcd, texts, begin, end):
    row = Row(in_drive(name).removesuffix(".state"))
    base = name.removesuffix("state")
    for start, stop, value in intervals(vcd.changes[name], begin, end):
        text, colour = texts["plane_state"].get(value, ("?", None))
        if text == "idle" or value is None:
            continue
        block = value_at(vcd.changes.get(base + "block", []), start)
        label = "" if block is None else f"b{block}"
        if text in ("reading", "programming"):
            page = value_at(vcd.changes.get(base + "page", []), start)
            kind, use = page_kind(vcd, texts, base, start)
            label += ("" if page is None else f" p{page}") + f" {use}"
            text = f"{text} {kind}".strip()
        row.blocks.append((start, stop, text, label.strip(), colour or "#d5d5d5"))
    return row


def die_row(name, vcd, texts, begin, end):
    row = Row(in_drive(name).removesuffix(".rb_n"))
    base = name.removesuffix("rb_n")
    groups = vcd.changes.get(base + "group", [])
    for start, stop, value in intervals(vcd.changes[name], begin, end):
        if value == 0:
            planes = value_at(groups, start) or 0
            label = f"busy, {planes} planes" if planes > 1 else "busy"
            row.blocks.append((start, stop, "R/B# low", label, "#8d99ae"))
    for start, _, value in intervals(vcd.changes.get(base + "violation", []), begin, end):
        if value:
            row.marks.append((start, texts["violation"].get(value, ("?", None))[0]))
    return row


def pin_row(name, vcd, begin, end):
    row = Row(in_drive(name))
    stretches = intervals(vcd.changes[name], begin, end)
    if vcd.bits[name] == 1:
        row.level = stretches
        return row
    for start, stop, value in stretches:
        if value is not None:
            row.blocks.append((start, stop, "DQ", f"{value:02X}", "#bcd4e6"))
    return row


def rows_of(vcd, folder, begin, end):
    names = ["bus_phase", "opcode", "plane_state", "page_type", "violation"]
    names += [f"block_{n}" for n in ("mode", "level") if any(name.endswith("." + n) for name in vcd.names)]
    texts = {n: translations(folder, n) for n in names}
    makers = {"phase": bus_row, "rb_n": die_row, "state": plane_row}
    rows = []
    for name in vcd.names:
        if name not in vcd.changes:
            continue
        last = name.rsplit(".", 1)[-1]
        if ".pins." in name:
            rows.append(pin_row(name, vcd, begin, end))
        elif last in makers:
            rows.append(makers[last](name, vcd, texts, begin, end))
    return rows


# --- drawing -----------------------------------------------------------------------------------------------------

def shade(colour, text):
    """A page type darkens its operation's colour, so that both can be seen."""
    from matplotlib.colors import to_rgb
    order = ["lsb", "csb", "msb", "tsb"]
    kind = text.rsplit(" ", 1)[-1]
    factor = 1.0 - 0.18 * order.index(kind) if kind in order else 1.0
    return tuple(factor * c for c in to_rgb(colour))


def contrast(colour):
    return "white" if 0.3 * colour[0] + 0.59 * colour[1] + 0.11 * colour[2] < 0.55 else "black"


def draw(rows, begin, end, png, title):
    try:
        import matplotlib
    except ImportError:
        raise InputError("drawing needs matplotlib: run scripts/install_deps plots") from None
    matplotlib.use("Agg")
    import matplotlib.pyplot as plt
    from matplotlib.patches import Patch

    micro = UNITS["us"]
    width = 15.0
    figure, axes = plt.subplots(figsize=(width, 1.6 + 0.34 * len(rows)), layout="constrained")
    per_inch = (end - begin) / (width * 0.82)
    legend = {}
    for y, row in enumerate(rows):
        for start, stop, text, label, colour in row.blocks:
            fill = shade(colour, text)
            legend.setdefault(text, fill)
            narrow = stop - start < 0.03 * per_inch  # still to be seen
            width_shown = max(stop - start, 0.015 * per_inch)
            axes.broken_barh([(start / micro, width_shown / micro)], (y - 0.4, 0.8), facecolors=[fill],
                             edgecolor="white", linewidth=0.0 if narrow else 0.3)
            if label and (stop - start) / per_inch > 0.07 * len(label):
                axes.text((start + stop) / 2 / micro, y, label, ha="center", va="center", fontsize=7,
                          color=contrast(fill), clip_on=True)
        if row.level:
            points = [(t / micro, y + 0.35 - 0.7 * (0.5 if v is None else v)) for a, b, v in row.level for t in (a, b)]
            axes.plot(*zip(*points), color="black", linewidth=0.8)
        for at, text in row.marks:
            axes.plot(at / micro, y, marker="X", color="#c0392b", markersize=10, zorder=5)
            side = -1 if at > begin + 0.8 * (end - begin) else 1
            axes.annotate(f"refused: {text}", (at / micro, y), xytext=(8 * side, 0), textcoords="offset points",
                          va="center", ha="left" if side > 0 else "right", color="#c0392b", fontsize=8, weight="bold")
    axes.set_yticks(range(len(rows)), [row.name for row in rows], fontsize=8, family="monospace")
    axes.set_ylim(len(rows) - 0.4, -0.6)
    axes.set_xlim(begin / micro, end / micro)
    axes.ticklabel_format(axis="x", useOffset=False, style="plain")
    axes.set_xlabel("simulated time (us)")
    axes.grid(axis="x", alpha=0.3)
    axes.set_title(title, fontsize=10)
    if legend:
        axes.legend(handles=[Patch(facecolor=c, label=t) for t, c in sorted(legend.items())], fontsize=8,
                    loc="center left", bbox_to_anchor=(1.0, 0.5), frameon=False)
    part = png.with_name("." + png.name)
    figure.savefig(part, dpi=100, metadata={"Software": None}, format="png")
    plt.close(figure)
    part.replace(png)


def with_matplotlib():
    """Starts again with the Python of .venv when this one has no matplotlib."""
    try:
        import matplotlib  # noqa: F401
    except ImportError:
        python = ROOT / ".venv/bin/python"
        if python.exists() and pathlib.Path(sys.prefix) != ROOT / ".venv":
            os.execv(python, [str(python), *sys.orig_argv[1:]])


# --- commands ----------------------------------------------------------------------------------------------------

def convert(vcd, fst):
    tool = shutil.which("vcd2fst")
    if tool is None:
        raise InputError("vcd2fst is not installed: it is part of Debian's package gtkwave (scripts/install_deps dev)")
    result = subprocess.run([tool, str(vcd), str(fst)], capture_output=True, text=True, check=False)
    if result.returncode != 0:
        raise InputError(f"vcd2fst {vcd} failed: {(result.stderr or result.stdout).strip()}")
    print(f"wrote {fst}")


def select(path, arguments):
    matches, unmatched = matcher(arguments.scope)
    vcd = Vcd(path, matches)
    if unmatched:
        top = sorted({".".join(name.split(".")[:3]) for name in vcd.names})
        raise InputError(f'--scope: nothing in {path} matches "{",".join(unmatched)}"; there are {", ".join(top)}')
    first = min((c[0][0] for c in vcd.changes.values() if c), default=0)
    begin = parse_time(arguments.begin) if arguments.begin else first
    end = parse_time(arguments.end) if arguments.end else vcd.end
    if begin >= vcd.end or end <= first:
        raise InputError(f"the window lies outside the recorded time, {first / UNITS['us']:.12g} us to "
                         f"{vcd.end / UNITS['us']:.12g} us")
    if begin >= end:
        raise InputError(f"the window ends ({end / UNITS['us']:g} us) before it begins ({begin / UNITS['us']:g} us)")
    rows = rows_of(vcd, path.parent, begin, end)
    if not rows:
        raise InputError("--scope leaves nothing that is drawn: buses, dies, planes, pins (try ch0)")
    if len(rows) > MAX_ROWS:
        raise InputError(f"{len(rows)} rows do not fit a picture (at most {MAX_ROWS}): narrow it with --scope, e.g. ch0")
    blocks = sum(len(row.blocks) for row in rows)
    if blocks > MAX_BLOCKS:
        raise InputError(f"{blocks} blocks are too many to see (at most {MAX_BLOCKS}): narrow it with --from and --to")
    return rows, begin, end


def describe(rows):
    for row in rows:
        texts = {}
        for _, _, text, _, _ in row.blocks:
            texts[text] = texts.get(text, 0) + 1
        parts = [f"{count} x {text}" for text, count in sorted(texts.items())]
        parts += [f"refused {text}" for _, text in row.marks]
        print(f"{row.name}: {', '.join(parts) or ('pin' if row.level else 'idle')}")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("input", type=pathlib.Path, help="waves.vcd, or the folder that holds it")
    parser.add_argument("--from", dest="begin", metavar="TIME", help="begin of the window, e.g. 1.2ms")
    parser.add_argument("--to", dest="end", metavar="TIME", help="end of the window")
    parser.add_argument("--scope", metavar="PATTERNS", help="what is drawn, e.g. ch0 or ch0.bus,ch0.chip1")
    parser.add_argument("--png", type=pathlib.Path, metavar="FILE", help="default: waves.png beside the VCD")
    parser.add_argument("--title", help="default: the file's name")
    parser.add_argument("--list", action="store_true", help="say what each row holds, draw nothing")
    parser.add_argument("--fst", action="store_true", help="convert the whole file to waves.fst beside it")
    arguments = parser.parse_args()
    path = arguments.input / "waves.vcd" if arguments.input.is_dir() else arguments.input
    try:
        if arguments.fst:
            if not path.exists():
                raise InputError(f"cannot read {path}: No such file or directory")
            convert(path, path.with_suffix(".fst"))
            return 0
        if not arguments.list:
            with_matplotlib()
        rows, begin, end = select(path, arguments)
        if arguments.list:
            describe(rows)
            return 0
        png = arguments.png or path.with_suffix(".png")
        draw(rows, begin, end, png, arguments.title or path.name)
        print(f"wrote {png}")
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())  # the reader of --list has seen enough
    except (InputError, OSError) as error:
        print(f"waves: {error}", file=sys.stderr)
        return 1
    return 0
