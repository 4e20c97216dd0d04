#!/usr/bin/env python3
"""Does `twinplane run --blocks` take a library's blocks, and does it refuse what is none?"""

import json
import os
import pathlib
import re
import subprocess
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
PROGRAM = os.environ["TWINPLANE_PROGRAM"]
EXAMPLES = pathlib.Path(os.environ["TWINPLANE_EXAMPLES"])
BANKS = str(EXAMPLES / "libbanked_dram_blocks.so")
ISPP = str(EXAMPLES / "libispp_package_blocks.so")
DRIVE = ["-c", str(ROOT / "platform/configs/demo.toml"), "--set", "workload.rw=randrw", "--set", "workload.number_ios=2000",
         "--set", "host.mode=closed"]


def run(*words, program=PROGRAM):
    return subprocess.run([program, "run", *DRIVE, *words], capture_output=True, text=True, check=False, timeout=120)


def results(*words, program=PROGRAM):
    with tempfile.TemporaryDirectory() as folder:
        process = run(*words, "--out", folder, program=program)
        assert process.returncode == 0, process.stderr
        summary = json.loads((pathlib.Path(folder) / "summary.json").read_text())
        for volatile in ("wall_s", "requests_per_wall_s", "peak_rss_bytes"):
            del summary["time"][volatile]
        return summary, (pathlib.Path(folder) / "timeline.csv").read_text()


def without(timeline, name):
    rows = [line.split(",") for line in timeline.splitlines()]
    column = rows[0].index(name)
    return [row[:column] + row[column + 1:] for row in rows]


