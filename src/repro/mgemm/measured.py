"""How ranks measure: whole similarities from host to host, the terms of the model alone, and what is checked.

`python -m repro.mgemm.measured REQUEST ANSWER` under mpirun is one rank; `measure_apart` starts them.
"""

import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterable
from dataclasses import asdict, dataclass
from functools import partial
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from repro.bench.measure import measure
from repro.device import Device, open_device
from repro.device.cuda import device_count
from repro.errors import DeviceError
from repro.mgemm import cpu
from repro.mgemm.campaign import similarities_of_rank
from repro.mgemm.carriers import carrier_of
from repro.mgemm.checksum import Checksum
from repro.mgemm.engine import MOST_PIVOTS, Engine, Triples
from repro.mgemm.problem import Input, Problem
from repro.mgemm.ranks import Communicator, ended_together, run_threads, world
from repro.mgemm.samples import Samples
from repro.mgemm.schedule import Decomposition, Tile, part
from repro.mgemm.transfers import transfers_of

TERM_REPETITIONS = 3
MOST_TERM_VECTORS = {2: 16_384, 3: 4_096}  # whose products with each other are among the terms: a gigabyte of values
LINES = 5  # of an unexpected error that are shown


@dataclass(frozen=True)
class Task:
    """What the ranks are to measure: a variant on a problem of an input, so many times."""

    given: Input
    problem: Problem
    variant: str
    repetitions: int

    def to_json(self) -> dict[str, Any]:
        """What another process makes it from, by `from_json`."""
        problem = self.problem
        return {
            "given": self.given.to_json(),
            "problem": {**asdict(problem), "decomposition": asdict(problem.decomposition)},
            "variant": self.variant,
            "repetitions": self.repetitions,
        }

    @classmethod
    def from_json(cls, content: dict[str, Any]) -> "Task":
        """The task that `to_json` describes."""
        problem = {**content["problem"], "decomposition": Decomposition(**content["problem"]["decomposition"])}
        return cls(Input.from_json(content["given"]), Problem(**problem), content["variant"], content["repetitions"])


def measure_rank(communicator: Communicator, device: Device, task: Task) -> dict[str, Any] | None:
    """Measure as one of the task's ranks. Rank 0 is given what `measure_alone` returns, the others None."""
    problem, given = task.problem, task.given
    engine = Engine(device, given.kind.metric, given.kind.dtype, task.variant, levels=given.kind.levels)
    own = _own(given, problem.decomposition, communicator.rank)
    device.page_lock(own)

    def run() -> int:
        communicator.allgather(None)
        count = sum(tile.count for tile, _ in similarities_of_rank(communicator, engine, own, problem))
        communicator.allgather(None)
        return count

    measured = measure(device, run, task.repetitions, run)
    compared = _compared(similarities_of_rank(communicator, engine, own, problem), problem)
    terms = _terms(communicator, engine, own, problem)
    found = {**measured.fields(), "values": measured.result, "device": _identity(device)}
    gathered = communicator.gather((found, *compared, terms))
    return None if gathered is None else _joined(gathered, problem.as_bytes)


def measure_on_cpu(device: Device, task: Task) -> dict[str, Any]:
    """Measure the CPU of the host, with all its cores; device: the one that it stands beside in figures and tables."""
    problem = task.problem
    values = task.given.values(range(problem.vectors))

    def run() -> int:
        return sum(tile.count for tile, _ in cpu.similarities(values, problem.way))

    measured = measure(device, run, task.repetitions, run)
    samples, total = _compared(cpu.similarities(values, problem.way), problem)
    found = {**measured.fields(), "values": measured.result, "device": "host"}
    return _joined([(found, samples, total, {})], as_bytes=False)


def _compared(
    results: Iterable[tuple[Tile, NDArray[Any]]], problem: Problem
) -> tuple[dict[tuple[int, ...], float], int]:
    """What is compared of results: the sampled values, and the sum of the checksum."""
    samples, checksum = Samples(problem.sampled), Checksum()
    for tile, values in results:
        samples.add(tile, values)
        if not problem.as_bytes:
            checksum.add(tile, values, problem.vectors)
    return samples.values, checksum.total


