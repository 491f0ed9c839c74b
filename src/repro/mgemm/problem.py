"""What is measured: vectors, and which of their similarities by which ranks."""

from dataclasses import asdict, dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from repro.errors import InputError
from repro.inputs.vectors.sheet import VectorSource
from repro.inputs.vectors.vectorset import VectorSet
from repro.mgemm.made import Kind, kind_of, made_vectors
from repro.mgemm.metrics import field_sums
from repro.mgemm.samples import sampled_vectors
from repro.mgemm.schedule import Decomposition, part, steps_of_rank, work_of


@dataclass(frozen=True)
class Input:
    """Vectors of a kind: made ones of a size, or a set of the sheet.

    vectors, fields: their numbers. source: None for made ones.
    """

    kind: Kind
    vectors: int
    fields: int
    source: VectorSource | None = None

    @classmethod
    def of_set(cls, kind: Kind, source: VectorSource) -> "Input":
        """A set of the sheet as vectors of a kind. Raises InputError where they are none, or their sums not exact."""
        loaded = source.load()
        values = kind.of(loaded)
        if values.dtype.kind == "f":
            _require_exact_sums(loaded, values)
        return cls(kind, len(loaded), loaded.fields, source)

    @property
    def name(self) -> str:
        """How rows and figures call it."""
        made = f"{self.vectors}x{self.fields}"
        return f"{self.kind.name}-{self.source.name if self.source else made}"

    @property
    def width(self) -> int:
        """Elements of a vector as the kernels take them: fields, or words of bits."""
        return self.kind.width(self.fields)

    def values(self, part: range) -> NDArray[Any]:
        """The vectors with these numbers as the kernels take them."""
        if self.source is None:
            return made_vectors(self.kind, self.fields, part)
        return self._loaded[part.start : part.stop]

    @cached_property
    def _loaded(self) -> NDArray[Any]:
        assert self.source is not None
        return self.kind.of(self.source.load())

    def to_json(self) -> dict[str, Any]:
        """What another process makes it from, by `from_json`."""
        source = self.source and asdict(self.source)
        return {"kind": self.kind.name, "vectors": self.vectors, "fields": self.fields, "source": source}

    @classmethod
    def from_json(cls, content: dict[str, Any]) -> "Input":
        """The input that `to_json` describes."""
        source = content["source"] and VectorSource(**content["source"])
        return cls(kind_of(content["kind"]), content["vectors"], content["fields"], source)


def _require_exact_sums(vectors: VectorSet, values: NDArray[Any]) -> None:
    """Raise InputError naming the first vector of which a sum may be rounded, and then depends on the order."""
    fractions = np.argwhere(values != np.rint(values))
    if len(fractions):
        i, q = fractions[0]
        raise InputError(
            f"{vectors.place(i, q)}: {values[i, q]} is no integer; sums are checked exactly, so scale and round the "
            "vectors"
        )
    large = np.flatnonzero(3 * field_sums(values) >= 2 ** (np.finfo(values.dtype).nmant + 1))
    if len(large):
        raise InputError(
            f"{vectors.place(large[0])}: its sum is too large to be exact in {values.dtype}; scale the vectors down"
        )


@dataclass(frozen=True)
class Problem:
    """Similarities of `way` vectors among so many, in one of so many stages, over the ranks of a decomposition.

    as_bytes: whether a value is one byte (see `metrics.as_bytes`).
    """

    vectors: int
    way: int
    stages: int
    stage: int
    decomposition: Decomposition
    as_bytes: bool = False

    @classmethod
    def of(cls, vectors: int, parameters: dict[str, Any]) -> "Problem":
        """The problem that a row's parameters name."""
        decomposition = Decomposition(*(parameters[name] for name in ("n_pf", "n_pv", "n_pr")))
        way, stages, stage = (parameters[name] for name in ("way", "stages", "stage"))
        return cls(vectors, way, stages, stage, decomposition, parameters["values"] == "byte")

    def parameters(self) -> dict[str, int | str]:
        """What a row says of it."""
        parts = self.decomposition
        split = {"n_pf": parts.fields, "n_pv": parts.vectors, "n_pr": parts.rows}
        values = "byte" if self.as_bytes else "float"
        return {"way": self.way, "stages": self.stages, "stage": self.stage, **split, "values": values}

    @property
    def sampled(self) -> list[int]:
        """The vectors whose similarities are compared with the CPU's, with some that a stage computes.

        These are the first of the last block that the stage has, where slices are whole and where they are sixths.
        """
        last = part(self.vectors, self.decomposition.vectors, self.decomposition.vectors - 1)
        firsts = (part(len(last), slices * self.stages, self.stage).start for slices in (1, 6))
        return sampled_vectors(self.vectors, (last.start + first for first in firsts) if self.stages > 1 else ())

    def count_of(self, rank: int) -> int:
        """How many results the schedule leaves with a rank."""
        field, block, row = self.decomposition.place(rank)
        steps = steps_of_rank(self.way, self.decomposition, row)[field :: self.decomposition.fields]
        works = (
            work_of(step, block, self.vectors, self.decomposition.vectors, self.stage, self.stages) for step in steps
        )
        return sum(work.count for work in works)

    @property
    def count(self) -> int:
        """How many results there are."""
        return sum(self.count_of(rank) for rank in range(self.decomposition.ranks))
