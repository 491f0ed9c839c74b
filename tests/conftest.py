"""Devices for the tests: the emulator in every thread order, and the GPU where there is one."""

import pytest

from repro.device import Device, cuda, open_device

ORDERS = ("forward", "reverse", "random")
NO_GPU = cuda.why_unavailable()


@pytest.fixture(params=[*ORDERS, pytest.param("cuda", marks=pytest.mark.cuda)])
def device(request: pytest.FixtureRequest) -> Device:
    """Every device: what a kernel computes must not depend on it."""
    if request.param != "cuda":
        return open_device("emulator", thread_order=request.param, seed=20230330)
    if NO_GPU:
        pytest.skip(NO_GPU)
    return open_device("cuda")


@pytest.fixture(params=ORDERS)
def emulator(request: pytest.FixtureRequest) -> Device:
    """The emulator in every thread order: for what only it can check."""
    return open_device("emulator", thread_order=request.param, seed=20230330)
