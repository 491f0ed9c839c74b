"""The page of all papers: where rows come from, what was left out, and each system's claims, tables and figures."""

import html
import re
from collections.abc import Iterable, Iterator
from pathlib import Path

import pandas as pd

from repro.bench.rows import read_rows
from repro.inputs.files import complete_or_absent
from repro.inputs.offline import LeftOut
from repro.systems import SYSTEMS

COMMIT_DIGITS = 12
DAY = len("2000-01-01")
HOW_TO_READ = """\
The rows are measurements of this run and those in `resources/measured`. Each was checked before it is drawn or judged;
its field `check` says against what.

Claims: `paper` is what the paper states or, where the section is `beyond the paper`, what is to be reached here; `ours`
is what was measured. A claim `holds` when the measured value is at least the stated one (at most, for losses), without
any margin but the one it names; a claim about several runs when every run passes, one about how many times faster a
variant is than another by the run on the largest input, which comes first. Times are judged on GPUs alone, counts on
every device. `not measured here`: there is no row that decides it, whatever is predicted. `-`: nothing is
stated, or nothing was measured.

Figures called figN show what the paper's Fig. N does; PDF and PNG lie beside each. K, M, G, T, P: powers of 1,000.
"""


def write_report(
    path: str | Path,
    rows: Iterable[str | Path],
    left_out: Iterable[LeftOut],
    captions: Iterable[str | Path],
    tables: Iterable[str | Path],
    figures: Iterable[str | Path],
) -> None:
    """Write it as Markdown. rows: files of checked rows. captions: texts named by their system, about all its figures
    and tables. tables, figures (SVG): in folders named by their system; each system has a table `claims`. What the page
    links to is given relative to it.
    """
    folder = Path(path).parent
    lines = ["# Results", "", HOW_TO_READ, *_origins(rows), "", *_left_out(left_out)]
    about = {caption.stem: caption for caption in map(Path, captions)}
    files = [Path(file) for file in (*tables, *figures)]
    for system in SYSTEMS:
        own = [file for file in files if file.parent.name == system]
        if own:
            lines += [f"# {system}", "", about[system].read_text(), *_system(folder, own)]
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
            title = re.search(r"<title>(.*?)</title>", file.read_text(), re.DOTALL)
            shown = html.unescape(title[1]) if title else file.stem
            yield from (f"**{file.stem}**: {shown}", "", f"![{file.stem}]({file.relative_to(folder)})", "")


def _markdown(header: list[str], rows: list[list[str]]) -> list[str]:
    lines = (header, ["---"] * len(header), *rows)
    return ["| " + " | ".join(cell.replace("|", r"\|") for cell in line) + " |" for line in lines]
