#!/usr/bin/env python3
"""Runs every command of README and docs, so that none of them fails on the reader.

    run_docs.py PROGRAM            what takes seconds; and checks that every fence is understood
    run_docs.py PROGRAM --weekly   also what builds, installs or takes minutes, in short form, in a copy of the tree

A fence of commands is ```sh; every other fence has a language too (`text` at least; compile_docs.py compiles `cpp`). Commands run in the order of their page, in a
tree of links that has no `out` of its own. LONG says which commands are not taken literally, and what stands for them.
"""

import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
PAGES = ["README.md", "CONTRIBUTING.md", "traces/README.md", *sorted(p.relative_to(ROOT).as_posix()
                                                                     for p in (ROOT / "docs").glob("*.md"))]
LANGUAGES = {"sh", "text", "cpp", "cmake", "python", "mermaid"}
WEEKLY, ALWAYS = "weekly", "always"
PACKAGE = "package"  # what needs the installed package: tests/package/examples_test.py runs it
PATIENCE_S = {WEEKLY: 7200, ALWAYS: 240}  # for one command
SOAK = "scripts/soak --program build/release/twinplane "

# Pattern of a whole command -> when it runs, and the short form in which it does.
LONG = [
    (r"scripts/demo", WEEKLY, None),
    (r"scripts/test", WEEKLY, "scripts/test release -R DieRules"),
    (r"cmake --preset release && cmake --build --preset release && cmake --install build/release --prefix /opt/twinplane",
     WEEKLY, "cmake --preset release -DTWINPLANE_BENCH=OFF && cmake --build --preset release && "
     "cmake --install build/release --prefix prefix && test -x prefix/bin/twinplane"),
    (r"cmake --preset release && cmake --build --preset release --target firmware_tests", WEEKLY, None),
    (r"cmake --preset release && cmake --build --preset release --target twinplane", WEEKLY, None),
    (r"ctest --test-dir build/release/tests/firmware -j 2", WEEKLY, None),
    (r"cmake --build --preset release && ctest --test-dir build/release/tests/firmware -j 2", WEEKLY,
     "cmake --build --preset release && ctest --test-dir build/release/tests/firmware -j 2 -R Collection"),
    (r"scripts/systemc out/systemc", WEEKLY, "scripts/systemc out/systemc || test $? = 77"),  # no network
    (r"cmake -S examples .*|/opt/twinplane/bin/twinplane .*|build/examples/.*", PACKAGE, None),
    # the reader has added the policy of that page
    (r"(build/release/twinplane run .*--set ftl.victim)=least_worn", ALWAYS, r"\1=rga --set host.max_requests=2000"),
    (r"(build/release/twinplane run .*--requests) \d+(.*)--set host.drive_writes=4", ALWAYS,
     r"\1 2000\2 --set precondition.mode=none"),
    (r"(build/release/twinplane run -c platform/configs/enterprise.*) --set workload.number_ios=1000000", ALWAYS,
     r"\1 --set precondition.overwrite=5% --set workload.number_ios=20000"),
    (r"(build/release/twinplane run .*--trace traces/demo.csv.zst\b.*)", ALWAYS, r"\1 --set host.max_requests=20000"),
    (r"(build/release/twinplane run .*--requests) \d+(.*)", ALWAYS, r"\1 2000\2"),
    # the program is told, because the scripts are links and look for it beside what they are links to
    (r"scripts/soak", ALWAYS, SOAK + "--runs 1"),
    (r"scripts/soak --runs 10000 (--seed 7)", ALWAYS, SOAK + r"--runs 1 \1"),
    (r"scripts/soak --seconds 600 (.*)", ALWAYS, SOAK + r"--seconds 1 \1"),
    (r"scripts/soak (--case 7:123)", ALWAYS, SOAK + r"\1"),
    (r"scripts/soak --program build/asan/twinplane", ALWAYS, SOAK + "--runs 1"),
    (r"gtkwave (.*)", ALWAYS, r"test -s \1"),  # opens a window
    (r"scripts/waves out/demo --fst", WEEKLY, "command -v vcd2fst >/dev/null || exit 0; scripts/waves out/demo --fst"),
    (r"scripts/experiments list", WEEKLY, None),
    (r"scripts/experiments (fidelity|drives) --quick", WEEKLY, None),
    (r"scripts/experiments (fidelity|tbm)", WEEKLY, r"scripts/experiments \1 --quick"),
    (r"scripts/experiments all", WEEKLY, "scripts/experiments all --quick"),
    (r"scripts/experiments all --publish", WEEKLY, "scripts/experiments results"),
    (r"scripts/experiments all --scheduler tcp://head:8786", WEEKLY, "scripts/experiments list --scheduler tcp://head:8786"),
    # servers; tests/experiments/test_cluster.py runs a sweep on them
    (r"(.venv/bin/dask scheduler --port) 8786", WEEKLY, r"timeout 10 \1 0 || test $? = 124"),
    (r"(.venv/bin/dask worker) tcp://head:8786 (--nthreads) 1", WEEKLY, r"\1 --help | grep -q -e \2"),
]


def fences(page):
    """(line number, what stands behind the ticks: a language first, lines) of each fence."""
    start = language = None
    lines = (ROOT / page).read_text(encoding="utf-8").splitlines()
    for number, line in enumerate(lines, 1):
        if not line.startswith("```"):
            continue
        if start is None:
            start, language = number, line[3:]
        else:
            yield start, language, lines[start:number - 1]
            start = None


