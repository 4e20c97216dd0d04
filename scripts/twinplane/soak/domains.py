"""Each configuration key's domain: how often the search leaves its default, and for what.

A key that is not here fails tests/repository/soak_test.py. Composed keys are drawn by the module named (they depend on
each other); fixed keys stay as they are, for the reason given.
"""

import math
from dataclasses import dataclass


@dataclass(frozen=True)
class Domain:
    """With probability `chance` the key gets a value of `draw(random, words)`; words are the registry's."""

    chance: float
    draw: object


@dataclass(frozen=True)
class Fixed:
    reason: str


@dataclass(frozen=True)
class Composed:
    module: str


def pick(chance, *values):
    return Domain(chance, lambda random, words: random.choice(values))


def flag(chance):
    return pick(chance, "true")


def word(chance):
    return Domain(chance, lambda random, words: random.choice(words))


def number(chance, low, high, *extremes, unit=""):
    """One of the extremes as often as a number between; small numbers as often as large ones."""

    def draw(random, words):
        if extremes and random.random() < 0.5:
            return f"{random.choice(extremes)}{unit}"
        value = math.exp(random.uniform(math.log(low), math.log(high + 1)))
        return f"{min(high, int(value))}{unit}"

    return Domain(chance, draw)


def time(chance, low, high, *extremes):
    """Microseconds, extremes as texts."""
    between = number(1, low, high, unit="us")
    return Domain(chance, lambda random, words:
                  random.choice(extremes) if extremes and random.random() < 0.5 else between.draw(random, words))


def share(chance, *percents):
    return Domain(chance, lambda random, words: f"{random.choice(percents)}%")


def plane_allocation(random, words):
    """A listed name, or static levels: any distinct letters of CWDP."""
    if random.random() < 0.6:
        return random.choice(words)
    letters = random.sample("CWDP", random.randint(1, 4))
    return "".join(letters)


def classifier(random, words):
    return random.choice(words)


DRIVE = Composed("drive.py")
LOAD = Composed("workload.py")
OUTPUT = Fixed("chooses what is written, not what happens")

