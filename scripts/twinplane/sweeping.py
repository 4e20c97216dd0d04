"""Many runs: on this machine's cores, or on any Dask cluster by address."""

import io
import itertools
import multiprocessing
import os
import queue
import signal
import sys
import threading
import time
import warnings
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from multiprocessing import resource_tracker

import pandas
import pyarrow
import pyarrow.parquet

from twinplane import worker
from twinplane.errors import RunError, SchedulerError, SweepError
from twinplane.program import Program
from twinplane.progress import Progress
from twinplane.result import standard_metrics
from twinplane.running import run_job
from twinplane.store import Store, write_atomically

PATIENCE_S = 60  # how long a scheduler may be without workers
CLOSING_S = 5  # how long workers of our own may take to stop


@dataclass(frozen=True)
class Sweep:
    """Results in the order of the cases, and a row of labels and metrics for each, or several."""

    cases: list
    results: list
    frame: pandas.DataFrame

    def write_parquet(self, path):
        """Same cases, program and seed: same bytes, wherever the runs took place."""
        table = pyarrow.Table.from_pandas(self.frame, preserve_index=False)
        content = io.BytesIO()
        pyarrow.parquet.write_table(table, content, compression="zstd")
        write_atomically(path, content.getvalue())


def sweep(cases, metrics=standard_metrics, *, scheduler=None, workers=None, store=None, program=None,
          title="sweep", progress=True, patience_s=PATIENCE_S):
    """Runs every case that has no stored result yet; returns a Sweep.

    metrics    function of a Result giving one row ({column: number or text}), or a list of rows
    scheduler  address of a Dask scheduler ("tcp://host:8786"); without, `workers` local processes (default: cores)
    A worker that dies costs its run a new start elsewhere. Runs that fail do not stop the others: their messages
    come together as SweepError at the end, or SchedulerError when no worker is left to run anything. Finished runs are
    stored in either case, and calling again continues. Each row has a column `warnings`, the number of them in its
    run's summary; with `progress` they are counted on standard error, and so are seeds that change nothing.
    """
    cases = list(cases)
    found, kept = Program.find(program), Store(store)
    jobs = [case.job(found) for case in cases]
    results = {job["key"]: kept.load(job["key"]) for job in jobs}
    names = {job["key"]: case.name() for job, case in zip(jobs, cases)}
    missing = list({job["key"]: job for job in jobs if results[job["key"]] is None}.values())
    bar = Progress(title, len(results), len(results) - len(missing), progress)
    failures = {}
    for key, outcome in outcomes_of(missing, kept, scheduler, workers, patience_s):
        if isinstance(outcome, str):
            failures[key] = outcome
        else:
            results[key] = outcome
        bar.step(ok=key not in failures)
    if failures:
        raise SweepError(failure_text(failures, names, len(results)))
    ordered = [results[job["key"]] for job in jobs]
    rows = [joined(case.labels, row) | {"warnings": len(result.warnings), "run": result.key[:12]}
            for case, result in zip(cases, ordered) for row in rows_of(metrics(result))]
    if progress:
        for line in remarks(cases, ordered):
            print(f"{title}: {line}", file=sys.stderr)
    return Sweep(cases, ordered, pandas.DataFrame(rows))


def rows_of(measured):
    return measured if isinstance(measured, list) else [measured]


def joined(labels, row):
    clash = sorted(set(labels) & (set(row) | {"warnings", "run"}))
    if clash:
        raise SweepError(f"the label {clash[0]!r} is also the name of a metric: give the axis another name")
    return labels | row


def remarks(cases, results):
    """What a reader of the frame should know first."""
    warned = [result.warnings for result in results if result.warnings]
    if warned:
        yield f"{len(warned)} of {len(results)} runs warn (column `warnings`), for example: {warned[0][0]}"
    by_all_but_seed = {}
    for case, result in zip(cases, results):
        labels = tuple((k, v) for k, v in case.labels.items() if k != "seed")
        by_all_but_seed.setdefault((case.config, str(case.settings), case.trace, case.profile, case.workload,
                                    case.firmware, case.options, labels), {})[case.seed] = result
    for same in by_all_but_seed.values():
        for (first, one), (second, other) in itertools.combinations(same.items(), 2):
            if one.without_seed() == other.without_seed():
                yield (f"seeds {first} and {second} give the same results ({cases[results.index(one)].name()}): nothing "
                       "random shows in them")
                return


def failure_text(failures, names, total, shown=5):
    lines = [f"{len(failures)} of {total} runs failed; the other {total - len(failures)} are stored and will not be "
             "repeated"]
    lines += [f"  {names[key]}: {text}" for key, text in list(failures.items())[:shown]]
    return "\n".join(lines + (["  ..."] if len(failures) > shown else []))


