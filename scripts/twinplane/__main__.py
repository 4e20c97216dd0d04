#!/usr/bin/env python3
"""The package as one command:

    python3 scripts/twinplane COMMAND ...      COMMAND --help says more

Commands that are used most are links to this file: scripts/soak is scripts/twinplane soak.
"""

import importlib
import os
import pathlib
import sys

SCRIPTS = pathlib.Path(__file__).resolve().parents[1]
VENV = SCRIPTS.parent / ".venv"
COMMANDS = {  # module, what it does
    "bench": ("bench", "measures whole runs against the budget of docs/performance.md"),
    "block_modes": ("block_modes", "draws how blocks are used over time"),
    "compare-profiles": ("profiles.compare", "compares generated profiles with real data"),
    "counterfactuals": ("counterfactuals", "measures the table of docs/plane_time.md"),
    "experiments": ("experiments.__main__", "runs experiments and writes their reports"),
    "fit-profiles": ("profiles.fit", "makes traces/profiles/*.toml from published figures"),
    "fuzz": ("fuzz", "feeds what comes from outside with inputs that mean harm"),
    "linux-demo": ("guest.command", "boots Debian's Linux on a modelled drive"),
    "mqsim": ("mqsim", "the comparison with MQSim"),
    "plots": ("plots", "draws a run's plots"),
    "same": ("soak.same", "says whether two builds give the same results"),
    "soak": ("soak.command", "searches at random for what breaks the simulator"),
    "waves": ("waves", "draws a window of a run's waves"),
}
IN_VENV = ("experiments", "same")


def enter_venv():
    """Starts again with the Python of .venv, if there is one."""
    python = VENV / "bin/python"
    if python.exists() and pathlib.Path(sys.prefix) != VENV:
        os.execv(python, [str(python), *sys.orig_argv[1:]])


def main():
    words = [pathlib.Path(sys.argv[0]).stem, *sys.argv[1:]]
    if words[0] not in COMMANDS:
        del words[0]
    if not words or words[0] not in COMMANDS:
        print(__doc__ + "\n" + "\n".join(f"    {name:18}{does}" for name, (_, does) in COMMANDS.items()))
        return 0 if words in (["--help"], ["-h"]) else 2
    if words[0] in IN_VENV:
        enter_venv()
    sys.argv = words
    sys.dont_write_bytecode = True
    sys.path[0] = str(SCRIPTS)
    return importlib.import_module(f"twinplane.{COMMANDS[words[0]][0]}").main()


if __name__ == "__main__":
    sys.exit(main())
