"""One run."""

from twinplane.case import Case
from twinplane.errors import RunError, StoreError
from twinplane.program import Program
from twinplane.store import Store
from twinplane.worker import execute


def run(config, trace=None, *, workload=None, profile=None, seed=1, options=(), store=None, program=None, **overrides):
    """Runs one simulation here and now, or returns its stored result; raises RunError with the program's message.

    config     TOML file or files; workload: another, with a [workload] section
    overrides  configuration keys with __ for the point: run(c, t, ftl__victim="rga", nand__slc__tR="25us")
    store      folder of results (Store.__init__ names the default); program: Program.find names the default
    """
    settings = {key.replace("__", "."): value for key, value in overrides.items()}
    case = Case(config, settings, trace, profile, workload, options=tuple(options), seed=seed)
    job = case.job(Program.find(program))
    kept = Store(store)
    return kept.load(job["key"]) or run_job(job, kept)


def run_job(job, store):
    try:
        outcome, content = execute(job)
    except OSError as error:
        raise StoreError(f"the run could not use its temporary folder: {error}") from error
    if outcome == "failed":
        raise RunError(content)
    return store.keep(job["key"], content, job["described"])
