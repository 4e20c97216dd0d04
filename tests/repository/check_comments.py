#!/usr/bin/env python3
"""Do comments keep their lines? A formatter that fills lines cuts a sentence (a line as long as it may be, then one or two words alone,
then more text) and joins the columns of tables. `.clang-format` must not let it, and no comment may look like that. And do texts say who
or what does a thing? Words that leave it open have no place in code and its comments."""

import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
TREES = ("hw", "firmware", "platform", "tests", "bench", "examples")
COMMENT = re.compile(r"^\s*///? ?(.*)$")
PLAIN = ("hw", "firmware", "platform", "scripts", "tests", "bench", "examples", "cmake")
VAGUE = re.compile(r"\b(?:(?:no|some)body|who(?:ever)|those\s+who)\b", re.IGNORECASE)
LONG = 92  # columns that a filled line has at least


def cut_lines(lines):
    """Numbers of the lines that stand alone between a filled line and the rest of its sentence."""
    for i in range(1, len(lines) - 1):
        before, alone, after = (m[1].rstrip() if (m := COMMENT.match(line)) else "" for line in lines[i - 1:i + 2])
        inside = before and alone and after and not alone.startswith(" ")
        if inside and len(lines[i - 1]) >= LONG and len(alone.split()) <= 2 and not before.endswith((".", ":", ";")) \
                and not alone.endswith((".", ":")):
            yield i + 1


def vague_words():
    """(file, line, word) of what does not say who or what is meant."""
    for path in (path for tree in PLAIN for path in sorted((ROOT / tree).rglob("*")) if path.is_file()):
        try:
            text = path.read_text(encoding="utf-8")
        except UnicodeDecodeError:
            continue
        for number, line in enumerate(text.splitlines(), 1):
            for word in VAGUE.findall(line):
                yield path.relative_to(ROOT), number, word


def main():
    filled = ["// " + "word " * 19, "// that", "// goes on here"]
    assert list(cut_lines(filled)) == [2] and not list(cut_lines(["// short", *filled[1:]]))
    broken = [f"{path.relative_to(ROOT)}:{number}: a comment that was cut: join it with the lines around"
              for tree in TREES for path in sorted((ROOT / tree).rglob("*")) if path.suffix in (".h", ".cpp")
              for number in cut_lines(path.read_text(encoding="utf-8").splitlines())]
    broken += [f"{path}:{number}: {word}: expected who or what it is" for path, number, word in vague_words()]
    if "ReflowComments: false" not in (ROOT / ".clang-format").read_text(encoding="utf-8"):
        broken.append(".clang-format: expected ReflowComments: false, so that comments keep their lines")
    for line in broken:
        print(line, file=sys.stderr)
    return 1 if broken else 0


if __name__ == "__main__":
    sys.exit(main())
