"""What does the firmware cost on a real core, and does the cost table say so?"""

import collections
import json
import pathlib
import subprocess
import tomllib

import pandas

from twinplane.case import Case
from twinplane.errors import RunError
from twinplane.experiments.experiment import Claim, Experiment, Figure, nothing_wrong
from twinplane.experiments.firmware_steps import STEPS, cycles_by_step, derive, most_of, steps_taken
from twinplane.experiments.papers import ASSUMED
from twinplane.program import ROOT
from twinplane.report.style import COLOURS, new_figure

QUESTION = """\
The firmware is code of the program, whose time is a table of nine costs, or an image for a Cortex-R5 whose instructions are executed one by one. What
does each step of the table cost on that core, and does the drive then do the same with either?

Each load runs three times: with the image (A32, -O2, 1 GHz, one cycle per instruction), with the default costs, which are from this page, and with those that the
papers' drives keep (configs/assumed.toml): their simulators have no core. Every instruction of the image belongs to a step of the table: that of the innermost function on its way
that is one of a step's. A step's cost is the cycles of its functions over how often the step was taken, in three loads that leave the core no time.

Two steps cannot be told apart so. The search for what a die gets next goes over dies and queues and is for reads and writes alike, so the costs of a flash
command and of placing a page are those that fit the totals of the three loads best; that of placing comes out as nothing.

A table of one number per step is right for small requests on a busy core. Large requests share the search among their pages, and pay up to twice too much; a
core that has time searches more often. In such loads the flash is what limits, and the drive does the same. Choosing a victim differs by policy, by three orders: IPU and BROMS calculate in
double, which a core without floating point does in software. Their rows use what a victim of theirs costs.

No load here has admin commands. What one costs beyond its decoding, tests/nvme/admin_cost_test.cpp measures: Identify, Get Log Page and Get Features, each 20 times,
with the image and with host code whose cost.admin is nothing; the default has to be within 10 % of the difference.
"""
DEMO = ROOT / "platform/configs/demo.toml"
IMAGE = ROOT / "build/firmware/arm/twinplane-cortex-r5.elf"
FAST = {"geometry.channels": 8, "geometry.chips_per_channel": 4, "geometry.blocks_per_plane": 16, "geometry.pages_per_block": 64, "nand.tR": "65us",
        "host.iodepth": 256, "bus.mode": 8}
SMALL = {"geometry.channels": 4, "geometry.chips_per_channel": 1, "geometry.blocks_per_plane": 48, "geometry.pages_per_block": 96, "nand.tR": "25us", "host.iodepth": 32}
DRIVE = {"geometry.dies_per_chip": 2, "geometry.planes_per_die": 2, "geometry.page_size": "4KiB", "host.mode": "closed", "nand.cell": "slc", "nand.tPROG": "200us",
         "ftl.over_provisioning": "25%", "precondition.mode": "fill", "precondition.fill": "100%"}
EMPTY = {"precondition.mode": "none"}
AGED = {"precondition.overwrite": "100%"}
TLC = {"nand.cell": "tlc", "nand.tR": "50us,70us,90us", "nand.tPROG": "500us,1000us,2000us"}
MLC = {"nand.cell": "mlc", "nand.tR": "40us,60us", "nand.tPROG": "300us,1000us", "nand.program_order": "ascending"}


def small_requests(rw, count, mix=None):
    return {"workload.rw": rw, "workload.bs": "4KiB", "workload.number_ios": count} | ({"workload.rwmixread": mix} if mix else {})


def large_requests(rw, count):
    return {"workload.rw": rw, "workload.bs": "64KiB", "workload.number_ios": count}


