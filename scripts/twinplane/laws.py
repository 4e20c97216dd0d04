"""Closed forms that a run is held against. Written from the sources named, independent of the simulator."""

import functools
import math

from scipy.optimize import brentq

# --- write amplification of uniform random page writes ---


@functools.lru_cache(maxsize=4096)
def write_amplification(rho, pages_per_block, choices):
    """Mean-field law of d-choices victim selection; choices = 0 is greedy, 1 random.

    rho is valid data over physical capacity without open and reserved blocks. S_l, the share of blocks with at least
    l valid pages, obeys (l / (A rho)) (S_l - S_{l+1}) = 1 - P(victim has at least l), and the S_l add up to rho b.
    Greedy: S_l - S_{l+1} = A rho / l until S reaches 1. (Van Houdt, SIGMETRICS 2013; Desnoyers, ToS 2014.)

    There P is S_l^d. A collector that does not move a block without an invalid page, but takes any other block when
    all d are full, has P = S_l^d - S_b^d + S_b^d (S_l - S_b) / (1 - S_b); it matters for small blocks only.
    """
    def excess(amplification):
        return _valid_pages(amplification * rho, pages_per_block, choices) - rho * pages_per_block

    return brentq(excess, 1.0, float(pages_per_block), xtol=1e-11)


def _valid_pages(load, pages_per_block, choices):
    full = min(1.0, load / pages_per_block)
    share = total = full
    for valid in range(pages_per_block - 1, 0, -1):
        if choices == 0 or share >= 1:
            share = min(1.0, share + load / valid)
        else:
            share = _root_of_balance(valid / load, share, full, choices)
        total += share
    return total


def _root_of_balance(rate, above, full, choices):
    """S in [above, 1] with rate (S - above) = 1 - P(S)."""
    none = full**choices  # all choices are blocks without an invalid page
    slope = none / (1 - full)
    return brentq(lambda s: rate * (s - above) - 1 + s**choices - none + slope * (s - full), above, 1.0, xtol=1e-13)


# --- waiting ---


def pollaczek_khinchine(arrivals_per_ns, services_ns):
    """Mean wait in ns behind one server, Poisson arrivals, service times drawn evenly from `services_ns`."""
    mean = sum(services_ns) / len(services_ns)
    second = sum(s * s for s in services_ns) / len(services_ns)
    return arrivals_per_ns * second / (2 * (1 - arrivals_per_ns * mean))


def m_d_1(rho, service_ns):
    """Mean wait in ns for equal service times."""
    return rho * service_ns / (2 * (1 - rho))


# --- the flash bus ---


class Bus:
    """Times in ns of one bus, from the timing tables of ONFI 4.0 (section 4.19) as literals."""

    def __init__(self, name, settings, byte, *, tWC, tCS=0.0, tADL=0.0, tWB=0.0, tWHR=0.0, tRR=0.0, tCCS=0.0,
                 before_read=0.0, after_read=0.0, before_close=0.0, status_bytes=1):
        self.name, self.settings, self.byte = name, settings, byte
        self.tWC, self.tCS, self.tADL, self.tWB, self.tWHR = tWC, tCS, tADL, tWB, tWHR
        self.tRR, self.tCCS = tRR, tCCS
        self.before_read = before_read    # tRPRE + tDQSRE
        self.after_read = after_read      # the longer of tRHW and tRPST + tRPSTH
        self.before_close = before_close  # tWPST + tWPSTH + tCALS
        self.status_bytes = status_bytes  # on the bus: a DDR interface drives each edge

    def data(self, count):
        """A burst, rounded up to the picosecond."""
        return math.ceil(round(count * self.byte * 1000, 6)) / 1000

    def read_command(self, planes, tDBSY):
        """00h, five address cycles, 30h for each plane; 32h and tDBSY between planes."""
        return self.tCS + planes * 7 * self.tWC + (planes - 1) * (self.tWB + tDBSY) + self.tWB

    def data_out(self, count, select):
        """Data of a page; `select`: 06h, five address cycles, E0h first."""
        return self.tCS + (7 * self.tWC + self.tCCS if select else self.tRR) + self.before_read + self.data(count)

    def program_command(self, planes, count, tDBSY):
        """80h, five address cycles, data, 10h for each plane; 11h and tDBSY between planes."""
        plane = 7 * self.tWC + self.tADL + self.data(count) + self.before_close
        return self.tCS + planes * plane + (planes - 1) * (self.tWB + tDBSY) + self.tWB

    def program_status(self, planes):
        """70h for one plane, else 78h and three address cycles for each; to the last status byte."""
        cycles = 1 if planes == 1 else 4
        one = cycles * self.tWC + self.tWHR + self.before_read + self.data(self.status_bytes)
        return self.tCS + planes * one + (planes - 1) * self.after_read

    def page_read(self, count):
        """All bus time that a page read of a one-plane die takes away from others."""
        return self.read_command(1, 0) + self.data_out(count, False) + self.after_read

    def page_program(self, count):
        return self.program_command(1, count, 0) + self.program_status(1) + self.after_read


def flat(ns_per_byte):
    """Every cycle takes the same, no waits: what many papers use."""
    settings = {"bus.interface": "flat", "bus.ns_per_byte": f"{ns_per_byte}ns"}
    return Bus(f"flat {ns_per_byte} ns", settings, ns_per_byte, tWC=ns_per_byte)


BUSES = {
    "flat": flat(3),
    "sdr 5": Bus("sdr 5", {"bus.interface": "sdr", "bus.mode": 5}, 20, tWC=20, tCS=15, tADL=400, tWB=100, tWHR=80,
                 tRR=20, tCCS=500, after_read=100),
    "nv-ddr2 8": Bus("nv-ddr2 8", {"bus.interface": "nv-ddr2", "bus.mode": 8}, 1.875, tWC=25, tCS=20, tADL=300,
                     tWB=100, tWHR=80, tRR=20, tCCS=400, before_read=15 + 25, after_read=100,
                     before_close=6.5 + 15 + 15, status_bytes=2),
    "nv-ddr3 12": Bus("nv-ddr3 12", {"bus.interface": "nv-ddr3", "bus.mode": 12}, 2.5 / 3, tWC=25, tCS=20, tADL=400,
                      tWB=100, tWHR=80, tRR=20, tCCS=400, before_read=15 + 25, after_read=100,
                      before_close=6.5 + 25 + 15, status_bytes=2),
}


def pages_per_second(dies, bus_ns, array_ns):
    """Dies on one channel, a page each per turn: the bus limits, or all dies with their own turns."""
    return 1e9 * min(1 / bus_ns, dies / (bus_ns + array_ns))
