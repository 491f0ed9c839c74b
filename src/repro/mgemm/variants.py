"""Every variant by the paper's names: how the modified matrix product (mGEMM) of section 3.1 is computed.

All of them are called as run(device, values, metric) and return the n2 of every two vectors, (vectors, vectors);
`Engine` takes their names.
"""

from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from repro.bench.variant import Variant
from repro.device import Device
from repro.mgemm.engine import Engine
from repro.mgemm.metrics import Metric


def product(device: Device, values: NDArray[Any], metric: Metric, *, name: str, levels: int = 256) -> NDArray[Any]:
    """The numerators n2 of every two vectors, (vectors, vectors), by the variant called `name`; of `gemm`, V^T V.

    values: (vectors, fields) as `Engine` takes them. levels: integers are below it.
    """
    engine = Engine(device, metric, np.asarray(values).dtype, name, levels=levels)
    block = engine.upload(values)
    return engine.pairs(block, block).get()


VARIANTS = {
    name: Variant(name, section, summary, partial(product, name=name))
    for name, section, summary in (
        ("naive", "3.1", "one thread per pair of vectors, everything from global memory"),
        ("ternary", "Table 1", "tiled as a matrix product, a < b ? a : b in place of the multiplication"),
        ("fmin", "Table 1", "tiled as a matrix product, the intrinsic for the minimum in place of the multiplication"),
        ("gemm", "Table 1", "the same tiling with multiply-add: a true matrix product, what the minimum costs"),
        ("differences", "beyond the paper", "the same tiling, min(a, b) = (a + b - |a - b|) / 2"),
        ("auto", "beyond the paper", "the fastest for the type: fmin, differences, or bits on tensor cores"),
    )
}
