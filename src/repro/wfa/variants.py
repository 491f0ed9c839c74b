"""Every variant of the paper by the paper's own name: kernel, host loop, settings, section."""

from repro.bench.variant import Setting, Variant
from repro.wfa import columns, tiles
from repro.wfa.hybrid import hybrid

READ_INTERVAL = Setting(100, 1, 1000, "launches between two reads of the result")
READ_EACH_BAND = Setting(1, 1, 1000, "launches between two reads of the result")  # of more than 100 columns each


def _workgroup(best: int) -> Setting:
    return Setting(best, 1, 1024, "threads per block")


def _tile(best: int, high: int) -> Setting:
    return Setting(best, 2, high, "side of a tile, in columns")


def _tiling(workgroup_size: int, tile_length: int, longest: int) -> dict[str, Setting]:
    return {
        "workgroup_size": _workgroup(workgroup_size),
        "tile_length": _tile(tile_length, longest),
        "read_interval": READ_INTERVAL,
    }


# The defaults are the settings the paper found best for each variant (figures 4, 10 and 12).
VARIANTS = {
    variant.name: variant
    for variant in (
        Variant(
            "baseline",
            "4.1.1",
            "two columns, one thread per cell, one launch per column over the worst case, a read after each",
            columns.baseline,
            {"workgroup_size": _workgroup(380)},
        ),
        Variant(
            "dynamic-work-items",
            "4.1.2",
            "each launch has as many threads as its column has cells",
            columns.dynamic_work_items,
            {"workgroup_size": _workgroup(128)},
        ),
        Variant(
            "minimised-reads",
            "4.1.3",
            "many launches between two reads of the result",
            columns.minimised_reads,
            {"workgroup_size": _workgroup(128), "read_interval": READ_INTERVAL},
        ),
        Variant(
            "shared-memory-prefetch",
            "4.2.1",
            "the previous column fetched into shared memory before it is used",
            columns.shared_memory_prefetch,
            {"workgroup_size": _workgroup(128), "read_interval": READ_INTERVAL},
        ),
        Variant(
            "tiling-global",
            "4.2.2",
            "one thread per diamond tile, its cells in global memory",
            tiles.tiling_global,
            _tiling(128, 2, 32),
        ),
        Variant(
            "tiling-register",
            "4.2.2",
            "one thread per diamond tile, its cells in registers",
            tiles.tiling_register,
            _tiling(128, 3, 8),
        ),
        Variant(
            "tiling-shared",
            "4.2.2",
            "one thread per diamond tile, its cells in shared memory",
            tiles.tiling_shared,
            _tiling(224, 2, 32),
        ),
        Variant(
            "parallel-workgroup",
            "4.2.3",
            "one block per diamond tile, one thread per diagonal",
            tiles.parallel_workgroup,
            {"tile_length": _tile(190, 511), "read_interval": READ_EACH_BAND},
        ),
        Variant(
            "dynamic-diamond",
            "4.3",
            "only the tiles that a path of the distance can still cross",
            tiles.dynamic_diamond,
            {"tile_length": _tile(190, 511), "read_interval": READ_EACH_BAND},
        ),
        Variant(
            "hybrid",
            "beyond the paper",
            "wavefronts from both ends where strings are similar, banded bit-parallel strips where not",
            hybrid,
        ),
    )
}
