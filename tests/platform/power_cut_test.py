#!/usr/bin/env python3
"""Does a run whose supply fails go on, tell what happened, and find what its firmware has lost?"""

import json
import os
import pathlib
import random
import re
import signal
import subprocess
import tempfile
import time
import unittest

PROGRAM = os.environ["TWINPLANE_PROGRAM"]
SMALL = {"geometry.channels": 2, "geometry.dies_per_chip": 2, "geometry.planes_per_die": 2, "geometry.blocks_per_plane": 16,
         "geometry.pages_per_block": 24, "geometry.page_size": "16KiB", "nand.cell": "slc", "bus.monitor": "true",
         "ftl.over_provisioning": "35%", "precondition.mode": "fill", "precondition.fill": "70%",
         "precondition.overwrite": "60%", "workload.rw": "randrw", "workload.bs": "8k", "workload.number_ios": 1200}
TLC = {"nand.cell": "tlc", "geometry.blocks_per_plane": 24}
MOVING = {"slc_cache.least_share": "13%", "slc_cache.most_share": "40%"}
CACHED = {**TLC, "geometry.blocks_per_plane": 32, "ftl.over_provisioning": "50%", "slc_cache.share": "20%"}
WORDLINE = {"ftl.lower_pages": "wordline", "geometry.blocks_per_plane": 40, "ftl.over_provisioning": "65%", "precondition.overwrite": "20%"}
WALL_CLOCK = ("wall_s", "requests_per_wall_s", "peak_rss_bytes")


