"""All-pairs shortest paths for graphs of any size on a GPU (Katz and Kider 2008, and its extension out of core)."""

from repro.apsp.outcome import NegativeCycleError
from repro.apsp.paths import path, shortest_paths

__all__ = ["NegativeCycleError", "path", "shortest_paths"]