MIXED = small_requests("randrw", 10_000, 40)
SATURATED = ("saturated reads", "saturated writes", "saturated mix")
LOADS = {
    "saturated reads": DRIVE | FAST | small_requests("randread", 15_000),
    "saturated writes": DRIVE | FAST | EMPTY | small_requests("randwrite", 12_000),
    "saturated mix": DRIVE | FAST | small_requests("randrw", 15_000, 70),
    "random reads": DRIVE | SMALL | small_requests("randread", 15_000),
    "random writes": DRIVE | SMALL | EMPTY | small_requests("randwrite", 10_000),
    "sequential reads": DRIVE | SMALL | large_requests("read", 2_000),
    "sequential writes": DRIVE | SMALL | EMPTY | large_requests("write", 1_000),
    "collection": DRIVE | SMALL | AGED | small_requests("randwrite", 10_000),
    "TBM": DRIVE | SMALL | AGED | MIXED | {"ftl.policy": "f2+tbm"},
    "PA-SSD": DRIVE | SMALL | AGED | MIXED | TLC | {"ftl.policy": "pa-ssd", "nand.program_order": "relaxed", "ftl.over_provisioning": "35%"},
    "BROMS": DRIVE | SMALL | AGED | MIXED | MLC | {"ftl.policy": "broms", "ftl.over_provisioning": "45%"},
    "IPU": DRIVE | SMALL | AGED | MIXED | TLC | {"ftl.policy": "ipu", "geometry.page_size": "16KiB", "geometry.subpages_per_page": 4, "nand.partial_programs": 4,
                                                 "workload.number_ios": 5_000},
}
VICTIMS = {"TBM": 1_760, "BROMS": 566_000, "IPU": 103_000}  # cycles, where a policy's own choice is dearer than greedy's
REQUIRED = ("demo", *SATURATED, "collection")
FORMS = ("image", "default costs", "costs of the papers' drives")


def grid(quick):
    make_image()
    made = []
    for load in ("demo", *LOADS):
        for form in FORMS:
            made.append(case(load, form, quick))
    return made


