"""One run: settings and, unless the workload is synthetic, the lines of a trace."""

import math
import random
import shlex
from dataclasses import dataclass, replace

from twinplane.soak import blocks, drive, guest, image, power, workload
from twinplane.soak.trace import HEADER

TOGETHER = 0.3  # of the runs with a trace and enough queues
MOST_CHECKED = 3e8  # subpages of the drive x commands / run.check_turns: some 20 seconds
IDLE_WORK = 100  # a drive that collects in idle time has up to this many times the turns of one that does not
PATROLS = 1000  # turns between two checks of one that patrols, whatever the host does: its turns are those of the time that passes


@dataclass(frozen=True)
class Case:
    settings: dict
    trace: tuple | None = None
    blocks: str = ""  # name of an example
    power_cut: str = ""  # when the supply fails
    guest: str = ""  # who plays the host, over vfio-user
    copies: int = 1  # of the trace that are replayed together, each on its own queues if more than one
    firmware: str = ""  # state of an image; none: the program's own code

    def with_settings(self, settings):
        return replace(self, settings=settings)

    def with_blocks(self, name):
        return replace(self, blocks=name)

    def with_power_cut(self, when):
        return replace(self, power_cut=when)

    def with_firmware(self, state):
        """Only an image has a profile."""
        kept = {key: value for key, value in self.settings.items() if state or key != "report.profile"}
        return replace(self, firmware=state, settings=kept)

    def with_trace(self, lines):
        return replace(self, trace=tuple(lines))

    def arguments(self, trace_file, libraries="build/release/examples", images=None):
        """What follows `twinplane run`, or `serve`. `libraries`: folder of the examples' libraries; `images`: that of the images, without
        one the drive runs the program's own code."""
        file = image.image_of(images, self.firmware)
        if self.firmware and file is None:
            return self.with_firmware("").arguments(trace_file, libraries)
        words = ["--blocks", f"{libraries}/lib{self.blocks}_blocks.so"] if self.blocks not in ("", blocks.RTL) else []
        for key, value in self.settings.items():
            words += ["--set", f"{key}={value}"]
        if file is not None:
            words += ["--firmware", str(file)]
        if self.trace is not None and not self.guest:
            words += ["--trace", str(trace_file)] * self.copies + ["--format", "twinplane"]
            if self.copies > 1:
                words += ["--own-queues", "--devices", "by-name"]
        if self.power_cut:
            words += ["--power-cut", self.power_cut]
        return words

    def client_words(self, socket, build):
        """The guest's command line, with the program's folder `build`."""
        if self.guest == guest.RULES:
            return [f"{build}/{guest.CLIENT}", "--vfio-user", socket]
        return [f"{build}/twinplane", "load", "--vfio-user", socket, *guest.load_words(repr(sorted(self.settings.items())), self.settings)]

    def command_line(self, trace_file="trace.csv", images=None):
        words = self.arguments(trace_file, images=images)
        if self.guest:
            serve = shlex.join(["twinplane", "serve", *words, "--vfio-user", "drive.socket"])
            return f"{serve} & {shlex.join(self.client_words('drive.socket', '.'))}"
        return ("rtl_" if self.blocks == blocks.RTL else "") + "twinplane run " + shlex.join(words)

    def write_trace(self, path):
        if self.trace is not None:
            path.write_text("\n".join((HEADER, *self.trace)) + "\n", encoding="ascii")


def draw(seed, index, registry):
    """Run `index` of `seed`: the same for any number of jobs."""
    settings = drive.compose(seed, index, registry)
    library = blocks.compose(seed, index, registry, settings)
    lines = workload.compose(seed, index, registry, settings, blocks.most_operations(library))
    cut = power.compose(seed, index, registry, settings, lines, library)
    _check_less_often(settings, registry.resolve(settings), lines)
    who = guest.compose(seed, index, registry, settings, library, cut)
    if who:
        return Case(settings, None, library, cut, guest=who)
    firmware, lines = image.compose(seed, index, settings, lines, library)
    copies = _copies(seed, index, settings, lines)
    return Case(settings, None if lines is None else tuple(lines), library, cut, firmware=firmware, copies=copies)


def _check_less_often(settings, values, lines):
    """A check of the tables looks at every page, so a large drive with many requests has time for some of them only."""
    if "run.check_turns" not in settings:
        return
    pages = drive.pages_in_all(values) * int(values["geometry.subpages_per_page"])
    requests = len(lines) if lines is not None else int(values["workload.number_ios"]) * _commands(values)
    if "idle_collection.after_us" in settings:
        requests *= IDLE_WORK
    if "refresh.patrol_ms" in settings:
        settings["run.check_turns"] = str(max(PATROLS, int(settings["run.check_turns"])))
    for turns in (int(settings["run.check_turns"]), 50, 1000):
        settings["run.check_turns"] = str(max(turns, int(settings["run.check_turns"])))
        if pages * requests <= MOST_CHECKED * int(settings["run.check_turns"]):
            return


def _commands(values):
    """Of a request; each has turns of its own."""
    sizes = [part.split("/")[0] for part in values["workload.bssplit"].split(":") if part] or [values["workload.bs"]]
    return math.ceil(max(drive.bytes_of(size) for size in sizes) / drive.bytes_of(values["host.max_transfer"]))


def _copies(seed, index, settings, lines):
    """Two or three traces at once where each can have a queue. They are of one device, so that the drive need not grow."""
    draw = random.Random(f"{seed}:{index}:copies")
    wanted = draw.choice((2, 3))
    if lines is None or draw.random() >= TOGETHER or int(settings.get("host.queues", "1")) < wanted:
        return 1
    return wanted
