"""Are the power cuts of the experiment power-loss noticed by a recovery that is broken on purpose?

    recovery_bugs.py SOURCE WORK [BUG...]

Copies SOURCE to WORK, builds it, and then what changes with one bug at a time. Each of them has to be noticed by a run of the
campaign, with looks at the firmware's tables: by its exit status. Without bugs all runs have to end well.
"""

import json
import pathlib
import shlex
import subprocess
import sys
import tempfile

from bug_tree import BugTree, arguments

SCAN, MAP, REBUILD, STEPS = ("firmware/ftl/recovery/" + name for name in ("scan.cpp", "found_map.cpp", "rebuild.cpp", "recovery.cpp"))
METADATA, TRIMS, JOURNAL = ("firmware/ftl/features/journal/" + name for name in ("recovery.cpp", "trim_replay.h", "journal.cpp"))
DEAL = "firmware/ftl/features/partitions/deal.cpp"
BUGS = {  # name: file, what it says, what it says with the bug, the drives that are tried first
    "a page that the cut has torn ends its block": (
        SCAN, "const bool blank = (c.result & flash_result::blank) != 0;",
        "const bool blank = (c.result & flash_result::blank) != 0 || c.oob == kNoWord;", ""),
    "the older of two words wins": (
        MAP, "kNoPun) && !order_.newer(stamp, stamps_.of(item))", "kNoPun) && order_.newer(stamp, stamps_.of(item))", ""),
    "of a page only the first word is found": (MAP, "slot < words.count; ++slot) {\n    const", "slot < 1; ++slot) {\n    const", "MGA"),
    "stamps begin anew": (STEPS, "    state_->write_sequence = found_->newest();\n", "", ""),
    "pages that share a wordline with a torn one are not looked for in copies": (
        MAP, "    name(copy.lpn, items_.place(copy.page, 0), copy.stamp, 0);\n", "    (void)any;\n", "TLC"),
    "what was found in a copy alone is not written again": (
        STEPS, "    if (lpn != kNoLpn && !host_->rewriter.rewrite(lpn, ProgramCause::backup)) return false;\n", "", "TLC, capacitor no"),
    "what was written behind the checkpoint is not read": (
        SCAN, "blank || !word.any || map_.is_newer(word.stamp)", "blank || !word.any", "checkpoints"),
    "the map of a checkpoint names pages that are not there any more": (
        MAP, "  if (from_checkpoint_) drop_stale_entries();\n", "", "checkpoints"),
    "blocks that have gone bad are forgotten": (METADATA, "if ((entry & kBlockIsBad) == 0) return;", "return;", "TLC, bad blocks"),
    "trims are forgotten": (METADATA, "    if (s < layout.begin(SliceKind::blocks)) trims_.apply(slices_.page(s));\n", "", "many trims"),
    "a trim undoes the write that was under way when it was written down": (
        TRIMS, "newer(item, header.stamp) || was_under_way(page, item)) continue;", "newer(item, header.stamp)) continue;", "many trims"),
    "blocks are erased before pages of metadata tell of the trims of what they held": (
        JOURNAL, "  writer.want(held.since(site, block));\n  return true;\n", "  writer.want(held.since(site, block));\n  return false;\n", "many trims"),
    "a hot block is taken for a cold one": (
        DEAL, "f.written[0] > fast_pages_before_first_slow_ ? Use::fast : Use::either", "Use::all", "MLC, BROMS"),
    "of a twin unit only the first plane is found": (
        REBUILD, "[&](std::uint32_t plane, const FoundBlock& f) {\n    const PageMode mode",
        "[&](std::uint32_t plane, const FoundBlock& f) {\n    if (plane != blocks_.first_plane_of(site)) return;\n    const PageMode mode", "TBM"),
}

CHECKED = ["--set", "run.check_turns=1000"]


def campaign(tree):
    """Command lines of the campaign's first seed, by drive, and of each drive with one kind of read errors."""
    sys.path.insert(0, str(tree / "scripts"))
    from twinplane.experiments import power_loss
    cases = [case for case in power_loss.campaign(False) if case.labels["seed"] == 1]
    kinds = len(power_loss.READ_ERRORS)
    cases += [case for i, case in enumerate(power_loss.unreadable(False)) if i % kinds == i // kinds % kinds or case.labels["kind"] in power_loss.MORE_KINDS]
    return {", ".join((case.labels["kind"], f"capacitor {case.labels['capacitor']}", case.labels["errors"])): [*shlex.split(case.command())[1:-2], *CHECKED]
            for case in cases}


def noticed(program, cases, folder, first=""):
    """The first run that ends badly or forgets bad blocks, and what it says; None when all end well. Drives whose names begin with `first` are tried first."""
    from twinplane.experiments import power_loss
    with tempfile.TemporaryDirectory() as out:
        for name, arguments in sorted(cases.items(), key=lambda case: not case[0].startswith(first)):
            run = subprocess.run([str(program), *arguments, "--out", out], capture_output=True, text=True, timeout=600, cwd=folder)
            if run.returncode != 0:
                return name, (run.stderr.strip().splitlines() or ["no message"])[-1]
            summary = json.loads((pathlib.Path(out) / "summary.json").read_text())
            forgotten = power_loss.bad_blocks_forgotten(summary["power_cycles"])
            if forgotten > 0:
                return name, f"{forgotten} blocks that had gone bad are not known any more"
    return None


def main():
    source, work, wanted = arguments()
    wanted = wanted or list(BUGS)
    cases = campaign(source)
    tree = BugTree(source, work / "tree", "release")
    found = noticed(tree.program(), cases, source)
    if found is not None:
        sys.exit(f"without a bug: {found[0]}: {found[1]}")
    print(f"no bug: {len(cases)} runs end well", flush=True)
    missed = []
    for bug in wanted:
        *change, first = BUGS[bug]
        with tree.planted(*change) as program:
            found = noticed(program, cases, source, first)
        print(f"{bug}: " + (f"{found[0]}: {found[1]}" if found else "NOT NOTICED"), flush=True)
        missed += [] if found else [bug]
    if missed:
        sys.exit(f"{len(missed)} of {len(wanted)} bugs not noticed")


if __name__ == "__main__":
    main()
