#!/usr/bin/env python3
"""Is everything that the drive has answered there after its guest was killed, in the middle of a load with flushes, and does the drive take it for
a crash of the host, not for a loss of power?"""

import json
import random
import re
import signal
import subprocess
import time
import unittest

import serve_test
from serve_test import PATIENCE

ROUNDS = 6
LOAD = {"workload.rw": "randrw", "workload.rwmixread": 20, "workload.size": "8MiB", "workload.bssplit": "4k/60:16k/30:128k/10",
        "workload.number_ios": 10**8, "workload.fsync": 20, "host.iodepth": 32}
# A killed process keeps its socket while its memory is taken down: writes of 10 ms of the wall clock are still under way when the drive sees it close.
SLOW = {"nand.tPROG": "10ms"}
DRIVES = {"a write is answered when it is programmed": {"ftl.checkpoint_interval": 500},
          "a write is answered from a volatile buffer": {"ftl.checkpoint_interval": 500, "ftl.write_buffer": 64, "ftl.write_ack": "buffered"}}


class KilledGuest(serve_test.Serve):
    def setUp(self):
        super().setUp()
        self.image, self.journal = self.path / "image", self.path / "journal"
        self.random = random.Random(1905)

    def start(self, **keys):
        return self.serve("--image", str(self.image), "--pace", "1", **SLOW, **keys)

    def kill_one(self, seed, **keys):
        """A guest that first looks for what the ones before it were told, and is then killed under its load."""
        server = self.start(**keys)
        guest = subprocess.Popen(self.load("--journal", str(self.journal), **LOAD | {"workload.seed": seed}), stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        health = guest.stdout.readline()
        found = guest.stdout.readline()
        time.sleep(self.random.uniform(0.05, 0.4))
        self.assertIsNone(guest.poll(), health + found + (guest.stdout.read() if guest.poll() is not None else ""))
        guest.send_signal(signal.SIGKILL)
        guest.wait()
        guest.stdout.close()
        status, _, err, summary = self.end_of(server)
        self.assertEqual(status, 0, err)
        return health, found, summary

    def test_what_was_answered_is_there(self):
        for name, keys in DRIVES.items():
            with self.subTest(name):
                self.image.unlink(missing_ok=True)
                self.journal.unlink(missing_ok=True)
                under_way, unanswered, flushes = 0, 0, 0
                for number in range(ROUNDS):
                    health, found, summary = self.kill_one(number + 1, **keys)
                    compared, wrong, either = map(int, re.search(r"(\d+) sectors compared, wrong (\d+), (\d+) with", found).groups())
                    self.assertEqual(wrong, 0, f"round {number}: {found}")
                    self.assertEqual(compared > 0, number > 0)
                    self.assertEqual(health, f"drive             {number + 1} power cycles, 0 unsafe shutdowns\n")
                    self.assertEqual(summary["workload"]["failed"], 0, json.dumps(summary["workload"]))
                    under_way += either
                    unanswered += summary["workload"]["unanswered"]
                    flushes += summary["workload"]["flushes"]
                self.assertGreater(under_way, 0, "the guests were killed with writes under way")
                self.assertGreater(unanswered, 0, "... which the drive had begun")
                self.assertGreater(flushes, 0)

    def test_a_drive_that_forgets_is_found_out(self):
        """The test itself: the image of the session before has lost what came since."""
        keys = DRIVES["a write is answered when it is programmed"]
        self.kill_one(1, **keys)
        old = self.image.read_bytes()
        self.kill_one(2, **keys)
        self.image.write_bytes(old)
        server = self.start(**keys)
        done = subprocess.run(self.load("--journal", str(self.journal), **LOAD | {"workload.number_ios": 1}), capture_output=True, text=True, check=False, timeout=PATIENCE)
        self.assertEqual(done.returncode, 1, done.stdout + done.stderr)
        self.assertNotIn("wrong 0, ", done.stdout)
        self.end_of(server)

    def test_journals_that_are_none_are_refused(self):
        self.kill_one(1)
        whole = self.journal.read_bytes()
        for bad, message in ((b"rubbish" * 10, "not a journal of twinplane load"), (whole[:16] + bytes(8) + whole[24:], "of a drive of 0 sectors, this one has"),
                             (whole[:24] + b"\xff" * 16 + whole[40:], "damaged at byte 24")):
            self.journal.write_bytes(bad)
            server = self.start()
            self.refused(self.load("--journal", str(self.journal), **LOAD), message)
            self.end_of(server)
        server = self.start()
        self.journal.unlink()
        self.refused(self.load("--journal", str(self.journal), **LOAD | {"workload.rwmixtrim": 10}), "workload.rwmixtrim: expected 0 with --journal")
        self.end_of(server)


if __name__ == "__main__":
    unittest.main(verbosity=2)
