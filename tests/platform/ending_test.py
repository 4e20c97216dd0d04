#!/usr/bin/env python3
"""Does a run end in order: interrupted with reports, refused with one plain message, never with a lost result?"""

import json
import os
import pathlib
import re
import resource
import signal
import subprocess
import sys
import tempfile
import time
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
PROGRAM = os.environ["TWINPLANE_PROGRAM"]
DEMO = str(ROOT / "platform/configs/demo.toml")
QUIET = {k: v for k, v in os.environ.items() if k != "SYSTEMC_DISABLE_COPYRIGHT_MESSAGE"}


def command(out, **settings):
    chosen = {"host.mode": "closed", "workload.rw": "randrw", "precondition.mode": "none",
              "precondition.fill": "70%", "precondition.overwrite": "0%"} | settings
    return [PROGRAM, "run", "-c", DEMO, *[w for k, v in chosen.items() for w in ("--set", f"{k}={v}")], "--out", str(out)]


# The address sanitizer's note on an exception that leaves a stack of SystemC's, which it does not know.
SANITIZER_NOTE = re.compile(r"==\d+==WARNING: ASan is ignoring requested .*\nFalse positive .*\nFor details see .*\n")


def own_words(stderr):
    return SANITIZER_NOTE.sub("", stderr)


def run(words, **options):
    return subprocess.run(words, capture_output=True, text=True, check=False, timeout=120, env=QUIET, **options)


class Interrupted(unittest.TestCase):
    """An endless run is interrupted once its timeline shows that it is under way."""

    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.out = pathlib.Path(self.folder.name) / "out"

    def tearDown(self):
        self.folder.cleanup()

    def interrupt(self, number, **settings):
        words = command(self.out, **{"workload.number_ios": 10**9} | settings)
        process = subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=QUIET)
        part = self.out / "requests.csv.zst.part"
        deadline = time.monotonic() + 60
        while not (part.exists() and part.stat().st_size > 0) and time.monotonic() < deadline:
            time.sleep(0.02)
        process.send_signal(number)
        out, err = process.communicate(timeout=60)
        return process.returncode, out, err

    def check(self, number, **settings):
        status, out, err = self.interrupt(number, **{"report.requests": "true"} | settings)
        self.assertEqual(status, 128 + number, err)
        self.assertIn(f"interrupted by {signal.Signals(number).name}", err)
        self.assertIn("write amplification", out)
        summary = json.loads((self.out / "summary.json").read_text())
        self.assertTrue(summary["interrupted"])
        self.assertGreater(summary["workload"]["requests"], 1000)
        self.assertEqual(summary["workload"]["failed"], 0)
        self.assertEqual(summary["host"]["verify"]["mismatches"], 0)
        self.assertTrue(all(a["equal"] for a in summary["accounts"]), summary["accounts"])
        self.assertAlmostEqual(summary["host"]["littles_law"], 1, delta=0.001)
        self.assertEqual(sum(r["reads"] + r["writes"] for r in summary["rounds"]), summary["workload"]["requests"])
        self.assertEqual(sorted(p.name for p in self.out.iterdir()),
                         ["latency.csv", "requests.csv.zst", "summary.json", "timeline.csv"])
        return summary

    def test_ctrl_c_ends_a_closed_loop_with_reports(self):
        self.check(signal.SIGINT)

    def test_sigterm_ends_it_too(self):
        self.check(signal.SIGTERM)

    def test_rounds_end_where_the_signal_came(self):
        summary = self.check(signal.SIGINT, **{"host.report_round": 700})
        self.assertEqual({r["reads"] + r["writes"] for r in summary["rounds"][:-1]}, {700})

    def test_requests_that_still_wait_in_an_overload_are_given_up(self):
        self.check(signal.SIGINT, **{"host.mode": "open", "workload.rate_iops": 1000000})

    FILLED = {"precondition.mode": "fill", "precondition.overwrite": "10000%"}

    def signal_while_filling(self, words, number):
        """Status and messages of a program that is sent the signal soon after its timeline has begun."""
        process = subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=QUIET)
        deadline = time.monotonic() + 60
        while not (self.out / "timeline.csv.part").exists() and time.monotonic() < deadline:
            time.sleep(0.02)
        time.sleep(0.5)
        process.send_signal(number)
        _, err = process.communicate(timeout=60)
        return process.returncode, err

    def test_a_run_that_fills_the_drive_says_that_nothing_was_measured(self):
        status, err = self.signal_while_filling(command(self.out, **self.FILLED), signal.SIGINT)
        self.assertEqual(status, 130, err)
        self.assertIn("nothing was measured", err)
        self.assertEqual(list(self.out.iterdir()), [])

    def test_a_drive_that_is_half_filled_is_not_kept(self):
        state = pathlib.Path(self.folder.name) / "drive.state"
        words = [*command(self.out, **self.FILLED), "--save-state", str(state)]
        status, err = self.signal_while_filling(words, signal.SIGTERM)
        self.assertEqual(status, 143, err)
        self.assertIn(f"nothing was measured, no drive was kept in {state}", err)
        self.assertFalse(state.exists())

    def test_an_image_that_is_half_filled_is_not_kept(self):
        image = pathlib.Path(self.folder.name) / "drive.image"
        words = [PROGRAM, "serve", "-c", DEMO, "--set", "data.mode=full", "--set", "precondition.mode=fill",
                 "--set", "precondition.overwrite=10000%",
                 "--vfio-user", str(pathlib.Path(self.folder.name) / "socket"), "--image", str(image), "--out", str(self.out)]
        status, err = self.signal_while_filling(words, signal.SIGTERM)
        self.assertEqual(status, 143, err)
        self.assertIn("nothing was kept", err)
        self.assertFalse(image.exists())

    def test_a_run_to_its_end_was_not_interrupted(self):
        done = run(command(self.out, **{"workload.number_ios": 100}))
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIs(json.loads((self.out / "summary.json").read_text())["interrupted"], False)


