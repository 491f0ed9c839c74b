"""`repro devices`: where kernels can run here."""

import argparse
from typing import Any


def add_parser(subparsers: Any) -> None:
    """Declare the command."""
    parser = subparsers.add_parser("devices", help="list the devices that kernels can run on here")
    parser.add_argument(
        "--clear-cache", action="store_true", help="remove the kernels compiled for the emulator instead"
    )
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    """Print a line for each GPU, or why there is none, and one for the emulator."""
    from repro.device import cuda, open_devices
    from repro.device.cache import cache_directory, clear_cache
    from repro.errors import DeviceError

    if args.clear_cache:
        count, size = clear_cache()
        print(f"removed {count} compiled modules ({size:,} bytes) from {cache_directory()}")
        return 0
    reason = cuda.why_unavailable()
    if reason:
        print(f"cuda\tnot available: {reason}")
    else:
        for device in open_devices("cuda"):
            found = device.describe()
            print(
                f"cuda:{device.index}\t{device.name}, compute capability {found['compute_capability']}, "
                f"{found['multiprocessors']} multiprocessors, {device.memory_bytes / 2**30:.0f} GiB free"
            )
    try:
        found = open_devices("emulator")[0].describe()
        print(f"emulator\t{found['device']}, {found['workers']} host threads, {found['compiler']}")
    except DeviceError as error:
        print(f"emulator\tnot available: {error}")
    return 0
