"""Do the examples build against the installed package, and run, exactly as docs/extending.md says?

    examples_test.py PREFIX FOLDER

Every command of the page that needs the package is run in FOLDER, which has links to what a clone has; PREFIX stands for /opt/twinplane.
All that is built has to be used by one of them, and all examples have to be built; the one in Verilog only where there is Verilator.
"""

import os
import pathlib
import shutil
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests/repository"))
sys.dont_write_bytecode = True
import run_docs  # noqa: E402

PAGE = "docs/extending.md"
BUILD = "build/examples"


def clone(folder):
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    for name in ("examples", "platform", "traces"):
        (folder / name).symlink_to(ROOT / name)


def run(line, command, prefix, folder):
    words = command.replace("/opt/twinplane", str(prefix))
    done = subprocess.run(["bash", "-euo", "pipefail", "-c", words], cwd=folder, stdin=subprocess.DEVNULL, capture_output=True, text=True,
                          check=False, timeout=1200)
    if done.returncode != 0:
        sys.exit(f"{PAGE}:{line}: {command}\nended with {done.returncode}\n{(done.stdout + done.stderr)[-4000:]}")
    print(f"{PAGE}:{line}: {command}", flush=True)


def built(folder):
    """Libraries of blocks and programs, as the commands name them."""
    files = [*folder.glob(f"{BUILD}/*"), *folder.glob(f"{BUILD}/*/*")]
    return {file.relative_to(folder).as_posix() for file in files if file.is_file() and os.access(file, os.X_OK)}


def main():
    prefix, folder = (pathlib.Path(argument).resolve() for argument in sys.argv[1:3])
    commands = [(line, command) for line, when, command in run_docs.commands(PAGE) if when == run_docs.PACKAGE]
    clone(folder)
    run(*commands[0], prefix, folder)
    found = built(folder)
    has_verilog = (folder / BUILD / "rtl_controller").is_dir()
    for line, command in commands[1:]:
        if has_verilog or "rtl_controller" not in command:
            run(line, command, prefix, folder)
    text = "\n".join(command for _, command in commands)
    unused = sorted(file for file in found if file not in text)
    if unused:
        sys.exit(f"{PAGE}: no command uses {', '.join(unused)}")
    for example in sorted(entry.name for entry in (ROOT / "examples").iterdir() if entry.is_dir()):
        # A feature is a part of the firmware: a test links it, and the page names that test.
        linked = f"tests/firmware/{example}_test.cpp"
        if (ROOT / linked).is_file() and linked in (ROOT / PAGE).read_text(encoding="utf-8"):
            continue
        if example not in text:
            sys.exit(f"{PAGE}: no command for examples/{example}")
        if not any(example in file for file in found) and (has_verilog or example != "rtl_controller"):
            sys.exit(f"examples/{example}: nothing is built")
    print(f"{len(commands)} commands, {len(found)} files")


if __name__ == "__main__":
    main()
