#!/usr/bin/env python3
"""Does a recorded session give the same report and the same waves once more without its guest, and is a bad file refused?"""

import json
import os
import pathlib
import re
import shutil
import signal
import subprocess
import time
import unittest

import serve_test
from serve_test import PATIENCE, PROGRAM, settings

CONFORMANCE = os.environ.get("TWINPLANE_CONFORMANCE")
OUTPUT = ("--perfetto", "--vcd=ssd.ch0", "--vcd-window", "0ms:2ms")
WALL_CLOCK = re.compile(rb'"(wall_s|requests_per_wall_s|peak_rss_bytes)": [^,}\s]*|,\s*"late_ns": {[^}]*}')
MIX = {"workload.rw": "randrw", "workload.number_ios": 3000, "workload.size": "8MiB", "workload.rwmixtrim": 10,
       "workload.bssplit": "4k/60:16k/30:128k/10", "workload.fsync": 50, "host.iodepth": 32}


def files(folder):
    """Name -> bytes of everything in an output folder, without what the wall clock and the machine say."""
    return {p.name: WALL_CLOCK.sub(b"", p.read_bytes()) for p in sorted(folder.iterdir())}


class Session(serve_test.Serve):
    def setUp(self):
        super().setUp()
        self.file = self.path / "session"

    def record(self, *guest, more=OUTPUT, **keys):
        """A session of this guest's; returns the server's exit status."""
        server = self.serve("--record", str(self.file), *more, **keys)
        done = subprocess.run(guest, capture_output=True, text=True, check=False, timeout=PATIENCE)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        status, _, err, _ = self.end_of(server)
        self.assertEqual(status, 0, err)

    def replay(self, *more, out="again"):
        words = [PROGRAM, "run", "--replay-session", str(self.file), "--out", str(self.path / out), *more]
        return subprocess.run(words, capture_output=True, text=True, check=False, timeout=PATIENCE)

    def assert_same_again(self, *more, status=0):
        done = self.replay(*more)
        self.assertEqual(done.returncode, status, done.stderr)
        first, second = files(self.out), files(self.path / "again")
        self.assertEqual(first.keys(), second.keys())
        for name, content in first.items():
            self.assertEqual(content, second[name], name)


