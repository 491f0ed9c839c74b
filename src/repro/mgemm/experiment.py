"""From an entry of the configuration to rows of measurements."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from itertools import combinations, product
from typing import Any

from repro.bench.experiment import chosen, make_point, naming
from repro.bench.measure import measure
from repro.bench.rows import Row, digest_of
from repro.bench.sweep import Point
from repro.bench.variant import Variant
from repro.device import Device
from repro.errors import InputError
from repro.inputs.vectors.sheet import VectorSource
from repro.mgemm.campaign import check_decomposition
from repro.mgemm.check import PRODUCT
from repro.mgemm.cpu import CPU
from repro.mgemm.engine import Engine
from repro.mgemm.made import digest, kind_of
from repro.mgemm.measured import Task, measure_alone, measure_apart, measure_on_cpu
from repro.mgemm.problem import Input, Problem
from repro.mgemm.samples import sampled_vectors
from repro.mgemm.schedule import Decomposition
from repro.mgemm.variants import VARIANTS

SYSTEM = "mgemm"
SIMILARITIES = {name: variant for name, variant in {**VARIANTS, CPU.name: CPU}.items() if name != PRODUCT}
SAME_OF_BITS = "ternary", "gemm", "differences"
KERNEL: dict[str, int | str] = {"measure": "kernel", "way": 2, "stages": 1, "stage": 0, "values": "float"}


@dataclass(frozen=True)
class Experiment:
    """Variants x inputs x ways x decompositions, or variants x inputs for kernels alone: what one job measures.

    problems: with its input each; None for kernels. apart: whether ranks have devices of their own.
    """

    name: str
    variants: list[Variant]
    problems: list[tuple[Input, Problem | None]]
    apart: bool
    repetitions: int

    @classmethod
    def from_entry(cls, entry: Mapping[str, Any], sheet: Mapping[str, VectorSource], repetitions: int) -> "Experiment":
        """The experiment of a configuration entry. Raises InputError for an unknown variant, kind or set.

        repetitions: how often each run is timed where the entry does not say.
        """
        with naming(entry):
            known = VARIANTS if entry["measure"] == "kernel" else SIMILARITIES
            variants, _ = chosen({**entry, "settings": {}}, known)
            _check_used(entry)
            decompositions = [Decomposition(*parts) for parts in entry["decompositions"] or [[1, 1, 1]]]
            inputs = _inputs(entry, sheet, decompositions)
            spread = any(decomposition.ranks > 1 for decomposition in decompositions)
            if CPU in variants and (spread or entry["stages"] > 1 or entry["values"] == "byte"):
                raise InputError("variant cpu: one rank computes all stages, in floats")
            problems = [
                (given, problem)
                for given, decomposition in inputs
                for problem in _problems(entry, given, decomposition)
            ]
        times = entry.get("repetitions", repetitions)
        return cls(entry["name"], variants, problems, bool(entry["decompositions"]), times)

    def points(self) -> list[Point]:
        """What is to be measured, input by input."""
        return [
            _kernel_point(self.name, given, variant, self.repetitions)
            if problem is None
            else _point(self.name, Task(given, problem, variant.name, self.repetitions), variant, self.apart)
            for given, problem in self.problems
            for variant in self.variants
        ]

    def compared(self) -> list[tuple[Input, int, list[int]]]:
        """The inputs, ways and sampled vectors that the rows have references for."""
        found = {}
        for given, problem in self.problems:
            way, chosen = (2, sampled_vectors(given.vectors)) if problem is None else (problem.way, problem.sampled)
            found[given.name, way, tuple(chosen)] = given, way, chosen
        return list(found.values())


def _inputs(
    entry: Mapping[str, Any], sheet: Mapping[str, VectorSource], decompositions: list[Decomposition]
) -> list[tuple[Input, Decomposition]]:
    """Sets of the sheet and made vectors in every kind, with each decomposition."""
    if unknown := [name for name in entry["sets"] if name not in sheet]:
        raise InputError(f"set '{unknown[0]}' is not in the sheet of vectors (it has: {', '.join(sheet)})")
    if not entry["sets"] and not (entry["vectors"] and entry["fields"]):
        raise InputError("give vectors and fields, or sets")
    kinds = [kind_of(name) for name in entry["kinds"]]
    found = []
    for kind, decomposition in product(kinds, decompositions):
        blocks = decomposition.vectors if entry["per_block"] else 1
        sizes = product(entry["vectors"], entry["fields"])
        found += [(Input(kind, blocks * vectors, fields), decomposition) for vectors, fields in sizes]
        found += [(Input.of_set(kind, sheet[name]), decomposition) for name in entry["sets"]]
    return found


def _check_used(entry: Mapping[str, Any]) -> None:
    """Raise InputError for what would have no effect."""
    if entry["measure"] == "kernel":
        others = {"ways": [2], "stages": 1, "decompositions": [], "values": "float"}
        given = [name for name, value in others.items() if entry[name] != value]
        given += [name for name in ("stage", "per_block") if entry.get(name)]
        if given:
            raise InputError(f"{given[0]}: a kernel is one product of pairs on one device; leave it out")
    if entry["per_block"] and not entry["decompositions"]:
        raise InputError("per_block: without decompositions there are no blocks; leave it out or give decompositions")
    if "bits" in entry["kinds"] and (same := [name for name in entry["variants"] if name in SAME_OF_BITS]):
        raise InputError(f"variant {same[0]}: a minimum of bits is a & b, as of fmin; take that one or other kinds")


def _problems(entry: Mapping[str, Any], given: Input, decomposition: Decomposition) -> list[Problem | None]:
    if entry["measure"] == "kernel":
        return [None]
    check_decomposition(decomposition, given.vectors, given.width)
    stages = entry["stages"]
    stage = entry.get("stage", stages - 1)
    if stage >= stages:
        raise InputError(f"stage {stage} of {stages}: stages count from 0")
    return [
        Problem(given.vectors, way, stages, stage, decomposition, entry["values"] == "byte") for way in entry["ways"]
    ]


@lru_cache(maxsize=1)
def _sha256(given: Input) -> str:
    return digest(given.values(range(given.vectors)))


def _described(given: Input) -> dict[str, Any]:
    """The column `input` of a row."""
    described = {"name": given.name, "kind": given.kind.name, "vectors": given.vectors, "fields": given.fields}
    return {**described, "set": given.source and given.source.name}


def _row(
    experiment: str,
    given: Input,
    variant: Variant,
    device: Device,
    parameters: Mapping[str, Any],
    columns: Row,
    work: int,
) -> Row:
    result = columns["result"]
    return {
        "system": SYSTEM,
        "experiment": experiment,
        "variant": variant.name,
        "section": variant.section,
        "parameters": dict(parameters),
        "input": {**_described(given), "sha256": _sha256(given)},
        "device": device.name,
        "device_kind": device.kind,
        **columns,
        "work": work,
        "work_unit": "comparisons",
        "gcups": None,
        "digest": digest_of(result["checksum"] or result["samples"]),
    }


def _kernel_point(experiment: str, given: Input, variant: Variant, repetitions: int) -> Point:
    """One mGEMM of all vectors with all, as in table 1: every place of the square counts."""

    def run(device: Device) -> Row:
        values = given.values(range(given.vectors))
        engine = Engine(device, given.kind.metric, given.kind.dtype, variant.name, levels=given.kind.levels)
        block = engine.upload(values)
        out = device.empty((len(block), len(block)), engine.accumulated)

        def multiply() -> list[list[float]]:
            engine.pairs(block, block, out)
            return _sampled(out, given.vectors)

        measured = measure(device, multiply, repetitions, multiply)
        columns = {**measured.fields(), "result": {"samples": measured.result, "checksum": None}}
        return _row(experiment, given, variant, device, KERNEL, columns, given.vectors**2 * given.fields)

    return make_point(given.name, variant, KERNEL, _described(given), repetitions, run)


def _sampled(out: Any, vectors: int) -> list[list[float]]:
    """The numerators of the sampled pairs, of an array on the device."""
    chosen = sampled_vectors(vectors)
    rows = {i: out[i].get()[0] for i in chosen}
    return [[i, j, float(rows[i][j])] for i, j in combinations(chosen, 2)]


def _point(experiment: str, task: Task, variant: Variant, apart: bool) -> Point:
    given, problem = task.given, task.problem
    parameters: dict[str, int | str] = {"measure": "similarity", **problem.parameters()}

    def run(device: Device) -> Row:
        if variant is CPU:
            columns = measure_on_cpu(device, task)
        else:
            columns = measure_apart(device.kind, task) if apart else measure_alone(device, task)
        return _row(experiment, given, variant, device, parameters, columns, problem.count * given.fields)

    return make_point(given.name, variant, parameters, _described(given), task.repetitions, run, apart=apart)
