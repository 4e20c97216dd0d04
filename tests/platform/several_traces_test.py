#!/usr/bin/env python3
"""Are several traces replayed together, with results for each and, if wanted, queues for each?"""

import json
import os
import pathlib
import subprocess
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
PROGRAM = os.environ["TWINPLANE_PROGRAM"]
DEMO = str(ROOT / "platform/configs/demo.toml")


def lines_of(operation, gap_us, size, count):
    return "time_ns,op,offset,size,device\n" + "".join(
        f"{n * gap_us * 1000},{operation},{n % 512 * size},{size},0\n" for n in range(count))


class SeveralTraces(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        self.reads = self.folder / "reads.csv"
        self.reads.write_text(lines_of("read", 400, 4096, 500), encoding="ascii")
        self.writes = self.folder / "writes.csv"
        self.writes.write_text(lines_of("write", 100, 65536, 2000), encoding="ascii")

    def run_traces(self, *words):
        out = self.folder / "out"
        command = [PROGRAM, "run", "-c", DEMO, "--trace", str(self.reads), "--trace", str(self.writes), "--out", str(out)]
        done = subprocess.run(command + list(words), capture_output=True, text=True, check=False)
        if done.returncode != 0:
            return done, None
        return done, json.loads((out / "summary.json").read_text(encoding="utf-8"))

    def test_have_results_of_their_own(self):
        done, summary = self.run_traces("--set", "precondition.mode=fill")
        self.assertEqual(done.returncode, 0, done.stderr)
        host = summary["host"]
        self.assertEqual([t["source"] for t in host["traces"]], [str(self.reads), str(self.writes)])
        self.assertEqual([t["read"]["count"] for t in host["traces"]], [500, 0])
        self.assertEqual([t["write"]["count"] for t in host["traces"]], [0, 2000])
        self.assertEqual(host["traces"][0]["read"]["latency_ns"], host["read"]["latency_ns"])
        self.assertIn("writes.csv", done.stdout)
        self.assertEqual(summary["workload"]["source"], f"{self.reads} + {self.writes}")

    def test_do_not_wait_behind_each_other_with_queues_of_their_own(self):
        flooded = ("--set", "host.queues=2", "--set", "host.queue_size=4", "--set", "host.mode=open", "--set", "precondition.mode=fill", "--set",
                   "host.time_scale=0.2")
        _, together = self.run_traces(*flooded)
        _, apart = self.run_traces(*flooded, "--own-queues")
        read = [s["host"]["traces"][0]["read"]["latency_ns"]["mean"] for s in (together, apart)]
        self.assertLess(read[1], read[0] / 2)

    def test_need_a_queue_each(self):
        done, _ = self.run_traces("--own-queues", "--set", "host.queues=1")
        self.assertNotEqual(done.returncode, 0)
        self.assertIn("--own-queues: expected a queue for each of the 2 traces, got host.queues = 1", done.stderr)


if __name__ == "__main__":
    unittest.main()
