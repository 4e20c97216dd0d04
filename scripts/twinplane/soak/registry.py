"""What the program itself says about its keys: names, defaults, words, presets."""

import os
import pathlib
import re
import subprocess
import tomllib

ROOT = pathlib.Path(__file__).resolve().parents[3]
LISTED = re.compile(r"\((?:one of )?([^()]*)(?:\(`twinplane list` shows all\))?\)(?: \[reserved\])?$")


class ProgramError(Exception):
    """The program cannot be run, or does not know what the search needs of it."""


def environment():
    return dict(os.environ, SYSTEMC_DISABLE_COPYRIGHT_MESSAGE="1")


def flatten(table, prefix=""):
    """{"a": {"b": 1}} -> {"a.b": 1}; values as --set takes them."""
    flat = {}
    for name, value in table.items():
        if isinstance(value, dict):
            flat.update(flatten(value, f"{prefix}{name}."))
        else:
            flat[prefix + name] = text_of(value)
    return flat


def text_of(value):
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, list):
        return ",".join(text_of(v) for v in value)
    return str(value)


class Registry:
    """Keys with their defaults, the words of each key that has words, and what a preset changes."""

    def __init__(self, program):
        self.program = pathlib.Path(program)
        self._presets = {}
        self.defaults = self._dump()
        self.words = self._words()
        self.bus_modes = self._bus_modes()

    def preset(self, key, choice):
        """What `choice` changes besides its own key, e.g. ftl.policy = pa-ssd."""
        if (key, choice) not in self._presets:
            chosen = self._dump("--set", f"{key}={choice}")
            self._presets[key, choice] = {k: v for k, v in chosen.items() if v != self.defaults[k] and k != key}
        return self._presets[key, choice]

    def resolve(self, settings):
        """The settings with what presets and defaults add to them."""
        values = dict(self.defaults)
        for selector in ("nand.cell", "bus.interface", "ftl.policy"):
            if selector in settings:
                values.update(self.preset(selector, settings[selector]))
        values.update(settings)
        return values

    def _run(self, *arguments):
        try:
            done = subprocess.run([self.program, *arguments], capture_output=True, text=True, check=True,
                                  env=environment())
        except (OSError, subprocess.CalledProcessError) as error:
            raise ProgramError(f"cannot run {self.program} {' '.join(arguments)}: {error}. Build it with: cmake "
                               "--preset release && cmake --build --preset release --target twinplane; or name one "
                               "with --program") from error
        return done.stdout

    def _dump(self, *settings):
        return flatten(tomllib.loads(self._run("config", "--dump", *settings)))

    def _words(self):
        """From `twinplane config`: "    meaning (one of a, b)"; from `twinplane list` where that is not all."""
        words, key = {}, None
        for line in self._run("config").splitlines():
            if not line.startswith(" "):
                key = line.split(" = ", 1)[0]
            elif " (one of " in line:
                listed = LISTED.search(line[line.rindex(" (one of ") + 1:])
                words[key] = [w.strip() for w in listed.group(1).split(",")] if listed else []
        for key, names in self._listed_names().items():
            words[key] = names
        return words

    def _listed_names(self):
        """A decision's key, then its names with what each means, one to a line; the policies come first."""
        names, key = {"ftl.policy": []}, "ftl.policy"
        for line in self._run("list", "policies").splitlines():
            first = line.split(maxsplit=1)[0]
            if line.startswith("      "):
                names[key].append(first)
            elif line.startswith("  ftl."):
                key = first
                names[key] = []
        return names

    def _bus_modes(self):
        """Interface -> number of its modes, 0 for those without."""
        modes, interface = {}, None
        for line in self._run("list", "interfaces").splitlines():
            parts = line.split()
            if line.startswith("      "):
                modes[interface] += len(parts)
            elif line.startswith("  "):
                interface = parts[0]
                modes[interface] = 0
        return modes
