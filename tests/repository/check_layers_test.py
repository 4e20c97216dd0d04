#!/usr/bin/env python3
"""scripts/check_layers on small trees made on the spot: good ones pass, each kind of bad arrow is named."""

import pathlib
import subprocess
import sys
import tempfile
import unittest

CHECKER = pathlib.Path(__file__).resolve().parents[2] / "scripts" / "check_layers"
GUARD = "#pragma once\n"


def run(files):
    """Exit status and messages of the checker on a tree of {path: text}."""
    with tempfile.TemporaryDirectory() as folder:
        for name, text in files.items():
            path = pathlib.Path(folder, name)
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8")
        done = subprocess.run([sys.executable, CHECKER, "--root", folder], capture_output=True, text=True)
        return done.returncode, done.stdout + done.stderr


def tree(**changes):
    files = {
        "hw/spec/a.h": GUARD + "#include <cstdint>\n",
        "hw/core/b.h": GUARD + '#include <systemc>\n#include "hw/spec/a.h"\n',
        "hw/nand/die.cpp": '#include "hw/core/b.h"\n',
        "firmware/hal/hal.h": GUARD + '#include "hw/spec/a.h"\n',
        "firmware/ftl/victim/greedy.cpp": '#include "firmware/hal/hal.h"\n',
        "platform/ssd/ssd.cpp": '#include "hw/core/b.h"\n#include "firmware/hal/hal.h"\n',
    }
    files.update(changes.get("files", {}))
    return files


class CheckLayers(unittest.TestCase):
    def assert_refused(self, path, text, *expected):
        status, output = run(tree(files={path: text}))
        self.assertEqual(status, 1, output)
        for words in (path,) + expected:
            self.assertIn(words, output)

    def test_accepts_a_tree_that_follows_the_plan(self):
        status, output = run(tree())
        self.assertEqual(status, 0, output)

    def test_refuses_hardware_that_looks_upwards(self):
        files = {"hw/nand/d.h": GUARD, "hw/core/c.cpp": '#include "hw/nand/d.h"\n'}
        status, output = run(tree(files=files))
        self.assertEqual(status, 1)
        self.assertIn("hw/core may include hw/spec; not hw/nand", output)

    def test_refuses_firmware_that_sees_hardware_models(self):
        self.assert_refused("firmware/ftl/x.cpp", '#include "hw/core/b.h"\n', "firmware/ftl/x.cpp:1", "not hw/core")

    def test_refuses_hardware_that_sees_firmware(self):
        self.assert_refused("hw/nand/x.cpp", '#include "firmware/hal/hal.h"\n', "not firmware/hal")

    def test_refuses_anybody_below_who_sees_the_platform(self):
        files = {"platform/config/c.h": GUARD, "firmware/boot/x.cpp": '#include "platform/config/c.h"\n'}
        status, output = run(tree(files=files))
        self.assertEqual(status, 1)
        self.assertIn("not platform/config", output)

    def test_refuses_systemc_in_firmware_and_in_the_data_sheet(self):
        self.assert_refused("firmware/hal/x.h", GUARD + "#include <systemc>\n", "<systemc>")
        self.assert_refused("hw/spec/x.h", GUARD + "#include <tlm>\n", "<tlm>")

    def test_refuses_heap_streams_and_boost_in_firmware(self):
        for header in ("vector", "iostream", "functional", "boost/intrusive/list.hpp", "string"):
            self.assert_refused("firmware/ftl/x.cpp", f"#include <{header}>\n", f"<{header}>")

    def test_refuses_systemc_where_the_platform_must_work_without(self):
        self.assert_refused("platform/trace/x.cpp", "#include <tlm_utils/simple_target_socket.h>\n", "tlm_utils")

    def test_refuses_includes_that_do_not_start_at_the_root(self):
        self.assert_refused("hw/core/x.cpp", '#include "b.h"\n', "from the project root")
        self.assert_refused("hw/core/x.cpp", '#include "../spec/a.h"\n', "from the project root")

    def test_refuses_a_folder_that_the_plan_does_not_know(self):
        self.assert_refused("hw/misc/x.h", GUARD, "not in the plan")

    def test_refuses_a_header_without_guard(self):
        self.assert_refused("hw/spec/x.h", "struct X {};\n", "#pragma once")

    def test_refuses_a_cycle_between_files(self):
        files = {"hw/nand/p.h": GUARD + '#include "hw/nand/q.h"\n', "hw/nand/q.h": GUARD + '#include "hw/nand/p.h"\n'}
        status, output = run(tree(files=files))
        self.assertEqual(status, 1)
        self.assertIn("include cycle: hw/nand/p.h -> hw/nand/q.h -> hw/nand/p.h", output)

    def test_refuses_an_empty_tree(self):
        self.assertEqual(run({"README.md": ""})[0], 1)


if __name__ == "__main__":
    unittest.main()
