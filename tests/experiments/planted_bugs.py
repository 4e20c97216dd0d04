"""Do the firmware's own checks lead to a bug that was planted in it?

    planted_bugs.py SOURCE WORK [BUG...]

Copies SOURCE to WORK, builds it in the preset `dev`, whose firmware checks its own calls, and then with one bug at a time. A
run of 10,000 requests has to end with a message that names what the bug breaks and, where a call is wrong, its line.
"""

import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

from recovery_bugs import copy

PATH = "firmware/ftl/host_path.h"
BUGS = {  # name: file, what it says, what it says with the bug, what the run has to say
    "a write is released twice": (
        PATH, "    finish(*t.request, &t);\n  }\n  state_->pool.release(t);\n",
        "    finish(*t.request, &t);\n    state_->pool.release(t);\n  }\n  state_->pool.release(t);\n",
        r"transaction \d+ \(.*LPN \d+\) is released a second time at \S*firmware/ftl/host_path\.h:\d+; last released at \S*host_path\.h:\d+"),
    "a write keeps its lock": (
        PATH, "  release_lock(t);\n}", "  if (t.lpn % 97 != 5) release_lock(t);\n}",
        r"an idle drive holds no lock, LPN \d+|stopped answering"),
    "a page is counted as valid twice": (
        "firmware/ftl/state.h", "    blocks.take_valid_page(where.plane, slot.block, slot.page);\n",
        "    blocks.take_valid_page(where.plane, slot.block, slot.page);\n    if (lpn % 97 == 5) blocks.make_valid(where.plane, slot.block, slot.page);\n",
        r"a block counts as many valid pages as it has, plane \d+, block \d+"),
}
LOAD = ("run", "--set", "workload.rw=randwrite", "--set", "workload.number_ios=10000", "--set", "run.check_turns=200",
        "--set", "geometry.blocks_per_plane=16")


def build(tree):
    subprocess.run(["cmake", "--preset", "dev", "-DTWINPLANE_TESTS=OFF", "-DTWINPLANE_BENCH=OFF"], cwd=tree, check=True,
                   stdout=subprocess.DEVNULL)
    subprocess.run(["cmake", "--build", "--preset", "dev", "--target", "twinplane"], cwd=tree, check=True, stdout=subprocess.DEVNULL)
    return tree / "build/dev/twinplane"


def outcome(program):
    with tempfile.TemporaryDirectory() as out:
        run = subprocess.run([str(program), *LOAD, "--out", out], capture_output=True, text=True, timeout=600)
        return run.returncode, run.stdout + run.stderr


def main():
    source, work = (pathlib.Path(path).resolve() for path in sys.argv[1:3])
    tree = work / "tree"
    shutil.rmtree(tree, ignore_errors=True)
    copy(source, tree)
    status, text = outcome(build(tree))
    if status != 0:
        sys.exit(f"without a bug:\n{text}")
    missed = 0
    for bug in sys.argv[3:] or BUGS:
        file, right, wrong, words = BUGS[bug]
        original = (tree / file).read_text()
        if original.count(right) != 1:
            sys.exit(f"{file}: expected once: {right!r}")
        (tree / file).write_text(original.replace(right, wrong))
        status, text = outcome(build(tree))
        (tree / file).write_text(original)
        said = re.search(words, text)
        print(f"{bug}: " + (said.group(0) if said and status != 0 else f"NOT FOUND (status {status})\n{text[-2000:]}"), flush=True)
        missed += not (said and status != 0)
    sys.exit(f"{missed} bugs not found" if missed else 0)


if __name__ == "__main__":
    main()
