"""Every measured row is compared with the CPU: some of its values at any size, and all of them at small ones."""

from collections.abc import Iterable
from dataclasses import dataclass
from itertools import combinations
from math import comb
from typing import Any

import numpy as np
from numpy.typing import NDArray

from repro.bench.rows import Row
from repro.errors import ReproError
from repro.inputs.vectors.vectorset import unpack_bits
from repro.mgemm.checksum import Checksum
from repro.mgemm.made import kind_of
from repro.mgemm.metrics import as_bytes
from repro.mgemm.problem import Input, Problem
from repro.mgemm.reference import all_indices, similarities
from repro.mgemm.samples import sampled_vectors
from repro.mgemm.schedule import Tile

MOST_COMPARISONS = 4 * 10**8  # of a problem whose whole checksum the reference computes: a second
PRODUCT = "gemm"  # the variant that multiplies
ROUNDINGS = 64  # of a sum of products, which is not exact, in units of the type's precision


@dataclass(frozen=True)
class Reference:
    """What the CPU gives for the sampled vectors of an input, `chosen`.

    minima, products: of pairs, sums over the fields of the smaller element and of the product, exact. values: the
    similarities of `way` vectors, in the precision of the kind. checksum: of all similarities, or None where there are
    too many.
    """

    name: str
    way: int
    chosen: list[int]
    minima: list[int]
    products: list[float]
    values: list[float]
    checksum: str | None

    @classmethod
    def of(cls, given: Input, way: int, chosen: list[int]) -> "Reference":
        """Compute it."""
        values = np.concatenate([given.values(range(vector, vector + 1)) for vector in chosen])
        exact = _elements(values).astype(np.int64)
        return cls(
            name=given.name,
            way=way,
            chosen=chosen,
            minima=[int(np.minimum(exact[i], exact[j]).sum()) for i, j in all_indices(len(chosen), 2)],
            products=[float(exact[i] @ exact[j]) for i, j in all_indices(len(chosen), 2)],
            values=[
                float(value) for value in similarities(values, all_indices(len(chosen), way), given.kind.precision)
            ],
            checksum=_checksum(given, way),
        )


def _elements(values: NDArray[Any]) -> NDArray[Any]:
    return unpack_bits(values, 32 * values.shape[1]) if values.dtype == np.uint32 else values


def _checksum(given: Input, way: int) -> str | None:
    n, everything = given.vectors, range(given.vectors)
    if comb(n, way) * given.fields > MOST_COMPARISONS:
        return None
    indices = all_indices(n, way)
    dense = np.zeros((n,) * way, given.kind.precision)
    dense[tuple(indices.T)] = similarities(given.values(everything), indices, given.kind.precision)
    checksum = Checksum()
    if way == 2:
        checksum.add(Tile(everything, everything, triangle=True), dense, n)
    else:
        for j in everything:
            checksum.add(Tile(range(j), range(j + 1, n), j), dense[:j, j, j + 1 :], n)
    return str(checksum)


def check(rows: Iterable[Row], references: Iterable[Reference]) -> list[Row]:
    """The rows with what they were compared with.

    Every sampled value must be the reference's, every number of results the schedule's, and a checksum the reference's,
    or that of every other row of the same problem where the reference has none.
    Raises ReproError for the first row that is wrong.
    """
    known = {(reference.name, reference.way, tuple(reference.chosen)): reference for reference in references}
    first: dict[Any, Row] = {}
    checked = []
    for row in rows:
        parameters, result = row["parameters"], row["result"]
        where = f"{row['experiment']}: {row['variant']} {parameters} on {row['input']['name']}, {row['device']}"
        reference = known.get((row["input"]["name"], parameters["way"], tuple(_chosen(row))))
        if reference is None:
            raise ReproError(f"{where}: there is no reference for these vectors; remove results and run again")
        against: dict[str, Any] = {"reference": _compared(row, reference, where)}
        if parameters["measure"] == "similarity":
            _check_counts(row, where)
        if result["checksum"] is not None:
            against["checksum"] = _compared_checksum(row, reference, first, where)
        checked.append({**row, "check": {"passed": True, "against": against}})
    return checked


def _chosen(row: Row) -> list[int]:
    """The sampled vectors of a row."""
    vectors, parameters = row["input"]["vectors"], row["parameters"]
    kernel = parameters["measure"] == "kernel"
    return sampled_vectors(vectors) if kernel else Problem.of(vectors, parameters).sampled


def _compared(row: Row, reference: Reference, where: str) -> int:
    """How many sampled values are right. Raises ReproError where one is not, or where there is none."""
    way = row["parameters"]["way"]
    indices = list(combinations(reference.chosen, way))
    kernel = row["parameters"]["measure"] == "kernel"
    product = row["variant"] == PRODUCT
    expected = dict(
        zip(indices, (reference.products if product else reference.minima) if kernel else reference.values, strict=True)
    )
    dtype = np.dtype(kind_of(row["input"]["kind"]).precision)
    if row["parameters"]["values"] == "byte":
        expected = {key: int(as_bytes(dtype.type(value))) for key, value in expected.items()}
    tolerance = ROUNDINGS * float(np.finfo(dtype).eps) if product else 0.0
    for *key, value in row["result"]["samples"]:
        right = expected[tuple(key)]
        if not abs(value - right) <= tolerance * abs(right):
            raise ReproError(f"{where}: the value of vectors {key} is {value}, the CPU gives {right}")
    count = len(row["result"]["samples"])
    if not count or (row["parameters"]["stages"] == 1 and count != len(indices)):
        raise ReproError(f"{where}: {count} of {len(indices)} sampled values were computed")
    return count


def _check_counts(row: Row, where: str) -> None:
    """Every rank must have computed as many results as the schedule gives it."""
    problem = Problem.of(row["input"]["vectors"], row["parameters"])
    expected = [problem.count_of(rank) for rank in range(problem.decomposition.ranks)]
    if row["result"]["ranks"] != expected:
        raise ReproError(f"{where}: the ranks computed {row['result']['ranks']} values, the schedule says {expected}")


def _compared_checksum(row: Row, reference: Reference, first: dict[Any, Row], where: str) -> str | None:
    """What a checksum is equal to: the reference's, or the first row's of the problem. None for the first row itself.

    Which similarities a stage holds depends on the decomposition.
    """
    parameters, found = row["parameters"], row["result"]["checksum"]
    whole = parameters["stages"] == 1
    if whole and reference.checksum is not None:
        if found != reference.checksum:
            raise ReproError(f"{where}: checksum {found} is wrong, the CPU gives {reference.checksum}")
        return "reference"
    split = None if whole else tuple(parameters[name] for name in ("stages", "stage", "n_pf", "n_pv", "n_pr"))
    other = first.setdefault((reference.name, reference.way, split), row)
    if found != other["result"]["checksum"]:
        raise ReproError(f"{where}: checksum {found} is not that of {other['variant']} {other['parameters']}")
    return None if other is row else f"{other['variant']} {other['parameters']}"
