"""Draws traces: phases of requests in the columns of `--format twinplane`."""

from dataclasses import dataclass

from twinplane.soak.drive import logarithmic, weighted

HEADER = "time_ns,op,offset,size,device"
UNIT = 512  # offsets and sizes are multiples of it; the drive's sector may be larger


@dataclass(frozen=True)
class Space:
    """The drive as the requests see it, in bytes."""

    capacity: int
    page: int
    sector: int
    heat: float  # probability that requests meet again and again
    contended: int = 0  # pages of a hot spot, if not left to chance


def draw_trace(random, space, page_operations):
    """Lines of a trace that cause about so many page operations."""
    lines, clock = [], 0
    phases = weighted(random, {1: 2, 2: 3, 4: 2, 7: 1})
    for _ in range(phases):
        phase = Phase(random, space)
        clock = phase.draw(max(20, page_operations // phases), clock, lines)
    return lines


class Phase:
    """A stretch with one mix of operations, sizes, addresses and pauses."""

    OPERATIONS = (
        {"write": 1},
        {"write": 1, "read": 1},
        {"write": 9, "read": 9, "flush": 1},
        {"write": 6, "read": 3, "trim": 2},
        {"write": 6, "read": 6, "trim": 2, "flush": 1},
        {"read": 9, "write": 1},
        {"trim": 3, "read": 1, "write": 1},
    )

    def __init__(self, random, space):
        self.random, self.space = random, space
        self.operations = random.choice(self.OPERATIONS)
        self.sizes = weighted(random, {"sector": 3, "page": 3, "odd": 3, "mixed": 3, "large": 1})
        self.where = "hot" if random.random() < space.heat else weighted(
            random, {"wide": 4, "sequential": 2, "stride": 1, "recent": 3})
        self.forced = random.choice((0, 0, 0.1, 1))  # share of writes with force unit access
        self.aligned = random.random() < 0.5
        self.pace = weighted(random, {"burst": 3, "steady": 2, "pauses": 1})
        hot = logarithmic(random, 1, 64)
        span = {"hot": (space.contended or hot) * space.page, "recent": 200 * space.page}
        self.span = max(2 * UNIT, min(span.get(self.where, space.capacity), space.capacity))
        self.start = random.randrange(0, max(1, space.capacity - self.span), UNIT)
        self.cursor = 0
        self.recent = [0]
        self.gap = logarithmic(random, 100, 2_000_000)

    def draw(self, page_operations, clock, lines):
        random, cost = self.random, 0
        while cost < page_operations:
            operation = weighted(random, self.operations)
            clock += self._pause()
            if operation == "write" and random.random() < self.forced:
                operation = "write_fua"
            if operation == "flush":
                lines.append(f"{clock},flush,0,0,0")
                cost += 1
                continue
            size = self._size() * (logarithmic(random, 1, 64) if operation == "trim" else 1)
            size = min(size, self.span)
            offset = self.start + self._offset(size)
            lines.append(f"{clock},{operation},{offset},{size},0")
            cost += 1 + size // self.space.page if operation != "trim" else 1
        return clock

    def _size(self):
        random, page, sector = self.random, self.space.page, self.space.sector
        kind = random.choice(("sector", "page", "odd", "large")) if self.sizes == "mixed" else self.sizes
        if kind == "sector":
            return sector
        if kind == "page":
            return page * random.choice((1, 1, 2, 4))
        if kind == "odd":
            return UNIT * random.randint(1, max(2, 3 * page // UNIT))
        return page * logarithmic(random, 4, 40)

    def _offset(self, size):
        random = self.random
        room = self.span - size
        if self.where in ("sequential", "stride"):
            offset = self.cursor if self.cursor <= room else 0
            self.cursor = offset + size * (1 if self.where == "sequential" else 3)
        elif self.where == "recent" and random.random() < 0.6:
            offset = min(room, random.choice(self.recent))
        else:
            offset = random.randrange(0, room + UNIT, UNIT)
        if self.aligned:
            offset -= offset % self.space.page
        self.recent = (self.recent + [offset])[-8:]
        return offset

    def _pause(self):
        random = self.random
        if self.pace == "burst":
            return 0 if random.random() < 0.95 else self.gap * 20
        if self.pace == "steady":
            return self.gap
        return self.gap if random.random() < 0.98 else 50_000_000