def outcomes_of(jobs, store, scheduler, workers, patience_s):
    """Yields (key, Result or message) as runs finish."""
    if len(jobs) == 1 and scheduler is None:
        try:
            yield jobs[0]["key"], run_job(jobs[0], store)
        except RunError as error:
            yield jobs[0]["key"], str(error)
    elif jobs:
        with cluster(scheduler, workers or min(len(jobs), os.cpu_count() or 1)) as client:
            yield from Dispatch(client, store, patience_s).run(jobs)


@contextmanager
def started_undisturbed():
    """Ctrl-C waits until the workers are up, and never reaches them: they inherit the mask and are stopped in order."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    resource_tracker.ensure_running()  # would take the mask away when it starts along with the first worker
    came = []
    before = signal.signal(signal.SIGINT, lambda *_: came.append(True))
    signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGINT})
        signal.signal(signal.SIGINT, before)
    if came:
        raise KeyboardInterrupt


def close(local):
    """Closes a LocalCluster. After a worker died, its nanny may wait for ever for the new one to start, and closing for
    the nanny (distributed 2025.5): then the workers are killed. All results are stored by then."""
    try:
        local.close(timeout=CLOSING_S)
    except TimeoutError:
        for process in multiprocessing.active_children():
            if process.name.startswith("Dask Worker process"):
                process.kill()


@contextmanager
def cluster(address, workers):
    """A client of the scheduler at `address`, or of `workers` processes of its own."""
    import logging

    import cloudpickle
    import dask
    from distributed import Client, LocalCluster

    cloudpickle.register_pickle_by_value(worker)
    logging.getLogger("distributed").setLevel(logging.CRITICAL)
    if address is None:
        one_each = {"distributed.scheduler.worker-saturation": 1.0}  # a death is blamed on the run that was running
        with dask.config.set(one_each), warnings.catch_warnings(), ExitStack() as stack:
            with started_undisturbed():
                local = LocalCluster(n_workers=workers, threads_per_worker=1, processes=True, memory_limit=0,
                                     dashboard_address=":0", silence_logs=logging.CRITICAL)
                stack.callback(close, local)
                client = stack.enter_context(Client(local))
            try:
                yield client
            except KeyboardInterrupt:  # which has perhaps interrupted a question to the scheduler
                warnings.filterwarnings("ignore", "coroutine .* was never awaited", RuntimeWarning)
                client.run(worker.stop_runs)
                raise
        return
    try:
        client = Client(address, timeout=10, set_as_default=False)
    except (OSError, ValueError, TypeError) as error:
        raise SchedulerError(f"cannot reach the scheduler {address}: {error}. Results stored before are whole; start "
                             "the scheduler, or leave --scheduler out to run here") from error
    with client:
        yield client


class Dispatch:
    """Hands jobs to a cluster and stores what comes back."""

    def __init__(self, client, store, patience_s):
        self.client, self.store, self.patience_s = client, store, patience_s
        self.finished = queue.SimpleQueue()
        self.last_seen = time.monotonic()  # a worker

    def run(self, jobs):
        described = {job["key"]: job["described"] for job in jobs}
        pending = {}
        for job in jobs:
            sent = {name: value for name, value in job.items() if name != "described"}
            future = self.client.submit(worker.execute, sent, key=f"twinplane-{job['key']}", pure=False)
            pending[job["key"]] = future
            future.add_done_callback(lambda f, key=job["key"]: self.finished.put(key))
        try:
            while pending:
                key = self._next(len(pending))
                if key is None or key not in pending:
                    continue
                outcome = self._outcome(key, pending[key], described[key])
                if outcome is not None:
                    pending.pop(key).release()
                    yield key, outcome
        finally:
            for future in pending.values():
                future.cancel()

    def _next(self, left):
        """A key whose future changed; None after a second in which nothing did."""
        try:
            return self.finished.get(timeout=1)
        except queue.Empty:
            self._check_health(left)
            return None

    def _check_health(self, left):
        from distributed import comm

        lost = f"{left} runs are left. Results stored before are whole; the next run continues with them"
        try:
            workers = len(self.client.nthreads()) if self.client.status == "running" else None
        except (OSError, TimeoutError, comm.CommClosedError):
            workers = None
        if workers is None:
            raise SchedulerError(f"lost the scheduler; {lost}")
        if workers:
            self.last_seen = time.monotonic()
        elif time.monotonic() - self.last_seen > self.patience_s:
            raise SchedulerError(f"the scheduler has had no workers for {self.patience_s:.0f} s; {lost}")

    def _outcome(self, key, future, described):
        """Result, message, or None when the worker that held the files is gone and the run starts again."""
        from concurrent.futures import CancelledError

        from distributed import KilledWorker

        try:
            outcome, content = future.result(timeout=30)
        except KilledWorker:
            return "its worker died each time it was tried (out of memory?)"
        except CancelledError:
            self._check_health(1)
            return "the scheduler dropped it"
        except TimeoutError:
            self._check_health(1)
            self.finished.put(key)
            return None
        except OSError as error:
            return f"the worker could not run it: {error}"
        return self.store.keep(key, content, described) if outcome == "done" else content
