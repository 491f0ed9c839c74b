"""The page says where rows come from and what was left out, and has every system's claims, tables and figures."""

from pathlib import Path

from matplotlib.figure import Figure

from repro.bench.rows import write_rows
from repro.inputs.offline import LeftOut
from repro.report.claims import HOLDS, Claim, write_claims
from repro.report.page import HOW_TO_READ, write_report
from repro.report.style import save
from repro.systems import SYSTEMS
from tests.bench.example import example_row


def row(device: str, date: str, commit: str) -> dict[str, object]:
    example = example_row(device=device)
    return {**example, "provenance": {**example["provenance"], "date": date, "commit": commit}}


def test_the_page_of_two_systems(tmp_path: Path) -> None:
    for system in ("wfa", "apsp"):
        (tmp_path / "tables" / system).mkdir(parents=True)
        claim = Claim(system, "4.1.1", "one launch per column", "|a| + 1", "5 of 5 runs", HOLDS)
        write_claims(tmp_path / "tables" / system / "claims.tsv", [claim])
    write_rows(
        tmp_path / "rows.jsonl",
        [
            row("NVIDIA H200", "2026-11-30T13:38:18+00:00", "37eb20700dee680e212f2ae5ec1f6c53349175cb"),
            row("emulator", "2026-12-02T10:00:00+00:00", "37eb20700dee680e212f2ae5ec1f6c53349175cb-dirty"),
            row("NVIDIA H200", "2026-11-28T13:38:18+00:00", "0123456789abcdef0123456789abcdef01234567"),
        ],
    )
    tables = [tmp_path / "tables" / name for name in ("apsp/claims.tsv", "wfa/claims.tsv", "wfa/table2.tsv")]
    figures = [tmp_path / "figures/wfa/pairs.svg"]
    figure = Figure()
    figure.suptitle("Distance & speed,\nby pair")
    figures[0].parent.mkdir(parents=True)
    save(figure, figures)
    captions = [tmp_path / f"{system}.rst" for system in SYSTEMS]
    for caption in captions:
        caption.write_text(f"What {caption.stem} is.\n")
    left = [LeftOut("pair", "far", "NCBI cannot be reached")]
    write_report(tmp_path / "report.md", [tmp_path / "rows.jsonl"], left, captions, tables, figures)
    assert (tmp_path / "report.md").read_text().splitlines() == [
        "# Results",
        "",
        *HOW_TO_READ.splitlines(),
        "",
        "| device | rows | first | last | commits |",
        "| --- | --- | --- | --- | --- |",
        "| NVIDIA H200 | 2 | 2026-11-28 | 2026-11-30 | 37eb20700dee, 0123456789ab |",
        "| emulator | 1 | 2026-12-02 | 2026-12-02 | 37eb20700dee-dirty |",
        "",
        "- left out: pair far: NCBI cannot be reached",
        "",
        "# wfa",
        "",
        "What wfa is.",
        "",
        "| section | claim | paper | ours | verdict |",
        "| --- | --- | --- | --- | --- |",
        r"| 4.1.1 | one launch per column | \|a\| + 1 | 5 of 5 runs | holds |",
        "",
        "Tables: [claims](tables/wfa/claims.tsv), [table2](tables/wfa/table2.tsv)",
        "",
        "**pairs**: Distance & speed, by pair",
        "",
        "![pairs](figures/wfa/pairs.svg)",
        "",
        "# apsp",
        "",
        "What apsp is.",
        "",
        "| section | claim | paper | ours | verdict |",
        "| --- | --- | --- | --- | --- |",
        r"| 4.1.1 | one launch per column | \|a\| + 1 | 5 of 5 runs | holds |",
        "",
        "Tables: [claims](tables/apsp/claims.tsv)",
    ]


def test_the_page_of_nothing(tmp_path: Path) -> None:
    write_report(tmp_path / "report.md", [], [], [], [], [])
    assert (tmp_path / "report.md").read_text() == f"# Results\n\n{HOW_TO_READ}\nNothing was measured.\n"
