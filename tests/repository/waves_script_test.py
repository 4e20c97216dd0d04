#!/usr/bin/env python3
"""Does scripts/waves read VCDs right, and say clearly what it cannot do? Needs no matplotlib."""

import pathlib
import subprocess
import sys
import tempfile
import unittest

SCRIPT = pathlib.Path(__file__).resolve().parents[2] / "scripts/waves"
sys.dont_write_bytecode = True
sys.path.insert(0, str(SCRIPT.parent))

from twinplane import waves  # noqa: E402

VCD = """$version twinplane $end
$timescale 1ps $end
$scope module ssd $end
$scope module ch0 $end
$scope module bus $end
$var wire 3 ! phase [2:0] $end
$var wire 8 " opcode [7:0] $end
$upscope $end
$scope module chip0 $end
$scope module die0 $end
$var wire 1 # rb_n $end
$var wire 3 $ group [2:0] $end
$var wire 4 % violation [3:0] $end
$scope module plane1 $end
$var wire 3 & state [2:0] $end
$var wire 2 ' page_type [1:0] $end
$var wire 6 ( block [5:0] $end
$var wire 6 ) page [5:0] $end
$upscope $end
$upscope $end
$upscope $end
$upscope $end
$upscope $end
$enddefinitions $end
#0
$dumpvars
b0 !
bx "
1#
b0 $
b0 %
b0 &
bx '
bx (
bx )
$end
#1000000
b1 !
b10000000 "
#2000000
b0 !
0#
b10 $
b10 &
b1 '
b1001 (
b10001 )
#5000000
1#
b0 $
b0 &
#6000000
b1 %
#6100000
b0 %
#7000000
"""
TABLES = {
    "bus_phase": "0 idle\n1 ?chocolate?command\n",
    "opcode": "80 80h program\n",
    "plane_state": "0 idle\n2 ?SteelBlue?programming\n",
    "page_type": "0 ?SeaGreen?lsb\n1 ?chocolate?msb\n",
    "violation": "0 -\n1 ?firebrick?pac\n",
}


