#!/usr/bin/env python3
"""Compiles the C++ of README and docs with the project's flags, so that none of it fails on the reader.

    compile_docs.py BUILD_FOLDER [PAGE...]

    ```cpp              a whole file; or, headed by paths of the tree, what belongs there:
                            // path.cpp                  a new file
                            // path.h                    a file of the tree: goes before the end of its namespace
                            // path.cpp, in kTable       ... is the first row of this table
                        The page's changes are made in a copy, and the changed files compile there together.
    ```cpp statements   the inside of a function of the reader's. Its #includes go before it; the names that are the reader's own are
                        declared in tests/repository/fences/<page>.h. The folder also has headers that the reader's tools make.

Nothing is linked or run (-fsyntax-only). Messages name page and line.
"""

import concurrent.futures
import json
import pathlib
import re
import shlex
import subprocess
import sys
import tempfile

sys.dont_write_bytecode = True
import run_docs  # noqa: E402

ROOT = run_docs.ROOT
FENCES = ROOT / "tests/repository/fences"
HEADING = re.compile(r"// ([\w/]+\.(?:h|cpp))(?:, in (\w+))?(?::.*)?")
PLATFORM = "platform/ssd/ssd.cpp"  # whose flags suit a program of the reader's


class BadFence(Exception):
    pass


def marked(page, line, text):
    return f'#line {line} "{page}"\n{text}\n'


def pieces(lines):
    """(offset, path or None, table or None, text lines) of a fence."""
    found = []
    for offset, line in enumerate(lines):
        heading = HEADING.fullmatch(line)
        if heading:
            found.append((offset, heading.group(1), heading.group(2), [line]))
        elif found:
            found[-1][3].append(line)
        elif line.strip():
            return [(0, None, None, lines)]
    return found


def inserted(text, path, table, piece):
    """`text` of the tree's file with the piece where its heading says."""
    lines = text.splitlines()
    if table:
        at = [n + 1 for n, line in enumerate(lines) if re.search(rf"\b{table}\b(\[\w*\])?\s*=?\s*{{+$", line)]
    else:
        at = [n for n, line in enumerate(lines) if line.startswith("} // namespace")][-1:]
    if len(at) != 1:
        raise BadFence(f"{path} has no place for it" + (f": a line that opens the table {table}" if table else ""))
    before, after = lines[:at[0]], lines[at[0]:]
    return "\n".join(before) + "\n" + piece + marked(path, at[0] + 1, "\n".join(after))


def place(page, start, lines, overlay):
    """Puts what a fence says into the copy; the files that changed."""
    changed = []
    for offset, path, table, text in pieces(lines):
        piece = marked(page, start + 1 + offset, "\n".join(text))
        target = overlay / (path or f"{pathlib.Path(page).stem}_{start}.cpp")
        target.parent.mkdir(parents=True, exist_ok=True)
        if path and (ROOT / path).exists():
            old = target if target.exists() else ROOT / path
            piece = inserted(old.read_text(encoding="utf-8"), path, table, piece)
        elif table:
            raise BadFence(f"{path} does not exist")
        target.write_text(piece, encoding="utf-8")
        changed.append(target)
    return changed


def place_statements(page, start, lines, overlay):
    stem = pathlib.Path(page).stem
    own = FENCES / f"{stem}.h"
    context = f'#include "{own}"\n' if own.exists() else ""
    includes = "".join(marked(page, start + 1 + n, line) for n, line in enumerate(lines) if line.startswith("#include"))
    body = "\n".join("" if line.startswith("#include") else line for line in lines)
    target = overlay / f"{stem}_{start}.cpp"
    target.write_text(f"{includes}{context}void fence();\nvoid fence() {{\n{marked(page, start + 1, body)}}}\n", encoding="utf-8")
    return [target]


def flags_of(path, commands):
    """Those of the file, else of one beside it, else of the platform."""
    beside = [name for name in commands if pathlib.Path(name).parent == pathlib.Path(path).parent]
    words = shlex.split(commands[path if path in commands else min(beside, default=PLATFORM)])
    drop = {"-o": 2, "-c": 2, "-MF": 2, "-MT": 2, "-MD": 1}
    kept, n = [], 0
    while n < len(words):
        if words[n] not in drop:
            kept.append(words[n])
        n += drop.get(words[n], 1)
    return [word for word in kept if not word.endswith("ccache")]


def compile_one(path, overlay, commands):
    """Messages of the compiler, or none."""
    name = path.relative_to(overlay).as_posix()
    if path.suffix == ".h":
        path = overlay / (name.replace("/", "_") + ".cpp")
        path.write_text(f'#include "{name}"\n', encoding="utf-8")
    compiler, *flags = flags_of(name, commands)
    words = [compiler, f"-I{overlay}", *flags, "-isystem", str(FENCES), "-fsyntax-only", str(path)]
    done = subprocess.run(words, capture_output=True, text=True, check=False)
    return done.stderr if done.returncode else ""


def check_page(page, commands, jobs=2):
    """Complaints about the C++ of a page, and how many files were compiled."""
    complaints = []
    with tempfile.TemporaryDirectory(prefix="twinplane-fences-") as name:
        overlay, changed = pathlib.Path(name), {}  # file: lines of its fences
        for start, info, lines in run_docs.fences(page):
            language, *words = info.split() or [""]
            if language != "cpp":
                continue
            try:
                if words not in ([], ["statements"]):
                    raise BadFence(f"expected `cpp` or `cpp statements`, not `{info}`")
                for file in (place_statements if words else place)(page, start, lines, overlay):
                    changed.setdefault(file, []).append(start)
            except BadFence as bad:
                complaints.append(f"{page}:{start}: {bad}")
        with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
            messages = pool.map(lambda file: compile_one(file, overlay, commands), changed)
            for starts, message in zip(changed.values(), messages):
                if message:
                    complaints.append("".join(f"{page}:{start}: does not compile\n" for start in starts) + message)
    return complaints, len(changed)


def compile_commands(build):
    """{path in the tree: command}."""
    entries = json.loads((build / "compile_commands.json").read_text(encoding="utf-8"))
    inside = [entry for entry in entries if pathlib.Path(entry["file"]).is_relative_to(ROOT)]
    return {pathlib.Path(entry["file"]).relative_to(ROOT).as_posix(): entry["command"] for entry in inside}


def main(arguments):
    commands = compile_commands(pathlib.Path(arguments[0]))
    total, failures = 0, 0
    for page in arguments[1:] or run_docs.PAGES:
        complaints, files = check_page(page, commands)
        total, failures = total + files, failures + len(complaints)
        for complaint in complaints:
            print(complaint, file=sys.stderr)
    print(f"compile_docs: {total} files, {failures} that do not compile")
    return 1 if failures or not total else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
