"""Every kernel of the project runs clean under the sanitizers and the race detector."""

from pathlib import Path

import pytest

from repro.device import open_device
from repro.device.emulator import EmulatedKernel
from repro.device.source import load_source
from tests.device.small_runs import RUNS

SOURCES = Path(__file__).parents[2] / "src/repro"
PACKAGES = sorted({path.parents[1].name for path in SOURCES.glob("*/kernels/*.cu")})


def run_small(device, package, monkeypatch):
    """Run the package's small inputs and see that no kernel was left out."""
    if package not in RUNS:
        pytest.fail(f"add a function {package} to tests/device/small_runs.py that runs its variants on small inputs")
    launched = set()
    launch = EmulatedKernel._launch

    def noted(kernel, *arguments):
        launched.add(kernel.name)
        launch(kernel, *arguments)

    monkeypatch.setattr(EmulatedKernel, "_launch", noted)
    RUNS[package](device)
    kernels = {name for path in (SOURCES / package / "kernels").glob("*.cu") for name in load_source(path).kernels}
    assert launched == kernels, f"tests/device/small_runs.py: {package} does not launch every kernel"


@pytest.mark.slow
@pytest.mark.parametrize("package", PACKAGES)
def test_small_runs_reach_every_kernel(package, monkeypatch):
    run_small(open_device("emulator"), package, monkeypatch)


@pytest.mark.slow
@pytest.mark.parametrize("instrument", ["sanitize", "races"])
@pytest.mark.parametrize("package", PACKAGES)
def test_every_kernel_is_clean(package, instrument, monkeypatch):
    run_small(open_device("emulator", thread_order="random", instrument=instrument), package, monkeypatch)
