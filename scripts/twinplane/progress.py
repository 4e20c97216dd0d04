"""How far a sweep is, on standard error."""

import sys
import time


class Progress:
    """A line that is rewritten on a terminal; elsewhere a line per tenth."""

    def __init__(self, title, total, stored, shown=True):
        self.title, self.total, self.stored, self.shown = title, total, stored, shown
        self.done = self.failed = self.tenths = 0
        self.start = time.monotonic()
        self.terminal = sys.stderr.isatty()
        if shown and stored:
            self._write(f"{title}: {stored} of {total} runs are stored already")

    def step(self, ok):
        self.done += 1
        self.failed += not ok
        left = self.total - self.stored - self.done
        tenths = 10 * self.done // max(1, self.total - self.stored)
        if not self.shown or not (self.terminal or left == 0 or tenths > self.tenths):
            return
        self.tenths = tenths
        elapsed = time.monotonic() - self.start
        text = f"{self._bar()} {self.stored + self.done}/{self.total} runs, {elapsed:.0f} s"
        text += f", about {elapsed / self.done * left:.0f} s left" if left else ""
        text += f", {self.failed} failed" if self.failed else ""
        self._write(f"{self.title}: {text}", again=self.terminal and left)

    def _bar(self, width=24):
        filled = width * (self.stored + self.done) // self.total
        return "[" + "#" * filled + "." * (width - filled) + "]"

    def _write(self, text, again=False):
        start = "\r\033[K" if self.terminal else ""
        print(start + text, end="" if again else "\n", file=sys.stderr, flush=True)