def _own(given: Input, decomposition: Decomposition, rank: int) -> NDArray[Any]:
    """The rank's part of the vectors and of their fields."""
    field, block, _ = decomposition.place(rank)
    values = given.values(part(given.vectors, decomposition.vectors, block))
    fields = part(values.shape[1], decomposition.fields, field)
    return np.ascontiguousarray(values[:, fields.start : fields.stop])


def _identity(device: Device) -> str:
    """What tells a device from others: a GPU's UUID; every rank's emulator is one of its own."""
    return str(device.describe().get("uuid") or f"{os.getpid()}-{id(device)}")


def _joined(gathered: list[Any], as_bytes: bool) -> dict[str, Any]:
    """What all ranks found, as the slowest of them: seconds, counters, and what is checked."""
    ranks = [found for found, _, _, _ in gathered]
    seconds = {
        name: {which: max(rank[name][which] for rank in ranks) for which in ("min", "median", "max")}
        for name in ("total_seconds", "kernel_seconds")
    }
    counters = {name: sum(rank["counters"][name] for rank in ranks) for name in ranks[0]["counters"]}
    samples = {key: value for _, kept, _, _ in gathered for key, value in kept.items()}
    total = Checksum(sum(checksum for _, _, checksum, _ in gathered))
    terms = [found for _, _, _, found in gathered]
    return {
        **seconds,
        "repetitions": ranks[0]["repetitions"],
        "compile_seconds": max(rank["compile_seconds"] for rank in ranks),
        "counters": counters,
        "result": {
            "samples": [[*key, value] for key, value in sorted(samples.items())],
            "checksum": None if as_bytes else str(total),
            "ranks": [rank["values"] for rank in ranks],
            "devices": len({rank["device"] for rank in ranks}),
            "terms": {name: max(found[name] for found in terms) for name in terms[0]},
        },
    }


def _terms(communicator: Communicator, engine: Engine, own: NDArray[Any], problem: Problem) -> dict[str, float]:
    """Seconds of the model's terms, each alone, and their amounts.

    vectors: of the rank's own block, how many were compared with each other. pivots: of a launch of triples.
    """
    device = engine.device
    transfers = transfers_of(engine)
    block = engine.upload(own)[: MOST_TERM_VECTORS[problem.way]]
    numerators = engine.pairs(block, block)
    values = engine.quotients2(numerators, block, block, as_bytes=problem.as_bytes)
    back = device.host_array(values.shape, values.dtype)
    terms: dict[str, Callable[[], object]] = {
        "product": lambda: engine.pairs(block, block, numerators),
        "quotients": lambda: engine.quotients2(numerators, block, block, values, problem.as_bytes),
        "upload": lambda: transfers.upload(engine, own)[:],
        "download": lambda: device.finish(device.copy_out(values, back)),
    }
    amounts = {"vectors": len(block)}
    if problem.way == 3:
        launch = Triples(block, block[:MOST_PIVOTS], block)
        n3_prime = engine.triples(launch)
        terms["triples"] = lambda: engine.triples(launch, n3_prime)
        amounts["pivots"] = len(launch.pivots)
    following, before = ((communicator.rank + step) % communicator.size for step in (1, -1))
    carrier = carrier_of(communicator, engine, own, [before])

    def exchange() -> None:
        """Give a block of vectors to the next rank, and get one from the rank before."""
        incoming, given = carrier.expect(before, len(own), 0), carrier.give(following, 0)
        carrier.complete()
        for message in (given, incoming):
            message.Wait()
        incoming.take()

    if communicator.size > 1 and len(set(communicator.allgather(own.shape))) == 1:
        terms["communication"] = exchange
    found = {**amounts, **{name: _least(communicator, device, run) for name, run in terms.items()}}
    carrier.close()
    return found


