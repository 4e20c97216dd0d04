"""Which step of the cost table (cpu.cost) each instruction of an image belongs to, and what a step then costs."""

import collections
import re

STEPS = ("interrupt", "command_decode", "map_lookup", "allocate", "flash_submit", "flash_complete", "dma_submit", "gc_select")
# The innermost function on the way that is named here decides; what is on none of them is the turn's.
RULES = [(step, re.compile(rule)) for step, rule in (
    ("gc_select", r"Collector::(start|start_in_region|find_job|begin)$|VictimChoice::|::select$|victim|write_cost|divide"),
    ("dma_submit", r"HostIo::post|HostWrites::post_pages|HostPort::"),
    ("command_decode", r"NvmeController::(on_host_command|on_request_done)$|CompletionPort::|IoCommands::|HostIo::finish$|RequestSplitter::submit$"),
    ("map_lookup", r"RequestSplitter::|ReadPath::(read|send)|HostWrites::(write|fill_writes|queue_writes|begin)|WritePath::(begin|start|queue|complete|"
                   r"enqueue_for_placement|add_arriving)|BufferedWrites::write|HostIo::take"),
    ("allocate", r"MapCommit::|WriteGroups::|GroupRules::(slot_of|peek)$|BlockAllocation|::next_plane$|::take_slot"),
    ("flash_complete", r"FtlCore::(on_flash_irq|complete)"),
    ("flash_submit", r"Dispatcher::|CommandIssuer::|GroupRules::|::form$|DieQueues::|PageMover::|UnitMover::|Mover::|GcJobs::|Collector::(advance|run|erase)"),
)]


def short_name(function):
    """Without the firmware's namespaces and arguments."""
    name = re.sub(r"twinplane::fw::|target::|\(anonymous namespace\)::", "", function)
    return name.split("(")[0]


def step_of(way, known):
    for function in reversed(way):
        if function not in known:
            known[function] = next((step for step, rule in RULES if rule.search(function)), None)
        if known[function]:
            return known[function]
    return "interrupt"


def cycles_by_step(folded):
    """Of the lines of a profile.folded: {step: cycles}, and {step: {function: cycles}} of the functions themselves."""
    cycles, functions, known = collections.Counter(), collections.defaultdict(collections.Counter), {}
    for line in folded:
        names, count = line.rsplit(" ", 1)
        way = [short_name(name) for name in names.split(";")[1:]]
        step = step_of(way, known)
        cycles[step] += int(count)
        functions[step][way[-1]] += int(count)
    return cycles, functions


def most_of(functions, count=4):
    """Where a step's cycles are: "memset 19 %, ..."."""
    total = sum(functions.values())
    return ", ".join(f"{name} {100 * cycles / total:.0f} %" for name, cycles in functions.most_common(count))


def steps_taken(summary):
    """How often each step was charged, or would have been: turns, commands, pages of commands and of flash commands, victims."""
    ftl, nand, host = summary["ftl"], summary["nand"], summary["host"]
    operations = nand["reads"]["total"] + nand["programs"]["total"] + nand["erases"]["total"]
    pages = ftl["host_pages_written"] + ftl["host_pages_read"]
    return {"interrupt": summary["firmware"]["interrupts"], "command_decode": sum(host[op]["count"] for op in ("read", "write", "trim", "flush")),
            "map_lookup": pages, "allocate": nand["programs"]["total"], "flash_submit": operations, "flash_complete": operations,
            "dma_submit": pages, "gc_select": ftl["gc"]["invocations"]}


def derive(rows, victims):
    """{step: cycles} from the rows of loads that keep the core busy (cycles_STEP and taken_STEP). A victim costs what it does in `victims`.

    Each step costs what its functions took, over how often it was taken. But for two: the search for what a die gets next goes over dies and queues and
    is for reads and writes alike, so the cost of a flash command and of placing a page are those that fit the loads' totals best."""
    costs = {step: sum(row[f"cycles_{step}"] for row in rows) / max(1, sum(row[f"taken_{step}"] for row in rows)) for step in STEPS}
    costs["gc_select"] = victims["cycles_gc_select"] / victims["taken_gc_select"]
    equations = []  # a flash command, a page placed = what is left of the load's cycles, as shares of them
    for row in rows:
        total = sum(row[f"cycles_{step}"] for step in STEPS)
        rest = 1 - sum(costs[step] * row[f"taken_{step}"] for step in STEPS if step not in ("flash_submit", "allocate")) / total
        equations.append((row["taken_flash_submit"] / total, row["taken_allocate"] / total, rest))
    costs["flash_submit"], costs["allocate"] = fit(equations)
    return costs


def fit(equations):
    """Least squares of a x + b y = c with x, y >= 0."""
    aa, ab, bb, ac, bc = (sum(e[i] * e[j] for e in equations) for i, j in ((0, 0), (0, 1), (1, 1), (0, 2), (1, 2)))
    determinant = aa * bb - ab * ab
    x, y = (ac * bb - bc * ab) / determinant, (bc * aa - ac * ab) / determinant
    if y < 0:
        return ac / aa, 0.0
    return (x, y) if x >= 0 else (0.0, bc / bb)