class Messages(unittest.TestCase):
    def test_a_full_disk_in_the_middle_of_a_run_is_one_plain_message(self):
        def small_files():
            signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
            resource.setrlimit(resource.RLIMIT_FSIZE, (20 * 1024, resource.RLIM_INFINITY))

        with tempfile.TemporaryDirectory() as folder:
            out = pathlib.Path(folder) / "out"
            done = run(command(out, **{"workload.number_ios": 20000, "report.requests": "true"}), preexec_fn=small_files)
            self.assertEqual(list(out.iterdir()), [])
        self.assertEqual(done.returncode, 1)
        self.assertEqual(own_words(done.stderr), f'error: cannot write "{out}/requests.csv.zst": File too large\n')

    def test_a_full_disk_at_the_end_of_a_run_costs_no_other_result(self):
        def small_files():
            signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
            resource.setrlimit(resource.RLIMIT_FSIZE, (100, resource.RLIM_INFINITY))

        with tempfile.TemporaryDirectory() as folder:
            out, pipe = pathlib.Path(folder) / "out", pathlib.Path(folder) / "pipe"
            os.mkfifo(pipe)
            reader = subprocess.Popen(["cat", str(pipe)], stdout=subprocess.PIPE)
            done = run([*command(out, **{"workload.number_ios": 20}), "--save-end", str(pipe)], preexec_fn=small_files)
            kept, _ = reader.communicate(timeout=60)
            self.assertTrue(pipe.is_fifo())
        self.assertEqual(done.returncode, 1)
        self.assertIn("write amplification", done.stdout)
        self.assertRegex(own_words(done.stderr), f'(?m)^error: cannot write "{out}/[a-z.]+": File too large$')
        self.assertTrue(kept.startswith(b"twinplane state"))

    def test_what_cannot_be_kept_is_refused_before_the_run(self):
        with tempfile.TemporaryDirectory() as folder:
            root = pathlib.Path(folder)
            short = command(root / "out", **{"workload.number_ios": 20})
            for words, why in (
                    (["--save-end", f"{root}/none/x"], f'cannot write "{root}/none/x": No such file or directory'),
                    (["--save-state", folder], f'cannot write "{folder}": Is a directory'),
                    (["--save-state", f"{root}/a", "--save-end", f"{root}/./a"], "expected two files"),
                    (["--save-end", f"{root}/out/summary.json"], "the run itself writes a file of this name there")):
                done = run([*short, *words])
                self.assertEqual((done.returncode, done.stdout), (1, ""), words)
                self.assertIn(why, done.stderr)
            done = run([*short, "--save-end", f"{root}/out/kept"])
            self.assertEqual(done.returncode, 0, done.stderr)

    def test_a_folder_holds_the_files_of_its_last_run_alone(self):
        with tempfile.TemporaryDirectory() as folder:
            out = pathlib.Path(folder) / "out"
            settings = {"workload.number_ios": 200}
            done = run([*command(out, **settings, **{"report.requests": "true"}), "--vcd", "--perfetto", "--power-cut", "request:50"])
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertTrue((out / "waves.vcd").exists() and (out / "power_cycle_1" / "waves.json").exists())
            (out / "notes.txt").write_text("mine")
            done = run(command(out, **settings))
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertEqual(sorted(p.name for p in out.iterdir()),
                             ["latency.csv", "notes.txt", "summary.json", "timeline.csv"])

    def test_a_report_that_does_not_arrive_is_a_failure(self):
        short = ["run", "-c", DEMO, "--set", "host.mode=closed", "--set", "workload.number_ios=20",
                 "--set", "precondition.mode=none", "--set", "precondition.fill=70%", "--set", "precondition.overwrite=0%"]
        for words in (["list"], ["config", "--markdown"], ["--version"], ["trace", "info", str(ROOT / "traces/demo.csv.zst")],
                      short):
            with open("/dev/full", "w", encoding="utf-8") as full:
                done = subprocess.run([PROGRAM, *words], stdout=full, stderr=subprocess.PIPE, text=True, check=False,
                                      env=QUIET, timeout=60)
            self.assertEqual(done.returncode, 1, words)
            self.assertEqual(done.stderr, "error: cannot write to standard output: No space left on device\n", words)

    def test_a_drive_that_boots_too_slowly_for_its_host_is_one_plain_message(self):
        slow = {"nand.factory_bad": "0.5%", "cpu.clock": "1MHz", "cpu.cost.flash_submit": 1000000, "workload.number_ios": 10}
        with tempfile.TemporaryDirectory() as folder:
            done = run(command(pathlib.Path(folder) / "out", **slow))
        self.assertEqual((done.returncode, own_words(done.stderr)), (1, (
            "error: the drive does not become ready within CAP.TO (127.5 s, the most that the register can say)\n")))

    def test_nothing_is_printed_but_the_result(self):
        done = run([PROGRAM, "--version"])
        self.assertEqual((done.returncode, done.stderr, len(done.stdout.splitlines())), (0, "", 1))
        self.assertNotIn("SystemC", run([PROGRAM, "list"]).stderr)


if __name__ == "__main__":
    assert sys.version_info >= (3, 11)
    unittest.main()