DOMAINS = {
    "geometry.channels": DRIVE,
    "geometry.chips_per_channel": DRIVE,
    "geometry.dies_per_chip": DRIVE,
    "geometry.planes_per_die": DRIVE,
    "geometry.blocks_per_plane": DRIVE,
    "geometry.pages_per_block": DRIVE,
    "geometry.page_size": DRIVE,
    "geometry.spare_size": DRIVE,
    "geometry.sector_size": DRIVE,
    "geometry.subpages_per_page": DRIVE,
    "nand.cell": DRIVE,
    "nand.tR": time(0.15, 1, 500, "1ns", "1us", "3ms"),
    "nand.tPROG": time(0.2, 20, 5000, "1us", "20ms"),
    "nand.tBERS": time(0.15, 100, 20000, "1us", "50ms"),
    "nand.tDBSY": pick(0.1, "0us", "1ns", "5us", "1ms"),
    "nand.program_order": word(0.1),
    "nand.page_table": word(0.1),
    "nand.pac": pick(0.15, "false"),
    "nand.bac": pick(0.25, "false", "true"),
    "nand.copybacks": number(0.15, 1, 4, 0, 255),
    "nand.partial_programs": number(0.15, 1, 7, 1, 4, 7),
    "nand.wordline_buffer": number(0.2, 1, 64, 0, 1, 4096),
    "nand.slc.tR": time(0.05, 1, 100, "1ns"),
    "nand.slc.tPROG": time(0.05, 20, 1000, "1us"),
    "nand.slc.tBERS": time(0.05, 100, 10000, "1us"),
    "nand.tRCBSY": pick(0.1, "0us", "1ns", "50us", "1ms"),
    "nand.one_pass": flag(0.5),
    "nand.tPROG_wordline": pick(0.3, "100us", "2100us", "10ms"),
    "nand.tDCBSYW": pick(0.3, "0us", "1ns", "50us", "1ms"),
    "nand.tCBSY": pick(0.1, "0us", "1ns", "50us", "1ms"),
    "nand.tPSPD": pick(0.12, "0us", "1us", "20us", "1ms", "10ms"),
    "nand.tR_level": pick(0.2, "1us", "60us", "50us,70us,90us", "10ms"),
    "nand.tESPD": pick(0.12, "0us", "1us", "20us", "1ms", "10ms"),
    "nand.endurance": number(0.25, 1, 40, 1, 2, 5, 20),
    "nand.factory_bad": share(0.12, 0.5, 1, 3, 8, 20),
    "nand.fail.program": share(0.1, 0.05, 0.5, 2, 10, 100),
    "nand.fail.erase": share(0.1, 0.5, 5, 30, 100),
    "nand.fail.read": share(0.12, 0.1, 1, 5, 30, 100),
    "nand.fail.parameter_page": pick(0.1, "1", "2"),
    "nand.errors.reading": pick(0.25, "expected", "drawn", "drawn"),
    "nand.errors.fresh": pick(0.2, "1e-9", "1e-6", "2e-5"),
    "nand.errors.worn": pick(0.3, "2e-5", "1e-3", "3e-3", "3e-2"),
    "nand.errors.partial": pick(0.1, "0", "10"),
    "nand.errors.neighbour": pick(0.1, "0", "1"),
    "nand.errors.upper_pages": pick(0.2, "1", "1.5", "4"),
    "nand.errors.retention": pick(0.2, "0.5", "3", "1000"),
    "nand.errors.retention_power": pick(0.2, "0.1", "1", "2"),
    "nand.errors.read_disturb": pick(0.2, "0.01", "1", "1000"),
    "nand.errors.retry": pick(0.2, "0.1", "0.9", "1"),
    "nand.errors.cycles": number(0.5, 100, 8000, 1, 4000, 10000, 100000),
    "nand.errors.age": pick(0.2, "0.01", "30", "3650"),
    "nand.suspend": flag(0.35),
    "nand.independent_plane_reads": flag(0.35),
    "bus.interface": word(0.3),
    "bus.mode": DRIVE,
    "bus.ns_per_byte": pick(0.05, "1ps", "1ns", "20ns", "100ns"),
    "bus.arbitration": word(0.3),
    "bus.age_limit": time(0.15, 1, 10000, "1ps", "1ns"),
    "bus.ready": pick(0.2, "poll"),
    "bus.poll_interval": time(0.5, 20, 2000, "20us", "10ms"),
    "bus.spare_area": pick(0.3, "false"),
    "bus.monitor": flag(0.25),
    "bus.hold_tDBSY": Fixed("reserved"),
    "controller.ecc_latency": pick(0.15, "0us", "1ns", "50us", "1ms"),
    "controller.read_retries": number(0.3, 1, 4, 0, 7),
    "controller.ecc.code": pick(0.3, "bch", "ldpc"),
    "controller.ecc.codeword": pick(0.3, "512B", "2KiB", "4KiB"),
    "controller.ecc.parity": number(0.2, 10, 200, 0, 100),
    "controller.ecc.parity_on_bus": flag(0.05),
    "controller.ecc.corrects": number(0.3, 5, 72, 1, 80),
    "controller.ecc.fastest": pick(0.2, "0us", "2us", "10us"),
    "controller.ecc.slowest": pick(0.2, "10us", "50us", "1ms"),
    "controller.ecc.early_termination": pick(0.15, "false"),
    "controller.ecc.throughput": pick(0.3, "1MB/s", "100MB/s", "400MB/s", "2GB/s"),
    "controller.ecc.soft_corrects": number(0.3, 80, 300, 80, 1000),
    "controller.ecc.soft_senses": number(0.3, 1, 7, 0, 7),
    "controller.ecc.sense_time": pick(0.2, "1ns", "60us", "1ms"),
    "controller.suspend_gain": time(0.25, 1, 5000, "0us", "0us", "1us"),
    "controller.cache_reads": flag(0.35),
    "controller.cache_programs": flag(0.35),
    "controller.suspends": number(0.2, 1, 64, 1, 2, 65535),
    "controller.suspend_reads": number(0.2, 1, 64, 1, 2, 1000000),
    "cpu.clock": pick(0.2, "1MHz", "50MHz", "333MHz", "10GHz"),
    "cpu.run_ahead": pick(0.2, "1ps", "1ns", "3us", "50us", "1s"),
    "cpu.cache_size": pick(0.15, "1KiB", "64KiB", "1MiB"),
    "cpu.cache_line": pick(0.1, "32B", "128B"),
    "cpu.cache_ways": pick(0.2, "2", "4", "8"),
    "cpu.firmware": Composed("image.py"),
    "cpu.cpi.base": number(0.05, 1, 10, 0, 1000),
    "cpu.cpi.load_store": number(0.05, 1, 10, 0, 1000),
    "cpu.cpi.branch": number(0.05, 1, 10, 0, 1000),
    "cpu.cpi.multiply": number(0.05, 1, 10, 0, 1000),
    "cpu.cpi.dram": number(0.05, 1, 10, 0),
    "cpu.watchdog": time(0.05, 200000, 5000000, "3600000ms"),
    "cpu.cost.interrupt": number(0.05, 1, 10000, 0, 100000),
    "cpu.cost.command_decode": number(0.05, 1, 10000, 0, 100000),
    "cpu.cost.map_lookup": number(0.05, 1, 10000, 0),
    "cpu.cost.allocate": number(0.05, 1, 10000, 0),
    "cpu.cost.flash_submit": number(0.05, 1, 10000, 0, 100000),
    "cpu.cost.flash_complete": number(0.05, 1, 10000, 0, 100000),
    "cpu.cost.dma_submit": number(0.05, 1, 10000, 0),
    "cpu.cost.gc_select": number(0.05, 1, 100000, 0),
    "cpu.cost.admin": number(0.05, 1, 100000, 0),
    "pcie.generation": number(0.15, 1, 5, 1, 5),
    "pcie.lanes": pick(0.15, "1", "2", "8", "16"),
    "pcie.latency": pick(0.15, "0us", "1ps", "2us", "1ms"),
    "pcie.max_payload": pick(0.1, "128B", "512B", "4KiB"),
    "pcie.tags": number(0.05, 1, 256, 1, 256),
    "pcie.ideal": flag(0.1),
    "pcie.serial_number": pick(0.05, "A", "ABCDEFGHIJKLMNOPQRST"),
    "dram.size": pick(0.1, "1GiB", "5GiB", "64GiB"),  # what is needed is the default
    "dram.latency": pick(0.1, "0ps", "1us"),
    "dram.bandwidth": pick(0.1, "1MB/s", "100MB/s", "10000GB/s"),
    "host.mode": LOAD,
    "host.iodepth": LOAD,
    "host.queues": LOAD,
    "host.queue_size": LOAD,
    "host.arbitration": word(0.2),
    "host.rounds": LOAD,
    "host.repeat_rounds": flag(0.2),
    "host.drive_writes": LOAD,
    "host.report_round": number(0.1, 1, 5000, 1),
    "host.time_scale": pick(0.15, "1e-9", "0.01", "3", "20"),
    "host.remap": LOAD,
    "host.max_transfer": pick(0.5, "4KiB", "8KiB", "16KiB", "32KiB", "64KiB", "64KiB", "1MiB", "2MiB"),
    "host.shadow_doorbells": flag(0.15),
    "host.slots": number(0.25, 2, 200, 2, 3, 33),
    "host.max_requests": number(0.05, 1, 2000, 1),
    "ftl.policy": word(0.6),
    "ftl.classifier": Domain(0.15, classifier),
    "ftl.small_request": number(0.1, 1, 16, 1, 65535),
    "ftl.queue_threshold": number(0.1, 1, 64, 0, 65535),
    "ftl.plane_allocation": Domain(0.2, plane_allocation),
    "ftl.block_allocation": word(0.15),
    "ftl.slc_mode": flag(0.12),
    "ftl.mapping": word(0.05),
    "ftl.map_unit": DRIVE,
    "ftl.regions": word(0.12),
    "ftl.hot_share": share(0.5, 0.1, 5, 20, 45, 70, 99.9),
    "ftl.hot_share_of": pick(0.3, "capacity"),
    "ftl.hot_request": pick(0.5, "512B", "1KiB", "8KiB", "16KiB", "64KiB", "1MiB"),
    "ftl.cold_age": pick(0.4, "0.01", "0.5", "1", "3", "100"),
    "ftl.cold_log": share(0.5, 1, 20, 80, 99),
    "ftl.second_chances": pick(0.5, "0", "1", "7", "255"),
    "broms.victim_model": pick(0.4, "measured"),
    "broms.hysteresis": share(0.4, 0, 0.01, 1, 10, 99),
    "broms.horizon": number(0.4, 1, 100000, 1, 64, 4000000000),
    "broms.window": number(0.5, 1, 10000, 1, 16, 4000000000),
    "slc_cache.share": share(0.6, 0.1, 5, 10, 25, 50, 90),
    "slc_cache.least_share": share(0.4, 0.1, 1, 5, 20, 90),
    "slc_cache.most_share": share(0.4, 0.1, 20, 40, 60, 90),
    "slc_cache.gc_threshold": share(0.4, 0, 1, 10, 30, 90),
    "slc_cache.fit": pick(0.4, "less"),
    "slc_cache.update": pick(0.4, "union"),
    "slc_cache.access": pick(0.4, "any"),
    "slc_cache.full_pages": pick(0.3, "native"),
    "slc_cache.when_full": pick(0.3, "direct"),
    "slc_cache.eviction": pick(0.5, "packed"),
    "slc_cache.wear_gap": number(0.4, 1, 20, 0, 1, 2, 1000000),
    "slc_cache.endurance": pick(0.3, "1", "100", "100000"),
    "ftl.victim": word(0.3),
    "ftl.victim_d": number(0.15, 1, 64, 1, 64),
    "ftl.relocation": word(0.15),
    "ftl.scheduling": word(0.3),
    "ftl.die_queue_depth": number(0.4, 1, 8, 2, 3, 8),
    "ftl.page_buffers": number(0.3, 64, 1000, 64, 65536),
    "ftl.program_unit": word(0.25),
    "ftl.erase_unit": word(0.25),
    "ftl.pack_timeout": time(0.15, 1, 10000, "1ps", "1ns"),
    "ftl.age_limit": time(0.15, 1, 10000, "1ps", "1ns"),
    "ftl.pair": word(0.3),
    "ftl.frontier": word(0.25),
    "ftl.host_streams": pick(0.2, "2"),
    "ftl.gc_moves": word(0.4),
    "ftl.copyback": word(0.4),
    "ftl.copyback_limit": number(0.3, 1, 8, 1, 254),
    "ftl.tbm_gc": word(0.25),
    "ftl.over_provisioning": DRIVE,
    "ftl.gc_threshold": DRIVE,
    "ftl.write_buffer": DRIVE,
    "ftl.write_ack": DRIVE,
    "precondition.mode": pick(0.4, "fill", "fill", "fill", "aged", "trace"),
    "precondition.fill": share(0.8, 0, 10, 50, 90, 100, 100),
    "precondition.overwrite": DRIVE,
    "precondition.valid": share(0.6, 0, 5, 11, 30, 70),
    "precondition.phase": pick(0.3, "random", "equal"),
    "data.mode": pick(0.25, "full", "full", "full", "none"),
    "workload.rw": LOAD,
    "workload.bs": LOAD,
    "workload.bssplit": LOAD,
    "workload.iodepth": Fixed("the same as host.iodepth"),
    "workload.rwmixread": LOAD,
    "workload.rwmixtrim": LOAD,
    "workload.random_distribution": LOAD,
    "workload.percentage_random": LOAD,
    "workload.randommap": LOAD,
    "workload.blockalign": LOAD,
    "workload.rate_iops": LOAD,
    "workload.rate_process": LOAD,
    "workload.thinktime": LOAD,
    "workload.thinktime_blocks": LOAD,
    "workload.fsync": LOAD,
    "workload.number_ios": LOAD,
    "workload.size": LOAD,
    "workload.offset": LOAD,
    "workload.seed": LOAD,
    "workload.time_based": Fixed("reserved"),
    "workload.runtime": Fixed("reserved"),
    "workload.ramp_ios": number(0.2, 1, 400, 1, 19),
    "waves.vcd": flag(0.02),
    "waves.fst": flag(0.03),
    "waves.perfetto": flag(0.02),
    "waves.level": OUTPUT,
    "waves.scope": OUTPUT,
    "waves.from": OUTPUT,
    "waves.to": Composed("drive.py"),
    "report.interval": time(0.1, 1, 10000, "20us", "1000ms"),
    "report.requests": flag(0.1),
    "report.energy": flag(0.25),
    "report.plane_time": flag(0.5),
    "report.profile": Composed("image.py"),
    "energy.VCC": pick(0.1, "0.1", "1.8", "20"),
    "energy.VCCQ": pick(0.05, "0.1", "3.3"),
    "energy.ICC1": pick(0.1, "0", "50", "10000"),
    "energy.ICC2": pick(0.1, "0", "50", "10000"),
    "energy.ICC3": pick(0.1, "0", "50", "10000"),
    "energy.further_planes": pick(0.2, "0", "0.3"),
    "energy.ICC4R": pick(0.05, "0", "0.001"),
    "energy.ICC4W": pick(0.05, "0", "0.001"),
    "energy.ICCQ4R": pick(0.05, "0"),
    "energy.ICCQ4W": pick(0.05, "0"),
    "energy.ISB": pick(0.05, "0", "100"),
    "energy.core": pick(0.05, "0"),
    "energy.controller": pick(0.05, "0"),
    "energy.link": pick(0.05, "0"),
    "energy.dram": pick(0.05, "0"),
    "energy.dram_standby": pick(0.05, "0"),
    "energy.ecc": pick(0.05, "0"),
    "ftl.wear_gap": number(0.2, 1, 30, 1, 2),
    "refresh.reads": number(0.1, 20, 2000, 1, 20),
    "refresh.corrected_bits": number(0.15, 1, 300, 1),
    "refresh.patrol_ms": number(0.15, 1, 1000, 1, 1000000000),
    "idle_collection.after_us": number(0.15, 1, 20000, 1, 100),
    "idle_collection.free_blocks": number(0.7, 2, 30, 65535),
    "idle_collection.least_gain": number(0.7, 1, 100, 100),
    "ftl.checkpoint_interval": number(0.35, 8, 3000, 1, 2, 40),
    "power.hold_up": pick(0.4, "0", "0", "0", "20000", "16777216"),
    "ftl.lower_pages": pick(0.5, "none", "none", "backup", "wordline", "wordline"),
    "energy.peak_limit": pick(0.2, "1", "1.3", "2", "5"),  # times the least: drive.py
    "run.seed": LOAD,
    "run.progress": OUTPUT,
    "run.strict": flag(0.05),
    "run.check_turns": pick(0.4, "3", "50", "1000"),
    "run.timeout": time(0.05, 200000, 5000000, "3600000ms"),
}
