#!/usr/bin/env python3
"""Does `twinplane serve` serve a client over vfio-user, report what it did, and end in order whatever happens?"""

import json
import os
import pathlib
import re
import signal
import socket
import stat
import subprocess
import tempfile
import time
import unittest

PROGRAM = os.environ["TWINPLANE_PROGRAM"]
DRIVE = {"geometry.channels": 2, "geometry.chips_per_channel": 2, "geometry.dies_per_chip": 1,
         "geometry.planes_per_die": 2, "geometry.blocks_per_plane": 32, "geometry.pages_per_block": 64,
         "geometry.page_size": "16KiB", "nand.cell": "slc", "nand.tR": "25us", "nand.tPROG": "200us",
         "host.queues": 4, "host.queue_size": 256}
PATIENCE = 120


def settings(keys):
    return [word for key, value in keys.items() for word in ("--set", f"{key}={value}")]


class Serve(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.path = pathlib.Path(self.folder.name)
        self.socket = self.path / "socket"
        self.out = self.path / "out"

    def serve(self, *more, wait=True, **keys):
        words = [PROGRAM, "serve", *settings(DRIVE | keys), "--vfio-user", str(self.socket), "--out", str(self.out), *more]
        process = subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        self.addCleanup(self.end, process)
        deadline = time.monotonic() + PATIENCE
        while wait and not self.socket.exists() and process.poll() is None and time.monotonic() < deadline:
            time.sleep(0.01)
        return process

    @staticmethod
    def end(process):
        process.kill()
        process.communicate()

    def load(self, *more, **keys):
        return [PROGRAM, "load", "--vfio-user", str(self.socket), *settings(DRIVE | keys), *more]

    def end_of(self, process):
        out, err = process.communicate(timeout=PATIENCE)
        summary = self.out / "summary.json"
        return process.returncode, out, err, json.loads(summary.read_text()) if summary.exists() else None

    def refused(self, words, message):
        done = subprocess.run(words, capture_output=True, text=True, check=False, timeout=PATIENCE)
        self.assertEqual(done.returncode, 1, done.stderr)
        self.assertIn(message, done.stderr)


class Served(Serve):
    def test_a_guest_that_polls_lets_time_pass_over_a_link_that_takes_none(self):
        server = self.serve(**{"pcie.ideal": "true"})
        load = subprocess.run(self.load("--verify", **{"workload.rw": "randrw", "workload.number_ios": 500, "workload.size": "8MiB"}),
                              capture_output=True, text=True, check=False, timeout=PATIENCE)
        self.assertEqual(load.returncode, 0, load.stdout + load.stderr)
        self.assertEqual(self.end_of(server)[0], 0)

    def test_a_core_that_takes_a_tenth_of_a_second_for_each_interrupt_keeps_no_guest_waiting(self):
        slow = {"cpu.clock": "1MHz", "cpu.cost.interrupt": 100000}
        server = self.serve(**slow)
        load = subprocess.run(self.load(**{"workload.rw": "randread", "workload.number_ios": 20}),
                              capture_output=True, text=True, check=False, timeout=PATIENCE)
        self.assertEqual(load.returncode, 0, load.stdout + load.stderr)
        self.assertEqual(self.end_of(server)[0], 0)

    def test_more_vectors_than_descriptors_go_with_one_message_all_interrupt(self):
        queues = {"host.queues": 64, "host.queue_size": 16}
        server = self.serve(**queues)
        load = subprocess.run(self.load("--verify", **queues, **{"workload.rw": "randrw", "workload.number_ios": 2000, "workload.size": "8MiB"}),
                              capture_output=True, text=True, check=False, timeout=PATIENCE)
        self.assertEqual(load.returncode, 0, load.stdout + load.stderr)
        self.assertIn(", wrong 0\n", load.stdout)
        self.assertEqual(self.end_of(server)[0], 0)

    def test_verified_commands_of_every_kind_are_in_the_report(self):
        server = self.serve("--perfetto", "--vcd=ssd.ch0", "--vcd-window", "0ms:1ms")
        load = subprocess.run(self.load("--verify", **{
            "workload.rw": "randrw", "workload.number_ios": 20000, "workload.size": "8MiB", "workload.rwmixtrim": 10,
            "workload.bssplit": "4k/60:16k/30:128k/10", "workload.fsync": 50, "host.iodepth": 32}),
            capture_output=True, text=True, check=False, timeout=PATIENCE)
        self.assertEqual(load.returncode, 0, load.stdout + load.stderr)
        self.assertIn(", wrong 0\n", load.stdout)
        compared = int(load.stdout.split("sectors compared")[1].split(",")[0])
        self.assertGreater(compared, 20000)
        status, _, err, summary = self.end_of(server)
        self.assertEqual(status, 0, err)
        workload = summary["workload"]
        self.assertEqual(workload["reads"] + workload["writes"] + workload["trims"], 20000)
        self.assertGreater(workload["trims"], 100)
        self.assertGreater(workload["flushes"], 100)
        self.assertEqual((workload["failed"], workload["unanswered"]), (0, 0))
        self.assertAlmostEqual(summary["host"]["littles_law"], 1, places=6)
        for kind in ("read", "write"):
            parts = summary["host"][kind]["breakdown_ns"]
            self.assertAlmostEqual(sum(parts.values()), summary["host"][kind]["latency_ns"]["mean"], delta=1)
        for name in ("timeline.csv", "latency.csv", "waves.json", "waves.vcd"):
            self.assertGreater((self.out / name).stat().st_size, 0, name)

    def test_a_client_that_is_killed_leaves_a_report(self):
        server = self.serve()
        load = subprocess.Popen(self.load(**{"workload.rw": "randwrite", "workload.number_ios": 10**8, "host.iodepth": 64}),
                                stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        time.sleep(1)
        load.kill()
        load.wait()
        status, out, err, summary = self.end_of(server)
        self.assertEqual(status, 0, err)
        self.assertGreater(summary["workload"]["writes"], 0)
        self.assertLessEqual(summary["workload"]["unanswered"], 64)
        self.assertIn("vfio-user", out)

    def test_a_signal_ends_it_with_its_report(self):
        server = self.serve()
        load = subprocess.Popen(self.load(**{"workload.rw": "randread", "workload.number_ios": 10**8}),
                                stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
        time.sleep(1)
        server.send_signal(signal.SIGTERM)
        status, _, err, summary = self.end_of(server)
        self.assertEqual(status, 128 + signal.SIGTERM)
        self.assertIn("interrupted by SIGTERM", err)
        self.assertTrue(summary["interrupted"])
        self.assertGreater(summary["workload"]["reads"], 0)
        self.assertEqual(load.wait(timeout=PATIENCE), 1)
        self.assertIn("the server has gone", load.stderr.read())
        load.stderr.close()

    def test_a_signal_ends_it_while_nobody_has_come(self):
        server = self.serve()
        server.send_signal(signal.SIGINT)
        status, _, err, summary = self.end_of(server)
        self.assertEqual((status, summary["workload"]["requests"]), (128 + signal.SIGINT, 0), err)
        self.assertFalse(self.socket.exists())

    def test_rubbish_ends_the_connection_and_not_the_report(self):
        server = self.serve()
        with socket.socket(socket.AF_UNIX) as rubbish:
            rubbish.connect(str(self.socket))
            rubbish.sendall(b"GET / HTTP/1.1\r\nHost: drive\r\n\r\n" * 10)
        status, _, err, summary = self.end_of(server)
        self.assertEqual(status, 0, err)
        self.assertIn("the client breaks the protocol", err)
        self.assertEqual(summary["workload"]["requests"], 0)


class Paced(Serve):
    SLOW = {"nand.tR": "8ms", "nand.tPROG": "12ms"}
    LATENCY = re.compile(r"latency there +mean ([0-9.]+) us")

    def latencies(self, *words, **keys):
        """Mean latency on the wall clock and in simulated time, how late the model was, all in us; and what the server said."""
        server = self.serve(*words, **self.SLOW)
        load = subprocess.run(self.load(**keys), capture_output=True, text=True, check=False, timeout=PATIENCE)
        self.assertEqual(load.returncode, 0, load.stdout + load.stderr)
        status, out, err, summary = self.end_of(server)
        self.assertEqual(status, 0, err)
        kinds = [summary["host"][kind] for kind in ("read", "write")]
        simulated = sum(k["count"] * k["latency_ns"]["mean"] for k in kinds if k["count"]) / sum(k["count"] for k in kinds)
        late = summary["time"].get("late_ns", {"mean": None})["mean"]
        return float(self.LATENCY.search(load.stdout)[1]), simulated / 1e3, late, out

    def test_no_request_is_faster_than_the_drive(self):
        for keys in ({"workload.rw": "randread", "workload.number_ios": 40, "precondition.mode": "none"},
                     {"workload.rw": "randrw", "workload.number_ios": 300, "host.iodepth": 16}):
            wall, simulated, late, out = self.latencies("--pace", "1", **{"workload.size": "4MiB"} | keys)
            self.assertGreaterEqual(wall, simulated)
            self.assertGreaterEqual(wall, simulated + late / 1e3 - 1)
            self.assertGreaterEqual(late, 0)
            self.assertRegex(out, r"pace +late by .* on average, .* at most")

    def test_without_a_pace_it_is_as_fast_as_it_can_be_computed(self):
        wall, simulated, late, out = self.latencies(**{"workload.rw": "randwrite", "workload.number_ios": 2000, "host.iodepth": 16,
                                                       "workload.size": "4MiB"})
        self.assertLess(wall, simulated)
        self.assertIsNone(late)
        self.assertNotIn("late by", out)

    def test_other_paces_are_refused(self):
        self.refused([PROGRAM, "serve", "--vfio-user", str(self.socket), "--pace", "2"], "--pace: expected 1")


class Image(Serve):
    SPACE = {"workload.size": "4MiB", "workload.bs": "16KiB", "workload.number_ios": 256}

    def session(self, *words, image="drive.image", **keys):
        """A life of the drive: serve and a load in front of it; returns what the load said, and the report."""
        server = self.serve("--image", str(self.path / image))
        load = subprocess.run(self.load(*words, **self.SPACE | keys), capture_output=True, text=True, check=False, timeout=PATIENCE)
        self.assertEqual(load.returncode, 0, load.stdout + load.stderr)
        status, _, err, summary = self.end_of(server)
        self.assertEqual(status, 0, err)
        return load.stdout, summary

    def test_a_drive_is_kept_with_its_data_and_its_wear(self):
        self.session(**{"workload.rw": "write"})
        for life in range(3):
            said, _ = self.session("--verify", "--written-once", **{"workload.rw": "read"})
            self.assertIn("sectors compared  1024, wrong 0", said, life)
        _, summary = self.session(image="worn", **{"workload.rw": "randwrite", "workload.number_ios": 20000, "workload.size": "0"})
        worn = summary["ftl"]["wear"]["max"]
        self.assertGreater(worn, 0)
        _, later = self.session(image="worn", **{"workload.rw": "read"})
        self.assertGreaterEqual(later["ftl"]["wear"]["max"], worn)

    def test_a_guest_that_crashes_leaves_what_was_answered(self):
        said, _ = self.session("--leave-on", **{"workload.rw": "write"})
        self.assertIn("256 writes", said)
        said, _ = self.session("--verify", "--written-once", **{"workload.rw": "read"})
        self.assertIn("sectors compared  1024, wrong 0", said)

    def test_a_server_that_is_killed_leaves_the_image_as_it_was(self):
        self.session(**{"workload.rw": "write"})
        image = self.path / "drive.image"
        before = image.read_bytes()
        server = self.serve("--image", str(image))
        load = subprocess.Popen(self.load(**{"workload.rw": "randwrite", "workload.number_ios": 10**8}), stderr=subprocess.DEVNULL)
        time.sleep(0.5)
        server.kill()
        server.communicate()
        load.wait()
        self.assertEqual(image.read_bytes(), before)

    def run_on(self, image, *words, **keys):
        """A life of the drive with a simulated host, from this file if there is one."""
        load = ["--load-state", str(image)] if image else []
        return subprocess.run([PROGRAM, "run", *settings(DRIVE | {"data.mode": "full"} | keys), *load, *words, "--out", str(self.out)],
                              capture_output=True, text=True, check=False, timeout=PATIENCE)

    def verified(self, done):
        self.assertEqual(done.returncode, 0, done.stderr)
        return json.loads((self.out / "summary.json").read_text())["host"]["verify"]

    def test_a_guests_drive_serves_a_simulated_host_and_a_guest_again(self):
        image, back = self.path / "drive.image", self.path / "back"
        self.session(**{"workload.rw": "write"})  # the first 4 MiB
        behind = {"workload.offset": "4MiB", "workload.size": "4MiB", "workload.bs": "16KiB", "workload.number_ios": 256}
        written = self.verified(self.run_on(image, "--save-end", str(back), **behind | {"workload.rw": "write"}))
        self.assertEqual(written["mismatches"], 0)
        whole = {"workload.size": "8MiB", "workload.bs": "16KiB", "workload.number_ios": 512, "workload.rw": "read"}
        read = self.verified(self.run_on(back, **whole))
        self.assertEqual((read["checked"], read["mismatches"]), (1024, 0), "what the guest has written is not known")
        said, _ = self.session("--verify", "--written-once", image="back", **{"workload.rw": "read"})
        self.assertIn("sectors compared  1024, wrong 0", said)
        self.assertEqual(self.verified(self.run_on(back, **whole))["mismatches"], 0)
        cut = self.run_on(image, "--power-cut", "random:1", **behind | {"workload.rw": "write"})
        self.assertEqual(cut.returncode, 1)
        self.assertIn("a guest has used this drive", cut.stderr)

    def test_a_simulated_hosts_drive_serves_a_guest(self):
        image = self.path / "drive.image"
        kept = self.run_on(None, "--save-end", str(image), **{"workload.rw": "randwrite", "workload.number_ios": 3000})
        self.assertEqual(self.verified(kept)["mismatches"], 0)
        self.session(**{"workload.rw": "write"})
        said, _ = self.session("--verify", "--written-once", **{"workload.rw": "read"})
        self.assertIn("sectors compared  1024, wrong 0", said)

    def test_a_damaged_drive_of_a_simulated_host_is_refused(self):
        image = self.path / "drive.image"
        self.run_on(None, "--save-end", str(image), **{"workload.rw": "randwrite", "workload.number_ios": 3000})
        whole = image.read_bytes()
        image.write_bytes(whole[:-40])
        serve = [PROGRAM, "serve", "--vfio-user", str(self.socket), "--image", str(image)]
        self.refused([*serve, *settings(DRIVE)], "--image")

    def test_images_of_other_drives_are_refused(self):
        self.session(**{"workload.rw": "write"})
        image = str(self.path / "drive.image")
        serve = [PROGRAM, "serve", "--vfio-user", str(self.socket), "--image"]
        self.refused([*serve, image, *settings(DRIVE | {"geometry.channels": 1})], "geometry.channels")
        damaged = self.path / "damaged"
        damaged.write_bytes(pathlib.Path(image).read_bytes()[:-100])
        self.refused([*serve, str(damaged), *settings(DRIVE)], "--image")
        self.refused([*serve, str(self.path / "none" / "image"), *settings(DRIVE)], "none")


class Owner(Serve):
    def test_nobody_else_can_connect_whatever_the_umask(self):
        before = os.umask(0)
        try:
            self.serve()
        finally:
            os.umask(before)
        self.assertEqual(stat.S_IMODE(self.socket.stat().st_mode), 0o600)


class Refused(Serve):
    def test_configurations_that_cannot_be_served(self):
        base = [PROGRAM, "serve", "--vfio-user", str(self.socket)]
        self.refused([*base, "--set", "data.mode=tag"], "data.mode")
        self.refused([*base, "--set", "cpu.run_ahead=1ms"], "cpu.run_ahead")
        self.refused([*base, "--set", "precondition.mode=trace"], "precondition.mode")
        self.refused([*base, "--vcd"], "--vcd needs --out")
        self.refused([PROGRAM, "serve"], "expected one guest")
        self.refused([*base, "--qemu"], "expected one guest")
        self.refused([*base, "--", "-m", "1G"], "need --qemu")

    def test_paths_where_nobody_can_listen(self):
        taken = self.path / "file"
        taken.write_text("precious")
        small = [PROGRAM, "serve", *settings(DRIVE), "--vfio-user"]
        self.refused([*small, str(taken)], "is no socket")
        self.assertEqual(taken.read_text(), "precious")
        self.refused([*small, str(self.path / "none" / "socket")], "cannot listen")
        self.refused([*small, str(self.path / ("x" * 200))], "expected a path")
        self.serve()
        self.refused([*small, str(self.socket)], "a server listens there already")

    def test_a_socket_that_a_killed_server_left_is_taken_over(self):
        first = self.serve()
        first.kill()
        first.communicate()
        self.assertTrue(self.socket.exists())
        second = self.serve(wait=False)
        done = subprocess.run(self.load(**{"workload.number_ios": 10}), capture_output=True, text=True, check=False)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(self.end_of(second)[0], 0)

    def test_loads_that_cannot_be_played(self):
        self.refused(self.load("--wait", "0.1"), "cannot connect")
        self.serve()
        self.refused(self.load(**{"workload.bs": "2MiB"}), "workload.bs")


if __name__ == "__main__":
    unittest.main(verbosity=2)