class PowerCut(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.root = pathlib.Path(self.folder.name)
        self.runs = 0

    def tearDown(self):
        self.folder.cleanup()

    def run_drive(self, when, settings, *words):
        sets = [w for k, v in {**SMALL, **settings}.items() for w in ("--set", f"{k}={v}")]
        self.runs += 1
        self.out = self.root / f"out{self.runs}"
        return subprocess.run([PROGRAM, "run", *sets, "--power-cut", when, "--out", self.out, *map(str, words)],
                              capture_output=True, text=True, check=False, timeout=240, cwd=self.root)

    def results(self, when, settings, *words):
        done = self.run_drive(when, settings, *words)
        self.assertEqual(done.returncode, 0, done.stderr)
        summary = json.loads((self.out / "summary.json").read_text())
        for key in WALL_CLOCK:
            del summary["time"][key]
        return summary

    def check_lives(self, summary, cuts):
        lives = summary["power_cycles"]
        self.assertEqual(len(lives), cuts + 1)
        self.assertIsNone(lives[0]["recovery"])
        self.assertIsNone(lives[-1]["cut_ns"])
        self.assertEqual(sum(life["requests"] + life["unanswered"] for life in lives), SMALL["workload.number_ios"])
        for life in lives[1:]:
            if life["recovery"] is None:  # cut while it looked for the maker's bad-block marks
                self.assertEqual((life["requests"], life["unanswered"]), (0, 0))
                self.assertIsNotNone(life["cut_ns"])
                continue
            self.assertEqual(life["recovery"]["sectors_lost"] + life["recovery"]["sectors_unreadable"], 0)
        capacity = lives[-1]["recovery"]["sectors_checked"]
        self.assertGreater(capacity, 4000)
        self.assertEqual(summary["host"]["verify"]["mismatches"], 0)

    def test_a_random_cut_is_a_possible_one(self):
        for seed in range(6):  # one in two comes before the only request has finished, at most 10 us later
            with self.subTest(seed=seed):
                done = self.run_drive("random:1", {"workload.number_ios": 1, "run.seed": seed, "nand.tPROG": "10us", "nand.tBERS": "10us",
                                                    "nand.factory_bad": "2%"})
                self.assertEqual(done.returncode, 0, done.stderr)

    def test_a_check_whose_commands_fail_once_reads_more_than_the_drive_and_that_is_no_difference(self):
        drawn = {"nand.errors.reading": "drawn", "controller.ecc.code": "bch", "nand.errors.fresh": 0.0024, "nand.errors.worn": 0.0024}
        done = self.run_drive("request:20", {**drawn, "workload.number_ios": 40})
        self.assertEqual(done.returncode, 0, done.stderr)

    def test_every_policy_keeps_its_promise(self):
        kinds = {"conventional": {}, "twins": {"ftl.policy": "f2+tbm"},
                 "page types": {"ftl.policy": "pa-ssd", **TLC}, "partial pages": {"ftl.policy": "papa", **TLC},
                 "tlc": TLC, "filled tlc": {"precondition.mode": "fill", "precondition.fill": "90%", **TLC},
                 "tlc twins": {"ftl.policy": "f2+tbm", **TLC}, "checkpoints of tlc": {"ftl.checkpoint_interval": 150, **TLC},
                 "wordlines of mlc": {"nand.cell": "mlc", "geometry.blocks_per_plane": 24, **WORDLINE},
                 "wordlines of tlc": {**TLC, **WORDLINE}, "wordlines of tlc twins": {"ftl.policy": "f2+tbm", **TLC, **WORDLINE},
                 "checkpoints of wordlines": {"ftl.checkpoint_interval": 150, **TLC, **WORDLINE},
                 "buffered wordlines": {"ftl.write_ack": "buffered", "ftl.write_buffer": 80, **TLC, **WORDLINE},
                 "buffered tlc": {"ftl.write_ack": "buffered", "ftl.write_buffer": 40, **TLC}, "queued": {"ftl.die_queue_depth": 4, **TLC}, "suspend": {"nand.suspend": "true"},
                 "copyback": {"ftl.copyback": "checked"}, "polled": {"bus.ready": "poll"},
                 "plane reads": {"nand.independent_plane_reads": "true"},
                 "bad blocks": {"nand.factory_bad": "3%", "nand.fail.program": "0.3%", "nand.fail.erase": "3%"},
                 "buffered": {"ftl.write_ack": "buffered", "ftl.write_buffer": 40}}
        bad = {"nand.factory_bad": "6%", "nand.fail.program": "0.2%", "nand.fail.erase": "3%", "geometry.blocks_per_plane": 32}
        kinds |= {"replaced twins": {"ftl.policy": "d+tbm", **bad}, "bad twins": {"ftl.policy": "d+tbm+bac", **bad},
                  "replaced tlc twins": {"ftl.policy": "f2+tbm", **TLC, **bad, "geometry.blocks_per_plane": 40},
                  "replaced wordlines of tlc twins": {"ftl.policy": "f2+tbm", **TLC, **WORDLINE, **bad, "geometry.blocks_per_plane": 40},
                  "checkpoints of replaced twins": {"ftl.policy": "d+tbm", "ftl.checkpoint_interval": 150, **bad, "geometry.blocks_per_plane": 48},
                  "page type twins with bad blocks": {"ftl.policy": "pa-twin", **TLC, **bad}}
        cached = {**CACHED, "workload.bs": "4k"}
        kinds |= {"slc cache": {"ftl.policy": "slc_cache", **cached}, "mga": {"ftl.policy": "mga", **cached},
                  "mga, packed": {"ftl.policy": "mga", "slc_cache.eviction": "packed", **cached},
                  "ipu": {"ftl.policy": "ipu", "nand.factory_bad": "3%", **cached},
                  "ipu, by wordlines": {"ftl.policy": "ipu", "nand.one_pass": "true", **cached},
                  "ipu, worn blocks": {"ftl.policy": "ipu", "slc_cache.wear_gap": 1, "nand.factory_bad": "3%", **cached},
                  "mga, packed, moving": {"ftl.policy": "mga", "slc_cache.eviction": "packed", **cached, **MOVING},
                  "slc cache, by wordlines, moving": {"ftl.policy": "slc_cache", "nand.one_pass": "true", "slc_cache.wear_gap": 1, **cached, **MOVING},
                  "slc cache, by wordlines, passed by": {"ftl.policy": "slc_cache", "nand.one_pass": "true", "slc_cache.full_pages": "native",
                                                         "ftl.victim": "fifo", **cached, "workload.bssplit": "4k/60:64k/40"},
                  "ipu, packed, several planes": {"ftl.policy": "ipu", "slc_cache.eviction": "packed", "ftl.gc_moves": "multi", "nand.bac": "false",
                                                  **cached}}
        halves = {"nand.cell": "mlc", "geometry.blocks_per_plane": 32, "ftl.over_provisioning": "60%", "workload.bssplit": "16k/60:64k/40",
                  "ftl.hot_request": "16KiB", "nand.program_order": "ascending"}
        kinds |= {"combo": {"ftl.policy": "combo", "ftl.cold_age": 1, **halves},
                  "combo, one frontier": {"ftl.policy": "combo", "ftl.frontier": "shared", "ftl.die_queue_depth": 4, **halves},
                  "broms with checkpoints": {"ftl.policy": "broms", "ftl.checkpoint_interval": 150, **halves, "geometry.blocks_per_plane": 48},
                  "combo by wordlines": {"ftl.policy": "combo", **WORDLINE, **halves, "geometry.blocks_per_plane": 48},
                  "broms by wordlines": {"ftl.policy": "broms", **WORDLINE, **halves, "geometry.blocks_per_plane": 48},
                  "copybacks of combo": {"ftl.policy": "combo", "ftl.copyback": "checked", **halves},
                  "copybacks of twins": {"ftl.policy": "f2+tbm", "ftl.gc_moves": "single", "ftl.copyback": "checked"},
                  "checkpoints of copybacks": {"ftl.copyback": "checked", "ftl.checkpoint_interval": 150, **TLC},
                  "combo with logs": {"ftl.policy": "combo", "ftl.regions": "combo_logs", **halves},
                  "broms": {"ftl.policy": "broms", "nand.suspend": "true", **halves},
                  "broms, bad blocks": {"ftl.policy": "broms", "nand.factory_bad": "3%", "nand.fail.program": "0.02%", "nand.fail.erase": "0.5%", **halves}}
        held_up = ("page types", "page type twins with bad blocks", "partial pages", "slc cache", "mga", "mga, packed", "ipu", "ipu, by wordlines", "ipu, worn blocks",
                   "mga, packed, moving", "ipu, packed, several planes")
        for name, settings in kinds.items():
            needs = (65536,) if name in held_up else (0,) if "ftl.lower_pages" in settings else (65536, 0)
            for capacitor in needs:
                with self.subTest(kind=name, hold_up=capacitor):
                    self.check_lives(self.results("random:5", {**settings, "power.hold_up": capacitor}), 5)

    def test_a_trimmed_page_is_zero_or_as_it_was_but_never_older(self):
        # pages are trimmed and written again all over a drive that collects
        draw = random.Random(5)
        trace = self.root / "trims.csv"
        lines = [f"{i * 40000},{'trim' if draw.random() < 0.4 else 'write'},{draw.randrange(3000) * 16384},16384,0" for i in range(6000)]
        trace.write_text("time_ns,op,offset,size,device\n" + "\n".join(lines) + "\n", encoding="ascii")
        drive = {key: value for key, value in SMALL.items() if not key.startswith("workload")}
        unmapped = programmed = 0
        for kind in ({}, {"ftl.policy": "f2+tbm"}, {"ftl.copyback": "checked"}, {"nand.fail.program": "0.3%", "nand.fail.erase": "2%"},
                     {"data.mode": "full", "geometry.page_size": "4KiB", "geometry.pages_per_block": 96},
                     {"ftl.policy": "broms", "nand.cell": "mlc", "geometry.blocks_per_plane": 28, "ftl.over_provisioning": "60%", "ftl.hot_request": "16KiB"},
                     *({"ftl.policy": policy, **CACHED} for policy in ("slc_cache", "mga", "ipu"))):
            for capacitor in (65536,) if kind.items() >= CACHED.items() else (65536, 0):
                sets = [w for k, v in {**drive, **kind, "power.hold_up": capacitor}.items() for w in ("--set", f"{k}={v}")]
                out = self.root / "trims"
                done = subprocess.run([PROGRAM, "run", *sets, "--trace", trace, "--power-cut", "random:4", "--out", out],
                                      capture_output=True, text=True, check=False, timeout=240, cwd=self.root)
                self.assertEqual(done.returncode, 0, (kind, capacitor, done.stderr))
                summary = json.loads((out / "summary.json").read_text())
                lives = summary["power_cycles"]
                self.assertTrue(all(life["trims_kept"] for life in lives), (kind, capacitor))
                unmapped += sum(life["recovery"]["pages_unmapped"] for life in lives[1:])
                programmed += summary["ftl"]["waf_by_cause"]["metadata"] or 0
        self.assertGreater(unmapped, 0)
        self.assertGreater(programmed, 0)

    def test_a_drive_that_was_checkpointed_reads_less_and_remembers_its_wear(self):
        # one request at a time: pages of metadata wait while all dies have work of the host
        drive = {"geometry.blocks_per_plane": 48, "power.hold_up": 0, "host.iodepth": 1, "workload.rw": "randwrite"}
        lives = {}
        for interval in (0, 200):
            lives[interval] = self.results("request:700", {**drive, "ftl.checkpoint_interval": interval})["power_cycles"]
        plain, kept = lives[0][1], lives[200][1]
        self.assertEqual(plain["recovery"]["blocks_known"], 0)
        self.assertGreater(kept["recovery"]["blocks_known"], 0)
        self.assertLess(kept["recovery"]["pages_read"] * 2, plain["recovery"]["pages_read"])
        self.assertLess(kept["recovery"]["ready_ns"], plain["recovery"]["ready_ns"])
        for interval in (0, 200):
            self.assertTrue(all(life["bad_blocks_kept"] for life in lives[interval]))
            self.assertEqual([life["health"]["power_cycles"] for life in lives[interval]], [1, 2])
            self.assertEqual([life["health"]["unsafe_shutdowns"] for life in lives[interval]], [0, 1])

    def test_a_drive_with_a_cache_keeps_checkpoints_where_the_cache_has_blocks_to_spare(self):
        for share, keeps in (("45%", True), ("5%", False)):
            with self.subTest(share=share):
                drive = {**SMALL, "ftl.policy": "ipu", **CACHED, "geometry.blocks_per_plane": 48, "slc_cache.share": share, "ftl.checkpoint_interval": 100}
                sets = [w for k, v in drive.items() for w in ("--set", f"{k}={v}")]
                for command, said in (("check", r"checkpoints +every 100 programs" if keeps else r"checkpoints +none: there are too few spare blocks"),
                                      ("run", "requests" if keeps else "warning: ftl.checkpoint_interval: the drive writes no checkpoints")):
                    done = subprocess.run([PROGRAM, command, *sets], capture_output=True, text=True, check=False, timeout=60, cwd=self.root)
                    self.assertEqual(done.returncode, 0, done.stderr)
                    self.assertRegex(done.stdout + done.stderr, said)
                    self.assertEqual("writes no checkpoints" in done.stderr, command == "run" and not keeps)
        lives = self.results("request:700", {"ftl.policy": "ipu", **CACHED, "geometry.blocks_per_plane": 48, "slc_cache.share": "45%", "host.iodepth": 1,
                                             "workload.rw": "randwrite", "ftl.checkpoint_interval": 100})["power_cycles"]
        self.assertGreater(lives[1]["recovery"]["blocks_known"], 0)

    def test_caches_whose_programs_endanger_others_are_refused_by_check(self):
        bare = {**CACHED, "power.hold_up": 0}
        for kind, code in (({"ftl.policy": "ipu", **bare}, 1), ({"ftl.policy": "mga", **bare, "nand.one_pass": "true"}, 1), ({"ftl.policy": "slc_cache", **bare}, 1),
                           ({"ftl.policy": "slc_cache", **bare, "nand.one_pass": "true"}, 0), ({"ftl.policy": "ipu", **bare, "ftl.lower_pages": "none"}, 0),
                           ({"ftl.policy": "ipu", **CACHED}, 0)):
            with self.subTest(kind=kind):
                sets = [w for k, v in kind.items() for w in ("--set", f"{k}={v}")]
                done = subprocess.run([PROGRAM, "check", *sets], capture_output=True, text=True, check=False, timeout=60, cwd=self.root)
                self.assertEqual(done.returncode, code, done.stderr)
                if code:
                    self.assertIn('ftl.lower_pages: has no protection for an SLC-mode cache', done.stderr)

    def test_what_copybacks_had_moved_needs_no_space_again(self):
        # were the victim's pages taken for the newer ones this drive would have no pages left to move them to
        drive = {"nand.cell": "mlc", "geometry.channels": 1, "geometry.planes_per_die": 1, "geometry.blocks_per_plane": 6,
                 "geometry.pages_per_block": 26, "host.max_transfer": "8KiB", "ftl.copyback": "checked",
                 "precondition.mode": "fill", "precondition.fill": "90%", "ftl.over_provisioning": "33.34%", "ftl.gc_threshold": 2,
                 "host.queue_size": 8, "host.iodepth": 7, "workload.rw": "randrw", "workload.bs": "16KiB",
                 "workload.number_ios": 1270, "workload.seed": 204401, "run.seed": 8146}
        sets = [w for k, v in drive.items() for w in ("--set", f"{k}={v}")]
        done = subprocess.run([PROGRAM, "run", *sets, "--power-cut", "random:5"], capture_output=True, text=True, check=False,
                              timeout=240, cwd=self.root)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertNotIn("read-only", done.stderr)

    def test_a_request_counts_when_it_has_finished(self):
        summary = self.results("request:300", {"power.hold_up": 0})
        self.check_lives(summary, 1)
        self.assertEqual(summary["power_cycles"][0]["requests"], 300)

    def test_the_table_tells_of_the_cuts(self):
        done = self.run_drive("random:2", {"power.hold_up": 0})
        self.assertRegex(done.stdout, r"(?m)^power cuts +2, \d+ requests under way; \d+ sectors old or new, 0 lost, 0 unreadable$")
        self.assertRegex(done.stdout, r"(?m)^  recovery +[0-9.]+ ms to be ready the last time, [0-9.]+ ?k? pages read")

    def test_metadata_that_neither_copy_tells_any_more_is_told(self):
        # three pages in ten need a read level that there is none of: of metadata both copies now and then
        draw = random.Random(5)
        trace = self.root / "trims.csv"
        lines = [f"{i * 40000},{'trim' if draw.random() < 0.4 else 'write'},{draw.randrange(2000) * 16384},16384,0" for i in range(3000)]
        trace.write_text("time_ns,op,offset,size,device\n" + "\n".join(lines) + "\n", encoding="ascii")
        drive = {key: value for key, value in SMALL.items() if not key.startswith("workload")}
        sums = {}
        for seed in range(1, 5):
            settings = {**drive, "nand.fail.read": "40%", "controller.read_retries": 0, "run.seed": seed}
            sets = [w for k, v in settings.items() for w in ("--set", f"{k}={v}")]
            out = self.root / f"gone{seed}"
            done = subprocess.run([PROGRAM, "run", *sets, "--trace", trace, "--power-cut", "random:4", "--out", out],
                                  capture_output=True, text=True, check=False, timeout=240, cwd=self.root)
            self.assertEqual(done.returncode, 0, done.stderr)
            lives = json.loads((out / "summary.json").read_text())["power_cycles"]
            recoveries = [life["recovery"] for life in lives if life["recovery"] is not None]
            self.assertEqual(sum(r["sectors_lost"] for r in recoveries), 0)
            gone = sum(r["metadata_gone"] for r in recoveries)
            told = re.search(r"(?m)^  metadata +(\d+) pages cannot be read in either copy: trims of [0-9.]+ ?k? sectors may be undone$", done.stdout)
            self.assertEqual(gone, int(told.group(1)) if told else 0, done.stdout)
            for name in ("metadata_gone", "sectors_untold"):
                sums[name] = sums.get(name, 0) + sum(r[name] for r in recoveries)
        self.assertGreater(sums["metadata_gone"], 0)
        self.assertGreater(sums["sectors_untold"], 0)

    def test_a_time_counts_from_power_on(self):
        summary = self.results("7ms", {"power.hold_up": 0})
        self.check_lives(summary, 1)
        self.assertEqual(summary["power_cycles"][0]["cut_ns"], 7e6)

    def test_a_cut_while_the_targets_are_brought_up_does_no_harm(self):
        empty = {"precondition.mode": "none", "power.hold_up": 0, "bus.interface": "nv-ddr2", "bus.mode": 8, "bus.monitor": "true"}
        whole = self.results("20ms", empty)["power_cycles"][1]["recovery"]["steps_ns"]
        steps = [whole[name] for name in ("reset", "read_id", "parameter_page", "timing_mode")]
        self.assertGreater(min(steps), 0)
        for number in range(len(steps)):  # in the middle of each
            cut = sum(steps[:number]) + steps[number] / 2
            lives = self.results(f"{int(cut)}ns", empty)["power_cycles"]
            self.assertEqual([life["requests"] for life in lives], [0, SMALL["workload.number_ios"]])
            self.assertIsNone(lives[0]["recovery"])
            again = lives[1]["recovery"]["steps_ns"]
            self.assertEqual([again[name] for name in ("reset", "read_id", "parameter_page", "timing_mode")], steps)

    def test_a_cut_while_the_firmware_boots_does_no_harm(self):
        bad = {"nand.factory_bad": "4%", "power.hold_up": 0}
        empty = {**bad, "precondition.mode": "none"}
        lives = self.results("300us", empty)["power_cycles"] # 16 blocks, two reads of 25 us and more each
        self.assertEqual([life["requests"] for life in lives], [0, SMALL["workload.number_ios"]])
        self.assertIsNone(lives[0]["recovery"])
        self.assertGreater(lives[1]["recovery"]["steps_ns"]["marks"], 300e3)
        done = self.run_drive("300us", bad)
        self.assertEqual(done.returncode, 1)
        self.assertIn("while the firmware boots, and the drive is preconditioned behind that: expected a later time", done.stderr)
        booting = 0
        for hold_up in (0, 100):
            summary = self.results("random:40", {**bad, "power.hold_up": hold_up, "run.seed": 3})
            lives = summary["power_cycles"]
            self.assertEqual(len(lives), 41)
            self.assertEqual(summary["host"]["verify"]["mismatches"], 0)
            booting += sum(life["recovery"] is None for life in lives[1:])
            for life in filter(None, (life["recovery"] for life in lives[1:])):
                self.assertEqual(life["sectors_lost"] + life["sectors_unreadable"], 0)
        self.assertGreater(booting, 0)

    def test_a_cut_behind_the_workload_finds_the_drive_at_rest(self):
        summary = self.results("1000s", {"host.mode": "closed", "host.iodepth": 1})
        self.check_lives(summary, 1)
        self.assertEqual(summary["power_cycles"][0]["requests"], SMALL["workload.number_ios"])
        self.assertEqual(summary["power_cycles"][1]["recovery"]["sectors_old_or_new"], 0)

    def test_the_same_seed_gives_the_same_bytes(self):
        first = self.results("random:4", {"run.seed": 5})
        self.assertEqual(first, self.results("random:4", {"run.seed": 5}))
        other = self.results("random:4", {"run.seed": 6})
        self.assertNotEqual(first["power_cycles"], other["power_cycles"])

    def test_each_life_has_its_files(self):
        self.results("random:2", {}, "--vcd")
        for life in ("power_cycle_1", "power_cycle_2", "."):
            for name in ("summary.json", "waves.vcd", "timeline.csv"):
                self.assertTrue((self.out / life / name).stat().st_size, f"{life}/{name}")

    def test_an_open_workload_goes_on_where_it_was(self):
        summary = self.results("random:3", {"host.mode": "open", "workload.rate_iops": 8000})
        self.check_lives(summary, 3)

    def test_lower_pages_that_nothing_protects_go_back_as_declared(self):
        gone_back = taken = 0
        for seed in range(1, 7):
            summary = self.results("random:8", {**TLC, "power.hold_up": 0, "ftl.lower_pages": "none", "run.seed": seed, "bus.monitor": "false"})
            for life in summary["power_cycles"]:
                self.assertFalse(life["pages_kept"])
            found = [life["recovery"] for life in summary["power_cycles"] if life["recovery"]]
            gone_back += sum(r["sectors_gone_back"] for r in found)
            taken += sum(r["pages_taken"] for r in found)
            self.assertEqual(sum(r["sectors_lost"] for r in found), 0)
        self.assertGreater(gone_back, 0, "upper pages were programmed over answered data")
        self.assertGreaterEqual(taken * 4, gone_back, "of pages of 16 KiB")

    def test_what_makes_no_sense_is_refused_in_words(self):
        for when, settings, text in (
                ("soon", {}, "--power-cut soon: expected a time after power-on"),
                ("request:0", {}, "--power-cut request:0: expected"),
                ("random:2", {"workload.fsync": 7}, "host.max_requests"),
                ("request:5000", {}, ": the workload has ended before, with 1200"),
                ("random:2", {"power.hold_up": 0, **TLC, "ftl.policy": "pa-ssd"}, 'ftl.lower_pages: must be "none" with ftl.block_allocation = pa'),
                ("random:2", {"power.hold_up": 0, **TLC, **WORDLINE, "ftl.policy": "pa-ssd"}, 'ftl.lower_pages: must be "none" with ftl.block_allocation = pa'),
                ("random:2", {"power.hold_up": 0, **TLC, **WORDLINE, "ftl.gc_threshold": 2}, 'ftl.gc_threshold: must be at least 3 blocks'),
                ("random:2", {"power.hold_up": 0, **TLC, "geometry.blocks_per_plane": 5, "ftl.over_provisioning": "50%"}, "ftl.lower_pages: too few good blocks per plane"),
                ("random:2", {"power.hold_up": 3}, "power.hold_up: must be at least 8"),
                ("random:1", {"ftl.policy": "broms", "nand.cell": "mlc", "geometry.blocks_per_plane": 13, "power.hold_up": 0, "ftl.over_provisioning": "60%"},
                 "ftl.lower_pages: too few good blocks per plane")):
            with self.subTest(when=when, settings=settings):
                done = self.run_drive(when, settings)
                self.assertEqual(done.returncode, 1, done.stderr)
                self.assertIn(text, done.stderr)
                self.assertNotIn("terminate", done.stderr)


class Told(PowerCut):
    """What a person is told who cuts at a time, or in a way, that finds nothing out."""

    SHORT = {"workload.number_ios": 200, "precondition.mode": "none", "precondition.overwrite": "0%"}

    def test_that_no_data_is_compared(self):
        done = self.run_drive("request:50", {**self.SHORT, "data.mode": "none"})
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(done.stderr.count('warning: --power-cut with data.mode = "none": no sector is compared'), 1)

    def test_that_the_drive_had_shut_down(self):
        done = self.run_drive("100s", self.SHORT)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertRegex(done.stderr, r"warning: --power-cut: the supply failed at 100s, and the drive had shut down at [0-9.]+ns: "
                                      "nothing was under way")
        done = self.run_drive("request:50", self.SHORT)
        self.assertNotIn("had shut down", done.stderr)

    def test_that_a_signal_has_ended_an_earlier_power_cycle(self):
        scratch = self.root / "scratch"
        scratch.mkdir()
        for when in ("request:100000000", "100000s"):  # while it looks for the moment, and on its way there
            sets = [w for k, v in {**SMALL, **self.SHORT, "workload.number_ios": 10**9}.items() for w in ("--set", f"{k}={v}")]
            words = [PROGRAM, "run", *sets, "--power-cut", when, "--out", str(self.root / "out")]
            process = subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                                       env={**os.environ, "TMPDIR": str(scratch)}, start_new_session=True)
            time.sleep(2)
            self.assertNotEqual(list(scratch.iterdir()), [])
            process.send_signal(signal.SIGTERM)
            _, err = process.communicate(timeout=60)
            self.assertEqual(process.returncode, 143, err)
            self.assertEqual(err.count("interrupted by SIGTERM"), 1, err)
            self.assertEqual(list(scratch.iterdir()), [], when)


if __name__ == "__main__":
    unittest.main()
