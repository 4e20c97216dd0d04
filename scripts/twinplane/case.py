"""One run of a sweep, before it is run: configuration, workload, settings, seed."""

import hashlib
import itertools
import json
import os
import pathlib
import shlex
import tomllib
from dataclasses import dataclass, field

from twinplane.errors import RunError
from twinplane.program import ROOT

FORMAT = 2  # of the stored results; a new number makes all old ones foreign


WRITING = ("--save-state", "--save-end")  # options whose file the run writes


def setting_text(value):
    """A Python value as --set wants it: True -> true, (1, 2) -> 1,2."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, (list, tuple)):
        return ",".join(setting_text(v) for v in value)
    return str(value)


def flat_keys(table, prefix=""):
    """{"nand": {"slc": {"tR": "25us"}}} -> {"nand.slc.tR": "25us"}"""
    flat = {}
    for name, value in table.items():
        flat |= flat_keys(value, f"{prefix}{name}.") if isinstance(value, dict) else {prefix + name: value}
    return flat


@dataclass(frozen=True)
class Case:
    """What `twinplane run` is told, and the labels under which the run appears in a sweep's table.

    config    TOML files, later ones win; workload is one more of them ([workload] in fio's words)
    settings  configuration keys that win over all files: {"ftl.victim": "rga", "geometry.channels": 8}
    trace     block trace to replay; profile: workload profile by name or file; both instead of a [workload] section
    firmware  image that the drive's core executes (docs/firmware.md); None: firmware as code of the program
    options   further options of `twinplane run`: ("--format", "msr"), ("--load-state", "aged.drive"). A file that one
              names is found from here and its content is part of what the run is; a file that one writes
              ("--save-end", "aged.drive") has a plain name and is kept in the folder of the result
    seed      of everything random
    labels    columns of the sweep's table: {"channels": 8}
    """

    config: tuple = ()
    settings: dict = field(default_factory=dict)
    trace: str | None = None
    profile: str | None = None
    workload: str | None = None
    firmware: str | None = None
    options: tuple = ()
    seed: int = 1
    labels: dict = field(default_factory=dict)

    def files(self):
        given = (self.config,) if isinstance(self.config, (str, pathlib.Path)) else tuple(self.config)
        return [pathlib.Path(f) for f in (*given, *([self.workload] if self.workload else []))]

    def named_keys(self):
        """Every key that the files and settings of the case name, with its value; the rest are defaults."""
        named = {}
        for file in self.files():
            named |= flat_keys(tomllib.loads(file.read_text()))
        return named | self.all_settings()

    def all_settings(self):
        texts = {key: setting_text(value) for key, value in self.settings.items()}
        return texts | {"run.seed": str(self.seed), "workload.seed": str(self.seed)}

    def name(self):
        return ", ".join(f"{k}={v}" for k, v in self.labels.items()) or self.command()

    def command(self):
        """The same run by hand, from the root of the tree."""
        words = ["twinplane", "run"]
        for file in self.files():
            words += ["-c", relative(file)]
        for key, value in self.settings.items():
            words += ["--set", f"{key}={setting_text(value)}"]
        for option, file in (("--trace", self.trace), ("--profile", self.profile), ("--firmware", self.firmware)):
            words += [option, relative(file)] if file else []
        return shlex.join([*words, *self.options, "--seed", str(self.seed), "--out", "DIR"])

    def job(self, program):
        """What a worker needs to run it, wherever the worker is; raises RunError if the configuration is wrong."""
        image = {"cpu.firmware": "firmware.elf"} if self.firmware else {}
        config = program.dump(self.files(), self.all_settings() | image)
        options, read = options_with_files(self.options)
        arguments = ["run", "-c", "config.toml", *options]
        inputs, identity = {"config.toml": config.encode()}, {}
        if read:
            identity["files"] = {option: file_digest(path) for option, path in read.items()}
        if self.profile and pathlib.Path(self.profile).is_file():
            inputs["profile.toml"] = pathlib.Path(self.profile).read_bytes()
            arguments += ["--profile", "profile.toml"]
            identity["profile"] = hashlib.sha256(inputs["profile.toml"]).hexdigest()
        elif self.profile:
            arguments += ["--profile", str(self.profile)]
        if self.trace:
            path = pathlib.Path(self.trace).resolve()
            arguments += ["--trace", str(path)]
            identity["trace"] = file_digest(path)
        if self.firmware:
            inputs["firmware.elf"] = image_bytes(self.firmware)
            identity["firmware"] = hashlib.sha256(inputs["firmware.elf"]).hexdigest()
        described = {"format": FORMAT, "config": config, "seed": self.seed, "options": list(self.options),
                     "profile": str(self.profile or ""), "workload": identity,
                     "program": {"version": program.version, "sha256": program.sha256}}
        key = hashlib.sha256(json.dumps(described, sort_keys=True).encode()).hexdigest()
        return {"key": key, "program": str(program.path), "sha256": program.sha256,
                "arguments": [*arguments, "--seed", str(self.seed)], "inputs": inputs, "described": described}


def options_with_files(options):
    """The options with the files that they read by their whole paths, and these files by option.

    A word that names a file here is a file, whatever the option is.
    """
    words, read, before = [], {}, ""
    for word in map(str, options):
        name, equals, value = word.partition("=") if word.startswith("--") else (before, "", word)
        if name in WRITING:
            if value and pathlib.Path(value).name != value:
                raise RunError(f"{name} {value}: a run of a sweep keeps what it writes in the folder of its result: "
                               "expected a plain name")
        elif value and pathlib.Path(value).is_file():
            read[f"{name} {len(read)}"] = value = str(pathlib.Path(value).resolve())
        words.append(name + equals + value if equals else word if word.startswith("--") else value)
        before = word if word.startswith("--") and not equals else ""
    return words, read


def relative(path):
    """As seen from the root of the tree; links inside it are kept, so that a folder may lie elsewhere."""
    absolute = pathlib.Path(os.path.abspath(path))
    return str(absolute.relative_to(ROOT) if absolute.is_relative_to(ROOT) else path)


def image_bytes(path):
    try:
        return pathlib.Path(path).read_bytes()
    except OSError as error:
        raise RunError(f"{path}: cannot read the image: {error.strerror}; scripts/firmware makes it") from error


def file_digest(path):
    try:
        with open(path, "rb") as file:
            return hashlib.file_digest(file, "sha256").hexdigest()
    except OSError as error:
        raise RunError(f"{path}: cannot read the file: {error.strerror}") from error


SEED_KEYS = ("run.seed", "workload.seed")


def check_axes(axes, seeds):
    """Every case of a grid must be a run of its own, and its label what it is."""
    keys = {}
    for name, axis in axes.items():
        if not (isinstance(axis, (list, tuple)) and len(axis) == 2 and isinstance(axis[0], str)
                and isinstance(axis[1], (list, tuple, range))):
            raise RunError(f'axis "{name}": expected a key and its values, such as ("geometry.channels", [1, 2, 4]), got {axis!r}')
        key, values = axis
        if key in SEED_KEYS:
            raise RunError(f'axis "{name}": {key} is what `seeds` sets: give the seeds there')
        if name == "seed":
            raise RunError('axis "seed": a grid has a label of that name, of its `seeds`: expected another name')
        if key in keys:
            raise RunError(f'axes "{keys[key]}" and "{name}" both set {key}: expected one')
        keys[key] = name
        expect_different(f'axis "{name}"', values)
    expect_different("seeds", seeds)


def expect_different(what, values):
    texts = [setting_text(value) for value in values]
    twice = next((text for text in texts if texts.count(text) > 1), None)
    if twice is not None:
        raise RunError(f"{what}: {twice} is given more than once")


def grid(config, settings=None, *, axes, seeds=(1,), labels=None, **workload):
    """All combinations of `axes` as cases: {"channels": ("geometry.channels", [1, 2, 4])}.

    The first axis varies slowest. `workload` is trace=, profile= or workload= of Case. Raises RunError where two cases
    would be one run, or a label would not say what it names.
    """
    check_axes(axes, seeds)
    cases = []
    for values in itertools.product(*(choices for _, choices in axes.values())):
        chosen = {key: value for (key, _), value in zip(axes.values(), values)}
        named = (labels or {}) | {name: setting_text(v) if isinstance(v, (list, tuple)) else v
                                  for name, v in zip(axes, values)}
        for seed in seeds:
            cases.append(Case(config, (settings or {}) | chosen, seed=seed, labels=named | {"seed": seed}, **workload))
    return cases
