"""The emulator's memory counts against a GPU's counters.

python benchmarks/traffic_against_ncu.py launch                       the launches, for ncu to watch
python benchmarks/traffic_against_ncu.py command                      the ncu command that watches them
python benchmarks/traffic_against_ncu.py compare NCU.csv [ROWS.csv]   a table of both, exit status 1 if they differ
"""

import csv
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

from repro.device import Device, open_device

KERNELS = Path(__file__).parents[1] / "tests" / "device" / "traffic.cu"
COUNTERS = {
    ("global", "load", "requests"): "l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum",
    ("global", "load", "sectors"): "l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum",
    ("global", "load", "transactions"): "l1tex__t_set_accesses_pipe_lsu_mem_global_op_ld.sum",
    ("global", "store", "requests"): "l1tex__t_requests_pipe_lsu_mem_global_op_st.sum",
    ("global", "store", "sectors"): "l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum",
    ("global", "store", "transactions"): "l1tex__t_set_accesses_pipe_lsu_mem_global_op_st.sum",
    ("shared", "load", "requests"): "smsp__sass_inst_executed_op_shared_ld.sum",
    ("shared", "load", "passes"): "l1tex__data_pipe_lsu_wavefronts_mem_shared_op_ld.sum",
    ("shared", "store", "requests"): "smsp__sass_inst_executed_op_shared_st.sum",
    ("shared", "store", "passes"): "l1tex__data_pipe_lsu_wavefronts_mem_shared_op_st.sum",
}


def launches(device: Device) -> Iterator[tuple[str, str]]:
    """Launch each case on `device`; gives its name and kernel after the launch."""
    rng = np.random.default_rng(1)
    floats, letters = rng.random(96 * 1024, dtype=np.float32), rng.integers(0, 256, 8192, dtype=np.uint8)
    given, output = device.upload(floats), device.upload(np.zeros_like(floats))
    for stride, offset in ((1, 0), (1, 1), (3, 0), (8, 5), (32, 0)):
        device.compile(KERNELS, {"PITCH": 33})["copy_strided"](16, 128, given, output, stride, offset)
        yield f"copy_strided, stride {stride}, offset {offset}", "copy_strided"
    for pitch in (32, 33, 34, 36):
        device.compile(KERNELS, {"PITCH": pitch})["transpose"]((12, 8), (32, 8), given, output, 384, 256)
        yield f"transpose, pitch {pitch}", "transpose"
    kernels = device.compile(KERNELS, {"PITCH": 33})
    for shift in (0, 1):
        kernels["copy_whole_vectors"](32, 64, given, output, shift)
        yield f"copy_whole_vectors, shift {shift}", "copy_whole_vectors"
    kernels["copy_bytes"](30, 200, device.upload(letters), device.upload(letters))
    yield "copy_bytes", "copy_bytes"
    numbers, sums = device.upload(rng.integers(0, 9, 32 * 4 * 21, dtype=np.int32)), device.zeros(32, np.int32)
    kernels["uneven"](1, 32, numbers, sums, 20)
    yield "uneven", "uneven"


def emulated() -> Iterator[tuple[str, dict[str, int]]]:
    """Each case's counts by counter name."""
    device = open_device("emulator", instrument="traffic")
    cases = launches(device)
    while True:
        with device.record_traffic() as log:
            case = next(cases, None)
        if case is None:
            return
        yield case[0], {name: getattr(log.total(case[1], *at[:2]), at[2]) for at, name in COUNTERS.items()}


def measured(path: Path) -> list[dict[str, int]]:
    """The counters of each launch of kernels of ours in ncu's CSV of raw values."""
    lines = [line for line in path.read_text().splitlines() if line.startswith('"')]
    rows: list[dict[str, Any]] = list(csv.DictReader(lines))
    known = [
        row
        for row in rows
        if row["Kernel Name"] in {"copy_strided", "transpose", "copy_whole_vectors", "copy_bytes", "uneven"}
    ]
    return [{name: int(float(row[name].replace(",", ""))) for name in COUNTERS.values()} for row in known]


def compare(path: Path, output: Path | None) -> int:
    """Print both, write them to `output`; 1 if any differs."""
    table = [
        (case, name, counts[name], gpu[name])
        for (case, counts), gpu in zip(emulated(), measured(path), strict=True)
        for name in COUNTERS.values()
    ]
    for case, name, ours, theirs in table:
        if ours or theirs:
            print(f"{case:40} {name:60} {ours:8} {theirs:8} {'' if ours == theirs else 'DIFFERS'}")
    if output:
        with output.open("w", newline="") as file:
            csv.writer(file, lineterminator="\n").writerows([("case", "counter", "emulator", "gpu"), *table])
    return int(any(ours != theirs for _, _, ours, theirs in table))


if __name__ == "__main__":
    what, *paths = sys.argv[1:]
    if what == "compare":
        sys.exit(compare(Path(paths[0]), Path(paths[1]) if paths[1:] else None))
    if what == "command":
        print("ncu --clock-control none --csv --page raw --metrics", ",".join(COUNTERS.values()), end=" ")
        print("python3", __file__, "launch")
    else:
        for case, _ in launches(device := open_device("cuda")):
            print(case)
        device.synchronize()