class Blocks(unittest.TestCase):
    def test_a_librarys_packages_program_in_times_that_differ_and_data_stay_right(self):
        ours, _ = results()
        theirs, _ = results("--blocks", ISPP)
        self.assertEqual(theirs["host"]["verify"]["mismatches"], 0)
        self.assertEqual(theirs["nand"]["violations"]["total"], 0)
        self.assertGreater(theirs["host"]["write"]["latency_ns"]["max"], 1.2 * ours["host"]["write"]["latency_ns"]["max"])

    def test_a_librarys_commands_of_several_planes_are_counted_with_their_planes(self):
        process = run("--blocks", ISPP)
        planes = re.search(r"^  program +\S+ +([\d.]+) % +([\d.]+)", process.stdout, re.MULTILINE)
        self.assertIsNotNone(planes, process.stdout)
        self.assertGreater(float(planes[1]), 0)
        self.assertGreaterEqual(float(planes[2]), 2)

    def test_the_same_seed_gives_the_same_bytes(self):
        self.assertEqual(results("--blocks", ISPP), results("--blocks", ISPP))
        self.assertNotEqual(results("--blocks", ISPP), results("--blocks", ISPP, "--seed", "2"))

    def test_a_main_program_of_ones_own_does_the_same(self):
        self.assertEqual(results("--blocks", ISPP), results(program=str(EXAMPLES / "ispp_platform")))

    def test_waves_and_traces_show_operations_of_unknown_length(self):
        with tempfile.TemporaryDirectory() as folder:
            process = run("--blocks", ISPP, "--vcd", "--perfetto", "--out", folder)
            self.assertEqual(process.returncode, 0, process.stderr)
            events = json.loads((pathlib.Path(folder) / "waves.json").read_text())
            self.assertGreater(len(events["traceEvents"] if isinstance(events, dict) else events), 1000)

    def test_another_ecc_engine_decides_what_can_be_corrected(self):
        errors = ["--set", "nand.errors.reading=expected", "--set", "nand.errors.fresh=3e-3", "--set", "nand.errors.worn=3e-3"]
        theirs, _ = results(*errors, "--blocks", str(EXAMPLES / "libshared_ecc_blocks.so"))
        self.assertGreater(theirs["reliability"]["ecc_corrected"], 0)
        self.assertGreater(theirs["utilisation"]["ecc"]["mean"] if isinstance(theirs["utilisation"]["ecc"], dict)
                           else theirs["utilisation"]["ecc"], 0)

    def test_a_dram_whose_banks_cost_nothing_is_ours_to_the_last_byte(self):
        for more in ([], ["--set", "workload.rw=write"], ["--set", "data.mode=full"]):
            words = ["--set", "dram.bandwidth=250MB/s", "--set", "precondition.mode=fill", *more]  # ps per byte: whole
            free = "banks=1,row=536870912,tRCD=0,tRP=0,tCL=0,tRAS=0,tREFI=0"
            ours, theirs = results(*words), results(*words, "--blocks", BANKS, "--blocks-options", free)
            self.assertEqual(ours[0], theirs[0])
            # a moment's use of DRAM is told when it is booked, or when the flash has moved the bytes
            self.assertEqual(without(ours[1], "dram_utilisation"), without(theirs[1], "dram_utilisation"))

    def test_rows_and_refreshes_of_a_dram_slow_a_drive_down(self):
        words = ["--set", "dram.bandwidth=2GB/s", "--set", "precondition.mode=fill", "--set", "workload.rw=randread"]
        iops = [results(*words, "--blocks", BANKS, "--blocks-options", options)[0]["host"]["read"]["iops"]
                for options in ("tREFI=0", "tREFI=1000", "tREFI=1000,banks=1,row=256,tRP=50")]
        self.assertEqual(iops, sorted(iops, reverse=True))
        self.assertLess(iops[2], 0.9 * iops[0])

    def test_a_dram_by_address_gives_the_same_however_far_the_drive_is_ahead(self):
        def figures(*words):
            summary, timeline = results(*words, "--blocks", BANKS, "--set", "dram.bandwidth=1GB/s")
            return summary["host"], summary["utilisation"], timeline
        self.assertEqual(figures(), figures())
        self.assertEqual(figures(), figures("--set", "cpu.run_ahead=0"))

    def refused(self, *words, program=PROGRAM):
        process = run(*words, program=program)
        self.assertEqual(process.returncode, 1)
        self.assertEqual(process.stdout, "")
        return process.stderr

    def test_what_is_no_library_of_blocks_is_refused_by_name(self):
        self.assertIn("error: --blocks nowhere.so: no such file", self.refused("--blocks", "nowhere.so"))
        self.assertEqual(f"error: --blocks {EXAMPLES}: expected a shared library, got a folder\n", self.refused("--blocks", str(EXAMPLES)))
        self.assertIn("cannot be loaded", self.refused("--blocks", str(ROOT / "README.md")))
        self.assertIn("defines no function twinplane_blocks",
                      self.refused("--blocks", str(EXAMPLES / "libno_blocks.so")))
        self.assertIn("--blocks-options needs --blocks FILE", self.refused("--blocks-options", "x"))

    def test_a_library_of_another_version_is_refused(self):
        self.assertIn("headers of another version", self.refused("--blocks", str(EXAMPLES / "libold_blocks.so")))

    def test_a_library_with_another_interface_of_a_block_is_refused(self):
        for name in ("EccResult", "EccInput", "CpuConfig", "DramConfig", "DramAccess"):
            self.assertIn("headers of another version",
                          self.refused("--blocks", str(EXAMPLES / f"lib{name}_changed_blocks.so")), name)

    def test_a_library_with_another_systemc_is_refused_before_it_is_loaded(self):
        with tempfile.TemporaryDirectory() as folder:
            other = pathlib.Path(folder) / "other.so"
            other.write_bytes(re.sub(rb"sc_api_version_\d_\d_\d_", b"sc_api_version_9_8_7_", pathlib.Path(BANKS).read_bytes()))
            error = self.refused("--blocks", str(other))
            self.assertRegex(error, r"it was compiled with another SystemC: 9\.8\.7, and this program with \d\.\d\.\d")

    def test_a_library_that_cannot_make_its_factory_says_why(self):
        error = self.refused("--blocks", str(EXAMPLES / "libfussy_blocks.so"), "--blocks-options", "colour=blue")
        self.assertIn("cannot understand colour=blue", error)
        error = self.refused("--blocks", BANKS, "--blocks-options", "banks=0")
        self.assertIn("banks=0: expected 1 or more", error)

    def test_a_program_with_blocks_of_its_own_takes_no_others(self):
        self.assertIn("this program has brought blocks of its own",
                      self.refused("--blocks", ISPP, program=str(EXAMPLES / "ispp_platform")))


if __name__ == "__main__":
    unittest.main(verbosity=2)
