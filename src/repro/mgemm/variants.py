"""The kernels of table 1 by the paper's words, and those that were added."""

from functools import partial
from typing import Any

from numpy.typing import NDArray

from repro.bench.variant import Variant
from repro.device import Device
from repro.mgemm.engine import Engine
from repro.mgemm.metrics import Metric


def numerators(
    device: Device, values: NDArray[Any], metric: Metric = Metric.CZEKANOWSKI, *, variant: str = "auto"
) -> NDArray[Any]:
    """n2 of every vector with every vector, (vectors, vectors) of the accumulation type; section "Table 1".

    values: (vectors, fields) of a type that `Engine` takes. variant: a name of VARIANTS. Raises InputError as `Engine`.
    """
    engine = Engine(device, metric, values.dtype, variant)
    block = engine.upload(values)
    return engine.pairs(block, block).get()


VARIANTS = {
    name: Variant(name, section, summary, partial(numerators, variant=name))
    for name, section, summary in (
        ("naive", "beyond the paper", "one sum for a thread, without tiles in shared memory"),
        ("ternary", "Table 1", "tiled as a GEMM, the minimum as a < b ? a : b"),
        ("fmin", "Table 1", "the same with the hardware's minimum"),
        ("gemm", "Table 1", "the same with multiply-add instead: what a comparison costs beside it"),
        ("differences", "beyond the paper", "n2 from the sums and the sum of absolute differences: two additions"),
        ("auto", "beyond the paper", "the fastest for the type of elements; bits and allele counts on tensor cores"),
    )
}
