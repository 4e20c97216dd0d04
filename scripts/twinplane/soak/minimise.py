"""Makes a failing case small while it fails in the same way: options first, then requests, then the drive itself."""

import time

from twinplane.soak.probe import probe

LATER = ("geometry.", "nand.cell", "ftl.over_provisioning", "host.rounds", "workload.number_ios")  # keep runs short
COUNTS = ("workload.number_ios", "host.rounds")
SIMPLER = {  # tried in place of what the case has
    "host.iodepth": ("1", "2", "8"),
    "ftl.write_buffer": ("1", "4", "16"),
    "geometry.channels": ("1", "2"),
    "geometry.chips_per_channel": ("1",),
    "geometry.dies_per_chip": ("1", "2"),
    "geometry.planes_per_die": ("1", "2"),
    "geometry.page_size": ("4096B", "8192B"),
    "geometry.sector_size": ("4096B",),
    "workload.bs": ("4096B", "8192B"),
}


class Minimiser:
    """`allowance`: seconds after which the smallest case so far is good enough."""

    def __init__(self, runner, keys, allowance=90):
        self.runner, self.keys = runner, keys
        self.end = time.monotonic() + allowance
        self.executions = 0

    def minimise(self, case, kind):
        self.kind = kind
        if case.blocks and self._fails(case.with_blocks("")):
            case = case.with_blocks("")
        if case.firmware and self._fails(case.with_firmware("")):
            case = case.with_firmware("")
        case = self._fewer_cuts(case)
        case = self._drop_options(case, later=False)
        case = self._fewer_requests(case)
        case = self._drop_options(case, later=True)
        case = self._simplify(case)
        case = self._fewer_requests(case)
        return self._drop_options(case, later=False)

    def _fails(self, case):
        if time.monotonic() > self.end:
            return False
        self.executions += 1
        return probe(self.runner, case, self.keys).kind == self.kind

    def _drop_options(self, case, later):
        keys = [k for k in case.settings if later or not k.startswith(LATER)]
        def without(dropped):
            return case.with_settings({k: v for k, v in case.settings.items() if k not in dropped})
        kept = self._reduce(keys, lambda rest: self._fails(without(set(keys) - set(rest))))
        return without(set(keys) - set(kept))

    def _fewer_requests(self, case):
        if case.trace is not None:
            lines = self._reduce(list(case.trace), lambda rest: bool(rest) and self._fails(case.with_trace(rest)))
            return case.with_trace(lines)
        for key in COUNTS:
            case = self._smaller_count(case, key)
        return case

    def _smaller_count(self, case, key):
        """The least count that still fails, between halvings."""
        low, high = 0, int(case.settings.get(key, 1))
        while high - low > max(1, high // 20):
            middle = (low + high) // 2
            smaller = case.with_settings({**case.settings, key: str(middle)})
            if middle and self._fails(smaller):
                case, high = smaller, middle
            else:
                low = middle
        return case

    def _fewer_cuts(self, case):
        for when in ("", "random:1", "random:2", "random:4"):
            if case.power_cut in ("", when):
                return case
            fewer = case.with_power_cut(when)
            if self._fails(fewer):
                return fewer
        return case

    def _simplify(self, case):
        for key, values in SIMPLER.items():
            if key not in case.settings:
                continue
            for value in values:
                simpler = case.with_settings({**case.settings, key: value})
                if case.settings[key] == value:
                    break
                if self._fails(simpler):
                    case = simpler
                    break
        return case

    def _reduce(self, items, fails):
        """Delta debugging: drops pieces, large ones first, while the rest fails."""
        size = max(1, len(items) // 2)
        while items:
            start, shrunk = 0, False
            while start < len(items):
                rest = items[:start] + items[start + size:]
                if len(rest) < len(items) and fails(rest):
                    items, shrunk = rest, True
                else:
                    start += size
            if size == 1 and not shrunk:
                return items
            size = max(1, size // 2) if not shrunk or size > 1 else 1
        return items
