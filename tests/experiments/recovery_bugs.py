"""Are the power cuts of the experiment power-loss noticed by a recovery that is broken on purpose?

    recovery_bugs.py SOURCE WORK [BUG...]

Copies SOURCE to WORK, builds it, and then what changes with one bug at a time. Each of them has to be noticed by a run of the
campaign: by its exit status. Without bugs all runs have to end well.
"""

import json
import pathlib
import shlex
import subprocess
import sys
import tempfile

from bug_tree import BugTree, arguments

SCAN, PAGES, METADATA, REBUILD, DEAL = ("firmware/ftl/recovery/" + name for name in ("scan.cpp", "pages.cpp", "metadata.cpp", "rebuild.cpp", "deal.cpp"))
SUBPAGES = "firmware/ftl/slc_cache/slc_cache_recovery.cpp"
BUGS = {  # name: file, what it says, what it says with the bug
    "a page that the cut has torn ends its block": (
        SCAN, "const bool blank = (c.result & flash_result::blank) != 0;",
        "const bool blank = (c.result & flash_result::blank) != 0 || c.oob == kNoPageWord;"),
    "the older of two stamps wins": (
        PAGES, "is_page(named)) && !kPageStamps.newer(stamp, stamps_[lpn])", "is_page(named)) && kPageStamps.newer(stamp, stamps_[lpn])"),
    "the older of two words of a subpage wins": (
        SUBPAGES, "words_.order().newer(words_.sequence(word), sequences_[number])", "words_.order().newer(sequences_[number], words_.sequence(word))"),
    "pages that share a wordline with a torn one are not looked for in copies": (
        PAGES, "if (!any || kPageStamps.newer(stamp, stamps_[lpn])) name(lpn, page, stamp, 0);", "(void)any, (void)stamp, (void)page;"),
    "what was written behind the checkpoint is not read": (
        SCAN, "blank || oob == kNoPageWord || kPageStamps.newer(stamp, map_.checkpoint())", "blank || stamp == 0"),
    "blocks that have gone bad are forgotten": (METADATA, "if ((entry & kBlockIsBad) == 0) return;", "return;"),
    "trims are forgotten": (METADATA, "    if (s < layout.begin(SliceKind::blocks)) trims_.apply(slices_.page(s));\n", ""),
    "a hot block is taken for a cold one": (DEAL, "f.written[0] > fast_pages_before_first_slow_ ? Use::fast : Use::either", "Use::all"),
    "of a twin unit only the first plane is found": (
        REBUILD, "[&](std::uint32_t plane, const FoundBlock& f) {\n    const bool fast",
        "[&](std::uint32_t plane, const FoundBlock& f) {\n    if (plane != blocks_.first_plane_of(site)) return;\n    const bool fast"),
}


def campaign(tree):
    """Command lines of the campaign's first seed."""
    sys.path.insert(0, str(tree / "scripts"))
    from twinplane.experiments import power_loss
    cases = [case for case in power_loss.campaign(False) if case.labels["seed"] == 1]
    return {f"{case.labels['kind']}, capacitor {case.labels['capacitor']}": shlex.split(case.command())[1:-2] for case in cases}


def noticed(program, cases, folder):
    """The first run that ends badly or forgets bad blocks, and what it says; None when all end well."""
    from twinplane.experiments import power_loss
    with tempfile.TemporaryDirectory() as out:
        for name, arguments in cases.items():
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
        with tree.planted(*BUGS[bug]) as program:
            found = noticed(program, cases, source)
        print(f"{bug}: " + (f"{found[0]}: {found[1]}" if found else "NOT NOTICED"), flush=True)
        missed += [] if found else [bug]
    if missed:
        sys.exit(f"{len(missed)} of {len(wanted)} bugs not noticed")


if __name__ == "__main__":
    main()
