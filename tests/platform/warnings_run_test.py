#!/usr/bin/env python3
"""Do runs that fall into a trap say so, under the table and in summary.json, and sound ones not?"""

import json
import os
import pathlib
import subprocess
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
PROGRAM = os.environ["TWINPLANE_PROGRAM"]
DEMO = str(ROOT / "platform/configs/demo.toml")
SOUND = {"host.mode": "closed", "workload.rw": "randread", "workload.number_ios": 8000, "precondition.mode": "fill",
         "precondition.fill": "100%", "precondition.overwrite": "0%"}


def run(trace=None, **settings):
    with tempfile.TemporaryDirectory() as folder:
        words = [PROGRAM, "run", "-c", DEMO, "--out", folder]
        for key, value in (SOUND | settings).items():
            words += ["--set", f"{key}={str(value).lower() if isinstance(value, bool) else value}"]
        if trace is not None:
            path = pathlib.Path(folder) / "t.csv"
            path.write_text(trace, encoding="utf-8")
            words += ["--trace", str(path), "--columns", "time=0:us,op=1:R|W|T,offset=2:bytes,size=3:bytes,sep=comma"]
        done = subprocess.run(words, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stderr
        summary = json.loads((pathlib.Path(folder) / "summary.json").read_text())
    shown = [line.removeprefix("warning: ") for line in done.stdout.splitlines() if line.startswith("warning: ")]
    assert shown == summary["warnings"]
    return summary


class Warns(unittest.TestCase):
    def only(self, summary, text):
        self.assertEqual(len(summary["warnings"]), 1, summary["warnings"])
        self.assertIn(text, summary["warnings"][0])

    def test_not_of_a_sound_run(self):
        summary = run()
        self.assertEqual(summary["warnings"], [])
        self.assertAlmostEqual(summary["host"]["latency_drift"], 1, delta=0.1)

    def test_of_reads_of_what_was_never_written(self):
        summary = run(**{"precondition.fill": "50%"})
        self.only(summary, "had never been written")
        share = summary["ftl"]["unmapped_reads"] / summary["ftl"]["host_pages_read"]
        self.assertAlmostEqual(share, 0.5, delta=0.02)

    def test_of_a_shutdown_that_took_longer_than_promised(self):
        # every program fails: the flush at the end goes on until no block is left
        summary = run("0,W,0,163840\n", **{"nand.fail.program": "100%", "ftl.write_ack": "buffered",
                                           "ftl.write_buffer": 32, "precondition.mode": "none"})
        self.only(summary, "to shut down, and Identify promises")

    def test_of_an_overload(self):
        # 8,000 requests at once: all but the first are waiting when the last one arrives
        summary = run(**{"host.mode": "open"})
        self.assertTrue(any("not finished when the last one arrived" in w for w in summary["warnings"]))
        self.assertEqual(summary["workload"]["left_at_last_arrival"], 8000)

    def test_of_folded_addresses(self):
        inside, beyond = "{},R,0,4096\n", "{},R,1099511627776,4096\n"
        trace = "".join((beyond if i % 4 == 0 else inside).format(i * 1000) for i in range(400))
        summary = run(trace, **{"host.mode": "open"})
        self.assertEqual(summary["workload"]["folded"], 100)
        self.only(summary, "100 requests (25.0 %) lay beyond the drive's end")

    def test_of_requests_that_are_of_no_whole_sectors(self):
        # sectors of 4 KiB; the first trim has one whole sector inside, the second none
        trace = "0,W,0,12288\n1000,R,512,512\n2000,W,5120,4096\n3000,T,512,8192\n4000,T,512,512\n"
        summary = run(trace, **{"host.mode": "open"})
        self.assertEqual(summary["workload"]["unaligned"], {
            "widened": 2, "widened_bytes": 3584 + 4096, "shrunk_trims": 2, "shrunk_bytes": 4096 + 512, "empty_trims": 1})
        self.assertEqual(summary["workload"]["trims"], 2)
        self.assertTrue(any(w.startswith("2 requests (40.0 %) began or ended within a sector") for w in summary["warnings"]))
        self.assertTrue(any(w.startswith("2 trims began or ended within a sector") for w in summary["warnings"]))

    def test_of_a_trace_that_reads_before_it_writes_unless_that_was_written(self):
        # pages 100 to 399 are read, every third of them after it has been written; some of it beyond the drive
        lines, beyond = [], 1 << 40
        for i in range(300):
            offset = (100 + i) * 8192 + (beyond if i % 10 == 0 else 0)
            if i % 3 == 0:
                lines.append(f"{2 * i * 1000},W,{offset},8192\n")
            lines.append(f"{(2 * i + 1) * 1000},R,{offset},4096\n")
        asked = {"host.mode": "closed", "host.iodepth": 1, "precondition.fill": "0%"}
        empty = run("".join(lines), **asked)
        self.assertTrue(any("had never been written" in w for w in empty["warnings"]), empty["warnings"])
        self.assertEqual(empty["ftl"]["unmapped_reads"], 200)
        written = run("".join(lines), **asked, **{"precondition.mode": "trace"})
        self.assertFalse([w for w in written["warnings"] if "had never been written" in w])
        self.assertEqual(written["ftl"]["unmapped_reads"], 0)
        self.assertEqual(written["ftl"]["valid_pages"], empty["ftl"]["valid_pages"] + 200, "nothing else is written")
        self.assertEqual(written["host"]["verify"], {"checked": 300, "mismatches": 0})

    def test_of_rounds_that_repeat_their_addresses_in_order(self):
        small = {"geometry.blocks_per_plane": 8, "geometry.channels": 1, "workload.rw": "randwrite", "workload.bs": "8KiB", "host.iodepth": 1,
                 "workload.number_ios": 5000, "workload.randommap": True, "precondition.mode": "none", "host.rounds": 4}
        drawn = run(**small)
        self.assertGreater(drawn["ftl"]["waf"], 1.05)
        self.assertFalse([w for w in drawn["warnings"] if "never moved a page" in w], drawn["warnings"])
        repeated = run(**small, **{"host.repeat_rounds": True})
        self.assertEqual(repeated["ftl"]["gc"]["pages_moved"], 0)
        self.assertTrue(any("collection never moved a page" in w for w in repeated["warnings"]), repeated["warnings"])

    def test_of_a_run_that_has_not_settled(self):
        # a fresh drive takes writes without collection until it is full, and then no longer
        summary = run(**{"workload.rw": "randwrite", "precondition.mode": "none", "precondition.fill": "80%",
                         "workload.bs": "64KiB", "workload.number_ios": 40000})
        self.assertTrue(any("not steady" in w for w in summary["warnings"]), summary["host"]["latency_drift"])


if __name__ == "__main__":
    unittest.main()
