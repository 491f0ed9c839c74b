"""The out-of-core variant keeps to its memory budget, gives the same result, and continues after a kill."""

import json
import os
import signal
import subprocess
import sys
import time

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from repro.apsp import NegativeCycleError
from repro.apsp.out_of_core import Plan, out_of_core
from repro.apsp.ranges import INFINITE
from repro.apsp.reference import floyd_warshall
from repro.apsp.staged import Layout
from repro.device import open_device
from repro.errors import DeviceError

from .graphs import DTYPES, path_lengths, random_weights, without_negative_cycles

BUDGET = 700_000
BUDGET_WITH_PREDECESSORS = BUDGET


def with_inf(distances):
    return np.where(distances == INFINITE[distances.dtype], np.inf, distances.astype(np.float64))


@pytest.mark.parametrize("dtype", DTYPES, ids=str)
@pytest.mark.parametrize("predecessors", [False, True])
@pytest.mark.parametrize("order", ["forward", "reverse", "random"])
def test_a_budget_smaller_than_the_matrix(dtype, predecessors, order):
    n = 700 if dtype == np.int16 and not predecessors else 300
    budget = {(8, False): 1_400_000, (2, False): 1_200_000, (4, False): BUDGET, (8, True): 1_850_000}.get(
        (dtype.itemsize, predecessors), BUDGET_WITH_PREDECESSORS
    )
    device = open_device("emulator", budget, thread_order=order, seed=3)
    weights = random_weights(n, 0.02, dtype)
    computed = np.dtype(np.int32) if predecessors and dtype == np.int16 else dtype
    layout = Layout.of(computed, 64, nonnegative=True)
    assert Plan.of(n, layout, predecessors, device.memory_bytes).blocks > 2
    outcome = out_of_core(device, weights, predecessors, tile=64)
    expected, _, _ = floyd_warshall(with_inf(weights), np.inf)
    assert np.array_equal(with_inf(outcome.distances), expected)
    assert device.memory_used == 0
    if predecessors:
        assert np.array_equal(path_lengths(weights, outcome.predecessors), expected)


@settings(max_examples=10, deadline=None)
@given(n=st.integers(1, 330), density=st.sampled_from([0.01, 0.1]), seed=st.integers(0, 99), data=st.data())
def test_random_sizes_and_budgets(n, density, seed, data):
    predecessors = data.draw(st.booleans())
    budget = data.draw(st.integers(670_000, 1_500_000)) * (3 if predecessors else 1)
    device = open_device("emulator", budget, thread_order="random", seed=seed)
    weights = without_negative_cycles(n, density, np.float32, seed)
    expected, _, _ = floyd_warshall(weights, np.float32(np.inf))
    outcome = out_of_core(device, weights, predecessors, tile=64)
    assert np.array_equal(outcome.distances, expected)
    if predecessors:
        assert np.array_equal(path_lengths(weights, outcome.predecessors), expected)


def test_a_negative_cycle_across_blocks_is_found(tmp_path):
    weights = random_weights(300, 0.05, np.float32, low=1)
    weights[10, 290], weights[290, 10] = 1, -2
    for folder in (None, tmp_path / "work"):
        with pytest.raises(NegativeCycleError) as caught:
            out_of_core(open_device("emulator", BUDGET), weights, False, tile=64, folder=folder)
        assert caught.value.vertex == 290


def test_blocks_are_as_large_as_the_budget_allows():
    layout = Layout.of(np.dtype(np.float32), 128, nonnegative=True)
    n = 65_536
    assert Plan.of(n, layout, False, n * n * 4 // 4) == Plan(8, 8192)
    assert Plan.of(n, layout, False, 2 * n * n * 4) == Plan(1, n)
    plan = Plan.of(n, layout, True, n * n * 8 // 4)
    assert plan == Plan(7, 9408)
    with pytest.raises(DeviceError, match=r"out-of-core needs [\d,]+ bytes .* 400,000 are allowed: give a larger"):
        Plan.of(1000, layout, False, 400_000)


def test_every_block_is_copied_in_and_out_once_a_round():
    device = open_device("emulator", BUDGET)
    weights = random_weights(300, 0.1, np.float32)
    blocks = Plan.of(300, Layout.of(weights.dtype, 64, True), False, BUDGET).blocks
    out_of_core(device, weights, False, tile=64)
    assert device.counters.writes == 1 + blocks * blocks**2  # one for the negative-cycle flag
    assert device.counters.reads == blocks * (blocks**2 + 1)


CHILD = """
import sys, time
from pathlib import Path
import numpy as np
from repro.apsp.out_of_core import out_of_core
from repro.device import open_device
folder = Path(sys.argv[1])
weights = np.load(folder / "weights.npy")
def progress(done, rounds):
    print(done, rounds, flush=True)
    time.sleep(float(sys.argv[2]))
outcome = out_of_core(
    open_device("emulator", {budget}), weights, True, tile=64, folder=folder / "work", key={{"graph": "g"}},
    progress=progress,
)
np.save(folder / "distances.npy", outcome.distances)
np.save(folder / "predecessors.npy", outcome.predecessors)
"""


def test_a_killed_run_continues_after_its_last_finished_round(tmp_path):
    weights = random_weights(300, 0.05, np.float32)
    np.save(tmp_path / "weights.npy", weights)
    child = CHILD.format(budget=BUDGET_WITH_PREDECESSORS)

    def start(pause):
        return subprocess.Popen(
            [sys.executable, "-c", child, str(tmp_path), str(pause)], stdout=subprocess.PIPE, text=True
        )

    killed = start(60)
    assert killed.stdout.readline().split()[0] == "1"
    time.sleep(0.2)
    os.kill(killed.pid, signal.SIGKILL)
    killed.wait()
    state = json.loads((tmp_path / "work" / "state.json").read_text())
    assert state["rounds"] == 1
    assert not (tmp_path / "distances.npy").exists()
    resumed = start(0)
    output, _ = resumed.communicate()
    assert resumed.returncode == 0
    rounds = int(output.split()[1])
    assert [int(line.split()[0]) for line in output.splitlines()] == list(range(2, rounds + 1))
    expected = out_of_core(open_device("emulator", BUDGET_WITH_PREDECESSORS), weights, True, tile=64)
    assert np.array_equal(np.load(tmp_path / "distances.npy"), expected.distances)
    assert np.array_equal(np.load(tmp_path / "predecessors.npy"), expected.predecessors)
    assert np.array_equal(expected.distances, floyd_warshall(weights, np.float32(np.inf))[0])


def test_a_folder_of_another_graph_is_not_continued(tmp_path):
    first, second = (random_weights(300, 0.05, np.float32, seed=seed) for seed in (1, 2))
    for weights, key in ((first, "a"), (second, "b"), (first, "a")):
        rounds = []
        outcome = out_of_core(
            open_device("emulator", BUDGET), weights, False, tile=64, folder=tmp_path, key={"graph": key},
            progress=lambda done, total, rounds=rounds: rounds.append(done),
        )  # fmt: skip
        assert rounds[0] == 1
        assert np.array_equal(outcome.distances, floyd_warshall(weights, np.float32(np.inf))[0])
