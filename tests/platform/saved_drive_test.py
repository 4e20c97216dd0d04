#!/usr/bin/env python3
"""Is a drive that was kept the drive that it was? Runs from it must leave the same bytes as runs that precondition."""

import json
import os
import pathlib
import resource
import signal
import subprocess
import tempfile
import unittest

PROGRAM = os.environ["TWINPLANE_PROGRAM"]
SMALL = {"geometry.channels": 2, "geometry.dies_per_chip": 1, "geometry.planes_per_die": 2, "geometry.blocks_per_plane": 24,
         "geometry.pages_per_block": 24, "geometry.page_size": "8KiB", "geometry.spare_size": "448B",
         "geometry.sector_size": "512B", "bus.monitor": "true", "ftl.over_provisioning": "35%", "nand.cell": "mlc",
         "precondition.mode": "fill", "precondition.fill": "100%", "precondition.overwrite": "120%",
         "workload.rw": "randrw", "workload.number_ios": 700, "workload.bssplit": "4k/60:32k/40"}
CACHE = {"geometry.subpages_per_page": 4, "nand.partial_programs": 4, "slc_cache.share": "20%", "slc_cache.wear_gap": 3}
OTHERS = {  # drives that no preset is
    "one-pass TLC behind a cache": {"ftl.policy": "slc_cache", **CACHE, "nand.cell": "tlc", "nand.one_pass": "true", "slc_cache.wear_gap": 0},
    "a cache that packs what it evicts": {"ftl.policy": "mga", **CACHE, "slc_cache.eviction": "packed", "slc_cache.wear_gap": 0},
    "a cache whose size moves": {"ftl.policy": "slc_cache", **CACHE, "slc_cache.wear_gap": 0, "slc_cache.least_share": "10%",
                                 "slc_cache.most_share": "30%"},
    "two logs of hot blocks": {"ftl.policy": "combo", "ftl.regions": "combo_logs", "ftl.cold_age": 1},
    "copies of lower pages, checkpoints": {"power.hold_up": 0, "ftl.checkpoint_interval": 300, "geometry.blocks_per_plane": 36,
                                           "ftl.over_provisioning": "60%"},
    "static wear levelling, drawn": {"ftl.wear_gap": 1, "waves.perfetto": "true"},
    "a write buffer": {"ftl.write_ack": "buffered", "ftl.write_buffer": 32},
    "superblocks of all dies": {"ftl.erase_unit": "drive", "ftl.gc_moves": "multi"},
}
WALL_CLOCK = ("wall_s", "requests_per_wall_s", "peak_rss_bytes")


def policies():
    """The presets that the program knows."""
    listed = subprocess.run([PROGRAM, "list"], capture_output=True, text=True, check=True).stdout
    first = listed.split("decisions of the FTL")[0].splitlines()[1:]
    return [line.split()[0] for line in first if line.strip()]


def needs(policy):
    if policy in ("slc_cache", "mga", "ipu"):
        return {"ftl.policy": policy, **CACHE}
    if policy in ("pa-ssd", "pa-twin"):
        return {"ftl.policy": policy, "nand.cell": "tlc"}
    return {"ftl.policy": policy}


def drives():
    """Each policy, and what stands beside them, as what it asks for."""
    return {policy: needs(policy) for policy in policies()} | OTHERS


