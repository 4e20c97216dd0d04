"""Draws how each block of each plane is used over time, from a run's waves: with all pages, or with its fast ones only; or,
in a drive with an SLC-mode cache, for Work, Monitor or Hot data or in native mode.

    scripts/block_modes OUT --png picture.png      OUT/waves.vcd of `twinplane run --vcd`

What is drawn is what the dies were told, not what the firmware says of itself: a block is used fast from its first program to its
erase if only pages of the first type were programmed and others left out, fully if slow pages are among them. A life with one page
or two may be either and is grey. The level of a cache's block is the firmware's word. White: erased. Drawing needs matplotlib (scripts/install_deps plots).
"""

import argparse
import pathlib
import sys

from twinplane import waves

PROGRAMMING, ERASING = 2, 3  # waves_plane_state.txt
COLOURS = {"fast": "#c1440e", "all": "#1b6ca8", "either": "#c8ccd0"}
NAMES = {"fast": "fast pages only", "all": "all pages", "either": "too few pages to tell"}
LEVELS = ("native", "work", "monitor", "hot")  # waves_block_level.txt
LEVEL_COLOURS = {"native": "#c8ccd0", "work": "#1b6ca8", "monitor": "#e0a030", "hot": "#c1440e"}
LEVEL_NAMES = {"native": "native mode", "work": "cache, Work", "monitor": "cache, Monitor", "hot": "cache, Hot"}


def operations(vcd, plane):
    """(time, state, block, page, page type or what stands for it) of a plane, in order."""
    signals = [f"{plane}.{name}" for name in ("state", "block", "page", "level" if has_levels(vcd, plane) else "page_type")]
    events = sorted((time, i, value) for i, name in enumerate(signals) for time, value in vcd.changes[name])
    now, at = [None] * 4, None
    for time, i, value in [*events, (vcd.end, 0, None)]:
        if time != at and at is not None and started:
            yield at, *now
        if time != at:
            started = False
        at, now[i] = time, value
        started |= i == 0


def has_levels(vcd, plane):
    return f"{plane}.level" in vcd.changes


def lives(vcd, plane):
    """[(block, begin, end, mode)] between two erases."""
    open_lives, found = {}, []
    mode_of = level_of if has_levels(vcd, plane) else mode_of_pages

    def close(block, end):
        begin, pages = open_lives.pop(block)
        found.append((block, begin, end, mode_of(pages)))

    for time, state, block, page, kind in operations(vcd, plane):
        if state == PROGRAMMING:
            open_lives.setdefault(block, (time, {}))[1][page] = kind
        elif state == ERASING and block in open_lives:
            close(block, time)
    for block in sorted(open_lives):
        close(block, vcd.end)
    return found


def level_of(pages):
    """`pages`: {number: level}: all the same until the next erase."""
    (level,) = set(pages.values())
    return LEVELS[level]


def mode_of_pages(pages):
    """`pages`: {number: type} of those programmed."""
    if any(pages.values()):
        return "all"
    return "fast" if max(pages) + 1 > len(pages) else "either"


def over_time(found, wanted):
    """[(time, blocks whose present or last life is of that mode)] of a plane's lives."""
    now, steps = {}, [(0, 0)]
    for block, begin, _, mode in sorted(found, key=lambda life: life[1]):
        if mode == "either":
            continue
        now[block] = mode
        steps.append((begin, sum(m == wanted for m in now.values())))
    return steps


def draw(vcd, planes, path, title):
    import matplotlib

    matplotlib.use("Agg")
    import matplotlib.pyplot as plt
    from matplotlib.patches import Patch

    figure, rows = plt.subplots(2, len(planes), figsize=(6.2 * len(planes), 6.6), sharex=True, sharey="row", squeeze=False,
                                height_ratios=(4, 1), layout="constrained")
    levels = has_levels(vcd, planes[0])
    colours, names, counted = (LEVEL_COLOURS, LEVEL_NAMES, LEVELS[1:]) if levels else (COLOURS, NAMES, ("fast",))
    for axes, below, plane in zip(*rows, planes):
        found = lives(vcd, plane)
        for block, begin, end, mode in found:
            axes.barh(block, (end - begin) / 1e12, left=begin / 1e12, height=0.92, color=colours[mode])
        axes.set(title=plane.removeprefix("ssd."))
        for mode in counted:
            steps = over_time(found, mode)
            steps.append((vcd.end, steps[-1][1]))
            below.step([time / 1e12 for time, _ in steps], [count for _, count in steps], where="post", color=colours[mode])
        below.set(xlabel="time (s)", ylim=(0, None))
        below.grid(alpha=0.3)
    rows[0][0].set_ylabel("block of the plane")
    rows[1][0].set_ylabel("blocks" if levels else "fast blocks")
    figure.suptitle(title)
    figure.legend(handles=[Patch(color=colours[m], label=names[m]) for m in colours], loc="outside lower center",
                  ncols=len(colours))
    figure.savefig(path, dpi=90, metadata={"Software": None})


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("out", type=pathlib.Path, help="folder of a run with --vcd, or the file")
    parser.add_argument("--png", type=pathlib.Path, required=True)
    parser.add_argument("--title", default="How each block is used")
    arguments = parser.parse_args()
    file = arguments.out / "waves.vcd" if arguments.out.is_dir() else arguments.out
    waves.with_matplotlib()
    try:
        vcd = waves.Vcd(file, lambda name: ".plane" in name)
        planes = sorted({name.rsplit(".", 1)[0] for name in vcd.changes if name.endswith(".state")})
        if not planes:
            raise waves.InputError(f"{file} has no planes")
        draw(vcd, planes, arguments.png, arguments.title)
    except waves.InputError as error:
        sys.exit(f"block_modes: {error}")