def make_image():
    done = subprocess.run([ROOT / "scripts/firmware"], capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise RunError(f"scripts/firmware ends with {done.returncode}: {done.stderr.strip()[-500:]}")


def case(load, form, quick):
    settings = LOADS.get(load, {"host.max_requests": 20_000})
    if quick:
        key = "host.max_requests" if load == "demo" else "workload.number_ios"
        settings = settings | {key: settings[key] // 3}
    config = [DEMO] if load == "demo" else []
    if form == "default costs" and load in VICTIMS:
        settings = settings | {"cpu.cost.gc_select": VICTIMS[load]}
    if form == "costs of the papers' drives":
        settings = settings | {f"cpu.cost.{step}": cycles for step, cycles in tomllib.loads(pathlib.Path(ASSUMED).read_text())["cpu"]["cost"].items()}
    if form == "image":
        settings = settings | {"report.profile": True}
    return Case(tuple(config), settings, trace=str(ROOT / "traces/demo.csv.zst") if load == "demo" else None,
                firmware=str(IMAGE) if form == "image" else None, labels={"load": load, "form": form})


def metrics(result):
    s = result.summary
    reads, writes = result.read, result.write
    requests = reads.count + writes.count
    row = {"iops": result.iops, "latency_us": (reads.count * (reads.mean_ns or 0) + writes.count * (writes.mean_ns or 0)) / requests / 1e3,
           "core": s["utilisation"]["core"], "limited_by": s["utilisation"]["limited_by"],
           "mismatches": s["host"]["verify"]["mismatches"], "violations": s["nand"]["violations"]["total"]}
    image = s.get("firmware")
    row |= {"cycles": image["cycles"] / requests if image else None, "instructions": image["instructions"] / requests if image else None}
    cycles, functions = cycles_by_step((result.folder / "profile.folded").read_text().splitlines()) if image else ({}, {})
    taken = steps_taken(s) if image else {}
    for step in STEPS:
        row |= {f"cycles_{step}": cycles.get(step, 0), f"taken_{step}": taken.get(step, 0), f"charged_{step}": s["config"]["cpu"]["cost"][step], f"functions_{step}": json.dumps(functions.get(step, {}))}
    return row


def of(frame, load, form="image"):
    return frame[(frame["load"] == load) & (frame["form"] == form)].iloc[0]


def loads_of(frame):
    return list(dict.fromkeys(frame["load"]))


def off(frame, load, form, column):
    """Relative difference of a form from the image."""
    return of(frame, load, form)[column] / of(frame, load)[column] - 1


def table(frame):
    rows = []
    for load in loads_of(frame):
        image = of(frame, load)
        row = {"load": load, "cycles per request": image["cycles"], "core %": 100 * image["core"]}
        row |= {f"cycles per {step}": image[f"cycles_{step}"] / image[f"taken_{step}"] if image[f"taken_{step}"] else None for step in STEPS}
        row |= {"IOPS of the image": image["iops"], "mean latency, us": image["latency_us"]}
        for form in FORMS[1:]:
            row |= {f"IOPS with {form}, %": 100 * off(frame, load, form, "iops"), f"latency with {form}, %": 100 * off(frame, load, form, "latency_us")}
        rows.append(row)
    return pandas.DataFrame(rows)


def functions_of(frame, step):
    """Of the loads that a step's cost is from."""
    total = collections.Counter()
    for load in ("collection",) if step == "gc_select" else SATURATED:
        total.update(json.loads(of(frame, load)[f"functions_{step}"]))
    return most_of(total)


def claims(frame, quick):
    made = []
    for load in loads_of(frame):
        for column, what in (("iops", "IOPS"), ("latency_us", "mean latency")):
            image = of(frame, load)[column]
            made.append(Claim(f"{load}: {what} with the default costs, against the image's", "the two forms are the same firmware", image,
                              of(frame, load, "default costs")[column], "1/s" if column == "iops" else "us", 0.15 if quick else 0.10,
                              required=load in REQUIRED, own=True))
    derived = derive([of(frame, load) for load in SATURATED], of(frame, "collection"))
    for step in STEPS:
        made.append(Claim(f"the default of cpu.cost.{step}, against what follows from the image", f"functions: {functions_of(frame, step)}",
                          derived[step], of(frame, "demo", "default costs")[f"charged_{step}"], "cycles", 0.25 if quick else 0.10, required=True, own=True))
    for policy, cycles in VICTIMS.items():
        row = of(frame, policy)
        if row["taken_gc_select"]:
            made.append(Claim(f"{policy}: choosing a victim", f"functions: {most_of(counter(row['functions_gc_select']))}",
                              row["cycles_gc_select"] / row["taken_gc_select"], cycles, "cycles", 0.25, own=True))
    return [*made, nothing_wrong(frame)]


def counter(text):
    return collections.Counter(json.loads(text))


def figures(frame):
    figure, axes = new_figure(height=5.6)
    loads = loads_of(frame)
    base = [0.0] * len(loads)
    for i, step in enumerate(STEPS):
        widths = [of(frame, load)["cycles"] * of(frame, load)[f"cycles_{step}"] / sum(of(frame, load)[f"cycles_{s}"] for s in STEPS) for load in loads]
        axes.barh(loads, widths, left=base, color=COLOURS[i], label=step)
        base = [b + w for b, w in zip(base, widths)]
    axes.invert_yaxis()
    axes.set(xlabel="cycles per request", title="Cycles of the image by step of the cost table")
    axes.legend(fontsize="small")
    other, both = new_figure(height=5.0)
    for i, form in enumerate(FORMS[1:]):
        both.plot([100 * off(frame, load, form, "iops") for load in loads], loads, "os"[i], color=COLOURS[i], label=f"{form}: IOPS")
        both.plot([100 * off(frame, load, form, "latency_us") for load in loads], loads, "os"[i], color=COLOURS[i], markerfacecolor="none", label=f"{form}: mean latency")
    both.axvspan(-10, 10, color="grey", alpha=0.15)
    both.invert_yaxis()
    both.set(xlabel="difference from the image, %", title="Firmware as code of the program against its image")
    both.legend(fontsize="small")
    return [Figure("steps", "Where the cycles of a request go. Large requests have 16 pages.", figure),
            Figure("forms", "Drives whose firmware is code of the program, with either table of costs, against the same drive with the image; grey: within 10 %.", other)]


EXPERIMENT = Experiment("firmware-cost", "What the firmware costs on a core", QUESTION, grid, table, figures, claims, metrics)
