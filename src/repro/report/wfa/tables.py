"""The table of all measurements, Tables 2 to 4 with ours, and those of runs, peers and goals."""

from pathlib import Path

import pandas as pd

from repro.inputs.files import complete_or_absent
from repro.inputs.pair_sheet import Pair
from repro.report.wfa.data import INPUT, PATH, PEERS_DEVICE, TOTAL, Published, best_settings
from repro.report.wfa.memory import RESULT_BYTES, memory_table
from repro.wfa.runs import Runs
from repro.wfa.variants import VARIANTS

COLUMNS = {
    "variant": "variant",
    "input.name": "pair",
    "input.len_a": "len_a",
    "input.len_b": "len_b",
    "result": "distance",
    "similarity": "similarity",
    "device": "device",
    "device_kind": "device_kind",
    "parameters": "parameters",
    "total_seconds.median": "seconds",
    "total_seconds.min": "seconds_min",
    "total_seconds.max": "seconds_max",
    "kernel_seconds.median": "kernel_seconds",
    PATH: "path_seconds",
    "gcups": "gcups",
    "work": "cells",
    "counters.launches": "launches",
    "counters.threads": "threads",
    "counters.reads": "reads",
}
OURS = ["distance", "seconds", "gcups", "device"]
# Our names of the variants by the peer's, which is a translation of the paper's program.
UPSTREAM = {
    "WavefrontVariants baseline": "baseline",
    "WavefrontVariants dynamic work-items": "dynamic-work-items",
    "WavefrontVariants minimised reads": "minimised-reads",
    "WavefrontVariants shared-memory prefetch": "shared-memory-prefetch",
    "WavefrontVariants tiling global t=2": "tiling-global",
    "WavefrontVariants tiling register t=3": "tiling-register",
    "WavefrontVariants tiling shared t=2": "tiling-shared",
    "WavefrontVariants parallel workgroup t=190": "parallel-workgroup",
    "WavefrontVariants dynamic diamond t=190, read every 190": "dynamic-diamond",
}


def measurements(rows: pd.DataFrame) -> pd.DataFrame:
    """One line per row; times in seconds, similarity as a fraction, parameters as NAME=VALUE."""
    given = rows.filter(regex=r"^parameters\.").rename(columns=lambda column: column.removeprefix("parameters."))
    texts = [" ".join(f"{name}={value:.0f}" for name, value in row.dropna().items()) for _, row in given.iterrows()]
    return rows.assign(parameters=texts)[list(COLUMNS)].rename(columns=COLUMNS)


def table2(published: Published, sheet: list[Pair]) -> pd.DataFrame:
    """Table 2; its sequences cannot be had again, for the reason in the sheet."""
    reasons = {pair.name: pair.note for pair in sheet}
    ours = [
        f"not measured here: {reasons.get(f'wfa-table2-{number}', 'not in the sheet of pairs')}"
        for number in published.table2["experiment"]
    ]
    return published.table2.assign(ours=ours)


def table3(rows: pd.DataFrame, published: Published) -> pd.DataFrame:
    """Table 3 and, for the paper's best design and `hybrid`, ours: on the sequences themselves or on a synthetic twin.

    One line for each row of the paper and each of ours that stands beside it; one without ours where there is none.
    The paper has two of its pairs twice, 5 as 5M and 7 as 23M: either's twin is both's.
    """
    best = best_settings(rows[rows["variant"].isin(["dynamic-diamond", "hybrid"])])
    lines = []
    for number, paper in published.pairs.iterrows():
        real = (best["input.a"] == paper["a"]) & (best["input.b"] == paper["b"])
        same = published.pairs.index[(published.pairs["a"] == paper["a"]) & (published.pairs["b"] == paper["b"])]
        twin = best[INPUT].isin([f"twin-table3-{other}" for other in same])
        for ours, compared in ((best[real], "the sequences"), (best[twin], "a synthetic twin")):
            for _, row in ours.iterrows():
                values = row["result"], row[TOTAL], row["gcups"], row["device"]
                found = dict(zip(OURS, values, strict=True))
                lines.append(
                    {"experiment": number, **paper, "ours": row["variant"], "compared": compared}
                    | {f"our_{name}": value for name, value in found.items()}
                    | {"our_device_kind": row["device_kind"]}
                )
        if not (real | twin).any():
            lines.append({"experiment": number, **paper, "ours": "not measured here"})
    return pd.DataFrame(lines)


