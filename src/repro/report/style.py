"""How all figures look, and how they name devices."""

from collections import defaultdict
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import matplotlib as mpl
import pandas as pd

mpl.use("Agg")

from matplotlib import pyplot as plt
from matplotlib.axes import Axes
from matplotlib.figure import Figure

# Okabe and Ito: told apart by colour-blind readers, and by marker without any colour.
COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9")
MARKERS = ("o", "s", "^", "v", "P", "X")
OTHER: dict[str, Any] = {"color": "#666666", "marker": "d"}
PAPER_COLOUR = "#000000"
PAPER_MARKER = "D"

RC: dict[Any, Any] = {
    "axes.axisbelow": True,
    "axes.grid": True,
    "axes.spines.right": False,
    "axes.spines.top": False,
    "figure.constrained_layout.use": True,
    "figure.dpi": 150,
    "font.size": 9,
    "grid.color": "#dddddd",
    "legend.frameon": False,
    "svg.hashsalt": "repro",  # the same rows give the same file
}


def looks(names: Iterable[str]) -> defaultdict[str, dict[str, Any]]:
    """Colour and marker of each name, and OTHER for any that is not among them or for which no colour is left."""
    pairs = zip(names, COLOURS, MARKERS, strict=False)
    return defaultdict(lambda: OTHER, {name: {"color": colour, "marker": marker} for name, colour, marker in pairs})


def device_label(device: str, kind: str) -> str:
    """How a legend or title calls a device: times of the emulator are marked as such."""
    return f"{device}, emulated: not GPU times" if kind == "emulator" else device


def devices_of(rows: pd.DataFrame) -> list[tuple[str, str]]:
    """Name and kind of the devices that rows come from: GPUs first, else in order of appearance."""
    found = dict.fromkeys(zip(rows["device"], rows["device_kind"], strict=True))
    return sorted(found, key=lambda device: device[1] == "emulator")


def title(what: str, rows: pd.DataFrame) -> str:
    """A figure's title: what it shows, and below it the devices it was measured on."""
    return f"{what}\n" + "\nand ".join(f"on {device_label(*device)}" for device in devices_of(rows))


def panels_by_device(rows: pd.DataFrame) -> tuple[Figure, list[tuple[Axes, tuple[tuple[str, str], pd.DataFrame]]]]:
    """A figure with a panel for each device, titled with its name, and the device and rows of each.

    Without rows the figure has one empty panel, and the list is empty.
    """
    devices = devices_of(rows)
    count = max(1, len(devices))
    figure, grid = plt.subplots(1, count, figsize=(1 + 4.8 * count, 4.4), squeeze=False)
    panels = []
    for axes, device in zip(grid[0], devices, strict=False):
        axes.set_title(device_label(*device), fontsize=9)
        panels.append((axes, (device, rows[rows["device"] == device[0]])))
    return figure, panels


def save(figure: Figure, paths: Iterable[str | Path]) -> None:
    """Write a figure once per path, in the format of its suffix, and close it.

    A panel without data says so. The files have the figure's title among their metadata.
    """
    title = " ".join(figure.get_suptitle().split())
    for axes in figure.axes:
        if axes.axison and not axes.has_data() and not axes.texts:
            axes.text(0.5, 0.5, "nothing measured here", transform=axes.transAxes, ha="center")
    for path in map(Path, paths):
        undated = {"Date": None} if path.suffix == ".svg" else {"CreationDate": None} if path.suffix == ".pdf" else {}
        figure.savefig(path, metadata={"Title": title, **undated})
    plt.close(figure)