def without_comment(line):
    return re.sub(r"\s+# .*$", "", line).strip()


def commands(page):
    """(line number, when, command) in the order of the page."""
    for start, language, lines in fences(page):
        if language.partition(" ")[0] not in LANGUAGES:
            raise SystemExit(f"{page}:{start}: a fence without a language: sh for commands, text for anything else")
        if language != "sh":
            continue
        for offset, line in joined(lines):
            command = without_comment(line)
            if command:
                yield start + offset, *chosen(command)


def joined(lines):
    """(number of its last line, command): a backslash at its end goes on with the next line."""
    command = ""
    for number, line in enumerate(lines, 1):
        command += line
        if command.endswith("\\"):
            command = command[:-1].rstrip() + " "
            continue
        yield number, command
        command = ""


def chosen(command):
    for pattern, when, short in LONG:
        if re.fullmatch(pattern, command):
            return when, re.sub(pattern, short, command) if short else command
    return ALWAYS, command


def linked_tree(folder, program):
    """Everything by link but `out`; build/release has the program alone."""
    for entry in ROOT.iterdir():
        if entry.name not in ("out", "build", ".git"):
            (folder / entry.name).symlink_to(entry)
    (folder / "build/release").mkdir(parents=True)
    (folder / "build/release/twinplane").symlink_to(program)


def copied_tree(folder, _program):
    """What git knows, as a clone has it."""
    names = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, check=True, capture_output=True, text=True).stdout
    for name in filter(None, names.split("\0")):
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy2(ROOT / name, folder / name)


def run(page, weekly, folder):
    failures = 0
    for number, when, command in commands(page):
        if when == PACKAGE or (when == WEEKLY and not weekly):
            continue
        limited = ["timeout", "--verbose", str(PATIENCE_S[WEEKLY if weekly else ALWAYS]), "bash", "-euo", "pipefail", "-c", command]
        done = subprocess.run(limited, cwd=folder, stdin=subprocess.DEVNULL, capture_output=True, text=True, errors="replace", check=False)
        if done.returncode != 0:
            failures += 1
            print(f"{page}:{number}: {command}\n  ended with {done.returncode}\n  {done.stderr[-2000:]}", file=sys.stderr)
        else:
            print(f"{page}:{number}: {command}", flush=True)
    return failures


# Python of a page runs, too: text -> what stands for it.
SHORT_PYTHON = {'{"host.mode": "closed"}, seeds=(1, 2, 3)':
                '{"host.mode": "closed", "workload.number_ios": 100, "precondition.mode": "none"}, seeds=(1,)'}


def run_python(page, folder):
    """The blocks of a page as one program each, after those before them; the file is there for worker processes."""
    failures, program = 0, folder / "block.py"
    env = dict(os.environ, PYTHONPATH=str(folder / "scripts"), TWINPLANE_STORE=str(folder / "out/store"),
               TWINPLANE_PROGRAM=str(folder / "build/release/twinplane"))
    for start, language, lines in fences(page):
        if language != "python":
            continue
        text = "\n".join(lines)
        for long, short in SHORT_PYTHON.items():
            text = text.replace(long, short)
        program.write_text("import twinplane\n" + text + "\n", encoding="utf-8")
        done = subprocess.run([folder / ".venv/bin/python", program], cwd=folder, env=env, capture_output=True, text=True,
                              check=False)
        if done.returncode != 0:
            failures += 1
            print(f"{page}:{start}: this Python ends with {done.returncode}\n{done.stderr[-2000:]}", file=sys.stderr)
        else:
            print(f"{page}:{start}: python of {len(lines)} lines", flush=True)
    return failures


def undocumented_names(folder):
    """Names of summary.json that docs/summary.md does not have."""
    page = (ROOT / "docs/summary.md").read_text(encoding="utf-8").split("\n## timeline")[0]
    known = set(re.findall(r"\w+", " ".join(re.findall(r"`([^`]*)`", page))))
    # findings are by rule, and a rule's name is explained where it is declared
    rules = (ROOT / "hw/monitor/monitor_rules.h").read_text(encoding="utf-8")
    known |= set(re.findall(r'"(\w+)"', rules))

    def walk(value, path):
        for key, below in value.items() if isinstance(value, dict) else enumerate(value[:1] if isinstance(value, list) else ()):
            if isinstance(key, str) and key not in known:
                yield f"{path}.{key}"
            yield from walk(below, f"{path}.{key}")

    words = ["run", "-c", "platform/configs/demo.toml", "--trace", "traces/demo.csv.zst", "--set", "host.max_requests=2000",
             "--set", "bus.monitor=true", "--out", "out/names"]
    subprocess.run([folder / "build/release/twinplane", *words], cwd=folder, check=True, capture_output=True)
    summary = json.loads((folder / "out/names/summary.json").read_text())
    summary.pop("config")  # docs/configuration.md
    return list(walk(summary, "summary"))


def main(arguments):
    program, weekly = pathlib.Path(arguments[0]).resolve(), "--weekly" in arguments
    with tempfile.TemporaryDirectory(prefix="twinplane-docs-") as name:
        folder = pathlib.Path(name)
        (copied_tree if weekly else linked_tree)(folder, program)
        failures = sum(run(page, weekly, folder) for page in PAGES)
        if not weekly:
            failures += sum(run_python(page, folder) for page in PAGES)
            missing = undocumented_names(folder)
            for path in missing:
                print(f"docs/summary.md lacks {path}", file=sys.stderr)
            failures += len(missing)
    print(f"run_docs: {failures} failures")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
