"""The page of all papers: where rows come from, what was left out, and each system's claims, tables and figures."""

from collections.abc import Iterable, Iterator
from pathlib import Path

import pandas as pd

from repro.bench.rows import read_rows
from repro.inputs.files import complete_or_absent
from repro.inputs.offline import LeftOut
from repro.systems import SYSTEMS

COMMIT_DIGITS = 12
DAY = len("2000-01-01")


def write_report(
    path: str | Path,
    rows: Iterable[str | Path],
    left_out: Iterable[LeftOut],
    tables: Iterable[str | Path],
    figures: Iterable[str | Path],
) -> None:
    """Write it as Markdown. rows: files of checked rows. tables, figures: in folders named by their system; each
    system has a table `claims`. What the page links to is given relative to it.
    """
    folder = Path(path).parent
    lines = ["# Results", "", *_origins(rows), "", *_left_out(left_out)]
    files = [Path(file) for file in (*tables, *figures)]
    for system, title in SYSTEMS.items():
        own = [file for file in files if file.parent.name == system]
        if own:
            lines += [f"# {system}", "", title, "", *_system(folder, own)]
    with complete_or_absent(path) as partial:
        partial.write_text("\n".join(lines))


def _origins(files: Iterable[str | Path]) -> list[str]:
    """A line for each device: how many rows, when they were measured, and of which commits."""
    found = [
        (row["device"], row["provenance"]["date"][:DAY], _short(row["provenance"]["commit"]))
        for file in files
        for row in read_rows(file)
    ]
    if not found:
        return ["Nothing was measured."]
    origins = pd.DataFrame(found, columns=["device", "date", "commit"]).groupby("device", sort=False)
    return _markdown(
        ["device", "rows", "first", "last", "commits"],
        [
            [str(device), str(len(own)), own["date"].min(), own["date"].max(), ", ".join(own["commit"].unique())]
            for device, own in origins
        ],
    )


def _short(commit: str) -> str:
    digits, dash, dirty = commit.partition("-")
    return digits[:COMMIT_DIGITS] + dash + dirty


def _left_out(left_out: Iterable[LeftOut]) -> Iterator[str]:
    for left in left_out:
        yield f"- left out: {left.kind} {left.name}: {left.reason}"
        yield ""


def _system(folder: Path, files: list[Path]) -> Iterator[str]:
    """Claims, then links to tables, then figures."""
    tables = [file for file in files if file.suffix == ".tsv"]
    claims = pd.read_csv(
        next(file for file in tables if file.stem == "claims"), sep="\t", dtype=str, keep_default_na=False
    ).drop(columns="system")
    yield from _markdown(list(claims.columns), claims.to_numpy().tolist())
    yield from ("", "Tables: " + ", ".join(f"[{file.stem}]({file.relative_to(folder)})" for file in tables), "")
    for file in files:
        if file not in tables:
            yield from (f"![{file.stem}]({file.relative_to(folder)})", "")


def _markdown(header: list[str], rows: list[list[str]]) -> list[str]:
    lines = (header, ["---"] * len(header), *rows)
    return ["| " + " | ".join(cell.replace("|", r"\|") for cell in line) + " |" for line in lines]