class Repeated(Session):
    def test_commands_of_every_kind(self):
        self.record(*self.load("--verify", **MIX), **{"report.requests": "true"})
        self.assert_same_again(*OUTPUT)
        self.assertIn("requests.csv.zst", files(self.out))

    def test_waves_that_nobody_had_asked_for_while_the_guest_was_there(self):
        self.record(*self.load(**MIX), more=())
        shutil.copytree(self.out, self.path / "plain")
        self.assertEqual(self.replay(*OUTPUT).returncode, 0)
        for name in ("waves.vcd", "waves.json"):
            self.assertGreater((self.path / "again" / name).stat().st_size, 0)
        for name in ("timeline.csv", "latency.csv"):
            self.assertEqual((self.out / name).read_bytes(), (self.path / "again" / name).read_bytes(), name)

    @unittest.skipUnless(CONFORMANCE, "needs the client of the conformance suite")
    def test_resets_aborts_and_wrong_commands(self):
        self.record(CONFORMANCE, "--vfio-user", str(self.socket))
        self.assert_same_again(*OUTPUT)

    def test_a_guest_that_crashes(self):
        self.record(*self.load("--leave-on", **MIX))
        self.assert_same_again(*OUTPUT)

    def test_a_guest_that_is_killed_with_requests_under_way(self):
        server = self.serve("--record", str(self.file))
        load = subprocess.Popen(self.load(**{"workload.rw": "randwrite", "workload.number_ios": 10**8, "host.iodepth": 64}),
                                stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        time.sleep(0.5)
        load.kill()
        load.wait()
        self.assertEqual(self.end_of(server)[0], 0)
        self.assert_same_again()

    def test_a_session_that_a_signal_has_ended(self):
        server = self.serve("--record", str(self.file))
        load = subprocess.Popen(self.load(**{"workload.rw": "randread", "workload.number_ios": 10**8}),
                                stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        time.sleep(0.5)
        server.send_signal(signal.SIGTERM)
        self.assertEqual(self.end_of(server)[0], 128 + signal.SIGTERM)
        load.wait()
        self.assert_same_again()

    def test_a_drive_that_began_with_an_image(self):
        image, copy = self.path / "image", self.path / "copy"
        self.record(*self.load(**MIX), more=("--image", str(image)))
        self.assert_same_again()
        shutil.copy(image, copy)
        self.record(*self.load(**MIX), more=("--image", str(image)))
        before = copy.read_bytes()
        self.assert_same_again("--image", str(copy))
        self.assertEqual(copy.read_bytes(), before)
        self.assertIn("expected --image FILE with a copy of it", self.replay().stderr)
        self.assertIn("began with another image", self.replay("--image", str(image)).stderr)

    def test_a_guest_that_was_paced(self):
        self.record(*self.load(**MIX | {"workload.number_ios": 500}), more=("--pace", "1"))
        self.assert_same_again()

    def test_a_drive_that_was_filled_before(self):
        self.record(*self.load(**MIX), **{"precondition.mode": "fill"})
        self.assert_same_again(*OUTPUT)


class CutShort(Session):
    """A recording whose server was killed, and files that were cut."""

    def replay_of(self, file, out):
        self.file = file
        done = self.replay(out=out)
        return done, json.loads((self.path / out / "summary.json").read_text())

    def test_a_server_that_is_killed_leaves_what_can_be_repeated(self):
        server = self.serve("--record", str(self.file))
        load = subprocess.Popen(self.load(**MIX | {"workload.number_ios": 10**8}), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        part = self.path / "session.part"
        end = time.monotonic() + PATIENCE
        while part.stat().st_size < 1 << 20 and time.monotonic() < end:
            time.sleep(0.02)
        server.kill()
        server.communicate()
        load.wait()
        self.assertFalse(self.file.exists())
        done, first = self.replay_of(part, "first")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("the file is cut short", done.stderr)
        self.assertGreater(first["workload"]["requests"], 20)
        self.assertTrue(first["interrupted"])
        self.replay_of(part, "second")
        self.assertEqual(files(self.path / "first"), files(self.path / "second"))

    def test_the_more_of_a_file_is_there_the_longer_it_goes_on(self):
        self.record(*self.load(**MIX | {"workload.number_ios": 1000}), more=())
        whole, cut = self.file.read_bytes(), self.path / "cut"
        requests = []
        for part in (3, 2, 1):
            cut.write_bytes(whole[:len(whole) // 2 ** part - part])
            done, summary = self.replay_of(cut, f"cut{part}")
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertIn("the file is cut short", done.stderr)
            requests.append(summary["workload"]["requests"])
        self.assertEqual(requests, sorted(set(requests)))
        self.assertLess(requests[-1], 1000)
        cut.write_bytes(whole[:-1])  # its end alone is missing
        done, summary = self.replay_of(cut, "all")
        self.assertEqual(summary["workload"]["requests"], json.loads((self.out / "summary.json").read_text())["workload"]["requests"])


class Refused(Session):
    def setUp(self):
        super().setUp()
        self.record(*self.load(**{"workload.rw": "randrw", "workload.number_ios": 500}), more=())

    def refused_replay(self, *words, message):
        done = self.replay(*words)
        self.assertEqual(done.returncode, 1, done.stderr)
        self.assertIn(message, done.stderr)
        self.assertFalse((self.path / "again" / "summary.json").exists())

    def test_other_drives(self):
        self.refused_replay("--set", "nand.tR=50us", message='nand.tR = "50us" (recorded: "25us")')
        self.refused_replay(*settings({"geometry.channels": 1, "host.queues": 2}), message="host.queues = 2 (recorded: 4)")
        self.refused_replay("--image", str(self.file), message="began without an image")

    def test_files_that_are_no_session(self):
        whole = self.file.read_bytes()
        for bad, message in ((whole[:30], "it is truncated or damaged"), (whole[:200], "it is truncated or damaged"), (whole + b"more than it", "it holds more than a guest's session"),
                             (whole.replace(b"session 2\n", b"session 1\n", 1), "of version 1; this program reads version 2"),
                             (b"twinplane state 8\n" + whole[20:], "not a guest's session; expected a file of serve --record"),
                             (b"", "not a guest's session"),
                             (whole[:3000] + bytes([whole[3000] ^ 4]) + whole[3001:], "damaged")):
            self.file.write_bytes(bad)
            self.refused_replay(message=message)
        self.file.unlink()
        self.refused_replay(message="cannot be opened")

    def test_words_that_ask_for_something_else(self):
        self.refused_replay("--rounds", "2", message="--rounds excludes --replay-session")
        done = subprocess.run([PROGRAM, "run", "--image", "x"], capture_output=True, text=True, check=False)
        self.assertIn("--image requires --replay-session", done.stderr)
        self.refused([PROGRAM, "serve", *settings(serve_test.DRIVE), "--vfio-user", str(self.socket), "--record",
                      str(self.path / "none" / "session")], "none")


if __name__ == "__main__":
    unittest.main(verbosity=2)