def table4(rows: pd.DataFrame, published: Published) -> pd.DataFrame:
    """Table 4, and ours: of each device the longest and the fastest pair, by the paper's best design and `hybrid`."""
    lines = []
    for (device, variant), own in best_settings(rows).groupby(["device", "variant"]):
        if variant in ("dynamic-diamond", "hybrid"):
            longer = own[["input.len_a", "input.len_b"]].max(axis="columns")
            for index in dict.fromkeys([longer.idxmax(), own["gcups"].idxmax()]):
                row = own.loc[index]
                similar = 100 * row["similarity"]
                lines.append((f"here: {variant}", None, "WFA", device, longer[index], similar, row["gcups"]))
    return pd.concat([published.table4, pd.DataFrame(lines, columns=published.table4.columns)])


def runs_table(runs: Runs) -> pd.DataFrame:
    """Fractions of cells by runs of `letters` or more, by Eq. (10) and as counted."""
    counted = runs.at_least()
    expected = [runs.symbols**-u for u in range(len(counted))]
    return pd.DataFrame({"letters": range(len(counted)), "eq10": expected, "counted": counted, "cells": runs.cells})


def peers_table(rows: pd.DataFrame, published: Published) -> pd.DataFrame:
    """The paper's variants beside the paper's program, translated, on the same GPU, for equal size and similarity."""
    gpu = best_settings(rows[rows["device"] == PEERS_DEVICE])
    gpu = gpu[gpu[INPUT].str.startswith("synthetic-")]
    gpu = gpu.assign(n=gpu["input.len_a"], similarity_percent=(100 * gpu["similarity"]).round().astype(int))
    peers = published.peers[published.peers["check"] == "ok"]
    peers = peers.assign(variant=peers["peer"].map(UPSTREAM)).dropna(subset="variant")
    both = gpu.merge(peers, on=["variant", "n", "similarity_percent"], suffixes=("", "_peer"))
    both["times_faster"] = both["seconds"] / both[TOTAL]
    columns = ["variant", "n", "similarity_percent", "seconds", TOTAL, "times_faster"]
    return both[columns].rename(columns={"seconds": "peer_seconds", TOTAL: "seconds"})


def goals_table(rows: pd.DataFrame, published: Published) -> pd.DataFrame:
    """What `hybrid` is to reach, and what it reaches on a GPU; 1e12 cells of the full matrix per second."""
    best = best_settings(rows[(rows["variant"] == "hybrid") & (rows["device_kind"] == "cuda")])
    ours = best.assign(distance=best["result"], seconds=best[TOTAL], tcups=best["gcups"] / 1e3).set_index(INPUT)
    return published.goals.join(ours[["distance", "similarity", "seconds", "tcups", "device"]]).reset_index()


def write_tables(
    folder: str | Path, rows: pd.DataFrame, published: Published, runs: list[Runs], sheet: list[Pair]
) -> None:
    """Write every table as FOLDER/NAME.tsv, tab-separated. runs: of one pair, or none."""
    tiles = [(name, variant.settings["tile_length"].default if "tile_length" in variant.settings else 0)
             for name, variant in VARIANTS.items() if name in RESULT_BYTES]  # fmt: skip
    tables = {
        "measurements": measurements(rows),
        "table2": table2(published, sheet),
        "table3": table3(rows, published),
        "table4": table4(rows, published),
        **({"runs": runs_table(runs[0])} if runs else {}),
        "memory": memory_table(tiles),
        "peers": peers_table(rows, published),
        "goals": goals_table(rows, published),
    }
    for name, table in tables.items():
        with complete_or_absent(Path(folder) / f"{name}.tsv") as partial:
            # Integers beside missing cells are floats, whose last digits the format would cut.
            table.convert_dtypes().to_csv(partial, sep="\t", index=False, float_format="%.6g")
