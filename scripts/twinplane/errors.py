"""What can go wrong. Each message says what happened, what is kept, and what to do."""


class TwinplaneError(Exception):
    """Base of all errors that a user may see; its text is complete without a traceback."""


class ProgramError(TwinplaneError):
    """The program `twinplane` is missing or is not the one that the results belong to."""


class RunError(TwinplaneError):
    """The program refused its input or failed; the text is the program's own message."""


class StoreError(TwinplaneError):
    """A result could not be written or read: full disk, missing rights."""


class SchedulerError(TwinplaneError):
    """The Dask scheduler cannot be reached, was lost, or has no workers."""


class SweepError(TwinplaneError):
    """Some runs of a sweep failed; the others are stored."""