class SavedDrive(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.root = pathlib.Path(self.folder.name)
        self.state = self.root / "drive.state"

    def tearDown(self):
        self.folder.cleanup()

    def run_drive(self, settings, *words):
        sets = [w for k, v in settings.items() for w in ("--set", f"{k}={v}")]
        return subprocess.run([PROGRAM, "run", *sets, *map(str, words)], capture_output=True, text=True, check=False,
                              timeout=240, cwd=self.root)

    def results(self, settings, name, *words):
        out = self.root / name
        done = self.run_drive(settings, "--out", out, *words)
        self.assertEqual(done.returncode, 0, done.stderr)
        files = {path.name: path.read_bytes() for path in out.iterdir() if path.is_file()}
        summary = json.loads(files.pop("summary.json"))
        for key in WALL_CLOCK:
            del summary["time"][key]
        return summary, files

    def expect_same(self, settings):
        first = self.results(settings, "first", "--save-state", self.state)
        saved = self.state.read_bytes()
        loaded = self.results(settings, "loaded", "--load-state", self.state, "--save-state", self.root / "again.state")
        self.assertEqual(first[0], loaded[0])
        self.assertEqual(first[1], loaded[1])
        self.assertEqual(saved, (self.root / "again.state").read_bytes(), "what is loaded is what was saved")

    def expect_refusal(self, settings, *words):
        done = self.run_drive(settings, "--load-state", self.state)
        self.assertEqual(done.returncode, 1)
        self.assertRegex(done.stderr, r"(?m)^error: ")  # a sanitizer may note something before
        for word in words:
            self.assertIn(word, done.stderr)


class EveryPolicy(SavedDrive):
    def test_goes_on_as_if_it_had_not_been_saved(self):
        for name, drive in drives().items():
            with self.subTest(drive=name):
                self.expect_same({**SMALL, **drive})

    def test_goes_on_where_the_next_writes_wait_for_space(self):
        for policy in ("conventional", "pa-ssd", "f2+tbm", "broms", "ipu"):
            with self.subTest(policy=policy):
                self.expect_same({**SMALL, **needs(policy), "precondition.overwrite": "313%", "ftl.gc_threshold": 6,
                                  "workload.rw": "randwrite"})

    def test_goes_on_in_the_middle_of_collection(self):
        """The drive is kept at the end of a run, with victims that have been emptied in part. A run from there is the same
        whether the drive has been kept once more before it or not, and comes from that second file as well."""
        for name, needed in drives().items():
            with self.subTest(drive=name):
                drive = {**SMALL, **needed, "ftl.gc_threshold": 4, "workload.rw": "randwrite"}
                end = self.root / "end.state"
                planes = 2 if any(word in name for word in ("tbm", "twin", "superblocks")) else 1
                for more in range(0, 50, 10):  # requests, until a victim is left
                    drive["workload.number_ios"] = SMALL["workload.number_ios"] + more
                    gc = self.results(drive, "kept", "--save-end", end)[0]["ftl"]["gc"]
                    if gc["invocations"] * planes > gc["blocks_erased"]:
                        break
                self.assertGreater(gc["invocations"] * planes, gc["blocks_erased"])
                first = self.results(drive, "first", "--load-state", end)
                once_more = self.results(drive, "once_more", "--load-state", end, "--save-state", self.state)
                self.assertEqual(end.read_bytes(), self.state.read_bytes())
                self.assertEqual(first, once_more)
                self.assertEqual(first, self.results(drive, "again", "--load-state", self.state))


class EveryPast(SavedDrive):
    """What a drive may bring along besides its data."""

    def test_of_cells(self):
        pasts = {
            "aged": {"precondition.mode": "aged", "precondition.fill": "60%", "precondition.valid": "30%",
                     "precondition.overwrite": "0%"},
            "scattered": {"precondition.phase": "random"},
            "what a patrol would begin before the host is there": {"refresh.reads": 1, "refresh.patrol_ms": 20, "pcie.latency": "1ms",
                                                                   "idle_collection.after_us": 1, "idle_collection.free_blocks": 20},
            "bad blocks": {"nand.factory_bad": "4%", "ftl.over_provisioning": "45%"},
            "whole bytes": {"data.mode": "full"},
            "no data": {"data.mode": "none"},
            "copybacks": {"ftl.copyback": "checked", "ftl.copyback_limit": 2},
            "cache of the core": {"cpu.cache_size": "8KiB"},
            "errors": {"nand.errors.reading": "drawn", "nand.errors.read_disturb": 1e-8},
            "victims at random": {"ftl.victim": "rga"},
            "everything": {"nand.factory_bad": "4%", "ftl.over_provisioning": "45%", "precondition.phase": "random",
                           "report.plane_time": "true", "report.energy": "true", "waves.vcd": "true",
                           "ftl.victim": "fifo"},
        }
        for name, past in pasts.items():
            with self.subTest(past=name):
                self.expect_same({**SMALL, **past})

    def test_is_kept_without_a_run(self):
        drive = {k: v for k, v in SMALL.items() if not k.startswith("workload.")}
        kept = self.run_drive(drive, "--save-state", self.state)
        self.assertEqual(kept.returncode, 0, kept.stderr)
        first = self.results(SMALL, "first")
        self.assertEqual(first, self.results(SMALL, "loaded", "--load-state", self.state))

    def test_serves_other_workloads_and_reports(self):
        self.results(SMALL, "first", "--save-state", self.state)
        other = {**SMALL, "workload.rw": "read", "host.iodepth": 3, "report.energy": "true", "waves.perfetto": "true"}
        self.assertEqual(self.results(other, "one"), self.results(other, "two", "--load-state", self.state))

    def test_of_a_trace_serves_that_trace_alone(self):
        (self.root / "one.csv").write_text("time_ns,op,offset,size,device\n0,read,0,8192,0\n9,read,65536,8192,0\n", encoding="ascii")
        (self.root / "two.csv").write_text("time_ns,op,offset,size,device\n0,read,0,8192,0\n9,read,655360,8192,0\n", encoding="ascii")
        drive = {k: v for k, v in SMALL.items() if not k.startswith("workload.")}
        drive = {**drive, "precondition.mode": "trace", "precondition.overwrite": "0%"}
        words = ("--format", "twinplane", "--trace")
        first = self.results(drive, "first", "--save-state", self.state, *words, "one.csv")
        self.assertEqual(first, self.results(drive, "loaded", "--load-state", self.state, *words, "one.csv"))
        refused = self.run_drive(drive, "--load-state", self.state, *words, "two.csv")
        self.assertEqual(refused.returncode, 1)
        self.assertIn("another trace", refused.stderr)


class WornDrive(SavedDrive):
    """One that a whole run has used, and is kept at its end."""

    def keep(self, settings, name="first", *words):
        return self.results(settings, name, "--save-end", self.state, *words)

    def test_holds_what_its_host_has_written(self):
        for policy in policies():
            with self.subTest(policy=policy):
                drive = {**SMALL, **needs(policy), "workload.rw": "randwrite", "workload.number_ios": 1500}
                first = self.keep(drive)
                self.assertEqual(first[0]["host"]["verify"]["mismatches"], 0)
                again = self.root / "again.state"
                whole = {**drive, "workload.rw": "read", "workload.bssplit": "", "workload.bs": "64k", "workload.number_ios": 2000}
                self.results(drive, "go on", "--load-state", self.state, "--save-state", again)
                self.assertEqual(self.state.read_bytes(), again.read_bytes(), "what is loaded is what was saved")
                read = self.results(whole, "read", "--load-state", self.state)
                self.assertGreater(read[0]["host"]["verify"]["checked"], 20000)
                self.assertEqual(read[0]["host"]["verify"]["mismatches"], 0)
                more = read[0]["ftl"]["wear"]["max"] - first[0]["ftl"]["wear"]["max"]
                self.assertIn(more, (0, 1), "collection that was under way has ended")
                self.assertEqual(read, self.results(whole, "read again", "--load-state", self.state))

    def test_wears_on_from_life_to_life(self):
        drive = {**SMALL, "workload.rw": "randwrite", "ftl.write_ack": "buffered", "ftl.write_buffer": 32}
        erases = [self.keep(drive)[0]["ftl"]["wear"]["mean"]]
        for life in range(4):
            seed = {**drive, "workload.seed": 20 + life}
            erases.append(self.keep(seed, f"life{life}", "--load-state", self.state)[0]["ftl"]["wear"]["mean"])
        self.assertEqual(erases, sorted(set(erases)), "each life erases some more")

    def test_keeps_the_age_of_its_data(self):
        """The error rate grows with the time since the page was programmed, over the end of a life, too."""
        drive = {**SMALL, "precondition.mode": "none", "precondition.fill": "0%", "precondition.overwrite": "0%",
                 "nand.errors.reading": "expected", "nand.errors.fresh": "1e-9", "nand.errors.retention": 1000000,
                 "nand.errors.retention_power": 1, "workload.bssplit": "", "workload.bs": "64k",
                 "workload.number_ios": 60, "host.iodepth": 1}
        self.keep({**drive, "workload.rw": "write"})
        at_once = self.results({**drive, "workload.rw": "read"}, "at once", "--load-state", self.state)
        self.keep({**drive, "workload.rw": "read", "workload.thinktime": "50ms", "workload.thinktime_blocks": 1}, "rest",
                  "--load-state", self.state)
        later = self.results({**drive, "workload.rw": "read"}, "later", "--load-state", self.state)
        rates = [r[0]["reliability"]["raw_bit_error_rate"] for r in (at_once, later)]
        self.assertGreater(rates[1], rates[0] * 1.5)

    def test_comes_back_after_power_cuts_too(self):
        halves = {"geometry.blocks_per_plane": 36, "ftl.over_provisioning": "60%"}
        for kind in ({"nand.cell": "slc"}, {"ftl.policy": "combo", **halves}, {"ftl.policy": "combo", "ftl.regions": "combo_logs", "ftl.cold_age": 1, **halves},
                     {"ftl.policy": "broms", **halves}, {"ftl.policy": "broms", "power.hold_up": 0, **halves}):
            with self.subTest(kind=kind):
                drive = {**SMALL, "workload.rw": "randwrite", **kind}
                cut = self.keep(drive, "cut", "--power-cut", "random:3")
                self.assertEqual(len(cut[0]["power_cycles"]), 4)
                more = self.results(drive, "more", "--load-state", self.state, "--power-cut", "random:3")
                for life in more[0]["power_cycles"][1:]:
                    self.assertEqual(life["recovery"]["sectors_lost"] + life["recovery"]["sectors_unreadable"], 0)
                self.assertEqual(more[0]["host"]["verify"]["mismatches"], 0)

    def test_is_refused_where_it_cannot_be_kept(self):
        done = self.run_drive({k: v for k, v in SMALL.items() if not k.startswith("workload.")}, "--save-end", self.state)
        self.assertEqual(done.returncode, 1)
        self.assertIn("nothing to run", done.stderr)
        worn = {**SMALL, "nand.endurance": 2, "workload.rw": "randwrite", "workload.number_ios": 40000}
        done = self.run_drive(worn, "--save-end", self.state)
        self.assertEqual(done.returncode, 1)
        self.assertIn("read-only", done.stderr)
        self.assertFalse(self.state.exists())


class Refused(SavedDrive):
    def setUp(self):
        super().setUp()
        done = self.run_drive({k: v for k, v in SMALL.items() if not k.startswith("workload.")}, "--save-state", self.state)
        self.assertEqual(done.returncode, 0, done.stderr)

    def test_is_another_configuration_by_its_keys(self):
        other = {**SMALL, "ftl.victim": "fifo", "geometry.channels": 4, "run.seed": 9}
        self.expect_refusal(other, "ftl.victim = \"fifo\" (saved: \"greedy\")", "geometry.channels = 4 (saved: 2)",
                            "run.seed = 9", str(self.state))
        done = self.run_drive(other, "--load-state", self.state)
        self.assertEqual(done.stderr.count("(saved:"), 3, done.stderr)

    def test_is_a_damaged_file(self):
        whole = self.state.read_bytes()
        for place in range(20, len(whole), max(1, len(whole) // 60)):
            with self.subTest(place=place):
                broken = bytearray(whole)
                broken[place] ^= 0x10
                self.state.write_bytes(broken)
                self.expect_refusal(SMALL, str(self.state))

    def test_is_a_truncated_file(self):
        whole = self.state.read_bytes()
        for length in (0, 5, 18, 19, 30, len(whole) // 2, len(whole) - 1):
            with self.subTest(length=length):
                self.state.write_bytes(whole[:length])
                self.expect_refusal(SMALL, str(self.state))

    def test_is_anything_else(self):
        self.state.write_bytes(self.state.read_bytes().replace(b"twinplane state 16\n", b"twinplane state 9\n", 1))
        self.expect_refusal(SMALL, "version 16", "version 9")
        self.state.write_text("[geometry]\n", encoding="ascii")
        self.expect_refusal(SMALL, "not a saved drive")
        self.state.unlink()
        self.expect_refusal(SMALL, "cannot be opened")

    def test_is_a_place_that_cannot_be_written(self):
        done = self.run_drive(SMALL, "--save-state", self.root / "nowhere" / "drive.state")
        self.assertEqual(done.returncode, 1)
        self.assertIn("cannot write", done.stderr)

    def test_is_a_disk_that_becomes_full(self):
        def small_files():
            signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
            resource.setrlimit(resource.RLIMIT_FSIZE, (20 * 1024, resource.RLIM_INFINITY))

        new = self.root / "new.state"
        sets = [w for k, v in SMALL.items() for w in ("--set", f"{k}={v}")]
        done = subprocess.run([PROGRAM, "run", *sets, "--save-state", new], capture_output=True, text=True, check=False,
                              timeout=120, preexec_fn=small_files)
        self.assertEqual(done.returncode, 1)
        self.assertIn(f'error: cannot write "{new}": File too large', done.stderr)
        self.assertEqual([path for path in self.root.iterdir() if path.name.startswith("new")], [])


if __name__ == "__main__":
    unittest.main()
