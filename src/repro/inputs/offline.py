"""What a run can do without network: it leaves out what it cannot get, and says so. Nothing is put in its place."""

import urllib.error
import urllib.request
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from repro.inputs.ncbi_cache import cached_path
from repro.inputs.pair_sheet import Pair
from repro.inputs.reads.programs import why_missing
from repro.inputs.reads.sheet import ReadSet

_PROBE = "https://eutils.ncbi.nlm.nih.gov/entrez/eutils/einfo.fcgi"
_PROBE_TIMEOUT_S = 5.0


@dataclass(frozen=True)
class LeftOut:
    """An input that a run goes without. kind: `pair` or `reads`."""

    kind: str
    name: str
    reason: str


def ncbi_reachable() -> bool:
    """Return whether NCBI answers at all."""
    try:
        with urllib.request.urlopen(_PROBE, timeout=_PROBE_TIMEOUT_S):
            return True
    except urllib.error.HTTPError:
        return True
    except OSError:
        return False


def left_out(
    pairs: Iterable[Pair], read_sets: Iterable[ReadSet], caches: Iterable[Path], reachable: Callable[[], bool]
) -> list[LeftOut]:
    """Return which of the wanted inputs cannot be had: unavailable ones, and accessions neither cached nor reachable.

    caches: folders with files of `cached_path`; reachable: asked once, and only when something is in none of them.
    """
    folders, pairs = list(caches), list(pairs)
    wanted = [("pair", pair.name, [pair.a, pair.b]) for pair in pairs if pair.source == "ncbi"]
    wanted += [("reads", reads.name, [reads.accession]) for reads in read_sets if reads.accession]
    missing = {
        (kind, name): accession
        for kind, name, accessions in wanted
        for accession in reversed(accessions)
        if not any(cached_path(accession, folder).exists() for folder in folders)
    }
    found = [LeftOut("pair", pair.name, pair.note) for pair in pairs if pair.source == "unavailable"]
    if missing and not reachable():
        found += [
            LeftOut(kind, name, f"{accession} is not in the cache and NCBI cannot be reached")
            for (kind, name), accession in missing.items()
        ]
    return found


def uninstalled(read_sets: Iterable[ReadSet]) -> list[LeftOut]:
    """Return which of the wanted reads need a program that is not installed."""
    wanted = [(reads.name, why_missing(reads.source)) for reads in read_sets]
    return [LeftOut("reads", name, reason) for name, reason in wanted if reason]


def without(entries: Iterable[dict[str, Any]], key: str, names: Iterable[str]) -> list[dict[str, Any]]:
    """Return configuration entries without the given names in the list `key`, and without entries that have no more."""
    gone = set(names)
    kept = [entry | {key: [name for name in entry[key] if name not in gone]} for entry in entries]
    return [entry for entry in kept if entry[key]]
