"""A copy of the source in which one bug at a time is planted, and its build, which compiles only what has changed since."""

import contextlib
import os
import pathlib
import shutil
import subprocess
import sys


class BugTree:
    def __init__(self, source, tree, preset, *options):
        """Copies SOURCE to TREE, but for what git ignores. A tree that an earlier run has left becomes the same again, and keeps its build."""
        self.source, self.tree, self.preset, self.options = source, tree, preset, options
        wanted = {name for name in self._listed() if not name.startswith("docs/results/") and (source / name).is_file()}
        for file in self._files():
            if file.relative_to(tree).as_posix() not in wanted:
                file.unlink()
        for name in sorted(wanted):
            self._copy(name)

    def _listed(self):
        listed = subprocess.run(["git", "-C", str(self.source), "ls-files", "-z", "--cached", "--others", "--exclude-standard"], capture_output=True, check=True).stdout
        return [name for name in listed.decode().split("\0") if name]

    def _files(self):
        return [file for file in self.tree.rglob("*") if file.is_file() and file.relative_to(self.tree).parts[0] != "build"]

    def _copy(self, name):
        """What is the same stays as old as it is: it need not be compiled again."""
        source, target = self.source / name, self.tree / name
        if target.exists() and target.read_bytes() == source.read_bytes():
            return
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(source, target)

    def program(self):
        """As any other tree of this one's files, so that a compiler cache knows what it has seen there."""
        environment = {**os.environ, "CCACHE_BASEDIR": str(self.tree), "CCACHE_NOHASHDIR": "1"}
        for command in (["--preset", self.preset, "-DTWINPLANE_TESTS=OFF", "-DTWINPLANE_BENCH=OFF", "-DTWINPLANE_INSTALL=OFF", *self.options],
                        ["--build", "--preset", self.preset, "--target", "twinplane"]):
            done = subprocess.run(["cmake", *command], cwd=self.tree, env=environment, capture_output=True, text=True)
            if done.returncode != 0:
                sys.exit(f"cmake {' '.join(command)} in {self.tree}:\n{(done.stdout + done.stderr)[-4000:]}")
        return self.tree / "build" / self.preset / "twinplane"

    @contextlib.contextmanager
    def planted(self, file, right, wrong):
        """The program of a tree in which FILE says WRONG instead of RIGHT."""
        path = self.tree / file
        text = path.read_text()
        if text.count(right) != 1:
            sys.exit(f"{file}: expected once: {right!r}")
        path.write_text(text.replace(right, wrong))
        try:
            yield self.program()
        finally:
            path.write_text(text)


def arguments():
    """SOURCE, WORK and the names that follow, of the command line."""
    source, work = (pathlib.Path(path).resolve() for path in sys.argv[1:3])
    return source, work, sys.argv[3:]