class WavesScript(unittest.TestCase):
    def setUp(self):
        self.temporary = tempfile.TemporaryDirectory()
        self.folder = pathlib.Path(self.temporary.name)
        self.path = self.folder / "waves.vcd"
        self.path.write_text(VCD)
        for name, text in TABLES.items():
            (self.folder / f"waves_{name}.txt").write_text(text)

    def tearDown(self):
        self.temporary.cleanup()

    def rows(self, begin=0, end=7_000_000, scope=""):
        vcd = waves.Vcd(self.path, waves.matcher(scope)[0])
        return {row.name: row for row in waves.rows_of(vcd, self.folder, begin, end)}

    def run_script(self, *arguments):
        return subprocess.run([sys.executable, str(SCRIPT), str(self.folder), *arguments], capture_output=True,
                              text=True, check=False)

    def test_rows_carry_what_happened_in_words(self):
        rows = self.rows()
        self.assertEqual(list(rows), ["ch0.bus", "ch0.chip0.die0", "ch0.chip0.die0.plane1"])
        self.assertEqual(rows["ch0.bus"].blocks, [(1_000_000, 2_000_000, "bus: command", "80h", "chocolate")])
        self.assertEqual(rows["ch0.chip0.die0.plane1"].blocks,
                         [(2_000_000, 5_000_000, "programming msb", "b9 p17 msb", "SteelBlue")])
        self.assertEqual(rows["ch0.chip0.die0"].blocks[0][:4], (2_000_000, 5_000_000, "R/B# low", "busy, 2 planes"))
        self.assertEqual(rows["ch0.chip0.die0"].marks, [(6_000_000, "pac")])

    def test_a_block_of_a_cache_has_a_level_and_a_native_one_beside_it_page_types(self):
        self.path.write_text(VCD.replace("page [5:0] $end\n", "page [5:0] $end\n$var wire 1 m mode $end\n"
                                         "$var wire 2 l level [1:0] $end\n").replace("b10 &\n", "b10 &\n1m\nb11 l\n"))
        for name, text in (("mode", "0 native\n1 slc\n"), ("level", "0 none\n3 hot\n")):
            (self.folder / f"waves_block_{name}.txt").write_text(text)
        self.assertEqual(self.rows()["ch0.chip0.die0.plane1"].blocks[0][2:4], ("programming slc", "b9 p17 hot"))
        self.path.write_text(self.path.read_text().replace("1m\nb11 l\n", "0m\nb0 l\n"))
        self.assertEqual(self.rows()["ch0.chip0.die0.plane1"].blocks[0][2:4], ("programming msb", "b9 p17 msb"))

    def test_a_window_cuts_what_reaches_into_it(self):
        row = self.rows(begin=3_000_000, end=4_000_000)["ch0.chip0.die0.plane1"]
        self.assertEqual(row.blocks[0][:2], (3_000_000, 4_000_000))

    def test_a_scope_leaves_the_rest_out(self):
        self.assertEqual(list(self.rows(scope="ch0.bus")), ["ch0.bus"])
        self.assertEqual(list(self.rows(scope="*.plane?")), ["ch0.chip0.die0.plane1"])

    def test_a_drive_may_have_any_module_name(self):
        rows = self.rows()
        for scopes in (["board", "left_ssd"], ["ch0"], ["board", "ch1", "die0"]):
            self.path.write_text(VCD.replace("$scope module ssd $end\n",
                                             "".join(f"$scope module {s} $end\n" for s in scopes))
                                 .replace("$enddefinitions", "$upscope $end\n" * (len(scopes) - 1) + "$enddefinitions"))
            self.assertEqual({n: r.blocks for n, r in self.rows().items()}, {n: r.blocks for n, r in rows.items()})
            self.assertEqual(list(self.rows(scope="ch0.bus")), ["ch0.bus"])
            self.assertEqual(list(self.rows(scope=".".join(scopes) + ".ch0.bus.phase")), ["ch0.bus"])

    def test_a_file_that_ends_inside_a_line_is_read_up_to_there(self):
        self.path.write_text(VCD[: VCD.index("#6000000") + 4])
        self.assertEqual(waves.Vcd(self.path).end, 5_000_000)

    def test_lists_without_matplotlib(self):
        result = self.run_script("--list")
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertIn("ch0.chip0.die0.plane1: 1 x programming msb", result.stdout)
        self.assertIn("refused pac", result.stdout)

    def test_bad_input_is_one_clear_line(self):
        for arguments, expected in ((["--scope", "ch7", "--list"], "there are ssd.ch0.bus, ssd.ch0.chip0"),
                                    (["--from", "1s", "--list"], "outside the recorded time, 0 us to 7 us"),
                                    (["--from", "4us", "--to", "3us", "--list"], "before it begins"),
                                    (["--from", "4", "--list"], "such as 1.5ms")):
            result = self.run_script(*arguments)
            self.assertEqual(result.returncode, 1)
            self.assertIn(expected, result.stderr)
            self.assertEqual(len(result.stderr.splitlines()), 1, result.stderr)

    def test_says_which_package_brings_vcd2fst(self):
        environment = {"PATH": str(self.folder)}
        result = subprocess.run([sys.executable, str(SCRIPT), str(self.folder), "--fst"], capture_output=True, text=True,
                                check=False, env=environment)
        self.assertEqual(result.returncode, 1)
        self.assertIn("gtkwave", result.stderr)

    def test_refuses_what_is_no_vcd(self):
        self.path.write_text("hello\n")
        result = self.run_script("--list")
        self.assertEqual(result.returncode, 1)
        self.assertIn("is no VCD", result.stderr)


if __name__ == "__main__":
    unittest.main()
