"""Are the results the same however far the core is ahead of the kernel (cpu.run_ahead), for every pair of things that act at times of
their own? With times that are equal as often as possible: an ideal link, and flash and firmware whose times are round.
"""

import itertools
import json
import os
import pathlib
import subprocess
import tempfile
import unittest

PROGRAM = os.environ["TWINPLANE_PROGRAM"]
COSTS = ("interrupt", "command_decode", "map_lookup", "allocate", "flash_submit", "flash_complete", "dma_submit", "gc_select")
DRIVE = {
    "geometry.channels": 2, "geometry.chips_per_channel": 1, "geometry.dies_per_chip": 2, "geometry.planes_per_die": 2,
    "geometry.blocks_per_plane": 16, "geometry.pages_per_block": 24, "ftl.over_provisioning": "35%", "host.mode": "closed",
    "host.iodepth": 9, "workload.number_ios": 600, "workload.rw": "randrw", "precondition.mode": "fill",
    "precondition.overwrite": "50%", "report.plane_time": "true", "pcie.ideal": "true",
}
ACTORS = {
    "doorbells in memory": {"host.shadow_doorbells": "true"},
    "small queues": {"host.queues": 3, "host.queue_size": 4},
    "arrivals": {"workload.thinktime": "10us", "workload.thinktime_blocks": 3},
    "a core without time": {f"cpu.cost.{cost}": 0 for cost in COSTS},
    "a slow core": {f"cpu.cost.{cost}": 1000 for cost in COSTS},
    "round flash times": {"nand.tR": "10us", "nand.tPROG": "100us", "nand.tBERS": "1ms"},
    "status polls": {"bus.ready": "poll", "bus.poll_interval": "10us"},
    "suspension": {"nand.suspend": "true"},
    "a write buffer": {"ftl.write_buffer": 64, "ftl.write_ack": "buffered"},
    "checkpoints": {"ftl.checkpoint_interval": 40},
    "a limit of current": {"report.energy": "true", "energy.peak_limit": 60},
    "a bus in rounded times": {"bus.interface": "mqsim"},
    "queues of dies": {"ftl.die_queue_depth": 3},
    "plane reads": {"nand.independent_plane_reads": "true"},
    "few slots": {"host.slots": 3},
    "trims": {"workload.rwmixtrim": 30},
    "timeline rows": {"report.interval": "10us"},
}
# The gauges of a timeline's row (WAF, free pages) are read when the first request behind its end completes. A core without time may act at
# that very time, too, and whether it has done so is not determined: only such drives' rows are not compared.
NO_ROWS = "a core without time"
# Drives, with words of the command line, whose results once did depend on the lead: doorbells were read before or behind what the host did at
# the same time; and time of planes was shared out until the kernel's time, where no rows of the timeline ask for it, as before the first request.
KNOWN = (
    ({"geometry.channels": 1, "geometry.planes_per_die": 1, "geometry.pages_per_block": 9, "nand.endurance": 5, "pcie.ideal": "true",
      "host.shadow_doorbells": "true", "host.queues": 3, "workload.rw": "rw", "workload.number_ios": 9093, "workload.rwmixread": 5}, ()),
    ({"geometry.channels": 1, "geometry.planes_per_die": 8, "geometry.blocks_per_plane": 207, "geometry.pages_per_block": 4, "geometry.page_size": "32KiB",
      "nand.cell": "qlc", "ftl.slc_mode": "true", "ftl.die_queue_depth": 3, "report.plane_time": "true", "ftl.over_provisioning": "1%",
      "workload.rw": "randwrite"}, ("--power-cut", "random:1")),
)


# A turn of a slow core rings doorbells milliseconds ahead of the buses. Dies of other channels leave power to the die meanwhile, whose command
# behind the one that has waited was begun before its doorbell.
SLOW = {"geometry.channels": 3, "geometry.chips_per_channel": 2, "geometry.dies_per_chip": 1, "geometry.planes_per_die": 2, "geometry.blocks_per_plane": 11,
        "geometry.pages_per_block": 4, "geometry.page_size": "64KiB", "geometry.spare_size": "0B", "nand.cell": "qlc", "nand.tBERS": "8559us",
        "cpu.clock": "1MHz", "ftl.policy": "f2", "ftl.die_queue_depth": 2, "ftl.lower_pages": "none", "ftl.gc_threshold": 9, "ftl.over_provisioning": "70%",
        "power.hold_up": 0, "energy.peak_limit": 65, "report.plane_time": "true", "host.mode": "closed", "host.queues": 8, "host.queue_size": 3,
        "host.iodepth": 16, "workload.rw": "randrw", "workload.bs": "4KiB", "workload.number_ios": 2500}


def results(settings, ahead, options=()):
    with tempfile.TemporaryDirectory() as out:
        words = [word for key, value in settings.items() for word in ("--set", f"{key}={value}")]
        run = subprocess.run([PROGRAM, "run", *words, *options, "--set", f"cpu.run_ahead={ahead}", "--out", out], capture_output=True, text=True)
        if not os.path.exists(f"{out}/summary.json"):
            raise AssertionError(f"{settings}: {run.stderr}")
        summary = json.loads(pathlib.Path(out, "summary.json").read_text())
        del summary["config"], summary["time"]
        return run.returncode, summary, pathlib.Path(out, "timeline.csv").read_bytes()


class TheOrderAtOneTime(unittest.TestCase):
    def same(self, settings, rows=True, options=()):
        expected = results(settings, "0us", options)
        for ahead in ("700ns", "1ms"):
            found = results(settings, ahead, options)
            self.assertEqual(expected[0], found[0], ahead)
            self.assertEqual(expected[1], found[1], ahead)
            self.assertTrue(expected[2] == found[2] or not rows, f"timeline.csv, {ahead}")

    def test_does_not_depend_on_the_lead_for_any_pair_of_actors(self):
        for one, other in itertools.combinations(ACTORS, 2):
            with self.subTest(one=one, other=other):
                self.same(DRIVE | ACTORS[one] | ACTORS[other], rows=NO_ROWS not in (one, other))

    def test_no_command_begins_before_its_doorbell_while_dies_wait_for_power(self):
        status, summary, _ = results(SLOW, "1ms")
        self.assertEqual(status, 0)
        time = summary["plane_time"]
        self.assertLessEqual(max(time["causes_ns"].values()), time["total_ns"])

    def test_does_not_depend_on_the_lead_where_it_once_did(self):
        for settings, options in KNOWN:
            with self.subTest(settings=settings):
                self.same(settings, options=options)


if __name__ == "__main__":
    unittest.main()
