"""Do the firmware's own checks lead to a bug that was planted in it?

    planted_bugs.py SOURCE WORK [BUG...]

Copies SOURCE to WORK, builds it in the preset `dev`, whose firmware checks its own calls, and then what changes with one bug at a
time. A run of 10,000 requests has to end with a message that names what the bug breaks: the transaction, LPN, plane, block or page,
and, where a call is wrong, its line.
"""

import re
import subprocess
import sys
import tempfile

from bug_tree import BugTree, arguments

CORE, ISSUE, MOVES = ("firmware/ftl/" + name for name in ("core.cpp", "sched/map_commit.cpp", "gc/mover.cpp"))
PLACED = "    writes_->placed(t);\n"
REPLACED = "      if (is_page(old)) jobs_->schedule_gc_check(s.blocks.plane_of(old));\n"
TRANSACTION = r"transaction \d+ \([a-z -]+, LPN \d+\)"
BUGS = {  # name: file, what it says, what it says with the bug, what the run has to say
    "a write is released twice": (
        CORE, "return host_path.writes.write_done(t, c);\n",
        "{\n    host_path.writes.write_done(t, c);\n    if (t.lpn % 97 == 5) state.pool.release(t);\n    return;\n  }\n",
        TRANSACTION + r" is released a second time at \S*/core\.cpp:\d+; last released at \S*/host_writes\.h:\d+"),
    "a move is released twice": (
        MOVES, "  state_->pool.release(t);\n", "  state_->pool.release(t);\n  if (t.lpn % 97 == 5) state_->pool.release(t);\n",
        TRANSACTION + r" is released a second time at \S*/mover\.cpp:\d+; last released at \S*/mover\.cpp:\d+"),
    "a write is released before it has been programmed": (
        ISSUE, PLACED, PLACED + "    if (t.lpn % 97 == 5) s.pool.release(t);\n",
        TRANSACTION + r" is used after its release at \S*/command_issuer\.cpp:\d+; last released at \S*/map_commit\.cpp:\d+"),
    "a write gives its lock up twice": (
        ISSUE, PLACED, PLACED + "    if (t.lpn % 97 == 5) s.locks.release(t);\n",
        r"LPN \d+ is unlocked at \S*/map_commit\.cpp:\d+, though it is not locked \(transaction \d+\)"),
    "a write keeps its lock": (
        ISSUE, PLACED, "    if (t.lpn % 97 != 5) writes_->placed(t);\n",
        r"a lock is held by a transaction in use, LPN \d+:"),
    "a page is counted as valid twice": (
        ISSUE, PLACED, PLACED + "    if (t.lpn % 97 == 5) s.blocks.make_valid(t.plane, slot->block, slot->page);\n",
        r"a block counts as many valid pages as it has, plane \d+, block \d+:"),
    "a page that was overwritten stays valid": (
        ISSUE, REPLACED, REPLACED + "      if (is_page(old) && t.lpn % 97 == 5) s.blocks.make_valid(s.blocks.plane_of(old), s.blocks.block_of(old), "
        "s.blocks.page_of(old));\n",
        r"(as many pages are valid as the map names|a block counts as many valid pages as it has), plane \d+, block \d+"),
    "a write takes the place of another LPN": (
        ISSUE, PLACED, PLACED + "    if (t.lpn % 97 == 5) s.policy.mapping->exchange(t.lpn + 1, t.ppn);\n",
        r"no two LPNs name the same page, LPN \d+, plane \d+, block \d+, page \d+:"),
}
LOAD = ("run", "--set", "workload.rw=randwrite", "--set", "workload.number_ios=10000", "--set", "run.check_turns=200",
        "--set", "geometry.blocks_per_plane=16", "--set", "ftl.over_provisioning=40%", "--set", "precondition.mode=fill", "--set",
        "precondition.fill=100%", "--set", "precondition.overwrite=100%")  # a full drive, so that there are moves


def outcome(program):
    with tempfile.TemporaryDirectory() as out:
        run = subprocess.run([str(program), *LOAD, "--out", out], capture_output=True, text=True, timeout=600)
        return run.returncode, run.stdout + run.stderr


def is_found(bug, tree):
    *change, words = BUGS[bug]
    with tree.planted(*change) as program:
        status, text = outcome(program)
    said = re.search(words, text)
    found = said is not None and status != 0
    print(f"{bug}: " + (said.group(0) if found else f"NOT FOUND (status {status})\n{text[-2000:]}"), flush=True)
    return found


def main():
    source, work, wanted = arguments()
    tree = BugTree(source, work / "tree", "dev", "-DCMAKE_BUILD_TYPE=Release")  # as `release` but for the checks: quick, and often cached
    status, text = outcome(tree.program())
    if status != 0:
        sys.exit(f"without a bug:\n{text}")
    missed = [bug for bug in wanted or BUGS if not is_found(bug, tree)]
    sys.exit(f"{len(missed)} bugs not found" if missed else 0)


if __name__ == "__main__":
    main()
