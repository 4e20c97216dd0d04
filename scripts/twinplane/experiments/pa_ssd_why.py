"""Why page types gain: what the planes' time went to while the drive had work for them."""

from twinplane.experiments.why import shares, why_figure, with_accounts

IDLE = ("no_work", "imbalance")  # open loop: most of the time has no work, or none for most planes
PANELS = {"fin1": ("paper", "fin1", 1), "dap": ("paper", "dap", 1), "MSFS": ("paper", "msfs", 1), "BS": ("paper", "bs", 1),
          "MSFS, 16 times as fast": ("load", "msfs", 16)}
TOLD = "MSFS"


def why(frame):
    rows = with_accounts(frame)
    found = {}
    for title, (part, trace, speed) in PANELS.items():
        panel = rows[(rows["part"] == part) & (rows["trace"] == trace) & (rows["speed"] == speed)]
        if len(panel):
            found[title] = panel
    return [why_figure("why", finding(found[TOLD]), found, "scheme", left_out=IDLE)] if TOLD in found else []


def finding(rows):
    """Two sentences, in numbers of the runs."""
    def of(scheme, *causes):
        return shares(rows[rows["scheme"] == scheme], *causes).mean()

    held = ("held_pac", "held_bac", "held_kind", "held_late", "held_policy")
    array = {s: of(s, "program_host") for s in ("baseline", "LFS", "QDS+UBS")}
    waits = {s: of(s, *held) for s in array}
    return (f"Of the time of all planes, {TOLD} has them program for {array['baseline']:.2f} % with the conventional drive, "
            f"{array['LFS']:.2f} % with LFS and {array['QDS+UBS']:.2f} % with QDS+UBS, since pages are faster. The time for which planes "
            f"with work wait behind other commands of their die becomes {waits['LFS'] / waits['baseline']:.2f} and "
            f"{waits['QDS+UBS'] / waits['baseline']:.2f} of the conventional drive's {waits['baseline']:.2f} %, and programs "
            f"{array['LFS'] / array['baseline']:.2f} and {array['QDS+UBS'] / array['baseline']:.2f}.")