def _least(communicator: Communicator, device: Device, run: Callable[[], object]) -> float:
    """The least seconds of some repetitions of what all ranks do at the same time."""
    found = []
    for _ in range(TERM_REPETITIONS):
        device.synchronize()
        communicator.allgather(None)
        started = time.perf_counter()
        run()
        device.synchronize()
        found.append(time.perf_counter() - started)
    return min(found)


def measure_alone(device: Device, task: Task) -> dict[str, Any]:
    """Measure with one rank, on a device with all its cores. Returns columns of a row, as `measure_apart` does."""
    return _of_first(run_threads(1, lambda communicator: measure_rank(communicator, device, task)))


def measure_apart(kind: str, task: Task) -> dict[str, Any]:
    """Measure with the ranks of the task's decomposition, each with a device of its own if there are enough.

    kind: "cuda", where ranks are threads, as those of processes take turns on a GPU that they share; or "emulator", of
    which every rank has one with one core, in a process of MPI where that is installed. Returns columns of a row:
    seconds, counters and result, whose `transport` says which it was.
    """
    ranks = task.problem.decomposition.ranks
    if ranks > 1 and kind == "emulator" and has_mpi():
        found, transport = _under_mpi(kind, task), "mpi"
    else:
        if ranks > 1 and kind == "emulator":
            print("MPI is not installed (pip install '.[mpi]'): ranks are threads of one process", file=sys.stderr)
        found = _of_first(run_threads(ranks, partial(_measure_on_own_device, kind=kind, task=task)))
        transport = "threads" if ranks > 1 else "none"
    return {**found, "result": {**found["result"], "transport": transport}}


def _of_first(found: list[dict[str, Any] | None]) -> dict[str, Any]:
    """What rank 0 returned."""
    assert found[0] is not None
    return found[0]


def _measure_on_own_device(communicator: Communicator, kind: str, task: Task) -> dict[str, Any] | None:
    if kind == "emulator":
        return measure_rank(communicator, open_device("emulator", workers=1), task)
    return measure_rank(communicator, open_device(f"cuda:{communicator.rank % device_count()}"), task)


def has_mpi() -> bool:
    """Whether ranks can be processes: mpi4py and a launcher are there."""
    return find_spec("mpi4py") is not None and _mpirun() is not None


def _mpirun() -> str | None:
    """The launcher beside this Python, where the packages of PyPI put it, else that of the system."""
    return shutil.which("mpirun", path=f"{Path(sys.executable).parent}{os.pathsep}{os.environ.get('PATH', '')}")


def _under_mpi(kind: str, task: Task) -> dict[str, Any]:
    ranks = task.problem.decomposition.ranks
    with tempfile.TemporaryDirectory() as folder:
        request, answer = Path(folder) / "request.json", Path(folder) / "answer.json"
        request.write_text(json.dumps({"kind": kind, "task": task.to_json()}))
        # Bound to one core, as some launchers do, a rank could not copy beside its device's work.
        launcher = [str(_mpirun()), "--bind-to", "none", "-n", str(ranks)]
        command = [*launcher, sys.executable, "-m", __name__, str(request), str(answer)]
        done = subprocess.run(command, capture_output=True, text=True)
        if done.returncode:
            raise DeviceError(f"{ranks} ranks under mpirun ended with {done.returncode}: {_reason(done.stderr)}")
        found: dict[str, Any] = json.loads(answer.read_text())
    return found


def _reason(text: str) -> str:
    """The first error that a rank told, else the end of what it wrote."""
    lines = [line for line in text.splitlines() if line.strip()]
    told = [line.removeprefix("repro: ") for line in lines if line.startswith("repro: rank ")]
    return told[0] if told else " | ".join(lines[-LINES:])


def main(request: Path, answer: Path) -> None:
    """Be one rank of a request."""
    content = json.loads(request.read_text())
    communicator = world()
    with ended_together(communicator):
        found = _measure_on_own_device(communicator, content["kind"], Task.from_json(content["task"]))
        if found is not None:
            answer.write_text(json.dumps(found))


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2]))
