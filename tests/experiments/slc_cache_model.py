"""Baseline, MGA and IPU as mapping and collection alone: no time, no channel, no firmware. Written from the paper, to compare with."""

import collections
import csv
import math
from dataclasses import dataclass, field

SUBPAGES, NOP, LEVELS = 4, 4, 3
NATIVE = "native"


@dataclass(eq=False)
class Page:
    slots: list = field(default_factory=list)  # logical subpages; None once rewritten elsewhere
    programs: int = 0
    updated: bool = False
    stamp: int = 0
    suffered: list = field(default_factory=list)  # partial programs, by slot

    def valid(self):
        return [s for s in self.slots if s is not None]


@dataclass(eq=False)
class Block:
    level: int
    pages: list = field(default_factory=list)


class Cache:
    """The blocks in SLC mode of `planes` planes; the address says in which; native blocks only count."""

    def __init__(self, scheme, planes, blocks, pages, neighbour=0.25):
        self.scheme, self.planes, self.blocks, self.pages, self.neighbour = scheme, planes, blocks, pages, neighbour
        self.free = [blocks] * planes
        self.open = [{} for _ in range(planes)]
        self.closed = [[] for _ in range(planes)]
        self.append = [None] * planes  # MGA: block and page that is not full yet
        self.where = {}  # logical subpage -> (plane, block, page, slot) or NATIVE
        self.count = collections.Counter()
        self.clock = 0

    # --- the host ---

    def write(self, first, last):
        """Subpages `first` to `last`, part by part of a page."""
        while first <= last:
            end = min(last, first | (SUBPAGES - 1))
            self.write_part(list(range(first, end + 1)))
            first = end + 1

    def write_part(self, subpages):
        self.clock += 1
        update = any(s in self.where for s in subpages)
        plane, block, page = self.destination(subpages)
        self.count[f"level {block.level}" if update else "new"] += 1
        if page.programs and self.scheme == "IPU":
            self.count["in page"] += 1
            page.updated = True
        while subpages:
            room = SUBPAGES - len(page.slots)
            self.program((plane, block, page), subpages[:room])
            subpages = subpages[room:]
            if subpages:
                block, page = self.new_page(plane, 1)
        self.collect_if_short(plane)

    def destination(self, subpages):
        plane, level = subpages[0] // SUBPAGES % self.planes, 1
        old = self.page_of_old(subpages)
        if self.scheme == "IPU" and old:
            home, block, page = old
            if len(subpages) <= SUBPAGES - len(page.slots) and page.programs < NOP:
                return home, block, page
            level = min(block.level + 1, LEVELS)
        if self.scheme == "MGA" and self.append[plane]:
            return (plane, *self.append[plane])
        return (plane, *self.new_page(plane, level))

    def page_of_old(self, subpages):
        """In the cache: the page of the first subpage that is rewritten, else of any subpage of the logical page."""
        base = subpages[0] // SUBPAGES * SUBPAGES
        for s in (*subpages, *range(base, base + SUBPAGES)):
            place = self.where.get(s)
            if place and place != NATIVE:
                return place[:3]
        return None

    def read(self, first, last):
        """Growth of the error rate (0 undisturbed, 1 for one partial program in the page) summed up, and where it was read."""
        for s in range(first, last + 1):
            place = self.where.get(s)
            if place:
                self.count["read"] += 1
                self.count["read in cache"] += place != NATIVE
                self.count["suffered"] += 0 if place == NATIVE else place[2].suffered[place[3]]

    # --- pages ---

    def program(self, place, subpages):
        plane, block, page = place
        if page.programs:
            self.disturb(block, page, set(subpages))
            self.count["partial"] += 1
        self.count["programs"] += 1
        page.programs += 1
        page.stamp = self.clock
        for s in subpages:
            self.forget(s)
            self.where[s] = (plane, block, page, len(page.slots))
            page.slots.append(s)
            page.suffered.append(0)
        self.append[plane] = (block, page) if len(page.slots) < SUBPAGES and page.programs < NOP else None

    def disturb(self, block, page, rewritten):
        at = block.pages.index(page)
        for other, much in ((at, 1), (at - 1, self.neighbour), (at + 1, self.neighbour)):
            if 0 <= other < len(block.pages):
                for i, s in enumerate(block.pages[other].slots):
                    if s is not None and not (other == at and s in rewritten):
                        block.pages[other].suffered[i] += much
                        self.count["in page disturbed" if other == at else "neighbours disturbed"] += 1

    def forget(self, s):
        place = self.where.get(s)
        if place and place != NATIVE:
            place[2].slots[place[3]] = None

    def new_page(self, plane, level):
        """Of this level, or of the next one down for which there is a block."""
        for chosen in range(level, 0, -1):
            block = self.open[plane].get(chosen)
            if block is None and self.free[plane]:
                self.free[plane] -= 1
                block = self.open[plane][chosen] = Block(chosen)
            if block is not None:
                block.pages.append(Page())
                if len(block.pages) == self.pages:
                    self.closed[plane].append(self.open[plane].pop(chosen))
                return block, block.pages[-1]
        raise AssertionError("the cache has no page left")

    # --- collection ---

    def collect_if_short(self, plane):
        while self.closed[plane] and (not self.free[plane] or self.available(plane) < 0.05 * self.blocks * self.pages):
            self.collect(plane)

    def available(self, plane):
        return self.free[plane] * self.pages + sum(self.pages - len(b.pages) for b in self.open[plane].values())

    def worth(self, block):
        if self.scheme == "Baseline":
            return sum(not page.valid() for page in block.pages)
        invalid = sum(s is None for page in block.pages for s in page.slots)
        return invalid + (self.cold(block) if self.scheme == "IPU" else 0)

    def cold(self, block):
        """IS' of equation 2."""
        ages = [(self.clock - page.stamp, page) for page in block.pages]
        mean = sum(age * len(page.slots) for age, page in ages) / sum(len(page.slots) for _, page in ages)
        return sum(len(page.valid()) * (1 - math.exp(-age / mean)) for age, page in ages if not page.updated) if mean else 0

    def collect(self, plane):
        block = max(self.closed[plane], key=self.worth)  # the oldest of equals
        self.closed[plane].remove(block)
        if self.append[plane] and self.append[plane][0] is block:
            self.append[plane] = None
        self.count["erases"] += 1
        self.count["used"] += sum(len(page.slots) for page in block.pages)
        evicted = collections.defaultdict(list)
        for page in block.pages:
            level = block.level - 1 + page.updated if self.scheme == "IPU" else 0
            if level and page.valid():
                self.move(plane, page, level)
            for s in page.valid():
                evicted[s // SUBPAGES].append(s)
        for subpages in evicted.values():
            self.count["evicted"] += 1
            for s in subpages:
                self.forget(s)
                self.where[s] = NATIVE
        self.free[plane] += 1

    def move(self, plane, page, level):
        if not self.free[plane] and not any(level >= open_level for open_level in self.open[plane]):
            return  # to native blocks
        block, new = self.new_page(plane, level)
        self.program((plane, block, new), page.valid())
        new.stamp = page.stamp


def replay(trace, scheme, planes, blocks, pages):
    """Counts after a trace in the program's columns."""
    cache = Cache(scheme, planes, blocks, pages)
    with open(trace) as lines:
        for row in csv.DictReader(lines):
            first, end = int(row["offset"]) // 4096, (int(row["offset"]) + int(row["size"]) - 1) // 4096
            (cache.write if row["op"] == "write" else cache.read)(first, end)
    return cache.count
