#!/usr/bin/env python3
"""Does scripts/demo end well where PyPI cannot be reached? What installs and builds is replaced; the run is real."""

import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
PROGRAM = pathlib.Path(sys.argv.pop(1)).resolve()
NO_REGISTRY = "#!/bin/bash\ncase $* in *plots*) echo 'install_deps: is PyPI reachable?' >&2; exit 1 ;; esac\n"


def script(path, text):
    path.write_text(text, encoding="utf-8")
    path.chmod(0o755)


def demo(folder, python3):
    """scripts/demo in a tree of links, with this python3."""
    for entry in ROOT.iterdir():
        if entry.name not in ("out", "build", ".venv", ".git", "scripts"):
            (folder / entry.name).symlink_to(entry)
    for made in ("scripts", "bin", "build/release"):
        (folder / made).mkdir(parents=True)
    for entry in (ROOT / "scripts").iterdir():
        if entry.name != "install_deps":
            (folder / "scripts" / entry.name).symlink_to(entry)
    (folder / "build/release/twinplane").symlink_to(PROGRAM)
    script(folder / "scripts/install_deps", NO_REGISTRY)
    script(folder / "bin/cmake", "#!/bin/sh\n")
    script(folder / "bin/python3", python3)
    env = dict(os.environ, PATH=f"{folder / 'bin'}:{os.environ['PATH']}")
    return subprocess.run([folder / "scripts/demo"], cwd="/", env=env, capture_output=True, text=True, check=False)


class WithoutRegistry(unittest.TestCase):
    def setUp(self):
        self.temporary = tempfile.TemporaryDirectory()
        self.folder = pathlib.Path(self.temporary.name)

    def tearDown(self):
        self.temporary.cleanup()

    def test_says_that_plots_are_missing_and_leaves_the_rest(self):
        done = demo(self.folder, "#!/bin/sh\nexit 1\n")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("apt-get install python3-matplotlib", done.stdout)
        self.assertNotIn("busy_planes.png", done.stdout)
        out = self.folder / "out/demo"
        self.assertTrue((out / "summary.json").is_file() and (out / "waves.vcd").is_file())

    def test_draws_with_the_machines_own_matplotlib(self):
        own = ROOT / ".venv/bin/python"  # stands for a python3 that has it
        if subprocess.run([own, "-c", "import matplotlib"], check=False, capture_output=True).returncode != 0:
            self.skipTest("no matplotlib at hand")
        done = demo(self.folder, f'#!/bin/sh\nexec "{own}" "$@"\n')
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("busy_planes.png", done.stdout)
        self.assertTrue((self.folder / "out/demo/busy_planes.png").is_file())


if __name__ == "__main__":
    unittest.main()
